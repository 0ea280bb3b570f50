"""Conversations: direct and group, the rights to changes, the recipients of events, the order of the list, and that the
last member to leave erases the conversation.
"""

import asyncio

import pytest

from harness.waiting import until


async def three(relay, name):
    """alice, bob and carol are in a group of alice's, connected, and have got the event."""
    people = [await relay.device(name(who)) for who in ("alice", "bob", "carol")]
    group = await people[0].group("Crew", name("bob"), name("carol"))
    for device in people[1:]:
        await device.event("conversation", event="created", conversation=group)
    return (*people, group)


async def roles(device, group):
    answer = await device.call("conversation.members", conversation=group)
    return {member["user"].partition(".")[0]: member["role"] for member in answer["members"]}


async def test_creating_a_group_tells_its_members(relay, name):
    alice, bob = await relay.device(name("alice")), await relay.device(name("bob"))
    other = await relay.device(name("alice"), "tablet")
    answer = await alice.call(
        "conversation.create", kind="group", name="Crew ☀ \"1\"", members=[name("bob"), name("carol"), name("bob")])
    group = answer["conversation"]
    assert set(answer) == {"type", "re", "conversation", "position", "time"}
    assert group == {
        "conversation": group["conversation"], "kind": "group", "name": "Crew ☀ \"1\"", "role": "owner", "count": 3,
        "members": [name("alice"), name("bob"), name("carol")], "sequence": 0, "unread": 0, "read": 0,
        "createdAt": answer["time"], "time": answer["time"]}
    told = await bob.event("conversation", conversation=group["conversation"])
    assert told["event"] == "created" and told["by"] == name("alice")
    assert (told["kind"], told["name"], told["members"]) == ("group", group["name"], group["members"])
    assert (told["position"], told["time"]) == (answer["position"], answer["time"])
    assert dict(await other.event("conversation", event="created")) == dict(told)
    # A member who was away learns of it on return.
    carol = await relay.device(name("carol"))
    assert dict(await carol.event("conversation", event="created")) == dict(told)


async def test_a_key_makes_a_retry_safe(relay, name):
    alice = await relay.device(name("alice"))
    create = {"kind": "group", "name": "Crew", "members": [name("bob")], "key": "once"}
    first = await alice.call("conversation.create", **create)
    again = await alice.call("conversation.create", **create)
    assert again["duplicate"] is True
    for member in ("position", "time"):
        assert again[member] == first[member]
    assert again["conversation"]["conversation"] == first["conversation"]["conversation"]
    assert len((await alice.call("conversation.list"))["conversations"]) == 1
    bob = await relay.device(name("bob"))
    await bob.event("conversation", event="created")
    await bob.barrier()
    assert len(bob.seen("conversation")) == 1


async def test_two_users_have_one_direct_conversation(relay, name):
    alice, bob = await relay.device(name("alice")), await relay.device(name("bob"))
    first = await alice.call("conversation.create", kind="direct", members=[name("bob")])
    second = await bob.call("conversation.create", kind="direct", members=[name("alice")])
    assert "duplicate" not in first and second["duplicate"] is True
    assert first["conversation"]["conversation"] == second["conversation"]["conversation"]
    assert {first["conversation"]["role"], second["conversation"]["role"]} == {"member"}
    assert "name" not in first["conversation"]
    sent = await bob.send("@" + name("alice"), "hello")
    assert sent["conversation"] == first["conversation"]["conversation"]
    # Both create it at the same time, and there is still one.
    carol = await relay.device(name("carol"))
    answers = await asyncio.gather(
        carol.ask("send", to="@" + name("bob"), key="c", body="1"),
        bob.ask("send", to="@" + name("carol"), key="b", body="2"))
    assert len({answer["conversation"] for answer in answers}) == 1
    assert {answer["sequence"] for answer in answers} == {1, 2}


async def test_nobody_can_change_a_direct_conversation(relay, name):
    alice = await relay.device(name("alice"))
    direct = (await alice.call("conversation.create", kind="direct", members=[name("bob")]))["conversation"]
    for type, members in [
            ("conversation.rename", {"name": "x"}), ("conversation.add", {"users": [name("carol")]}),
            ("conversation.remove", {"users": [name("bob")]}),
            ("conversation.role", {"user": name("bob"), "role": "admin"})]:
        assert await alice.refusal(type, conversation=direct["conversation"], **members) == "conflict"
    assert await alice.refusal("conversation.create", kind="direct", members=[name("alice")]) == "bad_request"
    assert await alice.refusal("conversation.create", kind="direct", members=[name("a"), name("b")]) == "bad_request"


async def test_rename(relay, name):
    alice, bob, carol, group = await three(relay, name)
    assert await bob.refusal("conversation.rename", conversation=group, name="Mine") == "forbidden"
    answer = await alice.call("conversation.rename", conversation=group, name="The Crew")
    assert set(answer) == {"type", "re", "position", "time"}
    for device in (bob, carol):
        told = await device.event("conversation", event="renamed")
        assert (told["name"], told["by"]) == ("The Crew", name("alice"))
        assert (told["position"], told["time"]) == (answer["position"], answer["time"])
    assert (await bob.call("conversation.list"))["conversations"][0]["name"] == "The Crew"
    await alice.call("conversation.rename", conversation=group, name="x" * 256)
    assert await alice.refusal("conversation.rename", conversation=group, name="x" * 257) == "too_large"
    assert await alice.refusal("conversation.rename", conversation=group, name=" \u3000 ") == "bad_request"


async def test_add_and_remove(relay, name):
    alice, bob, carol, group = await three(relay, name)
    dave = await relay.device(name("dave"))
    await alice.send(group, "before dave")
    assert await bob.refusal("conversation.add", conversation=group, users=[name("dave")]) == "forbidden"
    assert await dave.refusal("send", to=group, key="k", body="x") == "not_found"
    await alice.call("conversation.add", conversation=group, users=[name("dave"), name("bob")])
    told = await dave.event("conversation", event="added")
    assert told["users"] == [name("dave")] and told["kind"] == "group" and told["name"] == "Crew"
    assert told["members"] == [name(who) for who in ("alice", "bob", "carol", "dave")]
    assert (await bob.event("conversation", event="added"))["users"] == [name("dave")]
    assert await alice.refusal("conversation.add", conversation=group, users=[name("dave")]) == "conflict"
    await alice.send(group, "with dave")
    assert (await dave.event("message"))["sequence"] == 2

    assert await bob.refusal("conversation.remove", conversation=group, users=[name("dave")]) == "forbidden"
    await alice.call("conversation.remove", conversation=group, users=[name("dave")])
    for device in (bob, dave):
        told = await device.event("conversation", event="removed")
        assert (told["users"], told["by"]) == ([name("dave")], name("alice"))
    await alice.send(group, "without dave")
    assert (await bob.event("message", sequence=3))["body"] == "without dave"
    assert await dave.refusal("history", conversation=group) == "not_found"
    await dave.barrier()
    assert [message["sequence"] for message in dave.seen("message")] == [2]
    assert await alice.refusal("conversation.remove", conversation=group, users=[name("dave")]) == "not_found"
    assert await alice.refusal("conversation.remove", conversation=group, users=[name("alice")]) == "bad_request"


async def test_a_member_removed_while_away_is_told_on_return(relay, name):
    alice = await relay.device(name("alice"))
    bob = await relay.device(name("bob"))
    group = await alice.group("Crew", name("bob"))
    created = await bob.event("conversation", event="created")
    await bob.call("ack", position=created["position"])
    await bob.bye()
    await alice.send(group, "one")
    await alice.call("conversation.remove", conversation=group, users=[name("bob")])
    await alice.send(group, "two")
    bob = await relay.device(name("bob"))
    assert (await bob.event("conversation"))["event"] == "removed"
    await bob.barrier()
    assert [message["body"] for message in bob.seen("message")] == ["one"]


async def test_roles(relay, name):
    alice, bob, carol, group = await three(relay, name)
    assert await bob.refusal("conversation.role", conversation=group, user=name("carol"), role="admin") == "forbidden"
    await alice.call("conversation.role", conversation=group, user=name("bob"), role="admin")
    told = await bob.event("conversation", event="role")
    assert (told["user"], told["role"], told["by"]) == (name("bob"), "admin", name("alice"))
    assert await roles(carol, group) == {"alice": "owner", "bob": "admin", "carol": "member"}
    # An admin may rename, add and remove members, but not change roles or remove the owner or an admin.
    await bob.call("conversation.rename", conversation=group, name="Bob's")
    assert await bob.refusal("conversation.role", conversation=group, user=name("carol"), role="admin") == "forbidden"
    assert await bob.refusal("conversation.remove", conversation=group, users=[name("alice")]) == "forbidden"
    await alice.call("conversation.role", conversation=group, user=name("carol"), role="admin")
    assert await bob.refusal("conversation.remove", conversation=group, users=[name("carol")]) == "forbidden"
    await alice.call("conversation.role", conversation=group, user=name("carol"), role="member")
    await bob.call("conversation.remove", conversation=group, users=[name("carol")])
    assert await alice.refusal(
        "conversation.role", conversation=group, user=name("carol"), role="admin") == "not_found"


async def test_naming_another_owner_makes_the_old_one_admin(relay, name):
    alice, bob, carol, group = await three(relay, name)
    await alice.call("conversation.role", conversation=group, user=name("carol"), role="owner")
    assert await roles(bob, group) == {"alice": "admin", "bob": "member", "carol": "owner"}
    assert await alice.refusal("conversation.role", conversation=group, user=name("bob"), role="admin") == "forbidden"
    await carol.call("conversation.role", conversation=group, user=name("bob"), role="admin")


@pytest.mark.parametrize("admin, heir", [(None, "bob"), ("carol", "carol")])
async def test_when_the_owner_leaves_the_longest_standing_admin_or_member_becomes_owner(relay, name, admin, heir):
    alice, bob, carol, group = await three(relay, name)
    if admin:
        await alice.call("conversation.role", conversation=group, user=name(admin), role="admin")
    answer = await alice.call("conversation.leave", conversation=group)
    assert set(answer) == {"type", "re", "position", "time"}
    told = await bob.event("conversation", event="left")
    assert (told["by"], told["owner"]) == (name("alice"), name(heir))
    assert (await roles(bob, group))[heir] == "owner"
    assert "alice" not in await roles(bob, group)
    assert await alice.refusal("conversation.members", conversation=group) == "not_found"
    # When a member leaves, the owner stays the same.
    leaver = carol if heir == "bob" else bob
    stays = bob if heir == "bob" else carol
    await leaver.call("conversation.leave", conversation=group)
    assert "owner" not in await stays.event("conversation", event="left", by=leaver.user)


async def test_when_the_last_member_leaves_the_conversation_is_erased(start):
    relay = start()
    alice, bob = await relay.device("alice"), await relay.device("bob")
    group = await alice.group("Crew", "bob")
    await alice.send(group, "a secret to be forgotten with the group")
    await bob.event("message")
    await alice.call("conversation.leave", conversation=group)
    await bob.call("conversation.leave", conversation=group)
    for device in (alice, bob):
        assert await device.refusal("history", conversation=group) == "not_found"
        assert (await device.call("conversation.list"))["conversations"] == []
    assert relay.stop() == 0
    assert b"to be forgotten" not in b"".join(file.read_bytes() for file in relay.folder.glob("roost.db*"))
    relay.start()
    again = await relay.device("bob")
    assert await again.refusal("history", conversation=group) == "not_found"


async def test_leaving_a_direct_conversation_hides_it_until_the_next_send(relay, name):
    alice, bob = await relay.device(name("alice")), await relay.device(name("bob"))
    direct = (await alice.send("@" + name("bob"), "one"))["conversation"]
    await bob.event("message", sequence=1)
    await bob.call("conversation.leave", conversation=direct)
    assert (await bob.call("conversation.list"))["conversations"] == []
    assert await bob.refusal("history", conversation=direct) == "not_found"
    await alice.send(direct, "two")
    assert (await bob.event("message", sequence=2))["body"] == "two"
    found = (await bob.call("conversation.list"))["conversations"][0]
    assert (found["conversation"], found["unread"], found["sequence"]) == (direct, 1, 2)
    # Earlier messages don't come back for the one who left. The other user keeps them.
    assert [one["body"] for one in (await bob.call("history", conversation=direct))["messages"]] == ["two"]
    assert [one["body"] for one in (await alice.call("history", conversation=direct))["messages"]] == ["one", "two"]


async def test_the_list_is_newest_first_with_last_message_and_unread(relay, name):
    alice, bob = await relay.device(name("alice")), await relay.device(name("bob"))
    groups = [await alice.group(f"Group {number}", name("bob")) for number in range(3)]
    await alice.send(groups[0], "one")
    sent = await alice.send(groups[0], "two", replyTo=1)
    await bob.event("message", sequence=2)
    found = (await bob.call("conversation.list"))["conversations"]
    assert [one["conversation"] for one in found] == [groups[0], groups[2], groups[1]]
    first = found[0]
    assert (first["sequence"], first["unread"], first["read"], first["role"]) == (2, 2, 0, "member")
    assert first["time"] == sent["time"]
    message = first["message"]
    assert (message["sequence"], message["from"], message["body"], message["replyTo"]) == (2, name("alice"), "two", 1)
    assert "message" not in found[1]
    await bob.call("read", conversation=groups[0], sequence=1)
    first = (await bob.call("conversation.list"))["conversations"][0]
    assert (first["unread"], first["read"]) == (1, 1)
    # Sending a message marks earlier ones as read.
    first = (await alice.call("conversation.list"))["conversations"][0]
    assert (first["unread"], first["read"]) == (0, 2)


async def test_the_list_comes_in_pages(relay, name):
    alice = await relay.device(name("alice"))
    groups = [await alice.group(f"Group {number}") for number in range(7)]
    found, before = [], {}
    while True:
        page = await alice.call("conversation.list", limit=3, **before)
        assert len(page["conversations"]) <= 3
        found += [one["conversation"] for one in page["conversations"]]
        if "next" not in page:
            break
        before = {"before": page["next"]}
    assert found == groups[::-1]


async def test_other_users_conversations_stay_hidden(relay, name):
    alice, bob, carol, group = await three(relay, name)
    mallory = await relay.device(name("mallory"))
    target = {"conversation": group, "sequence": 1}
    await alice.send(group, "secret")
    for type, members in [
            ("send", {"to": group, "key": "k", "body": "x"}), ("edit", {**target, "body": "x"}), ("delete", target),
            ("react", {**target, "reaction": "+"}), ("history", {"conversation": group}), ("read", target),
            ("signal", {"to": group, "body": 1}), ("typing", {"to": group}),
            ("conversation.members", {"conversation": group}), ("conversation.leave", {"conversation": group}),
            ("conversation.rename", {"conversation": group, "name": "x"}),
            ("conversation.add", {"conversation": group, "users": [name("mallory")]})]:
        members = {**members}
        assert await mallory.refusal(type, **members) == "not_found", type
        members["to" if "to" in members else "conversation"] = "no-such-conversation"
        assert await mallory.refusal(type, **members) == "not_found", type
    assert (await mallory.call("conversation.list"))["conversations"] == []


async def test_a_command_sees_the_effect_of_the_one_before(relay, name):
    """Commands are judged by what is under way: the second one is sent before the first is durable."""
    alice, bob, carol, group = await three(relay, name)
    answers = [
        await alice.begin("conversation.role", conversation=group, user=name("bob"), role="owner"),
        await alice.begin("conversation.role", conversation=group, user=name("carol"), role="admin"),
        await alice.begin("conversation.leave", conversation=group),
        await alice.begin("send", to=group, key="late", body="too late")]
    answers = [await answer for answer in answers]
    assert [answer.get("code") for answer in answers] == [None, "forbidden", None, "not_found"]
    assert await roles(bob, group) == {"bob": "owner", "carol": "member"}


async def test_the_members_of_a_group_are_limited(start):
    relay = start(limits__members_max=3)
    alice = await relay.device("alice")
    group = await alice.group("Crew", "b", "c")
    assert await alice.refusal("conversation.add", conversation=group, users=["d"]) == "too_large"
    assert await alice.refusal("conversation.create", kind="group", name="x", members=["b", "c", "d"]) == "too_large"
    await alice.call("conversation.remove", conversation=group, users=["b"])
    await alice.call("conversation.add", conversation=group, users=["d"])


async def test_the_conversations_of_a_user_are_limited(start):
    relay = start(limits__conversations_per_user=2)
    alice, bob = await relay.device("alice"), await relay.device("bob")
    for _ in range(2):
        await alice.group("Crew")
    for device, type, members in [
            (alice, "conversation.create", {"kind": "group", "name": "x"}),
            (alice, "send", {"to": "@bob", "key": "k", "body": "x"})]:
        assert await device.refusal(type, **members) == "too_large"
    assert (await bob.call("conversation.list"))["conversations"] == []


async def test_nobody_is_locked_out_by_what_others_open(start):
    relay = start(limits__conversations_per_user=30, limits__unanswered_per_user=20)
    mallory, victim = await relay.device("mallory"), await relay.device("victim")
    for _ in range(20):
        group = await mallory.group("Trap", "victim")
        await mallory.call("conversation.leave", conversation=group)
    trap = {"kind": "group", "name": "Trap", "members": ["victim"]}
    assert await mallory.refusal("conversation.create", **trap) == "too_large"
    # Neither another connection nor a restart of the relay lets the attacker go on.
    relay.kill()
    relay.start()
    mallory, victim = await relay.device("mallory", "other"), await relay.device("victim")
    assert await mallory.refusal("conversation.create", **trap) == "too_large"
    for number in range(20):
        await victim.group(f"Own {number}")
    newcomer = await relay.device("newcomer")
    await newcomer.call("send", to="@victim", key="k", body="Hello")
    await victim.call("send", to="@newcomer", key="k", body="Hello")


async def test_users_who_never_came_are_bounded_and_forgotten(start):
    relay = start(limits__introductions_per_hour=50)
    for round in range(3):
        device = await relay.device("alice", f"device{round}")
        names = [f"r{round}n{number}" for number in range(50)]
        if round:
            assert await device.refusal(
                "conversation.create", kind="group", name="x", members=names) == "rate_limited"
        else:
            group = await device.group("x", *names)
    assert relay.rows("SELECT count(*) FROM user") == [(51,)]
    await device.call("conversation.remove", conversation=group, users=[f"r0n{number}" for number in range(50)])
    await device.call("conversation.leave", conversation=group)
    await until(lambda: relay.rows("SELECT name FROM user") == [("alice",)], "all of them to be forgotten")
