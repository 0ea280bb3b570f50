"""Things that a user hides from another stay hidden in every way, over restarts too."""

from harness.waiting import until

SETTINGS = {"presence__grace_seconds": 300}


def shown(device, user):
    """Returns the user's states that the device got, in this order."""
    users = [one for frame in device.seen("presence") for one in frame.get("users", []) if one["user"] == user]
    return [one["state"] + ("" if "seen" not in one else " " + one["seen"]) for one in users]


async def found(device, user):
    return (await device.call("watch", users=[user]))["users"][0]


async def until_counted(device, group, tally):
    """Waits for the number of online members, and of all. A new session counts from the next tick on."""
    counts = [(await device.call("watch", conversations=[group]))["conversations"][0]]

    def last():
        told = [one for frame in device.seen("presence") for one in frame.get("conversations", [])]
        one = ([one for one in told if one["conversation"] == group] or counts)[-1]
        return one["online"], one["of"]

    if (counts[0]["online"], counts[0]["of"]) != tally:
        await until(lambda: last() == tally, f"{tally} are online")


async def pair(relay):
    """alice and bob are in a group with carol, and watch each other."""
    alice, bob = await relay.device("alice"), await relay.device("bob")
    group = await alice.group("Crew", "bob", "carol")
    await until_online(alice, "bob")
    await until_online(bob, "alice")
    return alice, bob, group


async def until_online(device, user):
    if (await found(device, user))["state"] != "online":
        await until(lambda: shown(device, user)[-1:] == ["online"], "online")


async def test_settings_are_kept_and_seen_at_once(start):
    relay = start(**SETTINGS)
    alice, bob, _ = await pair(relay)
    answer = await alice.call("privacy", presence="nobody", lastSeen="coarse")
    assert answer["privacy"] == {"presence": "nobody", "lastSeen": "coarse", "read": "shared"}
    assert answer["exceptions"] == []
    await until(lambda: shown(bob, "alice")[-1:] == ["offline recently"], "hidden")
    await until(lambda: shown(alice, "bob")[-1:] == ["offline recently"], "hides from alice")
    assert (await alice.event("privacy"))["presence"] == "nobody"
    relay.kill()
    relay.start()
    alice, bob = await relay.device("alice"), await relay.device("bob")
    assert (await found(bob, "alice")) == {"user": "alice", "state": "offline", "seen": "recently"}
    await alice.call("privacy", presence="shared")
    await until(lambda: shown(bob, "alice")[-1:] == ["online"], "shown again")


async def test_blocking_hides_both_ways(start):
    relay = start(**SETTINGS)
    alice, bob, group = await pair(relay)
    await alice.call("contact.block", users=["bob", "who-never-came"])
    await until(lambda: shown(bob, "alice")[-1:] == ["offline"], "hidden")
    await until(lambda: shown(alice, "bob")[-1:] == ["offline"], "hides from alice")
    relay.kill()
    relay.start()
    alice, bob = await relay.device("alice"), await relay.device("bob")
    assert await found(bob, "alice") == {"user": "alice", "state": "offline"}
    assert await found(alice, "bob") == {"user": "bob", "state": "offline"}
    carol = await relay.device("carol")
    for device in (alice, bob):
        await device.call("typing", to=group)
    await carol.event("typing", user="alice")
    await carol.event("typing", user="bob")
    await carol.send(group, "one")
    await alice.event("message")
    await alice.call("read", conversation=group, sequence=1)
    await carol.event("receipt", user="alice", read=1)
    for device in (alice, bob):
        await device.barrier()
        assert not device.seen("typing")
    assert not [one for one in bob.seen("receipt") if one["user"] == "alice"]
    members = (await bob.call("conversation.members", conversation=group))["members"]
    assert [set(one) for one in members if one["user"] == "alice"] == [{"user", "role"}]
    await until_counted(alice, group, (2, 3))
    await alice.call("contact.unblock", users=["bob"])
    await until(lambda: shown(bob, "alice")[-1:] == ["online"], "shown again")
    assert (await alice.call("privacy"))["exceptions"] == [{"user": "who-never-came", "as": "blocked"}]


async def test_what_was_hidden_before_a_block_is_hidden_after_it(start):
    relay = start(**SETTINGS)
    alice, bob, _ = await pair(relay)
    carol = await relay.device("carol")
    await alice.call("except", users=["bob"], **{"as": "never"})
    await alice.call("except", users=["carol"], **{"as": "always"})
    await alice.call("contact.block", users=["bob", "carol"])
    assert await alice.refusal("except", users=["bob"], **{"as": "none"}) == "conflict"
    assert {one["as"] for one in (await alice.call("privacy"))["exceptions"]} == {"blocked"}
    relay.kill()
    relay.start()
    alice, bob = await relay.device("alice"), await relay.device("bob")
    for _ in range(2):
        await alice.call("contact.unblock", users=["bob", "carol"])
    exceptions = (await alice.call("privacy"))["exceptions"]
    assert {one["user"]: one["as"] for one in exceptions} == {"bob": "never", "carol": "always"}
    await bob.barrier()
    assert await found(bob, "alice") == {"user": "alice", "state": "offline"}


async def test_hidden_users_leave_no_trace_in_counts_and_receipts(start):
    relay = start(**SETTINGS)
    alice, bob, group = await pair(relay)
    carol = await relay.device("carol")
    await alice.call("except", users=["bob"], **{"as": "never"})
    await until(lambda: shown(bob, "alice")[-1:] == ["offline"], "hidden")
    await bob.call("watch", conversations=[group])
    await carol.call("watch", conversations=[group])
    heard = len(bob.seen("presence"))
    await bob.send(group, "one")
    await alice.event("message")
    await alice.call("ack", position=alice.seen("message")[-1]["position"])
    await carol.call("ack", position=(await carol.event("message"))["position"])
    await alice.bye()
    # Carol gets the event, and so Bob would have got it.
    await until(lambda: [one for one in carol.seen("presence") if "conversations" in one], "carol is told")
    await bob.event("receipt", user="carol")
    await bob.barrier()
    assert len(bob.seen("presence")) == heard
    assert not [one for one in bob.seen("receipt") if one["user"] == "alice"]
    page = await bob.call("conversation.members", conversation=group, sequence=1)
    assert (page["of"], page["deliveredCount"]) == (2, 1)


async def test_a_stranger_may_watch_who_shows_itself_to_everyone(start):
    relay = start(**SETTINGS)
    alice, eve = await relay.device("alice"), await relay.device("eve")
    assert await eve.refusal("watch", users=["alice"]) == "forbidden"
    await alice.call("privacy", presence="everyone")
    await until_online(eve, "alice")
    await alice.call("status", state="busy")
    await until(lambda: shown(eve, "alice")[-1:] == ["busy"], "busy")
    await alice.call("privacy", presence="shared")
    await alice.call("status", state="away")
    assert await eve.refusal("watch", users=["alice"]) == "forbidden"
    await eve.barrier()
    assert "away" not in shown(eve, "alice")


async def test_what_is_wrong_is_refused(start):
    alice = await start().device("alice")
    for members in [{"users": ["bob"]}, {"as": "never"}, {"users": [], "as": "never"}, {"users": ["bob"], "as": "x"},
                    {"users": ["alice"], "as": "never"}]:
        assert await alice.refusal("except", **members) == "bad_request"
    assert await alice.refusal("except", users=[f"u{n}" for n in range(101)], **{"as": "never"}) == "too_large"
    for members in [{"presence": "friends"}, {"lastSeen": 1}, {"read": "everyone"}]:
        assert await alice.refusal("privacy", **members) == "bad_request"
