"""An app on RoostKit against the real relay. It is killed at any time, and nothing that was typed is lost or
doubled."""

import random

from harness.kit import App

POINTS = 200


class Ledger:
    """The app's promises: the typed texts, the edits, and the state of each message."""

    def __init__(self):
        self.typed = []
        self.edited = {}
        self.ids = {}
        self.ranks = {}

    def note(self, items):
        for item in items:
            if "rank" not in item or "id" not in item:
                continue
            before = self.ranks.get(item["id"], 0)
            assert item["rank"] >= before, f"{item} went back from {before}"
            self.ranks[item["id"]] = item["rank"]


async def test_kill_at_any_time_loses_and_doubles_nothing(relay, tmp_path):
    generator = random.Random(17)
    ledger = Ledger()
    bob = await relay.device("kit-bob")
    count = 0
    for _ in range(POINTS):
        app = await App.start(relay, "kit-alice", tmp_path / "roost.db")
        app.on_items = ledger.note
        app.say("open", **{"with": "@kit-bob"})
        app.say("connect")
        sends, edits = {}, {}
        for _ in range(generator.randint(0, 4)):
            count += 1
            sends[app.say("send", text=f"m-{count}")] = f"m-{count}"
        if ledger.typed and generator.random() < 0.3:
            text = generator.choice(ledger.typed[-10:])
            edits[app.say("edit", id=ledger.ids[text], text=f"{text}!")] = text
        lines = generator.randint(0, 16)
        # Some points are between two lines, some in the middle of what happens after one.
        await app.until(lambda: app.lines >= lines or (app.lines and not sends and lines > 8))
        await app.kill()
        for number, text in sends.items():
            if number in app.done:
                assert "failed" not in app.done[number], app.done[number]
                ledger.typed.append(text)
                ledger.ids[text] = app.done[number]["id"]
        for number, text in edits.items():
            if "id" not in app.done.get(number, {}) and "failed" not in app.done.get(number, {"failed": 1}):
                ledger.edited[text] = True
    app = await App.start(relay, "kit-alice", tmp_path / "roost.db")
    app.on_items = ledger.note
    await app.call("open", **{"with": "@kit-bob"})
    await app.call("connect")
    await app.until(lambda: app.session.get("isUpToDate") and app.session["pending"] == 0)
    bodies = await history(bob)
    await app.leave()
    assert len(ledger.typed) > POINTS / 4, "most kills came before anything was typed"
    names = [body.rstrip("!") for body in bodies]
    assert len(set(names)) == len(names), "doubled"
    assert [name for name in names if name in set(ledger.typed)] == ledger.typed, "lost or out of order"
    for text in ledger.edited:
        assert f"{text}!" in bodies, f"the edit of {text} is lost"


async def history(device):
    bodies, after = [], 0
    while True:
        page = await device.call("history", conversation="@kit-alice", after=after, limit=100)
        bodies += [message["body"] for message in page["messages"]]
        if not page["more"]:
            return bodies
        after = page["messages"][-1]["sequence"]
