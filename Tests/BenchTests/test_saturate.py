"""The generator in a closed loop measures what a server does, and fails when the server makes a mistake."""

import asyncio
import json

import pytest

import closed_loop
import gauge
from generator import once, saturate
from saturate import LOST, RELAY_SETTINGS
from servers import Relay
from stand_in import StandIn

MOMENTS = ("--try-seconds", "0.05", "--seconds", "0.05")
READERS, WRITERS = 8, 2
CHECKED, UNCHECKED = 4, 3  # Readers 0, 2, 4 and 7 of eight are checked; for the others bytes are counted.
SECOND = 1  # One of the first four messages, which are sent at once; so others follow it.


def fan_out(bench, fault=None):
    async def run():
        async with StandIn(fault) as server:
            return await saturate(bench, server, "--load", "fan-out", "--readers", str(READERS), "--writers",
                                  str(WRITERS), "--windows", "4,16", *MOMENTS)
    return asyncio.run(run())


def pairs(bench, count, fault=None):
    async def run():
        async with StandIn(fault) as server:
            found = await saturate(bench, server, "--load", "pairs", "--readers", str(count), "--writers", str(count),
                                   "--windows", str(4 * count), *MOMENTS)
            found.topics = server.topics
            return found
    return asyncio.run(run())


def test_a_correct_server_is_measured(bench):
    run = fan_out(bench)
    assert run.code == 0, run.words
    figures = json.loads(run.out)
    assert figures["deliveries"] % READERS == 0
    assert figures["messages"] >= 16
    assert [tried["window"] for tried in figures["tried"]] == [4, 16]
    assert figures["window"] in (4, 16)
    assert figures["messages"] * READERS >= figures["deliveries"]
    assert figures["serverFull"] == (figures["serverCores"] >= 0.95)


@pytest.mark.parametrize("reader", [CHECKED, UNCHECKED])
@pytest.mark.parametrize("instead", [
    pytest.param(lambda payload: [], id="lost"),
    pytest.param(lambda payload: [payload, payload], id="doubled"),
    pytest.param(lambda payload: [payload[:-1]], id="shortened"),
])
def test_one_faulty_delivery_is_named(bench, reader, instead):
    run = fan_out(bench, once(reader, SECOND, instead))
    assert run.code == LOST, run.out
    assert run.out == ""
    # The number of bytes shows that two readers differ. The other one is the first reader.
    assert f"reader {reader} got" in run.words or f"where reader {reader} got" in run.words


def test_reordering_is_detected(bench):
    held = []

    def swapped(reader, count, payload):
        if reader != CHECKED:
            return [payload]
        held.append(payload)
        return [] if len(held) <= WRITERS else [held.pop()]

    run = fan_out(bench, swapped)
    assert run.code == LOST, run.out
    assert f"reader {CHECKED} got message" in run.words


def test_a_message_that_never_comes_is_missed(bench):
    run = fan_out(bench, lambda reader, count, payload: [payload] if reader != CHECKED or count < SECOND else [])
    assert run.code == LOST, run.out
    assert f"reader {CHECKED} got 1 of " in run.words


def test_pairs_are_measured(bench):
    run = pairs(bench, 8)
    assert run.code == 0, run.words
    assert json.loads(run.out)["messages"] >= 4 * 8


def test_a_loss_in_one_pair_is_named(bench):
    run = pairs(bench, 8, once(5, SECOND, lambda payload: []))
    assert run.code == LOST, run.out
    assert "reader 5 got message 2 of writer 5 where 1 was to come" in run.words


def test_a_message_of_another_pair_is_named(bench):
    run = pairs(bench, 8, once(5, SECOND, lambda payload: [payload.replace(b"@T0005", b"@T0006")]))
    assert run.code == LOST, run.out
    assert "reader 5 got a message of writer 6, whom it should not hear" in run.words


def test_no_two_topics_share_a_bucket_of_the_ceiling(bench):
    run = pairs(bench, 500)
    assert run.code == 0, run.words
    assert len(run.topics) == len({bucket(topic) for topic in run.topics}) == 500
    # As names with numbers do.
    assert len({bucket(f"room{number}") for number in range(500)}) == 496


def bucket(topic):
    """Finds the bucket by the rule of ceiling.c."""
    value = 5381
    for byte in topic.encode():
        value = value * 33 + byte & 0xffff_ffff
    return value & 4095


# A group this large has no receipts between members (from 257 members on), whose number could vary.
@pytest.mark.parametrize("kind", ["signal", "send"])
@pytest.mark.parametrize("shape", [gauge.FanOut(260, 2), gauge.Pairs(4)], ids=["fan-out", "pairs"])
def test_roost_is_measured(bench, shape, kind, monkeypatch):
    monkeypatch.setattr(closed_loop, "TRY_SECONDS", 0.05)
    monkeypatch.setattr(closed_loop, "SECONDS", 0.05)
    with Relay(bench, **RELAY_SETTINGS) as relay:
        figures = closed_loop.run(bench, relay, shape, (4, 8), kind, ack=kind == "send" and shape.deliveries == 1)
    assert figures["messages"] >= 8
