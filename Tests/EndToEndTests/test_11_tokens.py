"""Tokens expire: a session goes on with a new token, gets `token_expired` without one, and is closed after the
grace."""

import asyncio

from harness.waiting import until

SETTINGS = {"limits__refresh_grace_seconds": 300}


async def test_refresh_before_the_token_expires(relay, name):
    alice = await relay.device(name("alice"), token=relay.token(name("alice"), 1))
    answer = await alice.call("refresh", token=relay.token(name("alice"), 3600))
    assert set(answer) == {"type", "re", "expires"}
    assert answer["expires"] > alice.welcome["expires"] + 3_000_000
    # After the old token's end by the relay's own clock.
    await until(lambda: past(alice), "the old end")
    await alice.call("conversation.list")


async def past(device):
    return (await device.call("ping"))["time"] > device.welcome["expires"] + 100


async def test_after_expiry_only_refresh_ping_and_bye_are_accepted(relay, name):
    alice = await relay.device(name("alice"), token=relay.token(name("alice"), 0.7))
    bob = await relay.device(name("bob"))
    await bob.send("@" + name("alice"), "one")
    await alice.event("message")
    await until(lambda: past(alice), "the end")
    for type, members in [
            ("conversation.list", {}), ("send", {"to": "@" + name("bob"), "key": "k", "body": "x"}),
            ("presence", {"state": "idle"}), ("ack", {"position": alice.welcome["head"]})]:
        assert await alice.refusal(type, **members) == "token_expired"
    assert await alice.refusal("refresh", token=relay.token(name("alice"), -5)) == "token_expired"
    assert await alice.refusal("refresh", token="nonsense") == "unauthorized"
    assert await alice.refusal("refresh", token=relay.token(name("bob"))) == "forbidden"
    assert await alice.refusal("refresh", token=relay.token(name("alice"), device="tablet")) == "forbidden"
    await alice.call("refresh", token=relay.token(name("alice"), device="phone"))
    assert "duplicate" not in await alice.send("@" + name("bob"), "x", key="k")


async def test_bye_is_accepted_after_expiry(relay, name):
    alice = await relay.device(name("alice"), token=relay.token(name("alice"), 0.3))
    await until(lambda: past(alice), "the end")
    await alice.bye()


async def test_without_a_new_token_the_connection_closes_after_the_grace(start):
    relay = start(limits__refresh_grace_seconds=1)
    kept, ended = [await relay.device(who, token=relay.token(who, 1)) for who in ("alice", "bob")]
    await kept.call("refresh", token=relay.token("alice"))
    assert await ended.closed() == 4004
    await kept.barrier()
    again = await relay.device("bob")
    await again.barrier()


async def test_without_a_grace_the_connection_closes_with_the_token(start):
    relay = start(limits__refresh_grace_seconds=0)
    alice = await relay.device("alice", token=relay.token("alice", 0.5))
    assert await alice.closed() == 4004


async def test_refreshes_in_a_row(relay, name):
    alice = await relay.device(name("alice"))
    answers = [await alice.begin("refresh", token=relay.token(name("alice"))) for _ in range(5)]
    answers = await asyncio.gather(*answers)
    # Only one token is checked at a time. A client that sends more is refused.
    assert answers[0]["type"] == "ok"
    assert {answer.get("code") for answer in answers} <= {None, "conflict"}
