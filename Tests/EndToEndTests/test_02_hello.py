"""Authentication: `welcome` has everything a client needs, only a valid token opens a session, the token may fix the
device, and `hello` must come first and only once.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import re
import time

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from harness.waiting import until

LIMITS = {
    "frameBytes": 262_144, "bodyBytes": 131_072, "textScalars": 20_000, "historyDefault": 50, "historyMax": 100,
    "backlogMax": 1_000, "pageMessages": 100, "membersMax": 10_000, "typingSeconds": 3, "graceSeconds": 15,
    "refreshGraceSeconds": 25, "pingSeconds": 25, "pongSeconds": 10, "commandsPerSecond": 2_000}


async def refused(relay, token, code, close, **hello):
    """hello with this token is refused with the code, and the connection is closed. Returns the reason."""
    device = await relay.connect()
    answer = await device.ask("hello", token=token, **{"device": "phone", **hello})
    assert answer["type"] == "error" and answer["code"] == code, answer
    assert answer["retry"] is False
    assert await device.closed() == close
    # The reason helps the developer and contains nothing from the token.
    assert not any(part and part in answer["reason"] for part in str(token).split(".") if len(part) > 12)
    return answer["reason"]


async def test_welcome_has_every_member(relay, name):
    before = time.time() * 1000
    token = relay.token(name("alice"), 3600)
    device = await relay.connect()
    welcome = await device.call("hello", token=token, device="phone")
    assert set(welcome) == {
        "type", "re", "user", "device", "new", "position", "head", "epoch", "durability", "expires", "time", "server",
        "status", "limits", "badge"}
    assert welcome["status"] == {"state": "auto"}
    assert (welcome["type"], welcome["re"]) == ("welcome", 1)
    assert (welcome["user"], welcome["device"]) == (name("alice"), "phone")
    assert re.fullmatch("[0-9a-z]{1,13}", welcome["epoch"])
    for member in ("position", "head"):
        assert re.fullmatch(welcome["epoch"] + "-(0|[1-9][0-9]*)", welcome[member])
    assert welcome["durability"] == "full"
    assert welcome["limits"] == LIMITS
    assert welcome["server"].startswith("roost/")
    assert before - 1 <= welcome["time"] <= time.time() * 1000 + 1
    claims = jwt.decode(token, options={"verify_signature": False})
    assert abs(welcome["expires"] - claims["exp"] * 1000) <= 1


async def test_a_token_has_a_length(relay, name):
    """More than a stranger may send never gets as far as the token check; a guest's is refused there."""
    large = relay.token(name("alice"), more="y" * 9000)
    stranger, guest = await relay.connect(), await relay.device(name("alice"))
    await stranger.tell("hello", id=1, token=large, device="phone")
    assert await stranger.closed() == 1009
    answer = await guest.ask("refresh", token=large)
    assert answer["code"] == "unauthorized" and "large" in answer["reason"]


async def test_an_id_may_be_text_or_number(relay, name):
    device = await relay.connect()
    for number in (0, 2**53, "a", "é" * 32, 'q"\\/'):
        answer = device.expect(number)
        await device.write(json.dumps({"type": "ping", "id": number}))
        assert (await answer)["code"] == "not_ready"


@pytest.mark.parametrize("make, reason", [
    (lambda relay: "", "token"),
    (lambda relay: "not a token", "three"),
    (lambda relay: "a.b.c", "three"),
    (lambda relay: relay.token("x") + "A", "signature"),
    (lambda relay: jwt.encode({"sub": "x", "exp": time.time() + 60}, "k" * 32, algorithm="HS256"), "signature"),
    (lambda relay: jwt.encode({"sub": "x", "exp": time.time() + 60}, None, algorithm="none"), "three"),
    (lambda relay: jwt.encode({"sub": "x", "exp": time.time() + 60}, relay.secret() * 2, algorithm="HS512"), "alg"),
    (lambda relay: jwt.encode({"sub": "x"}, relay.secret(), algorithm="HS256"), "exp"),
    (lambda relay: relay.token("x", nbf=time.time() + 3600), "nbf"),
    (lambda relay: relay.token("x y"), "sub"),
    (lambda relay: relay.token("@x"), "sub"),
    (lambda relay: relay.token("@", scope="service"), "sub"),
    (lambda relay: relay.token("x" * 65), "sub"),
    (lambda relay: relay.token("x", device="a b"), "device"),
])
async def test_invalid_tokens_are_refused(relay, make, reason):
    token = make(relay)
    if not token:
        # An empty token is a mistake in the command, not in the token.
        device = await relay.connect()
        assert await device.refusal("hello", token=token, device="phone") == "bad_request"
        return
    assert reason in await refused(relay, token, "unauthorized", 4500)


async def test_an_expired_token_may_come_back_with_a_new_one(relay, name):
    await refused(relay, relay.token(name("alice"), -1), "token_expired", 4004)


async def test_the_device_named_in_the_token_counts(relay, name):
    token = relay.token(name("alice"), device="tablet")
    device = await relay.connect()
    assert (await device.call("hello", token=token))["device"] == "tablet"
    device = await relay.connect()
    assert (await device.call("hello", token=token, device="tablet"))["device"] == "tablet"
    await refused(relay, token, "forbidden", 4500, device="phone")


async def test_hello_without_a_device_can_be_repeated(relay, name):
    device = await relay.connect()
    assert await device.refusal("hello", token=relay.token(name("alice"))) == "bad_request"
    assert (await device.call("hello", token=relay.token(name("alice")), device="phone"))["type"] == "welcome"


async def test_names_at_their_limits(relay):
    longest = "a" * 64
    device = await relay.device(longest, device="!" + "~" * 63)
    assert (device.welcome["user"], device.welcome["device"]) == (longest, "!" + "~" * 63)
    for wrong in ("", "a" * 65, "a b", 'a"b', "a\\b", "é", "a\n"):
        device = await relay.connect()
        assert await device.refusal("hello", token=relay.token(longest), device=wrong) == "bad_request"


async def test_no_command_is_accepted_before_welcome(relay, name):
    epoch = (await relay.device(name("bob"))).welcome["epoch"]
    device = await relay.connect()
    for type, members in [
            ("ping", {}), ("send", {"to": "@x", "key": "k", "body": "b"}), ("refresh", {"token": "x"}),
            ("conversation.list", {}), ("ack", {"position": f"{epoch}-0"}), ("presence", {"state": "active"})]:
        assert await device.refusal(type, **members) == "not_ready"
    # Not even while the token is being checked: both frames are sent at once.
    welcome = await device.begin("hello", token=relay.token(name("alice")), device="phone")
    early = await device.begin("conversation.list")
    assert (await welcome)["type"] == "welcome"
    assert (await early).get("code") in ("not_ready", None)


async def test_a_second_hello_is_refused_and_does_no_harm(relay, name):
    device = await relay.device(name("alice"))
    assert await device.refusal("hello", token=relay.token(name("bob")), device="phone") == "not_ready"
    assert (await device.call("ping"))["type"] == "pong"


async def test_a_connection_without_hello_is_closed(start):
    relay = start(limits__hello_seconds=1)
    silent, talking = await relay.connect(), await relay.connect()
    assert await talking.refusal("ping") == "not_ready"
    assert await asyncio.gather(silent.closed(), talking.closed()) == [4003, 4003]


async def test_a_connection_that_answers_no_ping_is_closed(start):
    relay = start(limits__ping_seconds=1, limits__pong_seconds=1)
    alive = await relay.device("alice")
    dead = await relay.device("bob", options={"receive_buffer": 4096, "max_queue": 1})
    # The library answers pings while it reads. A client that doesn't read sends no pong.
    dead.socket.transport.pause_reading()
    dead.socket.transport.resume_reading = lambda: None
    metric = 'roost_closes_total{code="4002"}'
    await until(lambda: relay.metric(metric) == 1, "the close")
    assert (await alive.call("ping"))["type"] == "pong"


# Issuers with keys of their own


def pem(key):
    return key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


@pytest.fixture(scope="module")
def issuers(tmp_path_factory):
    """Private keys by algorithm, and a folder with their public keys."""
    folder = tmp_path_factory.mktemp("keys")
    keys = {
        "RS256": rsa.generate_private_key(public_exponent=65537, key_size=2048),
        "ES256": ec.generate_private_key(ec.SECP256R1()), "EdDSA": ed25519.Ed25519PrivateKey.generate()}
    for algorithm, key in keys.items():
        (folder / f"{algorithm}.pem").write_bytes(pem(key))
    return keys, folder


async def test_tokens_of_other_issuers(start, issuers):
    keys, folder = issuers
    relay = start(
        auth__public_keys=",".join(str(folder / f"{algorithm}.pem") for algorithm in keys), auth__audience="roost",
        auth__issuer="https://id.example.org")
    good = {"sub": "alice", "exp": time.time() + 60, "aud": ["web", "roost"], "iss": "https://id.example.org"}
    for algorithm, key in keys.items():
        token = jwt.encode(good, key, algorithm=algorithm)
        device = await relay.connect()
        assert (await device.call("hello", token=token, device=algorithm))["user"] == "alice"
        for change, reason in [({"aud": "web"}, "aud"), ({"iss": "https://evil.example.org"}, "iss")]:
            token = jwt.encode({**good, **change}, key, algorithm=algorithm)
            assert reason in await refused(relay, token, "unauthorized", 4500)
    # A foreign key of the same kind, and a public key used as a shared secret.
    stranger = jwt.encode(good, ec.generate_private_key(ec.SECP256R1()), algorithm="ES256")
    assert "signature" in await refused(relay, stranger, "unauthorized", 4500)
    confused = forged_with_public_key(good, pem(keys["RS256"]))
    assert "signature" in await refused(relay, confused, "unauthorized", 4500)


def forged_with_public_key(claims, public):
    """A token signed by HS256 with the bytes of a public key as the secret, the attack of RFC 8725, section 2.1. PyJWT
    refuses to create it."""
    def part(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=")
    signed = part(b'{"alg":"HS256","typ":"JWT"}') + b"." + part(json.dumps(claims).encode())
    return (signed + b"." + part(hmac.digest(public, signed, hashlib.sha256))).decode()


async def test_bye_before_hello_ends_the_connection(relay):
    device = await relay.connect()
    await device.bye()


async def test_many_clients_can_say_hello_at_once(relay, name):
    devices = await asyncio.gather(*(relay.device(name("alice"), f"device-{number}") for number in range(40)))
    assert {device.welcome["device"] for device in devices} == {f"device-{number}" for number in range(40)}
    for device in devices:
        await device.barrier()
