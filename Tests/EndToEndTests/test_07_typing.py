"""Typing: others get its beginning and its end once each, whatever ends it. It is never stored."""

import asyncio

import pytest

SETTINGS = {"limits__typing_seconds": 1, "presence__grace_seconds": 1}


async def crew(relay, name):
    alice, bob = await relay.device(name("alice")), await relay.device(name("bob"))
    group = await alice.group("Crew", name("bob"))
    await bob.event("conversation", event="created")
    return alice, bob, group


async def test_typing_is_shown_to_others_and_ends_by_itself(relay, name):
    alice, bob, group = await crew(relay, name)
    tablet = await relay.device(name("alice"), "tablet")
    await alice.tell("typing", to=group)
    assert dict(await bob.event("typing")) == {
        "type": "typing", "conversation": group, "user": name("alice"), "active": True}
    assert (await bob.event("typing"))["active"] is False
    for device in (alice, tablet):
        await device.barrier()
        assert not device.seen("typing")


async def test_repeating_typing_sends_no_further_event(relay, name):
    alice, bob, group = await crew(relay, name)
    for _ in range(30):
        await alice.call("typing", to=group)
    await alice.call("typing", to=group, active=False)
    await bob.event("typing", active=False)
    assert [event["active"] for event in bob.seen("typing")] == [True, False]
    # Ending it a second time sends nothing.
    await alice.call("typing", to=group, active=False)
    await alice.send(group, "x")
    await bob.event("message")
    assert len(bob.seen("typing")) == 2


async def test_typing_reaches_a_direct_conversation_by_user_name(relay, name):
    alice, bob = await relay.device(name("alice")), await relay.device(name("bob"))
    direct = (await alice.send("@" + name("bob"), "x"))["conversation"]
    await alice.call("typing", to="@" + name("bob"))
    assert (await bob.event("typing"))["conversation"] == direct
    assert await alice.refusal("typing", to="@" + name("nobody")) == "not_found"


async def end_by_send(alice, group):
    await alice.send(group, "x")


async def end_by_other_device(alice, group):
    await alice.other.send(group, "x")


async def end_by_leaving(alice, group):
    await alice.call("conversation.leave", conversation=group)


async def end_by_bye(alice, group):
    await alice.bye()


async def end_by_dropping(alice, group):
    await alice.drop()


@pytest.mark.parametrize("end", [
    end_by_send, end_by_other_device, end_by_leaving, end_by_bye, end_by_dropping])
async def test_what_ends_typing(start, end):
    """With a timeout that is longer than the test."""
    relay = start(limits__typing_seconds=60)
    alice, bob = await relay.device("alice"), await relay.device("bob")
    alice.other = await relay.device("alice", "tablet")
    group = await alice.group("Crew", "bob")
    await bob.event("conversation", event="created")
    await alice.call("typing", to=group)
    assert (await bob.event("typing"))["active"] is True
    await end(alice, group)
    assert dict(await bob.event("typing")) == {
        "type": "typing", "conversation": group, "user": "alice", "active": False}


async def test_typing_ends_before_the_message_arrives(relay, name):
    alice, bob, group = await crew(relay, name)
    await alice.call("typing", to=group)
    await alice.send(group, "x")
    await bob.event("message")
    assert [frame["type"] for frame in bob.frames if frame["type"] in ("typing", "message")] == [
        "typing", "typing", "message"]


async def test_typing_in_a_thread(start):
    relay = start(limits__typing_seconds=60)
    alice, bob = await relay.device("alice"), await relay.device("bob")
    group = await alice.group("Crew", "bob")
    for text in ("one", "two"):
        await alice.send(group, text)
    await alice.call("typing", to=group, replyTo=1)
    told = {"type": "typing", "conversation": group, "user": "alice", "replyTo": 1, "active": True}
    assert dict(await bob.event("typing")) == told
    assert await alice.refusal("typing", to=group, replyTo=3) == "not_found"
    # Others get the change to another thread when a second has passed since the beginning.
    while not bob.seen("typing", replyTo=2):
        await asyncio.sleep(0.1)
        await alice.call("typing", to=group, replyTo=2)
        await bob.barrier()
    await alice.send(group, "done")
    assert dict(await bob.event("typing", active=False)) == {**told, "replyTo": 2, "active": False}
    assert len(bob.seen("typing")) == 3


async def test_many_who_type_are_several(start):
    relay = start(limits__typing_seconds=60)
    reader = await relay.device("reader")
    away = await relay.device("away", background=True)
    typists = await asyncio.gather(*(relay.device(f"t{number}") for number in range(22)))
    group = await reader.group("Crowd", "away", *(f"t{number}" for number in range(22)))
    for typist in typists:
        await typist.call("typing", to=group)
    several = await reader.event("typing", several=True)
    assert dict(several) == {"type": "typing", "conversation": group, "several": True, "active": True}
    assert [event["user"] for event in reader.seen("typing") if "user" in event] == [
        f"t{number}" for number in range(20)]
    await typists[21].drop()
    assert (await reader.event("typing", several=True))["active"] is False
    await away.barrier()
    assert not away.seen("typing")
