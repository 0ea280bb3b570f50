"""The throughput of a server whose core is full: runs of saturate's closed loop, and their figures.

gauge stamps, searches and counts all it reads, so it uses its whole core long before a server does that only fans out.
saturate reads a few of the sessions and lets the kernel drop and count the bytes of the others, which it then compares.
"""

import saturate
from findings import Figure

# Messages in flight. Each window is tried for a second and the best one is measured, by the same rule for both servers.
WINDOWS = {"fan-out": (200, 300, 400, 800), "pairs": (4_000, 16_000, 48_000)}
TRY_SECONDS, SECONDS = 1, 3
# So often a run is tried. A server that didn't fill its core was disturbed, or the window was too small.
ATTEMPTS_MAX = 2


def run(bench, server, shape, windows, kind=None, ack=False):
    """Runs once against a running server. `kind` is the kind of Roost's messages, and None for the ceiling."""
    words = ["--windows", ",".join(map(str, windows)), "--try-seconds", TRY_SECONDS, "--seconds", SECONDS]
    return saturate.run(bench, server, shape, words, kind, ack)


class ClosedLoop:
    """Runs both servers in turns, and collects their figures."""

    def __init__(self, shape, kind, ack=False):
        self.shape, self.kind, self.ack = shape, kind, ack
        self.turns = []

    def measure(self, bench, sides, found):
        """Runs one turn: a fresh start of each server, in this order."""
        turn = {}
        for side in sides:
            for _ in range(ATTEMPTS_MAX):
                turn[side] = self.run(bench, side, found)
                found.raw.append({"side": f"{side}, closed loop", **turn[side]})
                if turn[side]["serverFull"]:
                    break
        self.turns.append(turn)

    def run(self, bench, side, found):
        """Tries all windows that the server can take. A server that loses signals can't take the largest."""
        windows = WINDOWS["fan-out" if self.shape.deliveries > 1 else "pairs"]
        while True:
            try:
                return saturate.run_fresh(
                    bench, side, run, self.shape, windows, kind=self.kind, ack=self.ack)
            except saturate.Lost as lost:
                if side == "ceiling" or self.kind != "signal" or len(windows) == 1:
                    raise
                found.note(f"{side} lost signals at times with {windows[-1]} on their way, so fewer were kept there")
                found.raw.append({"side": f"{side}, closed loop", "window": windows[-1], "lost": str(lost)})
                windows = windows[:-1]

    @property
    def sound(self):
        """Returns the turns in which each server's core was its limit."""
        return [turn for turn in self.turns if all(side["serverFull"] for side in turn.values())]

    @property
    def is_sound(self):
        """Whether both cores were full in most turns, so that these figures can be judged."""
        return len(self.sound) * 2 > len(self.turns)

    def figures(self, at_least, unit, durability):
        """Returns deliveries for each second of the server's CPU time. `at_least` is None if they aren't judged."""
        turns, state = (self.sound, "both servers' core full") if self.sound else (self.turns, "cores not full")
        if not turns:
            return []
        roost, ceiling = ([turn[side]["deliveriesPerServerSecond"] for turn in turns] for side in ("roost", "ceiling"))
        ratios = [ours / theirs for ours, theirs in zip(roost, ceiling)]
        return [
            Figure(f"of the ceiling's, closed loop, {state}", "ratio", ratios, at_least=at_least,
                   durability=durability),
            Figure("Roost, closed loop", unit, roost, durability=durability),
            Figure("the ceiling, closed loop", unit, ceiling)]

    def say(self, found, judges):
        """Returns notes on which figure is judged, and which turns were left out."""
        if not self.turns:
            return
        if judges:
            found.note("the bar is judged by the closed loop")
        else:
            why = "" if self.is_sound else ", since the closed loop didn't fill both servers' core"
            found.note(f"the bar is judged by the open loop{why}")
        left_out = len(self.turns) - len(self.sound)
        if left_out:
            least = {side: min(turn[side]["serverCores"] for turn in self.turns) for side in self.turns[0]}
            found.note(f"{left_out} of {len(self.turns)} turns of the closed loop prove nothing: a core wasn't "
                       f"full (down to {least['ceiling']:.2f} with the ceiling, {least['roost']:.2f} with Roost)")
