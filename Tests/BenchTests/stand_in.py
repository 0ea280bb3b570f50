"""A small server in place of the ceiling: /sub/TOPIC gets what is sent to /pub/TOPIC, unless a fault changes it."""

import asyncio
import collections
import contextlib
import re

from frames import read_frame, text_frame

UPGRADED = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"


class StandIn:
    """`fault(reader, count, payload)` returns what a reader gets in place of its message number `count`, from 0. Every
    delivery is delayed by this many seconds."""

    def __init__(self, fault=None, hold=0):
        self.fault = fault or (lambda reader, count, payload: [payload])
        self.hold, self.held = hold, collections.deque()
        self.readers = []  # Topic, writer of its stream, and how many messages were for it.

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0, backlog=1_000)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self.server.close()

    @property
    def topics(self):
        return [reader["topic"] for reader in self.readers]

    async def serve(self, stream, writer):
        with contextlib.closing(writer), contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            head = (await stream.readuntil(b"\r\n\r\n")).decode()
            side, topic = re.match(r"GET /(sub|pub)/(\S+) ", head).groups()
            if side == "sub":
                self.readers.append({"topic": topic, "writer": writer, "count": 0})
            writer.write(UPGRADED)
            while frame := await read_frame(stream):
                self.relay(topic, frame.payload)

    def relay(self, topic, payload):
        for number, reader in enumerate(self.readers):
            if reader["topic"] == topic:
                for instead in self.fault(number, reader["count"], payload):
                    self.deliver(reader["writer"], text_frame(instead))
                reader["count"] += 1

    def deliver(self, writer, frame):
        if not self.hold:
            writer.write(frame)
            return
        self.held.append((writer, frame))
        asyncio.get_running_loop().call_later(self.hold, self.release)

    def release(self):
        """Sends the oldest message, whichever timer fired, so that messages stay in order."""
        writer, frame = self.held.popleft()
        writer.write(frame)
