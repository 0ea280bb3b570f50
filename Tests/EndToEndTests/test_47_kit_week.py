"""A device on RoostKit comes back after a week: it is caught up at once, and scrolling fills what was left out."""

import asyncio
import pathlib

from harness.kit import App

MISSED = 5_000
WINDOW = 64  # Commands under way at once.


def memory(app):
    """Mebibytes that the app has."""
    for line in pathlib.Path(f"/proc/{app.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) >> 10
    raise AssertionError("no VmRSS")


async def write(device, conversation, count):
    window = asyncio.Semaphore(WINDOW)

    async def send(number):
        async with window:
            await device.call("send", to=conversation, key=f"week-{number}", body=f"missed {number}")

    # One after the other is their order, so that each is sent before the next begins.
    await asyncio.gather(*(send(number) for number in range(2, count + 2)))


async def test_a_week_offline_with_5000_missed_messages(start, tmp_path):
    relay = start(limits__commands_per_second=100_000)
    bob = await relay.device("week-bob")
    app = await App.start(relay, "week-alice", tmp_path / "roost.db")
    await app.call("open", **{"with": "@week-bob"})
    await app.call("connect")
    await app.call("send", text="before the week")
    await app.until(lambda: app.items and app.items[-1].get("rank", 0) >= 1)
    await app.call("disconnect")
    await app.leave()
    conversation = (await bob.call("history", conversation="@week-alice"))["conversation"]
    await write(bob, conversation, MISSED)

    app = await App.start(relay, "week-alice", tmp_path / "roost.db")
    await app.call("open", **{"with": "@week-bob"})
    memory_of_a_start = memory(app)
    await app.call("connect")
    await app.until(lambda: app.session.get("isUpToDate") and app.items and app.items[-1].get("sequence") == MISSED + 1)
    await app.until(lambda: app.session["badge"] == MISSED)

    # Up to the first message, as a finger would; whatever gap is on the screen is filled.
    seen = {}

    def look():
        seen.update({item["sequence"]: item["text"] for item in app.items if "sequence" in item})

    def gaps():
        return [item["gap"] for item in app.items if "gap" in item]

    # The first message is kept from before, so that the gap may be all that is left out.
    while app.has_older or gaps():
        look()
        assert len(app.items) <= 520, "the window is bounded"
        for first, last in gaps():
            await app.call("fill", **{"from": first, "to": last})
        if not app.has_older:
            continue
        before = app.items
        await app.call("older")
        # A filled gap may have shown the first message already.
        await app.until(lambda: app.items != before or not app.has_older)
    look()
    assert set(seen) == set(range(1, MISSED + 2)), "nothing is left out"
    assert set(seen.values()) == {"before the week", *(f"missed {number}" for number in range(2, MISSED + 2))}
    grown = memory(app) - memory_of_a_start
    assert grown < 64, f"{grown} MiB more than at the start"
    await app.leave()
