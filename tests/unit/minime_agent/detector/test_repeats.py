from __future__ import annotations

from minime_agent.detector.repeats import RepeatDetector


def test_warns_at_three_and_gives_up_at_six() -> None:
    detector = RepeatDetector()
    verdicts = [detector.observe("bash", "{}", "x") for _ in range(6)]
    assert verdicts == ["fine", "fine", "repeated", "repeated", "repeated", "stuck"]


def test_anything_else_starts_anew() -> None:
    for change in (("plan", "{}", "x"), ("bash", "{1}", "x"), ("bash", "{}", "y")):
        detector = RepeatDetector()
        detector.observe("bash", "{}", "x")
        detector.observe("bash", "{}", "x")
        assert detector.observe(*change) == "fine"
        assert detector.observe("bash", "{}", "x") == "fine"


def test_a_cycle_of_three_counts_as_a_whole() -> None:
    detector = RepeatDetector()
    verdicts = [detector.observe("bash", word, "x") for word in "abc" * 6]
    assert verdicts == ["fine"] * 8 + ["repeated"] * 9 + ["stuck"]


def test_refusals_of_one_file_in_other_words_are_one() -> None:
    detector = RepeatDetector()
    for number in range(2):
        detector.observe(
            "edit_file", f"{number}", f"[error: line {number} 'x{number}'\nmore", refused_path="/a"
        )
    verdict = detector.observe("edit_file", "2", "[error: line 7 'y'\nother", refused_path="/a")
    assert verdict == "repeated"
    assert detector.observe("edit_file", "2", "[error: line 7 'y'\nother", refused_path="/b") == "fine"


def test_blanks_and_the_order_of_keys_make_no_other_call() -> None:
    detector = RepeatDetector()
    ways = ('{"a": 1, "b": 2}', '{"b":2,"a":1}', '{"a":1,\n"b":2}')
    assert [detector.observe("bash", way, "x") for way in ways] == ["fine", "fine", "repeated"]


def test_a_plan_that_advances_and_a_command_whose_output_changes_are_work() -> None:
    detector = RepeatDetector()
    for number in range(12):
        assert detector.observe("plan", f'{{"done": {number}}}', "[plan updated]") == "fine"
        assert detector.observe("bash", '{"command": "make"}', f"{number} failures") == "fine"
