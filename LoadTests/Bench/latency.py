"""How long a durable message between two people takes when nothing else is going on."""

import gauge
import harness
import open_loop
import saturate
from findings import FULL, Figure, Findings, Line
from servers import in_turns

RATE = 50


def measure(bench):
    found = Findings()
    steps, reports = {"roost": [], "ceiling": []}, []
    seconds = bench.seconds * 4
    for turn in range(bench.runs):
        for side in in_turns(("ceiling", "roost"), turn):
            steps[side].append(saturate.run_fresh(
                bench, side, open_loop.run, gauge.Pairs(1), RATE, seconds, kind="send", ack=True))
            found.raw.append({"side": side, **steps[side][-1]})
        report = harness.run(bench, "unloaded", "--seed", turn + 1, "--seconds", seconds)
        for warning in report.warnings:
            found.note(warning)
        reports.append(report)
        found.raw.append({"side": "roost, by roost-load", "p50": report.percentile("delivery", 50),
                          "p99": report.percentile("delivery", 99), "counts": report.counts})
    found.figures = figures(steps, reports)
    return found


def figures(steps, reports):
    def of(side, name):
        return [step[name] for step in steps[side]]

    return [
        Figure("p50", "ms", of("roost", "p50"), at_most=1, durability=FULL),
        Figure("p99", "ms", of("roost", "p99"), at_most=5, durability=FULL),
        Figure("the generator was late by (p99)", "ms", of("roost", "lateP99")),
        Figure("p50 of the ceiling", "ms", of("ceiling", "p50")),
        Figure("p99 of the ceiling", "ms", of("ceiling", "p99")),
        Figure("p50, by roost-load", "ms", [report.percentile("delivery", 50) for report in reports],
               durability=FULL),
        Figure("p99, by roost-load", "ms", [report.percentile("delivery", 99) for report in reports],
               durability=FULL)]


LINES = [
    Line("latency", "`send` 1:1, unloaded", "saturate sends 50 messages/s to one other at a fixed rate, from due to "
         "read at the other's socket; the ceiling, which stores nothing, at the same rate, and roost-load with two "
         "users. saturate polls; roost-load sleeps and has to be woken for each message, which takes a tenth of a "
         "millisecond or two, so its own have no bar.", measure, ("gauge", "roost-load")),
]
