"""Measures what a pair who write to each other notice of others' requests, and how fast those are answered."""

import contextlib
import json
import pathlib
import random
import tempfile

import askers
from accounts import Accounts
from directory import imported
from findings import FULL, Figure, Findings, Line
from neighbours import IN_MEMORY, MEMORY, start
from processes import resident_kib
from servers import Relay, remove

SECONDS, START_SECONDS = 10, 60
HEAD = {"type": "export", "format": 1, "scope": "all", "epoch": "bench000", "head": 0, "time": 1}
OWNERS, CONTACTS = 20, 1_000
FINDERS, EDITORS, GROUPS = 10, 50, 30
PEOPLE, EVENTS = 100_000, 1_000_000


class Beside:
    """One measurement: the pair alone, and then beside askers of a kind."""

    def __init__(self, kind, users=(), scope=None, **settings):
        self.kind, self.users, self.scope, self.settings = kind, list(users), scope, settings
        self.is_contact = self.kind == "contacts"
        self.found = Findings()
        self.pair = {"alone": [], "beside": []}
        self.asked = []

    @contextlib.contextmanager
    def store(self, bench, size):
        store = imported(bench, self.export(size))
        yield store
        remove(store)

    def place(self, size):
        return {}

    def measure(self, bench, sizes):
        size = sizes[bench.quick]
        seconds = 2 if bench.quick else SECONDS
        for _ in range(bench.runs):
            with self.store(bench, size) as store, Relay(bench, store=store, **self.settings) as relay:
                self.resident = resident_kib(relay.process) / 1024
                accounts = Accounts(relay)
                claims = {"scope": self.scope} if self.scope else {}
                tokens = accounts.file(self.users, **claims)
                self.pair["alone"].append(self.run_pair(bench, relay, accounts, seconds))
                asker = start(bench, "askers.py", relay.port, self.kind, tokens, START_SECONDS * 10,
                              json.dumps(self.place(size)), idle=True)
                self.pair["beside"].append(self.run_pair(bench, relay, accounts, seconds))
                self.asked.append(self.end(asker))
                self.found.raw.append({"alone": self.pair["alone"][-1], "beside": self.pair["beside"][-1],
                                       "asked": self.asked[-1], "mebibytes": self.resident})
        return self

    def end(self, asker):
        return asker.result()

    def run_pair(self, bench, relay, accounts, seconds):
        tokens = accounts.file(["alice", "bob"])
        place = json.dumps({"asContacts": self.is_contact})
        pair = start(bench, "askers.py", relay.port, "pair", tokens, seconds, place)
        pair.process.wait(timeout=seconds + START_SECONDS)
        return pair.result()

    def figures(self, prefix="", durability=FULL):
        for name, runs in self.pair.items():
            for what in ("acked", "arrived"):
                for part in ("p50", "p99"):
                    yield Figure(f"{prefix}a pair's messages {what}, {name}: {part}", "ms",
                                 [run[what][part] for run in runs], durability=durability)
        for what in dict.fromkeys(what for run in self.asked for what in run):
            times = [run[what] for run in self.asked if isinstance(run.get(what), dict) and "p50" in run[what]]
            if times and what != "whole feed":
                yield Figure(f"{prefix}{what}: p50", "ms", [each["p50"] for each in times])
                yield Figure(f"{prefix}{what}: p99", "ms", [each["p99"] for each in times])


class Contacts(Beside):
    def export(self, size):
        yield HEAD
        yield from ({"type": "user", "user": f"u{number}"} for number in range(size))
        for number in range(OWNERS * CONTACTS):
            yield {"type": "contact", "user": f"u{number // CONTACTS}", "kind": "trainer", "label": f"client {number}",
                   "other": f"u{OWNERS + number}", "otherKind": "client", "since": 1767225600000}

    def place(self, size):
        return {"owners": OWNERS, "contacts": CONTACTS, "users": size}


class Find(Beside):
    def export(self, size):
        dice = random.Random(1)
        yield HEAD
        for number in range(size):
            yield {"type": "user", "user": f"u{number}"}
            yield {"type": "profile", "user": f"u{number}", "version": 1, "name": askers.person(dice),
                   "username": f"person.{number}", "photo": f"photos/{number:08x}"}

    def place(self, size):
        return {"users": size, "groups": GROUPS if self.settings["directory__find"] == "contacts" else 0}


class Feed(Beside):
    def export(self, size):
        yield HEAD | {"head": size}
        yield from ({"type": "user", "user": f"w{number}"} for number in range(2))
        yield {"type": "conversation", "conversation": "c", "kind": "group", "name": "Long"}
        yield from ({"type": "member", "conversation": "c", "user": f"w{number}", "role": "member"}
                    for number in range(2))
        for number in range(1, size + 1):
            yield {"type": "message", "conversation": "c", "position": number, "from": "w0", "time": 1,
                   "sequence": number, "key": f"k{number}",
                   "body": f"message {number} of a long log, about as long as people write"}

    def place(self, size):
        return {"events": size}

    def end(self, asker):
        """Waits until the whole log was read, each event once and in order."""
        asker.process.wait(timeout=START_SECONDS * 10)
        return asker.result()


class Edits(Beside):
    @contextlib.contextmanager
    def store(self, bench, size):
        # A single slow write of a disk changes the p99 of ten seconds more than any user does.
        with tempfile.TemporaryDirectory(prefix="bench-", dir=MEMORY) as folder:
            yield pathlib.Path(folder) / "roost.db"


def measure_contacts(bench):
    line = Contacts("contacts", [f"u{number}" for number in range(OWNERS)], contacts__kinds="friend,trainer/client",
                    gate__mode="on").measure(bench, (PEOPLE, OWNERS * CONTACTS + 2_000))
    line.found.figures = [*line.figures(), Figure("RSS at the start", "MiB", [line.resident])]
    return line.found


def measure_find(bench):
    found = Findings()
    for rule in ("everyone", "contacts", "exact"):
        line = Find("find", [f"u{number}" for number in range(FINDERS)], directory__find=rule)
        line.measure(bench, (PEOPLE, 2_000))
        found.figures += line.figures(f"{rule}: ")
        found.figures.append(Figure(f"{rule}: searches that found somebody", "", [
            run["counts"].get("found somebody", 0) for run in line.asked]))
        found.raw += [{"rule": rule, **each} for each in line.found.raw]
    return found


def measure_edits(bench):
    line = Edits("edits", [f"w{number}" for number in range(EDITORS)], limits__commands_per_second=2_000)
    line.measure(bench, (0, 0))
    line.found.figures = [*line.figures(durability=IN_MEMORY), Figure("edits of others", "edits/s", [
        run["edits"]["count"] / run["seconds"] for run in line.asked], durability=IN_MEMORY)]
    return line.found


def measure_feed(bench):
    line = Feed("feed", ["mill"], scope="service", limits__backlog_max=100).measure(bench, (EVENTS, 20_000))
    line.found.figures = [*line.figures(), Figure("the feed from the beginning of the log", "events/s", [
        run["counts"]["events"] / run["seconds"] for run in line.asked], durability=FULL)]
    return line.found


LINES = [
    Line("beside-contacts", "a pair beside users who list 1,000 contacts each", "100,000 users are imported; 20 have "
         "1,000 contacts each and the gate is on. Five times a second each lists them, whole or in pages of 100, or "
         "writes to a contact or to a stranger, which is refused. One pair writes 300 messages/s, alone and then "
         "beside them. A message counts from when it was due.", measure_contacts),
    Line("beside-find", "a pair beside users who search among 100,000", "100,000 users with names are imported. Ten "
         "people type names: each letter is a `user.find`. For each policy of `directory.find`.", measure_find),
    Line("beside-edits", "a pair beside users who rewrite long texts", "50 users each edit a text of 19,000 characters "
         "again when the edit before is stored, or when the relay lets them.", measure_edits),
    Line("beside-feed", "a pair beside a service that reads a long log", "A log of 1,000,000 messages is imported, and "
         "a consumer reads it by `feed`. It must get each event once and in order.", measure_feed),
]
