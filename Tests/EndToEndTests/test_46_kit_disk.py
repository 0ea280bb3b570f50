"""The device's own disk is full, or its file is damaged: what an app on RoostKit shows as done is done, and nothing is
acked that it couldn't keep."""

from harness.kit import App

DISK_BYTES = 4 << 20


def fill(disk):
    """Leaves no room on the disk."""
    with open(disk.folder / "ballast", "wb", buffering=0) as ballast:
        try:
            while True:
                ballast.write(bytes(4_096))
        except OSError:
            pass


def texts(app):
    return [item["text"] for item in app.items if "text" in item]


async def test_a_full_device_acks_nothing_and_goes_on_when_there_is_room(relay, tmp_path, disk):
    bob = await relay.device("full-bob")
    app = await App.start(
        relay, "full-alice", tmp_path / "disk" / "roost.db", inside=disk.inside(tmp_path))
    await app.call("open", **{"with": "@full-bob"})
    await app.call("connect")
    await app.call("send", text="first")
    await app.until(lambda: app.items and app.items[-1].get("rank", 0) >= 1)
    conversation = (await bob.call("history", conversation="@full-alice"))["conversation"]

    fill(disk)
    typed = app.say("send", text="typed " + "x" * 20_000)
    await app.until(lambda: typed in app.done)
    assert "failed" in app.done[typed] and "full" in app.done[typed]["failed"]
    assert texts(app) == ["first"], "what isn't on disk isn't shown"

    sent = [f"{number} " + "y" * 3_000 for number in range(40)]
    for number, text in enumerate(sent):
        await bob.call("send", to=conversation, key=f"full-{number}", body=text)
    await app.until(lambda: "store" in app.session.get("connection", ""))
    page = await bob.call("conversation.members", conversation=conversation)
    (alice,) = [member for member in page["members"] if member["user"] == "full-alice"]
    kept = max((item["sequence"] for item in app.items if "sequence" in item), default=0)
    assert alice["delivered"] <= kept, "acked, and not kept"

    (disk.folder / "ballast").unlink()
    await app.until(lambda: texts(app) == ["first", *sent])
    await app.call("send", text="at last")
    await app.until(lambda: app.session["pending"] == 0 and texts(app)[-1] == "at last")
    await app.leave()


async def test_a_damaged_file_keeps_what_was_typed(relay, tmp_path):
    store = tmp_path / "roost.db"
    bob = await relay.device("torn-bob")
    app = await App.start(relay, "torn-alice", store)
    await app.call("open", **{"with": "@torn-bob"})
    await app.call("connect")
    for number in range(200):
        app.say("send", text=f"stored {number} " + "z" * 500)
    await app.until(lambda: 201 + 1 in app.done and app.session.get("pending") == 0)
    await app.call("disconnect")
    for number in range(5):
        await app.call("send", text=f"waiting {number}")
    await app.leave()

    # A page in the middle of the relay's data.
    data = store.read_bytes()
    page = data.index(b"stored 100 ") // 4_096 * 4_096
    store.write_bytes(data[:page] + bytes(4_096) + data[page + 4_096:])
    app = await App.start(relay, "torn-alice", store)
    app.say("open", **{"with": "@torn-bob"})
    app.say("connect")
    for _ in range(5):
        app.say("older")
    # Actions that need the damaged page fail, and no others; the next start makes the file anew.
    await app.until(lambda: 7 in app.done)
    assert any("malformed" in done.get("failed", "") for done in app.done.values())
    await app.kill()
    assert (tmp_path / "roost.db.mark").exists()

    app = await App.start(relay, "torn-alice", store)
    await app.call("open", **{"with": "@torn-bob"})
    await app.call("connect")
    await app.until(lambda: texts(app)[-5:] == [f"waiting {number}" for number in range(5)])
    await app.until(lambda: app.session["pending"] == 0)
    await app.leave()
    assert (tmp_path / "roost.db.damaged").exists()

    async def told():
        page = await bob.call("history", conversation="@torn-alice", limit=5)
        return [message["body"] for message in page["messages"]]

    assert await told() == [f"waiting {number}" for number in range(5)]
