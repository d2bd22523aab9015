"""The window comes back as it was left."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtWidgets import QSplitter
from pytestqt.qtbot import QtBot

from sidekicks.ui.main_window import MainWindow
from sidekicks.ui.theme import Theme
from sidekicks.ui.window_state import WindowState


def test_size_and_splitter_come_back(qtbot: QtBot, theme: Theme, tmp_path: Path) -> None:
    window = MainWindow(theme, WindowState(tmp_path))
    qtbot.addWidget(window)
    window.resize(760, 560)
    window.show()
    window.findChild(QSplitter).setSizes([300, 460])
    window.save()
    again = MainWindow(theme, WindowState(tmp_path))
    qtbot.addWidget(again)
    again.show()
    assert (again.width(), again.height()) == (760, 560)
    assert again.sidebar.width() == 300


def test_a_folder_that_cannot_be_made_keeps_nothing_and_hinders_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    state = WindowState(tmp_path / "file" / "folder")
    assert state.zoom == 1.0
    state.save()
    assert "not kept" in caplog.text


def test_the_sidebar_keeps_within_its_bounds(qtbot: QtBot, theme: Theme, tmp_path: Path) -> None:
    window = MainWindow(theme, WindowState(tmp_path))
    qtbot.addWidget(window)
    window.show()
    assert window.sidebar.width() == 240
    window.findChild(QSplitter).setSizes([10, 1000])
    assert window.sidebar.width() == 180
    window.findChild(QSplitter).setSizes([900, 100])
    assert window.sidebar.width() == 400


def test_conversations_are_kept_for_each_configuration_apart(tmp_path: Path) -> None:
    state = WindowState(tmp_path)
    state.use_config("/a.yaml")
    state.open_channel = "1"
    state.set_draft("1", "text\nof two lines")
    state.order = ("channel:2", "channel:1")
    state.use_config("/b.yaml")
    assert (state.open_channel, state.draft("1"), state.order) == ("", "", ())
    state.save()
    again = WindowState(tmp_path)
    again.use_config("/a.yaml")
    assert (again.open_channel, again.draft("1")) == ("1", "text\nof two lines")
    assert again.order == ("channel:2", "channel:1")
    again.set_draft("1", "")
    assert again.draft("1") == ""


@pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")
def test_nobody_else_can_read_drafts(tmp_path: Path) -> None:
    state = WindowState(tmp_path / "new")
    state.set_draft("1", "a secret")
    state.save()
    assert (tmp_path / "new" / "window.ini").stat().st_mode & 0o077 == 0


def test_closing_the_window_asks_for_the_end(qtbot: QtBot, theme: Theme, tmp_path: Path) -> None:
    window = MainWindow(theme, WindowState(tmp_path))
    qtbot.addWidget(window)
    window.show()
    with qtbot.waitSignal(window.closing):
        window.close()
    assert not window.isVisible()
