"""Docs/Schema.md is true: it names every table, view and column of a store, and each of its queries runs with the
`sqlite3` tool beside a relay that is being written to, and answers what was said."""

import asyncio
import json
import re
import subprocess
import time

from harness.content import Chatter, one_of_everything
from harness.relay import REPOSITORY
from harness.waiting import until

PAGE = (REPOSITORY / "Docs" / "Schema.md").read_text()


def sections(level):
    """Text below each heading of a level, by the heading."""
    parts = re.split(rf"^{'#' * level} (.+)$", PAGE, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def queries():
    """(number, text) of every query of the page."""
    found = {}
    for title, text in sections(3).items():
        number = re.match(r"(\d+)\. ", title)
        if number:
            found[int(number[1])] = re.search(r"```sql\n(.+?)```", text, re.DOTALL)[1]
    return found


def ask(relay, number, **parameters):
    """Returns the answer to a query: a list of rows, as the sqlite3 tool prints them."""
    lines = [".timeout 20000", ".mode json"]
    lines += [f".parameter set :{name} {json.dumps(repr(value))}" for name, value in parameters.items()]
    text = "\n".join([*lines, queries()[number]])
    result = subprocess.run(
        ["sqlite3", "-readonly", "-bail", str(relay.store)], input=text, capture_output=True, text=True, timeout=60,
        check=False)
    assert result.returncode == 0 and result.stderr == "", (number, result.stderr)
    return json.loads(result.stdout or "[]")


async def beside(relay, number, **parameters):
    return await asyncio.to_thread(ask, relay, number, **parameters)


def test_the_page_names_every_table_and_column(start):
    relay = start()
    assert relay.stop() == 0
    real = {}
    for kind, name in relay.rows("SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'"):
        if kind in ("table", "view"):
            real[name] = [row[0] for row in relay.rows(f"SELECT name FROM pragma_table_info('{name}')")]
    told = {}
    for title, text in sections(3).items():
        if re.fullmatch(r"\w+", title):
            table = text.split("| column | meaning |")[1].split("\n\n")[0]
            told[title] = [name for name in re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)]
    for view, columns in re.findall(r"^\| `(\w+)` \| ((?:`\w+`(?:, )?)+) \|$", PAGE, re.MULTILINE):
        told[view] = re.findall(r"`(\w+)`", columns)
    assert told == real
    meta = {name for line in re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| ", sections(3)["meta"], re.MULTILINE)
            for name in re.findall(r"`(\w+)`", line)} - {"name", "value"}
    assert meta == {row[0] for row in relay.rows("SELECT name FROM meta")}


async def test_the_checksum_is_as_the_page_says(start):
    relay = start()
    await one_of_everything(relay)
    assert relay.stop() == 0
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)

    def crc(data):
        state = 0xFFFFFFFF
        for byte in data:
            state = table[(state ^ byte) & 0xFF] ^ state >> 8
        return state ^ 0xFFFFFFFF
    rows = relay.rows(
        "SELECT checksum, position, conversation, sender, sequence, kind, flag, time, reference, edited_at, "
        "deleted_at, device, key, label, extras, body FROM log")
    assert len(rows) > 10
    for checksum, position, conversation, sender, sequence, kind, flag, *rest in rows:
        at, reference, edited, deleted = [number or 0 for number in rest[:4]]
        texts = [(text or "").encode() for text in rest[4:]]
        sizes = [len(text) for text in texts]
        numbers = [
            position, conversation | sender << 32, sequence, kind + 256 * (flag or 0), at, reference, edited, deleted,
            sizes[0] | sizes[1] << 32, sizes[2] | sizes[4] << 32, sizes[3]]
        data = b"".join(number.to_bytes(8, "little") for number in numbers) + b"".join(texts)
        assert crc(data) == checksum, position


async def test_every_query_answers_under_load(start, name):
    relay = start()
    begin = int(time.time() * 1000) - 1
    alice, bob, carol = name("alice"), name("bob"), name("carol")
    group, messages = await one_of_everything(relay, alice, bob, carol)
    end = int(time.time() * 1000) + 1
    assert sorted(queries()) == list(range(1, len(queries()) + 1)) and len(queries()) >= 10
    async with Chatter(relay) as chatter:
        await chatter.reaches(200)
        sent = chatter.sent

        said = await beside(relay, 1, conversation=group)
        assert [(row["sequence"], row["sender"], row["body"] and json.loads(row["body"])) for row in said] == messages
        assert [row["sequence"] for row in said if row["edited"]] == [4]
        assert [row["sequence"] for row in said if row["deleted"]] == [5]
        assert all(re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}", row["time"]) for row in said)
        assert said[1]["kind"] == "image" and said[0]["kind"] == "text"

        did = await beside(relay, 2, user=bob)
        assert [(row["kind"], row["sequence"], row["label"]) for row in did if row["conversation"] == group] == [
            ("message", 2, "image"), ("react", 1, "👍"), ("react", 1, "❤️"), ("react", 1, "❤️")]
        assert json.loads([row for row in did if row["conversation"] != group][-1]["body"]) == "just us"

        days = await beside(relay, 3)
        assert sent + 7 <= sum(row["messages"] for row in days) <= chatter.sent + 100
        assert max(row["senders"] for row in days) >= 4

        # Alice has acked all that she saw, and cursors are stored a little later; Bob's phone acks nothing.
        async def is_settled():
            return await beside(relay, 4, user=alice, device="phone") == []
        await until(is_settled, "Alice's cursor in the store")
        missed = await beside(relay, 4, user=bob, device="phone")
        assert {row["conversation"]: row["messages"] for row in missed}[group] == 6 and len(missed) == 2
        # Carol was added behind message 5, and has left.
        late, = await beside(relay, 4, user=carol, device="phone")
        assert (late["conversation"], late["messages"]) == (group, 1)

        sizes = {row["conversation"]: row for row in await beside(relay, 5)}
        assert sizes[group]["messages"] == 6 and sizes[group]["name"] == "The Crew"
        assert sizes[chatter.group]["messages"] >= sent and sizes[chatter.group]["bytes"] >= 100 * sent

        unread = {(row["conversation"], row["user"]): row["unread"] for row in await beside(relay, 6)}
        assert unread[group, bob] == 3 and unread[group, alice] == 1

        hours = await beside(relay, 7)
        assert sum(row["messages"] for row in hours) >= sent + 7 and len(hours[0]["hour"]) == 2

        members = await beside(relay, 8, conversation=group)
        assert [(row["user"], row["role"]) for row in members] == [(alice, "owner"), (bob, "admin")]
        assert all(row["joined"] for row in members)

        reacted = await beside(relay, 9)
        assert reacted == [{"conversation": group, "sequence": 1, "reactions": 2, "users": 2}]

        changed = await beside(relay, 10, **{"from": begin, "to": end})
        assert [(row["kind"], row["sequence"], row["by"]) for row in changed] == [
            ("edit", 4, alice), ("delete", 5, alice)]
        assert await beside(relay, 10, **{"from": end, "to": end}) == []

        seen = {row["user"]: row["seen"] for row in await beside(relay, 11)}
        assert seen["chatter-1"] == "online" and re.match(r"\d{4}-", seen[alice])

        mine = await beside(relay, 12, user=bob)
        assert {(row["conversation"], row["role"]) for row in mine} >= {(group, "admin")} and len(mine) == 2
        assert len(queries()) == 12, "a new query wants its check here"
