"""Who is whose contact: told to the devices of both, kept over kills and restarts, of kinds that the operator names."""

import json
import subprocess

import pytest

from harness.device import Refused
from harness.relay import BINARY, environment

TRAINERS = {"contacts__kinds": "trainer/client,friend"}


async def contacts(device, **members):
    return [(one["user"], one["kind"], one["state"], one.get("label", ""))
            for one in (await device.call("contact.list", **members))["contacts"]]


async def refused(device, command, **members):
    with pytest.raises(Refused) as refusal:
        await device.call(command, **members)
    return refusal.value.code


async def test_a_client_accepts_before_being_listed_as_one(start):
    relay = start(**TRAINERS)
    tina, carl, tablet = [await relay.device(user) for user in ("tina", "carl")] + [
        await relay.device("tina", "tablet")]
    told = await tina.call("contact.invite", user="carl", kind="client", label="knee")
    assert told["contact"]["state"] == "sent"
    assert await contacts(tina, state="accepted") == []
    assert (await carl.event("contact", user="tina"))["kind"] == "trainer"
    assert await refused(tina, "contact.accept", user="carl") == "not_found"
    await carl.call("contact.accept", user="tina")
    assert (await tablet.event("contact", user="carl", state="accepted"))["label"] == "knee"
    assert await contacts(tina, state="accepted") == [("carl", "client", "accepted", "knee")]
    assert await contacts(carl) == [("tina", "trainer", "accepted", "")]
    # Only the owner knows the label.
    await carl.barrier()
    assert all("knee" not in frame.raw for frame in carl.frames)


async def test_contacts_and_prospects_outlive_a_kill(start):
    relay = start()
    alice, bob = await relay.device("alice"), await relay.device("bob")
    await alice.call("contact.invite", user="bob", label="from work")
    await bob.call("contact.accept", user="alice")
    await alice.call("contact.invite", user="carol")
    await alice.call("contact.remove", user="carol")
    zoe = (await alice.call("prospect.set", name="Zoë", note="asked about Tuesdays"))["prospect"]["prospect"]
    # What a message's answer waits for is behind it in the log.
    await alice.send("@bob", "hello")
    await alice.send("@bob", "hello again")
    relay.kill()
    relay.start()
    alice, bob = await relay.device("alice"), await relay.device("bob")
    assert await contacts(alice) == [("bob", "friend", "accepted", "from work")]
    assert await contacts(bob) == [("alice", "friend", "accepted", "")]
    found = (await alice.call("prospect.list"))["prospects"]
    assert found == [{"prospect": zoe, "name": "Zoë", "note": "asked about Tuesdays"}]
    assert (await bob.call("prospect.list"))["prospects"] == []


async def test_kinds_are_checked_before_the_start(start, tmp_path):
    def check(*kinds):
        file = tmp_path / "roost.yaml"
        file.write_text(json.dumps({"contacts": {"kinds": kinds}}))
        done = subprocess.run(
            [BINARY, "check-config", "--config", str(file)], cwd=tmp_path, env=environment(), text=True,
            capture_output=True)
        return done.returncode, done.stdout + done.stderr
    assert check("friend", "trainer/client")[0] == 0
    for kinds in (["friend", "friend/foe"], ["a/b/c"], ["Friend"], ["a/"], [""]):
        code, text = check(*kinds)
        assert code == 2 and "contacts.kinds" in text, (kinds, text)


async def test_an_export_has_contacts_and_prospects(start):
    relay = start(**TRAINERS)
    tina, carl = await relay.device("tina"), await relay.device("carl")
    await tina.call("contact.invite", user="carl", kind="client", label="knee")
    await carl.call("contact.accept", user="tina", label="coach")
    await carl.call("contact.invite", user="fred", kind="friend")
    await tina.call("prospect.set", name="Zoë")
    relay.stop()

    def run(*words):
        done = subprocess.run([BINARY, "store", *words], cwd=relay.folder, env=environment(), text=True,
                              capture_output=True)
        assert done.returncode == 0, done.stderr
        return done.stdout
    lines = [json.loads(line) for line in run("export", "--store", str(relay.store)).splitlines()]
    of = {kind: [line for line in lines if line["type"] == kind] for kind in ("contact", "prospect")}
    assert len(of["contact"]) == 2 and len(of["prospect"]) == 1
    # In Carl's own export Tina's note isn't there.
    own = run("export", "--store", str(relay.store), "--user", "carl")
    assert "coach" in own and "knee" not in own and "Zoë" not in own
    file, copy = relay.folder / "all.jsonl", relay.folder / "copy.db"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for _ in range(2):
        run("import", str(file), "--store", str(copy))
    again = [json.loads(line) for line in run("export", "--store", str(copy)).splitlines()]
    kept = [sorted(line.get("label", "") + line["user"] for line in found if line["type"] == "contact")
            for found in (lines, again)]
    assert kept[0] == kept[1]
    run("verify", "--store", str(copy))
