"""`roost up`: the relay with the services beside it. What becomes of the one when the other ends."""

import asyncio
import os
import pathlib
import signal
import socket
import sys

import pytest

from harness.relay import Relay, command
from harness.waiting import until

FAKE = pathlib.Path(__file__).parent / "harness/fake_services.py"


class Up(Relay):
    """A relay that keeps a stand-in of the services running."""

    def words(self):
        program = self.folder / "stand-in"
        if not program.exists():
            program.write_text(f"#!/bin/sh\nexec {sys.executable} {FAKE} \"$@\"\n")
            program.chmod(0o700)
        # The services have to know it before the relay listens.
        self.settings.setdefault("listen.port", str(free_port()))
        return ["up", "--services", str(program), *super().words()[1:]]

    @property
    def data(self):
        return self.store.parent / "services"

    def starts(self):
        """The process and the words of each start."""
        path = self.data / "starts"
        return [line.split(" ", 1) for line in path.read_text().splitlines()] if path.exists() else []

    async def services(self, number):
        """The process of the start of this number, counting from 1."""
        return int((await until(lambda: self.starts()[number - 1:number], f"start {number}"))[0][0])


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def is_there(process):
    """Whether it runs: one that ended and wasn't waited for doesn't."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.fixture
def up(tmp_path):
    relays = []

    def begin(**settings):
        relays.append(Up(tmp_path, **settings))
        return relays[-1]

    yield begin
    for relay in relays:
        if relay.is_running():
            relay.kill()


async def test_services_that_die_cost_no_connection(up):
    relay = up()
    alice, bob = await relay.device("alice"), await relay.device("bob")
    for number in range(1, 4):
        os.kill(await relay.services(number), signal.SIGKILL)
        await alice.send("@bob", f"{number}")
        assert (await bob.event("message"))["body"] == f"{number}"
        assert is_there(await relay.services(number + 1))


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
async def test_services_end_with_the_relay(up, end):
    relay = up()
    services = await relay.services(1)
    relay.process.send_signal(end)
    assert await asyncio.to_thread(relay.wait) == (-9 if end == signal.SIGKILL else 0)
    await until(lambda: not is_there(services), "the services' end")
    assert len(relay.starts()) == 1


async def test_what_the_services_are_told(up):
    relay = up(mail__mode="print", services__port=9_001, accounts__password_min=6)
    await relay.services(1)
    words = relay.starts()[0][1].split(" ")
    settings = [words[place + 1] for place, word in enumerate(words) if word == "--set"]
    assert "mail.mode=print" in settings and "accounts.password_min=6" in settings
    assert f"services.data={relay.data}" in settings
    # The page learns where they are, and the relay takes their keys.
    status, _, body = relay.get("/v1/page")
    assert (status, body) == (200, '{"services":"http://127.0.0.1:9001"}')


async def test_a_mistake_is_not_repeated(up):
    relay = up()
    services = await relay.services(1)
    (relay.data / "mistake").touch()
    os.kill(services, signal.SIGKILL)
    await until(lambda: "isn't started again; the relay goes on" in relay.log(), "a line of the log")
    assert relay.is_running() and (await relay.device("alice")).welcome
    assert relay.stop() == 0


async def test_a_port_that_is_not_known(tmp_path):
    said = await asyncio.to_thread(command, tmp_path, "up", "--port", "0")
    assert said.returncode == 2 and "listen.port" in said.stderr


async def test_without_the_program(tmp_path):
    said = await asyncio.to_thread(
        command, tmp_path, "up", "--services", str(tmp_path / "nothing"))
    assert said.returncode == 1 and "use `roost serve` for the relay alone" in said.stderr
