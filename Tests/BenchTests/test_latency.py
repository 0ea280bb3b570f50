"""Unloaded latency: saturate measures both servers in turns, and its figures are judged."""

from types import SimpleNamespace

import harness
import latency
import saturate

BENCH = SimpleNamespace(runs=3, seconds=1)
REPORT = SimpleNamespace(warnings=["late"], counts={}, percentile=lambda *_: 30.0)


def test_saturate_is_judged_and_roost_load_is_only_shown(monkeypatch):
    asked = []

    def run_fresh(bench, side, run, shape, rate, seconds, kind, ack):
        asked.append((side, shape.count, rate, seconds, kind, ack))
        return {"p50": 0.8, "p99": 4.0 if side == "roost" else 1.0, "lateP99": 0.1}

    monkeypatch.setattr(saturate, "run_fresh", run_fresh)
    monkeypatch.setattr(harness, "run", lambda *_: REPORT)
    found = latency.measure(BENCH)
    figures = {figure.words: figure for figure in found.figures}
    assert [figure.words for figure in found.figures if figure.at_most is not None] == ["p50", "p99"]
    assert (figures["p50"].values, figures["p50"].at_most) == ([0.8] * 3, 1)
    assert (figures["p99"].values, figures["p99"].at_most) == ([4.0] * 3, 5)
    assert figures["p99 of the ceiling"].values == [1.0] * 3
    assert figures["p99, by roost-load"].values == [30.0] * 3
    assert [ask[0] for ask in asked] == ["ceiling", "roost", "roost", "ceiling", "ceiling", "roost"]
    assert {ask[1:] for ask in asked} == {(1, latency.RATE, 4, "send", True)}
    assert "late" in found.notes
