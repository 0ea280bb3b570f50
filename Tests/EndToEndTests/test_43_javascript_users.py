"""Web/roost.js with several users in one browser: no user sees, removes or sends another's data."""

import pytest

from harness.chromium import CHROMIUM
from harness.web import Browser, said

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")


async def test_another_user_sees_nothing_and_takes_nothing_away(web, site):
    port = web.port
    async with Browser(site) as browser:
        tab = await browser.tab()
        await tab.start(web, "alice", to="@bob")
        await tab.send("stored")
        await tab.settled()
        web.kill()
        await tab.send("waits")
        web.start(listen__port=port)
        await tab.reload()
        await tab.start(web, "carol", to="@bob", user="carol")
        await tab.until("app.roost.snapshot.isUpToDate && app.roost.snapshot.user === 'carol'")
        assert await tab.texts() == []
        assert await tab.run("app.roost.conversations.snapshot.rows.length + app.roost.snapshot.pendingCount") == 0
        await tab.reload()
        await tab.start(web, "alice", to="@bob", connects=False, user="alice")
        assert await tab.texts() == ["waits"], "the outbox is alice's, and her cache went with carol"
        await tab.run("return app.roost.connect()")
        await tab.settled()
        await tab.until("app.texts().join() === 'stored,waits'")
        assert browser.problems == []


async def test_no_tab_sends_in_the_name_of_another_tabs_user(web, site):
    bob = await web.device("bob")
    async with Browser(site) as browser:
        first, second = await browser.tab(), await browser.tab()
        await first.start(web, "alice", to="@bob", user="alice")
        await second.start(web, "alice", to="@bob", user="alice")
        await first.send("alice's")
        await first.settled()
        await second.run("return app.roost.signOut()")
        await second.reload()
        await second.start(web, "carol", to="@bob", user="carol")
        await second.send("carol's")
        await second.settled()
        # The first tab was signed out, too, and doesn't sign alice in again.
        assert await first.run("app.roost.snapshot.connection.state") == "offline"
        assert await first.run("return app.timeline.send('lost?').catch(({ code }) => code)") == "wrong_user"
        await first.until("app.roost.snapshot.connection.reason === 'wrongUser'")
        await first.run("return app.roost.connect()")
        assert await first.run("app.roost.snapshot.connection.reason") == "wrongUser"
        # The tab that has the session gives it up when another user comes.
        await first.reload()
        await first.start(web, "dave", to="@bob", user="dave")
        await second.until("app.roost.snapshot.connection.reason === 'wrongUser'")
        await first.send("dave's")
        await first.settled()
        assert await second.run("return app.timeline.send('lost?').catch(({ code }) => code)") == "wrong_user"
        # So does one without a named user.
        await second.reload()
        await second.start(web, "dave", to="@bob")
        await second.settled()
        await first.run("return app.roost.signOut()")
        await first.reload()
        await first.start(web, "erin", to="@bob")
        await first.send("erin's")
        await first.settled()
        assert browser.problems == []
    for who in ("alice", "carol", "dave", "erin"):
        assert await said(bob, who) == [f"{who}'s"]
