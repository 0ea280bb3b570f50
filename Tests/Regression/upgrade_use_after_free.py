#!/usr/bin/env python3
"""A relay under valgrind must not read freed memory when a client asks for strange upgrades.

libwebsockets 4.1 frees a request's headers before it asks whether an unknown upgrade on a kept-alive connection is
welcome, and goes on reading them unless the answer is no (its report NN-2025-0102). This starts the relay under
valgrind, sends what triggers that and other broken handshakes, then checks that a good client is served and that
valgrind saw no invalid access inside libwebsockets.

Usage: upgrade_use_after_free.py COMMAND...
`{port}` in the command becomes a free port, `{folder}` an empty folder that goes away afterwards:
    upgrade_use_after_free.py ./roost serve --port {port} --store {folder}/roost.db
"""

import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

PATH = "/v1/socket"
START_SECONDS = 90
ANSWER_SECONDS = 30


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def dial(port):
    client = socket.create_connection(("127.0.0.1", port), timeout=ANSWER_SECONDS)
    client.settimeout(ANSWER_SECONDS)
    return client


def wait_for_server(port, server):
    limit = time.monotonic() + START_SECONDS
    while time.monotonic() < limit:
        if server.poll() is not None:
            sys.exit(f"the server ended with {server.returncode} before it listened")
        try:
            dial(port).close()
            return
        except OSError:
            time.sleep(0.2)
    sys.exit("the server does not listen")


def read_head(client):
    head = b""
    while b"\r\n\r\n" not in head:
        part = client.recv(4096)
        if not part:
            return head, b""
        head += part
    head, _, rest = head.partition(b"\r\n\r\n")
    return head, rest


def read_response(client):
    head, body = read_head(client)
    length = re.search(rb"content-length: *(\d+)", head, re.I)
    while length and len(body) < int(length[1]):
        part = client.recv(4096)
        if not part:
            break
        body += part
    return head


def drain(client):
    try:
        while client.recv(4096):
            pass
    except OSError:
        pass


def unknown_upgrades(port):
    """The trigger: a request whose connection is kept, then an unknown upgrade."""
    get = b"GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n"
    for name in (b"foo", b"websocketx", b"h3", b"x" * 300):
        upgrade = b"GET /healthz HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: " + name + b"\r\n\r\n"
        client = dial(port)
        client.sendall(get)
        read_response(client)
        client.sendall(upgrade)
        drain(client)
        client.close()
        pipelined = dial(port)
        pipelined.sendall(get + upgrade + get)
        drain(pipelined)
        pipelined.close()


def handshake(**changes):
    headers = {
        "Host": "localhost",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Protocol": "roost.v1",
    }
    headers.update({name.replace("_", "-"): value for name, value in changes.items()})
    lines = [f"{name}: {value}\r\n" for name, value in headers.items() if value is not None]
    return (f"GET {PATH} HTTP/1.1\r\n" + "".join(lines) + "\r\n").encode()


def broken_handshakes(port):
    for request in (
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: " + b"y" * 9000 + b"\r\n\r\n",
        handshake(Sec_WebSocket_Key=None),
        handshake(Sec_WebSocket_Protocol="nobody, knows, these"),
        handshake(Sec_WebSocket_Version="8"),
        handshake(Upgrade="h2c", Connection="Upgrade, HTTP2-Settings", HTTP2_Settings="AAMAAABkAARAAAAA"),
        handshake() + b"\x83\x80\x00\x00\x00\x00",
    ):
        client = dial(port)
        client.sendall(request)
        drain(client)
        client.close()


def half_handshakes(port):
    whole = handshake()
    for cut in range(1, len(whole), 9):
        client = dial(port)
        client.sendall(whole[:cut])
        if cut % 2:
            # Ends with a reset instead of an orderly end.
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()


def good_client(port):
    client = dial(port)
    client.sendall(handshake())
    head, rest = read_head(client)
    assert head.startswith(b"HTTP/1.1 101"), head
    client.sendall(b"\x89\x82\x00\x00\x00\x00hi")
    while len(rest) < 4:
        part = client.recv(4096)
        assert part, "the server hung up on a good client"
        rest += part
    assert rest.startswith(b"\x8a\x02hi"), rest
    client.close()


def stop(server):
    server.send_signal(signal.SIGTERM)
    try:
        server.wait(timeout=60)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def invalid_accesses(log):
    """The blocks of valgrind's log that tell of an invalid access with libwebsockets on the stack."""
    lines = [re.sub(r"^==\d+== ?", "", line) for line in log.splitlines()]
    blocks = "\n".join(lines).split("\n\n")
    return [block for block in blocks if re.match(r"\s*Invalid (read|write|free)", block) and "libwebsockets" in block]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        log_path = os.path.join(folder, "valgrind.log")
        data = os.path.join(folder, "data")
        os.mkdir(data)
        command = [word.replace("{port}", str(port)).replace("{folder}", data) for word in sys.argv[1:]]
        valgrind = ["valgrind", "--error-exitcode=99", "--undef-value-errors=no", "--num-callers=24"]
        server = subprocess.Popen([*valgrind, f"--log-file={log_path}", *command])
        try:
            wait_for_server(port, server)
            for _ in range(3):
                unknown_upgrades(port)
                broken_handshakes(port)
                half_handshakes(port)
                good_client(port)
            assert server.poll() is None, f"the server ended with {server.returncode}"
        finally:
            stop(server)
        with open(log_path, encoding="utf-8", errors="replace") as file:
            log = file.read()
        found = invalid_accesses(log)
        if found or server.returncode == 99:
            sys.exit("valgrind found invalid accesses:\n" + ("\n\n".join(found) or log))
    print("no invalid access in libwebsockets")


if __name__ == "__main__":
    main()
