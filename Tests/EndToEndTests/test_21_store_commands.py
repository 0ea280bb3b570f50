"""`roost store`: an operator verifies a store, backs it up, restores it, and exports and imports its content, while the
relay runs where that is promised."""

import asyncio
import contextlib
import json
import os
import pty
import sqlite3
import stat
import subprocess

import pytest

from harness.content import Chatter, one_of_everything
from harness.relay import BINARY, Relay, command, environment
from harness.waiting import until


def store(relay, *words, code=0, timeout=60):
    """Runs `roost store …` on the relay's store."""
    result = command(relay.folder, "store", *words, "--store", str(relay.store), timeout=timeout)
    assert result.returncode == code, (result.returncode, result.stdout, result.stderr)
    return result


async def beside(relay, *words, **options):
    """The same without stopping the test's connections."""
    return await asyncio.to_thread(store, relay, *words, **options)


def change(path, *statements):
    """Damages a store as a disk would, without the relay noticing."""
    with sqlite3.connect(path) as database:
        for statement in statements:
            database.execute(statement)
    database.close()


def content(relay):
    """Every row of a store that isn't running."""
    with contextlib.closing(sqlite3.connect(relay.store)) as database:
        return list(database.iterdump())


def read_marks(relay, conversation):
    with contextlib.closing(sqlite3.connect(f"file:{relay.store}?mode=ro", uri=True)) as database:
        rows = database.execute(
            "SELECT m.read FROM member m JOIN conversation c ON c.number = m.conversation"
            " WHERE c.id = ? AND m.role IS NOT NULL ORDER BY m.read",
            (conversation,))
        return [mark for (mark,) in rows]


async def history(relay, user, conversation):
    """Returns the history as a member sees it: (sequence, sender, body or None)."""
    device = await relay.device(user, "reader", background=True)
    answer = await device.call("history", conversation=conversation, limit=100)
    await device.bye()
    return [(one["sequence"], one["from"], one.get("body")) for one in answer["messages"]]


# verify, reindex

async def test_a_store_is_sound_while_people_write(start):
    relay = start()
    await one_of_everything(relay)
    async with Chatter(relay) as chatter:
        await chatter.reaches(500)
        result = await beside(relay, "verify")
    assert "is sound: " in result.stdout and result.stdout.count("\n") == 1 and result.stderr == ""
    assert relay.stop() == 0
    assert "is sound: " in store(relay, "verify").stdout
    relay.start()
    relay.kill()
    assert "is sound: " in store(relay, "verify").stdout


DAMAGE = {
    "a body": ("UPDATE log SET body = '\"other\"' WHERE position = 2", "log, position 2", "message 1 "),
    "a sender": ("UPDATE log SET sender = 2 WHERE position = 2", "log, position 2", "message 1 "),
    "a row gone": ("DELETE FROM log WHERE position = 3", "log, conversation", "message 2 is missing"),
    "the last message noted": (
        "UPDATE conversation SET last_sequence = 90, last_position = last_position + 1000", "conversation",
        "as its last"),
    "a count of reactions": ("UPDATE reaction_count SET count = 9", "reaction_count", "message 1"),
    "a reaction": ("DELETE FROM reaction", "reaction,", "other reactions"),
    "a device": ("UPDATE device SET cursor = 999999", "device, number", "hasn't reached"),
    "a member": ("UPDATE member SET read = 999", "member, conversation", "more than there is"),
    "a direct conversation": (
        "DELETE FROM member WHERE conversation = (SELECT number FROM conversation WHERE kind = 1) AND user = 1",
        "member, number", "not two"),
}


@pytest.mark.parametrize("damage", DAMAGE)
async def test_damage_is_named(start, damage):
    relay = start()
    await one_of_everything(relay)
    assert relay.stop() == 0
    statement, place, what = DAMAGE[damage]
    change(relay.store, statement)
    result = store(relay, "verify", code=1)
    *findings, summary = result.stdout.splitlines()
    assert any(line.startswith(place) and what in line for line in findings), result.stdout
    assert "is damaged: " in summary
    assert all("`roost store reindex`" in line or "`roost store restore`" in line for line in findings)


async def test_what_is_derived_is_made_anew(start):
    relay = start(log__level="info")
    group, messages = await one_of_everything(relay)
    assert relay.stop() == 0
    change(
        relay.store, "DELETE FROM event_block", "UPDATE reaction_count SET count = 9",
        "UPDATE conversation SET last_sequence = 0, last_position = 0",
        "UPDATE meta SET value = 7 WHERE name = 'indexed_to'")
    found = store(relay, "verify", code=1).stdout
    for table in ("event_block", "reaction_count", "conversation"):
        assert f"\n{table}" in "\n" + found, found
    assert "made anew from" in store(relay, "reindex").stdout
    assert "is sound: " in store(relay, "verify").stdout
    relay.start()
    assert await history(relay, "alice", group) == messages
    again = await (await relay.device("alice")).send(group, "first", key="k-1")
    assert again["duplicate"] and again["sequence"] == 1


def test_what_is_no_store_is_refused(start, tmp_path):
    missing = command(tmp_path, "store", "verify", "--store", "none.db")
    assert missing.returncode == 2 and "none.db" in missing.stderr and missing.stdout == ""
    change(tmp_path / "other.db", "CREATE TABLE x (y)")
    other = command(tmp_path, "store", "verify", "--store", "other.db")
    assert other.returncode == 2 and "another program" in other.stderr
    (tmp_path / "text.db").write_text("not a database, " * 200)
    assert command(tmp_path, "store", "verify", "--store", "text.db").returncode == 1
    memory = command(tmp_path, "store", "verify", "--set", "store.durability=memory")
    assert memory.returncode == 2 and "memory" in memory.stderr
    assert command(tmp_path, "store", "nonsense").returncode == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.db", "text.db"]


async def test_the_relay_and_its_store_belong_together(start):
    """Commands that change a store are refused while its relay runs."""
    relay = start()
    await one_of_everything(relay)
    (relay.folder / "lines.jsonl").write_text("")
    for words in (["reindex"], ["import", "lines.jsonl"]):
        assert "another relay" in store(relay, *words, code=1).stderr
    store(relay, "backup", "copy.db")
    assert "another relay" in store(relay, "restore", "copy.db", code=1).stderr
    assert relay.get("/readyz")[0] == 200


# backup, restore

async def test_a_backup_ends_on_a_busy_relay(start):
    relay = start()
    group, messages = await one_of_everything(relay)
    async with Chatter(relay) as chatter:
        await chatter.reaches(500)
        before = chatter.sent
        result = await beside(relay, "backup", "copy.db")
        after = chatter.sent
    assert after > before, "nothing was written meanwhile"
    copy = relay.folder / "copy.db"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert "is copied to copy.db" in result.stdout and result.stderr == ""
    assert not list(relay.folder.glob("copy.db?*"))
    assert "exists already" in store(relay, "backup", "copy.db", code=2).stderr
    held = command(relay.folder, "store", "verify", "--store", "copy.db")
    assert held.returncode == 0, held.stdout
    rows = sqlite3.connect(copy).execute("SELECT count(*) FROM messages WHERE conversation = ?", (chatter.group,))
    assert before <= rows.fetchone()[0] <= chatter.sent + 100
    assert await history(relay, "alice", group) == messages


async def test_a_restore_over_a_store_that_was_killed(start):
    """The old write-ahead log has what the backup hasn't: applied to the backup it would damage it."""
    relay = start()
    group, messages = await one_of_everything(relay)
    store(relay, "backup", "copy.db")
    alice = await relay.device("alice")
    epoch = relay.rows("SELECT value FROM meta WHERE name = 'epoch'")[0][0]
    for number in range(300):
        await alice.send(group, f"lost {number}")
    relay.kill()
    assert os.path.getsize(f"{relay.store}-wal") > 0
    result = store(relay, "restore", "copy.db")
    kept, = [path for path in relay.folder.glob("roost.db.before-*") if "-wal" not in path.name]
    assert str(kept) in result.stdout and "epoch" in result.stdout
    assert not os.path.exists(f"{relay.store}-wal") and not os.path.exists(f"{relay.store}.restoring")
    assert stat.S_IMODE(relay.store.stat().st_mode) == 0o600
    assert "is sound: " in store(relay, "verify").stdout
    # The old store is whole, its write-ahead log included.
    old = command(relay.folder, "store", "verify", "--store", str(kept))
    assert old.returncode == 0, old.stdout
    count = "SELECT count(*) FROM log WHERE body LIKE '%lost%'"
    assert sqlite3.connect(kept).execute(count).fetchone() == (300,)
    relay.start()
    assert await history(relay, "alice", group) == messages
    assert relay.rows(count) == [(0,)]
    assert relay.rows("SELECT value FROM meta WHERE name = 'epoch'")[0][0] != epoch
    assert (await (await relay.device("alice")).send(group, "new"))["sequence"] == 7


async def test_a_backup_is_checked_before_it_is_restored(start):
    relay = start()
    group, messages = await one_of_everything(relay)
    assert relay.stop() == 0
    store(relay, "backup", "copy.db")
    change(relay.folder / "copy.db", "UPDATE log SET body = '\"other\"' WHERE position = 2")
    before = relay.store.read_bytes()
    assert "damaged: log, position 2, " in store(relay, "restore", "copy.db", code=1).stderr
    (relay.folder / "text.db").write_text("not a database, " * 200)
    assert "not an SQLite database" in store(relay, "restore", "text.db", code=1).stderr
    assert "no such file" in store(relay, "restore", "none.db", code=2).stderr
    assert "is the store itself" in store(relay, "restore", "roost.db", code=2).stderr
    assert relay.store.read_bytes() == before
    assert sorted(path.name for path in relay.folder.glob("roost.db*")) == ["roost.db", "roost.db.lock"]
    relay.start()
    assert await history(relay, "alice", group) == messages


async def test_a_restore_that_was_cut_short_keeps_relays_out(start):
    relay = start()
    group, messages = await one_of_everything(relay)
    store(relay, "backup", "copy.db")
    assert relay.stop() == 0
    # The files after a power cut: the checked copy is there, and nothing was moved yet.
    (relay.folder / "roost.db.restoring").write_bytes((relay.folder / "copy.db").read_bytes())
    refused = command(relay.folder, *relay.words())
    assert refused.returncode == 1 and "restore" in refused.stderr
    store(relay, "restore", "copy.db")
    relay.start()
    assert await history(relay, "alice", group) == messages


# export, import

async def test_a_store_goes_out_and_comes_back(start, tmp_path):
    relay = start()
    group, messages = await one_of_everything(relay)
    # The relay stores watermarks up to 200 ms later, and an export holds what is stored.
    await until(lambda: read_marks(relay, group) == [3, 5], "the watermarks in the store")
    async with Chatter(relay) as chatter:
        await chatter.reaches(200)
        result = await beside(relay, "export", "--to", "all.jsonl")
    file = relay.folder / "all.jsonl"
    assert "exported from" in result.stdout and stat.S_IMODE(file.stat().st_mode) == 0o600
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert lines[0]["type"] == "export" and lines[-1] == {"type": "end", "lines": len(lines) - 1}
    assert relay.stop() == 0

    other = Relay(tmp_path)
    assert other.stop() == 0
    first = store(other, "import", str(file))
    assert " 0 rows there already" in first.stdout
    once = content(other)
    assert ": 0 rows added" in store(other, "import", str(file)).stdout
    assert content(other) == once
    assert "is sound: " in store(other, "verify").stdout
    told = sqlite3.connect(relay.store).execute(
        "SELECT time, conversation, sequence, sender, key, extras, body FROM messages WHERE conversation = ?", (group,))
    came = sqlite3.connect(other.store).execute(
        "SELECT time, conversation, sequence, sender, key, extras, body FROM messages WHERE conversation = ?", (group,))
    assert came.fetchall() == told.fetchall()

    other.start()
    try:
        assert await history(other, "alice", group) == messages
        device = await other.device("alice")
        members = await device.call("conversation.members", conversation=group)
        assert {one["user"]: (one["role"], one.get("read")) for one in members["members"]} == {
            "alice": ("owner", 5), "bob": ("admin", 3)}
        again = await device.send(group, "first", key="k-1")
        assert again["duplicate"] and again["sequence"] == 1
        assert (await device.send(group, "new"))["sequence"] == 7
    finally:
        assert other.stop() == 0
    # The store has new rows since then. The file has nothing that the store doesn't have.
    assert ": 0 rows added" in store(other, "import", str(file)).stdout


async def test_one_conversation_into_a_store_that_has_others(start, tmp_path):
    relay = start()
    group, messages = await one_of_everything(relay)
    lines = store(relay, "export", "--conversation", group).stdout
    assert {json.loads(line)["conversation"] for line in lines.splitlines() if '"conversation"' in line} == {group}
    other = Relay(tmp_path)
    mine, mine_messages = await one_of_everything(other, "dora", "emil", "fred")
    assert other.stop() == 0
    (other.folder / "lines.jsonl").write_text(lines)
    assert " added, 0 rows there already" in store(other, "import", "lines.jsonl").stdout
    assert "is sound: " in store(other, "verify").stdout
    other.start()
    try:
        assert await history(other, "bob", group) == messages
        assert await history(other, "emil", mine) == mine_messages
    finally:
        assert other.stop() == 0
    # The same conversation with another beginning.
    change(other.store, "UPDATE conversation SET id = 'gone' WHERE id = '%s'" % mine)
    (other.folder / "lines.jsonl").write_text(lines.replace('"first"', '"other"'))
    before = content(other)
    refused = store(other, "import", "lines.jsonl", code=1).stderr
    assert "has this conversation with other content" in refused and "lines.jsonl:" in refused
    assert content(other) == before
    assert "no conversation nowhere" in store(other, "export", "--conversation", "nowhere", code=2).stderr


async def test_what_one_user_wrote(start, tmp_path):
    relay = start()
    group, messages = await one_of_everything(relay)
    result = store(relay, "export", "--user", "bob")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert {one["from"] for one in lines if "from" in one} == {"bob"}
    assert not any(text in result.stdout for text in ('"first"}', '"late"', '"edited"', "carol"))
    assert {one["device"] for one in lines if one["type"] == "device"} == {"phone"}
    assert "withheld" in result.stderr
    other = Relay(tmp_path)
    assert other.stop() == 0
    (other.folder / "bob.jsonl").write_text(result.stdout)
    store(other, "import", "bob.jsonl")
    assert ": 0 rows added" in store(other, "import", "bob.jsonl").stdout
    assert "is sound: " in store(other, "verify").stdout
    other.start()
    try:
        wanted = [(sequence, sender, body) if sender == "bob" else (sequence, "@withheld", None)
                  for sequence, sender, body in messages]
        assert await history(other, "bob", group) == wanted
    finally:
        assert other.stop() == 0
    assert "no user nobody" in store(relay, "export", "--user", "nobody", code=2).stderr


async def test_a_malformed_line_is_refused_by_its_number(start, tmp_path):
    relay = start()
    group, _ = await one_of_everything(relay)
    good = store(relay, "export").stdout.splitlines()
    message = next(index for index, line in enumerate(good) if '"type":"message"' in line)
    assert relay.stop() == 0
    other = Relay(tmp_path)
    assert other.stop() == 0
    before = content(other)
    wrong = {
        "not JSON": (message, good[message][:-1]), "an unknown member": (message, good[message][:-1] + ',"x":1}'),
        "a hole": (message, good[message].replace('"sequence":1', '"sequence":2')),
        "a stranger": (message, good[message].replace(group, "nowhere")),
        "an unknown type": (message, good[message].replace('"message"', '"massage"')),
        "another format": (0, good[0].replace('"format":1', '"format":2')),
        "a number too large": (message, good[message].replace('"time":', '"time":99999')),
        "a name that is none": (message, good[message].replace('"from":"', '"from":"@'))}
    for name, (index, line) in wrong.items():
        lines = [*good]
        assert lines[index] != line, name
        lines[index] = line
        (other.folder / "lines.jsonl").write_text("\n".join(lines) + "\n")
        assert f"lines.jsonl:{index + 1}: " in store(other, "import", "lines.jsonl", code=1).stderr, name
    (other.folder / "lines.jsonl").write_text("\n".join(good[:-1]) + "\n")
    assert "cut short" in store(other, "import", "lines.jsonl", code=1).stderr
    (other.folder / "lines.jsonl").write_text("\n".join(good))
    assert f"lines.jsonl:{len(good)}: " in store(other, "import", "lines.jsonl", code=1).stderr
    assert content(other) == before
    assert "no such file" in store(other, "import", "none.jsonl", code=2).stderr


# progress

async def test_progress_goes_to_a_terminal_only(start):
    relay = start()
    await one_of_everything(relay)
    leader, follower = pty.openpty()
    try:
        result = subprocess.run(
            [str(BINARY), "store", "verify", "--store", str(relay.store)], env=environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=follower, text=True, timeout=60, check=False)
        shown = os.read(leader, 65_536).decode()
    finally:
        os.close(leader)
        os.close(follower)
    assert result.returncode == 0 and result.stdout.count("\n") == 1
    # It is shown and removed again.
    assert shown.startswith("\r") and shown.endswith("\r\x1b[K")
