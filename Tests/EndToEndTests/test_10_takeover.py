"""A second connection of the same device takes over. The first one gets the reason and is closed, no observer sees the
user leave, and nothing is lost in between.
"""

import asyncio

# Idle users are away at once.
SETTINGS = {"presence__away_seconds": 0}


async def test_the_newer_connection_wins(relay, name):
    bob = await relay.device(name("bob"))
    direct = (await bob.call("conversation.create", kind="direct", members=[name("alice")]))["conversation"]
    old = await relay.device(name("alice"))
    await bob.presence(name("alice"), "online")
    new = await relay.device(name("alice"))
    assert await old.closed() == 4501
    await bob.send("@" + name("alice"), "to the new one")
    assert (await new.event("message"))["conversation"] == direct["conversation"]
    assert not old.seen("message")
    # No flapping: the next event that bob gets is the change below.
    await new.call("presence", state="idle")
    await bob.presence(name("alice"), "away")
    assert [state for state in bob.states(name("alice")) if state != "offline"] == ["online", "away"]


async def test_another_device_takes_over_nothing(relay, name):
    phone, tablet = await relay.device(name("alice")), await relay.device(name("alice"), "tablet")
    other = await relay.device(name("bob"))
    for device in (phone, tablet, other):
        await device.barrier()


async def test_events_under_way_reach_the_new_connection(relay, name):
    bob = await relay.device(name("bob"))
    old = await relay.device(name("alice"))
    group = await bob.group("Crew", name("alice"))
    answers = [await bob.begin("send", to=group, key=f"k-{number}", body="x") for number in range(200)]
    connections = [old]
    for _ in range(5):
        connections.append(await relay.device(name("alice")))
    for answer in answers:
        await answer
    await connections[-1].event("message", sequence=200)
    # Nothing was acked, so the last connection gets everything.
    assert [event["sequence"] for event in connections[-1].seen("message")] == list(range(1, 201))
    assert await asyncio.gather(*(device.closed() for device in connections[:-1])) == [4501] * 5


async def test_a_command_of_the_old_connection_is_not_answered_twice(relay, name):
    """A message is sent, and the connection is taken over before the answer. The retry on the new connection stores no
    second message."""
    bob, old = await relay.device(name("bob")), await relay.device(name("alice"))
    old.allows_strays = True
    group = await bob.group("Crew", name("alice"))
    await old.event("conversation", event="created")
    await old.tell("send", id="x", to=group, key="once", body="x")
    new = await relay.device(name("alice"))
    answer = await new.send(group, "x", key="once")
    assert answer["sequence"] == 1
    await bob.event("message", sequence=1)
    await bob.send(group, "end")
    assert len(bob.seen("message")) == 1
