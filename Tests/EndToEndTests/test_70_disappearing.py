"""Messages that disappear by conversation: gone on time from history, from catching up and from the store's file."""

import time

from harness.waiting import PATIENCE, until


async def hidden(relay, name, seconds):
    """alice's group with bob, whose messages disappear, and both connected."""
    alice, bob = await relay.device(name("alice")), await relay.device(name("bob"))
    group = await alice.group("Crew", name("bob"))
    await alice.call("conversation.expiry", conversation=group, after=seconds * 1_000)
    assert (await bob.event("conversation", event="expiry"))["after"] == seconds * 1_000
    return alice, bob, group


async def test_messages_disappear_from_the_file_within_a_minute(start, name):
    relay = start(limits__expiry_seconds_min=1)
    alice, bob, group = await hidden(relay, name, 2)
    sent = await alice.send(group, "a secret that disappears")
    told = await bob.event("message")
    assert told["expires"] == sent["time"] + 2_000
    await until(lambda: time.time() * 1_000 >= told["expires"], "the time")
    shown = (await bob.call("history", conversation=group))["messages"]
    assert [(one.get("body"), one.get("deletedAt")) for one in shown] == [(None, told["expires"])]
    rows = "SELECT body FROM log WHERE kind = 1"
    await until(lambda: relay.rows(rows) == [(None,)], "the row without its body")
    assert time.time() * 1_000 < told["expires"] + 60_000
    assert (await bob.call("conversation.get", conversation=group))["conversation"]["unread"] == 0


async def test_no_byte_of_them_is_left_also_of_edits_and_over_a_kill(start, name):
    relay = start(limits__expiry_seconds_min=1)
    alice, bob, group = await hidden(relay, name, 1)
    sent = await alice.send(group, "wintergreen")
    await alice.call("edit", conversation=group, sequence=sent["sequence"], body="peppermint", mentions=[name("bob")])
    relay.kill()
    relay.start()

    def left():
        files = relay.store.parent.glob(relay.store.name + "*")
        content = b"".join(file.read_bytes() for file in files)
        return [word for word in (b"wintergreen", b"peppermint") if word in content]
    # The write-ahead log is emptied half a minute after a message has disappeared.
    await until(lambda: not left(), "files without the texts", patience=PATIENCE + 40)
    assert time.time() * 1_000 < sent["time"] + 1_000 + 60_000
    assert relay.metric("roost_messages_disappeared_total") == 1


async def test_a_kill_while_they_are_erased_leaves_none(start, name):
    """They go 256 in a transaction: the kill comes when some are gone and some aren't."""
    relay = start(limits__expiry_seconds_min=1)
    alice, bob, group = await hidden(relay, name, 4)
    sent = [await alice.begin("send", to=group, key=f"k{n}", body="wintergreen " * 20) for n in range(3_500)]
    last = (await sent[-1])["time"]
    left = "SELECT count(*) FROM log WHERE kind = 1 AND body IS NOT NULL"

    def begun():
        # Without a pause, since all of it takes a fraction of a second.
        end = time.monotonic() + 1
        while relay.rows(left) == [(3_500,)] and time.monotonic() < end:
            pass
        return relay.rows(left) != [(3_500,)]
    await until(begun, "some to be erased")
    relay.kill()
    assert 0 < relay.rows(left)[0][0] < 3_500
    relay.start()
    await until(lambda: relay.rows(left) == [(0,)], "all to be erased")
    bob = await relay.device(name("bob"))
    told = (await bob.call("conversation.get", conversation=group))["conversation"]
    assert (told["sequence"], told["unread"]) == (3_500, 0)

    def holds():
        files = relay.store.parent.glob(relay.store.name + "*")
        return any(b"wintergreen" in file.read_bytes() for file in files)
    await until(lambda: not holds(), "files without the texts", patience=PATIENCE + 40)
    assert time.time() * 1_000 < last + 4_000 + 60_000


async def test_what_disappears_while_the_relay_is_down_is_never_sent(start, name):
    relay = start(limits__expiry_seconds_min=1)
    alice, bob, group = await hidden(relay, name, 1)
    await bob.drop()
    sent = await alice.send(group, "a secret")
    relay.kill()
    await until(lambda: time.time() * 1_000 >= sent["time"] + 1_000, "the time")
    relay.start()
    bob = await relay.device(name("bob"))
    assert "body" not in await bob.event("message")
    told = (await bob.call("conversation.get", conversation=group))["conversation"]
    assert told["message"]["deletedAt"] == sent["time"] + 1_000


async def test_times_have_bounds(relay, name):
    alice, bob = await relay.device(name("alice")), await relay.device(name("bob"))
    group = await alice.group("Crew", name("bob"))
    assert await alice.refusal("conversation.expiry", conversation=group, after=1_000) == "bad_request"
    assert await bob.refusal("conversation.expiry", conversation=group, after=86_400_000) == "forbidden"
    assert (await alice.call("conversation.expiry", conversation=group, after=604_800_000))["position"]
    assert (await bob.call("conversation.get", conversation=group))["conversation"]["expiry"] == 604_800_000
