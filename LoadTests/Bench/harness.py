"""Runs roost-load, which starts a relay of its own, and reads its reports."""

import json
import os
import pathlib

from failure import BenchFailure
from processes import inherited

SCENARIOS = pathlib.Path(__file__).resolve().parent / "scenarios"
# Those of roost-load itself.
LIBRARY = SCENARIOS.parents[1] / "Scenarios"
WATCHERS = LIBRARY / "presence-watchers.yaml"
COMINGS = "present: 10, away: 10"
# Scenarios that are another one with some words replaced, so that they can't differ in anything else.
VARIANTS = {
    # Only the partners of direct conversations get presence.
    "presence-unwatched": (WATCHERS, {"watch: 50\n": "", "  presence_p99_ms: 100\n": ""}),
    "presence-slower": (WATCHERS, {COMINGS: "present: 20, away: 20"}),
    "presence-faster": (WATCHERS, {COMINGS: "present: 5, away: 5"}),
    "slow-reading": (SCENARIOS / "slow-stalled.yaml", {", stalls_after: 1, stalls_for: 22": ""}),
    **{f"members-{size}": (SCENARIOS / "members-10.yaml", {
        "{count: 1000, members: 10}": f"{{count: {10_000 // size}, members: {size}}}",
        "rate: 5000": f"rate: {50_000 // size}"}) for size in (100, 1_000, 10_000)}}
HELD, BROKEN, FAILED, INVALID = range(4)
# The seconds that a run takes besides the load: connecting, settling, checking and stopping.
AROUND_SECONDS = 240
STEPS_MAX = 24


class Report:
    """One run's report.json."""

    def __init__(self, data):
        self.data = data
        self.verdict = data["verdict"]
        self.counts = data["result"]["counts"]
        self.cost = data.get("cost") or {}
        self.harness_cores = data["result"]["health"]["cpuShare"]

    def percentile(self, kind, percent):
        """Corrected latency in milliseconds."""
        measured = self.data["result"]["corrected"].get(kind)
        if not measured:
            raise BenchFailure(f"roost-load measured no {kind}")
        return percentile(measured, percent) / 1e6

    def threshold(self, name):
        """The measured figure of one of the scenario's thresholds; infinite if what it measures never ended."""
        for judged in self.data["thresholds"]:
            if judged["threshold"]["figure"] == name:
                return float(judged.get("actual", "inf"))
        raise BenchFailure(f"{self.data['scenario']['name']} has no threshold {name}")

    @property
    def warnings(self):
        """Returns the reasons to doubt the run."""
        words = {BROKEN: "broken", INVALID: "invalid"}.get(self.verdict)
        return [f"roost-load says {words}: {'; '.join(self.data['reasons'])}"] if words else []

    @property
    def faults(self):
        """Returns the number of each kind of fault that occurred."""
        return self.data["result"]["faults"]["counts"]


def run(bench, scenario, *flags):
    """Runs one scenario of this folder, or of a path, against a fresh relay with durability `full`, pinned as
    everything is."""
    path = scenario if isinstance(scenario, pathlib.Path) else SCENARIOS / f"{scenario}.yaml"
    out = bench.new_folder(f"load-{path.stem}")
    if scenario in VARIANTS:
        path = out / f"{scenario}.yaml"
        path.write_text(variant(scenario))
    text = call(
        bench, ["run", path, "--pin", "--durability", "full", "--quiet",
                "--roost", bench.roost, "--out", out, *flags], AROUND_SECONDS + 120)
    return read(out / "report.json", text)


def variant(name):
    base, changes = VARIANTS[name]
    text = base.read_text()
    for old, new in changes.items():
        if text.count(old) != 1:
            raise BenchFailure(f"{base.name} doesn't have '{old.strip()}' once")
        text = text.replace(old, new)
    return text


def knee(bench, scenario, start, *flags):
    """The highest rate that holds the scenario's thresholds, and the report at half of it."""
    out = bench.new_folder(f"knee-{scenario}")
    text = call(
        bench, ["knee", SCENARIOS / f"{scenario}.yaml", "--pin", "--durability", "full", "--quiet",
                "--roost", bench.roost, "--out", out, "--from", f"{start:.0f}", *flags], STEPS_MAX * 60)
    if not (out / "knee.json").exists():
        raise BenchFailure(f"roost-load found no knee: {text[-300:]}")
    found = json.loads((out / "knee.json").read_text())
    if not found.get("rate"):
        raise BenchFailure(f"no rate held: {text[-300:]}")
    return found


def call(bench, words, seconds):
    # Pinning is roost-load's own: it may use both cores until then. Its relay's store lies where ours do.
    environment = {**inherited(), "TMPDIR": str(bench.folder)}
    cores = f"0-{os.cpu_count() - 1}"
    code, text = bench.processes.run([bench.roost_load, *words], cores, seconds, environment=environment)
    if code == FAILED:
        raise BenchFailure(f"roost-load: {text.strip()[-300:]}")
    return text


def read(path, text):
    if not path.exists():
        raise BenchFailure(f"roost-load wrote no report: {text.strip()[-300:]}")
    return Report(json.loads(path.read_text()))


def percentile(distribution, percent):
    """Returns a percentile of a distribution as reports store it: values, and how often each occurred."""
    wanted, passed = sum(distribution["counts"]) * percent / 100, 0
    for value, count in zip(distribution["values"], distribution["counts"]):
        passed += count
        if passed >= wanted:
            return value
    return 0
