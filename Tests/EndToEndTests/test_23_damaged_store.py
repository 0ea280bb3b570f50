"""Rows of the store are damaged: clients learn which messages are missing, and get everything else."""

import contextlib
import sqlite3

SECRET = "a body that no log may name"


async def damaged(start):
    """A relay whose store can't read messages 3, 4 and 6 of a group. Bob has not been there yet. Returns the relay and
    the group."""
    relay = start()
    alice = await relay.device("alice")
    group = await alice.group("Crew", "bob")
    for number in range(1, 7):
        await alice.send(group, f"{SECRET} {number}", key=f"k-{number}")
    assert relay.stop() == 0
    with contextlib.closing(sqlite3.connect(relay.store)) as store:
        store.execute("UPDATE log SET body = '\"other\"' WHERE kind = 1 AND sequence IN (3, 4, 6)")
        store.commit()
    relay.start()
    return relay, group


def page(answer):
    """The sequences that a page of history has, those that it lacks, and whether there are more."""
    gaps = [(gap["from"], gap["to"]) for gap in answer.get("gaps", [])]
    return [message["sequence"] for message in answer["messages"]], gaps, answer["more"]


async def test_history_names_what_it_cannot_show(start):
    relay, group = await damaged(start)
    alice = await relay.device("alice")

    async def history(**bounds):
        return page(await alice.call("history", conversation=group, **bounds))
    assert await history() == ([1, 2, 5], [(3, 4), (6, 6)], False)
    assert await history(limit=2) == ([5], [(6, 6)], True)
    assert await history(limit=2, before=5) == ([], [(3, 4)], True)
    assert await history(limit=2, before=3) == ([1, 2], [], False)
    assert await history(limit=3, after=1) == ([2], [(3, 4)], True)
    # The list of conversations has no last message to show.
    shown = (await alice.call("conversation.list"))["conversations"][0]
    assert shown["sequence"] == 6 and "message" not in shown


async def test_a_device_that_catches_up_gets_a_gap(start):
    relay, group = await damaged(start)
    alice, bob = await relay.device("alice"), await relay.device("bob")
    await alice.send(group, "still works")
    await bob.event("message", sequence=7)
    told = [
        (frame["sequence"], frame["sequence"]) if frame["type"] == "message" else (frame["from"], frame["to"])
        for frame in bob.frames if frame["type"] in ("message", "gap")]
    assert sorted(told) == [(1, 1), (2, 2), (3, 4), (5, 5), (6, 6), (7, 7)]
    assert [gap["from"] for gap in bob.seen("gap")] == [3, 6]


async def test_commands_about_a_damaged_message_are_refused(start):
    relay, group = await damaged(start)
    alice = await relay.device("alice")
    target = {"conversation": group, "sequence": 3}
    for type, more in (("edit", {"body": "new"}), ("delete", {}), ("react", {"reaction": "+"})):
        answer = await alice.ask(type, **target, **more)
        assert answer["code"] == "gone" and "damaged" in answer["reason"], answer
    # Whether a key was used is known, but the first answer isn't.
    assert await alice.refusal("send", to=group, key="k-3", body="again") == "gone"
    assert (await alice.send(group, f"{SECRET} 5", key="k-5"))["duplicate"] is True
    assert (await alice.send(group, "new", key="k-7"))["sequence"] == 7


async def test_operators_see_it(start):
    relay, group = await damaged(start)
    alice = await relay.device("alice")
    await alice.event("gap", to=6)
    before = relay.metric('roost_store_problems_total{kind="damaged_row"}')
    for _ in range(2):
        await alice.call("history", conversation=group)
    assert relay.metric('roost_store_problems_total{kind="damaged_row"}') == before + 6
    assert relay.metric('roost_store_problems_total{kind="damaged_index"}') == 0
    assert relay.stop() == 0
    # The log names each row once for each start.
    lines = [line for line in relay.log().splitlines() if "is damaged and left out" in line]
    assert len(lines) == 3 and all("damaged_row" in line for line in lines)
    assert SECRET not in relay.log()
