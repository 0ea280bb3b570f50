"""Wrong input gets a clear answer, an `error` that names the member or a numbered close, and affects no other client:
one client that could end the relay would end everyone's session.
"""

import asyncio
import contextlib
import itertools
import json
import random
import struct

import pytest
from websockets.exceptions import ConnectionClosed

from harness.commands import MAY_BE_SILENT, WRONG, commands, good
from harness.device import Closed
from harness.raw import RawConnection, frame

KNOWN_CODES = {1000, 1002, 1003, 1006, 1007, 1009, 4000, 4001, 4002, 4003, 4004, 4005, 4008, 4500, 4501, 4502}
COMPLAINTS = {"bad_request", "too_large", "bad_position"}


class Witness:
    """Two users who talk while another client misbehaves. Each message must arrive, and neither loses its session."""

    def __init__(self, relay, name):
        self.relay, self.name = relay, name
        self.count = 0

    async def __aenter__(self):
        self.one = await self.relay.device(self.name("witness"), "one")
        self.two = await self.relay.device(self.name("companion"), "two")
        self.group = await self.one.group("Witness", self.name("companion"))
        self.is_over = False
        self.talking = asyncio.create_task(self.talk())
        return self

    async def talk(self):
        while not self.is_over:
            await self.exchange()
            await asyncio.sleep(0.01)

    async def exchange(self):
        self.count += 1
        await self.one.send(self.group, str(self.count))
        assert (await self.two.event("message"))["body"] == str(self.count)

    async def __aexit__(self, kind, *_):
        self.is_over = True
        await self.talking
        await self.exchange()
        assert self.relay.is_running()


async def prepare(relay, name):
    """A user with a group, and the commands that make sense in it."""
    mallory = await relay.device(name("mallory"))
    group = await mallory.group("Crew", name("peer"))
    position = (await mallory.send(group, "one", key="first"))["position"]
    token = relay.token(name("mallory"))
    return mallory, group, commands(group, name("peer"), token, position)


async def test_every_missing_or_wrong_member_is_refused(relay, name):
    """25 forms of commands with some 600 mistakes: each is refused, and named, and changes nothing."""
    mallory, group, forms = await prepare(relay, name)
    keys = (f"key-{number}" for number in itertools.count())
    count = 0

    async def refused(type, members, member, code=None):
        nonlocal count
        count += 1
        answer = await mallory.ask(type, **members)
        assert answer["type"] == "error", f"{type} took {str(members.get(member))[:80]} as {member}: {answer}"
        assert answer["code"] in (code or COMPLAINTS), (type, member, answer)
        assert member in answer["reason"], (type, member, answer)
        assert answer["retry"] is False
        # A valid command in between, because too many mistakes in a row end the session.
        await mallory.barrier()

    async with Witness(relay, name):
        for type, required, optional in forms:
            for member, (kind, _) in {**required, **optional}.items():
                if member in required and not (kind == "kind" and type == "send"):
                    members = good(required, optional, next(keys))
                    del members[member]
                    # Without another message to forward, it is the body that is missing.
                    missing = "body" if kind == "forward" else member
                    await refused(type, members, missing)
                    # null counts as absent, except for a body, which may be anything.
                    if kind != "body":
                        await refused(type, {**members, member: None}, missing)
                for value in WRONG[kind]:
                    await refused(type, {**good(required, optional, next(keys)), member: value}, member)
    assert count > 550
    history = await mallory.call("history", conversation=group)
    assert [(message["body"], "editedAt" in message) for message in history["messages"]] == [("one", False)]
    assert len((await mallory.call("conversation.list"))["conversations"]) == 1


async def test_the_valid_forms_of_these_commands_are_accepted(relay, name):
    """Without this, the test above would prove nothing."""
    mallory, group, forms = await prepare(relay, name)
    order = {
        "conversation.role": 2, "conversation.remove": 3, "conversation.add": 4, "delete": 5, "conversation.leave": 6}
    for number, (type, required, optional) in enumerate(sorted(forms, key=lambda form: order.get(form[0], 1))):
        if type in ("conversation.remove",):
            await mallory.call("conversation.role", conversation=group, user=name("peer"), role="member")
        await mallory.call(type, **good(required, optional, f"key-{number}"))
        if type not in ("conversation.create", "send", "conversation.list"):
            continue
        await mallory.call(type, **good(required, {}, f"key-{number}-b"))


async def test_ids(relay, name):
    mallory, group, forms = await prepare(relay, name)
    for number in ("", "x" * 65, -1, 1.5, 2**53 + 1, True, [], {}):
        await mallory.tell("ping", id=number)
        told = await mallory.event("error")
        assert told["code"] == "bad_request" and "re" not in told and "id" in told["reason"]
        await mallory.barrier()
    for type, required, optional in forms:
        if type in MAY_BE_SILENT:
            continue
        await mallory.tell(type, **good(required, optional, "no-id"))
        told = await mallory.event("error")
        assert told["code"] == "bad_request" and "id" in told["reason"], (type, told)
        await mallory.barrier()
    history = await mallory.call("history", conversation=group)
    assert len(history["messages"]) == 1


@pytest.mark.parametrize("text, code", [
    ("", "bad_json"), ("{", "bad_json"), ("nonsense", "bad_json"), ("[]", "bad_json"), ("null", "bad_json"),
    ('"ping"', "bad_json"), ("1", "bad_json"), ('{"type":"ping","id":1}}', "bad_json"),
    ('{"type":"ping",}', "bad_json"),
    ("{'type':'ping'}", "bad_json"), ('{"type":"ping","id":01}', "bad_json"), ('{"type":"ping" "id":1}', "bad_json"),
    ('{"type":"ping","id":1,"x":"\t"}', "bad_json"), ('{"type":"ping","id":1,"x":"\\x"}', "bad_json"),
    ('{"type":"ping","id":1,"x":NaN}', "bad_json"), ('{"type":"ping","id":1,"x":"\\ud800"}', "bad_request"),
    ('{"type":"send","to":"@bob","key":"cut","body":"cut \\ud83d","id":1}', "bad_request"),
    ('{"type":"ping","id":1,"x":tru}', "bad_json"), ("\ufeff{}", "bad_json"), ("\0", "bad_json"),
    ("{}", "bad_request"), ('{"id":1}', "bad_request"), ('{"type":1,"id":1}', "bad_request"),
    ('{"type":null,"id":1}', "bad_request"), ('{"type":"Ping","id":1}', "unknown_type"),
    ('{"type":"","id":1}', "unknown_type"), ('{"type":"message","id":1}', "unknown_type"),
    ('{"type":"' + "x" * 10_000 + '","id":1}', "unknown_type"),
    ('{"type":"ping","id":1,"x":' + "[" * 66 + "]" * 66 + "}", "too_large"),
    ('{"type":"ping","id":1,"x":' + "[" * 60_000 + "]" * 60_000 + "}", "too_large"),
    ('{"type":"ping","x":' + '{"a":' * 20_000 + "1" + "}" * 20_000 + ',"id":1}', "too_large"),
    ('{"type":"ping","id":1,"x":' + "[" * 60_000 + "}", "bad_json"),
    ("{" + ",".join(f'"m{number}":1' for number in range(100)) + "}", "too_large"),
    ("{" + ",".join(f'"m{number}":1' for number in range(100)) + ',"id":1}', "too_large"),
])
async def test_text_that_is_not_a_command_is_refused(relay, name, text, code):
    device = await relay.device(name("mallory"))
    device.allows_strays = True
    await device.write(text)
    await device.barrier()
    answer, = [one for one in device.frames if one["type"] == "error"]
    assert answer["code"] == code
    # Where there was an object with an id, the answer repeats it.
    assert answer.get("re") == (1 if code != "bad_json" and '"id":1' in text else None)


async def test_odd_but_valid_commands_are_accepted(relay, name):
    device = await relay.device(name("alice"))
    for text in (
            ' \r\n\t{ "id" : 7 , "type" : "ping" } \n', '{"type":"p\\u0069ng","id":7}',
            '{"x":{"type":"bye"},"type":"ping","id":7}',
            '{"type":"bye","type":"ping","id":8,"id":7}', '{"type":"ping","id":7,"device":1,"users":{},"":0}',
            '{"type":"ping","id":7,"x":' + "[" * 63 + "]" * 63 + "}"):
        answer = device.expect(7)
        await device.write(text)
        assert (await asyncio.wait_for(answer, 20))["type"] == "pong", text


async def test_a_binary_message_closes_with_1003(relay, name):
    async with Witness(relay, name):
        for data in (b"", b'{"type":"ping","id":1}', bytes(range(256)) * 64):
            device = await relay.device(name("mallory"))
            await device.write(data)
            assert await device.closed() == 1003


async def test_an_oversized_message_closes_with_1009(relay, name):
    async with Witness(relay, name):
        for size in (262_145, 400_000, 20_000_000):
            device = await relay.device(name("mallory"))
            try:
                await device.write("x" * size)
            except Exception as error:  # The relay hangs up while we still write.
                assert "close" in type(error).__name__.lower()
            assert await device.closed() in (1009, 1006)
        # In pieces, none of which is too large.
        device = await relay.device(name("mallory"))
        try:
            await device.write(["x" * 100_000] * 4)
        except Exception as error:
            assert "close" in type(error).__name__.lower()
        assert await device.closed() == 1009


@pytest.mark.parametrize("data", [
    b'{"type":"ping","x":"\xff"}', b"\xc0\xaf", b'"\xed\xa0\x80"', b"\xf4\x90\x80\x80", b'{"x":"\xe2\x82'])
async def test_invalid_utf8_closes_with_1007(relay, name, data):
    device = await relay.device(name("mallory"))
    await device.socket.send(data, text=True)
    assert await device.closed() == 1007


async def test_too_many_mistakes_in_a_row_close_with_4502(relay, name):
    device = await relay.device(name("mallory"))
    for _ in range(3):
        for _ in range(19):
            assert await device.refusal("nonsense") == "unknown_type"
        await device.barrier()
    device.allows_strays = True
    for _ in range(20):
        await device.write("nonsense")
    assert await device.closed() == 4502
    assert len([one for one in device.frames if one.get("code") == "bad_json"]) == 20
    # The same holds before hello.
    device = await relay.connect()
    for _ in range(20):
        await device.write("nonsense")
    assert await device.closed() == 4502


async def test_too_many_commands_are_rate_limited(start):
    relay = start(limits__commands_per_second=10)
    device = await relay.device("alice")
    answers = [await (await device.begin("ping")) for _ in range(40)]
    limited = [answer for answer in answers if answer["type"] == "error"]
    assert limited and all(
        answer["code"] == "rate_limited" and answer["retry"] is True and answer["retryAfter"] > 0 for answer in limited)
    # Twice as many in a burst, and hello was one of them.
    assert sum(answer["type"] == "pong" for answer in answers) >= 19
    while (await device.ask("ping"))["type"] == "error":
        await asyncio.sleep(limited[0]["retryAfter"] / 1000)


def broken_frames():
    """Frames that RFC 6455 forbids, by what is wrong with them."""
    ping = b'{"type":"ping"}'
    return {
        "reserved bit": b"\xc1" + frame(1, ping)[1:], "reserved opcode": frame(3, ping),
        "long ping": frame(9, b"x" * 126), "split ping": frame(9, b"x", is_last=False),
        "continuation of nothing": frame(0, ping), "text within text": frame(1, b"{", is_last=False) + frame(1, ping),
        "huge length": b"\x81\xff" + struct.pack(">Q", 2**63 - 1) + b"\0\0\0\0{",
        "negative length": b"\x81\xff" + struct.pack(">Q", 2**64 - 1) + b"\0\0\0\0{",
        "close of one byte": frame(8, b"x"), "close with a bad code": frame(8, struct.pack(">H", 1005)),
        "close with bad text": frame(8, struct.pack(">H", 1000) + b"\xff"),
        "many empty fragments": frame(1, b"", is_last=False) + frame(0, b"", is_last=False) * 2_000,
    }


@pytest.mark.parametrize("what", broken_frames())
async def test_broken_frames_end_only_their_own_connection(relay, name, what):
    def misbehave():
        with RawConnection(relay.port) as connection:
            connection.upgrade()
            assert connection.response().status == 101
            connection.write(broken_frames()[what])
            # The relay sends a close frame or nothing: the library ends some of these connections silently.
            assert connection.first_byte() in (None, 0x88)
    async with Witness(relay, name):
        await asyncio.to_thread(misbehave)


def mutate(generator, text):
    """A valid frame with one to four changes, as a broken client, a bad proxy or a fuzzer would send it."""
    data = bytearray(text.encode())
    for _ in range(generator.randint(1, 4)):
        place = generator.randrange(len(data) + 1) if data else 0
        match generator.randrange(8):
            case 0 if data:
                data[place % len(data)] ^= 1 << generator.randrange(7)
            case 1 if data:
                del data[place:place + generator.randint(1, 8)]
            case 2:
                data[place:place] = data[:generator.randint(0, 40)]
            case 3:
                data[place:place] = generator.choice([
                    b"\\u0000", b"\\ud800", b"\xf0\x9f\x98\x80", b"1e999", b"-", b"null", b"[[[[", b"}", b'"', b",",
                    b"9223372036854775808", b'"id":"x",', b'"key":null,', b"\\", b"\x00", b"@", b"true"])
            case 4:
                del data[place:]
            case 5 if data:
                other = generator.randrange(len(data))
                data[place % len(data)], data[other] = data[other], data[place % len(data)]
            case 6:
                digits = [index for index, byte in enumerate(data) if chr(byte).isdigit()]
                if digits:
                    data[generator.choice(digits):][:1] = b"0"
                    data[generator.choice(digits)] = generator.choice(b"-0123456789.eE")
            case _:
                data[place:place] = bytes(generator.randrange(1, 127) for _ in range(generator.randint(1, 12)))
    return bytes(data)


def is_certainly_wrong(data):
    """Whether another parser says that it is no JSON object, or whether it is none of the commands."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return True
    return not isinstance(found, dict) or not isinstance(found.get("type"), str)


async def fuzz(relay, name, seed, rounds):
    """Sends mutations, each followed by a ping: the ping is answered or the connection closed by a number."""
    generator = random.Random(seed)
    device, closes = None, 0
    for number in range(rounds):
        if device is None:
            device, group, forms = await prepare(relay, lambda word: name(f"{word}-{seed}-{number}"))
            device.allows_strays = True
            forms = [*forms, ("hello", {"token": ("token", forms[0][1]["token"][1])}, {}), ("bye", {}, {})]
        kind, required, optional = generator.choice(forms)
        good_one = {"type": kind, "id": f"f-{number}", **good(required, optional, f"key-{number}")}
        data = mutate(generator, json.dumps(good_one, ensure_ascii=generator.random() < 0.5))
        before = len(device.frames)
        try:
            await device.socket.send(data, text=True)
            await device.barrier()
        except Exception as error:
            assert isinstance(error, Closed) or "close" in type(error).__name__.lower(), repr(error)
            code = await device.closed()
            assert code in KNOWN_CODES - {1006}, f"closed with {code} after {data!r}"
            device, closes = None, closes + 1
            continue
        if is_certainly_wrong(data):
            answers = [one for one in device.frames[before:] if one["type"] == "error"]
            assert answers, f"no answer to {data!r}"
    return closes


async def test_ten_thousand_mutations(relay, name):
    """The seed is fixed, so that a failure repeats."""
    async with Witness(relay, name):
        await asyncio.gather(*(fuzz(relay, name, seed, 2_000) for seed in range(5)))


async def test_who_goes_on_although_refused_is_closed(start):
    relay = start(limits__commands_per_second=10)
    device = await relay.device("alice")
    group = await device.group("Crew")
    with contextlib.suppress(ConnectionClosed):
        for _ in range(1_200):
            await device.write(json.dumps({"type": "typing", "to": group}))
    assert await device.closed() == 4008
    # Others are not concerned.
    await (await relay.device("bob")).call("ping")
