"""Threads: sent, counted and read, over kills, deletions, retention and an export."""

from harness.relay import Relay
from harness.waiting import until
from test_21_store_commands import change, store


async def crew(relay, name, count=3):
    """alice's group with bob, its first message, and `count` messages of bob in the thread that it began."""
    alice, bob = await relay.device(name("alice")), await relay.device(name("bob"))
    group = await alice.group("Crew", name("bob"))
    root = (await alice.send(group, "root"))["sequence"]
    sent = [await bob.send(group, f"reply {number}", thread=root) for number in range(count)]
    return alice, bob, group, root, [one["sequence"] for one in sent]


async def thread(device, group, root, **members):
    """The sequences on a page of a thread."""
    page = await device.call("history", conversation=group, thread=root, **members)
    return [one["sequence"] for one in page["messages"]]


async def replies(device, group, root):
    """Returns the thread that began with a message, as history has it."""
    shown = (await device.call("history", conversation=group, after=root - 1, limit=1))["messages"]
    return shown[0].get("replies")


async def test_a_thread_is_told_counted_and_read(relay, name):
    alice, bob, group, root, sent = await crew(relay, name)
    for sequence in sent:
        told = await alice.event("message")
        assert (told["sequence"], told["thread"]) == (sequence, root)
    assert await thread(alice, group, root) == sent
    assert await thread(alice, group, root, limit=1) == sent[-1:]
    assert await thread(alice, group, root, after=sent[0], limit=1) == sent[1:2]
    told = await replies(alice, group, root)
    assert (told["count"], told["last"]) == (3, sent[-1])
    assert await bob.refusal("send", to=group, key="x", body="x", thread=sent[0]) == "bad_request"
    assert await bob.refusal("send", to=group, key="x", body="x", thread=99) == "not_found"
    assert await bob.refusal("history", conversation=group, thread=99) == "not_found"


async def test_what_was_told_stands_after_a_kill(start, name):
    relay = start()
    alice, bob, group, root, sent = await crew(relay, name)
    await bob.call("delete", conversation=group, sequence=sent[1])
    await alice.call("delete", conversation=group, sequence=root)
    relay.kill()
    relay.start()
    alice, bob = await relay.device(name("alice")), await relay.device(name("bob"))
    assert await thread(alice, group, root) == [sent[0], sent[2]]
    assert (await replies(alice, group, root))["count"] == 2
    last = await bob.send(group, "goes on", thread=root)
    assert (await replies(alice, group, root))["last"] == last["sequence"]


async def test_what_disappears_leaves_its_thread(start, name):
    relay = start(limits__expiry_seconds_min=1)
    alice, bob, group, root, sent = await crew(relay, name, count=1)
    await alice.call("conversation.expiry", conversation=group, after=1_000)
    await bob.send(group, "a secret", thread=root)
    assert (await replies(alice, group, root))["count"] == 2
    await until(lambda: relay.metric("roost_messages_disappeared_total") == 1, "the message to disappear")
    assert (await replies(alice, group, root))["count"] == 1
    assert await thread(alice, group, root) == sent


async def test_threads_are_made_anew_and_moved_to_another_store(start, name, tmp_path):
    relay = start()
    alice, bob, group, root, sent = await crew(relay, name)
    await bob.call("delete", conversation=group, sequence=sent[1])
    rows = "SELECT root, sequence, time FROM thread"
    kept = relay.rows(rows)
    assert [row[:2] for row in kept] == [(root, sent[0]), (root, sent[2])]
    assert relay.stop() == 0
    file = relay.folder / "all.jsonl"
    store(relay, "export", "--to", str(file))
    change(relay.store, "DELETE FROM thread")
    assert "thread, conversation " in store(relay, "verify", code=1).stdout
    assert "made anew from" in store(relay, "reindex").stdout
    assert "is sound: " in store(relay, "verify").stdout
    assert relay.rows(rows) == kept

    other = Relay(tmp_path)
    assert other.stop() == 0
    store(other, "import", str(file))
    assert "is sound: " in store(other, "verify").stdout
    assert other.rows(rows) == kept
    other.start()
    try:
        alice = await other.device(name("alice"))
        assert await thread(alice, group, root) == [sent[0], sent[2]]
    finally:
        other.stop()
