"""Brings the window's translations up to date: reads the strings of the code, compiles what is translated.

python packaging/translations.py          updates translations/*.ts and compiles them to .qm
python packaging/translations.py --check  the same, and fails when a French string is missing, or when a text
                                          is shown that no translation can reach
"""

from __future__ import annotations

import ast
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TRANSLATIONS = ROOT / "translations"
BIN = Path(sys.executable).parent
SHOWING = frozenset(
    {
        *("setText", "setToolTip", "setPlaceholderText", "setAccessibleName", "setAccessibleDescription"),
        *("setWindowTitle", "setStatusTip", "addAction", "addMenu", "addTab", "setTabText", "addItem"),
        *("QLabel", "QPushButton", "QCheckBox", "CheckBox", "say", "add_button"),
    }
)
"""What shows its argument to a person."""
PROPER_NAMES = frozenset({"Sidekicks", "English", "Français"})
ALL = "sidekicks_fr.ts"
PLURALS = "sidekicks_en.ts"


def update(name: str, *options: str) -> None:
    """Takes the strings of the code into one .ts file; what is no longer in the code goes."""
    sources = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "sidekicks" / "ui").rglob("*.py"))
    target = str((TRANSLATIONS / name).relative_to(ROOT))
    command = [str(BIN / "pyside6-lupdate"), *sources, "-ts", target, "-no-obsolete", "-locations", "none"]
    subprocess.run([*command, *options], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def compile_(name: str) -> None:
    """Compiles one .ts file to the .qm file beside it."""
    path = TRANSLATIONS / name
    command = [str(BIN / "pyside6-lrelease"), str(path), "-qm", str(path.with_suffix(".qm"))]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def missing(name: str) -> list[str]:
    """The strings of one .ts file that have no translation."""
    found: list[str] = []
    for message in ET.parse(TRANSLATIONS / name).iter("message"):
        translation = message.find("translation")
        if translation is None or translation.get("type") == "unfinished":
            found.append(message.findtext("source", ""))
    return found


def bare_texts() -> list[str]:
    """Where the window's code shows a text as it stands there, which no translation can reach."""
    found: list[str] = []
    for path in sorted((ROOT / "sidekicks" / "ui").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _name(node.func) in SHOWING:
                found += [
                    f"{path.relative_to(ROOT)}:{word.lineno}: {word.value!r}"
                    for word in (node.args if _name(node.func) == "setTabText" else node.args[:1])
                    if isinstance(word, ast.Constant) and isinstance(word.value, str) and _is_text(word.value)
                ]
    return found


def _name(called: ast.expr) -> str:
    return (
        called.attr
        if isinstance(called, ast.Attribute)
        else called.id
        if isinstance(called, ast.Name)
        else ""
    )


def _is_text(value: str) -> bool:
    return any(letter.isalpha() for letter in value) and value not in PROPER_NAMES


def main() -> int:
    """The exit code: 1 with --check when something is not translated."""
    update(ALL, "-target-language", "fr_FR")
    update(PLURALS, "-target-language", "en_US", "-pluralonly")
    for name in (ALL, PLURALS):
        compile_(name)
    untranslated = [(name, text) for name in (ALL, PLURALS) for text in missing(name)]
    for name, text in untranslated:
        print(f"translations/{name}: not translated: {text!r}")
    bare = bare_texts()
    for text in bare:
        print(f"{text} is shown as it stands there: write it as self.tr(…)")
    return 1 if (untranslated or bare) and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
