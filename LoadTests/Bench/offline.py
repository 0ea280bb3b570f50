"""Devices that were away and devices that don't read: what they get, and what the others notice."""

import json
import sys
import time

import gauge
import harness
from accounts import NEW_USERS_MAX, Accounts
from chat_client import ChatClient
from failure import BenchFailure
from findings import FULL, Figure, Findings, Line
from processes import GENERATOR_CORE
from servers import Relay

DEVICES, MISSED, GROUPS = 1_000, 1_000, 10
SENDS_AT_ONCE = 250
OTHERS, OTHERS_RATE = 50, 500
CATCH_UP_SECONDS = 60
# The default of limits.outbox_max_bytes, for each of the ten clients that don't read.
SLOW_MIB_MAX = 10 * 4


def measure_catch_up(bench):
    found = Findings()
    rates, p99, shares = [], [], []
    for _ in range(bench.runs):
        with gauge.Target(Relay(bench), gauge.Pairs(OTHERS), "send") as others:
            tokens = leave_messages(others.server)
            # Once to see how long it takes, so that the others are measured within that time and not after.
            alone = catch_up(bench, others.server, tokens)
            beside, step = catch_up_beside(bench, others, tokens, alone["seconds"])
            rates.append(beside["messages"] / beside["seconds"])
            p99.append(step["p99"])
            shares.append(beside["cpuSeconds"])
            found.raw.append({"alone": alone, "beside": beside, "others": step})
    found.figures = [
        Figure("caught up, all devices", "messages/s", rates, at_least=400_000, durability=FULL),
        Figure("p99 of 50 pairs meanwhile", "ms", p99, at_most=20, durability=FULL)]
    return found


def leave_messages(relay):
    """Ten groups of 100 devices that have never been there, and 1,000 messages for each. The devices' tokens."""
    accounts = Accounts(relay)
    users = [f"c{number}" for number in range(DEVICES)]
    size = DEVICES // GROUPS
    assert DEVICES <= NEW_USERS_MAX
    with ChatClient(relay, accounts.token("writer")) as writer:
        for start in range(0, DEVICES, size):
            made = writer.call("conversation.create", kind="group", name="Away", members=users[start:start + size])
            send_all(writer, made["conversation"]["conversation"])
    return accounts.file(users)


def send_all(writer, group):
    for start in range(0, MISSED, SENDS_AT_ONCE):
        ids = []
        for number in range(start, start + SENDS_AT_ONCE):
            writer.number += 1
            ids.append(writer.number)
            writer.post({"type": "send", "id": writer.number, "to": group, "key": f"{group}-{number}",
                         "body": "x" * gauge.SIZE})
        # Replies to the messages of one session come in the order of the messages.
        writer.reply(ids[-1])


class CatchUp:
    """Runs the reader once. It yields its core to another program that measures there."""

    def __init__(self, bench, relay, tokens):
        self.bench, folder = bench, bench.new_folder("catch-up")
        self.log, self.go = folder / "reader.log", folder / "go"
        words = [sys.executable, bench.sources / "catch_up_reader.py", relay.port, tokens, MISSED, self.go,
                 CATCH_UP_SECONDS]
        self.process = bench.processes.start(words, GENERATOR_CORE, log=self.log, patience=10)
        try:
            await_text(self.process, self.log, "connected")
        except BaseException:
            bench.processes.stop(self.process)
            raise

    def run(self):
        self.go.touch()

    def result(self):
        try:
            self.process.wait(timeout=CATCH_UP_SECONDS + 10)
        except Exception:
            raise BenchFailure("the reader didn't end")
        finally:
            self.bench.processes.stop(self.process)
        text = self.log.read_text().strip()
        if self.process.returncode:
            raise BenchFailure(f"the reader: {text[-200:]}")
        result = json.loads(text.splitlines()[-1])
        if result["exact"] != DEVICES:
            raise BenchFailure(f"only {result['exact']} of {DEVICES} devices got exactly {MISSED} messages: {result}")
        return result


def catch_up(bench, relay, tokens):
    reader = CatchUp(bench, relay, tokens)
    reader.run()
    return reader.result()


def catch_up_beside(bench, others, tokens, seconds):
    """With 50 pairs that write meanwhile, measured from the start to shortly before the end."""
    reader = CatchUp(bench, others.server, tokens)
    warm, log = 1, bench.new_folder("others") / "gauge.log"
    window = max(0.5, seconds * 0.9)
    words = [bench.gauge_program, "--port", others.server.port, "--size", gauge.SIZE, *others.flags,
             *others.shape.flags, "--rate", OTHERS_RATE, "--secs", f"{window:.2f}", "--warm", warm]
    process = bench.processes.start(words, GENERATOR_CORE, log=log, environment=others.environment)
    try:
        await_text(process, log, "connections ready")
        time.sleep(warm)
        reader.run()
        result = reader.result()
        process.wait(timeout=30)
    finally:
        bench.processes.stop(process)
        bench.processes.stop(reader.process)
    found = gauge.steps(log.read_text())
    if not found:
        raise BenchFailure(f"gauge measured nothing: {log.read_text()[-200:]}")
    return result, found[-1]


def await_text(process, log, text):
    deadline = time.monotonic() + CATCH_UP_SECONDS
    while text not in log.read_text():
        if process.poll() is not None or time.monotonic() > deadline:
            raise BenchFailure(f"no '{text}': {log.read_text()[-200:]}")
        time.sleep(0.005)


def measure_slow(bench):
    found = Findings()
    p99, peaks, spills = {"reading": [], "stalled": []}, {"reading": [], "stalled": []}, []
    for turn in range(bench.runs):
        for side in list(p99) if turn % 2 == 0 else reversed(p99):
            report = harness.run(bench, f"slow-{side}", "--seed", turn + 1)
            for warning in report.warnings:
                found.note(f"{side}: {warning}")
            p99[side].append(report.percentile("delivery", 99))
            peaks[side].append(report.cost["rssPeak"] / 1024)
            metrics = report.cost["metrics"]
            if side == "stalled":
                spills.append(metrics.get("roost_spills_total", 0))
            found.raw.append({"side": side, "p99": p99[side][-1], "peakMiB": peaks[side][-1], "faults": report.faults,
                              "spills": metrics.get("roost_spills_total"), "harness": report.harness_cores})
    if min(spills) == 0:
        found.note("no queue spilled to the log in a run: the slow readers weren't slow enough to tell")
    ratios = [stalled / reading for stalled, reading in zip(p99["stalled"], p99["reading"])]
    more = [stalled - reading for stalled, reading in zip(peaks["stalled"], peaks["reading"])]
    found.figures = [
        Figure("the others' p99, by that when everybody reads", "ratio", ratios, at_most=1.2, durability=FULL),
        Figure("the others' p99", "ms", p99["stalled"], durability=FULL),
        Figure("peak RSS above that when everybody reads", "MiB", more, at_most=SLOW_MIB_MAX, durability=FULL)]
    return found


LINES = [
    Line("catch-up", "offline catch-up, 1,000 devices with 1,000 missed messages each", "Ten groups of 100 "
         "devices that have never connected. A reader of the bench (catch_up_reader.py) connects all devices, sends "
         "every hello at once, and counts up to the last message. Each device must get exactly 1,000. The reader "
         "doesn't ack. roost-load would be the limit here, because its devices check every message. Meanwhile 50 "
         "pairs `send` 500 messages/s; gauge measures them on the reader's core.", measure_catch_up, ("gauge",)),
    Line("slow-readers", "1 % of a 1,000-member group stops reading", "roost-load sends 25 messages/s of 8,000 bytes, "
         "and ten members stall for 22 s; in turns with the same load without stalls. The bound on memory is "
         "limits.outbox_max_bytes for each of the ten.", measure_slow, ("roost-load",)),
]
