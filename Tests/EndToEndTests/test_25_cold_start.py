"""A relay starts while hundreds of clients try to connect, and all of them send at once: every message is acked, and
reaches every member once."""

import asyncio

from harness.waiting import BEAT

GROUPS = 25
MEMBERS = 12
MESSAGES = 5  # Of each member.


def user(group, member):
    return f"u-{group}-{member}"


async def arrive(relay, name):
    """Connects as soon as the relay listens, as a client with a short wait would."""
    while True:
        try:
            return await relay.device(name)
        except (ConnectionError, TimeoutError):
            await asyncio.sleep(BEAT)


async def take_part(relay, group, conversation, member):
    """Sends all messages at once, and waits until those of the whole group are there."""
    device = await arrive(relay, user(group, member))
    answers = [
        await device.begin("send", to=conversation, key=f"k-{number}", body=f"{member}-{number}")
        for number in range(MESSAGES)]
    own = {}
    for number, answer in enumerate(answers):
        answer = await answer
        assert answer["type"] == "ok" and "duplicate" not in answer, dict(answer)
        own[answer["sequence"]] = f"{member}-{number}"
    while len(own) + len(device.seen("message")) < MEMBERS * MESSAGES:
        await device.event("message")
    seen = {message["sequence"]: message["body"] for message in device.seen("message")}
    assert not seen.keys() & own.keys()
    return own | seen


async def test_hundreds_come_and_write_at_once(start):
    # All come from one address, in the same moment.
    relay = start(limits__strangers_per_address=1_000)
    conversations = []
    for group in range(GROUPS):
        owner = await relay.device(user(group, 0))
        names = [user(group, member) for member in range(1, MEMBERS)]
        conversations.append(await owner.group("Crew", *names))
    port = relay.port
    relay.kill()
    clients = [
        asyncio.create_task(take_part(relay, group, conversation, member))
        for group, conversation in enumerate(conversations) for member in range(MEMBERS)]
    await asyncio.to_thread(relay.start, listen__port=port)
    found = await asyncio.gather(*clients)

    wanted = {f"{member}-{number}" for member in range(MEMBERS) for number in range(MESSAGES)}
    for group in range(GROUPS):
        members = found[group * MEMBERS:(group + 1) * MEMBERS]
        assert all(messages == members[0] for messages in members)
        assert sorted(members[0]) == list(range(1, MEMBERS * MESSAGES + 1))
        assert set(members[0].values()) == wanted
    assert relay.rows("SELECT count(*) FROM messages") == [(GROUPS * MEMBERS * MESSAGES,)]
    assert relay.stop() == 0
