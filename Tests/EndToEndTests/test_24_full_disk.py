"""The disk is full: nothing is acked that isn't stored, the relay says why it stops, and goes on once there is room."""

import asyncio
import pathlib
import subprocess

import pytest

from harness.device import Closed
from harness.relay import BINARY, Relay

# The write-ahead log has 16 MiB from the start. To go on, the relay needs room for what is in it.
DISK_BYTES = 40 << 20
BALLAST_BYTES = 16 << 20
BODY = "x" * 9_000
WINDOW = 64  # Commands under way at once.


class SmallDisk:
    """A file system in memory that only processes in its own mount namespace see. It lasts as long as its keeper."""

    def __init__(self, folder, size):
        folder.mkdir()
        self.keeper = subprocess.Popen(
            ["unshare", "--mount", "sh", "-c",
             f'mount -t tmpfs -o size={size} none "{folder}" && echo mounted && exec sleep 1000000'],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.is_mounted = self.keeper.stdout.readline() == b"mounted\n"
        # How the rest of the system sees it.
        self.folder = pathlib.Path(f"/proc/{self.keeper.pid}/root{folder}")

    def inside(self, folder):
        """The words that run a program in `folder` where the disk is seen."""
        return ["nsenter", f"--mount=/proc/{self.keeper.pid}/ns/mnt", f"--wd={folder}"]

    def end(self):
        self.keeper.kill()
        self.keeper.wait()
        self.keeper.stdout.close()


class RelayOnSmallDisk(Relay):
    """Its store is on the small disk; its key, log and program aren't."""

    def __init__(self, folder, disk, **settings):
        self.disk = disk
        super().__init__(folder, store__path=folder / "disk" / "roost.db", **settings)
        self.store = disk.folder / "roost.db"

    def program(self):
        return [*self.disk.inside(self.folder), str(BINARY)]


@pytest.fixture
def disk(tmp_path):
    disk = SmallDisk(tmp_path / "disk", DISK_BYTES)
    if not disk.is_mounted:
        disk.end()
        pytest.skip("only root may mount a small disk")
    yield disk
    disk.end()


async def fill(device, group, acked, unacked):
    """Sends until the connection ends. Notes what is acked, by key, and what isn't."""
    window = asyncio.Semaphore(WINDOW)

    async def send(key):
        unacked.add(key)
        async with window:
            try:
                answer = await device.ask("send", to=group, key=key, body=BODY + key)
            except Closed:
                return
        if answer["type"] == "ok":
            acked[key] = answer["sequence"]
            unacked.discard(key)
        else:
            assert answer["code"] == "unavailable" and answer["retry"] is True, dict(answer)

    tasks = []
    while not device.reader.done():
        await window.acquire()
        window.release()
        tasks.append(asyncio.create_task(send(f"k-{len(tasks)}")))
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)


async def stored(device, group):
    """All messages of a group, {sequence: body}."""
    found, after = {}, 0
    while True:
        page = await device.call("history", conversation=group, after=after, limit=100)
        assert "gaps" not in page
        found |= {message["sequence"]: message["body"] for message in page["messages"]}
        if not page["more"]:
            return found
        after = max(found)


async def test_a_full_disk_stops_the_relay_and_loses_nothing(disk, tmp_path):
    (disk.folder / "ballast").write_bytes(bytes(BALLAST_BYTES))
    relay = RelayOnSmallDisk(tmp_path, disk)
    try:
        alice = await relay.device("alice")
        group = await alice.group("Crew", "bob")
        acked, unacked = {}, set()
        await fill(alice, group, acked, unacked)
        # The drain is that of a normal stop, but the exit code is that of a failed store.
        assert alice.seen("drain") and alice.close_code == 4000
        assert relay.wait() == 1
        assert len(acked) > 100 and unacked
        assert "The store failed; the relay stops" in relay.log() and "full" in relay.log()
        assert BODY[:100] not in relay.log()

        (disk.folder / "ballast").unlink()
        relay.start()
        alice = await relay.device("alice")
        found = await stored(alice, group)
        assert sorted(found) == list(range(1, len(found) + 1))
        assert {key: sequence for key, sequence in acked.items() if found.get(sequence) != BODY + key} == {}
        # A message that wasn't acked is stored once at most. Its key tells whether it is.
        key = min(unacked)
        again = await alice.send(group, BODY + key, key=key)
        assert (await stored(alice, group))[again["sequence"]] == BODY + key
        assert list(found.values()).count(BODY + key) == (1 if again.get("duplicate") else 0)
        assert relay.stop() == 0
    finally:
        if relay.is_running():
            relay.kill()
