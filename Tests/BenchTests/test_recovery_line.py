"""The bench's line on storms: the bounds, and disturbances that never end."""

from types import SimpleNamespace

import harness
import recovery


def report(scenario, recovered, faults=None):
    judged = {"recovery_seconds": recovered, "live_seconds": 0.5, "behind_sessions": 0}
    return harness.Report({
        "verdict": harness.HELD, "reasons": [], "scenario": {"name": scenario},
        "result": {
            "counts": {}, "health": {"cpuShare": 0.5}, "disturbances": [], "faults": {"counts": faults or {}},
            "corrected": {"bystander": {"values": [1_000_000, 90_000_000], "counts": [1, 1]}}},
        "thresholds": [{"threshold": {"figure": name}, "actual": value} for name, value in judged.items()]})


def measure(monkeypatch, reports):
    monkeypatch.setattr(harness, "run", lambda bench, path, *_: reports(path.stem))
    found = recovery.measure_recovery(SimpleNamespace(quick=False, runs=3))
    return {figure.words: figure for figure in found.figures}, found


def test_a_relay_that_recovers_meets_the_bar(monkeypatch):
    figures, found = measure(monkeypatch, lambda name: report(name, 3.5))
    assert all(figure.holds for figure in figures.values()), figures
    assert figures["storm-under-load: recovery, from the last `welcome`"].values == [3.5] * 3
    assert figures["p99 of bystanders in a storm of 9,800"].median == 90
    assert len(found.raw) == 3 * len(recovery.SCENARIOS)


def test_a_relay_that_never_recovers_misses_it(monkeypatch):
    figures, _ = measure(monkeypatch, lambda name: report(name, "inf" if name == "overload" else 3.5))
    missed = [words for words, figure in figures.items() if not figure.holds]
    assert missed == ["overload: recovery, from the last `welcome`"]


def test_one_message_that_comes_back_misses_it(monkeypatch):
    figures, _ = measure(monkeypatch, lambda name: report(name, 3.5, {"own_returned": 1, "gap": 5}))
    assert [words for words, figure in figures.items() if not figure.holds] == [
        "lost, doubled, reordered or sent back to their sender"]


def test_every_scenario_of_the_line_has_its_bounds():
    for name in recovery.SCENARIOS:
        text = (harness.LIBRARY / f"{name}.yaml").read_text()
        for figure in ("recovery_seconds: 10", "live_seconds: 5", "behind_sessions: 0", "own_returned: 0"):
            assert figure in text, (name, figure)
