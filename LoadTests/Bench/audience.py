"""A separate program: many sessions that read what comes, look at nothing and write nothing.

    audience.py PORT TOKENS SECONDS

It prints `connected` when all sessions were welcomed, and ends after SECONDS or on SIGTERM.
"""

import json
import pathlib
import selectors
import signal
import socket
import sys
import time

from chat_client import PONG, frame, upgrade

READ_BYTES = 1 << 18
# More than the relay checks at once wouldn't be welcome sooner.
AT_ONCE = 64
# How often each session reports that it is there, so that it needn't look for pings.
ALIVE_SECONDS = 10


def connect(port, token):
    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
    connection.sendall(upgrade(port))
    hello = json.dumps({"type": "hello", "id": 1, "token": token, "device": "a"}).encode()
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += connection.recv(4096) or sys.exit("the relay refused a connection")
    connection.sendall(frame(hello))
    return connection


def main():
    port, tokens, seconds = sys.argv[1:]
    waiting = pathlib.Path(tokens).read_text().split()
    connections = []
    while waiting:
        some, waiting = waiting[:AT_ONCE], waiting[AT_ONCE:]
        new = [connect(int(port), token) for token in some]
        for connection in new:
            if b'"welcome"' not in connection.recv(READ_BYTES):
                sys.exit("somebody was not welcomed")
        connections += new
    selector = selectors.EpollSelector()
    for connection in connections:
        connection.setblocking(False)
        selector.register(connection, selectors.EVENT_READ, connection)
    ended = []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    print("connected", flush=True)
    deadline = time.monotonic() + float(seconds)
    spoken = time.monotonic()
    while not ended and time.monotonic() < deadline:
        if time.monotonic() > spoken + ALIVE_SECONDS:
            spoken = time.monotonic()
            for connection in connections:
                connection.send(frame(b"", PONG))
        for key, _ in selector.select(timeout=0.2):
            data = key.data.recv(READ_BYTES)
            if not data:
                sys.exit("the relay cut one of the audience")


if __name__ == "__main__":
    main()
