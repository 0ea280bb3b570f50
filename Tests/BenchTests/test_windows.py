"""The number of messages that the closed loop keeps in flight: signals may be lost if there are too many, stored
messages never.
"""

import contextlib

import pytest

import closed_loop
import gauge
from findings import Findings
from saturate import Lost


def run(monkeypatch, kind, side, held):
    """One run against servers that can take windows up to `held`. Returns the windows that were tried, and the
    notes."""
    asked, found = [], Findings()

    def saturate(bench, server, shape, windows, *_):
        asked.append(max(windows))
        if max(windows) > held:
            raise Lost("reader 0 got message 2 where 1 was to come")
        return {"serverFull": True}

    monkeypatch.setattr(closed_loop, "run", saturate)
    for server in ["Ceiling", "Relay"]:
        monkeypatch.setattr(f"saturate.{server}", lambda *_, **__: contextlib.nullcontext())
    closed_loop.ClosedLoop(gauge.FanOut(), kind).run(None, side, found)
    return asked, found.notes


def test_a_window_that_loses_signals_is_left_out_and_noted(monkeypatch):
    asked, notes = run(monkeypatch, "signal", "roost", held=400)
    assert asked == [800, 400]
    assert len(notes) == 1
    assert "lost signals" in notes[0]


@pytest.mark.parametrize(("kind", "side", "held"), [("send", "roost", 400), ("signal", "ceiling", 400),
                                                    ("signal", "roost", 0)])
def test_any_other_loss_is_a_failure(monkeypatch, kind, side, held):
    with pytest.raises(Lost):
        run(monkeypatch, kind, side, held)
