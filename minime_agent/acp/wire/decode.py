"""Bytes to structs: strict and fast first; where that fails, once more as leniently as the protocol wants.

The protocol's reference implementation takes the default for an optional field that it can't read, and leaves
out list items that it can't read. Here, in addition, unknown variants become `Unknown` values, and U+FFFD
stands for bytes that are not UTF-8 and for lone surrogates (JavaScript peers cut between the two).
"""

from __future__ import annotations

from functools import lru_cache
from types import UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin

import msgspec

from minime_agent.acp.wire.base import Params, Unknown

T = TypeVar("T")

MAX_REPAIRED = 1024 * 1024
"""Bytes; a longer text is not repaired when it isn't JSON: that would hold up everything else."""

DECODE_ERRORS = (msgspec.MsgspecError, ValueError, RecursionError, OverflowError)
"""What decoding can raise on any bytes at all."""

_ABSENT = object()


@lru_cache(maxsize=256)
def decoder(kind: type[T]) -> msgspec.json.Decoder[T]:
    """The strict decoder of a type, made once."""
    return msgspec.json.Decoder(kind)


def decode(data: bytes | msgspec.Raw, kind: type[T]) -> T:
    """`data` as `kind`.

    Raises:
        ValueError: it can't be read as that, and says where; also what else is in DECODE_ERRORS.
    """
    try:
        return decoder(kind).decode(data)
    except DECODE_ERRORS as strict_error:
        try:
            return msgspec.convert(_repair(loads(bytes(data)), kind), kind)
        except msgspec.ValidationError:
            raise
        except DECODE_ERRORS:
            raise strict_error from None


def loads(data: bytes) -> object:
    """JSON as plain values, repaired where it is not quite JSON: see the module.

    Raises:
        ValueError: not JSON at all; also what else is in DECODE_ERRORS.
    """
    try:
        return msgspec.json.decode(data)
    except DECODE_ERRORS:
        if len(data) > MAX_REPAIRED:
            raise
    import json  # only a peer in need of repair pays for it

    return scrub(json.loads(data.decode("utf-8-sig", "replace"), parse_constant=lambda _: None))


def scrub(value: object) -> object:
    """The same plain value, with U+FFFD for what UTF-8 can't hold."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {cast("str", scrub(k)): scrub(v) for k, v in cast("dict[str, object]", value).items()}
    if isinstance(value, list | tuple):
        return [scrub(item) for item in cast("list[object]", value)]
    return value


def _repair(value: Any, kind: Any) -> Any:
    """`value` so that `msgspec.convert` takes it as `kind`, as far as the protocol's leniency goes."""
    if get_origin(kind) in (Union, UnionType):
        return _repair_union(value, get_args(kind))
    if get_origin(kind) is tuple and isinstance(value, list):
        item_kind = get_args(kind)[0]
        return [_repair(item, item_kind) for item in cast("list[object]", value)]
    if get_origin(kind) is dict and isinstance(value, dict):
        value_kind = get_args(kind)[1]
        return {k: _repair(v, value_kind) for k, v in cast("dict[str, object]", value).items()}
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and isinstance(value, dict):
        return _repair_struct(cast("dict[str, object]", value), kind)
    return value


def _repair_union(value: Any, kinds: tuple[Any, ...]) -> Any:
    structs = [k for k in kinds if isinstance(k, type) and issubclass(k, msgspec.Struct)]
    if isinstance(value, dict) and structs:
        return _repair_variant(cast("dict[str, object]", value), structs)
    for kind in kinds:
        if get_origin(kind) in (tuple, dict):
            return _repair(value, kind)
    return cast("object", value)


def _repair_variant(fields: dict[str, object], structs: list[type[msgspec.Struct]]) -> object:
    if len(structs) == 1:
        return _repair_struct(fields, structs[0])
    tag_field = cast("str", structs[0].__struct_config__.tag_field)
    tag = fields.get(tag_field)
    for kind in structs:
        if kind.__struct_config__.tag == tag and not issubclass(kind, Unknown):
            return _repair_struct(fields, kind)
    if any(issubclass(kind, Unknown) for kind in structs):
        return {tag_field: "?", "kind": tag if isinstance(tag, str) else "", "raw": fields}
    return fields


def _repair_struct(value: dict[str, object], kind: type[msgspec.Struct]) -> dict[str, object]:
    repaired = dict(value)
    for field in msgspec.structs.fields(kind):
        found: Any = value.get(field.encode_name, _ABSENT)
        if found is _ABSENT:
            continue
        found = _repair(found, field.type)
        if isinstance(found, list) and not (issubclass(kind, Params) and field.required):
            found = _readable_items(cast("list[object]", found), field.type)
        if field.required or _readable(found, field.type):
            repaired[field.encode_name] = found
        else:
            del repaired[field.encode_name]
    return repaired


def _readable_items(items: list[object], kind: Any) -> list[object]:
    lists = [k for k in (kind, *get_args(kind)) if get_origin(k) is tuple]
    if not lists:
        return items
    item_kind = get_args(lists[0])[0]
    return [item for item in items if _readable(item, item_kind)]


def _readable(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except DECODE_ERRORS:
        return False
    return True
