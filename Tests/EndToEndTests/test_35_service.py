"""As a service: the manager is notified that the relay is ready, alive, reloading and stopping, and SIGHUP changes the
settings that may change while clients are connected.
"""

import json
import os
import signal
import socket

import pytest

from harness.device import Refused
from harness.raw import RawConnection
from harness.relay import PATIENCE, Relay
from harness.waiting import until


class Service(Relay):
    """A relay with a configuration file, under a manager that listens at a socket."""

    def __init__(self, folder, **settings):
        self.heard = []
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.manager.bind(str(folder / "notify"))
        self.manager.settimeout(PATIENCE)
        self.file = folder / "roost.yaml"
        self.configure("log: {format: json}\n")
        super().__init__(folder, **settings)

    def configure(self, text):
        self.file.write_text(text)

    def program(self):
        return ["env", f"NOTIFY_SOCKET={self.folder}/notify", "WATCHDOG_USEC=400000", f"ROOST_CONFIG={self.file}",
                *super().program()]

    def next(self, line):
        """Waits until the manager hears this line."""
        while line not in self.heard:
            self.heard += self.manager.recv(4096).decode().splitlines()
        self.heard = self.heard[self.heard.index(line) + 1:]

    def lines(self, event):
        return [line for line in map(json.loads, (one for one in self.log().splitlines() if one[:1] == "{"))
                if line["event"] == event]

    async def reload(self, event="relay.reloaded"):
        before = len(self.lines(event))
        self.process.send_signal(signal.SIGHUP)
        await until(lambda: len(self.lines(event)) > before, event)
        return self.lines(event)[-1]


@pytest.fixture
def service(tmp_path):
    relay = Service(tmp_path)
    yield relay
    if relay.is_running():
        assert relay.stop() == 0
    relay.manager.close()


async def test_the_manager_hears_how_the_relay_is(service):
    service.next("READY=1")
    for _ in range(3):
        service.next("WATCHDOG=1")
    alice = await service.device("alice")
    service.process.send_signal(signal.SIGTERM)
    service.next("STOPPING=1")
    assert await alice.closed() == 4000
    assert service.wait() == 0


async def test_a_relay_that_hangs_gives_no_sign_of_life(service):
    service.next("WATCHDOG=1")
    service.process.send_signal(signal.SIGSTOP)
    try:
        # Five times the longest silence of a relay that turns. Earlier notifications come first.
        service.manager.settimeout(1)
        with pytest.raises(TimeoutError):
            for _ in range(3):
                service.manager.recv(4096)
    finally:
        service.process.send_signal(signal.SIGCONT)
    service.manager.settimeout(PATIENCE)
    service.next("WATCHDOG=1")


def upgrade(relay, origin):
    with RawConnection(relay.port) as connection:
        connection.upgrade(Origin=origin)
        return connection.response().status


async def test_a_hangup_reloads_what_may_change(service):
    alice = await service.device("alice")
    assert upgrade(service, "https://chat.example.org") == 403
    service.configure(
        "log: {format: json, level: debug}\nlisten: {origins: ['https://chat.example.org']}\n"
        "metrics: {token: a-new-token-for-metrics}\n")
    line = await service.reload()
    assert line["needsRestart"] == "false"
    service.next("RELOADING=1")
    service.next("READY=1")
    assert upgrade(service, "https://chat.example.org") == 101
    assert service.get("/metrics")[0] == 401
    assert service.get("/metrics", Authorization="Bearer a-new-token-for-metrics")[0] == 200
    await alice.call("ping")
    await (await service.device("bob")).bye()
    await until(lambda: service.lines("session.ended"), "a line of level debug")


async def test_keys_change_without_dropping_anybody(service):
    alice = await service.device("alice")
    old = service.token("bob")
    kept = service.key_file.read_text()
    service.key_file.unlink()
    await service.reload()
    assert service.key_file.read_text() != kept, "a new key was made"
    with pytest.raises(Refused):
        await service.device("bob", token=old)
    await service.device("bob")
    await alice.call("ping")


async def test_a_mistake_leaves_everything_as_it_was(service):
    service.configure("listen: {ports: 1}\n")
    line = await service.reload("relay.reload_failed")
    assert "listen.port" in line["error"]
    assert upgrade(service, "https://chat.example.org") == 403
    await (await service.device("alice")).bye()
    service.configure("log: {format: json}\nlimits: {ping_seconds: 20}\n")
    line = await service.reload()
    assert line["needsRestart"] == "true"


async def test_a_manager_that_is_gone_does_no_harm(service):
    service.manager.close()
    os.unlink(service.folder / "notify")
    alice = await service.device("alice")
    # It would be notified of this, and is notified in vain.
    await service.reload()
    await alice.bye()
