"""Names, contacts, blocks and settings in apps on RoostKit, against the real relay."""

from harness.kit import App


async def online(relay, user, store, device="phone"):
    app = await App.start(relay, user, store, device)
    await app.call("connect")
    await app.until(lambda: app.session.get("isUpToDate"))
    return app


async def test_names_contacts_and_blocks_reach_other_apps(relay, tmp_path):
    alice = await online(relay, "kit-anna", tmp_path / "anna.db")
    bob = await online(relay, "kit-ben", tmp_path / "ben.db")
    await alice.call("open", **{"with": "@kit-ben"})
    await alice.call("send", text="hi")
    await bob.call("open", **{"with": "@kit-anna"})
    await bob.until(lambda: [item["text"] for item in bob.items] == ["hi"])

    await alice.call("setName", name="Anna Ardent")
    await bob.until(lambda: bob.others["people"].get("kit-anna") == "Anna Ardent")
    # A name that changed while the app was away.
    await bob.leave()
    await alice.call("setName", name="Anna Bold")
    bob = await online(relay, "kit-ben", tmp_path / "ben.db")
    await bob.until(lambda: bob.others["people"].get("kit-anna") == "Anna Bold")

    await alice.call("contacts")
    await bob.call("contacts")
    await alice.call("invite", user="kit-ben")
    await bob.until(lambda: bob.others["contacts"] == {"kit-anna": "received"})
    await bob.call("accept", user="kit-anna")
    await alice.until(lambda: alice.others["contacts"] == {"kit-ben": "accepted"})

    group = await (await relay.device("kit-cleo")).group("Crew", "kit-anna", "kit-ben")
    await alice.call("open", **{"with": group})
    await bob.call("open", **{"with": group})
    await bob.call("send", text="from ben")
    await alice.until(lambda: [item.get("text") for item in alice.items] == ["from ben"])
    await alice.call("block", user="kit-ben")
    await alice.until(lambda: alice.items and alice.items[0].get("hidden"))
    assert alice.items[0]["from"] == "" and alice.items[0]["text"] == ""
    await alice.call("unblock", user="kit-ben")
    await alice.until(lambda: alice.items and alice.items[0]["text"] == "from ben")
    assert not alice.reader.done() and not bob.reader.done()
    for app in (alice, bob):
        await app.leave()


async def test_a_setting_is_on_the_other_device_after_kill_and_absence(relay, tmp_path):
    phone = await online(relay, "kit-dora", tmp_path / "phone.db")
    laptop = await online(relay, "kit-dora", tmp_path / "laptop.db", "laptop")
    await phone.call("set", key="pin/c-1", value="1")
    await laptop.until(lambda: laptop.others["settings"] == {"pin/c-1": "1"})
    await laptop.kill()
    await phone.call("set", key="pin/c-1")
    await phone.call("set", key="preferences/app", value='{"dark":true}')
    laptop = await online(relay, "kit-dora", tmp_path / "laptop.db", "laptop")
    await laptop.until(lambda: laptop.others["settings"] == {"preferences/app": '{"dark":true}'})

    writer = await relay.device("kit-emil")
    sent = await writer.call("send", to="@kit-dora", key="e-1", body="psst")
    await laptop.until(lambda: laptop.session["badge"] == 1)
    # A start without a session shows what the relay said last.
    await laptop.kill()
    laptop = await App.start(relay, "kit-dora", tmp_path / "laptop.db", "laptop")
    await laptop.until(lambda: laptop.session.get("badge") == 1)
    await laptop.call("connect")
    await laptop.until(lambda: laptop.session["isUpToDate"])
    await phone.call("open", **{"with": sent["conversation"]})
    await phone.call("mute")
    await laptop.until(lambda: laptop.session["badge"] == 0)
    assert not phone.reader.done() and not laptop.reader.done()
    for app in (phone, laptop):
        await app.leave()


async def test_threads_pins_and_forwards_reach_other_apps(relay, tmp_path):
    anna = await online(relay, "kit-faye", tmp_path / "faye.db")
    ben = await online(relay, "kit-gus", tmp_path / "gus.db")
    for app, other in ((anna, "kit-gus"), (ben, "kit-faye")):
        await app.call("open", **{"with": f"@{other}"})
    await anna.call("send", text="lunch?")
    await ben.until(lambda: [item["text"] for item in ben.items] == ["lunch?"])
    await anna.until(lambda: anna.items[0].get("sequence") == 1)

    await ben.call("pin", sequence=1)
    for app in (anna, ben):
        await app.until(lambda app=app: app.pins == ["lunch?"])
    await ben.call("thread", sequence=1)
    await ben.call("disconnect")
    # It waits in the outbox, over the end of the app.
    await ben.call("sendInThread", text="pizza")
    await ben.call("forward", sequence=1, **{"with": "@kit-hana"})
    await ben.kill()
    ben = await online(relay, "kit-gus", tmp_path / "gus.db")
    await anna.until(lambda: anna.items[0].get("replies") == 1)
    await anna.call("thread", sequence=1)
    await anna.until(lambda: anna.others["thread"] == ["pizza"])

    hana = await online(relay, "kit-hana", tmp_path / "hana.db")
    await hana.call("open", **{"with": "@kit-gus"})
    await hana.until(lambda: [(item["text"], item.get("origin")) for item in hana.items] == [("lunch?", "kit-faye")])
    await ben.call("open", **{"with": "@kit-faye"})
    await ben.until(lambda: ben.pins == ["lunch?"])
    await ben.call("unpin", sequence=1)
    await anna.until(lambda: anna.pins == [])
    assert not any(app.reader.done() for app in (anna, ben, hana))
    for app in (anna, ben, hana):
        await app.leave()
