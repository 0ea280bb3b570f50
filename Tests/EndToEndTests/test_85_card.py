"""A person's card: the profile, the common groups, and the possible acts. It opens wherever a person is shown."""

import pytest

from harness.browser import Browser
from harness.chromium import CHROMIUM
from harness.waiting import until
from test_84_picker import OUTSIDE, PHONE, town

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")


async def test_a_card_shows_who_somebody_is(start):
    async with Browser() as browser:
        relay, devices, olivia = await town(start, browser)
        await devices["ben"].call("profile.set", bio="Sails at weekends.\nBakes bread.")
        await devices["ben"].group("Harbour crew", "olivia")
        await olivia.page.locator("#list .name", has_text="Harbour crew").wait_for()
        await olivia.open("Ben Friend")
        await olivia.page.locator("#title").click()
        card = olivia.page.get_by_role("dialog", name="Ben Friend")
        await card.get_by_text("@ben").wait_for()
        await card.get_by_text("Bakes bread.").wait_for()
        await card.get_by_text("online").wait_for()
        groups = card.get_by_role("region", name="Groups in common").get_by_role("button")
        assert await groups.all_inner_texts() == ["H\nHarbour crew"]
        await olivia.shot("card")
        # It follows what is said and done elsewhere.
        await devices["ben"].call("profile.set", name="Ben F.", bio="")
        await olivia.page.get_by_role("dialog", name="Ben F.").wait_for()
        await card_of(olivia, "Ben F.").get_by_text("Bakes bread.").wait_for(state="hidden")
        # A name from a list survives another list with less about it.
        await card_of(olivia, "Ben F.").get_by_role("button", name="Mute").click()
        await card_of(olivia, "Ben F.").get_by_role("button", name="Unmute").wait_for()
        await card_of(olivia, "Ben F.").get_by_text("@ben").wait_for()
        await card_of(olivia, "Ben F.").get_by_role("button", name="Harbour crew").click()
        await olivia.page.locator("#title", has_text="Harbour crew").wait_for()
        assert await olivia.page.locator("dialog[open]").count() == 0


async def test_a_card_opens_wherever_somebody_is_named(start):
    async with Browser() as browser:
        relay, devices, olivia = await town(start, browser)
        group = (await devices["cem"].call("conversation.list"))["conversations"][0]["conversation"]
        await devices["cem"].send(group, "Who watches tonight?")
        await olivia.open("Night watch")
        row = await olivia.sees("Who watches tonight?")
        # By the author, and by the list of members with the keyboard alone; from there one writes.
        await row.locator(".author").click()
        await card_of(olivia, "Çem Ünal").get_by_role("button", name="Close").click()
        keys = olivia.page.keyboard
        await keys.press("Alt+KeyI")
        members = olivia.page.get_by_role("dialog", name="Night watch").get_by_role("listitem")
        await members.filter(has_text="נועה לוי").wait_for()
        await olivia.page.get_by_role("button", name="נועה לוי").focus()
        await keys.press("Enter")
        card = card_of(olivia, "נועה לוי")
        await card.get_by_role("button", name="Message").and_(olivia.page.locator(":focus")).wait_for()
        await olivia.shot("card-rtl")
        await keys.press("Enter")
        await olivia.page.locator("#title", has_text="נועה לוי").wait_for()
        await olivia.page.locator("#text:focus").wait_for()
        assert await olivia.page.locator("dialog[open]").count() == 0
        # One's own leads to one's profile.
        await olivia.open("Night watch")
        await keys.press("Alt+KeyI")
        await olivia.page.get_by_role("dialog", name="Night watch").get_by_role("button", name="olivia").click()
        await olivia.page.locator("#settings-name", has_text="Profile").wait_for()
        assert await olivia.page.locator("dialog[open]").count() == 0


async def test_contacts_and_blocks_from_a_card(start):
    async with Browser() as browser:
        relay, devices, olivia = await town(start, browser, **PHONE)
        await olivia.page.locator("#list .name", has_text="Ben Friend").tap()
        await olivia.page.get_by_role("button", name="About this conversation").tap()
        card = card_of(olivia, "Ben Friend")
        await card.get_by_role("button", name="Add to contacts").tap()
        assert (await devices["ben"].event("contact", user="olivia"))["state"] == "received"
        await card.get_by_role("button", name="Cancel invitation").tap()
        await card.get_by_role("button", name="Add to contacts").wait_for()
        await devices["ben"].call("contact.invite", user="olivia")
        await card.get_by_role("button", name="Accept invitation").tap()
        await card.get_by_role("button", name="Remove from contacts").wait_for()
        await olivia.shot("card-phone")
        assert await olivia.page.evaluate(OUTSIDE) == []
        await card.get_by_role("button", name="Block", exact=True).tap()
        await olivia.page.get_by_role("button", name="Block", exact=True).last.tap()
        await card.get_by_text("Blocked").wait_for()
        # A blocked user's card shows nothing, and isn't offered for a group.
        await card.get_by_role("button", name="Add to contacts").wait_for(state="hidden")
        await card.get_by_role("button", name="Unblock").tap()
        await card.get_by_role("button", name="Block", exact=True).wait_for()


async def test_a_long_name_has_room(start):
    async with Browser() as browser:
        relay, devices, olivia = await town(start, browser, color_scheme="dark", **PHONE)
        await devices["lea"].send("@olivia", "Good day")
        await olivia.page.locator("#list .name", has_text="Wolfe").tap()
        await olivia.page.get_by_role("button", name="About this conversation").tap()
        await olivia.page.locator("#card-dialog").get_by_text("@lea").wait_for()
        await until(lambda: fits(olivia), "nothing outside")
        await olivia.shot("card-long-phone")


async def fits(person):
    return await person.page.evaluate(OUTSIDE) == []


def card_of(person, name):
    return person.page.get_by_role("dialog", name=name)
