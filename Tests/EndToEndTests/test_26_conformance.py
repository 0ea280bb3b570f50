"""RFC 6455 to the letter: the cases of conformance suites, on an echo server with the relay's transport and on the
relay itself. The relay can't echo: it answers each text with an error, because none of them is a command."""

import json
import re
import subprocess
import threading

import pytest

from harness.conformance import BINARY as BINARY_FRAME
from harness.conformance import CLOSE, TEXT, cases, close, frame, limits
from harness.raw import RawConnection
from harness.relay import BINARY
from harness.waiting import PATIENCE

ECHO = BINARY.parent / "roost-echo"
FRAME_BYTES = 262_144


@pytest.fixture(scope="module")
def echo():
    """The port of an echo server."""
    with subprocess.Popen([str(ECHO), "0"], stdout=subprocess.PIPE) as process:
        found = re.search(rb":(\d+)/", process.stdout.readline())
        try:
            yield int(found[1])
            assert process.poll() is None, "the echo server died"
        finally:
            process.kill()


class Client:
    """A connection after its handshake. It sends exact bytes and reads frames."""

    def __init__(self, port, line):
        self.raw = RawConnection(port)
        self.raw.upgrade(line)
        assert self.raw.response().status == 101

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.raw.socket.close()

    def write_all(self, writes):
        """Sends from a thread, because the server may not read on before its answer is read."""
        def send():
            try:
                for data in writes:
                    self.raw.socket.sendall(data)
            except OSError:
                pass  # The server has failed the connection. What it said is read below.
        thread = threading.Thread(target=send)
        thread.start()
        return thread

    def take(self, count):
        while len(self.raw.buffer) < count:
            self.raw.fill()
        taken, self.raw.buffer = self.raw.buffer[:count], self.raw.buffer[count:]
        return taken

    def read_frame(self):
        first, second = self.take(2)
        assert first & 0x70 == 0 and second & 0x80 == 0, "a server sets no reserved bit and no mask"
        assert first & 0x80, "this server sends whole messages"
        size = second & 0x7F
        if size > 125:
            size = int.from_bytes(self.take(2 if size == 126 else 8), "big")
        return first & 0x0F, self.take(size)


def run(port, line, one, expect, begin=None):
    """Sends a case. `expect` checks a frame, and says whether it ends the connection. `begin` makes the client a
    guest, where strangers may send less."""
    with Client(port, line) as client:
        client.raw.socket.settimeout(PATIENCE)
        if begin:
            begin(client)
        sending = client.write_all(one.writes)
        is_over = False
        for wanted in one.frames:
            if is_over := expect(client.read_frame(), wanted):
                break
        if not is_over and one.code is not None:
            if one.code == 1000:
                sending.join()
                client.raw.write(close(1000))
            opcode, payload = client.read_frame()
            assert (opcode, int.from_bytes(payload[:2], "big")) == (CLOSE, one.code)
        assert client.raw.is_at_end()
        sending.join()


def echoed(found, wanted):
    assert found == wanted
    return False


@pytest.mark.parametrize("one", [*cases, *limits], ids=str)
def test_an_echo_server(echo, one):
    run(echo, "GET / HTTP/1.1", one, echoed)


@pytest.mark.parametrize("one", cases, ids=str)
def test_the_relay(relay, one, name):
    def begin(client):
        hello = {"type": "hello", "id": 1, "token": relay.token(name("alice")), "device": "phone"}
        client.raw.write(frame(TEXT, json.dumps(hello).encode()))
        while json.loads(client.read_frame()[1])["type"] != "live":
            pass

    def answered(found, wanted):
        if wanted[0] == BINARY_FRAME:
            assert (found[0], int.from_bytes(found[1][:2], "big")) == (CLOSE, 1003)
            return True
        if wanted[0] == TEXT:
            assert len(wanted[1]) <= FRAME_BYTES
            answer = json.loads(found[1])
            assert (found[0], answer["type"], answer["code"]) == (TEXT, "error", "bad_json")
            return False
        return echoed(found, wanted)

    run(relay.port, "GET /v1/socket HTTP/1.1", one, answered, begin)


def test_a_command_behind_a_close_frame_is_not_carried_out(relay, name):
    """RFC 6455, sections 1.4 and 5.5.1: it would be stored although its sender has left."""
    def command(type, **members):
        return frame(TEXT, json.dumps({"type": type, **members}).encode())

    user = name("alice")
    with Client(relay.port, "GET /v1/socket HTTP/1.1") as client:
        client.raw.write(command("hello", id=1, token=relay.token(user), device="phone"))
        assert json.loads(client.read_frame()[1])["type"] == "welcome"
        client.raw.write(
            command("send", id=2, to="@" + name("bob"), key="before", body="before") + close(1000)
            + command("send", id=3, to="@" + name("bob"), key="behind", body="behind"))
        client.raw.rest()
    with Client(relay.port, "GET /v1/socket HTTP/1.1") as client:
        client.raw.write(command("hello", id=1, token=relay.token(name("bob")), device="phone"))
        bodies = []
        while "before" not in bodies:
            bodies.append(json.loads(client.read_frame()[1]).get("body"))
        client.raw.write(command("ping", id=9))
        while (told := json.loads(client.read_frame()[1]))["type"] != "pong":
            bodies.append(told.get("body"))
        assert "behind" not in bodies
