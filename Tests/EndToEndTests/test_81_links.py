"""The two links that a first start prints: from them to a message that the other one has read, without any id.
`roost up` with the real services, in an empty folder."""

import pytest

from harness.browser import Browser, address
from harness.chromium import CHROMIUM

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

PHONE = {"width": 390, "height": 780}


async def come(browser, link, name, **options):
    """Opens a link in a new browser, and says a name."""
    person = await browser.tab(await browser.device(**options), link)
    await person.page.locator("#start-name").fill(name)
    await person.page.locator("#start-submit").click()
    await person.live()
    return person


def row(person, title):
    return person.page.locator(".conversation", has=person.page.locator(".name").get_by_text(title, exact=True))


async def talk(olivia, ben):
    """Ben is in the conversation already, and Olivia sees why it is there."""
    await ben.page.locator("#title").get_by_text("Olivia", exact=True).wait_for()
    await ben.log.get_by_text("You joined by Olivia's link").wait_for()
    await row(olivia, "Ben").get_by_text("Ben joined by your link").wait_for()
    await olivia.shot("links-list")
    await ben.shot("links-met")
    await row(olivia, "Ben").click()
    await olivia.log.get_by_text("Ben joined by your link").wait_for()
    await ben.write("Hello Olivia")
    await olivia.sees("Hello Olivia")
    await ben.sees_state("Hello Olivia", "Read")
    await olivia.write("Welcome, Ben")
    await ben.sees("Welcome, Ben")
    await olivia.sees_state("Welcome, Ben", "Read")
    await olivia.shot("links-read")


@pytest.mark.parametrize("size", [{}, PHONE], ids=["desktop", "phone"])
async def test_the_owner_comes_first(both, size):
    owner, friend = (both.printed(pattern) for pattern in (rb"owner +(http\S+)", rb"friend +(http\S+)"))
    async with Browser(network_fails=True) as browser:
        olivia = await come(browser, owner, "Olivia", **size)
        ben = await come(browser, friend, "Ben", **size)
        await talk(olivia, ben)
        # What is there stays so, on each device.
        await ben.page.reload()
        await ben.live()
        await ben.log.get_by_text("You joined by Olivia's link").wait_for()


@pytest.mark.parametrize("size", [{}, PHONE], ids=["desktop", "phone"])
async def test_the_friend_comes_first(both, size):
    owner, friend = (both.printed(pattern) for pattern in (rb"owner +(http\S+)", rb"friend +(http\S+)"))
    async with Browser(network_fails=True) as browser:
        ben = await come(browser, friend, "Ben", **size)
        await ben.page.get_by_text("Whoever invited you isn't here yet").wait_for()
        await ben.shot("links-alone")
        olivia = await come(browser, owner, "Olivia", **size)
        await talk(olivia, ben)


async def test_another_friend_meets_the_owner_too(both, tmp_path):
    """Also one who comes while the owner is away, and finds the conversation on the return."""
    owner, friend = (both.printed(pattern) for pattern in (rb"owner +(http\S+)", rb"friend +(http\S+)"))
    async with Browser(network_fails=True) as browser:
        olivia = await come(browser, owner, "Olivia")
        await olivia.page.close()
        ben = await come(browser, friend, "Ben")
        await ben.page.locator("#title").get_by_text("Olivia", exact=True).wait_for()
        olivia = await browser.tab(olivia.context, address(both))
        await olivia.live()
        await olivia.page.locator(".conversation", has_text="joined by your link").click()
        await olivia.page.locator("#title").get_by_text("Ben", exact=True).wait_for()
