"""Whether Roost finds back to itself after storms, restarts and too much load, and what bystanders notice of it."""

import harness
from findings import FULL, Figure, Findings, Line

# What is done to a busy relay; each is a scenario of the library, with its bounds.
SCENARIOS = ["storm-under-load", "restart-under-load", "cold-start", "overload", "groups-storm", "backlog",
             "storm-beside"]
LIVE_SECONDS, RECOVERY_SECONDS, BYSTANDER_MS = 5, 10, 200
NEVER = ["lost", "duplicated", "reordered", "own_returned", "stuck_behind", "never_back"]


def measure_recovery(bench):
    found = Findings()
    names = SCENARIOS[:1] if bench.quick else SCENARIOS
    recovery, live = {name: [] for name in names}, {name: [] for name in names}
    behind, faults, bystanders = [], [], []
    for turn in range(bench.runs):
        for name in names:
            report = harness.run(bench, harness.LIBRARY / f"{name}.yaml", "--seed", turn + 1)
            for warning in report.warnings:
                found.note(f"{name}: {warning}")
            recovery[name].append(report.threshold("recovery_seconds"))
            live[name].append(report.threshold("live_seconds"))
            behind.append(report.threshold("behind_sessions"))
            faults.append(sum(report.faults.get(fault, 0) for fault in NEVER))
            if name == "storm-beside":
                bystanders.append(report.percentile("bystander", 99))
            found.raw.append({
                "scenario": name, "faults": report.faults, "counts": report.counts, "harness": report.harness_cores,
                "disturbances": report.data["result"]["disturbances"], "recovery": recovery[name][-1]})
    found.figures = [
        *(Figure(f"{name}: recovery, from the last `welcome`", "s", recovery[name], at_most=RECOVERY_SECONDS,
                 durability=FULL) for name in names),
        *(Figure(f"{name}: until all are live", "s", live[name], at_most=LIVE_SECONDS, durability=FULL)
          for name in names),
        Figure("sessions behind when the load ends, of any", "sessions", behind, at_most=0, durability=FULL),
        Figure("lost, doubled, reordered or sent back to their sender", "messages", faults, at_most=0,
               durability=FULL)]
    if bystanders:
        found.figures.append(Figure("p99 of bystanders in a storm of 9,800", "ms", bystanders, at_most=BYSTANDER_MS,
                                    durability=FULL))
    return found


LINES = [
    Line("recovery", "recovery from storms, restarts and overload", "roost-load disturbs a busy relay: "
         + ", ".join(SCENARIOS) + " (LoadTests/Scenarios). Recovery is over when every session got `live` and the p99 "
         "of deliveries in three seconds in a row is within 1.5 times of before, or 15 ms. What is due while its "
         "sender is away counts from then. `inf` means never.", measure_recovery, ("roost-load",)),
]
