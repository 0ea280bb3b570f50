"""Measures a durable message between two people when nothing else is going on."""

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
    Line("latency", "`send` 1:1, unloaded", "saturate sends 50 messages/s from one user to another. Latency "
         "runs from when a message was due to when it was read at the other's socket. The ceiling, which stores "
         "nothing, gets the same rate. roost-load's figures have no bar: it sleeps and must be woken for each message, "
         "which takes 0.1 to 0.2 ms, while saturate polls.", measure, ("gauge", "roost-load")),
]
