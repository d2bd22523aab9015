"""French and English are complete, and what is compiled is what is written."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from PySide6.QtCore import QDate, QLocale, QTime, QTranslator
from PySide6.QtWidgets import QApplication

from sidekicks.resources import translation
from sidekicks.ui.translate import Translations


def messages(language: str) -> list[tuple[str, str, ET.Element]]:
    tree = ET.parse(translation(language).with_suffix(".ts"))
    return [
        (context.findtext("name", ""), message.findtext("source", ""), message)
        for context in tree.iter("context")
        for message in context.iter("message")
    ]


@pytest.mark.parametrize("language", ["fr", "en"])
def test_every_string_is_translated_and_compiled(qapp: QApplication, language: str) -> None:
    translator = QTranslator()
    assert translator.load(str(translation(language)))
    for context, source, message in messages(language):
        written = message.find("translation")
        assert written is not None
        assert written.get("type") is None, source
        forms = [form.text for form in written.iter("numerusform")]
        for number, text in zip((1, 2), forms, strict=False):
            assert translator.translate(context, source, "", number) == text
        if not forms:
            assert translator.translate(context, source) == written.text


@pytest.mark.parametrize("language", ["fr", "en"])
def test_translations_keep_every_placeholder(language: str) -> None:
    for _, source, message in messages(language):
        written = message.find("translation")
        assert written is not None
        forms = [form.text or "" for form in written.iter("numerusform")] or [written.text or ""]
        for form in forms:
            assert placeholders(form) == placeholders(source), source


def placeholders(text: str) -> set[str]:
    words = {f"{{{part.split('}')[0]}}}" for part in text.split("{")[1:]}
    return words | ({"%n"} if "%n" in text else set())


def test_switching_twice_to_the_same_language_changes_nothing(qapp: QApplication) -> None:
    translations = Translations()
    try:
        assert translations.use("fr")
        assert not translations.use("fr")
        assert translations.use("en")
    finally:
        translations.remove()


def test_times_are_written_as_at_the_start_after_another_language_and_back(qapp: QApplication) -> None:
    translations = Translations()
    try:
        translations.use("system")
        spoken, other = ("fr", "en") if translations.language == "fr" else ("en", "fr")
        at_start = QLocale().toString(QTime(15, 4), QLocale.FormatType.ShortFormat)
        assert translations.use(other)
        assert translations.use(spoken)
        assert QLocale().toString(QTime(15, 4), QLocale.FormatType.ShortFormat) == at_start
    finally:
        translations.remove()
        QLocale.setDefault(QLocale.system())


def test_where_the_desktop_has_no_way_of_writing_dates_they_can_be_read(qapp: QApplication) -> None:
    translations = Translations()
    try:
        translations.use("system")
        written = QLocale().toString(QDate(2026, 12, 1), QLocale.FormatType.ShortFormat)
        assert "/" in written or "-" in written or "." in written
    finally:
        translations.remove()
        QLocale.setDefault(QLocale.system())


def test_the_translations_are_beside_the_code() -> None:
    assert Path(translation("fr")).is_file()
