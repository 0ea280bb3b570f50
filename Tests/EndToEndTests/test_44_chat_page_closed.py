"""Where writing can't succeed, the page says so in place of the field, with the way out. Blocks by others show nowhere.
"""

import pytest

from harness.browser import Browser
from harness.chromium import CHROMIUM
from test_44_chat_page import two
from test_44_chat_page_talk import GATE

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

PHONE = {"width": 390, "height": 780, "has_touch": True}
SIZES = pytest.mark.parametrize("size", [{}, PHONE], ids=["desktop", "phone"])


def trouble(person):
    return person.page.locator("#trouble")


async def send(person, text):
    """With a finger, too: there Enter is a new line."""
    await person.field.fill(text)
    await person.page.get_by_role("button", name="Send", exact=True).click()


async def names_of_acts(person, text, is_phone):
    """Returns the acts for a message, as its toolbar names them."""
    row = person.message(text)
    await (row.tap() if is_phone else row.click())
    bar = person.page.get_by_role("toolbar").get_by_role("button")
    await bar.first.wait_for()
    return [await one.get_attribute("title") for one in await bar.all()]


@SIZES
async def test_who_has_blocked_somebody_unblocks_to_write(start, size):
    relay = start()
    bob = await relay.device("bob")
    async with Browser() as browser:
        alice = await browser.person(relay, "alice", **size)
        await alice.live()
        await alice.page.evaluate("location.hash = '#/@bob'")
        await send(alice, "Hello")
        await bob.event("message", body="Hello")
        await alice.page.get_by_role("button", name="About this conversation").click()
        card = alice.page.get_by_role("dialog", name="bob")
        await card.get_by_role("button", name="Block", exact=True).click()
        await alice.page.get_by_role("dialog", name="Block bob").get_by_role("button", name="Block").click()
        await card.get_by_role("button", name="Unblock").wait_for()
        await alice.page.keyboard.press("Escape")
        await trouble(alice).get_by_text("You blocked bob.").wait_for()
        assert await alice.page.locator("#composer").is_hidden()
        # Nor does anything else offer to write, which would be refused.
        assert await names_of_acts(alice, "Hello", size) == ["Copy", "Read by", "Thread", "Forward", "Pin", "Delete"]
        await alice.shot(f"closed-blocked-{'phone' if size else 'desktop'}")
        way = alice.page.get_by_role("toolbar").get_by_role("button", name="Thread")
        await (way.tap() if size else way.click())
        thread = alice.page.get_by_role("dialog", name="Thread")
        await thread.get_by_text("You blocked bob.").wait_for()
        assert await thread.get_by_label("Message in this thread").is_hidden()
        await alice.page.keyboard.press("Escape")
        await trouble(alice).get_by_role("button", name="Unblock").click()
        await alice.page.locator("#composer").wait_for()
        await trouble(alice).wait_for(state="hidden")
        await send(alice, "Still there?")
        await bob.event("message", body="Still there?")


async def test_who_is_blocked_sees_nothing_of_it(start):
    relay = start()
    async with Browser() as browser:
        alice, bob = await two(browser, relay, lambda word: word)
        other = await relay.device("alice", "other")
        await other.call("contact.block", users=["bob"])
        await trouble(alice).get_by_text("You blocked bob.").wait_for()
        await bob.write("Are you there?")
        await bob.sees_state("Are you there?", "Sent")
        assert await bob.page.locator("#composer").is_visible() and await trouble(bob).is_hidden()
        await bob.page.reload()
        await bob.live()
        await bob.sees("Are you there?")
        assert await bob.page.locator("#composer").is_visible() and await trouble(bob).is_hidden()


@SIZES
async def test_a_request_waits_for_an_answer(start, size):
    relay = start(**GATE)
    bob = await relay.device("bob")
    async with Browser() as browser:
        zoe = await browser.person(relay, "zoe", **size)
        await zoe.live()
        await zoe.page.evaluate("location.hash = '#/@bob'")
        await zoe.page.locator("#title", has_text="bob").wait_for()
        await send(zoe, "Hello?")
        words = "Waiting for bob to accept your message. You can write more after that."
        await trouble(zoe).get_by_text(words).wait_for()
        assert await zoe.page.locator("#composer").is_hidden()
        await zoe.shot(f"closed-request-{'phone' if size else 'desktop'}")
        request = (await bob.event("message", body="Hello?"))["conversation"]
        # Zoe sees nothing of bob's choice.
        await bob.call("request.drop", conversation=request)
        await bob.call("contact.block", users=["zoe"])
        await zoe.page.reload()
        await zoe.live()
        await trouble(zoe).get_by_text("Waiting for bob to accept your message.").wait_for()
        await bob.call("contact.unblock", users=["zoe"])
        await bob.call("request.accept", conversation=request)
        await zoe.page.locator("#composer").wait_for()
        await send(zoe, "Thank you")
        await bob.event("message", body="Thank you")


async def test_who_shares_a_group_writes_whatever_became_of_a_request(start):
    relay = start(**{**GATE, "gate__shared_groups": "on"})
    bob, carol = await relay.device("bob"), await relay.device("carol")
    async with Browser() as browser:
        zoe = await browser.person(relay, "zoe")
        await zoe.live()
        await zoe.page.evaluate("location.hash = '#/@bob'")
        await zoe.write("Hello?")
        await trouble(zoe).get_by_text("Waiting for bob").wait_for()
        await carol.call("contact.invite", user="zoe")
        await zoe.page.get_by_role("button", name="People, 1 invitation").click()
        await zoe.page.get_by_role("button", name="Accept: carol").click()
        await zoe.page.keyboard.press("Escape")
        await carol.call("contact.invite", user="bob")
        await bob.call("contact.accept", user="carol")
        await carol.group("Crew", "zoe", "bob")
        await zoe.page.locator("#composer").wait_for()
        await zoe.write("We share a group")
        await bob.event("message", body="We share a group")


async def test_an_account_that_was_deleted(start):
    relay = start()
    async with Browser() as browser:
        alice, bob = await two(browser, relay, lambda word: word)
        service = await relay.service()
        await service.call("admin.profile", user="bob", deleted=True)
        await trouble(alice).get_by_text("This account was deleted.").wait_for()
        assert await alice.page.locator("#composer").is_hidden()
        await alice.page.reload()
        await alice.live()
        await trouble(alice).get_by_text("This account was deleted.").wait_for()
        assert await alice.page.locator("#composer").is_hidden()
        await alice.sees("Hello Bob")
        await alice.shot("closed-deleted")
