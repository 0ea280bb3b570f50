"""A separate program: many devices come back at once, and it reads what they missed as fast as it can.

    catch_up_reader.py PORT TOKENS EACH GO SECONDS

All devices connect first; when the file GO is there, all say hello, and the clock runs from then to the last of EACH
messages for every device. It only counts messages in the bytes that come, because parsing would measure Python.
"""

import json
import pathlib
import selectors
import socket
import sys
import time

from chat_client import frame, upgrade

MARK = b'"type":"message"'
READ_BYTES = 1 << 18


class Device:
    def __init__(self, port, token):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket.sendall(upgrade(port))
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self.socket.recv(4096) or sys.exit("the relay refused a connection")
        hello = {"type": "hello", "id": 1, "token": token, "device": "d"}
        self.hello = frame(json.dumps(hello).encode())
        self.count, self.tail = 0, b""

    def take(self, data):
        """Counts the messages in the bytes of a read, including those that are split over two reads."""
        self.count += data.count(MARK)
        edge = len(MARK) - 1
        self.count += (self.tail + data[:edge]).count(MARK)
        self.tail = data[-edge:] if len(data) >= edge else (self.tail + data)[-edge:]


def main():
    port, tokens, each, go, seconds = sys.argv[1:]
    each = int(each)
    devices = [Device(int(port), token) for token in pathlib.Path(tokens).read_text().split()]
    print("connected", flush=True)
    deadline = time.monotonic() + float(seconds)
    while not pathlib.Path(go).exists():
        if time.monotonic() > deadline:
            sys.exit("nobody said go")
        time.sleep(0.001)
    selector = selectors.EpollSelector()
    for device in devices:
        device.socket.setblocking(False)
        selector.register(device.socket, selectors.EVENT_READ, device)
    began = time.monotonic()
    for device in devices:
        device.socket.sendall(device.hello)
    missing = len(devices) * each
    while missing > 0 and time.monotonic() < deadline:
        for key, _ in selector.select(timeout=1):
            device = key.data
            before = device.count
            data = device.socket.recv(READ_BYTES)
            if not data:
                sys.exit("the relay cut a session")
            device.take(data)
            missing -= device.count - before
    took = time.monotonic() - began
    exact = sum(device.count == each for device in devices)
    usage = time.process_time()
    print(json.dumps({"devices": len(devices), "exact": exact, "messages": sum(device.count for device in devices),
                      "seconds": took, "cpuSeconds": usage}), flush=True)


if __name__ == "__main__":
    main()
