"""The latency of deliveries at a fixed rate: runs of saturate's open loop, and their figures.

gauge measures that, too, but needs more of its core for each delivery, and what waits meanwhile counts as if the server
were late. saturate may be late as well: that is measured beside, and reported. The rate isn't decided here.
"""

import statistics

import saturate
from findings import Figure

# The first message of a direct conversation creates it.
WARM_SECONDS = 2
# Above either of these, a large part of the measured time is the generator's own.
BUSY, LATE_MILLISECONDS = 0.97, 2
# The bar for Roost's p99.
P99_MILLISECONDS = 10


def run(bench, server, shape, rate, seconds, kind=None, ack=False):
    """Runs once against a running server. `kind` is the kind of Roost's messages, and None for the ceiling."""
    words = ["--rate", f"{rate:.1f}", "--warm", WARM_SECONDS, "--seconds", seconds]
    return saturate.run(bench, server, shape, words, kind, ack)


class OpenLoop:
    """Runs both servers at the same rates, in turns."""

    def __init__(self, shape, kind, ack=False):
        self.shape, self.kind, self.ack = shape, kind, ack
        self.turns = {"ceiling": [], "roost": []}
        # Turns in which Roost lost signals.
        self.lost = 0

    def measure(self, bench, sides, rate, found):
        """Runs one turn: a fresh start of each server, in this order."""
        for side in sides:
            try:
                step = self.run(bench, side, rate)
            except saturate.Lost as lost:
                # The protocol allows signals to be lost, and nothing else. The others then have no valid latency.
                if side == "ceiling" or self.kind != "signal":
                    raise
                self.lost += 1
                found.raw.append({"side": f"{side}, at a fixed rate", "rate": rate, "lost": str(lost)})
                continue
            self.turns[side].append(step)
            found.raw.append({"side": f"{side}, at a fixed rate", **step})

    def run(self, bench, side, rate):
        return saturate.run_fresh(
            bench, side, run, self.shape, rate, bench.seconds, kind=self.kind, ack=self.ack)

    @property
    def is_sound(self):
        """Whether the bar can be judged, because nothing was lost in most turns."""
        return len(self.turns["roost"]) > self.lost

    def figures(self, durability):
        """Returns the latency of both servers, and how late the generator was."""
        roost = self.turns["roost"]
        return [
            Figure("p99 at half of Roost's highest rate", "ms", [step["p99"] for step in roost],
                   at_most=P99_MILLISECONDS if self.is_sound else None, durability=durability),
            Figure("p99 of the ceiling at that rate", "ms", [step["p99"] for step in self.turns["ceiling"]]),
            Figure("the generator was late by (p99)", "ms", [step["lateP99"] for step in roost])]

    def say(self, found):
        """Returns the reasons to doubt the figures."""
        if self.lost:
            judged = "" if self.is_sound else ", so the bar of p99 isn't judged"
            found.note(f"Roost lost signals at half of its highest rate in {self.lost} of "
                       f"{self.lost + len(self.turns['roost'])} turns, which have no p99{judged}")
        for side, steps in self.turns.items():
            limited = [step for step in steps if step["busy"] > BUSY or step["lateP99"] > LATE_MILLISECONDS]
            if len(limited) * 2 <= len(steps):
                continue
            busy, late = (statistics.median(step[name] for step in steps) for name in ("busy", "lateP99"))
            name = "Roost" if side == "roost" else "the ceiling"
            found.note(f"saturate was its own limit with {name} at half of Roost's highest rate, in most turns: busy "
                       f"for {busy:.2f} of the time, and late by {late:.2f} ms (p99; both medians), which p99 contains")
