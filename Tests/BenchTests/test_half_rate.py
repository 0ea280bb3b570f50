"""Latency at half of Roost's highest rate: which tool measures it, which figure is judged, and what is noted beside
it."""

from types import SimpleNamespace

import pytest

import gauge
import harness
import throughput
from closed_loop import ClosedLoop
from open_loop import OpenLoop
from saturate import Lost

BENCH = SimpleNamespace(has_yardstick=True, runs=3, ramp_seconds=1)
HIGHEST = 100.0
BAR, CEILING, LATE = ("p99 at half of Roost's highest rate", "p99 of the ceiling at that rate",
                      "the generator was late by (p99)")
PUNCTUAL = {"p99": 4.0, "lateP99": 0.1, "busy": 0.5}


@pytest.fixture
def asked(monkeypatch):
    """Returns the rates that saturate was asked for, by side. Nothing else is run."""
    step = {"held": True, "self_cpu": 0.5, "server_cpu": 0.95, "p99": 30.0}
    monkeypatch.setattr(gauge, "maximum", lambda *_: {"rate": HIGHEST, "steps": [step]})
    monkeypatch.setattr(throughput.Comparison, "at_rate", lambda *_: step)
    monkeypatch.setattr(ClosedLoop, "measure", lambda *_: None)
    monkeypatch.setattr(harness, "knee", lambda *_: {"rate": HIGHEST, "half": {"deliveryP99": 30.0}})
    return []


def saturate(monkeypatch, asked, roost, ceiling=PUNCTUAL):
    """`roost` has the results of its turns in order; a `Lost` is raised."""
    turns = iter(roost)

    def run(loop, bench, side, rate):
        asked.append((side, rate, loop.kind, loop.ack))
        step = next(turns) if side == "roost" else ceiling
        if isinstance(step, Lost):
            raise step
        return step

    monkeypatch.setattr(OpenLoop, "run", run)


def pairs(kind="signal"):
    found = throughput.Comparison("pairs", gauge.Pairs(), kind, 0.65).measure(BENCH)
    return found, {figure.words: figure for figure in found.figures}


def late(p99, late_p99, busy=0.5):
    return {"p99": p99, "lateP99": late_p99, "busy": busy}


def test_the_bar_applies_to_the_figure_of_saturate(monkeypatch, asked):
    saturate(monkeypatch, asked, [late(4.0, 0.1), late(5.0, 0.2), late(6.0, 0.3)], ceiling=late(2.0, 0.1))
    found, figures = pairs()
    assert (figures[BAR].values, figures[BAR].at_most, figures[BAR].holds) == ([4.0, 5.0, 6.0], 10, True)
    assert figures[CEILING].values == [2.0] * 3
    assert figures[LATE].values == [0.1, 0.2, 0.3]
    assert [figure.words for figure in found.figures if figure.at_most is not None] == [BAR]
    assert not any("saturate" in note for note in found.notes)


def test_both_servers_get_half_of_the_rate_in_turns(monkeypatch, asked):
    saturate(monkeypatch, asked, [PUNCTUAL] * 3)
    pairs()
    assert [side for side, *_ in asked] == ["ceiling", "roost", "roost", "ceiling", "ceiling", "roost"]
    assert {tuple(more) for _, *more in asked} == {(HIGHEST / 2, "signal", False)}


def test_the_figure_of_gauge_is_shown_without_a_bar(monkeypatch, asked):
    saturate(monkeypatch, asked, [PUNCTUAL] * 3)
    _, figures = pairs()
    for words in [f"{BAR}, by gauge", f"{CEILING}, by gauge"]:
        assert (figures[words].values, figures[words].at_most) == ([30.0] * 3, None)


@pytest.mark.parametrize(("steps", "words"), [
    ([late(4.0, 2.5), late(4.0, 3.5), late(4.0, 0.1)], "busy for 0.50 of the time, and late by 2.50 ms"),
    ([late(4.0, 0.1, 0.98), late(4.0, 0.2, 0.99), late(4.0, 0.3)], "busy for 0.98 of the time, and late by 0.20 ms"),
])
def test_a_generator_that_was_its_own_limit_is_noted(monkeypatch, asked, steps, words):
    saturate(monkeypatch, asked, steps)
    found, _ = pairs()
    notes = [note for note in found.notes if "saturate was its own limit" in note]
    assert len(notes) == 1
    assert "own limit with Roost" in notes[0]
    assert words in notes[0]


def test_a_single_such_turn_is_not_noted(monkeypatch, asked):
    saturate(monkeypatch, asked, [late(4.0, 2.5), PUNCTUAL, PUNCTUAL])
    found, _ = pairs()
    assert not any("saturate was its own limit" in note for note in found.notes)


def test_the_same_holds_for_the_ceiling(monkeypatch, asked):
    saturate(monkeypatch, asked, [PUNCTUAL] * 3, ceiling=late(4.0, 2.5))
    found, _ = pairs()
    assert any("own limit with the ceiling" in note for note in found.notes)


def test_turns_that_lost_signals_have_no_figure_and_are_noted(monkeypatch, asked):
    saturate(monkeypatch, asked, [PUNCTUAL, Lost("reader 0"), PUNCTUAL])
    found, figures = pairs()
    assert (figures[BAR].values, figures[BAR].at_most) == ([4.0, 4.0], 10)
    assert any("lost signals at half of its highest rate in 1 of 3 turns" in note for note in found.notes)
    assert any(raw.get("lost") == "reader 0" for raw in found.raw)


def test_nothing_is_judged_if_most_turns_lost_signals(monkeypatch, asked):
    saturate(monkeypatch, asked, [Lost("reader 0"), Lost("reader 0"), PUNCTUAL])
    found, figures = pairs()
    assert (figures[BAR].values, figures[BAR].at_most) == ([4.0], None)
    assert any("in 2 of 3 turns, which have no p99, so the bar of p99 isn't judged" in note for note in found.notes)


def test_a_lost_message_is_a_failure(monkeypatch, asked):
    saturate(monkeypatch, asked, [Lost("reader 0")])
    with pytest.raises(Lost):
        pairs(kind="send")


def test_pairs_that_ack_are_measured_at_half_of_the_knee(monkeypatch, asked):
    saturate(monkeypatch, asked, [PUNCTUAL] * 3)
    found = throughput.AckingPairs().measure(BENCH)
    figures = {figure.words: figure for figure in found.figures}
    assert {tuple(more) for _, *more in asked} == {(HIGHEST / 2, "send", True)}
    assert (figures[BAR].values, figures[BAR].at_most) == ([4.0] * 3, 10)
    assert (figures[f"{BAR}, by roost-load"].values, figures[f"{BAR}, by roost-load"].at_most) == ([30.0] * 3, None)


def test_without_a_yardstick_roost_load_has_the_bar(monkeypatch, asked):
    monkeypatch.setattr(BENCH, "has_yardstick", False)
    figures = {figure.words: figure for figure in throughput.AckingPairs().measure(BENCH).figures}
    assert BAR not in figures
    assert figures[f"{BAR}, by roost-load"].at_most == 10
