"""SIGTERM: every client gets a time to come back, nothing acked is lost, the write-ahead log is emptied, and the
process exits with 0 within ten seconds. A second signal ends it at once.
"""

import asyncio
import json
import signal
import time

import pytest

from harness.device import Closed
from harness.raw import RawConnection


def wal_bytes(relay):
    wal = relay.folder / "roost.db-wal"
    return wal.stat().st_size if wal.exists() else 0


async def is_refused(relay):
    """The health page says 503, or the port is already closed."""
    try:
        status, headers, body = await asyncio.to_thread(relay.get, "/readyz")
    except OSError:
        return True
    return status == 503 and json.loads(body)["code"] == "draining" and int(headers["Retry-After"]) > 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_drain_tells_every_client_and_empties_the_wal(start, number):
    relay = start(drain__spread_seconds=3)
    devices = [await relay.device(f"user-{count}") for count in range(20)]
    silent = await relay.connect()
    await devices[0].send("@user-1", "before")
    relay.process.send_signal(number)
    afters = []
    for device in (*devices, silent):
        told = await device.event("drain")
        assert set(told) == {"type", "after"}
        afters.append(told["after"])
    assert await is_refused(relay)
    assert all(500 <= after <= 3_500 for after in afters)
    assert len(set(afters)) > 1, "everybody would come back at the same moment"
    assert await asyncio.gather(*(device.closed() for device in devices)) == [4000] * len(devices)
    assert await asyncio.to_thread(relay.wait) == 0
    assert wal_bytes(relay) == 0
    assert "error" not in relay.log().lower()
    relay.start()
    again = await relay.device("user-1")
    assert (await again.event("message"))["body"] == "before"


async def test_under_load_everything_acked_is_there_after_the_restart(start):
    relay = start(limits__backlog_max=1_000_000)
    alice, bob = await relay.device("alice"), await relay.device("bob")
    group = await alice.group("Crew", "bob")
    acked, refused = {}, []

    async def load():
        for number in range(100_000):
            try:
                answer = await alice.ask("send", to=group, key=f"k-{number}", body=str(number))
            except Closed:
                return
            if answer["type"] == "ok":
                acked[answer["sequence"]] = f"k-{number}"
            else:
                refused.append(answer)
    loading = [asyncio.create_task(load())]
    await bob.event("message", sequence=200)
    began = time.monotonic()
    relay.process.send_signal(signal.SIGTERM)
    await asyncio.gather(*loading)
    assert await alice.closed() == 4000
    assert await asyncio.to_thread(relay.wait) == 0
    assert time.monotonic() - began < 10
    # A command after the announcement is refused for now, not for good.
    assert all((answer["code"], answer["retry"]) == ("unavailable", True) for answer in refused)
    assert len(acked) >= 200
    relay.start()
    found, after = {}, 0
    alice = await relay.device("alice")
    while True:
        page = await alice.call("history", conversation=group, after=after, limit=100)
        found |= {message["sequence"]: message["key"] for message in page["messages"]}
        if not page["more"]:
            break
        after = max(found)
    assert found == acked


async def test_a_silent_client_does_not_delay_the_drain(start):
    relay = start()
    with RawConnection(relay.port) as dead, RawConnection(relay.port) as half:
        dead.upgrade()
        dead.response()
        half.write("GET /healthz HTTP/1.1\r\n")
        began = time.monotonic()
        assert await asyncio.to_thread(relay.stop) == 0
        assert time.monotonic() - began < 10
    assert wal_bytes(relay) == 0


async def test_a_second_signal_ends_it_at_once(start):
    relay = start(drain__seconds=10)
    with RawConnection(relay.port) as dead:
        # It never answers the close frame, so the drain waits for it.
        dead.upgrade()
        dead.response()
        alice = await relay.device("alice")
        await alice.send("@bob", "acked")
        relay.process.send_signal(signal.SIGTERM)
        await alice.event("drain")
        relay.process.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(relay.wait) == 128 + signal.SIGTERM
    relay.start()
    bob = await relay.device("bob")
    assert (await bob.event("message"))["body"] == "acked"


async def test_a_restart_shows_nobody_as_gone(start):
    """During a drain no client gets the event that others left, because they are about to come back."""
    relay = start()
    alice, bob = await relay.device("alice"), await relay.device("bob")
    await alice.send("@bob", "x")
    await bob.presence("alice", "online")
    relay.process.send_signal(signal.SIGTERM)
    assert await asyncio.gather(alice.closed(), bob.closed()) == [4000, 4000]
    assert bob.states("alice")[-1] == "online"
    assert await asyncio.to_thread(relay.wait) == 0


async def test_new_connections_are_refused_while_it_drains(start):
    relay = start()
    alice = await relay.device("alice")
    with RawConnection(relay.port) as kept:
        kept.request("GET /healthz HTTP/1.1")
        assert kept.response().status == 200
        relay.process.send_signal(signal.SIGTERM)
        await alice.event("drain")
        # The listener is closed. A kept-alive connection gets the reason.
        kept.upgrade()
        response = kept.response()
        assert response.status_line == "HTTP/1.1 503 Service Unavailable"
        assert json.loads(response.body)["code"] == "draining" and int(response.headers["retry-after"]) > 0
    assert await asyncio.to_thread(relay.wait) == 0
