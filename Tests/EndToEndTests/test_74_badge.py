"""The badge: what a user hasn't read where nothing is muted, the same on every device, over kill -9 and absences."""

import asyncio
import time

from harness.relay import Relay
from harness.waiting import PATIENCE
from test_21_store_commands import store


async def total(device, *muted):
    """The sum of what the conversations themselves say."""
    listed = (await device.call("conversation.list", limit=100))["conversations"]
    return sum(one["unread"] for one in listed if one["conversation"] not in muted)


async def told(device, unread):
    """Waits until the device gets this badge."""
    return await device.event("badge", unread=unread)


async def test_every_device_is_told_the_same(relay, name):
    alice = await relay.device(name("alice"))
    phone, tablet = await relay.device(name("bob")), await relay.device(name("bob"), "tablet")
    assert phone.welcome["badge"] == tablet.welcome["badge"] == 0
    group = await alice.group("Crew", name("bob"))
    await alice.send(group, "one")
    await alice.send(group, "two")
    await alice.send("@" + name("bob"), "three")
    await asyncio.gather(told(phone, 3), told(tablet, 3))
    assert await total(phone) == 3
    # A message read on one device isn't on the other's icon.
    await tablet.call("read", conversation=group, sequence=2)
    await asyncio.gather(told(phone, 1), told(tablet, 1))
    assert (await relay.device(name("bob"), "laptop")).welcome["badge"] == 1
    await alice.barrier()
    assert not alice.seen("badge")


async def test_mutes_count_on_every_device_and_end_by_themselves(relay, name):
    alice = await relay.device(name("alice"))
    phone, tablet = await relay.device(name("bob")), await relay.device(name("bob"), "tablet")
    group = await alice.group("Crew", name("bob"))
    await alice.send(group, "one")
    await asyncio.gather(told(phone, 1), told(tablet, 1))
    until = round(time.time() * 1_000) + 2_000
    await phone.call("state.set", key="mute/" + group, value={"until": until})
    await asyncio.gather(told(phone, 0), told(tablet, 0))
    assert await total(phone, group) == 0
    await asyncio.gather(told(phone, 1), told(tablet, 1))
    assert time.time() * 1_000 >= until
    await tablet.call("state.set", key="mute/" + group, value=True)
    await told(phone, 0)
    await phone.call("state.set", key="mute/" + group)
    await told(tablet, 1)


async def test_it_outlives_the_process_and_an_absence(start, name):
    relay = start()
    alice, bob = await relay.device(name("alice")), await relay.device(name("bob"))
    loud, quiet = await alice.group("Loud", name("bob")), await alice.group("Quiet", name("bob"))
    await bob.call("state.set", key="mute/" + quiet, value=True)
    for number in range(3):
        await alice.send(loud, f"l{number}")
        await alice.send(quiet, f"q{number}")
    await bob.call("read", conversation=loud, sequence=1)
    await told(bob, 2)
    relay.stop()
    relay.start()
    bob = await relay.device(name("bob"))
    assert bob.welcome["badge"] == 2
    await bob.drop()
    alice = await relay.device(name("alice"))
    for start_of_part in range(0, 1_200, 100):
        parts = [await alice.begin("send", to=loud, key=f"m{start_of_part + one}", body="m") for one in range(100)]
        await asyncio.wait_for(asyncio.gather(*parts), PATIENCE)
    relay.kill()
    relay.start()
    # The device has missed more than is sent by itself, and its cursor says nothing about what is read.
    bob = await relay.device(name("bob"))
    assert bob.welcome["badge"] == 1_202 == await total(bob, quiet)
    await bob.event("live")
    await bob.call("read", conversation=loud, sequence=1_203)
    await told(bob, 0)


async def test_a_hundred_conversations(relay, name):
    alice, bob = await relay.device(name("alice")), await relay.device(name("bob"))
    rooms = [await alice.group(f"G{number}", name("bob")) for number in range(100)]
    for room in rooms:
        await alice.send(room, "hello")
    await told(bob, 100)
    assert (await relay.device(name("bob"), "tablet")).welcome["badge"] == 100
    await bob.call("conversation.leave", conversation=rooms[0])
    await told(bob, 99)


async def test_an_answer_from_a_notification_reads_nothing(start, name):
    relay = start()
    alice, bob = await relay.device(name("alice")), await relay.device(name("bob"))
    tablet = await relay.device(name("bob"), "tablet")
    group = await alice.group("Crew", name("bob"))
    await alice.send(group, "one")
    await alice.send(group, "two")
    await asyncio.gather(told(bob, 2), told(tablet, 2))
    await bob.send(group, "later", read=False)
    # The other device learns that nothing was read by that, and so does the earlier author.
    for device in (tablet, alice):
        assert (await device.event("message", body="later"))["read"] is False
    await alice.send(group, "three")
    await told(tablet, 3)
    assert await total(bob) == 3
    relay.kill()
    relay.start()
    bob = await relay.device(name("bob"))
    assert bob.welcome["badge"] == 3 == await total(bob)
    await bob.call("read", conversation=group, sequence=2)
    await told(bob, 1)
    await bob.send(group, "now")
    await told(bob, 0)
    assert relay.stop() == 0


async def test_answers_that_read_nothing_move_to_another_store(start, name, tmp_path):
    relay = start()
    alice, bob = await relay.device(name("alice")), await relay.device(name("bob"))
    group = await alice.group("Crew", name("bob"))
    await alice.send(group, "one")
    await bob.send(group, "later", read=False)
    await alice.send(group, "two")
    await told(bob, 2)
    assert relay.stop() == 0
    file = relay.folder / "all.jsonl"
    store(relay, "export", "--to", str(file))
    other = Relay(tmp_path)
    assert other.stop() == 0
    store(other, "import", str(file))
    assert "is sound: " in store(other, "verify").stdout
    other.start()
    try:
        bob = await other.device(name("bob"))
        assert bob.welcome["badge"] == 2 == await total(bob)
        shown = (await bob.call("history", conversation=group))["messages"]
        assert [one.get("read") for one in shown] == [None, False, None]
    finally:
        other.stop()
