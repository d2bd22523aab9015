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
