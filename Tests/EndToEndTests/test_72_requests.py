"""A stranger's first message waits until its receiver accepts or drops it, and the stranger learns nothing."""

import pytest

from harness.device import Refused
from harness.relay import command

GATE = {"gate__mode": "on", "gate__strangers": "request", "gate__shared_groups": "off"}


@pytest.fixture
def gated(start):
    return start(**GATE)


async def outcome(device, command, **members):
    try:
        await device.call(command, **members)
        return "ok"
    except Refused as refusal:
        return refusal.code


async def ask(device, user, key="k1"):
    return (await device.call("send", to="@" + user, key=key, body="hello"))["conversation"]


async def listed(device, **members):
    return [one["conversation"] for one in (await device.call("conversation.list", **members))["conversations"]]


async def request_of(device, conversation):
    return (await device.call("conversation.get", conversation=conversation))["conversation"].get("request")


async def test_a_request_waits_apart_and_tells_nothing(gated):
    mallory, bob = await gated.device("mallory"), await gated.device("bob")
    conversation = await ask(mallory, "bob")
    created = await bob.event("conversation", event="created")
    assert created["request"] is True and created["by"] == "mallory"
    message = await bob.event("message", conversation=conversation)
    assert await listed(bob) == [] and await listed(bob, requests=True) == [conversation]
    before = len(mallory.frames)
    await bob.call("ack", position=message["position"])
    await bob.call("read", conversation=conversation, sequence=1)
    await bob.call("typing", to=conversation)
    await bob.call("presence", state="idle")
    for command, members in {
            "send": {"to": "@bob", "key": "k2", "body": "again"}, "signal": {"to": conversation, "body": 1},
            "edit": {"conversation": conversation, "sequence": 1, "body": "x"},
            "conversation.create": {"kind": "group", "name": "G", "members": ["bob"]}}.items():
        assert await outcome(mallory, command, **members) == "no_relationship"
    assert await outcome(mallory, "watch", users=["bob"]) == "no_relationship"
    members = await mallory.call("conversation.members", conversation=conversation, presence=True)
    shown = next(one for one in members["members"] if one["user"] == "bob")
    assert set(shown) <= {"user", "role"}
    # Whatever was on its way has come before the answer to a later command of bob's own stranger.
    carol = await gated.device("carol")
    await ask(carol, "mallory")
    await mallory.event("message", **{"from": "carol"})
    # The receipts of mallory itself may come to its own devices at any tick.
    told = {frame["type"] for frame in mallory.frames[before:] if frame.get("user") != "mallory"}
    assert told <= {"error", "ok", "conversation", "message"}
    assert (await mallory.call("send", to="@bob", key="k1", body="hello"))["duplicate"] is True


async def test_accepting_and_dropping_survive_a_crash_on_all_devices(gated):
    mallory, carol = await gated.device("mallory"), await gated.device("carol")
    phone, tablet = await gated.device("bob", "phone"), await gated.device("bob", "tablet")
    wanted, unwanted = await ask(carol, "bob"), await ask(mallory, "bob")
    last = await tablet.event("message", conversation=unwanted)
    await tablet.call("ack", position=last["position"])
    await tablet.drop()
    await phone.call("request.drop", conversation=unwanted)
    await phone.call("request.accept", conversation=wanted)
    await carol.event("conversation", event="accepted", conversation=wanted)
    counted = [gated.metric(f'roost_requests_total{{state="{state}"}}') for state in ("made", "accepted", "dropped")]
    assert counted == [2, 1, 1]
    gated.kill()
    gated.start()
    tablet = await gated.device("bob", "tablet")
    assert (await tablet.event("state", key="@requests"))["value"] == unwanted
    await tablet.event("conversation", event="accepted", conversation=wanted)
    assert await listed(tablet) == [wanted] and await listed(tablet, requests=True) == []
    assert await request_of(tablet, unwanted) == "dropped"
    mallory, carol = await gated.device("mallory"), await gated.device("carol")
    # The one who was dropped sees what it saw before.
    assert await request_of(mallory, unwanted) == "sent"
    assert await outcome(mallory, "send", to="@bob", key="k2", body="x") == "no_relationship"
    assert await outcome(carol, "send", to="@bob", key="k2", body="x") == "ok"
    assert await outcome(tablet, "send", to="@mallory", key="k3", body="well") == "ok"
    assert await outcome(mallory, "send", to="@bob", key="k4", body="thanks") == "ok"


async def test_requests_count_against_their_sender_only(gated):
    mallory = await gated.device("mallory")
    for number in range(20):
        await ask(mallory, f"u{number}", key=f"k{number}")
    assert await outcome(mallory, "send", to="@u20", key="k20", body="x") == "too_large"
    assert gated.rows("SELECT name FROM user WHERE name = 'u20'") == []
    bob = await gated.device("u0")
    for number in range(5):
        await ask(await gated.device(f"s{number}"), "u0")
    assert len(await listed(bob, requests=True)) == 6 and await listed(bob) == []
    await bob.call("request.accept", conversation="@mallory")
    await ask(mallory, "u20", key="k20")


async def test_without_the_setting_nothing_waits(start):
    relay = start(gate__mode="on")
    alice = await relay.device("alice")
    assert await outcome(alice, "send", to="@bob", key="k1", body="x") == "no_relationship"


def store(relay, *words):
    result = command(relay.folder, "store", *words, "--store", str(relay.store))
    assert result.returncode == 0, (result.stdout, result.stderr)
    return result.stdout


async def test_a_request_is_exported_and_imported(gated, start, tmp_path):
    mallory, bob = await gated.device("mallory"), await gated.device("bob")
    dropped = await ask(mallory, "bob")
    await bob.call("request.drop", conversation=dropped)
    waiting = await ask(mallory, "carol", key="k2")
    assert gated.stop() == 0
    file = tmp_path / "all.jsonl"
    file.write_text(store(gated, "export"))
    assert '"request":"bob","dropped":true' in file.read_text() and '"request":"carol"' in file.read_text()
    copy = start(**GATE)
    assert copy.stop() == 0
    store(copy, "import", str(file))
    assert "is sound: " in store(copy, "verify")
    copy.start()
    bob, carol = await copy.device("bob"), await copy.device("carol")
    assert await request_of(bob, dropped) == "dropped" and await listed(bob) == []
    assert await listed(carol, requests=True) == [waiting]
    assert await outcome(await copy.device("mallory"), "send", to="@carol", key="k9", body="x") == "no_relationship"
