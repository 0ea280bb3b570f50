"""The figure that is judged: that of the closed loop only if gauge was its own limit and the servers' cores were full.
"""

from types import SimpleNamespace

import gauge
import throughput


def measure(monkeypatch, gauge_cores, full):
    """The figures of a line with these runs. `full` says for each turn whether both servers filled their core."""
    step = {"held": True, "self_cpu": gauge_cores, "server_cpu": 0.5, "p99": 3.0}
    monkeypatch.setattr(gauge, "maximum", lambda *_: {"rate": 100.0, "steps": [step]})
    comparison = throughput.Comparison("pairs", gauge.Pairs(), "signal", 0.65)
    monkeypatch.setattr(comparison, "at_rate", lambda *_: step)
    monkeypatch.setattr(comparison.latency, "run", lambda *_: {"p99": 3.0, "lateP99": 0.1, "busy": 0.5})
    turns = iter(full)

    def turn(_, sides, found):
        is_full = next(turns)
        comparison.loop.turns.append({side: {
            "deliveriesPerServerSecond": 70.0 if side == "roost" else 100.0, "serverCores": 1.0 if is_full else 0.8,
            "serverFull": is_full} for side in sides})

    monkeypatch.setattr(comparison.loop, "measure", turn)
    small = SimpleNamespace(has_yardstick=True, runs=len(full))
    found = comparison.measure(small)
    judged = [figure for figure in found.figures if figure.unit == "ratio" and figure.at_least is not None]
    assert len(judged) == 1
    return judged[0], found


def test_the_closed_loop_judges_where_gauge_is_its_own_limit(monkeypatch):
    judged, found = measure(monkeypatch, gauge_cores=1.0, full=[True, True, True])
    assert judged.words == "of the ceiling's, closed loop, both servers' core full"
    assert judged.values == [0.7, 0.7, 0.7]
    assert "the bar is judged by the closed loop" in found.notes


def test_gauge_judges_where_the_servers_are_the_limit(monkeypatch):
    judged, found = measure(monkeypatch, gauge_cores=0.6, full=[True, True, True])
    assert judged.words == "of the ceiling's, open loop"
    assert "the bar is judged by the open loop" in found.notes


def test_disturbed_turns_are_left_out_and_noted(monkeypatch):
    judged, found = measure(monkeypatch, gauge_cores=1.0, full=[True, False, True])
    assert judged.values == [0.7, 0.7]
    assert any("1 of 3 turns of the closed loop prove nothing" in note for note in found.notes)


def test_gauge_judges_where_most_turns_were_disturbed(monkeypatch):
    judged, found = measure(monkeypatch, gauge_cores=1.0, full=[True, False, False])
    assert judged.words == "of the ceiling's, open loop"
    assert any("didn't fill both servers' core" in note for note in found.notes)
