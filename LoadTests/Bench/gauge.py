"""Builds the yardstick, runs gauge against either server, and reads what it prints."""

import re

from accounts import Accounts
from failure import BenchFailure
from processes import GENERATOR_CORE, inherited

BUILD_SECONDS = 180
STARTS_MAX = 5
# A ramp of twenty steps, each with its warm-up, its three seconds to drain and its rest.
RAMP_SECONDS = 400
GROW = 1.4
SIZE = 200
STEP = re.compile(
    r"rate (?P<rate>\d+) pub/s: published (?P<published>\d+), delivered (?P<delivered>\d+) of (?P<expected>\d+) "
    r"\((?P<per_second>\d+)/s in time\), ms p50 (?P<p50>[\d.]+) p90 [\d.]+ p99 (?P<p99>[\d.]+) p99.9 [\d.]+ "
    r"max (?P<max>[\d.]+), server cpu (?P<server_cpu>-?[\d.]+), self cpu (?P<self_cpu>[\d.]+)(?P<rest>.*)")


def build(bench):
    """Compiles gauge and the ceiling into the bench's own folder."""
    compile(bench, ["c++", "-O2", "-std=c++20", "-o", bench.gauge_program, bench.yardstick / "gauge.cpp"])
    compile(bench, ["cc", "-O2", "-o", bench.ceiling_program, bench.yardstick / "ceiling.c", "-lwebsockets", "-lev"])


def compile(bench, words):
    code, text = bench.processes.run(words, "0-1" if bench.cores > 1 else 0, BUILD_SECONDS)
    if code:
        raise BenchFailure(f"{words[0]} failed: {text[-500:]}")


class FanOut:
    """One group. `senders` of its members write in turns, and gauge expects each message at the others."""

    def __init__(self, readers=1_000, senders=50):
        self.readers, self.senders = readers, senders
        self.deliveries = readers
        self.flags = ["--mode", "fanout", "--subs", readers, "--pubs", senders]

    def prepare(self, relay):
        accounts = Accounts(relay)
        users = [f"f{number}" for number in range(self.readers + self.senders)]
        return accounts.file(users), accounts.group(users)


class Pairs:
    """Pairs of users; one of each pair writes."""

    deliveries = 1

    def __init__(self, count=500):
        self.count = count
        self.flags = ["--mode", "pairs", "--pairs", count]

    def prepare(self, relay):
        accounts = Accounts(relay)
        return accounts.file(accounts.pairs(self.count)), "@{topic}"


class Target:
    """A server, with everything that gauge must know about it.

    `kind` is the kind of Roost's messages, and None for the ceiling. `frame` is sent to the ceiling instead of the bare
    payload."""

    def __init__(self, server, shape, kind=None, frame=None):
        self.server, self.shape = server, shape
        self.environment = {**inherited(), "G_PID": str(server.process.pid)}
        self.flags = ["--proto", "raw"]
        if frame:
            # The template has one path for all, so writers also receive everything, as they do with Roost.
            self.flags = ["--proto", "tmpl", "--path", "/sub/{topic}"]
            self.environment.update(G_SUBPROTO="", G_READY="", G_HELLO="", G_PUB=frame)
        elif kind:
            try:
                tokens, to = shape.prepare(server)
            except BaseException:
                server.stop()
                raise
            self.flags = roost_flags(tokens)
            self.environment.update(roost_environment(kind, to))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.stop()


# The frame that Roost sends for a payload, with names as long as those of the bench.
FRAMES = {
    "signal": '{"type":"signal","conversation":"c234567abcdefg","from":"f1000","body":"{payload}"}',
    "send": '{"type":"message","conversation":"c234567abcdefg","sequence":12345,"position":"12345","from":"f1000",'
            '"time":1767225600000,"body":"{payload}"}'}


def roost_flags(tokens):
    return ["--proto", "tmpl", "--path", "/v1/socket", "--tokens", tokens]


def roost_environment(kind="signal", to=""):
    named = {"signal": "", "send": '"id":{n},"key":"k{id}-{n}",'}[kind]
    return {"G_SUBPROTO": "roost.v1", "G_READY": '"welcome"',
            "G_HELLO": '{"type":"hello","id":1,"token":"{token}","device":"d"}',
            "G_PUB": '{"type":"KIND",NAMED"to":"TO","body":"{payload}"}'.replace("KIND", kind).replace(
                "NAMED", named).replace("TO", to)}


def run(bench, target, flags, seconds):
    """Runs gauge once. Returns what it printed."""
    words = [bench.gauge_program, "--port", target.server.port, "--size", SIZE, *target.flags, *target.shape.flags,
             *flags]
    _, text = bench.processes.run(words, GENERATOR_CORE, seconds, environment=target.environment)
    return text


def at_rate(bench, target, rate, seconds, warm=2):
    """Runs one step at a fixed rate."""
    text = run(bench, target, ["--rate", f"{rate:.1f}", "--secs", seconds, "--warm", warm], seconds + warm + 90)
    found = steps(text)
    if not found:
        raise BenchFailure(f"gauge measured nothing: {text[-300:]}")
    return found[-1]


def maximum(bench, make_target, rate):
    """The highest rate that holds, by gauge's ramp: fewer than 0.1 % missing and p99 within 200 ms.

    A ramp that ends at its first steps began too high or was disturbed: another begins lower on a fresh server, and
    the higher one counts. Both servers are treated alike."""
    best = {"rate": 0.0, "steps": []}
    for _ in range(STARTS_MAX):
        with make_target() as target:
            flags = ["--ramp", "--rate", f"{rate:.0f}", "--secs", bench.ramp_seconds, "--grow", GROW]
            text = run(bench, target, flags, RAMP_SECONDS)
        found = re.search(r"MAX (\d+) publishes/s", text)
        if not found:
            raise BenchFailure(f"gauge measured nothing: {text[-300:]}")
        if float(found.group(1)) > best["rate"]:
            best = {"rate": float(found.group(1)), "steps": steps(text)}
        if best["rate"] >= rate * GROW:
            return best
        rate = max(1.0, rate / 2)
    if not best["rate"]:
        raise BenchFailure(f"no rate down to {rate:.0f} a second held: {text[-300:]}")
    return best


def steps(text):
    """Returns every step that gauge printed."""
    found = []
    for match in STEP.finditer(text):
        step = {name: float(value) for name, value in match.groupdict().items() if name != "rest"}
        step["held"] = "not sustained" not in match.group("rest")
        found.append(step)
    return found


def connect_rate(text):
    """Sessions a second until all were ready, from gauge's line on connecting."""
    found = re.search(r"\d+ connections ready in [\d.]+ s \((\d+)/s", text)
    if not found:
        raise BenchFailure(f"gauge's connections weren't taken: {text[-300:]}")
    return float(found.group(1))
