"""Measures what presence costs messages, and how its cost falls as more changes."""

import harness
from findings import FULL, Figure, Findings, Line

RATIO_MAX, PRESENCE_MS = 1.2, 100
WATCHING = harness.WATCHERS
# The same people and messages, but users watch only the partners of their direct conversations.
UNWATCHED = "presence-unwatched"
# The same watchers; everybody comes and goes twice as rarely, and twice as often.
SLOWER, FASTER = "presence-slower", "presence-faster"
NEVER = ["lost", "duplicated", "reordered", "ghost", "absent"]


def frames_per_change(report):
    counts = report.counts
    return counts["presenceFrames"] / max(1, counts["presences"])


def measure_presence(bench):
    found = Findings()
    scenarios = [UNWATCHED, WATCHING] if bench.quick else [UNWATCHED, WATCHING, SLOWER, FASTER]
    reports = {str(scenario): [] for scenario in scenarios}
    for turn in range(bench.runs):
        for scenario in scenarios:
            report = harness.run(bench, scenario, "--seed", turn + 1)
            reports[str(scenario)].append(report)
            for warning in report.warnings:
                found.note(f"{getattr(scenario, 'stem', scenario)}: {warning}")
            found.raw.append({
                "scenario": report.data["scenario"]["name"], "faults": report.faults, "counts": report.counts,
                "cpuSeconds": report.cost.get("cpuSeconds"), "bytesPerSession": report.cost.get("bytesPerSession"),
                "harness": report.harness_cores})
    without, watching = reports[UNWATCHED], reports[str(WATCHING)]
    p99 = {name: [report.percentile("delivery", 99) for report in reports[name]] for name in reports}
    found.figures = [
        Figure("messages' p99 beside 50 watched users each, by that without", "ratio",
               [one / other for one, other in zip(p99[str(WATCHING)], p99[UNWATCHED])], at_most=RATIO_MAX,
               durability=FULL),
        Figure("messages' p99 without watching", "ms", p99[UNWATCHED], durability=FULL),
        Figure("from a change to a watcher, p99", "ms", [report.percentile("presence", 99) for report in watching],
               at_most=PRESENCE_MS, durability=FULL),
        Figure("ghosts, users not shown, messages lost, doubled or reordered", "", [
            sum(report.faults.get(fault, 0) for fault in NEVER) for every in reports.values() for report in every],
               at_most=0, durability=FULL),
        *(Figure(f"server's CPU {words}", "s", [report.cost["cpuSeconds"] for report in of], durability=FULL)
          for words, of in (("without watching", without), ("with 50 watched users each", watching))),
        *(Figure(f"memory of a session {words}", "bytes", [report.cost["bytesPerSession"] for report in of],
                 durability=FULL)
          for words, of in (("without watching", without), ("with 50 watched users each", watching)))]
    if not bench.quick:
        found.figures += [
            Figure(f"frames for each told state, {words}", "",
                   [frames_per_change(one) for one in reports[str(name)]], durability=FULL)
            for name, words in ((SLOWER, "250 changes/s"), (WATCHING, "500 changes/s"), (FASTER, "1,000 changes/s"))]
    return found


LINES = [
    Line("presence", "presence of 5,000 users with 50 watchers each", "roost-load connects 5,000 users who come and "
         "go, 500 changes a second, of whom each watches 50, while 500 messages/s are sent; and the same without "
         "watching. A frame may tell several states.", measure_presence, ("roost-load",)),
]
