"""Pinned messages: sent to all, there after a kill, gone with their message."""

import time

from harness.waiting import until


async def crew(relay, name):
    """alice's group with bob, who has three messages, and both connected."""
    alice, bob = await relay.device(name("alice")), await relay.device(name("bob"))
    group = await alice.group("Crew", name("bob"))
    for text in ("one", "two", "three"):
        await alice.send(group, text)
    return alice, bob, group


async def pins(device, group):
    """The sequences in the conversation object, which are those of the list."""
    shown = (await device.call("conversation.get", conversation=group))["conversation"].get("pins", [])
    listed = (await device.call("conversation.pins", conversation=group))["pins"]
    assert [one["sequence"] for one in listed] == shown
    return shown


async def test_everybody_sees_them_and_only_admins_choose(relay, name):
    alice, bob, group = await crew(relay, name)
    done = await alice.call("conversation.pin", conversation=group, sequence=2)
    told = await bob.event("conversation", event="pinned")
    assert (told["pin"], told["by"], told["position"]) == (2, name("alice"), done["position"])
    await alice.call("conversation.pin", conversation=group, sequence=1)
    assert await pins(bob, group) == [1, 2]
    last = (await bob.call("conversation.pins", conversation=group))["pins"][-1]
    assert (last["message"]["body"], last["by"], last["time"]) == ("two", name("alice"), told["time"])
    assert await bob.refusal("conversation.pin", conversation=group, sequence=3) == "forbidden"
    assert await bob.refusal("conversation.unpin", conversation=group, sequence=1) == "forbidden"
    await alice.call("conversation.role", conversation=group, user=name("bob"), role="admin")
    await bob.call("conversation.unpin", conversation=group, sequence=2)
    assert (await alice.event("conversation", event="unpinned"))["pin"] == 2
    assert await pins(alice, group) == [1]


async def test_pages_of_long_messages_end_early(relay, name):
    alice, bob, group = await crew(relay, name)
    for number in range(4, 12):
        await alice.send(group, {"x": "x" * 130_000}, kind="blob")
        await alice.call("conversation.pin", conversation=group, sequence=number)
    seen, before = [], {}
    while True:
        page = await bob.call("conversation.pins", conversation=group, **before)
        assert 0 < len(page["pins"]) < 8
        seen += [one["sequence"] for one in page["pins"]]
        if "next" not in page:
            break
        before = {"before": page["next"]}
    assert seen == list(range(11, 3, -1))


async def test_kills_leave_what_was_acked_and_nothing_else(start, name):
    relay = start()
    alice, bob, group = await crew(relay, name)
    wanted = []
    for turn in range(6):
        if turn % 2:
            await alice.call("conversation.unpin", conversation=group, sequence=wanted.pop())
        sequence = turn % 3 + 1
        if sequence not in wanted:
            await alice.call("conversation.pin", conversation=group, sequence=sequence)
            wanted.insert(0, sequence)
        relay.kill()
        relay.start()
        alice, bob = await relay.device(name("alice")), await relay.device(name("bob"))
        assert await pins(bob, group) == wanted
        assert relay.rows("SELECT count(*) FROM pin") == [(len(wanted),)]


async def test_a_device_that_was_away_is_told_in_order(start, name):
    relay = start()
    alice, bob, group = await crew(relay, name)
    await bob.awaited_message(group, 3)
    await bob.drop()
    await alice.call("conversation.pin", conversation=group, sequence=1)
    await alice.call("conversation.pin", conversation=group, sequence=2)
    await alice.call("conversation.unpin", conversation=group, sequence=1)
    relay.kill()
    relay.start()
    bob = await relay.device(name("bob"))
    await bob.event("live")
    told = [(one["event"], one["pin"]) for one in bob.seen("conversation") if "pin" in one]
    assert told == [("pinned", 1), ("pinned", 2), ("unpinned", 1)]


async def test_pins_go_with_their_messages(start, name):
    relay = start(limits__expiry_seconds_min=1)
    alice, bob, group = await crew(relay, name)
    await alice.call("conversation.expiry", conversation=group, after=3_000)
    sent = await alice.send(group, "goes")
    for sequence in (1, 2, sent["sequence"]):
        assert await alice.call("conversation.pin", conversation=group, sequence=sequence)
    await alice.call("delete", conversation=group, sequence=2)
    assert await alice.refusal("conversation.pin", conversation=group, sequence=2) == "gone"
    await until(lambda: time.time() * 1_000 >= sent["time"] + 3_000, "the time")
    listed = (await bob.call("conversation.pins", conversation=group))["pins"]
    assert [one["sequence"] for one in listed] == [1]
    await until(lambda: relay.rows("SELECT sequence FROM pin") == [(1,)], "the row of what has disappeared")
    relay.kill()
    relay.start()
    assert await pins(await relay.device(name("bob")), group) == [1]
