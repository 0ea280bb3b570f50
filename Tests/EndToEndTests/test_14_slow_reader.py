"""A slow reader hurts only itself: the relay holds a bounded amount for it and leaves the rest in the log, others
notice nothing, and when it reads again it gets everything in order."""

import asyncio

from harness.waiting import until

MEBIBYTE = 1 << 20
SPILL = 262_144
# Bytes that one write takes from an outbox. If the network takes none of it, it waits in front of the socket.
WRITE = 131_072


async def flood(sender, group, count, size, first=1):
    """Sends numbered messages of this size with a window, and waits for all answers."""
    window = asyncio.Semaphore(64)

    async def send(number):
        async with window:
            answer = await sender.call(
                "send", to=group, key=f"k-{number}", kind="blob", body={"n": number, "fill": "x" * size})
            assert answer["sequence"] == number
    await asyncio.gather(*(send(number) for number in range(first, first + count)))


async def stop_reading(relay, user):
    """A device that doesn't read from its socket, with small buffers in between."""
    device = await relay.device(user, options={"receive_buffer": 32_768, "max_queue": 1})
    device.pause()
    return device


async def test_a_stalled_reader_catches_up_and_disturbs_nobody(start):
    relay = start(limits__backlog_max=1_000_000, limits__commands_per_second=1_000_000)
    alice, carol = await relay.device("alice"), await relay.device("carol")
    group = await alice.group("Crew", "slow", "carol", "slower")
    slow = [await stop_reading(relay, user) for user in ("slow", "slower")]
    before = relay.resident_bytes()
    count, size = 3_000, 4_000
    largest = 0
    for first in range(1, count + 1, 500):
        await flood(alice, group, 500, size, first)
        await carol.event("message", sequence=first + 499)
        largest = max(largest, relay.metric("roost_outbox_bytes"))
    assert [one["sequence"] for one in carol.seen("message")] == list(range(1, count + 1))
    # 12 MB were sent to each of the two. The bytes that wait for them are bounded.
    assert largest <= len(slow) * (SPILL + WRITE + 8 * size)
    assert relay.resident_bytes() - before < 48 * MEBIBYTE
    assert relay.metric("roost_spills_total") >= len(slow)
    for device in slow:
        assert not device.reader.done()
        device.resume()
        await device.event("message", sequence=count)
        assert [one["sequence"] for one in device.seen("message")] == list(range(1, count + 1))
        assert all(one["body"]["n"] == one["sequence"] for one in device.seen("message"))
    # And it is live again.
    await flood(alice, group, 10, 10, first=count + 1)
    for device in (*slow, carol):
        await device.event("message", sequence=count + 10)


async def test_a_slow_reader_gets_the_newest_state(start):
    """Typing, presence and receipts are not queued for it. When it reads again, it gets the newest state."""
    # The flood isn't what is tried here: 1,000 messages of 16 KB at once cost more than one may spend.
    relay = start(limits__backlog_max=1_000_000, presence__grace_seconds=0, presence__away_seconds=0,
                  limits__commands_per_second=1_000_000)
    alice, bob = await relay.device("alice"), await relay.device("bob")
    await alice.send("@slow", "first")
    group = await alice.group("Crew", "slow", "bob")
    await bob.event("conversation", event="created")
    slow = await stop_reading(relay, "slow")
    # 16 MB are more than the kernel takes, so the outbox is above its calm limit.
    await flood(alice, group, 1_000, 16_000)
    await until(lambda: relay.metric("roost_spills_total") >= 1, "a reader that is behind")
    for number in range(300):
        await bob.call("read", conversation=group, sequence=number + 1)
        await alice.call("presence", state="idle" if number % 2 == 0 else "active")
    await alice.call("presence", state="idle")
    await alice.call("signal", to=group, body="lost on those who can't keep up")
    slow.resume()
    await slow.event("message", conversation=group, sequence=1_000)
    await slow.presence("alice", "away")

    def has_receipt():
        return any(one["read"] == 300 for one in slow.seen("receipt", conversation=group, user="bob"))
    await until(has_receipt, "the newest receipt")
    assert len(slow.seen("receipt", user="bob")) < 300
    assert len(slow.states("alice")) < 300


async def test_a_client_that_asks_and_never_reads_is_closed(start):
    """Replies can't be left in the log. When its outbox is full, the connection is closed with 4001."""
    relay = start(limits__commands_per_second=1_000_000)
    alice = await relay.device("alice")
    group = await alice.group("Crew")
    await alice.call("conversation.add", conversation=group, users=["glutton"])
    await flood(alice, group, 10, 60_000, first=1)
    glutton = await stop_reading(relay, "glutton")
    glutton.allows_strays = True

    async def ask():
        try:
            for _ in range(50_000):
                await glutton.tell("history", id="h", conversation=group)
        except Exception as error:
            assert "close" in type(error).__name__.lower(), repr(error)
    asking = asyncio.create_task(ask())
    try:
        await until(lambda: relay.metric('roost_closes_total{code="4001"}') == 1, "the close")
    finally:
        asking.cancel()
        await asyncio.wait([asking])
    await alice.barrier()


async def test_a_full_store_queue_answers_busy_and_loses_nothing(start):
    """The bound of the writer's queue: beyond it a command is refused for now, and its retry stores one message."""
    relay = start(limits__pending_events=64)
    alice, bob = await relay.device("alice"), await relay.device("bob")
    group = await alice.group("Crew", "bob")
    missing, busy, rounds = {f"k-{number}" for number in range(600)}, 0, 0
    while missing:
        rounds += 1
        assert rounds < 100
        # All in one write, so that the writer can't keep up.
        answers = {key: await alice.begin("send", to=group, key=key, body=key) for key in sorted(missing)}
        for key, answer in answers.items():
            answer = await answer
            if answer["type"] == "ok":
                missing.remove(key)
                continue
            assert (answer["code"], answer["retry"]) == ("busy", True) and answer["retryAfter"] > 0
            busy += 1
    assert busy > 0, "the queue was never full: this proves nothing"
    found = await bob.messages(group, 600)
    assert [one["sequence"] for one in found] == list(range(1, 601))
    assert {one["body"] for one in found} == {f"k-{number}" for number in range(600)}


async def test_too_many_reads_at_once_are_rate_limited(start):
    # Only their number at once counts here, not what such long answers cost.
    relay = start(limits__commands_per_second=100_000)
    alice = await relay.device("alice")
    group = await alice.group("Crew")
    await flood(alice, group, 100, 5_000)
    answers = [await (await alice.begin("history", conversation=group, limit=100)) for _ in range(3)]
    assert all(answer["type"] == "ok" for answer in answers)
    answers = [await alice.begin("history", conversation=group, limit=100) for _ in range(200)]
    limited = 0
    for answer in answers:
        answer = await answer
        if answer["type"] == "error":
            assert (answer["code"], answer["retry"]) == ("rate_limited", True) and answer["retryAfter"] > 0
            limited += 1
    assert limited > 0
    assert (await alice.call("history", conversation=group, limit=1))["type"] == "ok"
