"""`sidekicks rules`: permissions that were given, or refused, for good."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping

import msgspec

from sidekicks.commands.output import CommandError, put
from sidekicks.commands.store import open_store
from sidekicks.models import PermissionRule


def run(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Lists the rules, or forgets one of them."""
    if options.action == "forget":
        asyncio.run(_forget(options, environment))
        put(f"{options.agent} is asked about again before it uses a tool of the kind {options.kind}.")
        return 0
    rules = asyncio.run(_rules(options, environment))
    if options.json:
        put(msgspec.json.encode(rules).decode())
    elif not rules:
        put("No permission was given or refused for good.")
    for rule in () if options.json else rules:
        put(f"{rule.agent:<16} {rule.kind:<12} {'always allowed' if rule.allowed else 'always refused'}")
    return 0


async def _rules(options: argparse.Namespace, environment: Mapping[str, str]) -> tuple[PermissionRule, ...]:
    async with open_store(options, environment) as history:
        return await history.rules()


async def _forget(options: argparse.Namespace, environment: Mapping[str, str]) -> None:
    async with open_store(options, environment) as history:
        rules = await history.rules()
        if not any((rule.agent, rule.kind) == (options.agent, options.kind) for rule in rules):
            raise CommandError(f"nothing is remembered for {options.agent} and {options.kind}")
        await history.delete_rule(options.agent, options.kind)
