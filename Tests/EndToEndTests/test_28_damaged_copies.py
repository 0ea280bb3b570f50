"""Copies of a store, each damaged somewhere in its file. Wherever it is hit, a client never gets a text that wasn't
written, and gets everything else or learns what is missing. The relay lives on, or says in one line why it doesn't
start.

ROOST_DAMAGED_COPIES and ROOST_DAMAGES set how many copies are tried, and how many damages each has."""

import asyncio
import json
import os
import random
import shutil

import pytest

from harness.device import Closed, end_devices
from harness.relay import Relay
from harness.waiting import PATIENCE, until

COPIES = int(os.environ.get("ROOST_DAMAGED_COPIES") or 20)
DAMAGES = int(os.environ.get("ROOST_DAMAGES") or 1)
MESSAGES = 150
# Refusals that a client understands: what it asked for is damaged.
EXPECTED = {"gone", "unavailable", "not_found"}


async def write(relay):
    """Fills a store. Returns its groups and what each message says: {(group, sequence): body, or None if deleted}."""
    alice = await relay.device("alice")
    groups = [await alice.group(name, "bob") for name in ("One", "Two")]
    truth = {}
    for number in range(MESSAGES):
        for group in groups:
            body = f"{number} " + "x" * (number * 37 % 700) + (" ü" * 2_000 if number % 50 == 7 else "")
            answer = await alice.send(group, body, key=f"{group}-{number}")
            truth[group, answer["sequence"]] = body
    for group in groups:
        for sequence in range(5, MESSAGES, 10):
            await alice.call("edit", conversation=group, sequence=sequence, body=f"edited {sequence}")
            truth[group, sequence] = f"edited {sequence}"
            await alice.call("delete", conversation=group, sequence=sequence + 1)
            truth[group, sequence + 1] = None
            await alice.call("react", conversation=group, sequence=sequence + 2, reaction="+")
    await end_devices()
    return groups, truth


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A store that was stopped in order, its groups and its truth."""
    relay = Relay(tmp_path_factory.mktemp("whole"))
    groups, truth = asyncio.run(write(relay))
    assert relay.stop() == 0
    return relay, groups, truth


def damage(content, chance):
    """One bit, one byte, 64 bytes or a sector are no longer what they were."""
    kind = chance.choice(["bit", "byte", "bytes", "sector"])
    at = chance.randrange(len(content))
    if kind == "bit":
        content[at] ^= 1 << chance.randrange(8)
    elif kind == "byte":
        content[at] = chance.randrange(256)
    elif kind == "bytes":
        content[at:at + 64] = chance.randbytes(len(content[at:at + 64]))
    else:
        content[at // 512 * 512:at // 512 * 512 + 512] = bytes(512)
    return f"{kind} at {at}"


class Reader:
    """Reads all that it can and compares it with the truth."""

    def __init__(self, groups, truth):
        self.groups, self.truth = groups, truth
        self.missing = set()

    def check(self, message):
        known = self.truth.get((message["conversation"], message["sequence"]), KeyError)
        if known is KeyError:
            return
        shown = None if "deletedAt" in message else message["body"]
        assert shown == known, f"message {message['sequence']} was altered: {str(shown)[:80]!r}"
        assert message["from"] == "alice"

    async def catch_up(self, relay, alice):
        """Reads what Bob has missed, and acks each event, until a new message of each group has come."""
        bob = await relay.device("bob")
        marks = {}
        for group in self.groups:
            answer = await alice.ask("send", to=group, key=f"mark-{group}", body="mark")
            if answer["type"] == "ok":
                marks[group] = answer["sequence"]
            else:
                assert answer["code"] in EXPECTED, answer
        acked = 0
        while not all(bob.seen("message", conversation=group, sequence=last) for group, last in marks.items()):
            if bob.reader.done():
                raise Closed(f"closed with {bob.close_code} while catching up")
            frames = bob.frames[acked:]
            acked += len(frames)
            for frame in frames:
                if "position" in frame and frame["type"] != "welcome":
                    await bob.tell("ack", position=frame["position"])
            async with bob.news:
                if len(bob.frames) == acked and not bob.reader.done():
                    await asyncio.wait_for(bob.news.wait(), PATIENCE)
        for group, last in marks.items():
            seen = {message["sequence"] for message in bob.seen("message", conversation=group)}
            for gap in bob.seen("gap", conversation=group):
                gone = set(range(gap["from"], gap["to"] + 1))
                seen |= gone
                self.missing |= {(group, sequence) for sequence in gone}
            assert seen >= set(range(1, last + 1)), f"messages are missing without a gap: {set(range(1, last)) - seen}"
        for message in bob.seen("message"):
            self.check(message)
        await bob.drop()

    async def read_history(self, alice):
        for group in self.groups:
            after = 0
            while True:
                answer = await alice.ask("history", conversation=group, after=after, limit=100)
                if answer["type"] == "error":
                    assert answer["code"] in EXPECTED, answer
                    self.missing.add((group, after + 1))
                    break
                for message in answer["messages"]:
                    self.check(message)
                gaps = answer.get("gaps", [])
                self.missing |= {(group, n) for gap in gaps for n in range(gap["from"], gap["to"] + 1)}
                after = max([message["sequence"] for message in answer["messages"]] + [gap["to"] for gap in gaps])
                if not answer["more"]:
                    break

    async def react(self, alice):
        """On everything, damaged or not."""
        answers = []
        for group, sequence in self.truth:
            answers.append(await alice.begin("react", conversation=group, sequence=sequence, reaction="!"))
        for answer in answers:
            found = await answer
            if found["type"] == "error":
                assert found["code"] in EXPECTED, found


async def examine(folder, whole, seed):
    """Damages a copy and reads it. Returns what came of it."""
    source, groups, truth = whole
    chance = random.Random(seed)
    content = bytearray(source.store.read_bytes())
    places = [damage(content, chance) for _ in range(DAMAGES)]
    shutil.copytree(source.folder, folder, ignore=shutil.ignore_patterns("relay.log"))
    (folder / "roost.db").write_bytes(content)
    try:
        relay = Relay(folder)
    except AssertionError as failure:
        lines = [line for line in (folder / "relay.log").read_text().splitlines() if line.startswith("roost: ")]
        assert len(lines) == 1, f"{places}: {failure}"
        return "refused"
    try:
        reader = Reader(groups, truth)
        alice = await relay.device("alice")
        await reader.catch_up(relay, alice)
        await reader.read_history(alice)
        await reader.react(alice)
        assert relay.is_running()
        if reader.missing:
            await until(lambda: "damaged_" in relay.log(), "a line about what is missing")
            # It lives after a kill, too.
            relay.kill()
            relay.start()
            await (await relay.device("alice")).barrier()
        await end_devices()
        assert relay.stop() == 0
        return "gaps" if reader.missing else "told" if "kind=damaged" in relay.log() else "whole"
    except Exception as failure:
        what = f"seed {seed}, {places}: {type(failure).__name__} {failure}"
        raise AssertionError(f"{what}\n{relay.log()[-2_000:]}") from failure
    finally:
        if relay.is_running():
            relay.kill()


async def test_damage_costs_what_it_hits(whole, tmp_path):
    found = {}
    for seed in range(COPIES):
        outcome = await examine(tmp_path / str(seed), whole, seed)
        found[outcome] = found.get(outcome, 0) + 1
        shutil.rmtree(tmp_path / str(seed))
    print(json.dumps(found))
    assert sum(found.values()) == COPIES
