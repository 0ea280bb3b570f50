"""Measures the effect on others of one user who spends the allowance, or catches up over very many conversations."""

import json
import pathlib
import shutil
import sys
import tempfile
import time

import harness
from accounts import NAMES_MAX, Accounts
from chat_client import ChatClient
from failure import BenchFailure
from findings import FULL, Figure, Findings, Line
from processes import GENERATOR_CORE
from servers import Relay

KINDS = ["signals", "reactions", "typing", "members", "watch", "history", "list"]
RATIO_MAX = 1.5
# An audience that costs the user a tenth of the allowance for each event.
AUDIENCE = 2_000
# The largest group in which the relay sends typing to others than the flooder itself.
TYPING_MEMBERS, TYPING_GROUPS = 250, 40
CONVERSATIONS, MESSAGES, MESSAGE_BYTES = 900, 200, 5_000
START_SECONDS, FLOOD_SECONDS = 60, 120
# A single slow write of a disk changes the p99 of ten seconds more than any user does.
MEMORY = "/dev/shm"
IN_MEMORY = "full, on a disk in memory"
# The relay's own, instead of the bench's.
ALLOWANCE = 2_000
SENDS_AT_ONCE = 200

TRAVELLERS, JOURNEYS = 4, 10_000
READERS, READS_PER_SECOND, HISTORY_MS = 20, 200, 50


class Flood:
    """A relay with the relay's own allowance, an audience, and a user who may flood it."""

    def __init__(self, bench):
        self.bench = bench
        self.relay = self.audience = None
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bench-", dir=MEMORY))
        try:
            self.relay = Relay(bench, store=self.folder / "roost.db", limits__commands_per_second=ALLOWANCE)
            self.accounts = Accounts(self.relay)
            self.places = self.make_places()
            self.audience = start(bench, "audience.py", self.relay.port, self.accounts.file(self.members),
                                  START_SECONDS + 60 * len(KINDS), idle=True)
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.audience:
            self.audience.stop()
        if self.relay:
            self.relay.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def make_places(self):
        self.members = [f"m{number}" for number in range(AUDIENCE)]
        owner = self.accounts.token("owner")
        with ChatClient(self.relay, owner) as session:
            made = [patient(session, "conversation.create", kind="group", name="Large", members=["flooder"])]
            for begin in range(0, AUDIENCE, NAMES_MAX):
                patient(session, "conversation.add", conversation=named(made[0]),
                        users=self.members[begin:begin + NAMES_MAX])
            patient(session, "send", to=named(made[0]), key="first", body="hello")
            for number in range(TYPING_GROUPS):
                made.append(patient(session, "conversation.create", kind="group", name=f"Typing {number}",
                                    members=["flooder", *self.members[:TYPING_MEMBERS]]))
            deep = patient(session, "conversation.create", kind="direct", members=["flooder"])
            for number in range(MESSAGES):
                patient(session, "send", to=named(deep), key=f"deep-{number}", body="x" * MESSAGE_BYTES)
        with ChatClient(self.relay, self.accounts.token("flooder")) as session:
            for number in range(CONVERSATIONS):
                patient(session, "send", to=f"@friend{number}", key=f"friend-{number}", body="x" * 200)
        large, *typing = map(named, made)
        return {kind: {"group": large} for kind in KINDS} | {
            "typing": {"conversations": typing}, "watch": {"users": self.members[:NAMES_MAX]},
            "history": {"group": named(deep)}, "list": {}}

    def begin(self, kind):
        return start(self.bench, "flooder.py", self.relay.port, self.accounts.token("flooder"), kind,
                     json.dumps(self.places[kind]), FLOOD_SECONDS, idle=True)


class Program:
    """One of the bench's own programs, on the generators' core."""

    def __init__(self, process, bench, log):
        self.process, self.bench, self.log = process, bench, log

    def stop(self):
        """Returns what it printed last."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=20)
            except Exception:
                pass
        self.bench.processes.stop(self.process)
        return self.log.read_text().strip().splitlines()[-1]

    def result(self):
        """The figures that it printed."""
        said = self.stop()
        if self.process.returncode:
            raise BenchFailure(f"a program of the bench failed: {said[-200:]}")
        return json.loads(said)


def start(bench, program, *words, idle=False):
    log = bench.new_folder(pathlib.Path(program).stem) / "output"
    process = bench.processes.start(
        [sys.executable, bench.sources / program, *words], GENERATOR_CORE, log=log, idle=idle)
    deadline = time.monotonic() + START_SECONDS
    while "connected" not in log.read_text():
        if process.poll() is not None or time.monotonic() > deadline:
            bench.processes.stop(process)
            raise BenchFailure(f"{program} didn't start: {log.read_text()[-200:]}")
        time.sleep(0.05)
    return Program(process, bench, log)


def patient(session, command, **members):
    """Calls, and calls again when the allowance is spent."""
    while True:
        try:
            return session.call(command, **members)
        except BenchFailure as failure:
            if "rate_limited" not in str(failure) and "busy" not in str(failure):
                raise
            time.sleep(0.2)


def named(reply):
    """The id of the conversation in a reply to `conversation.create`."""
    return reply["conversation"]["conversation"]


def others(bench, relay, seed):
    """The p99 of 200 pairs who chat, in milliseconds, and the report."""
    out = bench.new_folder("others")
    text = harness.call(
        bench, ["run", harness.SCENARIOS / "neighbours.yaml", "--pin", "--quiet", "--out", out,
                "--url", f"ws://127.0.0.1:{relay.port}/v1/socket", "--key-file", relay.key_file,
                "--pid", relay.process.pid, "--seed", seed], harness.AROUND_SECONDS)
    return harness.read(out / "report.json", text)


def measure_allowance(bench):
    found = Findings()
    alone, beside = [], {kind: [] for kind in KINDS}
    ratios = {kind: [] for kind in KINDS}
    kinds = KINDS[:1] if bench.quick else KINDS
    for turn in range(bench.runs):
        with Flood(bench) as flood:
            for kind in kinds:
                # Before each of them, because the machine changes within minutes.
                before = others(bench, flood.relay, turn * 100 + 1)
                flooder = flood.begin(kind)
                report = others(bench, flood.relay, turn * 100 + 2)
                flooded = flooder.result()
                alone.append(before.percentile("delivery", 99))
                beside[kind].append(report.percentile("delivery", 99))
                ratios[kind].append(beside[kind][-1] / alone[-1])
                for each in (before, report):
                    for warning in each.warnings:
                        found.note(f"{kind}: {warning}")
                found.raw.append({"kind": kind, "alone": alone[-1], "beside": beside[kind][-1],
                                  "p50": [each.percentile("delivery", 50) for each in (before, report)],
                                  "flooder": flooded, "faults": report.faults})
    found.figures = [
        *(Figure(f"{kind}: the others' p99, by that without", "ratio", ratios[kind], at_most=RATIO_MAX,
                 durability=IN_MEMORY) for kind in kinds),
        *(Figure(f"{kind}: the others' p99", "ms", beside[kind], durability=IN_MEMORY) for kind in kinds),
        Figure("the others' p99 without", "ms", alone, durability=IN_MEMORY)]
    return found


# MARK: Catching up


def make_journeys(relay, accounts, user):
    """Puts a user into `JOURNEYS` conversations with a message each, which its device `away` has missed."""
    ChatClient(relay, accounts.token(user), device="away").socket.close()
    with ChatClient(relay, accounts.token(user), device="home") as session:
        for begin in range(0, JOURNEYS, SENDS_AT_ONCE):
            last = 0
            for number in range(begin, begin + SENDS_AT_ONCE):
                session.number += 1
                last = session.number
                session.post({"type": "send", "id": last, "to": f"@{user}-{number}", "key": f"{number}",
                              "body": "here"})
            session.reply(last)


def measure_journeys(bench):
    found = Findings()
    figures = {0: [], 1: [], TRAVELLERS: []}
    users = [f"t{number}" for number in range(1 if bench.quick else TRAVELLERS)]
    store = bench.new_folder("store") / "roost.db"
    with Relay(bench, store=store) as relay:
        for user in users:
            make_journeys(relay, Accounts(relay), user)
    for _ in range(bench.runs):
        # What was missed before the start is read from the log.
        with Relay(bench, store=store) as relay:
            accounts = Accounts(relay)
            for count in [0, 1, TRAVELLERS][:2 if bench.quick else 3]:
                words = [relay.port, accounts.file([f"r{number}" for number in range(READERS)]),
                         accounts.file(users[:count]) if count else "-", JOURNEYS, READS_PER_SECOND, START_SECONDS]
                reader = start(bench, "history_reader.py", *words)
                reader.process.wait(timeout=START_SECONDS + 30)
                result = reader.result()
                if result["missing"]:
                    raise BenchFailure(f"a traveller didn't get everything: {result}")
                figures[count].append(result["p99"])
                found.raw.append({"travellers": count, **result})
    found.figures = [
        Figure(f"{count} who catch up: p99 of others' `history`", "ms", values,
               at_most=HISTORY_MS if count else None, durability=FULL)
        for count, values in figures.items() if values]
    return found


LINES = [
    Line("allowance", "others beside one user who spends the whole allowance", "One user spends what it is allowed to "
         "(2,000 a second) from 8 sessions on one kind of command: signals and reactions in a group of 2,000 who are "
         "connected, typing in 40 groups of 250, pages of members, watching 500 users, pages of history of 500 KB, "
         "pages of 900 conversations. Meanwhile roost-load measures 200 pairs who send 1,000 messages/s.",
         measure_allowance, ("roost-load",)),
    Line("journeys", "history beside users who catch up over 10,000 conversations", "A device has missed a message in "
         "each of 10,000 conversations of its user before the relay was started, and catches up again and again from "
         "the log; then those of four users do at once. Meanwhile 20 others ask for 200 pages of history a second.",
         measure_journeys),
]
