"""Stores that other builds of Web/roost.js made, or left half way: what was typed there shows, is sent, and stays."""

import copy
import json
import pathlib

import pytest

from harness.chromium import CHROMIUM
from harness.web import Browser, said

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

# Each as its build left it: two messages in the cache, two that wait, and a draft.
FOLDER = pathlib.Path(__file__).parent / "stores"
STORES = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}
NEWEST = "2"
WAIT = ["typed offline", "and another"]

SEED = """
    const request = indexedDB.open("roost.roost", x.version);
    request.onupgradeneeded = () => {
        for (const [name, { primary, indexes, rows }] of Object.entries(x.tables)) {
            const table = request.result.createObjectStore(name, { keyPath: primary });
            for (const index in indexes) table.createIndex(index, indexes[index]);
            for (const row of rows) table.put(row);
        }
    };
    await new Promise((resolve, reject) => { request.onsuccess = resolve; request.onerror = reject; });
    request.result.close();
    return true"""
DUMP = """
    const done = (request) => new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = reject;
    });
    const database = await done(indexedDB.open("roost.roost"));
    const tables = {};
    for (const name of database.objectStoreNames) {
        const table = database.transaction(name).objectStore(name);
        const indexes = Object.fromEntries([...table.indexNames].map((one) => [one, table.index(one).keyPath]));
        tables[name] = { primary: table.keyPath, indexes, rows: await done(table.getAll()) };
    }
    const { version } = database;
    database.close();
    return { version, tables };"""


async def is_as_typed(tab, *, cached=(), problem=None):
    """Checks that the page shows the typed texts of such a store without a connection, whether or not it can be used.
    """
    snapshot = await tab.run("app.roost.snapshot")
    assert (snapshot["isStored"], snapshot.get("storeProblem")) == (problem is None, problem)
    assert (snapshot["device"], snapshot["user"], snapshot["pendingCount"]) == ("web-kept", "alice", 2)
    assert await tab.texts() == [*cached, *WAIT]
    assert await tab.run("app.timeline.draft") == "a draft"


async def is_sent(relay, texts=WAIT):
    bob = await relay.device("bob")
    assert await said(bob, "alice") == list(texts)
    probe = await relay.device("alice", "probe")
    devices = (await probe.call("devices"))["devices"]
    assert sorted(one["device"] for one in devices) == ["probe", "web-kept"], "each load is the same device"


@pytest.mark.parametrize("name", STORES)
async def test_a_store_of_an_earlier_build(web, site, name):
    # The relay's data in a form without a number is read again.
    cached = ("stored", "from bob") if name == NEWEST else ()
    async with Browser(site) as browser:
        tab = await browser.tab()
        await tab.run(SEED, STORES[name])
        for _ in range(2):
            await tab.start(web, "alice", to="@bob", connects=False)
            await is_as_typed(tab, cached=cached)
            await tab.reload()
        await tab.start(web, "alice", to="@bob")
        await tab.settled()
        await tab.reload()
        await tab.start(web, "alice", to="@bob")
        await tab.until("app.roost.snapshot.isUpToDate")
        await tab.shows(WAIT)
        assert await tab.run("app.timeline.draft") == "a draft"
        assert await tab.run("app.roost.snapshot.isStored")
        assert browser.problems == []
    await is_sent(web)


def changed(*changes):
    """The newest form with some changes to its tables."""
    store = copy.deepcopy(STORES[NEWEST])
    for change in changes:
        change(store["tables"])
    return store


def half_keyed(tables):
    tables["drafts"]["primary"] = "destination"
    for row in tables["drafts"]["rows"]:
        del row["user"]


HALVES = {
    "no names": lambda tables: tables.pop("people"),
    "no messages": lambda tables: tables.pop("messages"),
    "no lease": lambda tables: tables.pop("lease"),
    "no parked": lambda tables: tables.pop("parked"),
    "an index is missing": lambda tables: tables["messages"]["indexes"].pop("expires"),
    "an index is another one": lambda tables: tables["outbox"]["indexes"].update(key="id"),
    "drafts have no user": half_keyed,
    "messages have another key": lambda tables: tables["messages"].update(primary="sequence"),
}
LESS = {"no names", "no messages", "messages have another key"}


@pytest.mark.parametrize("half", HALVES)
async def test_a_store_that_was_left_half_way(web, site, half):
    async with Browser(site) as browser:
        tab = await browser.tab()
        await tab.run(SEED, changed(HALVES[half]))
        for _ in range(2):
            await tab.start(web, "alice", to="@bob", connects=False)
            await is_as_typed(tab, cached=() if half in LESS else ("stored", "from bob"))
            await tab.reload()
        found = await tab.run(DUMP)
        assert found["version"] == STORES[NEWEST]["version"] + 1
        for name, table in STORES[NEWEST]["tables"].items():
            assert (found["tables"][name]["primary"], found["tables"][name]["indexes"]) == (
                table["primary"], table["indexes"]), name
        await tab.start(web, "alice", to="@bob")
        await tab.settled()
        assert browser.problems == []
    await is_sent(web)


def newer(tables):
    """A build that is to come has a table more, and items that today's doesn't understand."""
    tables["drawings"] = {"primary": "id", "indexes": {}, "rows": [{"id": 1}]}
    item = dict(tables["outbox"]["rows"][0], destination="@carol", key="later", body="at noon", at=12)
    tables["outbox"]["rows"] += [dict(item, id=item["id"] + 1), dict(item, id=item["id"] + 2, key="then", body="then")]
    del tables["outbox"]["rows"][-1]["at"]
    tables["identity"]["rows"][0]["form"] = 3


async def test_a_store_of_a_newer_build_is_left_alone_and_what_waits_is_sent(web, site):
    async with Browser(site) as browser:
        tab = await browser.tab()
        store = changed(newer)
        store["version"] = 30
        await tab.run(SEED, store)
        before = await tab.run(DUMP)
        for _ in range(2):
            await tab.start(web, "alice", to="@bob", connects=False)
            await is_as_typed(tab, problem="newer")
            await tab.reload()
        await tab.start(web, "alice", to="@bob")
        await tab.send("typed in memory")
        await tab.settled()
        await tab.check()
        assert await tab.run("app.roost.snapshot.storeProblem") == "newer"
        assert await tab.run(DUMP) == before
        assert browser.problems == []
    await is_sent(web, [*WAIT, "typed in memory"])
    # An unknown item waits for the newer build, and so do the items behind it.
    carol = await web.device("carol")
    assert (await carol.call("conversation.list"))["conversations"] == []


UPGRADE = """
    const request = indexedDB.open("roost.roost", 30);
    request.onupgradeneeded = () => request.result.createObjectStore("drawings");
    await new Promise((resolve, reject) => { request.onsuccess = resolve; request.onerror = reject; });
    request.result.close();
    return true"""


async def test_a_newer_build_comes_while_a_tab_is_open(web, site):
    port = web.port
    async with Browser(site) as browser:
        tab, other = await browser.tab(), await browser.tab()
        await tab.start(web, "alice", to="@bob", device="web-kept")
        await tab.send("before")
        await tab.settled()
        web.kill()
        await tab.send("waits")
        await other.run(UPGRADE)
        await tab.until("app.roost.snapshot.storeProblem === 'newer'")
        await tab.send("after")
        await tab.shows(["before", "waits", "after"])
        web.start(listen__port=port)
        await tab.settled()
        await tab.check()
        assert browser.problems == []
    await is_sent(web, ["before", "waits", "after"])


async def test_a_form_that_cannot_be_changed_hides_nothing(web, site):
    async with Browser(site) as browser:
        tab = await browser.tab()
        await tab.run(SEED, STORES["1-first"])
        before = await tab.run(DUMP)
        await tab.run("""IDBDatabase.prototype.createObjectStore = () => {
            throw new DOMException("no", "ConstraintError"); }; return true""")
        await tab.start(web, "alice", to="@bob", connects=False)
        await is_as_typed(tab, problem="unusable")
        assert await tab.run(DUMP) == before
        await tab.run("return app.roost.connect()")
        await tab.settled()
        # Another build can change it, and knows by their keys what was sent.
        await tab.reload()
        await tab.start(web, "alice", to="@bob")
        await tab.settled()
        assert await tab.run("app.roost.snapshot.isStored")
        await tab.shows(WAIT)
        assert browser.problems == []
    await is_sent(web)


async def test_a_browser_that_stores_nothing_is_said_apart(web, site):
    async with Browser(site) as browser:
        tab = await browser.tab()
        await tab.run("""IDBFactory.prototype.open = () => {
            throw new DOMException("full", "QuotaExceededError"); }; return true""")
        await tab.start(web, "alice", to="@bob")
        await tab.send("typed")
        await tab.settled()
        assert await tab.run("app.roost.snapshot.storeProblem") == "failed"
        assert browser.problems == []
