"""Services follow the log: every durable event, in order, at least once, through any crash; and the relay never waits
for them.
"""

import asyncio
import os
import pathlib
import random
import signal
import subprocess
import sys

import pytest

from harness.device import Closed
from harness.waiting import until

CONSUMER = pathlib.Path(__file__).parent / "harness" / "feed_consumer.py"
# How often each side is killed: `ROOST_FEED_KILLS=100` for a long run.
KILLS = int(os.environ.get("ROOST_FEED_KILLS", "30"))


async def everything(service, limit=256, **first):
    """All pages up to the head, as events."""
    found, after = [], first
    while True:
        page = (await service.call("feed", consumer="all", limit=limit, **after))["feed"]
        found += page["events"]
        after = {"after": page["position"]}
        if not page["more"]:
            return found


async def test_every_durable_event_comes_in_order(start):
    relay = start()
    alice, bob = await relay.device("alice"), await relay.device("bob")
    crew = await alice.group("Crew", "bob")
    for number in range(30):
        await alice.send(crew, f"m{number}", key=f"k{number}")
    await bob.call("react", conversation=crew, sequence=1, reaction="+")
    await alice.call("edit", conversation=crew, sequence=2, body="new")
    await alice.call("delete", conversation=crew, sequence=3)
    await bob.send("@alice", "hello", kind="text")
    gone = await alice.group("Gone")
    await alice.send(gone, "nobody will know")
    await alice.call("conversation.leave", conversation=gone)
    service = await relay.service()
    for limit in (1, 7, 256):
        events = await everything(service, limit)
        assert [event["type"] for event in events] == [
            "conversation", *["message"] * 30, "react", "edit", "delete", "conversation", "message"]
        assert [event["position"] for event in events] == sorted(
            (event["position"] for event in events), key=lambda text: int(text.rpartition("-")[2]))
    assert (events[1]["device"], events[1]["key"], events[1]["body"]) == ("phone", "k0", "m0")
    assert events[2]["body"] == "new" and "editedAt" in events[2]
    assert "body" not in events[3] and "deletedAt" in events[3]
    assert (events[31]["from"], events[31]["reaction"]) == ("bob", "+")
    # The same from a relay that has just started, and from where it was acked.
    await service.call("feed.ack", consumer="all", position=events[-2]["position"])
    await until(lambda: relay.rows("SELECT consumer FROM feed_cursor"), "a stored cursor")
    assert relay.metric('roost_feed_lag{consumer="all"}') == int(
        service.welcome["head"].rpartition("-")[2]) - int(events[-2]["position"].rpartition("-")[2])
    relay.kill()
    relay.start()
    service = await relay.service()
    assert await everything(service, after=service.welcome["epoch"] + "-0") == events
    assert await everything(service) == events[-1:]


async def test_a_page_waits_for_something(relay, name):
    alice = await relay.device(name("alice"))
    service = await relay.service()
    head = service.welcome["head"]
    waiting = await service.begin("feed", consumer="w", after=head, wait=True)
    await service.call("ping")
    assert not waiting.done()
    assert await service.refusal("feed", consumer="w", after=head) == "conflict"
    sent = await alice.send("@" + name("bob"), "now")
    page = (await asyncio.wait_for(waiting, 20))["feed"]
    # The conversation came to be with the message; the page has what was stored by then.
    assert page["events"][0]["type"] == "conversation"
    rest = page if page["position"] == sent["position"] else (
        await service.call("feed", consumer="w", after=page["position"], wait=True))["feed"]
    assert rest["events"][-1]["position"] == sent["position"] and not rest["more"]


@pytest.mark.parametrize("members", [
    {}, {"consumer": ""}, {"consumer": 1}, {"consumer": "a b"}, {"consumer": "c", "limit": 0},
    {"consumer": "c", "limit": 257}, {"consumer": "c", "wait": 1}, {"consumer": "c", "after": 1}])
async def test_what_is_malformed(relay, members):
    service = await relay.service()
    assert await service.refusal("feed", **members) == "bad_request"


async def test_positions_of_another_log_are_refused(relay):
    service = await relay.service()
    for type, members in [("feed", {"after": "other-1"}), ("feed.ack", {"position": "other-1"})]:
        assert await service.refusal(type, consumer="c", **members) == "bad_position"
    # Nor a position that it never gave.
    epoch = service.welcome["epoch"]
    assert await service.refusal("feed.ack", consumer="c", position=f"{epoch}-999999") == "bad_position"


async def test_a_slow_consumer_hurts_nobody(start):
    relay = start()
    alice, bob = await relay.device("alice"), await relay.device("bob")
    crew = await alice.group("Crew", "bob")
    for number in range(40):
        await alice.call("send", to=crew, key=f"big-{number}", kind="blob", body="x" * 60_000)
    stuck = []
    for number in range(8):
        service = await relay.connect(receive_buffer=4_096)
        await service.hello(relay.token(f"slow-{number}", scope="service"), operator=True)
        service.reading.clear()
        await service.begin("feed", consumer="slow")
        stuck.append(service)
    for number in range(200):
        await alice.send(crew, f"m{number}")
        assert (await bob.event("message", body=f"m{number}"))["body"] == f"m{number}"
    assert relay.resident_bytes() < 400_000_000
    for service in stuck:
        service.reading.set()
        await service.barrier()


class Follower:
    """The program that follows the feed. It can be killed, and what it has written stays."""

    def __init__(self, relay, file):
        self.relay, self.file = relay, file
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            [sys.executable, "-S", "-E", CONSUMER, str(self.relay.port), self.relay.token("mill", scope="service"),
             self.file, "64"], stderr=subprocess.PIPE)

    def kill(self):
        assert self.process.poll() is None, self.process.stderr.read()
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stderr.close()

    def positions(self):
        return [int(line.rpartition("-")[2]) for line in self.file.read_text().split("\n")[:-1]]


async def send_on(relay, is_over):
    """Sends until it is over, whatever becomes of the connection. Messages without an answer are given up."""
    number = 0
    while not is_over():
        try:
            alice = await relay.device("alice")
            group = await alice.group("Crew", "bob")
            while not is_over():
                number += 1
                await asyncio.gather(*[alice.send(group, f"m{number}-{part}") for part in range(8)])
                await asyncio.sleep(0.002)
        except (Closed, OSError, TimeoutError):
            await asyncio.sleep(0.01)


async def test_nothing_is_missed_whoever_is_killed(start, tmp_path):
    relay = start()
    relay.settings["listen.port"] = str(relay.port)
    follower = Follower(relay, tmp_path / "positions")
    follower.file.touch()
    follower.start()
    generator = random.Random(7)
    is_over = False
    sending = asyncio.create_task(send_on(relay, lambda: is_over))
    killed = [0, 0]
    try:
        for number in range(KILLS):
            await asyncio.sleep(generator.uniform(0, 0.25))
            if number % 2:
                relay.kill()
                await asyncio.to_thread(relay.start)
            else:
                follower.kill()
                follower.start()
            killed[number % 2] += 1
        is_over = True
        await sending
        rows = [position for position, in relay.rows("SELECT position FROM log ORDER BY position")]
        await until(lambda: max(follower.positions(), default=0) >= rows[-1], "the end of the log")
    finally:
        is_over = True
        follower.kill()
        sending.cancel()
    # Some came twice, but none was left out: each new one is the next row of the log.
    came, furthest = [], 0
    for position in follower.positions():
        if position > furthest:
            came.append(position)
            furthest = position
    print(f"{sum(killed)} kills: {len(rows)} events, {len(follower.positions()) - len(rows)} of them came again")
    assert came == rows and len(rows) > KILLS
