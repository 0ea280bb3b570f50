"""The operator keeps messages for a time, or up to a size, and erases users."""

import json
import sqlite3

from harness.relay import command
from harness.waiting import until

DAY = 86_400_000
SECRET = "a squirrel that nobody shall find"


def store(relay, *words, code=0):
    """Runs `roost store …` on the relay's store."""
    result = command(relay.folder, "store", *words, "--store", str(relay.store))
    assert result.returncode == code, (result.returncode, result.stdout, result.stderr)
    return result.stdout


def is_on_disk(relay, text):
    files = [file for file in relay.folder.rglob("roost.db*") if file.is_file()]
    assert files
    return any(text.encode() in file.read_bytes() for file in files)


async def aged(start, ages, text=SECRET, **settings):
    """A relay with a group of alice and bob, and a message of alice's for each age in days; bob hasn't seen them."""
    young = start()
    alice = await young.device("alice")
    group = await alice.group("Crew", "bob")
    for number, _ in enumerate(ages):
        await alice.send(group, f"{text} {number}", key=f"k-{number}")
    await (await young.device("bob")).bye()
    assert young.stop() == 0
    lines = [json.loads(line) for line in store(young, "export").splitlines() if line.startswith("{")]
    for line in lines:
        if line["type"] in ("change", "message"):
            line["time"] -= ages[max(0, line.get("sequence", 0) - 1)] * DAY
    path = young.folder / "aged.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    relay = start(**settings)
    assert relay.stop() == 0
    store(relay, "import", str(path))
    relay.start()
    return relay, group


async def bodies(device, group):
    answer = await device.call("history", conversation=group)
    assert not answer.get("gaps")
    return [message.get("body") for message in answer["messages"]]


async def test_what_is_too_old_is_erased(start):
    relay, group = await aged(start, [40, 31, 29, 0], retention__days=30)
    await until(lambda: relay.metric("roost_expired_messages_total") == 2, "2 messages are erased")
    alice = await relay.device("alice")
    kept = [f"{SECRET} {number}" for number in (2, 3)]
    assert await bodies(alice, group) == [None, None, *kept]
    # A device that comes back after that gets no hole: all numbers, and what is left of the bodies.
    tablet = await relay.device("alice", "tablet")
    assert await bodies(tablet, group) == [None, None, *kept]
    # A retry is known for ever, and what is gone can't be changed.
    again = await alice.send(group, f"{SECRET} 0", key="k-0")
    assert again["duplicate"] is True and again["sequence"] == 1
    assert await alice.refusal("edit", conversation=group, sequence=1, body="new") == "gone"
    assert (await alice.send(group, "new"))["sequence"] == 5
    assert relay.stop() == 0
    assert not is_on_disk(relay, f"{SECRET} 0") and not is_on_disk(relay, f"{SECRET} 1")
    assert is_on_disk(relay, f"{SECRET} 2")
    assert "is sound" in store(relay, "verify")


async def test_the_oldest_go_when_there_is_too_much(start):
    """A message for each of 125 days, all together more than a megabyte."""
    relay, group = await aged(start, range(140, 15, -1), "x" * 9_000, retention__megabytes=1)
    # 116 of these bodies are less than 2^20 bytes, 117 are more.
    await until(lambda: relay.metric("roost_expired_messages_total") == 9, "9 messages are erased")
    assert relay.rows("SELECT min(sequence), count(*) FROM messages WHERE body IS NOT NULL") == [(10, 116)]


async def test_without_a_rule_everything_stays(start):
    relay, group = await aged(start, [9_999, 0])
    alice = await relay.device("alice")
    assert None not in await bodies(alice, group)
    assert relay.metric("roost_expired_messages_total") == 0


async def test_texts_that_another_program_holds_back(start):
    relay = start()
    alice = await relay.device("alice")
    await alice.send("@bob", SECRET)
    assert relay.stop() == 0
    reader = sqlite3.connect(relay.store, isolation_level=None)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM log").fetchone()[0] > 0
    store(relay, "erase", "--user", "alice", code=1)
    assert is_on_disk(relay, SECRET)
    reader.close()
    store(relay, "erase", "--user", "alice")
    assert not is_on_disk(relay, SECRET)


async def test_an_erased_user_is_gone(start):
    relay = start()
    alice, bob = await relay.device("alice"), await relay.device("bob")
    token = relay.token("alice")
    group = await alice.group("Crew", "bob")
    await alice.send(group, f"{SECRET} 1")
    await bob.send(group, "an acorn")
    await alice.call("react", conversation=group, sequence=2, reaction="+")
    await alice.call("status", text="burrowing")
    await alice.send("@bob", f"{SECRET} 2")
    await bob.event("message", body=f"{SECRET} 2")
    await bob.bye()
    # The store is in use.
    store(relay, "erase", "--user", "alice", code=1)
    assert relay.stop() == 0
    told = store(relay, "erase", "--user", "alice")
    assert "alice is erased from" in told and "2 messages, 1 reaction, 1 device, 2 conversations left" in told
    assert not is_on_disk(relay, SECRET) and not is_on_disk(relay, "burrowing")
    assert is_on_disk(relay, "an acorn")
    assert "is sound" in store(relay, "verify")
    store(relay, "erase", "--user", "nobody", code=2)

    relay.start()
    bob = await relay.device("bob")
    # Bob's device hears of it as if she had done it herself.
    assert (await bob.event("delete", sequence=1))["from"] == "alice"
    assert (await bob.event("react", sequence=2, removed=True))["reaction"] == "+"
    left = await bob.event("conversation", event="left", conversation=group)
    assert left["owner"] == "bob"
    assert await bodies(bob, group) == [None, "an acorn"]
    # Old tokens are no longer good.
    stranger = await relay.connect()
    answer = await stranger.ask("hello", token=token, device="phone")
    assert (answer["code"], answer["reason"]) == ("unauthorized", "the token was revoked")
