"""Receipts: delivered and read are watermarks that only rise. Everyone concerned gets them, changes are merged, and
they survive a restart.
"""

from harness.waiting import until


async def crew(relay, name, *more):
    people = [await relay.device(name(who)) for who in ("alice", "bob", *more)]
    group = await people[0].group("Crew", *(name(who) for who in ("bob", *more)))
    for device in people[1:]:
        await device.event("conversation", event="created")
    return (*people, group)


async def test_ack_sets_delivered_and_read_sets_read(relay, name):
    alice, bob, group = await crew(relay, name)
    for body in ("one", "two", "three"):
        await alice.send(group, body)
    third = await bob.event("message", sequence=3)
    await bob.call("ack", position=third["position"])
    told = await alice.event("receipt", user=name("bob"), delivered=3)
    assert set(told) == {"type", "conversation", "user", "delivered", "deliveredAt", "read"}
    assert (told["conversation"], told["read"]) == (group, 0)
    await bob.call("read", conversation=group, sequence=2)
    told = await alice.event("receipt", user=name("bob"), read=2)
    assert told["delivered"] == 3 and told["readAt"] >= told["deliveredAt"]
    assert "unread" not in told


async def test_read_implies_delivered_and_watermarks_never_fall(relay, name):
    alice, bob, group = await crew(relay, name)
    for body in ("one", "two", "three"):
        await alice.send(group, body)
    await bob.event("message", sequence=3)
    await bob.tell("read", conversation=group, sequence=3)
    told = await alice.event("receipt", user=name("bob"), read=3)
    assert told["delivered"] == 3
    await bob.call("read", conversation=group, sequence=1)
    assert await bob.refusal("read", conversation=group, sequence=4) == "not_found"
    assert await bob.refusal("conversation.members", conversation=group, sequence=4) == "not_found"
    answer = await alice.call("conversation.members", conversation=group)
    assert [member["read"] for member in answer["members"] if member["user"] == name("bob")] == [3]
    for one, next_one in zip(alice.seen("receipt"), alice.seen("receipt")[1:]):
        assert one["user"] != next_one["user"] or one["read"] <= next_one["read"]


async def test_the_readers_other_devices_get_the_unread_count(relay, name):
    alice, bob, group = await crew(relay, name)
    tablet = await relay.device(name("bob"), "tablet")
    for body in ("one", "two", "three"):
        await alice.send(group, body)
    await bob.event("message", sequence=3)
    await bob.call("read", conversation=group, sequence=2)
    told = await tablet.event("receipt", user=name("bob"), read=2)
    assert told["unread"] == 1


async def test_a_mark_as_unread_is_the_readers_own(relay, name):
    alice, bob, group = await crew(relay, name)
    for body in ("one", "two", "three"):
        await alice.send(group, body)
    await bob.event("message", sequence=3)
    await bob.call("read", conversation=group, sequence=3)
    await alice.event("receipt", user=name("bob"), read=3)
    seen = len(alice.seen("receipt"))
    await bob.call("unread", conversation=group, sequence=2)
    tablet = await relay.device(name("bob"), "tablet")
    object = (await tablet.call("conversation.get", conversation=group))["conversation"]
    assert (object["unread"], object["unreadFrom"], object["read"]) == (2, 2, 3)
    assert tablet.welcome["badge"] == 2
    answer = await alice.call("conversation.members", conversation=group)
    assert [member["read"] for member in answer["members"] if member["user"] == name("bob")] == [3]
    await bob.call("read", conversation=group, sequence=3)
    await tablet.event("badge", unread=0)
    assert len(alice.seen("receipt")) == seen


async def test_receipts_in_quick_succession_are_merged(relay, name):
    alice, bob, group = await crew(relay, name)
    for answer in [await alice.begin("send", to=group, key=f"k-{number}", body="x") for number in range(200)]:
        await answer
    await bob.event("message", sequence=200)
    for number in range(1, 201):
        await bob.tell("read", conversation=group, sequence=number)
    await alice.event("receipt", user=name("bob"), read=200)
    assert len(alice.seen("receipt", user=name("bob"))) < 200


async def test_members_counts_who_has_received_and_read(relay, name):
    alice, bob, carol, dave, group = await crew(relay, name, "carol", "dave")
    await alice.send(group, "one")
    await alice.send(group, "two")
    second = await bob.event("message", sequence=2)
    await bob.call("read", conversation=group, sequence=2)
    await carol.event("message", sequence=2)
    await carol.call("ack", position=second["position"])
    await dave.event("message", sequence=2)
    await dave.call("read", conversation=group, sequence=1)

    async def counts(sequence):
        answer = await alice.call("conversation.members", conversation=group, sequence=sequence)
        return answer["of"], answer["deliveredCount"], answer["readCount"]
    assert await counts(1) == (3, 3, 2)
    assert await counts(2) == (3, 2, 1)
    answer = await alice.call("conversation.members", conversation=group)
    assert "of" not in answer
    found = {member["user"]: member for member in answer["members"]}
    assert set(found[name("bob")]) == {"user", "role", "delivered", "deliveredAt", "read", "readAt"}
    assert (found[name("alice")]["read"], found[name("dave")]["read"]) == (2, 1)


async def test_sending_marks_earlier_messages_as_read(relay, name):
    alice, bob, group = await crew(relay, name)
    await alice.send(group, "one")
    await bob.send(group, "two")
    told = await alice.event("receipt", user=name("bob"), read=2)
    assert told["delivered"] == 2


async def test_in_large_groups_only_the_readers_own_devices_get_receipts(start):
    relay = start(limits__receipt_members_max=2)
    alice, bob = await relay.device("alice"), await relay.device("bob")
    tablet = await relay.device("bob", "tablet")
    group = await alice.group("Crew", "bob", "carol")
    small = await alice.group("Two", "bob")
    for conversation in (group, small):
        await alice.send(conversation, "x")
        await bob.event("message", conversation=conversation)
        await bob.call("read", conversation=conversation, sequence=1)
        assert (await tablet.event("receipt", conversation=conversation, user="bob"))["unread"] == 0
    # This comes later in the same order, so whatever had to come before has arrived.
    await alice.event("receipt", conversation=small, user="bob", read=1)
    assert not alice.seen("receipt", conversation=group, user="bob")
    answer = await alice.call("conversation.members", conversation=group, sequence=1)
    assert (answer["of"], answer["readCount"]) == (2, 1)


async def test_watermarks_survive_a_stop_and_a_crash(start):
    relay = start()
    alice, bob = await relay.device("alice"), await relay.device("bob")
    group = await alice.group("Crew", "bob")
    await bob.event("conversation", event="created")
    for number in (1, 2, 3):
        await alice.send(group, str(number))
    await bob.event("message", sequence=3)
    await bob.call("read", conversation=group, sequence=1)
    assert relay.stop() == 0
    relay.start()
    bob = await relay.device("bob")
    assert (await bob.call("conversation.list"))["conversations"][0]["unread"] == 2
    await bob.call("read", conversation=group, sequence=2)
    await until(lambda: relay.rows("SELECT 1 FROM member WHERE read = 2"), "the watermark in the store")
    relay.kill()
    relay.start()
    bob = await relay.device("bob")
    assert (await bob.call("conversation.list"))["conversations"][0]["unread"] == 1
