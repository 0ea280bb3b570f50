"""The bench's line on presence: the ratio to a run without watching, and the faults that count."""

from types import SimpleNamespace

import harness
import presence


def report(name, delivery_ms, frames, faults=None):
    one = {"values": [1_000_000, int(delivery_ms * 1e6)], "counts": [1, 1]}
    return harness.Report({
        "verdict": harness.HELD, "reasons": [], "scenario": {"name": name}, "thresholds": [],
        "cost": {"cpuSeconds": 3, "bytesPerSession": 9_000},
        "result": {
            "counts": {"presenceFrames": frames, "presences": 1_000}, "health": {"cpuShare": 0.5},
            "faults": {"counts": faults or {}}, "corrected": {"delivery": one, "presence": one}}})


def measure(monkeypatch, watched_ms, faults=None):
    def run(bench, scenario, *_):
        name = getattr(scenario, "stem", scenario)
        if name == presence.UNWATCHED:
            return report(name, 10, 100)
        return report(name, watched_ms, 500, faults)

    monkeypatch.setattr(harness, "run", run)
    found = presence.measure_presence(SimpleNamespace(quick=False, runs=2))
    return {figure.words: figure for figure in found.figures}, found


def test_messages_that_hardly_notice_meet_the_bar(monkeypatch):
    figures, found = measure(monkeypatch, 11)
    assert all(figure.holds is not False for figure in figures.values()), figures
    assert figures["messages' p99 beside 50 watched users each, by that without"].values == [1.1] * 2
    assert figures["frames for each told state, 500 changes/s"].values == [0.5] * 2
    assert len(found.raw) == 8


def test_messages_that_wait_for_presence_miss_it(monkeypatch):
    figures, _ = measure(monkeypatch, 13)
    assert [words for words, figure in figures.items() if figure.holds is False] == [
        "messages' p99 beside 50 watched users each, by that without"]


def test_one_ghost_misses_it(monkeypatch):
    figures, _ = measure(monkeypatch, 11, {"ghost": 1, "gap": 3})
    assert [words for words, figure in figures.items() if figure.holds is False] == [
        "ghosts, users not shown, messages lost, doubled or reordered"]


def test_variants_differ_in_nothing_else():
    """Otherwise the ratio compares something else."""
    watching = set(presence.WATCHING.read_text().splitlines())
    for name, changed in ((presence.UNWATCHED, {"watch: 50", "  presence_p99_ms: 100"}), (presence.SLOWER, 1),
                          (presence.FASTER, 1)):
        missing = watching - set(harness.variant(name).splitlines())
        assert missing == changed or changed == 1 and len(missing) == 1 and "visitor" in missing.pop(), name


def test_every_variant_can_be_made():
    assert "{count: 1, members: 10000}" in harness.variant("members-10000")
    assert "rate: 50\n" in harness.variant("members-1000") and "rate: 500\n" in harness.variant("members-100")
    assert "stalls" not in harness.variant("slow-reading").split("about:")[1].split("users:")[1]
    for name in harness.VARIANTS:
        assert not (harness.SCENARIOS / f"{name}.yaml").exists(), name
