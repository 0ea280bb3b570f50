"""The disk is full: nothing is acked that isn't stored, all that needs no room goes on, and the rest as well once
there is room."""

import asyncio

import pytest

from harness.relay import BINARY, Relay
from harness.waiting import until

# The write-ahead log has 16 MiB from the start. To go on, the relay needs room for what is in it.
DISK_BYTES = 40 << 20
BALLAST_BYTES = 16 << 20
BODY = "x" * 9_000
WINDOW = 64  # Commands under way at once.


class RelayOnSmallDisk(Relay):
    """Its store is on the small disk; its key, log and program aren't."""

    def __init__(self, folder, disk, **settings):
        self.disk = disk
        # Stored messages are read again and again, faster than a user may read so much.
        super().__init__(
            folder, store__path=folder / "disk" / "roost.db", limits__commands_per_second=100_000, **settings)
        self.store = disk.folder / "roost.db"

    def program(self):
        return [*self.disk.inside(self.folder), str(BINARY)]


async def fill(device, group, acked, unacked, name="k"):
    """Sends until the store refuses something. Notes what is acked, by key, and what isn't."""
    window = asyncio.Semaphore(WINDOW)
    is_full = asyncio.Event()

    async def send(key):
        unacked.add(key)
        async with window:
            answer = await device.ask("send", to=group, key=key, body=BODY + key)
        if answer["type"] == "ok":
            acked[key] = answer["sequence"]
            unacked.discard(key)
        else:
            assert (answer["code"], answer["retry"], answer["retryAfter"]) == ("unavailable", True, 10_000)
            assert "no room" in answer["reason"]
            is_full.set()

    tasks = []
    while not is_full.is_set():
        await window.acquire()
        window.release()
        tasks.append(asyncio.create_task(send(f"{name}-{len(tasks)}")))
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


async def goes_on_without_room(relay, alice, bob, group, acked):
    """Everything that stores nothing works."""
    status, _, page = relay.get("/readyz")
    assert status == 503 and "disk_full" in page
    assert relay.get("/healthz")[0] == 200 and relay.metric("roost_store_full") == 1
    found = await stored(alice, group)
    assert {key: sequence for key, sequence in acked.items() if found.get(sequence) != BODY + key} == {}
    await bob.call("typing", to=group)
    assert (await alice.event("typing"))["user"] == "bob"
    await bob.call("signal", to=group, body={"x": 1})
    assert (await alice.event("signal"))["from"] == "bob"
    await bob.call("read", conversation=group, sequence=max(found))
    await alice.event("receipt", user="bob", read=max(found))
    # A new user would have to be stored.
    stranger = await relay.connect()
    refused = await stranger.ask("hello", token=relay.token("stranger"), device="phone")
    assert (refused["code"], refused["retry"]) == ("unavailable", True)
    return found


async def goes_on_with_room(relay, alice, group, found, unacked):
    """Refused messages can be stored once there is room, once each."""
    await until(lambda: relay.get("/readyz")[0] == 200, "a relay that takes messages again")
    assert relay.metric("roost_store_full") == 0
    assert sorted(found) == list(range(1, len(found) + 1))
    # Nothing that was refused is stored.
    key = min(unacked)
    assert BODY + key not in found.values()
    again = await alice.send(group, BODY + key, key=key)
    assert "duplicate" not in again and again["sequence"] == len(found) + 1
    assert (await stored(alice, group))[again["sequence"]] == BODY + key


# With 0, SQLite finds the disk full in the middle of a commit.
@pytest.mark.parametrize("free_megabytes", [0, 4])
async def test_a_full_disk_refuses_what_has_to_be_stored(disk, tmp_path, free_megabytes):
    (disk.folder / "ballast").write_bytes(bytes(BALLAST_BYTES))
    relay = RelayOnSmallDisk(tmp_path, disk, store__free_megabytes=free_megabytes)
    try:
        alice = await relay.device("alice")
        bob = await relay.device("bob")
        group = await alice.group("Crew", "bob")
        acked, unacked = {}, set()
        await fill(alice, group, acked, unacked)
        assert len(acked) > 100 and unacked
        await until(lambda: "the disk is full" in relay.log(), "a line of the log")
        assert BODY[:100] not in relay.log()
        found = await goes_on_without_room(relay, alice, bob, group, acked)
        # A sign-in can be revoked at once, and is stored later.
        service = await relay.service()
        assert (await service.call("admin.revoke", sid="s-1"))["unstored"] is True
        (disk.folder / "ballast").unlink()
        await goes_on_with_room(relay, alice, group, found, unacked)
        await until(lambda: "room on the disk again" in relay.log(), "a line of the log")
        assert relay.stop() == 0
        # The messages that bob has read meanwhile were kept.
        relay.start()
        revoked = await relay.connect()
        answer = await revoked.ask("hello", token=relay.token("bob", sid="s-1"), device="phone")
        assert answer["reason"] == "the token was revoked"
        bob = await relay.device("bob")
        listed = await bob.call("conversation.list")
        assert listed["conversations"][0]["unread"] <= 1
        assert "lost" not in relay.log()
        assert relay.stop() == 0
    finally:
        if relay.is_running():
            relay.kill()


@pytest.mark.parametrize("free_megabytes", [0, 4])
async def test_a_relay_starts_on_a_full_disk(disk, tmp_path, free_megabytes):
    (disk.folder / "ballast").write_bytes(bytes(BALLAST_BYTES))
    relay = RelayOnSmallDisk(tmp_path, disk, store__free_megabytes=free_megabytes)
    try:
        alice = await relay.device("alice")
        bob = await relay.device("bob")
        group = await alice.group("Crew", "bob")
        acked, unacked = {}, set()
        await fill(alice, group, acked, unacked)
        for number, end in enumerate((relay.kill, relay.stop)):
            end()
            relay.start()
            alice, bob = await relay.device("alice"), await relay.device("bob")
            # A stop may have copied the write-ahead log, and SQLite notices a full disk only by trying.
            if relay.get("/readyz")[0] == 200:
                await fill(alice, group, acked, unacked, f"again-{number}")
            await goes_on_without_room(relay, alice, bob, group, acked)
        found = await stored(alice, group)
        (disk.folder / "ballast").unlink()
        await until(lambda: relay.get("/readyz")[0] == 200, "a relay that takes messages again")
        assert (await alice.send(group, "there is room"))["sequence"] == max(found) + 1
        assert "lost" not in relay.log()
        assert relay.stop() == 0
    finally:
        if relay.is_running():
            relay.kill()
