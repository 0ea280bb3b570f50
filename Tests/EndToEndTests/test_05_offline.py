"""Offline devices: missed messages come in order until they are acked, a huge backlog is cut by an explicit gap,
invalid positions are refused, and new devices begin at the right place."""

import asyncio

import pytest

SETTINGS = {"limits__backlog_max": 10, "limits__page_messages": 4}


async def crew(relay, name):
    alice, bob = await relay.device(name("alice")), await relay.device(name("bob"))
    group = await alice.group("Crew", name("bob"))
    created = await bob.event("conversation", event="created")
    await bob.call("ack", position=created["position"])
    return alice, bob, group


async def fill(device, group, count, first=1):
    """Sends numbered messages, and returns the position of the last one."""
    answers = [
        await device.begin("send", to=group, key=f"{group}-{n}", body=str(n)) for n in range(first, first + count)]
    answers = [await answer for answer in answers]
    assert [answer["sequence"] for answer in answers] == list(range(first, first + count))
    return answers[-1]["position"]


def sequences(device):
    return [message["sequence"] for message in device.seen("message")]


async def test_missed_messages_come_in_order_and_before_live_ones(relay, name):
    alice, bob, group = await crew(relay, name)
    await bob.drop()
    position = await fill(alice, group, 9)
    await alice.call("edit", conversation=group, sequence=2, body="two")
    renamed = await alice.call("conversation.rename", conversation=group, name="New")
    bob = await relay.device(name("bob"))
    assert bob.welcome["head"] == renamed["position"] != bob.welcome["position"]
    await fill(alice, group, 1, first=10)
    await bob.event("message", sequence=10)
    assert sequences(bob) == list(range(1, 11))
    events = [frame for frame in bob.frames if frame["type"] in ("message", "edit", "conversation")]
    assert [frame["type"] for frame in events] == ["message"] * 9 + ["edit", "conversation", "message"]
    assert events[8]["position"] == position
    assert events[1]["body"] == "two" and events[1]["editedAt"] > 0


async def test_a_device_that_missed_nothing_gets_nothing(relay, name):
    alice, bob, group = await crew(relay, name)
    position = await fill(alice, group, 3)
    await bob.event("message", sequence=3)
    await bob.call("ack", position=position)
    await bob.drop()
    bob = await relay.device(name("bob"))
    assert bob.welcome["position"] == bob.welcome["head"] == position
    await fill(alice, group, 1, first=4)
    await bob.event("message")
    assert sequences(bob) == [4]


async def test_messages_not_acked_come_again(relay, name):
    alice, bob, group = await crew(relay, name)
    positions = [await fill(alice, group, 1, first=number) for number in range(1, 7)]
    await bob.event("message", sequence=6)
    # An ack without an id is not answered. The ping behind it is.
    await bob.tell("ack", position=positions[3])
    await bob.barrier()
    for _ in range(2):
        await bob.drop()
        bob = await relay.device(name("bob"))
        assert bob.welcome["position"] == positions[3]
        await bob.event("message", sequence=6)
        assert sequences(bob) == [5, 6]
    # An older ack changes nothing.
    await bob.call("ack", position=positions[1])
    await bob.call("ack", position=positions[5])
    await bob.call("ack", position=positions[1])
    await bob.drop()
    bob = await relay.device(name("bob"))
    assert bob.welcome["position"] == positions[5]


async def test_cursors_survive_a_restart(start):
    relay = start()
    alice, bob = await relay.device("alice"), await relay.device("bob")
    group = await alice.group("Crew", "bob")
    positions = [await fill(alice, group, 1, first=number) for number in range(1, 5)]
    await bob.event("message", sequence=4)
    await bob.call("ack", position=positions[1])
    assert relay.stop() == 0
    relay.start()
    bob = await relay.device("bob")
    assert bob.welcome["position"] == positions[1]
    await bob.event("message", sequence=4)
    assert sequences(bob) == [3, 4]


async def test_a_backlog_at_the_limit_comes_whole(relay, name):
    alice, bob, group = await crew(relay, name)
    await bob.bye()
    await fill(alice, group, 10)
    bob = await relay.device(name("bob"))
    await bob.event("message", sequence=10)
    assert sequences(bob) == list(range(1, 11))
    assert not bob.seen("gap")


@pytest.mark.parametrize("missed", [11, 60])
async def test_a_backlog_above_the_limit_is_cut_by_a_gap(relay, name, missed):
    """The newest page, and before it the range to fetch by history. Together that is everything, and nothing twice."""
    alice, bob, group = await crew(relay, name)
    other = await alice.group("Other", name("bob"))
    await bob.event("conversation", conversation=other)
    await bob.bye()
    await fill(alice, group, missed)
    await fill(alice, other, 3)
    bob = await relay.device(name("bob"))
    await bob.event("message", conversation=other, sequence=3)
    gap = await bob.event("gap")
    assert dict(gap) == {"type": "gap", "conversation": group, "from": 1, "to": missed - 4}
    found = await bob.messages(group, missed)
    assert [message["sequence"] for message in found] == list(range(missed - 3, missed + 1))
    assert bob.frames.index(gap) < bob.frames.index(found[0])
    fetched, after = [], 0
    while after < gap["to"]:
        page = await bob.call("history", conversation=group, after=after, limit=20)
        fetched += [message["sequence"] for message in page["messages"] if message["sequence"] <= gap["to"]]
        after = page["messages"][-1]["sequence"]
    assert fetched == list(range(1, missed - 3))
    # The gap comes once: after an ack of the newest message, the next connection has none.
    await bob.call("ack", position=bob.welcome["head"])
    await bob.drop()
    bob = await relay.device(name("bob"))
    await fill(alice, group, 1, first=missed + 1)
    await bob.event("message")
    assert not bob.seen("gap") and sequences(bob) == [missed + 1]


async def test_what_became_of_known_messages_comes_in_spite_of_a_gap(relay, name):
    alice, bob, group = await crew(relay, name)
    carol = await relay.device(name("carol"))
    position = await fill(alice, group, 5)
    await bob.event("message", sequence=5)
    await bob.call("ack", position=position)
    await bob.bye()
    await alice.call("edit", conversation=group, sequence=1, body="first")
    await alice.call("edit", conversation=group, sequence=1, body="second")
    await alice.call("edit", conversation=group, sequence=2, body="in vain")
    await alice.call("delete", conversation=group, sequence=2)
    await alice.call("react", conversation=group, sequence=3, reaction="+")
    await alice.call("conversation.rename", conversation=group, name="New")
    await alice.call("conversation.add", conversation=group, users=[carol.user])
    await fill(alice, group, 6, first=6)
    await alice.call("edit", conversation=group, sequence=6, body="of a message in the gap")
    await alice.call("conversation.role", conversation=group, user=bob.user, role="admin")
    await alice.call("conversation.remove", conversation=group, users=[carol.user])
    await fill(alice, group, 6, first=12)
    bob = await relay.device(name("bob"))
    await bob.event("live")
    told = [
        (frame["type"], frame.get("event") or frame.get("sequence") or frame.get("from")) for frame in bob.frames
        if frame["type"] in ("message", "edit", "delete", "react", "conversation", "gap")]
    assert told == [
        ("edit", 1), ("delete", 2), ("react", 3), ("conversation", "renamed"), ("conversation", "added"), ("gap", 6),
        ("conversation", "role"), ("conversation", "removed"), *(("message", number) for number in range(14, 18))]
    assert (bob.seen("gap")[0]["from"], bob.seen("gap")[0]["to"]) == (6, 13)
    assert [edit["body"] for edit in bob.seen("edit")] == ["second"]
    assert all("deletedAt" not in edit for edit in bob.seen("edit"))


async def test_a_gap_with_too_many_changes_is_a_reset(relay, name):
    alice, bob, group = await crew(relay, name)
    position = await fill(alice, group, 2)
    await bob.event("message", sequence=2)
    await bob.call("ack", position=position)
    await bob.bye()
    renamed = [await alice.begin("conversation.rename", conversation=group, name=str(n)) for n in range(1001)]
    for answer in renamed:
        await answer
    await fill(alice, group, 12, first=3)
    bob = await relay.device(name("bob"))
    await bob.event("live")
    gap = bob.seen("gap")[0]
    assert (gap["from"], gap["to"], gap["reset"]) == (1, 10, True)
    assert not bob.seen("conversation")
    now = (await bob.call("conversation.get", conversation=group))["conversation"]
    assert (now["name"], now["sequence"], now["message"]["sequence"]) == ("1000", 14, 14)


@pytest.mark.parametrize("is_away", [False, True])
async def test_who_is_added_again_is_told_what_was_before(relay, name, is_away):
    alice, bob, group = await crew(relay, name)
    await fill(alice, group, 3)
    await bob.event("message", sequence=3)
    await alice.call("conversation.remove", conversation=group, users=[bob.user])
    removed = await bob.event("conversation", event="removed")
    await bob.call("ack", position=removed["position"])
    if is_away:
        await bob.bye()
    await fill(alice, group, 3, first=4)
    await alice.call("edit", conversation=group, sequence=1, body="new")
    await alice.call("conversation.add", conversation=group, users=[bob.user])
    if is_away:
        bob = await relay.device(name("bob"))
    added = await bob.event("conversation", event="added")
    assert (added["sequence"], added["unread"], added["read"]) == (6, 0, 0)
    gap = await bob.event("gap")
    assert dict(gap) == {"type": "gap", "conversation": group, "from": 1, "to": 6, "reset": True}
    assert bob.frames.index(gap) == bob.frames.index(added) + 1
    now = (await bob.call("conversation.get", conversation=group))["conversation"]
    assert (now["sequence"], now["unread"], now["read"]) == (6, 0, 0)
    # Only alice has read it, its author.
    counts = await alice.call("conversation.members", conversation=group, sequence=6)
    assert (counts["of"], counts["deliveredCount"], counts["readCount"]) == (1, 0, 0)


async def test_live_says_that_nothing_is_missing(relay, name):
    alice, bob, group = await crew(relay, name)
    assert (await alice.event("live"))["position"]
    await bob.drop()
    await fill(alice, group, 9)
    bob = await relay.device(name("bob"))
    live = await bob.event("live")
    assert sequences(bob) == list(range(1, 10)) and bob.frames.index(live) > bob.frames.index(bob.seen("message")[-1])
    # A user without a part in it can ack it, and misses nothing afterwards.
    carol = await relay.device(name("carol"))
    live = await carol.event("live")
    await carol.call("ack", position=live["position"])
    await carol.bye()
    carol = await relay.device(name("carol"))
    assert carol.welcome["position"] == live["position"] and "new" not in carol.welcome


async def test_own_messages_are_read_after_a_crash(start):
    relay = start()
    alice, bob = await relay.device("alice"), await relay.device("bob")
    group = await alice.group("Crew", "bob")
    await fill(alice, group, 5)
    relay.kill()
    relay.start()
    alice = await relay.device("alice")
    now = (await alice.call("conversation.get", conversation=group))["conversation"]
    assert (now["sequence"], now["unread"], now["read"]) == (5, 0, 5)
    bob = await relay.device("bob")
    now = (await bob.call("conversation.get", conversation=group))["conversation"]
    assert (now["sequence"], now["unread"], now["read"]) == (5, 5, 0)


async def test_gaps_are_per_conversation_and_begin_at_the_cursor(relay, name):
    alice, bob, group = await crew(relay, name)
    position = await fill(alice, group, 5)
    await bob.event("message", sequence=5)
    await bob.call("ack", position=position)
    await bob.bye()
    await fill(alice, group, 12, first=6)
    bob = await relay.device(name("bob"))
    gap = await bob.event("gap")
    assert (gap["from"], gap["to"]) == (6, 13)
    assert [message["sequence"] for message in await bob.messages(group, 17)] == [14, 15, 16, 17]


async def test_resume_is_an_ack(relay, name):
    alice, bob, group = await crew(relay, name)
    positions = [await fill(alice, group, 1, first=number) for number in range(1, 6)]
    await bob.event("message", sequence=5)
    await bob.drop()
    bob = await relay.device(name("bob"), resume=positions[2])
    assert bob.welcome["position"] == positions[2]
    await bob.event("message", sequence=5)
    assert sequences(bob) == [4, 5]
    # Below the cursor, it starts again from there.
    await bob.call("ack", position=positions[4])
    await bob.drop()
    bob = await relay.device(name("bob"), resume=positions[0])
    assert bob.welcome["position"] == positions[0]
    await bob.event("message", sequence=5)
    assert sequences(bob) == [2, 3, 4, 5]


# `E` stands for the epoch of the log.
@pytest.mark.parametrize(
    "wrong", ["", "abc", "1", "-1", "E", "E-", "E--1", "E-01", "E-1.0", "E-9223372036854775807", "E-" + "9" * 30,
              " E-1", "0E-1", "E0-1", "E-E-1"])
async def test_a_position_that_was_never_given_is_refused(relay, name, wrong):
    alice, bob, group = await crew(relay, name)
    await fill(alice, group, 1)
    wrong = wrong.replace("E", bob.welcome["epoch"])
    assert await bob.refusal("ack", position=wrong) == "bad_position"
    device = await relay.connect()
    token = relay.token(name("bob"))
    assert await device.refusal("hello", token=token, device="phone", resume=wrong) == "bad_position"
    # Without `resume`, the same connection can start from the beginning.
    assert (await device.call("hello", token=token, device="phone"))["type"] == "welcome"
    for number in (1, True, ["1"], {}):
        device = await relay.connect()
        assert await device.refusal("hello", token=token, device="x", resume=number) == "bad_request"


async def test_a_log_that_began_anew(start, name):
    """Positions of one log mean nothing in another, whatever they are."""
    relay = start()
    alice, bob, group = await crew(relay, name)
    position = await fill(alice, group, 3)
    epoch = bob.welcome["epoch"]
    relay = start()
    device = await relay.connect()
    token = relay.token(name("bob"))
    assert await device.refusal("hello", token=token, device="phone", resume=position) == "bad_position"
    welcome = await device.call("hello", token=token, device="phone")
    assert welcome["epoch"] != epoch
    assert await device.refusal("ack", position=position) == "bad_position"
    await device.call("ack", position=welcome["head"])


async def test_new_devices_begin_at_the_highest_cursor(relay, name):
    alice, bob, group = await crew(relay, name)
    positions = [await fill(alice, group, 1, first=number) for number in range(1, 5)]
    await bob.event("message", sequence=4)
    await bob.call("ack", position=positions[1])
    # A second device begins at the highest cursor, not at the beginning.
    tablet = await relay.device(name("bob"), "tablet")
    assert tablet.welcome["position"] == positions[1]
    await tablet.event("message", sequence=4)
    assert sequences(tablet) == [3, 4]
    await tablet.call("ack", position=positions[3])
    assert (await relay.device(name("bob"), "laptop")).welcome["position"] == positions[3]
    # Each device has its own cursor.
    await bob.drop()
    assert (await relay.device(name("bob"))).welcome["position"] == positions[1]
    # A user's first device begins at the beginning, and gets what was sent before the user first connected.
    await alice.call("conversation.add", conversation=group, users=[name("carol")])
    await alice.send(group, "for carol")
    carol = await relay.device(name("carol"))
    await carol.event("conversation", event="added")
    assert (await carol.event("message"))["body"] == "for carol"


async def test_a_new_device_replaces_the_one_away_longest(start):
    relay = start(limits__devices_per_user=2)
    first, second = await relay.device("bob", "first"), await relay.device("bob", "second")
    extra = await relay.connect()
    assert await extra.refusal("hello", token=relay.token("bob"), device="third") == "too_large"
    await first.bye()
    await extra.call("hello", token=relay.token("bob"), device="third")
    await second.bye()
    assert (await relay.device("bob", "first")).welcome["device"] == "first"


async def test_replies_and_signals_are_not_held_back_while_catching_up(start):
    relay = start(limits__page_messages=1, limits__backlog_max=1000)
    alice, bob = await relay.device("alice"), await relay.device("bob")
    group = await alice.group("Crew", "bob")
    await bob.event("conversation")
    await bob.bye()
    await fill(alice, group, 400)
    bob = await relay.device("bob")
    await alice.call("signal", to=group, body="now")
    await bob.barrier()
    await bob.event("signal")
    await fill(alice, group, 5, first=401)
    await bob.event("message", sequence=405)
    assert sequences(bob) == list(range(1, 406))


async def test_acking_an_own_reply_while_catching_up_does_not_ack_the_backlog(start):
    """`ok` names a position above events that were not sent yet. Acking it must not skip those."""
    relay = start(limits__page_messages=1, limits__backlog_max=1000)
    alice, bob = await relay.device("alice"), await relay.device("bob")
    group = await alice.group("Crew", "bob")
    await bob.event("conversation")
    await bob.bye()
    count = 900
    await fill(alice, group, count)
    bob = await relay.device("bob")
    answer = await bob.send(group, "mine", key="mine")
    await bob.call("ack", position=answer["position"])
    had = len(bob.seen("message"))
    await bob.drop()
    if had < count:
        again = await relay.device("bob")
        await again.event("message", sequence=count)
        assert sequences(again)[0] <= had + 1


async def test_many_devices_can_come_back_at_once(relay, name):
    alice, bob, group = await crew(relay, name)
    await fill(alice, group, 9)
    devices = await asyncio.gather(*(relay.device(name("bob"), f"d-{number}") for number in range(60)))
    await fill(alice, group, 1, first=10)
    for device in devices:
        await device.event("message", sequence=10)
        assert sequences(device) == list(range(1, 11))
