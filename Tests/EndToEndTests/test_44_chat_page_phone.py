"""On a phone only one thing is in sight at a time: Back removes the topmost layer first, and shows the number of unread
messages elsewhere. A passing message covers no button.
"""

import pytest

from harness.browser import Browser
from harness.chromium import CHROMIUM
from test_44_chat_page_talk import GATE

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

PHONE = {"width": 390, "height": 780, "has_touch": True}
# The buttons of which a notice would cover a part.
COVERED = """() => {
    const notice = document.getElementById("notice").getBoundingClientRect();
    return [...document.querySelectorAll("button")].filter((one) => {
        const box = one.getBoundingClientRect();
        return one.checkVisibility() && !one.closest("#log") && box.width > 0 && box.left < notice.right
            && box.right > notice.left && box.top < notice.bottom && box.bottom > notice.top;
    }).map((one) => one.outerHTML.slice(0, 120));
}"""


async def at_bobs(browser, relay, **options):
    """Alice reads Bob's messages, and the acts for him."""
    bob = await relay.device("bob")
    await bob.send("@alice", "Lunch?")
    alice = await browser.person(relay, "alice", **options)
    await alice.open("bob")
    await alice.sees("Lunch?")
    return alice, bob


async def test_back_takes_away_what_lies_above_first(start):
    async with Browser() as browser:
        alice, _ = await at_bobs(browser, start(), **PHONE)
        await alice.message("Lunch?").tap()
        await alice.page.get_by_role("toolbar").get_by_role("button", name="Thread").tap()
        thread = alice.page.get_by_role("dialog", name="Thread")
        await thread.wait_for()
        await alice.page.go_back()
        await thread.wait_for(state="hidden")
        await alice.sees("Lunch?")
        # The same with any dialog, and with what can be done with a message.
        await alice.page.get_by_role("button", name="About this conversation").tap()
        card = alice.page.get_by_role("dialog", name="bob")
        await card.get_by_role("button", name="Report").tap()
        report = alice.page.get_by_role("dialog", name="Report bob")
        await report.wait_for()
        await alice.page.go_back()
        await report.wait_for(state="hidden")
        assert await card.is_visible()
        await alice.page.go_back()
        await card.wait_for(state="hidden")
        await alice.message("Lunch?").tap()
        await alice.page.get_by_role("toolbar").wait_for()
        await alice.page.go_back()
        await alice.page.get_by_role("toolbar").wait_for(state="hidden")
        assert await alice.page.locator("#title", has_text="bob").is_visible()
        await alice.page.go_back()
        await alice.page.locator("#list .conversation").wait_for()
        assert await alice.page.locator("#conversation").is_hidden()
        await alice.page.go_forward()
        await alice.sees("Lunch?")


async def test_back_says_how_much_is_unread_elsewhere(start):
    relay = start()
    async with Browser() as browser:
        alice, bob = await at_bobs(browser, relay, **PHONE)
        back = alice.page.locator("#back-button")
        assert await back.get_attribute("aria-label") == "Back to conversations"
        carol, dora = await relay.device("carol"), await relay.device("dora")
        for words in ("One", "Two"):
            await carol.send("@alice", words)
        await dora.send("@alice", "Three")
        await alice.page.get_by_role("button", name="Back to conversations, 3 unread").wait_for()
        assert await back.inner_text() == "3"
        await alice.shot("back-unread")
        # A message that comes here is in sight.
        await bob.send("@alice", "Now?")
        await alice.sees("Now?")
        assert await back.inner_text() == "3"
        await back.tap()
        await alice.open("carol")
        await alice.page.get_by_role("button", name="Back to conversations, 1 unread").wait_for()


@pytest.mark.parametrize("options", [PHONE, {}], ids=["phone", "desktop"])
async def test_a_notice_covers_no_button(start, options):
    relay = start(**GATE)
    bob = await relay.device("bob")
    await bob.send("@alice", "Lunch?")
    async with Browser() as browser:
        alice = await browser.person(relay, "alice", permissions=["clipboard-read", "clipboard-write"], **options)
        await alice.page.locator("#requests").click()
        await alice.page.get_by_role("button", name="View: bob").click()
        row = await alice.sees("Lunch?")
        await alice.page.get_by_role("region", name="Request").wait_for()
        notice = alice.page.locator("#notice")
        bar = alice.page.get_by_role("toolbar")
        if options:
            await row.tap()
            await bar.get_by_role("button", name="Copy").tap()
        else:
            await alice.does("Lunch?", "Copy")
        await notice.get_by_text("Copied.").wait_for()
        await alice.shot(f"notice-{'phone' if options else 'desktop'}")
        assert await alice.page.evaluate(COVERED) == []
        # In a dialog: above it.
        await alice.page.evaluate("location.hash = ''")
        await alice.page.locator("#conversation").wait_for(state="hidden")
        await alice.page.get_by_role("button", name="Invite people").click()
        await alice.page.get_by_role("button", name="Create link").click()
        await alice.page.locator("#invite-copy").click()
        await notice.get_by_text("Link copied.").wait_for()
        await alice.shot(f"notice-dialog-{'phone' if options else 'desktop'}")
        assert [one for one in await alice.page.evaluate(COVERED) if "data-close" in one] == []
        # And where it is over one, it lets the finger through.
        assert await notice.evaluate("one => getComputedStyle(one).pointerEvents") == "none"
