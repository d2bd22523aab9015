"""The window's language: our translations and Qt's own, switched while the window is open."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from sidekicks.models import LanguageChoice
from sidekicks.resources import translation

Language: TypeAlias = Literal["en", "fr"]
_WAYS: Final[dict[Language, str]] = {"en": "en_GB", "fr": "fr_FR"}
"""Whose way of writing dates and times is taken where the desktop has none in this language."""


def language_for(choice: LanguageChoice) -> Language:
    """The language that the configuration asks for; `system` is French on a French desktop, else English."""
    if choice == "system":
        return "fr" if QLocale.system().language() == QLocale.Language.French else "en"
    return choice


class Translations:
    """The translators in force; every widget hears of a switch as a LanguageChange event."""

    def __init__(self) -> None:
        self._installed: list[QTranslator] = []
        self.language: Language | None = None

    def use(self, choice: LanguageChoice) -> bool:
        """Switches to the language; says whether it was not the one in force already."""
        if (language := language_for(choice)) == self.language:
            return False
        self.remove()
        self.language = language
        # The desktop's way of writing times goes with its language, however that was chosen.
        spoken = language_for("system")
        has_way = QLocale.system().language() != QLocale.Language.C
        QLocale.setDefault(QLocale.system() if has_way and language == spoken else QLocale(_WAYS[language]))
        qt = QTranslator()
        if qt.load(f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
            self._install(qt)
        ours = QTranslator()
        if ours.load(str(translation(language))):
            self._install(ours)
        return True

    def remove(self) -> None:
        """Takes the translators out again."""
        for translator in self._installed:
            QCoreApplication.removeTranslator(translator)
        self._installed.clear()
        self.language = None

    def _install(self, translator: QTranslator) -> None:
        QCoreApplication.installTranslator(translator)
        self._installed.append(translator)
