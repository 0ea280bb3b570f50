"""Forwarded messages: the content and the author, and nothing of the source; over kills, exports and imports."""

import json

from harness.relay import command
from harness.waiting import until


async def crew(relay, name):
    """bob's group with alice, where bob wrote a text, and alice's with carol."""
    alice, bob, carol = [await relay.device(name(one)) for one in ("alice", "bob", "carol")]
    there = await bob.group("There", name("alice"))
    here = await alice.group("Here", name("carol"))
    await bob.send(there, "cloudberry")
    return alice, bob, carol, there, here


def forward(device, to, key, conversation, sequence=1, call="call"):
    source = {"conversation": conversation, "sequence": sequence}
    return getattr(device, call)("send", to=to, key=key, forward=source)


async def test_everybody_is_told_who_wrote_it_and_not_where(relay, name):
    alice, bob, carol, there, here = await crew(relay, name)
    done = await forward(alice, here, "f", there)
    told = await carol.event("message", sequence=done["sequence"])
    assert (told["from"], told["body"], told["origin"]) == (name("alice"), "cloudberry", {"from": name("bob")})
    assert there not in json.dumps(told)
    # Nor is it in the store.
    assert relay.rows("SELECT extras FROM log WHERE extras IS NOT NULL") == [
        (json.dumps({"origin": {"from": name("bob")}}, separators=(",", ":")),)]
    assert (await carol.call("history", conversation=here))["messages"] == [
        {key: value for key, value in told.items() if key != "type"}]
    assert await forward(carol, here, "g", there, call="refusal") == "not_found"
    assert await carol.refusal("edit", conversation=here, sequence=1, body="x") == "forbidden"
    assert await alice.refusal("edit", conversation=here, sequence=1, body="x") == "forbidden"


async def test_what_becomes_of_the_first_one_changes_nothing(relay, name):
    alice, bob, carol, there, here = await crew(relay, name)
    await bob.call("edit", conversation=there, sequence=1, body="lingonberry")
    await forward(alice, here, "f", there)
    await bob.call("edit", conversation=there, sequence=1, body="blueberry")
    await bob.call("delete", conversation=there, sequence=1)
    assert (await carol.event("message", sequence=1))["body"] == "lingonberry"
    assert (await carol.call("history", conversation=here))["messages"][0]["body"] == "lingonberry"
    assert await forward(alice, here, "g", there, call="refusal") == "gone"
    assert await forward(alice, "@" + name("dave"), "g", there, call="refusal") == "gone"
    await until(lambda: relay.rows(f"SELECT name FROM user WHERE name = '{name('dave')}'") == [], "nobody")
    assert len((await alice.call("conversation.list"))["conversations"]) == 2


async def test_kills_leave_one_of_each_key(start, name):
    relay = start()
    alice, bob, carol, there, here = await crew(relay, name)
    for turn in range(4):
        under_way = [await alice.begin(
            "send", to=here, key=f"k{turn}-{number}", forward={"conversation": there, "sequence": 1})
            for number in range(20)]
        await under_way[turn * 5]
        relay.kill()
        relay.start()
        alice = await relay.device(name("alice"))
        for number in range(20):
            await forward(alice, here, f"k{turn}-{number}", there)
    carol = await relay.device(name("carol"))
    shown = (await carol.call("history", conversation=here, limit=100))["messages"]
    assert len(shown) == 80 and {one["body"] for one in shown} == {"cloudberry"}
    assert [one["sequence"] for one in shown] == list(range(1, 81))
    assert all(one["origin"] == {"from": name("bob")} for one in shown)


async def test_exports_take_the_origin_along(start, name):
    relay, other = start(), start()
    alice, bob, carol, there, here = await crew(relay, name)
    await forward(alice, here, "f", there)

    def store(relay, *words):
        done = command(relay.folder, "store", *words, "--store", str(relay.store))
        assert done.returncode == 0, done.stderr
        return done.stdout
    lines = store(relay, "export")
    assert '"extras":{"origin":{"from":"' + name("bob") in lines
    other.stop()
    (other.folder / "lines.jsonl").write_text(lines)
    store(other, "import", "lines.jsonl")
    assert "is sound: " in store(other, "verify")
    other.start()
    carol = await other.device(name("carol"))
    shown = (await carol.call("history", conversation=here))["messages"][0]
    assert (shown["body"], shown["origin"]) == ("cloudberry", {"from": name("bob")})
    alice = await other.device(name("alice"))
    again = await forward(alice, here, "f", there)
    assert (again["sequence"], again["duplicate"]) == (1, True)
