"""A blocked user is answered as ever, and nothing of it reaches the blocker: on all devices, over restarts, later."""

import asyncio


async def crew(relay):
    """alice, bob and carol are in a group, and alice and bob have written to each other."""
    alice, bob, carol = [await relay.device(name) for name in ("alice", "bob", "carol")]
    group = await alice.group("Crew", "bob", "carol")
    await alice.send("@bob", "hello")
    direct = (await bob.event("message", body="hello"))["conversation"]
    return alice, bob, carol, group, direct


def shown(messages, group):
    """Returns the bodies of the group's messages, and `-` for placeholders."""
    texts = []
    for message in messages:
        if message["conversation"] != group:
            continue
        if message.get("hidden"):
            assert set(message) - {"type"} == {"conversation", "sequence", "position", "time", "hidden"}
            texts.append("-")
        else:
            texts.append(message["body"])
    return texts


async def history(device, conversation):
    answer = await device.call("history", conversation=conversation)
    return shown([one | {"conversation": conversation} for one in answer["messages"]], conversation)


async def test_the_blocker_is_refused_and_the_blocked_one_is_not(start):
    alice, bob, carol, group, direct = await crew(start())
    await alice.call("contact.block", users=["bob"])
    for to in (direct, "@bob"):
        assert await alice.refusal("send", to=to, key="k", body="x") == "blocked"
        assert await alice.refusal("signal", to=to, body="x") == "blocked"
        assert await alice.refusal("typing", to=to) == "blocked"
    assert await alice.refusal("react", conversation=direct, sequence=1, reaction="+") == "blocked"
    assert await alice.refusal("conversation.create", kind="direct", members=["bob"]) == "blocked"
    assert await alice.refusal("conversation.create", kind="group", name="N", members=["bob"]) == "blocked"
    assert await alice.refusal("contact.invite", user="bob") == "blocked"
    await bob.call("signal", to=direct, body="x")
    await bob.call("typing", to="@alice")
    await bob.call("react", conversation=direct, sequence=1, reaction="+")
    opened = await bob.call("conversation.create", kind="direct", members=["alice"])
    assert opened["conversation"]["conversation"] == direct
    assert (await bob.call("contact.invite", user="alice"))["contact"]["state"] == "sent"
    assert await history(alice, direct) == ["hello"]
    assert await carol.call("conversation.create", kind="group", name="N", members=["alice", "bob"])
    await alice.barrier()
    assert not alice.seen("signal") and not alice.seen("typing") and not alice.seen("contact")
    await alice.call("contact.unblock", users=["bob"])
    await bob.send("@alice", "back")
    await alice.event("message", body="back")


async def object_of(device, conversation):
    return (await device.call("conversation.get", conversation=conversation))["conversation"]


async def test_what_is_written_during_a_block_never_comes(start):
    relay = start()
    alice, bob, carol, group, direct = await crew(relay)
    await carol.send("@alice", "newer")
    await alice.event("message", body="newer")
    await alice.call("contact.block", users=["bob"])
    listed = (await alice.call("conversation.list"))["conversations"]
    sent = [await bob.send("@alice", "secret one"), await bob.send("@alice", "secret two")]
    assert [one["sequence"] for one in sent] == [2, 3]
    assert (await bob.call("edit", conversation=direct, sequence=2, body="secret three"))["type"] == "ok"
    await alice.barrier()
    assert (await alice.call("conversation.list"))["conversations"] == listed
    assert await history(alice, direct) == ["hello", "-", "-"]
    assert await history(bob, direct) == ["hello", "secret three", "secret two"]
    relay.kill()
    relay.start()
    alice, bob = await relay.device("alice", "new"), await relay.device("bob")
    await alice.event("live")
    assert (await alice.call("conversation.list"))["conversations"] == listed
    await alice.call("contact.unblock", users=["bob"])
    await bob.send("@alice", "after")
    await alice.event("message", body="after")
    assert await history(alice, direct) == ["hello", "-", "-", "after"]
    assert (await object_of(alice, direct))["message"]["body"] == "after"
    # A mark that left out the places would betray the block.
    await alice.call("read", conversation=direct, sequence=4)
    assert (await bob.event("receipt", user="alice", read=4))["delivered"] == 4
    assert await alice.refusal("react", conversation=direct, sequence=2, reaction="+") == "not_found"
    assert await alice.refusal("send", to=direct, key="r", body="x", replyTo=3) == "not_found"
    assert not [frame for frame in alice.frames if "secret" in str(frame)]


async def test_what_a_blocked_user_opens_is_not_there(start):
    relay = start()
    alice, bob = await relay.device("alice"), await relay.device("bob")
    await alice.call("contact.block", users=["bob"])
    direct = (await bob.send("@alice", "secret"))["conversation"]
    for restarts in (False, True):
        if restarts:
            relay.kill()
            relay.start()
            alice, bob = await relay.device("alice", "new"), await relay.device("bob")
            await alice.event("live")
        assert (await alice.call("conversation.list"))["conversations"] == []
        for name in (direct, "@bob"):
            assert await alice.refusal("conversation.get", conversation=name) == "not_found"
            assert await alice.refusal("history", conversation=name) == "not_found"
        assert not alice.seen("message") and not alice.seen("conversation")
        # But for what a block always says.
        told = [one["users"] for one in alice.seen("presence")]
        assert told == ([] if restarts else [[{"user": "bob", "state": "offline"}]])
    await alice.call("contact.unblock", users=["bob"])
    await bob.send("@alice", "again")
    await alice.event("message", body="again")
    assert await history(alice, direct) == ["again"]
    assert await history(bob, direct) == ["secret", "again"]


async def test_in_a_group_only_places_are_told_wherever_one_looks(start):
    relay = start()
    alice, bob, carol, group, _ = await crew(relay)
    tablet = await relay.device("alice", "tablet")
    away = await relay.device("bob", "away")
    await away.drop()
    await alice.call("contact.block", users=["bob"])
    await bob.send(group, "b1")
    await alice.send(group, "a1")
    await carol.send(group, "c1")
    live = ((alice, ["-", "c1"]), (tablet, ["-", "a1", "c1"]), (bob, ["a1", "c1"]), (carol, ["b1", "a1"]))
    for device, expected in live:
        await device.barrier()
        assert shown(device.seen("message"), group) == expected
    relay.kill()
    relay.start()
    expected = {"alice": ["-", "a1", "c1"], "bob": ["b1", "a1", "c1"], "carol": ["b1", "a1", "c1"]}
    for name in expected:
        # A device that comes for the first time gets all of it, from the log or the window.
        device = await relay.device(name, "new")
        await device.event("live")
        assert shown(device.seen("message"), group) == expected[name]
        assert await history(device, group) == expected[name]
    away = await relay.device("bob", "away")
    await away.event("live")
    assert shown(away.seen("message"), group) == expected["bob"]
    alice = await relay.device("alice")
    await alice.call("contact.unblock", users=["bob"])
    assert await history(alice, group) == ["b1", "a1", "c1"]


async def test_changes_and_signals_by_the_other_one_tell_nothing(start):
    alice, bob, carol, group, _ = await crew(start())
    await bob.send(group, "b1")
    await carol.send(group, "c1")
    await alice.event("message", body="c1")
    await alice.call("contact.block", users=["bob"])
    await bob.call("edit", conversation=group, sequence=1, body="secret")
    await bob.call("react", conversation=group, sequence=2, reaction="+")
    await bob.call("signal", to=group, body="secret")
    await bob.call("delete", conversation=group, sequence=1)
    for kind in ("edit", "react", "delete"):
        event = await alice.event(kind)
        assert set(event) == {"type", "conversation", "sequence", "position", "time", "hidden"}
    assert (await carol.event("signal"))["from"] == "bob"
    await alice.barrier()
    assert not alice.seen("signal")
    message = (await alice.call("history", conversation=group, after=1))["messages"][0]
    assert "reactions" not in message
    message = (await carol.call("history", conversation=group, after=1))["messages"][0]
    assert message["reactions"] == [{"reaction": "+", "count": 1, "mine": False}]


async def test_what_is_wrong_is_refused(start):
    alice = await start().device("alice")
    for command in ("contact.block", "contact.unblock"):
        for members in ({}, {"users": []}, {"users": [1]}, {"users": "bob"}):
            assert await alice.refusal(command, **members) == "bad_request"
        assert await alice.refusal(command, users=[f"u{n}" for n in range(101)]) == "too_large"
    assert await alice.refusal("contact.block", users=["alice"]) == "bad_request"
    assert await alice.refusal("except", users=["bob"], **{"as": "blocked"}) == "bad_request"
    await alice.call("contact.block", users=["bob"])
    assert await alice.refusal("except", users=["bob"], **{"as": "none"}) == "conflict"
    await asyncio.gather(*(alice.call("contact.unblock", users=["bob"]) for _ in range(3)))
    assert (await alice.call("privacy"))["exceptions"] == []
