"""The number of online members of a conversation: for members who watch it, and right in the end."""

# A dropped user is offline soon.
SETTINGS = {"presence__grace_seconds": 1, "presence__away_seconds": 0}


def count(conversation, online, of):
    return {"conversation": conversation, "online": online, "of": of}


async def told(device, expected):
    """Waits until the device gets this count."""
    await device.awaited(
        lambda frame: frame["type"] == "presence" and frame.get("conversations") == [expected], f"{expected}")


async def crew(relay, name):
    """alice is in a group with bob and carol, who aren't there."""
    alice = await relay.device(name("alice"))
    return alice, await alice.group("Crew", name("bob"), name("carol"))


async def test_who_comes_and_goes_is_counted(relay, name):
    alice, group = await crew(relay, name)
    answer = (await alice.call("watch", conversations=[group]))["conversations"]
    # The event that alice has come is sent a moment later, to herself, too.
    assert answer in ([count(group, 0, 3)], [count(group, 1, 3)])
    bob = await relay.device(name("bob"))
    await told(alice, count(group, 2, 3))
    carol = await relay.device(name("carol"))
    await told(alice, count(group, 3, 3))
    await bob.bye()
    await told(alice, count(group, 2, 3))
    await carol.drop()
    await told(alice, count(group, 1, 3))


async def test_who_joins_and_leaves_is_counted(relay, name):
    alice, group = await crew(relay, name)
    await alice.call("watch", conversations=[group])
    dave = await relay.device(name("dave"))
    await alice.call("conversation.add", conversation=group, users=[name("dave")])
    await told(alice, count(group, 2, 4))
    await dave.call("conversation.leave", conversation=group)
    await told(alice, count(group, 1, 3))


async def test_only_members_are_told(relay, name):
    alice, group = await crew(relay, name)
    eve = await relay.device(name("eve"))
    assert await eve.refusal("watch", conversations=[group]) == "not_found"
    assert await eve.refusal("watch", conversations=["no-such"]) == "not_found"
    bob = await relay.device(name("bob"))
    await bob.call("watch", conversations=[group])
    await alice.call("conversation.remove", conversation=group, users=[name("bob")])
    assert await bob.refusal("watch", conversations=[group]) == "not_found"


async def test_the_number_of_watched_conversations_is_limited(start):
    alice = await start().device("alice")
    groups = [await alice.group(f"Group {number}", "bob") for number in range(65)]
    assert await alice.refusal("watch", conversations=groups) == "too_large"
    await alice.call("watch", conversations=groups[:64])
    assert await alice.refusal("watch", conversations=groups[64:]) == "too_large"
    await alice.call("unwatch", conversations=groups[:1])
    await alice.call("watch", conversations=groups[64:])
