"""Whether a delivery costs more as groups and histories grow."""

import gauge
import harness
import log_alone
from accounts import Accounts
from findings import FULL, Figure, Findings, Line
from servers import Relay, remove

MEMBERS = (10, 100, 1_000, 10_000)
STORED = (100, 10_000, 1_000_000)
HISTORY_MEMBERS = 100
HISTORY_RATE = 600


def measure_members(bench):
    found = Findings()
    costs = {members: [] for members in MEMBERS}
    for turn in range(bench.runs):
        for members in MEMBERS if turn % 2 == 0 else reversed(MEMBERS):
            flags = ["--seed", turn + 1, *(["--seconds", 4] if bench.quick else [])]
            report = harness.run(bench, f"members-{members}", *flags)
            for warning in report.warnings:
                found.note(f"{members}: {warning}")
            costs[members].append(report.cost["microsecondsPerDelivery"])
            found.raw.append({"members": members, "cost": costs[members][-1], "counts": report.counts,
                              "cpuSeconds": report.cost["cpuSeconds"], "harness": report.harness_cores,
                              "writes": report.cost["metrics"].get("roost_writes_total")})
    found.figures = [Figure("the largest rise from any size to a larger one", "ratio", rises(costs), at_most=1.2)]
    found.figures += [Figure(f"groups of {members:,}", "CPU µs a delivery", costs[members]) for members in MEMBERS]
    return found


class History(gauge.FanOut):
    """The one group of a store that roost-log-bench wrote."""

    def __init__(self):
        super().__init__(HISTORY_MEMBERS // 2, HISTORY_MEMBERS // 2)

    def prepare(self, relay):
        return Accounts(relay).file([f"u{number + 1}" for number in range(HISTORY_MEMBERS)]), "c1"


def measure_stored(bench):
    found = Findings()
    costs = {rows: [] for rows in STORED}
    for turn in range(bench.runs):
        for rows in STORED if turn % 2 == 0 else reversed(STORED):
            store = bench.new_folder("history") / "roost.db"
            try:
                log_alone.append(
                    bench, rows, "--conversations", 1, "--senders", HISTORY_MEMBERS, path=store, keep=True)
                with gauge.Target(Relay(bench, store=store), History(), "send") as target:
                    step = gauge.at_rate(bench, target, HISTORY_RATE, bench.seconds * 2, warm=3)
            finally:
                remove(store)
            costs[rows].append(step["server_cpu"] * 1e6 / (HISTORY_RATE * (HISTORY_MEMBERS - 1)))
            found.raw.append({"stored": rows, **step})
    found.figures = [
        Figure("the largest rise from any size to a larger one", "ratio", rises(costs), at_most=1.2, durability=FULL)]
    found.figures += [
        Figure(f"{rows:,} stored messages", "CPU µs a delivery", costs[rows], durability=FULL) for rows in STORED]
    return found


def rises(costs):
    """Returns for each run the largest ratio of a size's cost to that of any smaller size. A size that is cheaper is no
    growth, but must not hide a later rise."""
    sizes = sorted(costs)
    return [
        max(costs[large][run] / costs[small][run] for small in sizes for large in sizes if small < large)
        for run in range(len(costs[sizes[0]]))]


LINES = [
    Line("growth-members", "cost of a delivery, from 10 to 10,000 members", "roost-load has 10,000 sessions in groups "
         "of each size and 50,000 signal deliveries/s. The figure is the relay's CPU per delivery. It includes the "
         "cost of the message itself, so deliveries in small groups cost more.", measure_members, ("roost-load",)),
    Line("growth-stored", "cost of a delivery, from 10^2 to 10^6 stored messages", "roost-log-bench writes one group "
         "of 100 with this many messages, and Roost opens that store. In gauge, 50 of the members `send` 600 "
         "messages/s. The figure is the relay's CPU per delivery.", measure_stored, ("gauge", "roost-log-bench")),
]
