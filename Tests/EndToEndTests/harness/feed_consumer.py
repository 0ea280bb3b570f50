"""A program that follows the feed, to be killed at any moment: `feed_consumer.py PORT TOKEN FILE [LIMIT]`.

It appends the position of each event to the file and acks the page after that. It comes back when the connection is
lost. It imports little and speaks WebSocket by itself, so that it is up in some hundredths of a second."""

import json
import os
import socket
import struct
import sys
import time

HEAD = (
    "GET /v1/socket HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Protocol: roost.v1\r\n\r\n")


class Connection:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb", 1 << 18)
        self.socket.sendall(HEAD.encode())
        while (line := self.file.readline()) != b"\r\n":
            if not line:
                raise ConnectionError

    def frame(self, code, body):
        head = bytes([0x80 | code])
        if len(body) < 126:
            head += bytes([0x80 | len(body)])
        else:
            head += bytes([0x80 | 126]) + struct.pack(">H", len(body))
        # A mask of zeros is a mask.
        self.socket.sendall(head + bytes(4) + body)

    def read(self, count):
        body = self.file.read(count)
        if len(body) < count:
            raise ConnectionError
        return body

    def ask(self, type, **members):
        """Sends a command and returns its answer. Other frames are left out."""
        self.frame(1, json.dumps({"type": type, "id": 1, **members}).encode())
        while True:
            first, second = self.read(2)
            length = second & 127
            if length == 126:
                length, = struct.unpack(">H", self.read(2))
            elif length == 127:
                length, = struct.unpack(">Q", self.read(8))
            body = self.read(length)
            if first & 15 == 9:
                self.frame(10, body)
            elif first & 15 == 8:
                raise ConnectionError
            elif first & 15 == 1 and (answer := json.loads(body)).get("re") == 1:
                return answer

    def insist(self, type, **members):
        """Like `ask`, but waits as long as the relay says while it asks too much."""
        while (answer := self.ask(type, **members))["type"] == "error":
            if not answer["retry"]:
                sys.exit(json.dumps(answer))
            time.sleep(answer.get("retryAfter", 100) / 1000)
        return answer


def follow(port, token, file, limit):
    connection = Connection(port)
    if connection.ask("hello", token=token, operator=True)["type"] != "welcome":
        raise ConnectionError
    after = {}
    while True:
        page = connection.insist("feed", consumer="follower", limit=limit, wait=True, **after)["feed"]
        if page["events"]:
            os.write(file, "".join(event["position"] + "\n" for event in page["events"]).encode())
        if page["position"] != after.get("after"):
            connection.insist("feed.ack", consumer="follower", position=page["position"])
        after = {"after": page["position"]}


def main():
    port, token, path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    limit = int(sys.argv[4]) if len(sys.argv) > 4 else 256
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    while True:
        try:
            follow(port, token, file, limit)
        except (OSError, ConnectionError):
            time.sleep(0.01)


if __name__ == "__main__":
    main()
