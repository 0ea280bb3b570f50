"""A separate program: some users ask for history at a steady rate, while others catch up.

    history_reader.py PORT READERS TRAVELLERS EACH RATE SECONDS

READERS and TRAVELLERS are files of tokens; `-` is none. Each traveller's device `away` says hello, gets EACH
messages, hangs up, and begins again, in a process of its own. The readers' time runs from when a request was due to its
answer.
"""

import json
import os
import pathlib
import selectors
import sys
import time

from chat_client import TEXT, ChatClient, frame
from flooder import READ_BYTES, UNDER_WAY, Relay, whole_frame

MEASURED_SECONDS = 10
WARM_SECONDS = 1
MESSAGES = 100
MARK = b'"type":"message"'
LIVE = b'"type":"live"'


class Reader(ChatClient):
    """Asks for the newest page of its own conversation."""

    def __init__(self, port, token, number):
        super().__init__(Relay(port), token, device="reader")
        self.place = self.call("conversation.create", kind="direct", members=[f"other{number}"])
        self.conversation = self.place["conversation"]["conversation"]
        for count in range(MESSAGES):
            self.call("send", to=self.conversation, key=f"k{count}", body="x" * 200)
        # Requests under way, and those that wait because the relay allows no more.
        self.due, self.waiting = {}, []
        self.times = []
        self.socket.setblocking(False)

    def ask(self, due):
        if len(self.due) == UNDER_WAY:
            return self.waiting.append(due)
        self.number += 1
        self.due[self.number] = due
        self.post({"type": "history", "id": self.number, "conversation": self.conversation, "limit": 50})

    def take(self, now):
        self.buffer += self.socket.recv(READ_BYTES) or sys.exit("the relay cut a reader")
        start = 0
        while (found := whole_frame(self.buffer, start)) is not None:
            kind, payload, start = found
            if kind != TEXT or b'"re":' not in payload[:200]:
                continue
            reply = json.loads(payload)
            if reply["type"] == "error":
                sys.exit(f"a reader was refused: {reply['code']}")
            due = self.due.pop(reply["re"], None)
            if due is not None:
                self.times.append((due, now - due))
            if self.waiting:
                self.ask(self.waiting.pop(0))
        self.buffer = self.buffer[start:]


class Traveller:
    """Catches up, again and again."""

    def __init__(self, port, token, each, selector):
        self.port, self.token, self.each, self.selector = port, token, each, selector
        self.rounds, self.missing, self.client = 0, 0, None
        self.begin()

    def begin(self):
        self.count, self.tail = 0, b""
        # What has come behind `welcome` is already in its buffer.
        self.client = ChatClient(Relay(self.port), self.token, device="away")
        self.client.socket.setblocking(False)
        self.selector.register(self.client.socket, selectors.EVENT_READ, self)
        if self.look(self.client.buffer):
            self.finish()

    def look(self, data):
        """Counts messages; true when the relay says that this was all."""
        edge = max(len(MARK), len(LIVE)) - 1
        text = self.tail + data
        self.count += text.count(MARK) - self.tail.count(MARK)
        self.tail = text[-edge:]
        return LIVE in text

    def finish(self):
        self.rounds += 1
        self.missing += self.count != self.each
        self.selector.unregister(self.client.socket)
        self.client.socket.close()
        self.begin()

    def take(self):
        data = self.client.socket.recv(READ_BYTES) or sys.exit("the relay cut a traveller")
        if self.look(data):
            self.finish()


def travel(port, tokens, each, seconds, result):
    """Lets all travellers catch up for so long, and writes what became of it."""
    selector = selectors.EpollSelector()
    travellers = [Traveller(port, token, each, selector) for token in tokens]
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for key, _ in selector.select(timeout=0.1):
            key.data.take()
    result.write(json.dumps([[one.rounds, one.missing] for one in travellers]))


def percentile(times, percent):
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))] * 1_000


def main():
    port, readers, travellers, each, rate, seconds = sys.argv[1:]
    port, each, rate = int(port), int(each), float(rate)
    readers = [Reader(port, token, number) for number, token in enumerate(pathlib.Path(readers).read_text().split())]
    selector = selectors.EpollSelector()
    for reader in readers:
        selector.register(reader.socket, selectors.EVENT_READ, reader)
    tokens = pathlib.Path(travellers).read_text().split() if travellers != "-" else []
    print("connected", flush=True)
    ours, theirs = os.pipe()
    if not os.fork():
        with os.fdopen(theirs, "w") as result:
            travel(port, tokens, each, WARM_SECONDS + MEASURED_SECONDS, result)
        os._exit(0)
    os.close(theirs)
    began = time.monotonic()
    end = began + WARM_SECONDS + MEASURED_SECONDS
    asked = 0
    while (now := time.monotonic()) < end or any(reader.due for reader in readers):
        if now > began + float(seconds):
            sys.exit("answers are missing")
        while now < end and began + asked / rate <= now:
            readers[asked % len(readers)].ask(began + asked / rate)
            asked += 1
        for key, _ in selector.select(timeout=max(0.0005, min(0.05, began + asked / rate - now))):
            key.data.take(time.monotonic())
    times = [took for reader in readers for due, took in reader.times if due >= began + WARM_SECONDS]
    with os.fdopen(ours) as result:
        told = result.read()
    if not told:
        sys.exit("a traveller failed")
    print(json.dumps({
        "p50": percentile(times, 50), "p99": percentile(times, 99), "max": percentile(times, 100),
        "answers": len(times), "rounds": [rounds for rounds, _ in json.loads(told)],
        "missing": sum(missing for _, missing in json.loads(told)),
        "cpuSeconds": time.process_time()}), flush=True)


if __name__ == "__main__":
    main()
