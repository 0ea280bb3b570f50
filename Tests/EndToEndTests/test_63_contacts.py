"""Contacts: sent to the devices of both, kept over kills and restarts, of kinds that the operator names."""

import contextlib
import json
import shutil
import sqlite3
import subprocess

import pytest

from harness.device import Refused
from harness.relay import BINARY, command, environment

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
    # The event that a message's answer waits for is behind it in the log.
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


# Contacts from the conversations that there are

ROLES = ("trainer", "client", None)


def infer(relay, *words, store=None):
    done = subprocess.run(
        [BINARY, "contacts", "infer", *words, "--store", str(store or relay.store), "--set",
         "contacts.kinds=friend,trainer/client"],
        cwd=relay.folder, env=environment(), text=True, capture_output=True)
    return done.returncode, done.stdout + done.stderr


def stored(path):
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as store:
        return store.execute("SELECT * FROM contact ORDER BY low, high").fetchall()


async def test_of_all_pairs_of_roles_one_trainer_and_one_client_become_contacts(start):
    relay = start(**TRAINERS)
    olga = await relay.operator()
    for one in ROLES:
        for other in ROLES:
            users = [f"{one}-{other}-1", f"{one}-{other}-2"]
            device = await relay.device(users[0])
            await device.send("@" + users[1], "hello")
            for user, role in zip(users, (one, other)):
                if role:
                    await olga.call("admin.profile", user=user, role=role)
    relay.stop()
    before = relay.store.read_bytes()
    code, text = infer(relay, "--dry-run")
    assert code == 0 and "2 contacts would be made" in text and "7 conversations skipped" in text, text
    assert relay.store.read_bytes() == before and stored(relay.store) == []
    code, text = infer(relay, "--apply")
    assert code == 0 and "2 contacts made" in text, text
    made = stored(relay.store)
    code, text = infer(relay, "--apply")
    assert code == 0 and "0 contacts made" in text and "2 conversations skipped: are of users who" in text, text
    assert stored(relay.store) == made and len(made) == 2
    relay.start()
    assert await contacts(await relay.device("trainer-client-1")) == [("trainer-client-2", "client", "accepted", "")]
    assert await contacts(await relay.device("client-trainer-1")) == [("client-trainer-2", "trainer", "accepted", "")]


async def test_groups_count_if_they_are_asked_for_and_all_can_be_taken_back(start):
    relay = start(**TRAINERS)
    olga = await relay.operator()
    tina, carl, cora = [await relay.device(user) for user in ("tina", "carl", "cora")]
    await tina.send("@carl", "hello")
    await tina.call("conversation.create", kind="group", key="g", members=["carl", "cora"], name="team")
    for user, role in (("tina", "trainer"), ("carl", "client"), ("cora", "client")):
        await olga.call("admin.profile", user=user, role=role)
    relay.stop()
    assert "1 contact would be made" in infer(relay, "--dry-run")[1]
    assert "2 contacts would be made" in infer(relay, "--dry-run", "--groups")[1]
    assert stored(relay.store) == []
    assert "2 contacts made" in infer(relay, "--apply", "--groups")[1]
    relay.start()
    tina = await relay.device("tina")
    assert await contacts(tina) == [("carl", "client", "accepted", ""), ("cora", "client", "accepted", "")]
    await tina.call("contact.invite", user="carl", kind="client", label="knee")
    relay.stop()
    assert "1 inferred contact would be removed" in infer(relay, "--undo", "--dry-run")[1]
    assert len(stored(relay.store)) == 2
    code, text = infer(relay, "--undo")
    assert code == 0 and "1 inferred contact removed" in text, text
    relay.start()
    assert await contacts(await relay.device("tina")) == [("carl", "client", "accepted", "knee")]


async def test_an_inference_that_is_killed_is_finished_by_the_next(start):
    relay = start(**TRAINERS)
    await (await relay.device("a0")).send("@b0", "hello")
    relay.stop()
    plain, long = relay.folder / "plain.jsonl", relay.folder / "long.jsonl"
    assert command(relay.folder, "store", "export", "--to", str(plain), "--store", str(relay.store)).returncode == 0
    lines = plain.read_text().splitlines()
    count, made = 20_000, lines[:1]
    wanted = [line for line in lines[1:-1] if json.loads(line)["type"] in ("user", "conversation", "member")]
    for number in range(count):
        names = {"a0": f"a{number}", "b0": f"b{number}"}
        for line in map(json.loads, wanted):
            line = {name: names.get(value, value) for name, value in line.items()}
            if "conversation" in line:
                line["conversation"] += str(number)
            made.append(json.dumps(line | ({"joined": 0} if "joined" in line else {})))
        for user, role in ((f"a{number}", "trainer"), (f"b{number}", "client")):
            made.append(json.dumps({"type": "profile", "user": user, "version": 1, "role": role}))
    made.append(json.dumps({"type": "end", "lines": len(made)}))
    long.write_text("\n".join(made) + "\n")
    fresh = relay.folder / "fresh.db"
    done = command(relay.folder, "store", "import", str(long), "--store", str(fresh), timeout=120)
    assert done.returncode == 0, done.stderr
    whole, cut = relay.folder / "whole.db", relay.folder / "cut.db"
    shutil.copy(fresh, whole)
    code, text = infer(relay, "--apply", store=whole)
    assert code == 0 and f"{count} contacts made" in text, text
    for attempt in range(20):
        shutil.copy(fresh, cut)
        process = subprocess.Popen(
            [BINARY, "contacts", "infer", "--apply", "--store", str(cut), "--set", "contacts.kinds=trainer/client"],
            cwd=relay.folder, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and not 0 < len(stored(cut)):
            pass
        process.kill()
        process.wait()
        if 0 < len(stored(cut)) < count:
            break
        for rest in relay.folder.glob("cut.db*"):
            rest.unlink()
    assert 0 < len(stored(cut)) < count, "it was never killed in the middle"
    assert infer(relay, "--apply", store=cut)[0] == 0
    assert stored(cut) == stored(whole)


async def test_an_inference_says_what_is_wrong(start):
    relay = start(**TRAINERS)
    for words, part in ((["--dry-run", "--apply"], "Either"), ([], "Either"),
                        (["--undo", "--groups"], "takes back all"),
                        (["--dry-run", "--kind", "boss/clerk"], "contacts.kinds"),
                        (["--dry-run", "--kind", "friend"], "who is who"),
                        (["--apply"], "another relay has this store open")):
        code, text = infer(relay, *words)
        assert code != 0 and part in text, (words, text)
    assert infer(relay, "--dry-run")[0] == 0
