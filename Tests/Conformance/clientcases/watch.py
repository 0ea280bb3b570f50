"""Invariants that must hold all along in every case, whatever its steps: of the app's frames, and of its screen."""

import time

REPLIES = {"ok", "error", "welcome", "pong"}
BEFORE_WELCOME = {"hello", "ping", "bye"}
# Answers that only a mistaken client gets.
MISTAKES = {"bad_json", "bad_request", "unknown_type", "not_ready"}
RANKS = {"sending": 0, "failed": 0, "sent": 1, "delivered": 2, "read": 3}
# The members that make a command the same one; a conversation has two names.
CONTENT = ("type", "kind", "body", "replyTo", "name", "users", "role", "forward")


class Broken(AssertionError):
    """Something that must always hold didn't."""


class Watch:
    """Sees all traffic and all lines of the app. It keeps violations, so that the case fails."""

    def __init__(self, case):
        self.case = case
        self.broken = []
        # Positions that the app was given: of events and `live`, and of `ok` on a live connection; with their epochs.
        self.given = {}
        # Sequences of messages that were withheld from the user, in any conversation.
        self.hidden = set()
        self.answered = {}
        self.epochs = {}
        self.is_live = {}
        self.is_welcome = set()
        self.open_ids = {}
        self.keys = {}
        # Until when a command must not be sent again, by link and key.
        self.patience = {}
        self.ranks = {}

    def check(self, holds, what):
        if not holds:
            self.broken.append(what)

    def raise_if_broken(self):
        if self.broken:
            raise Broken("; ".join(dict.fromkeys(self.broken)))

    # Traffic

    def passed(self, direction, frame, link):
        if direction == "up":
            self.said(frame, link.number)
        else:
            self.gave(frame, link.number)

    def said(self, frame, link):
        type, number = frame.get("type"), frame.get("id")
        first = link not in self.open_ids
        self.check(not first or type in BEFORE_WELCOME, f"{type} is the first command of a connection")
        self.check(link in self.is_welcome or type in BEFORE_WELCOME, f"{type} comes before the welcome")
        open_ids = self.open_ids.setdefault(link, {})
        if number is not None:
            self.check(number not in open_ids, f"two commands with the id {number} are under way")
            open_ids[number] = frame.get("key")
        if (key := frame.get("key")) is not None:
            content = {name: frame.get(name) for name in CONTENT}
            self.check(self.keys.setdefault(key, content) == content, f"the key {key} is used for two commands")
            until = self.patience.get((link, key), 0)
            self.check(time.monotonic() >= until, f"{type} comes again before the time that the relay asked for")
        if type == "ack":
            self.check_ack(frame["position"], link)
        if type == "hello" and (resume := frame.get("resume")) is not None:
            known = resume in self.given or resume in self.answered
            self.check(known, "hello resumes from a position that no event, no live and no ok on a live connection had")

    def check_ack(self, position, link):
        epoch = self.given.get(position, self.answered.get(position))
        self.check(epoch is not None, "an ack of a position that the app wasn't given, or of an ok while catching up")
        self.check(epoch is None or epoch == self.epochs.get(link), "an ack of another epoch's position")

    def gave(self, frame, link):
        type = frame.get("type")
        if type in REPLIES:
            key = self.open_ids.get(link, {}).pop(frame.get("re"), None)
            if type == "error":
                # A command that was refused has not used its key.
                self.keys.pop(key, None)
            asked = frame.get("retryAfter")
            if type == "error" and key is not None and isinstance(asked, int | float):
                self.patience[(link, key)] = time.monotonic() + asked / 1_000
        if type == "conversation" and frame.get("event") in ("slow", "role"):
            # The wait for a group may have ended with it.
            self.patience = {one: until for one, until in self.patience.items() if one[0] != link}
        if type == "welcome":
            self.is_welcome.add(link)
            self.epochs[link] = frame.get("epoch")
        if type == "live":
            self.is_live[link] = True
        if type == "error" and frame["code"] in MISTAKES and "as the case says" not in frame["reason"]:
            self.check(frame["code"] in self.case.errors, f"the relay answers {frame['code']}: {frame['reason']}")
        self.hidden |= {one["sequence"] for one in [frame, *frame.get("messages", [])] if one.get("hidden")}
        position = frame.get("position")
        if type == "ok" and position is not None and self.is_live.get(link):
            self.answered[position] = self.epochs.get(link)
        elif position is not None and type not in REPLIES:
            self.given[position] = self.epochs.get(link)

    # The app's screen

    def shown(self, app):
        for destination, timeline in app.timelines.items():
            self.check_rows(destination, timeline["items"])

    def check_rows(self, destination, items):
        ids, last, waits = set(), 0, False
        for item in items:
            if "gap" in item:
                first, end = item["gap"]
                self.check(first == last + 1 or last == 0, f"a gap begins at {first} after {last}")
                self.check(end >= first, f"a gap goes from {first} to {end}")
                last = end
                continue
            self.check(item["id"] not in ids, f"one row is shown twice: {item}")
            ids.add(item["id"])
            sequence = item.get("sequence")
            if sequence is None:
                waits = True
            else:
                self.check(not waits, f"{sequence} is shown after what waits")
                # Nothing is shown of messages hidden by a block in a conversation of two.
                left = set(range(last + 1, sequence)) - self.hidden
                self.check(not left or last == 0, f"{sequence} is shown after {last}, without a gap")
                last = sequence
            self.check_state(destination, item)

    def check_state(self, destination, item):
        if self.case.forgets or "state" not in item:
            return
        place = (destination, item["id"])
        rank = RANKS[item["state"]]
        self.check(rank >= self.ranks.get(place, 0), f"the state of {item} goes back")
        self.ranks[place] = rank
