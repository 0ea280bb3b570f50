"""Builds saturate, our own generator, and runs it against either server. The loops decide what is measured."""

import json

import gauge
from failure import BenchFailure
from processes import GENERATOR_CORE
from servers import Ceiling, Relay

# Its exit code if the server lost something.
LOST = 3
# Connecting, filling and draining come on top.
AROUND_SECONDS = 120
# Acks come as often as those of Roost's own client and of roost-load.
ACK_MILLISECONDS = 100
# Where bytes are dropped, a ping can't be answered, and its bytes would count as a delivery's.
RELAY_SETTINGS = {"limits__ping_seconds": 3_600}


class Lost(BenchFailure):
    """The server didn't deliver exactly what it should."""


def build(bench):
    """Compiles saturate into the bench's own folder."""
    gauge.compile(bench, ["c++", "-O2", "-std=c++20", "-o", bench.saturate_program,
                          *sorted((bench.sources / "Saturate").glob("*.cpp"))])


def flags(shape):
    """The load, in the words of saturate's flags."""
    if isinstance(shape, gauge.FanOut):
        return ["--load", "fan-out", "--readers", shape.readers, "--writers", shape.senders]
    return ["--load", "pairs", "--readers", shape.count, "--writers", shape.count]


def run(bench, server, shape, loop, kind=None, ack=False):
    """Runs once against a running server. `loop` has the flags of the closed or of the open loop. `kind` is the kind of
    Roost's messages, and None for the ceiling."""
    words = [bench.saturate_program, "--port", server.port, "--pid", server.process.pid, *flags(shape)]
    words += ["--kind", kind or "raw", "--size", gauge.SIZE, "--ack-ms", ACK_MILLISECONDS if ack else -1]
    if kind:
        tokens, to = shape.prepare(server)
        words += ["--tokens", tokens, "--to", to.replace("{topic}", "room{pair}")]
    code, text = bench.processes.run([*words, *loop], GENERATOR_CORE, AROUND_SECONDS)
    if code:
        raise (Lost if code == LOST else BenchFailure)(text.strip()[-300:])
    return json.loads(text)


def run_fresh(bench, side, run, *load, kind, ack):
    """Calls the loop's own `run` with a fresh server of that side. Only Roost gets a kind, and gets acks."""
    if side == "ceiling":
        with Ceiling(bench) as server:
            return run(bench, server, *load)
    with Relay(bench, **RELAY_SETTINGS) as server:
        return run(bench, server, *load, kind, ack)
