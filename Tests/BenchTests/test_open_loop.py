"""The generator at a fixed rate: latency counts from when a message was due, and every delivery is checked."""

import asyncio
import json
import signal
import time

import pytest

import gauge
import open_loop
from generator import once, saturate
from saturate import LOST, RELAY_SETTINGS
from servers import Relay
from stand_in import StandIn

READERS, WRITERS = 8, 2
# Exact in binary, so that the number of due messages is exact: 25 in the warm-up and 50 that count.
RATE, WARM, SECONDS = 200, 0.125, 0.25
WARM_MESSAGES, MESSAGES = 25, 50
ANY_READER = range(READERS)
INNER = 40  # A message that others follow.
WRITER = 6  # So many bytes at the beginning of a payload name its writer.
STALL_SECONDS = 0.3


def fan_out(bench, fault=None, hold=0, seconds=SECONDS):
    return run(bench, StandIn(fault, hold), "--load", "fan-out", "--readers", READERS, "--writers", WRITERS, "--rate",
               RATE, "--warm", WARM, "--seconds", seconds)


def run(bench, stand_in, *words):
    async def serve():
        async with stand_in as server:
            return await saturate(bench, server, *words)
    return asyncio.run(serve())


def measured(run):
    assert run.code == 0, run.words
    return json.loads(run.out)


def test_a_correct_server_is_measured(bench):
    figures = measured(fan_out(bench))
    assert figures["rate"] == RATE
    assert figures["seconds"] == SECONDS
    assert figures["messages"] == WARM_MESSAGES + MESSAGES
    assert figures["deliveries"] == MESSAGES * READERS
    assert figures["deliveriesPerSecond"] == MESSAGES * READERS / SECONDS
    assert 0 < figures["p50"] <= figures["p90"] <= figures["p99"] <= figures["p999"] <= figures["max"]
    assert 0 < figures["lateP50"] <= figures["lateP99"]
    # A message is read after it is sent.
    assert figures["lateP50"] <= figures["max"]
    assert figures["serverCores"] >= 0
    assert 0 < figures["busy"] <= 1


def test_pairs_are_measured(bench):
    figures = measured(run(bench, StandIn(), "--load", "pairs", "--readers", 8, "--writers", 8, "--rate", RATE,
                           "--warm", WARM, "--seconds", SECONDS))
    assert figures["messages"] == WARM_MESSAGES + MESSAGES
    assert figures["deliveries"] == MESSAGES


@pytest.mark.parametrize("reader", ANY_READER)
@pytest.mark.parametrize("instead", [
    pytest.param(lambda payload: [], id="lost"),
    pytest.param(lambda payload: [payload, payload], id="doubled"),
])
def test_one_faulty_delivery_at_any_reader_is_named(bench, reader, instead):
    run = fan_out(bench, once(reader, INNER, instead))
    assert run.code == LOST, run.out
    assert run.out == ""
    assert f"reader {reader} got message" in run.words


@pytest.mark.parametrize("reader", ANY_READER)
def test_reordering_is_detected_at_every_reader(bench, reader):
    held = []

    # The next message of the same writer comes first. Messages of different writers have no order.
    def swapped(number, count, payload):
        if number != reader or count < INNER or len(held) == 2:
            return [payload]
        if held and payload[:WRITER] != held[0][:WRITER]:
            return [payload]
        held.append(payload)
        return held[::-1] if len(held) == 2 else []

    run = fan_out(bench, swapped)
    assert run.code == LOST, run.out
    assert f"reader {reader} got message" in run.words


def test_a_shortened_message_is_named(bench):
    run = fan_out(bench, once(3, INNER, lambda payload: [payload[:-1]]))
    assert run.code == LOST, run.out
    assert "reader 3 got" in run.words


def test_a_missing_last_message_is_noticed(bench):
    run = fan_out(bench, once(3, WARM_MESSAGES + MESSAGES - 1, lambda payload: []))
    assert run.code == LOST, run.out
    assert "reader 3 got 74 of 75 messages" in run.words


def test_a_delay_of_the_server_counts(bench):
    figures = measured(fan_out(bench, hold=0.08))
    assert figures["p50"] >= 80
    assert figures["deliveries"] == MESSAGES * READERS


# 0.3 s of a second are lost. The messages due then, 30 % of all, waited for up to that long. So a tenth of all waited
# for more than 200 ms. If latency counted from sending, hardly any would have.
def test_messages_due_while_the_server_stalls_count(bench):
    stall = once(0, WARM_MESSAGES + RATE // 2, lambda payload: time.sleep(STALL_SECONDS) or [payload])
    figures = measured(fan_out(bench, stall, seconds=1))
    assert figures["messages"] == WARM_MESSAGES + RATE
    assert figures["p90"] >= 150
    assert figures["max"] >= 290


def stopped(bench, number, seconds):
    """A run in which the generator stalls for a while when a message with this number arrives."""
    def stop(payload):
        server.generator.send_signal(signal.SIGSTOP)
        asyncio.get_running_loop().call_later(STALL_SECONDS, server.generator.send_signal, signal.SIGCONT)
        return [payload]

    server = StandIn(once(0, number, stop))
    return run(bench, server, "--load", "fan-out", "--readers", READERS, "--writers", WRITERS, "--rate", RATE, "--warm",
               WARM, "--seconds", seconds)


def test_messages_due_while_the_generator_stalls_count(bench):
    figures = measured(stopped(bench, WARM_MESSAGES + RATE // 2, seconds=1))
    assert figures["messages"] == WARM_MESSAGES + RATE
    assert figures["p90"] >= 150
    assert figures["lateP99"] >= 250


def test_every_due_message_is_sent_even_if_late(bench):
    figures = measured(stopped(bench, WARM_MESSAGES + MESSAGES // 2, seconds=SECONDS))
    assert figures["messages"] == WARM_MESSAGES + MESSAGES
    assert figures["deliveries"] == MESSAGES * READERS
    assert figures["busy"] <= 1


@pytest.mark.parametrize(("words", "why"), [
    ((), "one of --windows and --rate is needed"),
    (("--rate", 100, "--windows", 4), "one of --windows and --rate is needed"),
    (("--windows", 4, "--warm", 1), "--warm goes with --rate"),
    (("--rate", 100, "--try-seconds", 1), "--try-seconds goes with --windows"),
    (("--rate", 0), "--rate takes messages a second above 0 and up to 1000000, not 0"),
    (("--rate", 1_000_001), "--rate takes messages a second above 0 and up to 1000000, not 1000001"),
    (("--rate", "fast"), "--rate takes messages a second above 0 and up to 1000000, not fast"),
    (("--rate", 100, "--warm", 601), "--warm takes seconds above 0 and up to 600, not 601"),
    (("--rate", 1, "--warm", 0.25, "--seconds", 0.25), "no message is due in --seconds at that --rate"),
])
def test_contradicting_options_are_refused(bench, words, why):
    refused = run(bench, StandIn(), "--load", "fan-out", "--readers", READERS, "--writers", WRITERS, *words)
    assert refused.code == 1
    assert refused.words == f"saturate: {why}\n"


# As the closed loop's tests have it.
@pytest.mark.parametrize("kind", ["signal", "send"])
@pytest.mark.parametrize("shape", [gauge.FanOut(260, 2), gauge.Pairs(4)], ids=["fan-out", "pairs"])
def test_roost_is_measured(bench, shape, kind, monkeypatch):
    monkeypatch.setattr(open_loop, "WARM_SECONDS", WARM)
    with Relay(bench, **RELAY_SETTINGS) as relay:
        figures = open_loop.run(bench, relay, shape, RATE, SECONDS, kind, ack=kind == "send" and shape.deliveries == 1)
    assert figures["messages"] == WARM_MESSAGES + MESSAGES
    assert figures["deliveries"] == MESSAGES * shape.deliveries
