"""A separate program: users who ask the relay for one thing after another, or one pair who write to each other.

    askers.py PORT KIND TOKENS SECONDS PLACE

Each line of TOKENS is a user's. PLACE is a JSON object with what the commands name. It ends after SECONDS, or on
SIGTERM, and prints how often each thing was done, and how many milliseconds it took.
"""

import json
import pathlib
import random
import signal
import sys
import threading
import time
from types import SimpleNamespace

from chat_client import ChatClient
from failure import BenchFailure

RATE, ASKS_PER_SECOND, LETTER_SECONDS = 300, 5, 0.15
SYLLABLES = "an be cor da el fa gi ha in jo ka li mar na ol pe ro sa ti ul vi wo xe ya zo".split()
EDITED_CHARACTERS = 19_000


def person(dice):
    """A name of two words."""
    return " ".join("".join(dice.choices(SYLLABLES, k=dice.randint(2, 3))).title() for _ in range(2))


class Times:
    """Times in milliseconds, by what was done, and other counts."""

    def __init__(self):
        self.of, self.counts, self.lock = {}, {}, threading.Lock()

    def note(self, what, began):
        took = (time.perf_counter() - began) * 1000
        with self.lock:
            self.of.setdefault(what, []).append(took)

    def count(self, what, number=1):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + number

    def summary(self):
        return {"counts": self.counts} | {what: summary(times) for what, times in self.of.items()}


def summary(times):
    times = sorted(times)
    return {"count": len(times), "p50": times[len(times) // 2], "p99": times[len(times) * 99 // 100], "max": times[-1]}


class Asker:
    """One user. `ask` does one thing and notes how long it took."""

    def __init__(self, port, token, number, place, times):
        self.number, self.place, self.times = number, SimpleNamespace(**place), times
        self.session = ChatClient(SimpleNamespace(port=port), token, device="asks")
        self.dice = random.Random(number)
        self.done = 0
        self.prepare()

    def prepare(self):
        """Makes what must exist before the first request."""

    def wait(self, began):
        """The pause after one thing."""
        time.sleep(max(0, began + 1 / ASKS_PER_SECOND - time.perf_counter()))

    def run(self, end):
        while (began := time.perf_counter()) < end():
            self.done += 1
            self.ask(began)
            self.wait(began)


class Contacts(Asker):
    """Lists its contacts, whole and in pages, and writes to contacts and to strangers, which is refused."""

    def ask(self, began):
        owners, each = self.place.owners, self.place.contacts
        contact = owners + self.number * each + self.dice.randrange(each)
        stranger = self.dice.randrange(owners * (1 + each), self.place.users)
        (self.whole, self.pages, lambda at: self.write(at, "first message to a contact", contact),
         lambda at: self.write(at, "refusal of a stranger", stranger, refused=True))[self.dice.randrange(4)](began)

    def whole(self, began):
        page = self.session.call("contact.list", limit=self.place.contacts)
        self.times.note("list of all contacts", began)
        if len(page["contacts"]) != self.place.contacts:
            raise BenchFailure("a contact is missing")

    def pages(self, began):
        after, seen = {}, 0
        while after is not None:
            page = self.session.call("contact.list", limit=100, **after)
            seen += len(page["contacts"])
            after = {"after": page["next"]} if "next" in page else None
        self.times.note("the same in pages of 100", began)
        if seen != self.place.contacts:
            raise BenchFailure("a contact is missing")

    def write(self, began, what, user, refused=False):
        answer = self.session.ask("send", to=f"@u{user}", key=f"{began}", body="hello")
        self.times.note(what, began)
        if answer.get("code") != ("no_relationship" if refused else None):
            raise BenchFailure(f"{what}: {answer}")


class Find(Asker):
    """Types names into a search field: each letter is a `user.find`."""

    def prepare(self):
        for group in range(self.place.groups):
            members = [f"u{self.dice.randrange(self.place.users)}" for _ in range(7)]
            self.session.call("conversation.create", kind="group", name=f"Crew {group}", members=members)

    def ask(self, began):
        letters = self.done % 5 + 1
        if letters == 1:
            self.name = person(self.dice).lower()
        answer = self.session.call("user.find", prefix=self.name[:letters], limit=20)
        self.times.note("searches", began)
        self.times.count("found somebody", bool(answer["profiles"]))

    def wait(self, began):
        time.sleep(LETTER_SECONDS)

    def run(self, end):
        self.name, self.done = "", -1
        super().run(end)


class Edits(Asker):
    """Rewrites a long text, again as soon as the relay lets it."""

    def prepare(self):
        made = self.session.call("conversation.create", kind="group", name="Own", members=[])
        self.group = made["conversation"]["conversation"]
        self.session.call("send", to=self.group, key="first", body="x" * EDITED_CHARACTERS)

    def ask(self, began):
        body = f"{self.done}".ljust(EDITED_CHARACTERS, "y")
        answer = self.session.ask("edit", conversation=self.group, sequence=1, body=body)
        if answer["type"] == "error":
            self.times.count("refused")
            time.sleep(answer.get("retryAfter", 100) / 1000)
        else:
            self.times.note("edits", began)

    def wait(self, began):
        pass


class Feed(Asker):
    """A service that reads the log from its beginning, and checks that each event comes once and in order."""

    def __init__(self, port, token, number, place, times):
        self.times, self.place = times, SimpleNamespace(**place)
        self.session = ChatClient(SimpleNamespace(port=port), token, device=None)

    def run(self, end):
        after, seen, last = {}, 0, 0
        began = time.perf_counter()
        while seen < self.place.events and time.perf_counter() < end():
            page = self.call("feed", consumer="bench", limit=256, wait=True, **after)["feed"]
            for event in page["events"]:
                position = int(event["position"].rpartition("-")[2])
                if position <= last:
                    raise BenchFailure("the feed gave an event twice or out of order")
                last, seen = position, seen + 1
            if page["position"] != after.get("after"):
                self.call("feed.ack", consumer="bench", position=page["position"])
            after = {"after": page["position"]}
        if seen < self.place.events:
            raise BenchFailure(f"the feed gave {seen} events of {self.place.events}")
        self.times.note("whole feed", began)
        self.times.count("events", seen)

    def call(self, command, **members):
        """Asks again as late as the relay says while it asks too much."""
        while (answer := self.session.ask(command, **members))["type"] == "error":
            if not answer["retry"]:
                raise BenchFailure(f"the relay answered {answer['code']}")
            time.sleep(answer.get("retryAfter", 100) / 1000)
        return answer


class Pair:
    """The first user writes to the second at a steady pace. Each message counts from when it was due."""

    def __init__(self, port, tokens, place, times):
        self.times, self.rate, self.due = times, place.get("rate", RATE), []
        # New devices, which have missed nothing.
        self.name = f"pair-{time.time_ns()}"
        self.writer, self.reader = (ChatClient(SimpleNamespace(port=port), token, device=self.name) for token in tokens)
        if place.get("asContacts"):
            self.writer.call("contact.invite", user="bob")
            self.reader.call("contact.accept", user="alice")
        made = self.writer.call("conversation.create", kind="group", name="Now", members=["bob"])
        self.group = made["conversation"]["conversation"]
        self.first = self.writer.number + 1

    def run(self, end):
        def arrived(event):
            is_ours = event["type"] == "message" and event["conversation"] == self.group
            return int(event["body"]) if is_ours else -1

        threads = [threading.Thread(target=self.follow, args=each, daemon=True) for each in (
            ("acked", self.writer, lambda event: event.get("re", 0) - self.first), ("arrived", self.reader, arrived))]
        self.all, self.fault, self.is_over = [threading.Event() for _ in threads], None, False
        for thread in threads:
            thread.start()
        began = time.perf_counter()
        while (due := began + len(self.due) / self.rate) < end():
            time.sleep(max(0, due - time.perf_counter()))
            self.due.append(due)
            number = self.first + len(self.due) - 1
            self.writer.post({"type": "send", "id": number, "to": self.group, "key": f"{self.name}-{number}",
                              "body": str(len(self.due) - 1)})
        self.is_over = True
        for name, one in zip(("acked", "arrived"), self.all, strict=True):
            if not one.wait(30):
                raise BenchFailure(self.fault or f"not all messages {name}")

    def follow(self, what, session, number_of):
        """Notes each message once and in order."""
        done = self.all[0 if what == "acked" else 1]
        seen = 0
        while not (self.is_over and seen == len(self.due)):
            session.socket.settimeout(0.2 if self.is_over else 5)
            try:
                number = number_of(session.event())
            except BenchFailure as failure:
                if self.is_over and "in time" in str(failure):
                    continue
                self.fault = str(failure)
                return
            if number < 0:
                continue
            if number != seen:
                self.fault = f"message {number} {what} where {seen} was to come"
                return
            self.times.note(what, self.due[number])
            seen += 1
        done.set()


KINDS = {"contacts": Contacts, "find": Find, "edits": Edits, "feed": Feed}


def main():
    port, kind, tokens, seconds, place = sys.argv[1:]
    port, place, tokens = int(port), json.loads(place), pathlib.Path(tokens).read_text().split()
    times, over, failures = Times(), threading.Event(), []
    signal.signal(signal.SIGTERM, lambda *_: over.set())
    if kind == "pair":
        askers = [Pair(port, tokens, place, times)]
    else:
        askers = [KINDS[kind](port, token, number, place, times) for number, token in enumerate(tokens)]
    print("connected", flush=True)
    began = time.perf_counter()

    def end():
        return 0 if over.is_set() or failures else began + float(seconds)

    def work(asker):
        try:
            asker.run(end)
        except Exception as failure:
            failures.append(f"{type(failure).__name__}: {failure}")
    threads = [threading.Thread(target=work, args=(asker,)) for asker in askers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        sys.exit(failures[0])
    print(json.dumps({**times.summary(), "seconds": time.perf_counter() - began}), flush=True)


if __name__ == "__main__":
    main()
