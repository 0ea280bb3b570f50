"""Web/roost.js against the real relay: in Chromium, with its IndexedDB, locks and tabs, and in Node."""

import asyncio
import json
import pathlib
import random
import re
import shutil
import subprocess
import time

import pytest

from harness.relay import REPOSITORY
from harness.waiting import until
from harness.chromium import CHROMIUM
from harness.web import Browser, connected_devices, said

POINTS = 60
NODE = shutil.which("node")
WEB_TESTS = REPOSITORY / "Tests" / "WebTests"

needs_node = pytest.mark.skipif(NODE is None, reason="there is no Node")
needs_sockets = pytest.mark.skipif(
    not pathlib.Path("/usr/share/nodejs/ws").exists(), reason="there is no node-ws")

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")


@needs_node
def test_its_parts():
    """The tests in Tests/WebTests."""
    files = sorted(map(str, WEB_TESTS.glob("*.test.mjs")))
    done = subprocess.run(
        [NODE, "--test", *files], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout[-6000:]
    # Nodes differ in the mark before it.
    passed = re.search(r"^\S+ pass (\d+)$", done.stdout, re.MULTILINE)
    assert passed and int(passed.group(1)) >= len(files), done.stdout[-6000:]


@needs_node
@needs_sockets
async def test_two_talk_through_a_crash_of_the_relay(start):
    relay = start()
    tokens = [relay.token(name) for name in ("alice", "bob")]
    url = f"ws://127.0.0.1:{relay.port}/v1/socket"
    process = await asyncio.create_subprocess_exec(
        NODE, str(WEB_TESTS / "talk.mjs"), url, *tokens, "40", stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE, limit=1 << 24)
    port = relay.port
    assert await process.stdout.readline() == b"half\n"
    relay.kill()
    assert await process.stdout.readline() == b"typed\n"
    relay.start(listen__port=port)
    process.stdin.write(b"go on\n")
    seen = json.loads(await process.stdout.readline())
    assert await process.wait() == 0
    probe = await relay.device("alice", "probe")
    there = await said(probe, "bob")
    assert sorted(there) == sorted(f"{name} {number}" for name in ("alice", "bob") for number in range(40))
    for name in ("alice", "bob"):
        own = [text for text in there if text.startswith(name)]
        assert own == [f"{name} {number}" for number in range(40)], "out of order"
        assert seen[name] == there, f"what {name} sees"
    assert seen["fallen"] == []


@needs_node
@needs_sockets
async def test_scrolling_gaps_and_search(start):
    relay = start()
    bob = await relay.device("bob")
    for number in range(1, 701):
        await bob.send("@alice", f"m-{number}")
    process = await asyncio.create_subprocess_exec(
        NODE, str(WEB_TESTS / "scroll.mjs"), f"ws://127.0.0.1:{relay.port}/v1/socket", relay.token("alice"),
        stdout=asyncio.subprocess.PIPE, limit=1 << 24)
    seen = json.loads(await process.stdout.readline())
    assert await process.wait() == 0
    assert seen["first"] == [651, 700, 50]
    assert seen["older"] == [551, 700, 150]
    # As far as it goes: 500 rows, the beginning, and nothing older.
    assert seen["top"] == [1, 500, 500] and seen["hasOlder"] is False and seen["hasNewer"] is True
    assert seen["jumped"] == [325, 375, 51]
    assert seen["end"][1] == 700 and seen["hasNewerAtEnd"] is False
    assert seen["found"] == ["m-555"]
    assert seen["filled"] == list(range(1, 701)), "gaps are filled from their ends"


@needs_node
@needs_sockets
async def test_a_token_is_renewed_on_the_same_connection(start):
    relay = start()
    process = await asyncio.create_subprocess_exec(
        NODE, str(WEB_TESTS / "renew.mjs"), f"ws://127.0.0.1:{relay.port}/v1/socket", relay.token("alice", seconds=3),
        relay.token("alice"), stdout=asyncio.subprocess.PIPE)
    seen = json.loads(await process.stdout.readline())
    assert await process.wait() == 0
    assert seen == {"asked": 2, "states": ["connecting", "connected"]}


@needs_browser
async def test_what_is_typed_offline_survives_a_reload(web, site):
    port = web.port
    async with Browser(site) as browser:
        tab = await browser.tab()
        await tab.start(web, "alice", to="@bob", device="web")
        await tab.send("one")
        await tab.settled()
        web.kill()
        await tab.send("two", "three")
        await tab.shows(["one", "two", "three"])
        await tab.check()
        await tab.reload()
        await tab.start(web, "alice", to="@bob")
        assert await tab.texts() == ["one", "two", "three"], "a reload without a relay shows what was there"
        assert await tab.run("app.roost.snapshot.isStored && app.roost.snapshot.device") == "web"
        await tab.send("four")
        web.start(listen__port=port)
        await tab.settled()
        await tab.shows(["one", "two", "three", "four"])
        await tab.check()
        assert browser.problems == []
    bob = await web.device("bob")
    assert await said(bob, "alice") == ["one", "two", "three", "four"]


@needs_browser
async def test_tabs_share_one_session_and_the_next_takes_over(web, site):
    probe = await web.device("alice", "probe")
    bob = await web.device("bob")
    async with Browser(site) as browser:
        first, second = await browser.tab(), await browser.tab()
        await first.start(web, "alice", to="@bob", device="web")
        await second.start(web, "alice", to="@bob")
        await first.send("from the first")
        await second.send("from the second")
        await first.settled()
        await second.settled()
        assert await connected_devices(probe) == ["web"]
        assert await first.run("app.roost.snapshot.isWriter") and not await second.run("app.roost.snapshot.isWriter")
        for tab in (first, second):
            await tab.until("app.texts().join() === 'from the first,from the second'")
        await bob.call("send", to="@alice", key="b-1", body="to both")
        await second.until("app.texts().includes('to both')")
        # The relay's commands of another tab go through the writer.
        answer = await second.run("return app.roost.request('devices')")
        assert len(answer["devices"]) == 2
        await first.page.close()
        await second.until("app.roost.snapshot.isWriter && app.roost.snapshot.isUpToDate")
        await second.send("after the first has gone")
        await second.settled()
        assert await connected_devices(probe) == ["web"]
        await second.check()
        assert browser.problems == []
    assert await said(bob, "alice") == ["from the first", "from the second", "to both", "after the first has gone"]


# The texts of all messages in the browser's store.
STORED = """
    const done = (request) => new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = reject;
    });
    const database = await done(indexedDB.open("roost.roost"));
    const rows = await done(database.transaction("messages").objectStore("messages").getAll());
    database.close();
    return rows.map((row) => row.body).filter(Boolean).sort();"""


@needs_browser
async def test_messages_disappear_from_the_browsers_disk_on_time_and_after_time_away(start, site):
    relay = start(limits__expiry_seconds_min=1, listen__origins=site.origin)
    bob = await relay.device("bob")
    conversation = (await bob.send("@alice", "stays"))["conversation"]
    await bob.call("conversation.expiry", conversation=conversation, after=8_000)
    async with Browser(site) as browser:
        tabs = [await browser.tab() for _ in range(2)]
        for tab in tabs:
            await tab.start(relay, "alice", to="@bob")
            await tab.settled()
        assert await tabs[0].run("app.timeline.snapshot.conversation.expiry") == 8_000
        theirs = await bob.send("@alice", "theirs")
        await tabs[1].send("mine")
        await tabs[0].until("app.texts().join() === 'stays,theirs,mine'")
        for tab in tabs:
            await tab.settled()
        # For the user's own message the relay sends the time, and this device works out the rest.
        kept = await tabs[0].run(STORED)
        assert kept == ["mine", "stays", "theirs"] or time.time() * 1_000 >= theirs["time"] + 8_000

        async def left(tab, texts):
            return await tab.run(STORED) == texts
        await until(lambda: left(tabs[0], ["stays"]), "what disappears has gone")
        for tab in tabs:
            await tab.until("app.timeline.snapshot.items.filter((item) => item.isDeleted && !item.text).length === 2")
        # Away at the time, and back without a connection.
        away = await bob.send("@alice", "while away")
        await tabs[0].until("app.texts().includes('while away')")
        for tab in tabs:
            await tab.page.close()
        await until(lambda: time.time() * 1_000 > away["time"] + 8_000, "its time")
        tab = await browser.tab()
        await tab.start(relay, "alice", to="@bob", connects=False)
        assert await tab.run("app.timeline.snapshot.items.map((item) => item.text ?? item.isDeleted)") == [
            "stays", True, True, True]
        assert await tab.run(STORED) == ["stays"]
        assert browser.problems == []


@needs_browser
async def test_what_another_tab_types_outlives_the_writer(web, site):
    bob = await web.device("bob")
    async with Browser(site) as browser:
        writer, other = await browser.tab(), await browser.tab()
        await writer.start(web, "alice", to="@bob")
        await writer.settled()
        await other.start(web, "alice", to="@bob")
        typing = other.run("for (let n = 0; n < 40; n++) await app.timeline.send(`t-${n}`); return true")
        sending = asyncio.create_task(typing)
        await other.until("app.texts().length > 5")
        await writer.crash()
        assert await sending
        await other.until("app.roost.snapshot.isWriter")
        await other.settled()
        await other.check()
        assert browser.problems == []
    assert await said(bob, "alice") == [f"t-{number}" for number in range(40)]


@needs_browser
async def test_any_tab_changes_what_waits(web, site):
    bob = await web.device("bob")
    async with Browser(site) as browser:
        writer, other = await browser.tab(), await browser.tab()
        await writer.start(web, "alice", to="@bob")
        await writer.settled()
        await other.start(web, "alice", to="@bob")
        await other.until("app.roost.snapshot.isUpToDate")
        last = "app.timeline.snapshot.items.at(-1)"
        await other.send("x" * 20_001, "next")
        refused = "app.timeline.snapshot.items.find((item) => item.state?.state === 'failed')"
        await other.until(f"{refused}?.state.reason === 'tooLong'")
        assert await other.run(f"{last}.state.state") == "sending", "the next one waits for a choice"
        await other.run(f"return app.timeline.replace({refused}.outboxItem, 'shorter')")
        await other.settled()
        assert await other.texts() == ["shorter", "next"]
        await other.run(f"return app.timeline.edit({last}.id, 'next!')")
        await other.run(f"return app.timeline.react({last}.id, '👍')")
        await writer.until(f"{last}.text === 'next!' && {last}.reactions[0]?.mine && !{last}.isChanging")
        # Read in one tab is read in all, and what another device has muted isn't counted.
        await bob.call("send", to="@alice", key="b-1", body="unread")
        await writer.until("app.roost.snapshot.badge === 1")
        await other.run(f"return app.timeline.seen({last}.sequence)")
        await writer.until("app.roost.snapshot.badge === 0")
        direct = await writer.run("app.roost.conversations.snapshot.rows[0].id")
        await (await web.device("alice", "phone")).call("state.set", key=f"mute/{direct}", value=True)
        await bob.call("send", to="@alice", key="b-2", body="noise")
        await other.until("app.roost.snapshot.badge === 0 && app.roost.conversations.snapshot.rows[0].unread === 1")
        assert browser.problems == []
    assert await said(bob, "alice") == ["shorter", "next!", "unread", "noise"]


@needs_browser
async def test_a_device_is_active_if_one_of_its_tabs_is_and_a_closed_page_is_no_goodbye(web, site):
    probe = await web.device("alice", "probe")

    async def state():
        found = (await probe.call("devices"))["devices"]
        return next(one for one in found if one["device"] == "web")

    async def is_shown(expected):
        async def look():
            return (await state())["state"] == expected
        await until(look, expected)
    async with Browser(site) as browser:
        tabs = [await browser.tab() for _ in range(2)]
        for tab in tabs:
            await tab.start(web, "alice", device="web")
            await tab.until("app.roost.snapshot.isUpToDate")
        await tabs[0].run("app.roost.setActivity('background')")
        await tabs[0].run("return app.roost.request('ping')")
        assert (await state())["state"] == "active"
        await tabs[1].run("app.roost.setActivity('idle')")
        await is_shown("idle")
        await tabs[1].page.close()
        # The tab that is left is in the background.
        await is_shown("background")
        await tabs[0].run("app.roost.setActivity('active')")
        await is_shown("active")
        await tabs[0].page.close()
        await is_shown("offline")
        assert (await state())["ended"]["reason"] in ("closed", "cut")
        assert browser.problems == []


@needs_browser
async def test_a_page_that_is_left_gives_way_and_comes_back(web, site):
    probe = await web.device("alice", "probe")
    async with Browser(site) as browser:
        first, second = await browser.tab(), await browser.tab()
        for tab in (first, second):
            await tab.start(web, "alice", to="@bob", device="web")
            await tab.until("app.roost.snapshot.isUpToDate")
        await first.page.goto(site.origin + "/elsewhere")
        await second.until("app.roost.snapshot.isWriter && app.roost.snapshot.isUpToDate")
        await first.page.go_back()
        await first.page.wait_for_function("window.app !== undefined")
        if not await first.run("return Boolean(app.roost)"):
            await first.start(web, "alice", to="@bob")
        await first.send("back")
        for tab in (first, second):
            await tab.settled()
            await tab.until("app.texts().join() === 'back'")
        assert await connected_devices(probe) == ["web"]
        assert browser.problems == []


@needs_browser
async def test_deleting_the_store_takes_nothing_from_an_open_tab(web, site):
    port = web.port
    bob = await web.device("bob")
    async with Browser(site) as browser:
        tab = await browser.tab()
        await tab.start(web, "alice", to="@bob", device="web")
        await tab.send("one")
        await tab.settled()
        await bob.drop()
        web.kill()
        await tab.send("two")
        await tab.run("""return new Promise((done, fail) => {
            const request = indexedDB.deleteDatabase("roost.roost");
            request.onsuccess = done; request.onerror = fail; })""")
        await tab.send("three")
        await tab.until("app.roost.snapshot.isStored")
        await tab.reload()
        await tab.start(web, "alice", to="@bob")
        await tab.shows(["one", "two", "three"])
        assert await tab.run("app.roost.snapshot.device") == "web"
        web.start(listen__port=port)
        await tab.settled()
        assert browser.problems == []
    bob = await web.device("bob")
    assert await said(bob, "alice") == ["one", "two", "three"]


# The faults of browsers when their storage breaks: transactions fail, and it doesn't open any more.
BREAK = """
    app.whole = { open: IDBFactory.prototype.open, transaction: IDBDatabase.prototype.transaction };
    IDBFactory.prototype.open = () => { throw new DOMException("broken", "UnknownError"); };
    IDBDatabase.prototype.transaction = () => { throw new DOMException("broken", "InvalidStateError"); };"""
MEND = """
    IDBFactory.prototype.open = app.whole.open;
    IDBDatabase.prototype.transaction = app.whole.transaction;
    window.dispatchEvent(new Event("pageshow"));"""


@needs_browser
async def test_a_broken_store_is_written_again_when_it_works(web, site):
    port = web.port
    bob = await web.device("bob")
    async with Browser(site) as browser:
        tab = await browser.tab()
        await tab.start(web, "alice", to="@bob")
        await tab.send("one")
        await tab.settled()
        await tab.run(BREAK)
        await tab.send("two")
        await tab.settled()
        assert await tab.run("app.roost.snapshot.isStored") is False
        await bob.call("send", to="@alice", key="b-1", body="from bob")
        await tab.until("app.texts().join() === 'one,two,from bob'")
        web.kill()
        await bob.closed()
        await tab.send("three")
        await tab.run(MEND)
        await tab.until("app.roost.snapshot.isStored")
        await tab.check()
        await tab.reload()
        await tab.start(web, "alice", to="@bob")
        await tab.shows(["one", "two", "from bob", "three"])
        web.start(listen__port=port)
        await tab.settled()
        await tab.check()
        assert browser.problems == []
    bob = await web.device("bob")
    assert await said(bob, "alice") == ["one", "two", "from bob", "three"]


@needs_browser
@pytest.mark.parametrize("broken", ["writer", "other"])
async def test_a_tab_whose_store_is_broken_sends_and_gets_through_the_other(web, site, broken):
    bob = await web.device("bob")
    async with Browser(site) as browser:
        writer, other = await browser.tab(), await browser.tab()
        await writer.start(web, "alice", to="@bob")
        await writer.settled()
        await other.start(web, "alice", to="@bob")
        await other.until("app.roost.snapshot.isUpToDate")
        await (writer if broken == "writer" else other).run(BREAK)
        await other.send("typed")

        assert (await bob.event("message"))["body"] == "typed"
        for tab in (writer, other):
            await tab.run("if (app.whole) { " + MEND + " }; return true")
            await tab.settled()
            await tab.until("app.texts().join() === 'typed' && app.roost.snapshot.isStored")
        await other.send("after")
        await other.settled()
        assert browser.problems == []
    assert await said(bob, "alice") == ["typed", "after"]


@needs_browser
async def test_without_a_store_it_chats_and_two_tabs_do_not_fight(web, site):
    bob = await web.device("bob")
    async with Browser(site) as browser:
        tabs = [await browser.tab() for _ in range(2)]
        for number, tab in enumerate(tabs):
            await tab.page.wait_for_function("window.app !== undefined")
            await tab.run(BREAK)
            await tab.start(web, "alice", to="@bob", device="web")
            await tab.send(f"from {number}")
            await tab.settled()
            assert await tab.run("app.roost.snapshot.isStored") is False
        for tab in tabs:
            await tab.until("app.texts().join() === 'from 0,from 1'")
        # They become tabs of one session when the store works.
        for tab in tabs:
            await tab.send("typed in memory")
            await tab.run(MEND)
            await tab.until("app.roost.snapshot.isStored")

        async def writers():
            return [await tab.run("app.roost.snapshot.isWriter && app.roost.snapshot.isUpToDate") for tab in tabs]

        async def there_is_one():
            return sum(await writers()) == 1
        await until(there_is_one, "one tab with the session")
        for tab in tabs:
            await tab.settled()
            await tab.until("app.texts().join() === 'from 0,from 1,typed in memory,typed in memory'")
        assert browser.problems == []
    assert await said(bob, "alice") == ["from 0", "from 1", "typed in memory", "typed in memory"]


@needs_browser
async def test_another_log_empties_the_cache_and_not_the_outbox(web, site):
    port = web.port
    async with Browser(site) as browser:
        tab = await browser.tab()
        await tab.start(web, "alice", to="@bob")
        await tab.send("of the old log")
        await tab.settled()
        web.kill()
        await tab.send("waits")
        for file in web.folder.glob("roost.db*"):
            file.unlink()
        await tab.run("app.mayGo = true")
        web.start(listen__port=port)
        await tab.settled()
        await tab.until("app.texts().join() === 'waits'")
        assert browser.problems == []
    bob = await web.device("bob")
    assert await said(bob, "alice") == ["waits"]


@needs_browser
async def test_kill_at_any_time_loses_and_doubles_nothing(web, site):
    generator = random.Random(23)
    typed, best, count, due = [], {}, 0, 0
    bob = await web.device("bob")

    async def live(tab, texts):
        await tab.start(web, "alice", to="@bob", user="alice")
        await tab.run("app.best = new Map(x)", list(best.items()))
        await tab.type(texts)
        while True:
            found = await tab.run("return [[...app.best], app.back]")
            best.update(dict(found[0]))
            assert found[1] == []
    async with Browser(site) as browser:
        await browser.context.expose_function("noted", lambda text: typed.append(text))
        for _ in range(POINTS):
            tab = await browser.tab()
            texts = [f"m-{count + number}" for number in range(generator.randint(0, 4))]
            count += len(texts)
            stored = generator.randint(0, len(texts))
            due += stored
            # Often right then, while the next text is stored or the first is sent.
            transactions = generator.randint(0, generator.choice((2, 20)))
            await tab.live(live(tab, texts), stored, transactions, crashes=generator.random() < 0.5)
        tab = await browser.tab()
        await tab.start(web, "alice", to="@bob")
        await tab.settled()
    there = await said(bob, "alice")
    assert len(typed) >= due > POINTS / 4, "kills came before what they had to wait for"
    assert len(set(there)) == len(there), "doubled"
    assert [text for text in there if text in set(typed)] == sorted(typed, key=lambda text: int(text[2:])), "lost"
    assert there == sorted(there, key=lambda text: int(text[2:])), "out of order"


@needs_browser
async def test_tabs_come_and_go_while_people_type(web, site):
    generator = random.Random(29)
    typed, count = [], 0
    bob = await web.device("bob")
    async with Browser(site) as browser:
        await browser.context.expose_function("noted", lambda text: typed.append(text))

        async def begin():
            tab = await browser.tab()
            await tab.start(web, "alice", to="@bob", user="alice")
            return tab
        tabs = [await begin() for _ in range(3)]
        for _ in range(20):
            for tab in tabs:
                texts = [f"{count}-{number}" for number in range(generator.randint(0, 3))]
                count += 1
                # The texts of one call belong together: they are in order.
                await tab.type(texts)
            leaver = tabs.pop(generator.randrange(3))
            if generator.random() < 0.5:
                await leaver.crash()
            await leaver.page.close()
            tabs.append(await begin())
        for tab in tabs:
            await tab.settled()
        shown = [await tab.texts() for tab in tabs]
        there = await said(bob, "alice")
        for tab in tabs:
            await tab.check()
        assert browser.problems == []
    assert len(set(there)) == len(there), "doubled"
    assert set(typed) <= set(there), "lost"
    assert len(typed) > 20
    places = {text: place for place, text in enumerate(there)}
    for text in there:
        call, number = text.split("-")
        before = f"{call}-{int(number) - 1}"
        assert before not in places or places[before] < places[text], f"{text} came before {before}"
    # Each tab shows the end of it.
    for texts in shown:
        assert texts == there[-len(texts):] and len(texts) >= min(len(there), 50)
