"""Profiles: seen without asking, changed while others look on, found, and gone when the user has left."""

import contextlib
import sqlite3

import pytest

from harness.up import Both, free_port
from harness.waiting import until


def named(profiles):
    return {one["user"]: one.get("name") for one in profiles}


async def test_a_name_is_seen_by_whoever_is_written_to_and_a_change_by_those_who_look_on(start):
    relay = start()
    mill = await relay.service()
    # A new account has a name before the first hello.
    await mill.call("admin.profile", user="ann", name="Ann Ardent", role="trainer")
    bob, ann = await relay.device("bob"), await relay.device("ann")
    await ann.send("@bob", "hello")
    told = await bob.event("profile", user="ann")
    assert (told["name"], told["role"], told["version"]) == ("Ann Ardent", "trainer", 1)
    tablet = await relay.device("ann", "tablet")
    answer = await ann.call("profile.set", name="Anna", username="Anna.A", photo="photos/1")
    assert answer["version"] == 2
    for device in (bob, ann, tablet):
        told = await device.event("profile", user="ann", version=2)
        assert (told["name"], told["username"]) == ("Anna", "anna.a")
    assert await bob.refusal("profile.set", username="anna.a") == "username_taken"
    people = (await bob.call("conversation.list"))["people"]
    assert people == [{"user": "ann", "version": 2, "name": "Anna", "photo": "photos/1"}]


async def test_profiles_outlive_a_crash(start):
    relay = start()
    ann = await relay.device("ann")
    await ann.call("profile.set", name="Ann", username="ann", bio="two\nlines")
    relay.kill()
    relay.start()
    ann, bob = await relay.device("ann"), await relay.device("bob")
    profile = (await ann.call("user.get", users=["ann"]))["profiles"][0]
    assert profile == {"user": "ann", "version": 1, "name": "Ann", "username": "ann", "bio": "two\nlines"}
    assert await bob.refusal("profile.set", username="ANN") == "username_taken"
    assert (await ann.call("profile.set", name="Anna", ifVersion=1))["version"] == 2


DECEIVING = ["\u200b", "\u200d", "\u3164", "\u2800", "\u00ad", "\ufeff", "\u0301", "An\u200bn", "Jo\u200de",
             "A\u202eB", "A\u200f", "A\u061c", "two\nlines", "nul\0"]


async def test_names_that_deceive_are_refused(start):
    relay = start()
    mill, ann = await relay.service(), await relay.device("ann")
    made = await ann.call("conversation.create", kind="group", name="Crew", members=[])
    group = made["conversation"]["conversation"]
    for number, name in enumerate(DECEIVING):
        # 20 faulty commands in a row end a connection.
        ann, mill = await relay.device("ann", f"phone-{number}"), await relay.service()
        assert await ann.refusal("profile.set", name=name) == "bad_request", name
        assert await mill.refusal("admin.profile", user="bob", name=name) == "bad_request", name
        assert await ann.refusal("conversation.create", kind="group", name=name, members=[]) == "bad_request", name
        assert await ann.refusal("conversation.rename", conversation=group, name=name) == "bad_request", name
        assert await ann.refusal("prospect.set", name=name) == "bad_request", name
    ann = await relay.device("ann")
    for line in ("two\nlines", "nul\0", "A\u202eB", "\u200b"):
        assert await ann.refusal("status", text=line) == "bad_request", line
        assert await ann.refusal("contact.invite", user="bob", label=line) == "bad_request", line
    assert await ann.refusal("profile.set", bio="A\u202eB") == "bad_request"
    # Two phones that compose letters in two ways store one name.
    await ann.call("profile.set", name="  Jose\u0301 ")
    assert named((await ann.call("user.get", users=["ann"]))["profiles"]) == {"ann": "Jos\u00e9"}
    await ann.call("conversation.rename", conversation=group, name="Cafe\u0301")
    assert (await ann.call("conversation.get", conversation=group))["conversation"]["name"] == "Caf\u00e9"


async def test_usernames_of_operators_are_given_by_services_only(start):
    relay = start()
    mill, ann = await relay.service(), await relay.device("ann")
    for username in ("admin", "Ad.Min", "every_one", "roost", "support"):
        assert await ann.refusal("profile.set", username=username) == "username_taken", username
    for username in ("a__b", "ann.", "ann_", "a..b"):
        assert await ann.refusal("profile.set", username=username) == "bad_request", username
    await mill.call("admin.profile", user="ann", name="Ann", username="support")
    assert (await ann.call("user.get", users=["ann"]))["profiles"][0]["username"] == "support"


@pytest.mark.parametrize("name, prefix", [
    ("Jos\u00e9", "JOSE"), ("Jos\u00e9", "Jose\u0301"), ("O'Brien", "brien"), ("O\u2019Brien", "o'b"),
    ("Jean-Luc", "luc"),
    ("Stra\u00dfe", "STRASS"), ("\u5c71\u7530\u592a\u90ce", "\u592a\u90ce"), ("\u0130brahim", "ibra")])
async def test_people_are_found_as_others_write_them(start, name, prefix):
    relay = start(directory__find="everyone")
    ann, bob = await relay.device("ann"), await relay.device("bob")
    await ann.call("profile.set", name=name)
    found = await bob.call("user.find", prefix=prefix)
    assert [one["user"] for one in found["profiles"]] == ["ann"]


async def everybody(relay):
    devices = {}
    for user, name in (("u1", "Anna Maria"), ("u2", "Anna"), ("u3", "Zoe Anders")):
        devices[user] = await relay.device(user)
        await devices[user].call("profile.set", name=name, username=user + "_x")
    return devices


@pytest.mark.parametrize("rule, stranger, friend", [
    ("everyone", ["u3", "u2", "u1"], ["u3", "u2", "u1"]), ("contacts", [], ["u3", "u1"]), ("exact", [], [])])
async def test_who_is_found_is_the_operators_choice(start, rule, stranger, friend):
    relay = start(directory__find=rule)
    await everybody(relay)
    ask = await relay.device("ask")
    assert list(named((await ask.call("user.find", prefix="an"))["profiles"])) == stranger
    await ask.group("Crew", "u1", "u3")
    assert list(named((await ask.call("user.find", prefix="an"))["profiles"])) == friend
    whole = (await ask.call("user.find", prefix="ANNA"))["profiles"]
    assert list(named(whole)) == {"everyone": ["u2", "u1"], "contacts": ["u1"], "exact": ["u2"]}[rule]
    shown = named((await ask.call("user.get", users=["u1", "u2", "nobody"]))["profiles"])
    assert shown == {"u1": "Anna Maria", "u2": None if rule == "contacts" else "Anna", "nobody": None}


async def test_who_is_blocked_is_neither_found_nor_told_and_does_not_notice(start):
    relay = start(directory__find="everyone")
    devices = await everybody(relay)
    ask = await relay.device("ask")
    await ask.send("@u1", "hello")
    await ask.call("contact.block", users=["u1"])
    await devices["u1"].call("profile.set", name="Anna Blocked")
    await devices["u1"].event("profile", name="Anna Blocked")
    await ask.barrier()
    assert [one["name"] for one in ask.seen("profile", user="u1")] == ["Anna Maria"]
    assert list(named((await ask.call("user.find", prefix="anna"))["profiles"])) == ["u2"]
    await ask.call("profile.set", name="Ask Me")
    await devices["u1"].event("profile", user="ask", name="Ask Me")
    assert list(named((await devices["u1"].call("user.find", prefix="ask"))["profiles"])) == ["ask"]


async def test_of_who_has_left_nothing_is_left(start):
    relay = start()
    mill, bob = await relay.service(), await relay.device("bob")
    ann = await relay.device("ann")
    await ann.call("profile.set", name="Squirrel One", username="squirrel", bio="squirrels")
    await ann.send("@bob", "hello")
    await ann.call("profile.set", name="Squirrel Two")
    await mill.call("admin.profile", user="ann", deleted=True)
    told = await bob.event("profile", user="ann", deleted=True)
    assert dict(told) == {"type": "profile", "user": "ann", "version": 3, "deleted": True}
    assert (await bob.call("conversation.list"))["people"] == [{"user": "ann", "version": 3, "deleted": True}]
    assert await mill.refusal("send", **{"as": "ann"}, to="@bob", key="k", body="x") == "gone"
    assert await ann.closed() == 4503
    relay.kill()
    relay.start()
    bob = await relay.device("bob")
    assert (await bob.call("user.get", users=["ann"]))["profiles"] == [{"user": "ann", "version": 3, "deleted": True}]
    assert relay.stop() == 0
    files = b"".join(path.read_bytes() for path in relay.store.parent.glob(relay.store.name + "*"))
    assert b"quirrel" not in files


async def signed_up(both, name):
    tokens = both.ask("POST", "/v1/accounts", {
        "email": f"{name.lower()}@example.org", "password": "correct horse", "displayName": name}).json
    return tokens, await both.device(tokens["user"], device=tokens["device"], token=tokens["accessToken"])


def nothing_due(both):
    with contextlib.closing(sqlite3.connect(f"file:{both.data}/services.db?mode=ro", uri=True)) as database:
        return not database.execute("SELECT user FROM profile_due").fetchall()


async def test_who_signs_up_is_called_so_and_who_deletes_the_account_is_gone(tmp_path):
    both = Both(tmp_path, services__port=free_port())
    await both.listening()
    try:
        (ann, phone), (bob, friend) = await signed_up(both, "Squirrel"), await signed_up(both, "Bob")
        await phone.send(f"@{bob['user']}", "hello")
        # It comes without being asked for.
        assert (await friend.event("profile", user=ann["user"]))["name"] == "Squirrel"
        renamed = both.ask("PATCH", "/v1/account", {"displayName": "Squirrel Two"}, token=ann["accessToken"])
        assert renamed.status == 200
        await friend.event("profile", user=ann["user"], name="Squirrel Two")
        # Both processes are killed as soon as it is done.
        assert both.ask("DELETE", "/v1/account", {"password": "correct horse"}, token=ann["accessToken"]).status == 204
        both.kill()
        both.start()
        friend = await both.device(bob["user"], device=bob["device"], token=bob["accessToken"])
        await until(lambda: nothing_due(both), "the relay knows all")
        people = {one["user"]: one for one in (await friend.call("conversation.list"))["people"]}
        tombstone = people[ann["user"]]
        assert tombstone == {"user": ann["user"], "version": tombstone["version"], "deleted": True}
        assert people[bob["user"]]["name"] == "Bob"
        assert both.stop() == 0
        files = [*both.store.parent.glob(both.store.name + "*"), *both.data.glob("services.db*")]
        assert b"quirrel" not in b"".join(path.read_bytes() for path in files)
    finally:
        if both.is_running():
            both.kill()
