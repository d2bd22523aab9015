"""What each kind of part looks like to a reader, and what happens when it is used."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from PySide6.QtCore import QBuffer, QIODevice, QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QTextCursor, QTextFormat
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QScrollArea, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from sidekicks import events
from sidekicks.models import Diff, ImagePart, Location, PlanEntry, PlanPart, TextPart, ThoughtPart, ToolPart
from sidekicks.ui import theme as themes
from sidekicks.ui.conversation import ConversationView
from sidekicks.ui.conversation.body import Body, CopyButton
from sidekicks.ui.conversation.code_text import CodeText
from sidekicks.ui.conversation.diff_view import DiffView
from sidekicks.ui.conversation.document import Writer
from sidekicks.ui.conversation.fold_line import FoldLine
from sidekicks.ui.conversation.highlight import Highlighter
from sidekicks.ui.conversation.look import Look
from sidekicks.ui.conversation.picture import Picture
from sidekicks.ui.dialogs.picture import PictureDialog
from tests.gui.talk import BEGAN, body_with, keep, message, message_id, opened, point_at, shown, texts

RUN = ToolPart(
    id="t",
    title="pytest -q",
    kind="execute",
    status="failed",
    exit_code=1,
    input='{"command":"pytest -q tests/test_rows.py"}',
    output="\n".join(f"line {k}" for k in range(40)),
)


def click(widget: object) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def delta(number: int, index: int, **more: object) -> events.MessageDelta:
    fields: dict[str, object] = {"channel": "c", "message_id": message_id(number), "index": index, **more}
    return events.MessageDelta(**fields)  # type: ignore[arg-type]  the fields are those of MessageDelta


def pixels(view: ConversationView) -> set[str]:
    image = view.viewport().grab().toImage()
    return {
        QColor(image.pixel(x, y)).name() for x in range(image.width() // 2) for y in range(image.height())
    }


def png(width: int, height: int) -> bytes:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("#336699"))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  the stubs want bytes
    return bytes(buffer.data().data())


def test_a_person_s_line_breaks_are_kept_and_an_agent_s_wrapped_lines_are_joined(qtbot: QtBot) -> None:
    written = "first\nsecond\n\n```\ncode\n  code\n```\n- item\nlast"
    view = opened(qtbot, message(1, written, role="user"))
    lines = "\n".join(body.toPlainText() for body in shown(view, Body)).split("\n")
    assert [line for line in lines if line] == ["first", "second", "code", "  code", "item", "last"]
    other = opened(qtbot, message(1, "wrapped\nline"))
    assert "wrapped line" in texts(other)


def test_the_author_line_says_who_when_and_what_it_took(qtbot: QtBot) -> None:
    tool = ToolPart(id="a", title="x", status="completed")
    view = opened(qtbot, message(0, tool, "Done.", finished_at=BEGAN + timedelta(seconds=12)))
    words = texts(view)
    assert "Mini Me" in words
    assert "1 step · 12 s" in words
    at_once = opened(qtbot, message(0, "Done.", finished_at=BEGAN + timedelta(milliseconds=4)))
    assert "0.1 s" in texts(at_once)


def test_rows_are_named_for_screen_readers(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, "Hello there", RUN))
    name = body_with(view, "Hello").accessibleName()
    assert name.startswith("Mini Me, ")
    assert ":" in name
    assert shown(view, FoldLine)[0].accessibleName() == "run pytest -q, failed with exit code 1"


def test_markdown_of_github_is_understood(qtbot: QtBot) -> None:
    source = (
        "# Title\n\n- [x] done\n- [ ] open\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted\n\n~~gone~~ `code`"
    )
    view = opened(qtbot, message(0, source))
    words = texts(view)
    for mark in ("#", "[x]", "|", ">", "~~", "`"):
        assert mark not in words
    for word in ("Title", "done", "quoted", "gone", "code"):
        assert word in words


def test_a_block_of_code_that_begins_a_message_has_its_head_and_is_never_cut(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, f"```python\n{'long ' * 100}\n```\n\nafter"))
    body = body_with(view, "after")
    assert body.horizontalScrollBar().maximum() == 0
    button = shown(view, CopyButton)[0]
    first_line = body.cursorRect(QTextCursor(body.document()))
    assert button.geometry().bottom() <= first_line.top()
    assert button.geometry().top() >= 0


def test_headings_step_down_to_the_size_of_the_text(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, "# one\n\n## two\n\n### three\n\nbody"))
    body = body_with(view, "body")
    heights = [
        body.document().documentLayout().blockBoundingRect(body.document().findBlockByNumber(k)).height()
        for k in range(4)
    ]
    assert 1.3 < heights[0] / heights[3] < 1.7
    assert heights[0] > heights[1] > heights[2] == heights[3]


def test_characters_that_turn_the_direction_of_text_are_shown(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, "[gpj\u202e.exe](https://example.org) and 👩\u200d🔧"))
    assert "gpj⟨U+202E⟩.exe" in texts(view)
    assert "\u200d" in texts(view)


def test_code_is_coloured_once_the_conversation_is_on_screen(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, "```python\nimport os  # why\n```"), size=(400, 160))
    qtbot.waitUntil(lambda: themes.LIGHT.code_keyword in pixels(view), timeout=5_000)
    view.set_theme(themes.dark())
    assert themes.DARK.code_keyword in pixels(view)
    assert themes.LIGHT.background not in pixels(view)


def test_the_copy_button_copies_its_block_and_says_so(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, "one\n\n```py\na = 1\n```\n\ntwo\n\n```\n\tb\n\n  c\n```\n"))
    first, second = shown(view, CopyButton)
    click(second)
    assert QGuiApplication.clipboard().text() == "\tb\n\n  c"
    assert second.text() == "Copied"
    click(first)
    assert QGuiApplication.clipboard().text() == "a = 1"
    qtbot.waitUntil(lambda: first.text() == "Copy", timeout=3_000)


def test_the_copy_button_of_a_long_block_copies_all_of_it(qtbot: QtBot) -> None:
    code = "\n".join(f"value_{k} = {k}  # {'x' * 30}" for k in range(400))
    view = opened(qtbot, message(0, f"```python\n{code}\n```\nafter"))
    view.show_message(message_id(0))
    click(shown(view, CopyButton)[0])
    assert QGuiApplication.clipboard().text() == code


@pytest.mark.parametrize("target", ["https://example.org/a?b=c", "file:///etc/passwd", "zoommtg://x"])
def test_a_link_is_only_ever_asked_for(qtbot: QtBot, target: str) -> None:
    view = opened(qtbot, message(0, f"see [this page]({target}) please"))
    body = body_with(view, "this page")
    with qtbot.waitSignal(view.link_activated) as asked:
        QTest.mouseClick(body.viewport(), Qt.MouseButton.LeftButton, pos=point_at(body, "page"))
    assert asked.args == [target]


def test_an_image_becomes_a_link_and_html_stays_text(qtbot: QtBot) -> None:
    view = opened(
        qtbot, message(0, "![a picture](http://tracker.example/x.png) <b>hi</b> <img src='file:///x'>")
    )
    body = body_with(view, "a picture")
    assert "<b>hi</b> <img src='file:///x'>" in body.toPlainText()
    with qtbot.waitSignal(view.link_activated) as asked:
        QTest.mouseClick(body.viewport(), Qt.MouseButton.LeftButton, pos=point_at(body, "picture"))
    assert asked.args == ["http://tracker.example/x.png"]


def test_a_link_that_is_defined_later_works_in_what_was_written_before(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, done=False))
    long = "word " * 450 + "\n\n" + "more " * 60
    view.apply(delta(0, 0, kind="text", text=f"see [the page][p]\n\n{long}"))
    qtbot.waitUntil(lambda: "more" in texts(view))
    view.show_message(message_id(0))
    assert "[the page][p]" in texts(view)
    view.apply(delta(0, 0, kind="text", text="\n\n[p]: https://example.org/p\n\nend"))
    qtbot.waitUntil(lambda: "[the page][p]" not in texts(view))
    assert "see the page" in texts(view)


def test_a_thought_is_folded_and_unfolds(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, ThoughtPart(text="It is **subtle**.", seconds=4.2), "So."))
    line = shown(view, FoldLine)[0]
    assert line.text() == "Thought for 4 s"
    assert "subtle" not in texts(view)
    click(line)
    assert "It is subtle." in texts(view)
    assert line.isChecked()
    QTest.keyClick(line, Qt.Key.Key_Space)
    assert "subtle" not in texts(view)


def test_a_thought_that_goes_on_says_so_until_something_else_begins(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, done=False))
    view.apply(delta(0, 0, kind="thought", text="Hmm"))
    qtbot.waitUntil(lambda: [line.text() for line in shown(view, FoldLine)] == ["Thinking…"])
    click(shown(view, FoldLine)[0])
    view.apply(delta(0, 0, kind="thought", text=", well"))
    qtbot.waitUntil(lambda: "Hmm, well" in texts(view))
    view.apply(delta(0, 1, kind="text", text="Yes."))
    qtbot.waitUntil(lambda: [line.text() for line in shown(view, FoldLine)] == ["Thought"])


def test_a_tool_call_is_one_line_that_unfolds_to_command_and_output(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, RUN), size=(900, 900))
    line = shown(view, FoldLine)[0]
    assert line.text() == "pytest -q"
    assert shown(view, CodeText) == []
    click(line)
    command, output = shown(view, CodeText)
    assert command.toPlainText() == "pytest -q tests/test_rows.py"
    assert output.toPlainText().split("\n")[0] == "line 28"
    assert output.toPlainText().endswith("line 39")
    more = next(b for b in shown(view, QToolButton) if "40" in b.text())
    click(more)
    assert shown(view, CodeText)[1].toPlainText().startswith("line 0\n")
    click(shown(view, FoldLine)[0])
    assert shown(view, CodeText) == []


def test_unfolding_leaves_the_line_where_it_was_clicked(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, "word " * 900), message(1, RUN))
    line = shown(view, FoldLine)[0]
    before = line.y()
    click(line)
    assert shown(view, FoldLine)[0].y() == before


def test_a_change_is_red_and_green_with_numbers_and_signs(qtbot: QtBot) -> None:
    diff = Diff(path="src/p.py", old_text="a\nb\nc\n", new_text="a\nB\nc\n")
    tool = ToolPart(id="t", title="p.py", kind="edit", status="completed", diffs=(diff,))
    view = opened(qtbot, message(0, tool))
    click(shown(view, FoldLine)[0])
    shown_diff = shown(view, DiffView)[0]
    assert shown_diff.toPlainText() == "  a\n- b\n+ B\n  c"
    full = QTextFormat.Property.FullWidthSelection
    coloured = {
        s.cursor.block().text(): s.format.background().color().name()
        for s in shown_diff.extraSelections()
        if s.format.boolProperty(full)
    }
    assert coloured == {"- b": themes.LIGHT.diff_removed, "+ B": themes.LIGHT.diff_added}
    assert "src/p.py" in texts(view)


def test_the_words_that_differ_stand_out_in_a_changed_line(qtbot: QtBot) -> None:
    old, new = "for i in range(len(rows) - 1):  # 😀 keep\n", "for i in range(len(rows)):  # 😀 keep\n"
    tool = ToolPart(id="t", title="p", kind="edit", status="completed", diffs=(Diff("p", old, new),))
    view = opened(qtbot, message(0, tool))
    click(shown(view, FoldLine)[0])
    assert emphasised(shown(view, DiffView)[0], themes.LIGHT.diff_removed_word) == [" - 1"]
    other = Diff("p", "something else entirely\n", "for i in range(10):\n")
    tool = ToolPart(id="u", title="p", kind="edit", status="completed", diffs=(other,))
    view = opened(qtbot, message(0, tool))
    click(shown(view, FoldLine)[0])
    assert emphasised(shown(view, DiffView)[0], themes.LIGHT.diff_added_word) == []


def emphasised(diff: DiffView, colour: str) -> list[str]:
    selections = [s for s in diff.extraSelections() if s.format.background().color().name() == colour]
    return [selection.cursor.selectedText() for selection in selections]


def test_words_are_marked_in_what_a_tool_gave_and_no_longer_when_the_search_ends(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, RUN), size=(900, 900))
    click(shown(view, FoldLine)[0])
    view.look_for("LINE 3")
    [_, output] = shown(view, CodeText)
    assert [s.cursor.selectedText() for s in output.extraSelections()] == ["line 3"] * 10
    view.look_for("")
    assert not output.extraSelections()


def test_a_running_tool_call_changes_in_place(qtbot: QtBot) -> None:
    running = ToolPart(id="t", title="ls", kind="execute", status="in_progress")
    view = opened(qtbot, message(0, "Looking.", done=False))
    view.apply(delta(0, 1, kind="tool", part=running))
    qtbot.waitUntil(lambda: [w.accessibleName() for w in shown(view, FoldLine)] == ["run ls, running"])
    view.apply(
        delta(0, 1, kind="tool", part=ToolPart(id="t", title="ls", kind="execute", status="completed"))
    )
    qtbot.waitUntil(lambda: [w.accessibleName() for w in shown(view, FoldLine)] == ["run ls, done"])


def test_what_is_measured_before_it_is_shown_is_as_high_as_its_text(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, RUN), size=(900, 900))
    box = CodeText(view)
    look = Look(themes.light(), Writer(themes.light(), Highlighter()))
    heights = [box.show_text("word " * 60, width, look) for width in (900, 500, 300)]
    assert heights == sorted(set(heights))
    box.show()
    assert box.show_text("word " * 60, 300, look) == heights[-1]


def test_text_keeps_its_size_whatever_font_the_window_gets(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, TextPart(text="said")), size=(900, 900))
    [body] = shown(view, Body)
    before = body.document().defaultFont().pointSizeF()
    font = view.font()
    font.setPointSizeF(before * 2)
    view.setFont(font)
    assert body.document().defaultFont().pointSizeF() == before


def test_the_output_of_a_command_grows_where_it_is_read(qtbot: QtBot) -> None:
    lines = [f"line {k}" for k in range(100)]
    running = ToolPart(id="a", title="make", kind="execute", status="in_progress", output="\n".join(lines))
    view = opened(qtbot, message(0, running, done=False), size=(900, 900))
    click(shown(view, FoldLine)[0])
    click(shown(view, QToolButton)[0])
    box = shown(view, CodeText)[-1]
    bar = box.verticalScrollBar()

    def say(line: str) -> None:
        lines.append(line)
        grown = msgspec.structs.replace(running, output="\n".join(lines))
        view.apply(delta(0, 0, kind="tool", part=grown))
        qtbot.waitUntil(lambda: box.toPlainText().endswith(line))

    bar.setValue(20)
    say("one more")
    assert bar.value() == 20
    bar.setValue(bar.maximum())
    say("and another")
    assert bar.value() == bar.maximum()


@pytest.mark.parametrize(
    "output", ["```console\nall\n```js\nx\n```", "````\nall\n```js\nx", "all\n```js\nx\n"]
)
def test_an_output_is_shown_without_the_fence_around_it(qtbot: QtBot, output: str) -> None:
    view = opened(qtbot, message(0, ToolPart(id="a", title="x", output=output)))
    click(shown(view, FoldLine)[0])
    assert shown(view, CodeText)[-1].toPlainText().rstrip() == "all\n```js\nx"


def test_the_places_of_a_tool_call_are_named(qtbot: QtBot) -> None:
    places = (Location(path="src/a.py", line=40), Location(path="src/b.py"))
    view = opened(qtbot, message(0, ToolPart(id="t", title="read", kind="read", locations=places)))
    click(shown(view, FoldLine)[0])
    assert "src/a.py:40\nsrc/b.py" in texts(view)


def test_a_plan_is_a_checklist_that_updates_in_place(qtbot: QtBot) -> None:
    first = PlanPart(entries=(PlanEntry(content="look"), PlanEntry(content="mend")))
    view = opened(qtbot, message(0, first, done=False))
    assert "Plan · 0 of 2" in texts(view)
    later = PlanPart(entries=(PlanEntry(content="look", status="completed"), PlanEntry(content="mend")))
    view.apply(delta(0, 0, kind="plan", part=later))
    qtbot.waitUntil(lambda: "Plan · 1 of 2" in texts(view))
    assert texts(view).count("look") == 1
    assert "look, done" in [label.accessibleName() for label in shown(view, QLabel)]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"code": "agent-joined"}, "Mini Me joined"),
        ({"code": "agent-left"}, "Mini Me left"),
        ({"code": "no-recipient"}, "Nobody was addressed. Mention an agent with @ to get an answer."),
        ({"code": "agent-unavailable", "error": "exit 1"}, "Mini Me is not available: exit 1"),
        ({"code": "notice", "error": "No metadata"}, "Mini Me: No metadata"),
    ],
)
def test_what_happened_in_the_channel_is_said(qtbot: QtBot, fields: dict[str, object], sentence: str) -> None:
    view = opened(qtbot, message(0, role="system", **fields))
    assert sentence in texts(view)


def test_an_error_stands_where_it_happened_with_the_way_out(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, "Let me", error="the process ended (exit 1)"))
    assert "Mini Me could not finish: the process ended (exit 1)" in texts(view)
    buttons = {button.text(): button for button in shown(view, QToolButton)}
    with qtbot.waitSignal(view.retry_requested) as retried:
        click(buttons["Retry"])
    with qtbot.waitSignal(view.logs_requested) as logs:
        click(buttons["Show logs"])
    assert retried.args == [message_id(0), "mm"]
    assert logs.args == ["mm"]


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ("cancelled", "Stopped."),
        ("max_tokens", "The answer reached the model's limit and was cut off."),
        ("max_turn_requests", "Mini Me stopped after the most steps one turn may take."),
        ("refusal", "Mini Me refused to answer this."),
    ],
)
def test_an_answer_that_did_not_simply_end_says_why(qtbot: QtBot, reason: str, sentence: str) -> None:
    view = opened(qtbot, message(0, "Well", stop_reason=reason))
    assert sentence in texts(view)


def test_an_answer_that_simply_ended_says_nothing_about_it(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, "Well", stop_reason="end_turn"))
    assert not shown(view, QToolButton)


def test_a_queued_message_says_so_until_it_is_sent_or_dropped(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, "wait", role="user", queued=True))
    assert "queued" in texts(view)
    sent = events.MessageUpdated(channel="c", message=message(0, "wait", role="user"))
    view.apply(sent)
    qtbot.waitUntil(lambda: "queued" not in texts(view))
    dropped = message(0, "wait", role="user", queued=True, error="cancelled")
    view.apply(events.MessageUpdated(channel="c", message=dropped))
    qtbot.waitUntil(lambda: "Dropped by Stop" in texts(view))
    retry = next(button for button in shown(view, QToolButton) if button.text() == "Retry")
    with qtbot.waitSignal(view.retry_requested) as asked:
        click(retry)
    assert asked.args == [message_id(0), ""]


def test_each_day_begins_with_its_name(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, "a"), message(1, "b"), message(2 * 24 * 60, "c"))
    days = [line for line in texts(view).split("\n") if re.match(r"Monday 30 Nov|Wednesday 2 Dec", line)]
    assert len(set(days)) == 2


def test_a_day_of_another_year_is_named_with_it(qtbot: QtBot) -> None:
    old = message(0, "a", created_at=datetime(2019, 3, 1, 12, tzinfo=UTC))
    new = message(1, "b", created_at=datetime.now(tz=UTC))
    said = texts(opened(qtbot, old, new))
    assert "Friday 1 March 2019" in said
    assert str(datetime.now(tz=UTC).year) not in said


def test_a_finished_message_replaces_what_was_streamed(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, done=False))
    view.apply(delta(0, 0, kind="text", text="Hel"))
    view.apply(delta(0, 0, kind="text", text="lo"))
    qtbot.waitUntil(lambda: "Hello" in texts(view))
    view.apply(events.MessageUpdated(channel="c", message=message(0, TextPart(text="Hello, world"))))
    qtbot.waitUntil(lambda: "Hello, world" in texts(view))
    assert texts(view).count("Hello") == 1
    assert "answering" not in texts(view)


def test_other_channels_change_nothing(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, "mine"))
    other = message(1, "theirs", channel="other")
    view.apply(events.MessageUpdated(channel="other", message=other))
    view.apply(events.MessageUpdated(channel="c", message=message(2, "mine too")))
    qtbot.waitUntil(lambda: "mine too" in texts(view))
    assert "theirs" not in texts(view)


def test_zoom_makes_everything_larger_at_once(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, "text"), message(1, RUN))
    small = (shown(view, Body)[0].height(), shown(view, FoldLine)[0].height())
    view.set_theme(themes.light(2))
    large = (shown(view, Body)[0].height(), shown(view, FoldLine)[0].height())
    assert large[0] > 1.7 * small[0]
    assert large[1] == 2 * small[1]


def test_the_column_is_centred_and_no_wider_than_meant(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, "text"), size=(1600, 500))
    body = shown(view, Body)[0]
    left = body.mapTo(view.viewport(), QPoint()).x() - 28
    assert body.width() + 28 == 860
    assert abs(left - (view.viewport().width() - 860) // 2) <= 1


def test_an_image_is_shown_no_wider_than_the_column_and_a_click_asks_for_it_large(qtbot: QtBot) -> None:
    image = ImagePart(mime_type="image/png", data=png(2_000, 500), name="shot.png")
    view = opened(qtbot, message(0, "look", image, role="user"))
    picture = shown(view, Picture)[0]
    assert picture.accessibleName() == "Image: shot.png"
    assert picture.height() == pytest.approx(picture.width() / 4, abs=1)
    assert "#336699" in pixels(view)
    with qtbot.waitSignal(view.picture_requested) as asked:
        click(picture)
    assert asked.args == [image]


def test_the_images_that_a_tool_gave_unfold_with_it(qtbot: QtBot) -> None:
    image = ImagePart(mime_type="image/png", data=png(40, 40))
    view = opened(qtbot, message(0, ToolPart(id="a", title="screenshot", images=(image,), output="ok")))
    assert not shown(view, Picture)
    click(shown(view, FoldLine)[0])
    assert len(shown(view, Picture)) == 1


@pytest.mark.parametrize("data", [b"", b"no image", b"<svg xmlns='http://www.w3.org/2000/svg'/>"])
def test_what_is_no_image_of_pixels_is_named(qtbot: QtBot, data: bytes) -> None:
    view = opened(qtbot, message(0, ImagePart(mime_type="image/png", data=data, name="odd")))
    assert shown(view, Picture)[0].text() == "odd cannot be shown"


def test_an_image_is_shown_large_in_the_window(qtbot: QtBot) -> None:
    window = QWidget()
    keep(qtbot, window)
    window.resize(900, 600)
    dialog = PictureDialog(ImagePart(mime_type="image/png", data=png(300, 200)), themes.light(), window)
    dialog.open()
    image = dialog.findChild(QScrollArea).widget()
    assert isinstance(image, QLabel)
    assert image.pixmap().width() == 300 * dialog.devicePixelRatioF()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_a_message_left_without_an_answer_can_be_sent_again(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, "Please answer.", role="user"))
    assert "This message was not answered." in texts(view)
    retry = next(button for button in shown(view, QToolButton) if button.text() == "Retry")
    with qtbot.waitSignal(view.retry_requested) as asked:
        click(retry)
    assert asked.args == [message_id(0), ""]
    busy = events.TurnChanged(channel="c", busy=True, queued=0, answering="mm")
    view.apply(busy)
    qtbot.waitUntil(lambda: "not answered" not in texts(view))


def test_an_agent_that_is_not_available_leads_to_its_settings_and_is_asked_again(qtbot: QtBot) -> None:
    gone = message(0, role="system", code="agent-unavailable", error="no such command")
    view = opened(qtbot, gone)
    again = next(button for button in shown(view, QToolButton) if button.text() == "Retry")
    with qtbot.waitSignal(view.retry_requested) as retried:
        click(again)
    assert retried.args == [message_id(0), "mm"]
    button = next(button for button in shown(view, QToolButton) if button.text() == "Open settings")
    with qtbot.waitSignal(view.settings_requested) as asked:
        click(button)
    assert asked.args == ["mm"]


def test_a_link_says_where_it_leads_while_it_is_pointed_at(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, "see [example.org](https://evil.example/x\u200by) now"))
    body = body_with(view, "example.org")
    QTest.mouseMove(body.viewport(), point_at(body, "example"))
    qtbot.waitUntil(lambda: "https://evil.example/x⟨U+200B⟩y" in texts(view))
    QTest.mouseMove(body.viewport(), point_at(body, "now"))
    qtbot.waitUntil(lambda: "evil" not in texts(view))


def test_code_that_is_a_link_looks_like_one(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, "[`parser`](https://example.org)"))
    block = body_with(view, "parser").document().begin()
    assert block.layout().formats()[0].format.foreground().color().name() == themes.LIGHT.accent


def test_the_time_of_a_message_says_its_date(qtbot: QtBot) -> None:
    view = opened(qtbot, message(0, "hello"))
    tips = [label.toolTip() for label in shown(view, QLabel)]
    assert any("Monday 30 November 2026" in tip for tip in tips)
