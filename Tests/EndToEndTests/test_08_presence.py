"""Presence: a goodbye counts at once, a drop after the grace, a quick return shows nothing, several devices make one
user, and after kill -9 no user is a ghost.
"""

import asyncio
import time

import pytest

from harness.waiting import until

# Idle users are away at once.
SETTINGS = {"presence__grace_seconds": 1, "presence__away_seconds": 0}


async def friends(relay, name):
    """alice and bob are in a direct conversation, so they watch each other without asking."""
    bob = await relay.device(name("bob"))
    await bob.call("conversation.create", kind="direct", members=[name("alice")])
    alice = await relay.device(name("alice"))
    await bob.presence(name("alice"), "online")
    return alice, bob


async def test_bye_makes_the_user_offline_at_once(start):
    # The grace is far longer than the test waits, so it isn't the grace that made her offline.
    relay = start(presence__grace_seconds=300)
    alice, bob = await friends(relay, lambda word: word)
    before = time.time() * 1000
    await alice.bye()
    gone = await bob.presence("alice", "offline")
    assert gone["lastSeen"] >= before - 1


async def test_a_drop_makes_the_user_offline_after_the_grace(relay, name):
    alice, bob = await friends(relay, name)
    await bob.barrier()
    dropped = time.monotonic()
    await alice.drop()
    gone = await bob.presence(name("alice"), "offline")
    assert time.monotonic() - dropped > 0.9
    assert gone["lastSeen"] <= time.time() * 1000 - 900


async def test_a_page_that_is_loaded_again_is_not_shown(start):
    """A browser closes with 1001 on the way to another page, and apps with codes of their own."""
    relay = start(presence__grace_seconds=300)
    alice, bob = await friends(relay, lambda word: word)
    shown = len(bob.states("alice"))
    for code in (1000, 1001, 1001, 3000, 4000):
        await alice.unload(code)
        await asyncio.sleep(0.1)
        alice = await relay.device("alice")
        # Long enough for a change to be sent.
        await asyncio.sleep(0.2)
    await alice.bye()
    await bob.presence("alice", "offline")
    assert bob.states("alice")[shown:] == ["offline"]


async def test_two_who_have_just_come_are_online_for_each_other(relay, name):
    alice, bob = await relay.device(name("alice")), await relay.device(name("bob"))
    await alice.send("@" + name("bob"), "hi")
    await bob.event("message")
    await asyncio.sleep(0.2)
    assert alice.states(name("bob")) == ["online"] and bob.states(name("alice")) == ["online"]


async def test_a_return_within_the_grace_is_not_shown(start):
    relay = start(presence__grace_seconds=300, presence__away_seconds=0)
    alice, bob = await friends(relay, lambda word: word)
    for _ in range(5):
        await alice.drop()
        alice = await relay.device("alice")
    await alice.call("presence", state="idle")
    await bob.presence("alice", "away")
    found = bob.states("alice")
    assert [state for state in found if state != "offline"] == ["online", "away"]
    assert found.count("offline") <= 1  # Only what bob found on his own coming.


async def test_the_most_present_device_wins(relay, name):
    alice, bob = await friends(relay, name)
    tablet = await relay.device(name("alice"), "tablet")
    await alice.call("presence", state="idle")
    await tablet.call("presence", state="idle")
    await bob.presence(name("alice"), "away")
    await tablet.call("presence", state="active")
    await bob.presence(name("alice"), "online")
    await alice.bye()
    await tablet.call("presence", state="background")
    await bob.presence(name("alice"), "offline")
    assert bob.states(name("alice"))[-4:] == ["online", "away", "online", "offline"]


async def test_a_background_fetch_does_not_make_the_user_online(relay, name):
    bob = await relay.device(name("bob"))
    await bob.send("@" + name("alice"), "x")
    alice = await relay.device(name("alice"), background=True)
    # The background device still gets its messages.
    await alice.event("message")
    answer = await bob.call("watch", users=[name("alice")])
    assert answer["users"] == [{"user": name("alice"), "state": "offline"}]
    await alice.call("presence", state="active")
    await bob.presence(name("alice"), "online")
    assert bob.states(name("alice")).count("online") == 1


async def test_only_users_with_a_shared_conversation_can_be_watched(relay, name):
    alice, bob, carol = [await relay.device(name(who)) for who in ("alice", "bob", "carol")]
    group = await alice.group("Crew", name("bob"))
    both = [{"user": name("bob"), "state": "online"}, {"user": name("alice"), "state": "online"}]

    async def found():
        # They have just come. If the snapshot doesn't show it yet, an event within the tick does.
        return (await alice.call("watch", users=[name("bob"), name("alice")]))["users"] == both
    await until(found, "both online")
    for users in ([name("carol")], [name("bob"), name("carol")], [name("nobody")]):
        assert await alice.refusal("watch", users=users) == "forbidden"
    assert await carol.refusal("watch", users=[name("alice")]) == "forbidden"
    await bob.call("presence", state="idle")
    await alice.presence(name("bob"), "away")
    # In a group no member is watched without asking, and none after unwatch.
    await alice.call("presence", state="idle")
    await alice.call("unwatch", users=[name("bob"), name("nobody")])
    await bob.call("presence", state="active")
    await alice.call("conversation.add", conversation=group, users=[name("carol")])
    await alice.call("watch", users=[name("carol")])
    await carol.call("presence", state="idle")
    await alice.presence(name("carol"), "away")
    assert alice.states(name("bob"))[-1] == "away"
    assert not bob.seen("presence")


async def test_a_watch_ends_with_the_shared_conversation(relay, name):
    alice, bob = await relay.device(name("alice")), await relay.device(name("bob"))
    group = await alice.group("Crew", name("bob"))
    await bob.call("watch", users=[name("alice")])
    await alice.call("conversation.remove", conversation=group, users=[name("bob")])
    await bob.event("conversation", event="removed")
    assert await bob.refusal("watch", users=[name("alice")]) == "forbidden"
    # The user who may see it gets it, in the same tick as or later than the user who may not would.
    carol = await relay.device(name("carol"))
    await alice.send("@" + name("carol"), "x")
    await carol.event("message")
    await alice.call("presence", state="idle")
    await carol.presence(name("alice"), "away")
    await bob.barrier()
    # The event that alice came online may have been sent before the watch ended.
    states = {one["state"] for frame in bob.seen("presence") for one in frame["users"]}
    assert "away" not in states, "bob still sees alice, with whom he shares no conversation any more"


async def test_the_number_of_watched_users_is_limited(start):
    relay = start()
    alice, tablet = await relay.device("alice"), await relay.device("alice", "tablet")
    names = [f"u{number}" for number in range(1001)]
    group = await alice.group("x", *names[:500])
    assert await alice.refusal("conversation.add", conversation=group, users=names[500:1001]) == "too_large"
    await alice.call("conversation.add", conversation=group, users=names[500:1000])
    # One user may introduce at most a thousand names in an hour, on all devices together.
    for device in [alice, tablet]:
        assert await device.refusal("conversation.create", kind="direct", members=names[1000:]) == "rate_limited"
    await relay.device(names[1000])
    await tablet.group("x", *names[1000:])
    for first in range(0, 1000, 500):
        await alice.call("watch", users=names[first:first + 500])
    assert await alice.refusal("watch", users=[names[1000]]) == "too_large"
    await alice.call("watch", users=names[:3])
    await alice.call("unwatch", users=[names[0]])
    await alice.call("watch", users=[names[1000]])
    assert await alice.refusal("watch", users=names) == "too_large"


def end(relay, signal):
    """Ends the relay's process, and starts another one. Returns when it ended, in milliseconds."""
    if signal == "SIGKILL":
        relay.kill()
    else:
        assert relay.stop() == 0
    ended = time.time() * 1000
    relay.start()
    return ended


async def company(relay):
    """Alice, Carol and Dave, who are online for Bob and a second device of his."""
    watchers = [await relay.device("bob"), await relay.device("bob", "tablet")]
    others = []
    for name in ("alice", "carol", "dave"):
        others.append(await relay.device(name))
        await watchers[0].send("@" + name, "x")
    for watcher in watchers:
        for name in ("alice", "carol", "dave"):
            await watcher.presence(name, "online")
    await until(lambda: len(relay.rows("SELECT 1 FROM user WHERE state = 2 AND is_here")) == 4, "all in the store")
    return others


@pytest.mark.parametrize("signal", ["SIGKILL", "SIGTERM"])
async def test_a_restart_is_not_seen(start, signal):
    """A user who comes back within the grace never left, for observers who come back before and for those who come
    after.
    """
    relay = start(presence__grace_seconds=300)
    await company(relay)
    end(relay, signal)
    bob = await relay.device("bob")
    back = [await relay.device(name) for name in ("alice", "carol")]
    tablet = await relay.device("bob", "tablet")
    # Longer than a change takes to be sent.
    await asyncio.sleep(0.3)
    for watcher in (bob, tablet):
        await watcher.barrier()
        for name in ("alice", "carol", "dave"):
            assert watcher.states(name) == ["online"], "there is only what the watcher found on its own coming"
        assert len(watcher.seen("presence")) == 1
    # A goodbye counts at once.
    await back[0].bye()
    await bob.presence("alice", "offline")
    await tablet.presence("alice", "offline")
    assert bob.states("dave") == ["online"]


@pytest.mark.parametrize("signal", ["SIGKILL", "SIGTERM"])
async def test_who_does_not_come_back_after_a_restart_is_gone(start, signal):
    relay = start(presence__grace_seconds=3)
    before = time.time() * 1000
    await company(relay)
    ended = end(relay, signal)
    bob, tablet = await relay.device("bob"), await relay.device("bob", "tablet")
    alice = await relay.device("alice")
    for watcher in (bob, tablet):
        for name in ("carol", "dave"):
            # Both may come in one event.
            await until(lambda: watcher.states(name)[-1] == "offline", f"{name} offline")
            gone = [one for frame in watcher.seen("presence") for one in frame["users"] if one["user"] == name][-1]
            assert before - 1 <= gone["lastSeen"] <= ended + 1
            assert watcher.states(name) == ["online", "offline"]
        assert watcher.states("alice") == ["online"]
    await alice.barrier()


async def test_who_had_dropped_before_the_crash_was_seen_at_the_drop(start):
    relay = start(presence__grace_seconds=7)
    alice, bob = await friends(relay, lambda word: word)
    dropped = time.time() * 1000
    await alice.drop()
    await until(lambda: relay.rows("SELECT 1 FROM user WHERE name = 'alice' AND state = 2 AND NOT is_here"),
                "the drop in the store")
    (seen,), = relay.rows("SELECT last_seen FROM user WHERE name = 'alice'")
    alive_at = "SELECT value FROM meta WHERE name = 'alive_at'"
    await until(lambda: relay.rows(alive_at)[0][0] > seen, "a later sign of life")
    (alive,), = relay.rows(alive_at)
    relay.kill()
    relay.start()
    bob = await relay.device("bob")
    gone = await bob.presence("alice", "offline")
    assert dropped - 1 <= gone["lastSeen"] == seen < alive
    assert bob.states("alice") == ["online", "offline"]


async def test_last_seen_survives_a_stop(start):
    relay = start()
    alice, bob = await friends(relay, lambda word: word)
    await alice.bye()
    gone = await bob.presence("alice", "offline")
    assert relay.stop() == 0
    relay.start()
    bob = await relay.device("bob")
    assert await bob.presence("alice", "offline") == gone


async def test_changes_within_50_ms_come_in_one_event(relay, name):
    alice = await relay.device(name("alice"))
    others = [await relay.device(name(f"u{number}")) for number in range(20)]
    await alice.call("conversation.create", kind="group", name="x", members=[other.user for other in others])
    await alice.call("watch", users=[other.user for other in others])
    for state in ("idle", "active", "idle"):
        for other in others:
            await other.tell("presence", id=f"p-{state}", state=state)
            other.allows_strays = True
    for other in others:
        await other.barrier()

    def told():
        last = {one["user"]: one["state"] for event in alice.seen("presence") for one in event["users"]}
        return list(last.values()) == ["away"] * 20
    await until(told, "everybody away")
    assert len(alice.seen("presence")) < 60


async def test_an_idle_user_is_away_after_a_while(start):
    relay = start(presence__away_seconds=1)
    alice, bob = await friends(relay, lambda word: word)
    began = time.monotonic()
    await alice.call("presence", state="idle")
    await bob.presence("alice", "away")
    assert time.monotonic() - began > 0.9
    await alice.call("presence", state="active")
    await bob.presence("alice", "online")


async def test_what_the_user_wants_comes_first_and_is_kept(start):
    relay = start(presence__grace_seconds=300)
    alice, bob = await friends(relay, lambda word: word)
    assert alice.welcome["status"] == {"state": "auto"}
    tablet = await relay.device("alice", "tablet")
    await alice.call("status", state="busy", text="In a meeting")
    for own in (alice, tablet):
        assert await own.event("status") == {"type": "status", "state": "busy", "text": "In a meeting"}
    assert (await bob.presence("alice", "busy"))["text"] == "In a meeting"
    await tablet.bye()
    await alice.bye()
    gone = await bob.presence("alice", "offline")
    assert gone["text"] == "In a meeting" and gone["lastSeen"] > 0
    relay.kill()
    relay.start()
    bob = await relay.device("bob")
    alice = await relay.device("alice")
    assert alice.welcome["status"] == {"state": "busy", "text": "In a meeting"}
    assert (await bob.presence("alice", "busy"))["text"] == "In a meeting"
    await alice.call("status", text="")
    await until(lambda: bob.seen("presence")[-1]["users"] == [{"user": "alice", "state": "busy"}], "no text")
    await alice.call("status", state="auto")
    await bob.presence("alice", "online")


async def test_an_invisible_user_looks_like_one_who_is_gone(start):
    relay = start(presence__grace_seconds=300)
    alice, bob = await friends(relay, lambda word: word)
    await alice.call("status", text="At work")
    before = time.time() * 1000
    await alice.call("status", state="invisible")
    gone = await bob.presence("alice", "offline")
    assert before - 1 <= gone["lastSeen"] <= time.time() * 1000
    shown = len(bob.seen("presence"))
    # Nothing of this is sent.
    await alice.call("status", text="Incognito")
    await alice.tell("typing", to="@bob")
    await alice.call("presence", state="background")
    await alice.call("presence", state="active")
    await alice.bye()
    alice = await relay.device("alice")
    assert alice.welcome["status"] == {"state": "invisible", "text": "Incognito"}
    await asyncio.sleep(0.3)
    await bob.barrier()
    assert len(bob.seen("presence")) == shown and not bob.seen("typing")
    relay.kill()
    relay.start()
    bob = await relay.device("bob")
    assert await bob.presence("alice", "offline") == gone
    alice = await relay.device("alice")
    await alice.call("status", state="auto")
    assert (await bob.presence("alice", "online"))["text"] == "Incognito"
    assert bob.states("alice") == ["offline", "online"]
    assert await alice.refusal("status", state="gone") == "bad_request"
    assert await alice.refusal("status") == "bad_request"
    assert await alice.refusal("status", text="x" * 129) == "too_large"


async def ended(device):
    """Returns each of the user's devices with its state, and why its connection before the present one ended."""
    answer = await device.call("devices")
    return {one["device"]: (one["state"], one.get("ended", {}).get("reason")) for one in answer["devices"]}


async def test_the_own_devices_are_listed_with_the_reason_why_they_are_gone(start):
    relay = start()
    watch = await relay.device("alice", "watch")
    phone = await relay.device("alice", "phone")

    async def is_gone(reason):
        return await ended(watch) == {"watch": ("active", None), "phone": ("offline", reason)}

    assert await ended(watch) == {"watch": ("active", None), "phone": ("active", None)}
    await phone.drop()
    await until(lambda: is_gone("cut"), "a lost connection")
    phone = await relay.device("alice", "phone")
    assert await ended(watch) == {"watch": ("active", None), "phone": ("active", "cut")}
    await phone.unload(1001)
    await until(lambda: is_gone("closed"), "a Close frame")
    phone = await relay.device("alice", "phone")
    await phone.bye()
    await until(lambda: is_gone("bye"), "a goodbye")
    end(relay, "SIGTERM")
    watch = await relay.device("alice", "watch")
    assert await ended(watch) == {"watch": ("active", "drain"), "phone": ("offline", "bye")}
    # That the watch is connected is stored after some seconds.
    await until(lambda: relay.rows("SELECT 1 FROM device WHERE name = 'watch' AND ended IS NULL"), "a new connection")
    end(relay, "SIGKILL")
    watch = await relay.device("alice", "watch")
    assert await ended(watch) == {"watch": ("active", "restart"), "phone": ("offline", "bye")}
