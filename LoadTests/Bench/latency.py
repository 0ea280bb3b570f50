"""How long a durable message between two people takes when nothing else is going on."""

import harness
from findings import FULL, Figure, Findings, Line


def measure(bench):
    found = Findings()
    p50, p99 = [], []
    for turn in range(bench.runs):
        report = harness.run(bench, "unloaded", "--seed", turn + 1, "--seconds", bench.seconds * 4)
        for warning in report.warnings:
            found.note(warning)
        p50.append(report.percentile("delivery", 50))
        p99.append(report.percentile("delivery", 99))
        found.raw.append({"p50": p50[-1], "p99": p99[-1], "counts": report.counts})
    found.figures = [
        Figure("p50", "ms", p50, at_most=1, durability=FULL), Figure("p99", "ms", p99, at_most=5, durability=FULL)]
    return found


LINES = [
    Line("latency", "`send` 1:1, unloaded", "roost-load, 2 users, 50 messages/s, from due to read at the other's "
         "socket.", measure, ("roost-load",)),
]
