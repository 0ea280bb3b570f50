"""The log says who was turned away and who left for an unusual reason, and never what is secret."""

import asyncio
import contextlib
import json

import pytest
from websockets.exceptions import ConnectionClosed

from harness.device import Refused
from harness.raw import RawConnection
from harness.waiting import until

SECRET = "nobody-may-read-this"


def lines(relay):
    """The log's lines as objects."""
    return [json.loads(line) for line in relay.log().splitlines() if line.startswith("{")]


async def logged(relay, event, **values):
    """Waits for a line with these values, and returns it."""
    def fits():
        return [line for line in lines(relay)
                if line["event"] == event and all(line.get(key) == value for key, value in values.items())]
    found = await until(fits, f"{event} {values}")
    return found[-1]


async def test_refusals_are_logged(start):
    relay = start(log__format="json")
    with RawConnection(relay.port) as connection:
        connection.upgrade(Origin="https://elsewhere.example.org")
        connection.response()
    line = await logged(relay, "request.refused", code="forbidden_origin", status=403)
    assert line["address"] == "127.0.0.1" and line["level"] == "info" and line["connection"] > 0
    with pytest.raises(Refused):
        await relay.device("alice", token=SECRET)
    line = await logged(relay, "token.refused", code="unauthorized")
    ended = await logged(relay, "session.ended", session=line["session"])
    assert ended["reason"] == "refused" and ended["error"] == "unauthorized" and ended["code"] == 4500
    assert ended["address"] == "127.0.0.1" and "user" not in ended
    assert SECRET not in relay.log()


async def test_a_refused_origin_is_named_once(start):
    relay = start(log__format="json", log__level="notice")
    for origin in ["http://localhost:5173", "http://localhost:5173", "http://localhost:5174", "null"]:
        with RawConnection(relay.port) as connection:
            connection.upgrade(Origin=origin)
            assert connection.response().status == 403
    await logged(relay, "origin.refused", origin="http://localhost:5174")
    told = [line for line in lines(relay) if line["event"] == "origin.refused"]
    assert [line["origin"] for line in told] == ["http://localhost:5173", "http://localhost:5174"]
    assert all(line["level"] == "notice" and "listen.origins" in line["text"] for line in told)


async def test_only_unusual_ends_are_logged_unless_asked_for(start):
    relay = start(log__format="json")
    alice = await relay.device("alice", "phone")
    await alice.bye()
    bob = await relay.device("bob", "phone")
    # The relay closes the connection after twenty of them.
    with contextlib.suppress(ConnectionClosed):
        for _ in range(100):
            await bob.write("{")
    assert await bob.closed() == 4502
    line = await logged(relay, "session.ended", user="bob")
    assert line["device"] == "phone" and line["reason"] == "refused" and line["error"] == "bad_json"
    assert line["seconds"] >= 0
    assert all(line.get("user") != "alice" for line in lines(relay))


async def test_everybody_is_logged_at_debug(start):
    relay = start(log__format="json", log__level="debug")
    alice = await relay.device("alice", "phone")
    group = await alice.group("Crew")
    await alice.send(group, SECRET)
    assert await alice.refusal("conversation.get", conversation="c-none") == "not_found"
    refused = await logged(relay, "command.refused", user="alice")
    assert refused["code"] == "not_found" and refused["reason"] == "no such conversation" and refused["address"]
    await alice.bye()
    begun = await logged(relay, "session.welcomed", user="alice")
    ended = await logged(relay, "session.ended", user="alice")
    assert begun["session"] == ended["session"] and begun["device"] == "phone"
    assert ended["reason"] == "bye" and ended["level"] == "debug"
    assert SECRET not in relay.log()
    await asyncio.to_thread(relay.stop)
    events = [line["event"] for line in lines(relay)]
    assert [event for event in events if event.startswith("relay.")] == [
        "relay.listening", "relay.draining", "relay.stopped"]


async def test_a_flood_of_refusals_does_not_fill_the_log(start):
    relay = start(log__format="json")
    for _ in range(400):
        assert relay.get("/nothing")[0] in (404, 429)
    await until(lambda: [line for line in lines(relay) if line["event"] == "request.refused"], "a line")
    seconds = {line["time"][:19] for line in lines(relay)}
    assert len([line for line in lines(relay) if line["event"] == "request.refused"]) <= 50 * (len(seconds) + 1)


async def test_too_few_descriptors_are_told_at_the_start(start):
    relay = start(log__format="json", limits__connections=1_000_000)
    line = await logged(relay, "relay.limits")
    assert line["level"] == "warning" and "1000000 connections" in line["text"]
