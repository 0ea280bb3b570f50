"""Connections before their welcome can't crowd others out: newcomers with a token get in, supervisors are answered,
and memory and time that strangers take are bounded."""

import asyncio
import contextlib
import json
import os
import resource
import socket
import threading

import pytest

from harness.raw import RawConnection, frame
from harness.waiting import PATIENCE, until

TEXT, CONTINUATION, PING, PONG, CLOSE = 1, 0, 9, 10, 8
# As many as the attack that this is about, or as many as there are descriptors for on both sides.
SILENT = min(10_000, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 2_000)


class Silent:
    """Sockets that connect and send nothing, or only what `say` does, and never answer."""

    def __init__(self, port, count, say=None, sources=("127.0.0.1",)):
        self.sockets = []
        for number in range(count):
            one = socket.socket()
            self.sockets.append(one)
            one.settimeout(PATIENCE)
            one.bind((sources[number % len(sources)], 0))
            # An attacker doesn't care about those that can't connect at once.
            with contextlib.suppress(OSError):
                one.connect(("127.0.0.1", port))
                if say:
                    one.sendall(say)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for one in self.sockets:
            one.close()


class Attack:
    """Opens silent sockets again and again on a thread, as fast as it can."""

    def __init__(self, port, count, say=None):
        self.port, self.count, self.say = port, count, say
        self.rounds = 0
        self.is_over = False
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.is_over:
            with Silent(self.port, self.count, self.say):
                self.rounds += 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        self.thread.join()


UPGRADE = (
    b"GET /v1/socket HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: roost.v1\r\n\r\n")


def hello(relay, user, device="phone", **more):
    said = {"type": "hello", "id": 1, "token": relay.token(user, **more), "device": device}
    return frame(TEXT, json.dumps(said).encode())


def greeted(port):
    """A connection that was upgraded, by hand."""
    connection = RawConnection(port)
    connection.upgrade()
    assert connection.response().status == 101
    return connection


def read_frame(connection):
    def take(count):
        while len(connection.buffer) < count:
            connection.fill()
        taken, connection.buffer = connection.buffer[:count], connection.buffer[count:]
        return taken

    first, second = take(2)
    size = second & 0x7F
    if size > 125:
        size = int.from_bytes(take(2 if size == 126 else 8), "big")
    return first & 0x0F, take(size)


def close_code(connection):
    while True:
        opcode, payload = read_frame(connection)
        if opcode == CLOSE:
            return int.from_bytes(payload[:2], "big")


# Accepted connections


@pytest.mark.parametrize("say", [None, b"G", UPGRADE], ids=["nothing", "a byte", "an upgrade"])
async def test_ten_thousand_silent_sockets_keep_nobody_out(start, say):
    """All from the address that the bystander and the supervisor have, too."""
    # The sockets here don't answer pings while others are opened.
    relay = start(limits__ping_seconds=300)
    witness = await relay.device("witness")
    with Silent(relay.port, SILENT, say):
        for number in range(20):
            assert relay.get("/healthz")[0] == 200
            assert relay.get("/readyz")[0] == 200
            one = await relay.device("alice", f"phone-{number}")
            assert (await one.call("ping"))["type"] == "pong"
        assert relay.metric("roost_strangers") <= 250
        assert relay.metric('roost_shed_total{class="stranger"}') >= SILENT - 260
    assert (await witness.call("ping"))["type"] == "pong"


async def test_an_attack_from_many_addresses_does_not_drive_out_single_connections(start):
    """They fill the bound of all strangers. The crowds among them pay, not who has one connection."""
    relay = start(limits__strangers=200)
    sources = [f"127.0.1.{number}" for number in range(1, 21)]
    waiting = greeted(relay.port)
    with Silent(relay.port, 4_000, UPGRADE, sources):
        assert relay.get("/healthz")[0] == 200
        assert relay.metric("roost_strangers") <= 200
        waiting.write(hello(relay, "alice"))
        assert json.loads(read_frame(waiting)[1])["type"] == "welcome"
        assert (await (await relay.device("bob")).call("ping"))["type"] == "pong"
    waiting.socket.close()


async def test_newcomers_get_in_during_the_attack(start):
    relay = start(limits__strangers_per_address=100)
    with Attack(relay.port, 1_000) as attack:
        # A single try may lose against a flood from its own address; a client tries again, as it would after any loss.
        async def comes_in(number):
            with contextlib.suppress(Exception):
                return await relay.device("alice", f"phone-{number}")
        for number in range(5):
            one = await until(lambda number=number: comes_in(number), "a newcomer")
            assert (await one.call("ping"))["type"] == "pong"
        await until(lambda: attack.rounds >= 3, "an attack")
    assert relay.get("/healthz")[0] == 200


def test_health_pages_are_answered_while_the_relay_is_full_of_guests_and_attacked(start):
    relay = start(limits__connections=3)
    guests = [greeted(relay.port) for _ in range(3)]
    for number, guest in enumerate(guests):
        guest.write(hello(relay, "alice", f"phone-{number}"))
        assert json.loads(read_frame(guest)[1])["type"] == "welcome"
    with Silent(relay.port, 1_000):
        for page in ("/healthz", "/readyz", "/metrics"):
            assert relay.get(page)[0] == 200
        with RawConnection(relay.port) as newcomer:
            newcomer.upgrade()
            assert newcomer.response().status == 503
    for guest in guests:
        guest.write(frame(PING, b"?"))
        while read_frame(guest) != (PONG, b"?"):
            pass
        guest.socket.close()


async def test_who_ignores_the_close_frame_keeps_no_place(start):
    relay = start(limits__hello_seconds=1, limits__strangers_per_address=100, limits__connections_per_address=100)
    # The scrape itself is a stranger, too.
    with Silent(relay.port, 99, UPGRADE):
        await until(lambda: relay.metric('roost_closes_total{code="4003"}') >= 99, "the time for hello")
        assert relay.metric("roost_strangers") <= 1


# Behind proxies


async def test_limits_apply_to_whom_a_listed_proxy_names(start):
    relay = start(listen__proxies="127.0.0.1", limits__connections_per_address=2)
    for client in ("198.51.100.1", "198.51.100.2", "2001:db8::1"):
        for number in range(2):
            options = {"additional_headers": {"X-Forwarded-For": f"6.6.6.6, {client}"}}
            await relay.device("alice", f"{client}-{number}".replace(":", "-"), options=options)
    with RawConnection(relay.port) as third:
        third.upgrade(X_Forwarded_For="198.51.100.2")
        assert third.response().status == 429
    # The proxy's own checks.
    assert relay.get("/healthz")[0] == 200


async def test_nobody_else_is_believed(start):
    relay = start(listen__proxies="10.0.0.0/8", limits__connections_per_address=2)
    for number in range(2):
        options = {"additional_headers": {"X-Forwarded-For": f"198.51.100.{number}"}}
        await relay.device("alice", f"phone-{number}", options=options)
    with RawConnection(relay.port) as third:
        third.upgrade(X_Forwarded_For="198.51.100.9")
        assert third.response().status == 429


async def test_the_proxy_protocol(start):
    relay = start(listen__proxies="127.0.0.1", listen__proxy_protocol="on", limits__connections_per_address=1)
    for number in range(3):
        with contextlib.closing(RawConnection(relay.port).socket) as plain:
            plain.sendall(f"PROXY TCP4 198.51.100.{number} 127.0.0.1 5 6\r\n".encode() + UPGRADE)
            assert plain.recv(12) == b"HTTP/1.1 101"
    with RawConnection(relay.port) as without:
        without.upgrade()
        assert without.response().status == 400


# Bounds on strangers' bytes


async def test_a_stranger_may_send_8_kib(start):
    relay = start()
    # A token of 6 KiB, as issuers make that list a user's groups.
    with greeted(relay.port) as connection:
        connection.write(hello(relay, "alice", groups="g" * 4_400))
        assert json.loads(read_frame(connection)[1])["type"] == "welcome"
        # From here on, the limit is that of welcome.
        connection.write(frame(TEXT, b'{"type":"ping","id":2,"x":"' + b"x" * 100_000 + b'"}'))
        while json.loads(read_frame(connection)[1])["type"] != "pong":
            pass
    for data in (frame(TEXT, b"x" * 8_193), frame(TEXT, b"x" * 8_193)[:20],
                 frame(TEXT, b"x" * 8_192, False) + frame(CONTINUATION, b"x")):
        with greeted(relay.port) as connection:
            connection.write(data)
            assert close_code(connection) == 1009
    with RawConnection(relay.port) as connection:
        connection.request("GET /healthz HTTP/1.1", Cookie="c" * 8_192)
        assert connection.response().status == 431


def test_memory_returns_after_strangers_have_gone(start):
    """5,000 strangers, each with all that it may send, from 20 addresses."""
    relay = start(limits__strangers=5_000)
    sources = [f"127.0.2.{number}" for number in range(1, 21)]

    def wave():
        said = UPGRADE + frame(TEXT, b"x" * 8_192)[:8_100]
        with Silent(relay.port, 5_000, said, sources):
            largest = relay.resident_bytes()
        return largest
    relay.get("/metrics")
    before = relay.resident_bytes()
    largest = wave()
    assert largest - before < 130_000_000

    async def is_back():
        return relay.resident_bytes() - before < 20_000_000
    asyncio.run(until(is_back, "memory to return"))


# Rates for free frames


@pytest.mark.parametrize("one, code", [(frame(PING, b"x"), 4008), (frame(PONG, b""), 4008)], ids=["pings", "pongs"])
async def test_control_frames_have_a_rate(relay, name, one, code):
    witness = await relay.device(name("witness"))
    with greeted(relay.port) as connection:
        connection.write(hello(relay, name("alice")))
        with contextlib.suppress(OSError):
            connection.write(one * 20_000)
        assert close_code(connection) == code
    assert (await witness.call("ping"))["type"] == "pong"
    assert relay.metric('roost_closes_total{code="4008"}') >= 1


async def test_empty_fragments_have_a_rate(relay, name):
    with greeted(relay.port) as connection:
        connection.write(hello(relay, name("alice")))
        connection.write((frame(TEXT, b"{", False) + frame(CONTINUATION, b"", False) * 300))
        assert close_code(connection) == 4008


def test_requests_of_an_address_have_a_rate(start):
    relay = start(limits__requests_per_second=20)
    statuses = [relay.get("/")[0] for _ in range(60)]
    assert set(statuses) == {200, 429}
    assert [relay.get(page)[0] for page in ("/healthz", "/readyz") * 20] == [200] * 40


async def test_unfinished_messages_of_all_have_one_bound(start):
    relay = start(limits__partial_bytes=1_048_576)
    holders = []
    for number in range(20):
        connection = greeted(relay.port)
        connection.write(hello(relay, "mallory", f"phone-{number}"))
        while json.loads(read_frame(connection)[1])["type"] != "live":
            pass
        connection.write(frame(TEXT, b"x" * 131_072)[:100_000])
        holders.append(connection)
    await until(lambda: relay.metric('roost_shed_total{class="partial"}') >= 10, "a cut")
    assert relay.metric("roost_partial_bytes") <= 1_048_576
    assert close_code(holders[0]) == 4005
    # An honest client's long message still passes.
    alice = await relay.device("alice")
    answer = alice.expect(77)
    await alice.write(json.dumps({"type": "ping", "id": 77, "x": "x" * 120_000}))
    assert (await asyncio.wait_for(answer, PATIENCE))["type"] == "pong"
    for connection in holders:
        connection.socket.close()


# The operator's pages


def test_a_flood_of_metrics_is_served_from_the_last_page(start):
    relay = start(limits__requests_per_second=1_000_000)
    with RawConnection(relay.port) as connection:
        connection.write(b"GET /metrics HTTP/1.1\r\nHost: h\r\n\r\n" * 60)
        connection.write(b"GET /metrics HTTP/1.1\r\nHost: h\r\n\r\n" * 340)
        pages = [connection.response().body for _ in range(400)]
    # Each page made anew differs in the time that the process has run.
    assert 1 < len(set(pages)) < 400


async def test_descriptors_are_counted(start):
    """By the relay's own books. The scrape has a descriptor that may be gone when the test looks itself."""
    relay = start()

    def is_right():
        counted, listed = relay.metric("process_open_fds"), len(os.listdir(f"/proc/{relay.process.pid}/fd"))
        return listed if counted - listed in (0, 1) else 0
    few = await until(is_right, "the number of descriptors")
    with Silent(relay.port, 100):
        await until(lambda: is_right() >= few + 100, "100 more")
    await until(lambda: 0 < is_right() < few + 10, "100 less")
