"""Where a relay may listen: IPv6, localhost, and a Unix socket for a proxy on the same machine."""

import contextlib
import http.client
import json
import socket
import stat
import subprocess

import pytest
from websockets.asyncio.client import connect, unix_connect

from harness.relay import BINARY, PATIENCE, Relay, environment


async def chats(relay, connection, user):
    """Says hello and gets an answer."""
    async with connection as client:
        await client.send(json.dumps({"type": "hello", "id": 1, "token": relay.token(user), "device": "phone"}))
        welcome = json.loads(await client.recv())
        assert welcome["type"] == "welcome" and welcome["user"] == user
        await client.send(json.dumps({"type": "ping", "id": 2}))
        while (frame := json.loads(await client.recv()))["type"] != "pong":
            assert frame["type"] != "error", frame


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
        return True
    except OSError:
        return False


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
@pytest.mark.parametrize("host", ["::1", "::"])
async def test_ipv6(start, host):
    relay = start(listen__host=host)
    await chats(relay, connect(f"ws://[::1]:{relay.port}/v1/socket", subprotocols=["roost.v1"]), "alice")
    with contextlib.closing(http.client.HTTPConnection("::1", relay.port, timeout=PATIENCE)) as page:
        page.request("GET", "/readyz")
        assert page.getresponse().status == 200
    if host == "::":
        # IPv4 comes in by the same socket, and counts as the same address as always.
        await (await relay.device("bob")).bye()
    else:
        with pytest.raises(OSError):
            relay.get("/readyz")


async def test_localhost(start):
    relay = start(listen__host="localhost")
    await (await relay.device("alice")).bye()


class Local(Relay):
    """A relay at a Unix socket."""

    def __init__(self, folder):
        self.path = folder / "roost.sock"
        super().__init__(folder, listen__host=f"unix:{self.path}")

    def read_announcement(self):
        line = self.process.stdout.readline().decode()
        assert f"listens on unix:{self.path}\n" in line, line + self.log()
        return 0


@pytest.fixture
def local(tmp_path):
    relay = Local(tmp_path)
    yield relay
    if relay.is_running():
        assert relay.stop() == 0


async def test_a_unix_socket(local):
    await chats(local, unix_connect(str(local.path), "ws://roost/v1/socket", subprotocols=["roost.v1"]), "alice")
    mode = local.path.stat().st_mode
    assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o660


async def test_the_socket_of_a_relay_that_crashed_is_taken_over(local):
    local.kill()
    assert local.path.exists()
    local.start()
    await chats(local, unix_connect(str(local.path), "ws://roost/v1/socket", subprotocols=["roost.v1"]), "alice")


def refused(folder, host):
    """Returns the output of `roost serve` when it can't listen there."""
    done = subprocess.run(
        [str(BINARY), "serve", "--set", f"listen.host={host}", "--set", f"store.path={folder}/other.db", "--set",
         f"auth.key_file={folder}/other.key"], cwd=folder, env=environment(), capture_output=True, text=True,
        timeout=PATIENCE)
    assert done.returncode != 0
    return done.stderr


def test_the_socket_of_a_relay_that_runs_is_left_alone(local, tmp_path):
    assert "already in use" in refused(tmp_path, f"unix:{local.path}")
    assert local.path.exists() and local.is_running()


def test_what_is_no_socket_is_left_alone(tmp_path):
    (tmp_path / "notes").write_text("important")
    assert "already in use" in refused(tmp_path, f"unix:{tmp_path}/notes")
    assert (tmp_path / "notes").read_text() == "important"


@pytest.mark.parametrize("host, reason", [
    ("192.0.2.1", "192.0.2.1 is not an address of this machine"), ("somewhere", "expected an address such as"),
    ("unix:relative", "expected an address such as"), ("unix:/" + "x" * 120, "expected an address such as"),
    ("127.0.0.1.", "expected an address such as"), ("[::1]", "expected an address such as"),
])
def test_where_nobody_can_listen(tmp_path, host, reason):
    assert reason in refused(tmp_path, host)
