"""A separate program: one user spends its whole allowance on one kind of command, from several sessions.

    flooder.py PORT TOKEN KIND PLACE SECONDS

PLACE is a JSON object with what the commands name. First all sessions have several commands under way. Once one is
refused, all wait as long as the relay says and share a few, so that none of them is closed for being refused too often.
It ends after SECONDS, or on SIGTERM, and prints what was accepted.
"""

import itertools
import json
import selectors
import signal
import sys
import time

from chat_client import CLOSE, PING, PONG, TEXT, ChatClient, frame

SESSIONS = 8
# The relay allows four reads of one session at once.
UNDER_WAY = 4
# Reads of all sessions together, once the allowance is spent.
SHARED = 2
# Shortest wait after a refusal: the relay closes a session that is refused 100 times a second.
PAUSE_SECONDS = 0.02
READ_BYTES = 1 << 18


def commands(kind, place, number):
    """The commands of one session, without end and without ids."""
    for count in itertools.count():
        many = place.get("conversations", [])
        some = many[(count * SESSIONS + number) % len(many)] if many else None
        yield {
            "signals": lambda: {"type": "signal", "to": place["group"], "kind": "cursor", "body": {"x": count}},
            "reactions": lambda: {
                "type": "react", "conversation": place["group"], "sequence": 1, "reaction": f"r{number}",
                "remove": count % 2 == 1},
            "typing": lambda: {"type": "typing", "to": some},
            "members": lambda: {"type": "conversation.members", "conversation": place["group"], "limit": 100},
            "watch": lambda: {"type": ("watch", "unwatch")[count % 2], "users": place["users"]},
            "history": lambda: {"type": "history", "conversation": place["group"], "limit": 100},
            "list": lambda: {"type": "conversation.list", "limit": 100},
        }[kind]()


class Flooder(ChatClient):
    """One session."""

    def __init__(self, relay, token, number, flow):
        super().__init__(relay, token, device=f"f{number}")
        self.flow, self.purse = flow, None
        self.under_way = {}
        self.waiting = []
        self.taken = 0
        self.socket.setblocking(False)
        self.output = b""

    def fill(self, now):
        """Sends as many commands as may be under way."""
        while len(self.under_way) < UNDER_WAY and self.purse.allows(now):
            self.purse.under_way += 1
            command = self.waiting.pop() if self.waiting else next(self.flow)
            self.number += 1
            self.under_way[self.number] = command
            self.output += frame(json.dumps({**command, "id": self.number}).encode())
        self.flush()

    def flush(self):
        try:
            self.output = self.output[self.socket.send(self.output):] if self.output else b""
        except BlockingIOError:
            pass

    def take(self, now):
        """Reads what is there."""
        data = self.socket.recv(READ_BYTES)
        if not data:
            sys.exit("the relay cut the flooder")
        self.buffer += data
        start = 0
        while (found := whole_frame(self.buffer, start)) is not None:
            kind, payload, start = found
            if kind == CLOSE:
                sys.exit(f"the relay closed the flooder: {payload[:80]!r}")
            if kind == PING:
                self.output += frame(payload, PONG)
            # Only replies matter, and they name their command first or close to it.
            if kind == TEXT and b'"re":' in payload[:200]:
                self.answered(json.loads(payload), now)
        self.buffer = self.buffer[start:]

    def answered(self, reply, now):
        command = self.under_way.pop(reply.get("re"), None)
        if command is None:
            return
        self.purse.under_way -= 1
        if reply["type"] != "error":
            self.taken += 1
        elif reply["code"] in ("rate_limited", "busy"):
            self.waiting.append(command)
            self.purse.refuse(now, reply.get("retryAfter", 100) / 1_000)
        else:
            sys.exit(f"the relay answered {reply['code']}: {reply['reason']}")


class Purse:
    """The allowance of all sessions together, as far as the relay has reported it."""

    def __init__(self):
        self.under_way, self.again, self.refused = 0, 0.0, 0

    def allows(self, now):
        return now >= self.again and (not self.refused or self.under_way < SHARED)

    def refuse(self, now, seconds):
        self.refused += 1
        self.again = max(self.again, now + max(seconds, PAUSE_SECONDS))


def whole_frame(buffer, start):
    """The kind, the payload and the end of the frame that begins there, if all of it has come."""
    if len(buffer) < start + 2:
        return None
    length, head = buffer[start + 1] & 127, 2
    if length >= 126:
        head = 4 if length == 126 else 10
        if len(buffer) < start + head:
            return None
        length = int.from_bytes(buffer[start + 2:start + head], "big")
    end = start + head + length
    return (buffer[start] & 15, buffer[start + head:end], end) if len(buffer) >= end else None


class Relay:
    def __init__(self, port):
        self.port = port


def main():
    port, token, kind, place, seconds = sys.argv[1:]
    place = json.loads(place)
    sessions = [Flooder(Relay(int(port)), token, number, commands(kind, place, number)) for number in range(SESSIONS)]
    purse = Purse()
    for session in sessions:
        session.purse = purse
    ended = []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    selector = selectors.EpollSelector()
    for session in sessions:
        selector.register(session.socket, selectors.EVENT_READ, session)
    print("connected", flush=True)
    began = time.monotonic()
    while not ended and time.monotonic() - began < float(seconds):
        now = time.monotonic()
        for session in sessions:
            session.fill(now)
        # The next session begins, so that all of them are used.
        sessions.append(sessions.pop(0))
        for key, _ in selector.select(timeout=min(0.1, max(0.0005, purse.again - now))):
            key.data.take(time.monotonic())
    took = time.monotonic() - began
    print(json.dumps({
        "kind": kind, "seconds": took, "taken": sum(each.taken for each in sessions),
        "refused": purse.refused, "cpuSeconds": time.process_time()}), flush=True)


if __name__ == "__main__":
    main()
