"""Tokens expire: a session goes on with a new token, gets `token_expired` without one, and is closed after the
grace."""

import asyncio
import json
import time

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm

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


class Issuer:
    """Signs with a key of its own, and publishes it in a JWK set with others."""

    def __init__(self, name):
        self.name = name
        self.key = ec.generate_private_key(ec.SECP256R1())

    def jwk(self):
        return {**json.loads(ECAlgorithm.to_jwk(self.key.public_key())), "kid": self.name, "use": "sig"}

    def token(self, user):
        claims = {"sub": user, "exp": time.time() + 600}
        return jwt.encode(claims, self.key, algorithm="ES256", headers={"kid": self.name})


async def test_a_new_key_in_the_file_needs_no_signal(start, tmp_path):
    old, new = Issuer("old"), Issuer("new")
    file = tmp_path / "keys.json"
    file.write_text(json.dumps({"keys": [old.jwk()]}))
    relay = start(auth__public_keys=file)
    await (await relay.device("alice", token=old.token("alice"))).bye()
    file.write_text(json.dumps({"keys": [old.jwk(), new.jwk()]}))
    await (await relay.device("alice", token=new.token("alice"))).bye()
    await until(lambda: "keys.read" in relay.log(), "a line in the log")
    # Whatever is in the file by now, the relay looks at it again in five seconds at the earliest.
    began = time.monotonic()
    for number in range(20):
        socket = await relay.connect()
        answer = await socket.ask("hello", token=Issuer(f"k{number}").token("eve"), device="phone")
        assert answer["code"] == "unauthorized"
    assert relay.log().count("keys.read") <= 1 + (time.monotonic() - began) / 5 + 1
    await (await relay.device("alice", token=old.token("alice"))).bye()


async def test_a_damaged_key_file_leaves_the_keys(start, tmp_path):
    old, new = Issuer("old"), Issuer("new")
    file = tmp_path / "keys.json"
    file.write_text(json.dumps({"keys": [old.jwk()]}))
    relay = start(auth__public_keys=file)
    file.write_text('{"keys": [')
    socket = await relay.connect()
    assert (await socket.ask("hello", token=new.token("alice"), device="phone"))["code"] == "unauthorized"
    await until(lambda: "keys.unreadable" in relay.log(), "a line in the log")
    await (await relay.device("alice", token=old.token("alice"))).bye()
