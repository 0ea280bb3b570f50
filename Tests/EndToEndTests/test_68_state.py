"""Settings follow a user to every device: at once, after kill -9, and after a long absence."""

import asyncio
import json
import subprocess
import time

from harness.relay import command
from harness.waiting import PATIENCE


def states(device):
    """Returns each setting that the device got, as (key, value), in order; None for a removal."""
    return [(frame.get("key", "reset"), frame.get("value")) for frame in device.seen("state")]


async def everything(device):
    """All settings, page by page."""
    found, after = {}, {}
    while True:
        page = await device.call("state.get", **after)
        for one in page["states"]:
            assert one["key"] not in found
            found[one["key"]] = one
        if "next" not in page:
            return found
        after = {"after": page["next"]}


async def test_a_setting_is_on_the_other_device_and_nowhere_else(relay):
    phone, tablet = await relay.device("ada"), await relay.device("ada", "tablet")
    other = await relay.device("bea")
    answer = await phone.call("state.set", key="mute/c-1", value={"until": 1767225600000})
    event = await tablet.event("state", key="mute/c-1")
    assert event["value"] == {"until": 1767225600000} and event["device"] == "phone"
    assert (event["version"], event["position"], event["time"]) == (
        answer["version"], answer["position"], answer["time"])
    await tablet.call("state.set", key="mute/c-1")
    assert "value" not in await phone.event("state", key="mute/c-1")
    assert await everything(phone) == {}
    await other.barrier()
    assert not other.seen("state") and await everything(other) == {}
    assert (await phone.call("conversation.list"))["conversations"] == []


async def test_two_devices_that_change_the_same(relay):
    phone, tablet = await relay.device("carl"), await relay.device("carl", "tablet")
    first = await phone.call("state.set", key="draft/c-1", value="Hel", ifVersion=0)
    await tablet.event("state", key="draft/c-1")
    assert await tablet.refusal("state.set", key="draft/c-1", value="x", ifVersion=0) == "conflict"
    second = await tablet.call("state.set", key="draft/c-1", value="Hello", ifVersion=first["version"])
    assert second["version"] > first["version"]
    assert await phone.refusal("state.set", key="draft/c-1", value="Help", ifVersion=first["version"]) == "conflict"
    # A retry, whose first answer was lost.
    again = await tablet.call("state.set", key="draft/c-1", value="Hello", ifVersion=first["version"])
    assert again["duplicate"] and again["version"] == second["version"]
    assert (await everything(phone))["draft/c-1"]["value"] == "Hello"


async def test_settings_outlive_the_process(start):
    relay = start()
    phone = await relay.device("ada")
    versions = {}
    for number in range(20):
        versions[f"k/{number}"] = (await phone.call("state.set", key=f"k/{number}", value=number))["version"]
    for number in range(0, 20, 2):
        versions[f"k/{number}"] = (await phone.call("state.set", key=f"k/{number}", value=-number))["version"]
    head = relay.rows("SELECT max(position) FROM state")[0][0]
    relay.kill()
    relay.start()
    tablet = await relay.device("ada", "tablet")
    assert tablet.welcome["head"].rpartition("-")[2] == str(head)
    await tablet.event("live")
    found = await everything(tablet)
    assert {key: one["version"] for key, one in found.items()} == versions
    assert all(found[f"k/{number}"]["value"] == (-number if number % 2 == 0 else number) for number in range(20))
    assert sorted(states(tablet)) == sorted((key, one["value"]) for key, one in found.items())
    answer = await tablet.call("state.set", key="k/new", value=[])
    assert answer["version"] == head + 1
    # The store is as it should be.
    assert relay.stop() == 0
    result = command(relay.folder, "store", "verify", "--store", str(relay.store))
    assert result.returncode == 0, result.stdout + result.stderr
    assert "lost" not in relay.log()


async def test_killed_while_setting(start):
    """Every answered setting is there after each crash, with its version."""
    relay = start()
    promised = {}

    async def write(device, user):
        try:
            for number in range(1_000_000):
                key = f"{user}/{number % 7}"
                answer = await device.call("state.set", key=key, value=[user, number])
                promised[user, key] = (answer["version"], [user, number])
        except Exception:  # noqa: BLE001 - the relay was killed
            return

    for _ in range(3):
        devices = [await relay.device(user) for user in ("ada", "bea")]
        before = len(promised)
        tasks = [asyncio.create_task(write(device, device.user)) for device in devices]
        deadline = time.monotonic() + PATIENCE
        while len(promised) < before + 3 and time.monotonic() < deadline and len(promised) < 14:
            await asyncio.sleep(0.01)
        relay.kill()
        await asyncio.gather(*tasks)
        relay.start()
        for user in ("ada", "bea"):
            found = await everything(await relay.device(user, "reader"))
            for (owner, key), (version, value) in promised.items():
                if owner == user:
                    # One more may have been stored whose answer was lost.
                    assert found[key]["version"] >= version
                    assert found[key]["version"] > version or found[key]["value"] == value


async def test_after_a_long_absence_only_the_newest_comes(start):
    """Far more changes than the store and the memory keep: the file doesn't grow with them."""
    relay = start()
    phone, tablet = await relay.device("ada"), await relay.device("ada", "tablet")
    group = await phone.group("Crew", "bea")
    await phone.call("state.set", key="gone", value=1)
    last = await tablet.event("state", key="gone")
    await tablet.call("ack", position=last["position"])
    await tablet.leave()
    text = "x" * 4_000
    changes = 2_000
    for start_at in range(0, changes, 100):
        waiting = [
            await phone.begin("state.set", key=f"k/{number % 3}", value=f"{number} {text}")
            for number in range(start_at, start_at + 100)]
        for answer in await asyncio.gather(*waiting):
            assert answer["type"] == "ok", answer
    await phone.call("state.set", key="gone")
    await phone.send(group, "hello")
    # Without the process there is no window: everything comes from the store.
    relay.kill()
    relay.start()
    back = await relay.device("ada", "tablet")
    await back.event("live")
    told = [(key, value and int(value.split()[0])) for key, value in states(back)]
    assert told == [("k/2", 1997), ("k/0", 1998), ("k/1", 1999), ("gone", None)]
    assert [frame["type"] for frame in back.frames if frame["type"] in ("state", "message")][-2:] == [
        "state", "message"]
    assert [frame["body"] for frame in back.seen("message")] == ["hello"]
    assert relay.rows("SELECT count(*) FROM state") == [(4,)]
    assert relay.rows("SELECT count(*) FROM log") == [(2,)]


async def test_a_thousand_keys(start):
    relay = start()
    phone = await relay.device("ada")
    for first in range(0, 1_000, 200):
        waiting = [
            await phone.begin("state.set", key=f"pin/{number}", value="p" * 600)
            for number in range(first, first + 200)]
        for answer in await asyncio.gather(*waiting):
            assert answer["type"] == "ok", answer
    assert await phone.refusal("state.set", key="one-more", value=1) == "too_large"
    await phone.call("state.set", key="pin/7", value=2)
    found = await everything(phone)
    assert len(found) == 1_000 and found["pin/7"]["value"] == 2
    # They are too many for one page.
    assert "next" in await phone.call("state.get")
    named = await phone.call("state.get", keys=["pin/3", "none", "pin/1"])
    assert [one["key"] for one in named["states"]] == ["pin/1", "pin/3"]
    begun = await phone.call("state.get", prefix="pin/99")
    assert [one["key"] for one in begun["states"]] == ["pin/99", *(f"pin/99{digit}" for digit in range(10))]
    await phone.call("state.set", key="pin/7")
    await phone.call("state.set", key="one-more", value=1)
    # Another user has room of its own.
    other = await relay.device("bea")
    await other.call("state.set", key="one", value=1)


async def test_bounds_of_a_setting(relay):
    phone = await relay.device("dora")
    await phone.call("state.set", key="k" * 128, value="v" * 4_094)
    assert await phone.refusal("state.set", key="k" * 129, value=1) == "bad_request"
    assert await phone.refusal("state.set", key="k", value="v" * 4_095) == "too_large"
    assert await phone.refusal("state.set", key="a b", value=1) == "bad_request"
    assert await phone.refusal("state.set", key="", value=1) == "bad_request"
    assert await phone.refusal("state.set", key="k", value=1, ifVersion=-1) == "bad_request"
    assert await phone.refusal("state.get", keys=["a"], prefix="a") == "bad_request"
    assert await phone.refusal("state.get", limit=1_001) == "bad_request"
    assert await phone.refusal("history", conversation="-1") == "not_found"


async def test_an_export_has_them_and_an_import_brings_them(start):
    relay = start()
    phone = await relay.device("ada")
    await phone.call("state.set", key="pin/c-1", value={"order": [1, 2]})
    await phone.call("state.set", key="gone", value=1)
    await phone.call("state.set", key="gone")
    answer = phone.expect("broken-line")
    await phone.write('{"type":"state.set","id":"broken-line","key":"lines","value":[1,\n2]}')
    assert (await answer)["type"] == "ok"
    await (await relay.device("bea")).call("state.set", key="own", value="b")
    path = relay.folder / "export.jsonl"
    result = command(relay.folder, "store", "export", "--store", str(relay.store), "--to", str(path))
    assert result.returncode == 0, result.stderr
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    written = {(line["user"], line["key"]): line.get("value", line.get("valueText")) for line in lines
               if line["type"] == "setting"}
    assert written == {
        ("ada", "pin/c-1"): {"order": [1, 2]}, ("ada", "lines"): "[1,\n2]", ("bea", "own"): "b"}
    target = start()
    other = await target.device("ada")
    await other.call("state.set", key="pin/c-1", value="kept")
    assert target.stop() == 0
    for _ in range(2):
        result = command(target.folder, "store", "import", str(path), "--store", str(target.store))
        assert result.returncode == 0, result.stdout + result.stderr
    target.start()
    found = await everything(await target.device("ada"))
    assert {key: one["value"] for key, one in found.items()} == {"lines": [1, 2], "pin/c-1": "kept"}
    assert target.stop() == 0
    result = command(target.folder, "store", "verify", "--store", str(target.store))
    assert result.returncode == 0, result.stdout + result.stderr
    # One user's export has only that user's settings.
    result = command(relay.folder, "store", "export", "--store", str(relay.store), "--user", "bea")
    assert [line for line in result.stdout.splitlines() if '"setting"' in line and '"ada"' in line] == []
    assert '"own"' in result.stdout


async def test_an_erased_user_has_none(start):
    relay = start()
    phone = await relay.device("ada")
    await phone.call("state.set", key="draft/c-1", value="a secret that nobody shall find")
    await phone.call("state.set", key="draft/c-1", value="another text that nobody shall find")
    assert relay.stop() == 0
    result = command(relay.folder, "store", "erase", "--user", "ada", "--store", str(relay.store))
    assert result.returncode == 0, result.stdout + result.stderr
    assert relay.rows("SELECT count(*) FROM state") == [(0,)]
    files = [file for file in relay.folder.rglob("roost.db*") if file.is_file()]
    assert not any(b"nobody shall find" in file.read_bytes() for file in files)
