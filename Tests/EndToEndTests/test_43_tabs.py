"""Tabs of Web/roost.js that end before they can say what they stored, and tabs without locks."""

import pytest

from harness.chromium import CHROMIUM
from harness.web import Browser, connected_devices, said

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

# A tab that stores something and ends before it has said so.
MUTE = "BroadcastChannel.prototype.postMessage = () => {}; return true"


@pytest.mark.parametrize("ends", ["lives", "is closed", "crashes"])
async def test_what_a_tab_stored_and_could_not_say_is_sent_all_the_same(web, site, ends):
    bob = await web.device("bob")
    async with Browser(site) as browser:
        writer, other = await browser.tab(), await browser.tab()
        await writer.start(web, "alice", to="@bob", user="alice")
        await writer.settled()
        await other.start(web, "alice", to="@bob", user="alice")
        await other.until("app.roost.snapshot.isUpToDate")
        await other.run(MUTE)
        await other.send("last words")
        if ends == "crashes":
            await other.crash()
        if ends != "lives":
            await other.page.close()
        assert (await bob.event("message"))["body"] == "last words"
        await writer.until("app.texts().join() === 'last words'")
        await writer.settled()
        assert browser.problems == []


async def test_what_another_tab_stored_before_goes_first(web, site):
    bob = await web.device("bob")
    async with Browser(site) as browser:
        writer, other = await browser.tab(), await browser.tab()
        await writer.start(web, "alice", to="@bob", user="alice")
        await writer.settled()
        await other.start(web, "alice", to="@bob", user="alice")
        await other.run(MUTE)
        for number in range(5):
            await other.send(f"{number} silently")
            await writer.send(f"{number} then")
        await writer.settled()
        await other.settled()
        texts = [f"{number} {word}" for number in range(5) for word in ("silently", "then")]
        assert await writer.texts() == await other.texts() == texts
        await writer.check()
        assert browser.problems == []
    assert await said(bob, "alice") == texts


async def test_a_session_begins_with_what_is_on_disk(web, site):
    """Whatever else failed to say it: a reconnect reads it."""
    port = web.port
    async with Browser(site) as browser:
        writer, other = await browser.tab(), await browser.tab()
        # Neither the writer's clock nor the other tab triggers it.
        await writer.page.add_init_script("""window.setTimeout = ((set) => (body, wait) => (
            wait === 3000 ? 0 : set(body, wait)))(setTimeout)""")
        await writer.reload()
        await writer.start(web, "alice", to="@bob", user="alice")
        await writer.settled()
        await other.start(web, "alice", to="@bob", user="alice")
        await other.run(MUTE)
        web.kill()
        await other.send("on disk")
        web.start(listen__port=port)
        bob = await web.device("bob")
        assert (await bob.event("message"))["body"] == "on disk"
        await writer.settled()
        assert browser.problems == []


NEITHER_LOCKS = "Object.defineProperty(Navigator.prototype, 'locks', { value: undefined });"
NOR_CHANNEL = "delete globalThis.BroadcastChannel;"


@pytest.mark.parametrize("lacks", [NEITHER_LOCKS, NOR_CHANNEL, NEITHER_LOCKS + NOR_CHANNEL])
async def test_without_locks_the_outbox_is_as_safe(web, site, lacks):
    port = web.port
    probe = await web.device("alice", "probe")
    async with Browser(site) as browser:
        await browser.context.add_init_script(lacks)
        first, second = await browser.tab(), await browser.tab()
        for tab in (first, second):
            await tab.start(web, "alice", to="@bob", device="web", user="alice")
        await second.until("app.roost.snapshot.isUpToDate")
        texts = []
        for number in range(4):
            for name, tab in (("first", first), ("second", second)):
                texts.append(f"{name} {number}")
                await tab.send(texts[-1])
        for tab in (first, second):
            await tab.until("app.texts().length === 8 && app.roost.snapshot.pendingCount === 0")
            await tab.shows(texts)
        assert await connected_devices(probe) == ["web"]
        # The one with the session dies, with something unsent of each.
        await probe.drop()
        web.kill()
        for name, tab in (("first", first), ("second", second)):
            texts.append(f"{name} unsent")
            await tab.send(texts[-1])
        dies, lives = (first, second) if await first.run("app.roost.snapshot.isWriter") else (second, first)
        await dies.crash()
        await dies.page.close()
        web.start(listen__port=port)
        await lives.settled()
        await lives.shows(texts)
        await lives.check()
        assert browser.problems == []
    bob = await web.device("bob")
    assert await said(bob, "alice") == texts


async def test_tabs_without_locks_share_one_session_by_a_lease(web, site):
    probe = await web.device("alice", "probe")
    bob = await web.device("bob")
    async with Browser(site) as browser:
        await browser.context.add_init_script(NEITHER_LOCKS)
        first, second = await browser.tab(), await browser.tab()
        for tab in (first, second):
            await tab.start(web, "alice", to="@bob", device="web")
            await tab.until("app.roost.snapshot.isUpToDate")
        assert await first.run("app.roost.snapshot.isWriter") and not await second.run("app.roost.snapshot.isWriter")
        assert len((await second.run("return app.roost.request('devices')"))["devices"]) == 2
        assert await connected_devices(probe) == ["web"]
        await first.page.close()
        await second.until("app.roost.snapshot.isWriter && app.roost.snapshot.isUpToDate")
        await second.send("after the first has gone")
        await second.settled()
        assert browser.problems == []
    assert await said(bob, "alice") == ["after the first has gone"]


async def test_a_draft_is_that_of_its_conversation_in_all_tabs(web, site):
    draft = "return app.timeline.write(x)"
    async with Browser(site) as browser:
        first, second = await browser.tab(), await browser.tab()
        for tab in (first, second):
            await tab.start(web, "alice", to="@bob", user="alice")
            await tab.until("app.roost.snapshot.isUpToDate")
        await first.run(draft, "a long text")
        await second.until("app.timeline.draft === 'a long text' && app.timeline.snapshot.draft === 'a long text'")
        await second.send("quick")
        await first.until("app.texts().join() === 'quick'")
        assert await first.run("app.timeline.draft") == await second.run("app.timeline.draft") == "a long text"
        await first.reload()
        await first.start(web, "alice", to="@bob", user="alice")
        assert await first.run("app.timeline.draft") == "a long text"
        # The other tab sends just that; writing it once more begins another draft.
        await second.send("a long text")
        await first.until("app.timeline.draft === ''")
        await first.run(draft, "a long text")
        await second.until("app.timeline.draft === 'a long text'")
        assert browser.problems == []
