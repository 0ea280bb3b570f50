"""The highest rate of Roost relative to that of the ceiling, in turns, and the latency at half of Roost's."""

import gauge
import harness
from closed_loop import ClosedLoop
from findings import FULL, Figure, Findings, Line
from open_loop import P99_MILLISECONDS, OpenLoop
from servers import Ceiling, Relay, in_turns

# Messages a second at which a ramp begins. Each is well below what an old machine can do.
CEILING_START = {"fan-out": 800, "pairs": 20_000}
ROOST_START = {"fan-out": 400, "pairs": 5_000}
# A later run begins so far below the highest rate of the one before; the ramp needs a few steps to warm up.
AGAIN = 0.5
GENERATOR_BUSY, SERVER_BUSY = 0.97, 0.9


# The ceiling with the same frames as Roost.
ALIKE = "ceiling with Roost's frames"


class Comparison:
    """One shape of load, measured with gauge on both servers."""

    def __init__(self, shape_name, shape, kind, at_least):
        self.shape_name, self.shape, self.kind, self.at_least = shape_name, shape, kind, at_least
        roost, ceiling = ROOST_START[shape_name], CEILING_START[shape_name]
        self.starts = {"ceiling": ceiling, "roost": roost, ALIKE: roost}
        # The number of turns in which gauge was the limit, and not the server.
        self.limited = {side: 0 for side in self.starts}
        self.loop = ClosedLoop(shape, kind)
        self.latency = OpenLoop(shape, kind)

    def measure(self, bench):
        found = Findings()
        sides = ["ceiling", "roost"] if bench.has_yardstick else ["roost"]
        # gauge is the limit of a fan-out, and reads a long frame more slowly than a short one.
        if bench.has_yardstick and self.shape.deliveries > 1:
            sides.append(ALIKE)
        rates = {side: [] for side in ["ceiling", "roost", ALIKE]}
        half, half_ceiling, costs = [], [], []
        for turn in range(bench.runs):
            for side in in_turns(sides, turn):
                best = self.maximum(bench, side, found)
                rates[side].append(best * self.shape.deliveries)
                self.starts[side] = best * AGAIN
            rate = rates["roost"][-1] / self.shape.deliveries / 2
            roost = self.at_rate(bench, "roost", rate, found)
            half.append(roost["p99"])
            if bench.has_yardstick:
                ceiling = self.at_rate(bench, "ceiling", rate, found)
                half_ceiling.append(ceiling["p99"])
                costs.append(ceiling["server_cpu"] / max(roost["server_cpu"], 0.01))
                both = in_turns(["ceiling", "roost"], turn)
                self.latency.measure(bench, both, rate, found)
                self.loop.measure(bench, both, found)
        # gauge's figures describe the servers only if the servers were the limit.
        by_loop = self.loop.is_sound and max(self.limited["ceiling"], self.limited["roost"]) * 2 > bench.runs
        self.loop.say(found, by_loop)
        self.latency.say(found)
        unit = "deliveries/s" if self.shape.deliveries > 1 else "messages/s"
        durability = FULL if self.kind == "send" else None
        found.figures = figures(rates, None if by_loop else self.at_least, unit, durability)
        found.figures += self.latency.figures(durability)
        found.figures += [
            Figure("p99 at half of Roost's highest rate, by gauge", "ms", half, durability=durability),
            Figure("p99 of the ceiling at that rate, by gauge", "ms", half_ceiling)]
        found.figures += self.loop.figures(self.at_least if by_loop else None, unit, durability)
        if rates[ALIKE]:
            ratios = [roost / alike for roost, alike in zip(rates["roost"], rates[ALIKE])]
            found.figures.append(Figure("of the ceiling's, with frames as long as Roost's", "ratio", ratios,
                                        durability=durability))
        found.figures.append(Figure("the ceiling's CPU by Roost's, at half of Roost's highest rate", "ratio", costs,
                                    durability=durability))
        return found

    def target(self, bench, side):
        if side == "ceiling":
            return gauge.Target(Ceiling(bench), self.shape)
        if side == ALIKE:
            return gauge.Target(Ceiling(bench), self.shape, frame=gauge.FRAMES[self.kind])
        return gauge.Target(Relay(bench), self.shape, self.kind)

    def maximum(self, bench, side, found):
        ramp = gauge.maximum(bench, lambda: self.target(bench, side), self.starts[side])
        found.raw.append({"side": side, **ramp})
        top = [step for step in ramp["steps"] if step["held"]][-1]
        if top["self_cpu"] >= GENERATOR_BUSY and top["server_cpu"] < SERVER_BUSY:
            self.limited[side] += 1
            found.note(f"gauge was the limit with the {side} at times: it used its whole core and the server did not")
        return ramp["rate"]

    def at_rate(self, bench, side, rate, found):
        with self.target(bench, side) as target:
            step = gauge.at_rate(bench, target, rate, bench.seconds)
        found.raw.append({"side": f"{side} at half", **step})
        return step


class AckingPairs:
    """500 pairs who ack what they get: roost-load measures Roost, and gauge the ceiling, which has no acks."""

    scenario = "pairs"
    start = 2_000

    def measure(self, bench):
        found = Findings()
        ceiling = Comparison("pairs", gauge.Pairs(), None, None)
        loop = ClosedLoop(gauge.Pairs(), "send", ack=True)
        latency = OpenLoop(gauge.Pairs(), "send", ack=True)
        rates, half = {"ceiling": [], "roost": []}, []
        for turn in range(bench.runs):
            sides = ["ceiling", "roost"] if bench.has_yardstick else ["roost"]
            for side in in_turns(sides, turn):
                if side == "roost":
                    knee = self.knee(bench, found)
                    rates[side].append(knee["rate"])
                    half.append(knee["half"]["deliveryP99"])
                else:
                    best = ceiling.maximum(bench, side, found)
                    rates[side].append(best)
                    ceiling.starts[side] = best * AGAIN
            if bench.has_yardstick:
                latency.measure(bench, in_turns(sides, turn), rates["roost"][-1] / 2, found)
                loop.measure(bench, in_turns(sides, turn), found)
        # Two tools that are their own limits give no meaningful ratio. The closed loop is the same for both servers.
        loop.say(found, loop.is_sound)
        latency.say(found)
        found.figures = figures(rates, None if loop.is_sound else 0.25, "messages/s", FULL)
        if bench.has_yardstick:
            found.figures += latency.figures(FULL)
        # Without a yardstick nothing else of these was measured, and saturate wasn't built.
        found.figures.append(Figure(
            "p99 at half of Roost's highest rate, by roost-load", "ms", half,
            at_most=None if bench.has_yardstick else P99_MILLISECONDS, durability=FULL))
        found.figures += loop.figures(0.25 if loop.is_sound else None, "messages/s", FULL)
        return found

    def knee(self, bench, found):
        knee = harness.knee(
            bench, self.scenario, self.start, "--seconds", bench.ramp_seconds, "--factor", "1.4", "--bisections", "3")
        found.raw.append({"side": "roost", **knee})
        if (knee.get("limit") or {}).get("why") == "invalid":
            found.note("roost-load was the limit, not Roost: the knee may be higher")
        self.start = knee["rate"] * AGAIN
        return knee


def figures(rates, at_least, unit, durability):
    """Returns the ratio and both rates."""
    ratios = [roost / ceiling for roost, ceiling in zip(rates["roost"], rates["ceiling"])]
    return [
        Figure("of the ceiling's, open loop", "ratio", ratios, at_least=at_least, durability=durability),
        Figure("Roost, open loop", unit, rates["roost"], durability=durability),
        Figure("the ceiling, open loop", unit, rates["ceiling"])]


def comparison(shape_name, shape, kind, at_least):
    return lambda bench: Comparison(shape_name, shape(), kind, at_least).measure(bench)


RAMP = ("Open loop: gauge raises the rate until p99 is above 200 ms or 0.1 % of the messages are missing, and then "
        "bisects. The servers take turns, and each is started afresh.")
LOOP = (" Closed loop: saturate keeps a window of messages in flight, so that the server's core is full. It tries some "
        "windows, measures the best one for 3 s in the same turns, and checks that nothing was lost. Its figures are "
        "deliveries per second of the server's CPU time, which with a full core (0.95 of it or more) is deliveries/s. "
        "Turns in which a core was not full are left out if there are others, and judge nothing.")
JUDGED = (" If gauge used its whole core and a server didn't, in most turns, the ratio of the open loop is a ratio of "
          "gauge's own costs. The bar is then judged by the closed loop, otherwise by the open loop.")
AT_HALF = (" Latency: saturate sends to either server, started afresh, for 5 s at half of the highest rate that {tool} "
           "found for Roost in the same turn, and reads every reader. p99 is that of all deliveries, from when a "
           "message was due to when saturate had read it. {tool}'s own p99 at that rate has no bar: {why}.")
COMPARED = RAMP + LOOP + JUDGED + AT_HALF.format(
    tool="gauge", why="gauge takes longer to read a delivery, and other deliveries wait meanwhile")
BY_ROOST_LOAD = AT_HALF.format(tool="roost-load", why="in it both users of a pair write, and it is another tool")

LINES = [
    Line("signal-group", "`signal`, 1 → 1,000 members, 50 senders", COMPARED + " Roost's senders are "
         "members, too, and get each other's messages: it makes 1,049 deliveries where 1,000 are counted.",
         comparison("fan-out", gauge.FanOut, "signal", 0.75), ("gauge",)),
    Line("send-group", "`send`, 1 → 1,000 members, 50 senders", COMPARED + " Every message is fsynced "
         "before it is delivered and acked to its sender. Readers don't ack.",
         comparison("fan-out", gauge.FanOut, "send", 0.65), ("gauge",)),
    Line("signal-pairs", "`signal`, 500 pairs", COMPARED,
         comparison("pairs", gauge.Pairs, "signal", 0.65), ("gauge",)),
    Line("send-pairs", "`send`, 500 pairs, readers ack", "Open loop: Roost's figure is the knee that roost-load finds "
         "(devices ack every 100 ms, p99 of deliveries and acks within 200 ms, nothing lost, both users of a pair "
         "write); the ceiling's is found by gauge." + LOOP + " One user of a pair writes, and the other acks every "
         "100 ms. The open loop uses two tools, and each is often its own limit, so the bar is judged by the closed "
         "loop."
         + BY_ROOST_LOAD,
         lambda bench: AckingPairs().measure(bench), ("gauge", "roost-load")),
]
