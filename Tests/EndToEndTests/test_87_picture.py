"""The picture on the README's first screen: the chat page itself, after three people have met by links. It lies in
`.build-screenshots/chat-readme.png`; if the page has changed, it is copied to `Docs/Images/chat.png`."""

import pytest

from harness.browser import Browser
from harness.chromium import CHROMIUM
from test_81_links import begin, come, make, row

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

# Twice as many pixels as the README shows, for dense screens.
SIZE = {"width": 1180, "height": 720, "device_scale_factor": 2}


async def test_three_people_meet_and_the_picture_is_taken(both):
    await both.listening()
    async with Browser(network_fails=True) as browser:
        olivia = await begin(browser, both, "Olivia", **SIZE)
        link = await make(olivia, uses="10")
        await olivia.page.keyboard.press("Escape")
        ben, cleo = await come(browser, link, "Ben"), await come(browser, link, "Cleo")
        await row(olivia, "Ben").click()
        await ben.write("Morning! Are we still on for Saturday?")
        await olivia.sees("Morning! Are we still on for Saturday?")
        await olivia.write("Yes, from **two o'clock**. I'll bring the projector.")
        await ben.does("Yes, from two o'clock. I'll bring the projector.", "React")
        await ben.page.get_by_role("toolbar").get_by_role("button", name="👍").click()
        await olivia.page.get_by_role("button", name="👍, 1 time").wait_for()
        await ben.write("Perfect 🎉")
        await olivia.sees("Perfect 🎉")
        await olivia.write("Could you ask Cleo about the chairs?")
        await olivia.sees_state("Could you ask Cleo about the chairs?", "Read")
        await cleo.write("The lights are in the van.")
        await row(olivia, "Cleo").get_by_text("The lights are in the van.").wait_for()
        await olivia.shot("readme")
