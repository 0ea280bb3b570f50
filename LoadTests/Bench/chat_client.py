"""A small WebSocket client (RFC 6455) that speaks roost.v1, for setting things up. Not for load."""

import base64
import json
import os
import socket
import struct

from failure import BenchFailure

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


class ChatClient:
    """One session. Blocking, with a time limit on each step."""

    def __init__(self, relay, token, device="setup", seconds=60):
        self.socket = socket.create_connection(("127.0.0.1", relay.port), timeout=seconds)
        self.buffer = b""
        self.number = 0
        self.socket.sendall(upgrade(relay.port))
        while b"\r\n\r\n" not in self.buffer:
            self.receive()
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        if b" 101 " not in head.split(b"\r\n")[0] + b" ":
            raise BenchFailure(f"the relay refused a connection: {head[:100]!r}")
        # An operator's session is of no device.
        self.welcome = self.call("hello", token=token, **({"device": device} if device else {"operator": True}))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def call(self, command, /, **members):
        """Sends a command and returns its reply, which may not be an error."""
        return whole(self.ask(command, **members))

    def ask(self, command, /, **members):
        """Sends a command and returns its reply, also if that is an error."""
        self.number += 1
        self.post({"type": command, "id": self.number, **members})
        while (event := self.event()).get("re") != self.number:
            pass
        return event

    def reply(self, number):
        while (event := self.event()).get("re") != number:
            pass
        return whole(event)

    def post(self, command):
        self.socket.sendall(frame(json.dumps(command).encode()))

    def event(self):
        """Returns the next message from the relay."""
        while True:
            kind, payload = self.frame()
            if kind == TEXT:
                return json.loads(payload)
            if kind == PING:
                self.socket.sendall(frame(payload, PONG))
            if kind == CLOSE:
                raise BenchFailure(f"the relay closed a session: {payload[:80]!r}")

    def frame(self):
        self.need(2)
        kind, length = self.buffer[0] & 15, self.buffer[1] & 127
        head = {126: 4, 127: 10}.get(length, 2)
        self.need(head)
        if head > 2:
            length = int.from_bytes(self.buffer[2:head], "big")
        self.need(head + length)
        payload = self.buffer[head:head + length]
        self.buffer = self.buffer[head + length:]
        return kind, payload

    def need(self, count):
        while len(self.buffer) < count:
            self.receive()

    def receive(self):
        try:
            data = self.socket.recv(1 << 16)
        except TimeoutError:
            raise BenchFailure("the relay didn't answer in time")
        if not data:
            raise BenchFailure("the relay cut a session")
        self.buffer += data


def whole(reply):
    if reply["type"] == "error":
        raise BenchFailure(f"the relay answered {reply['code']}: {reply['reason']}")
    return reply


def upgrade(port):
    """The request that begins a session."""
    key = base64.b64encode(os.urandom(16)).decode()
    lines = ["GET /v1/socket HTTP/1.1", f"Host: localhost:{port}", "Upgrade: websocket", "Connection: Upgrade",
             f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: roost.v1", "", ""]
    return "\r\n".join(lines).encode()


def frame(payload, kind=TEXT):
    """Returns a frame with a mask of zeros, which leaves the bytes unchanged."""
    length = len(payload)
    if length < 126:
        head = struct.pack("!BB", 0x80 | kind, 0x80 | length)
    else:
        head = struct.pack("!BBH", 0x80 | kind, 0x80 | 126, length) if length < 65_536 else struct.pack(
            "!BBQ", 0x80 | kind, 0x80 | 127, length)
    return head + b"\0\0\0\0" + payload
