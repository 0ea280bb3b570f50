"""Headless Chromium, and people who use the chat page in it."""

import contextlib
import re
from collections import deque
from urllib.parse import quote

from .chromium import SHELL, chromium
from .relay import REPOSITORY
from .waiting import PATIENCE

SCREENSHOTS = REPOSITORY / ".build-screenshots"

# Most of a page's text to show when a test fails. In characters.
SHOWN = 5_000

# Lines that the browser itself writes into the console when the relay is away or refuses a token: not the page's doing.
OF_THE_NETWORK = re.compile(
    r"WebSocket connection to|net::ERR_|Failed to load resource|Service Worker registration blocked")


class Browser:
    """Headless Chromium. Lines of pages' consoles are kept in `problems`, and fail the test at its end."""

    def __init__(self, *, network_fails=False, program=SHELL):
        self.running = chromium(program)
        self.problems = []
        self.lines = deque(maxlen=50)
        self.network_fails = network_fails

    async def __aenter__(self):
        SCREENSHOTS.mkdir(exist_ok=True)
        self.chromium = await self.running.__aenter__()
        return self

    async def __aexit__(self, kind, *rest):
        if kind is not None:
            await self.tell()
        await self.running.__aexit__(kind, *rest)
        if kind is None:
            assert self.problems == [], self.problems

    async def device(self, width=1100, height=760, locale="en-GB", **options):
        """A browser of its own, with its own storage."""
        device = await self.chromium.new_context(
            viewport={"width": width, "height": height}, locale=locale, timezone_id="UTC", **options)
        device.set_default_timeout(PATIENCE * 1_000)
        return device

    async def tab(self, device, address):
        """Opens an address in a new tab."""
        page = await device.new_page()
        page.on("console", lambda line: self.said(line.text))
        page.on("pageerror", lambda error: self.said(str(error)))
        await page.goto(address)
        return Person(page)

    async def tell(self):
        """Prints the pages' text, to find out why a test failed."""
        for page in [page for device in self.chromium.contexts for page in device.pages]:
            with contextlib.suppress(Exception):
                shown = await page.locator("body").aria_snapshot(timeout=1_000)
                print(f"{page.url} shows:\n{shown[:SHOWN]}")
        print("The console said:", self.lines)

    def said(self, line):
        self.lines.append(line)
        if not (self.network_fails and OF_THE_NETWORK.search(line)):
            self.problems.append(line)

    async def person(self, relay, user, *, token=None, **options):
        """Opens a link as a user in a new browser."""
        device = await self.device(**options)
        return await self.tab(device, address(relay, token or relay.token(user)))


def address(relay, token=None):
    return f"http://127.0.0.1:{relay.port}/" + (f"#token={token}" if token else "")


class Person:
    """A user at the chat page, and the page in sight."""

    def __init__(self, page):
        self.page = page
        self.context = page.context
        self.field = page.locator("#text")
        self.log = page.get_by_role("log")

    async def shot(self, name):
        await self.page.screenshot(path=SCREENSHOTS / f"chat-{name}.png")

    async def live(self):
        """Waits until the page has everything."""
        await self.page.locator("body[data-live=true]").wait_for()

    async def pick(self, user, words=None):
        """Looks for a user in the picker, by the id or by other words, and chooses it."""
        await self.page.locator("#pick-find").fill(words or user)
        await self.page.locator(f'[id="pick-list-{quote(user)}"]').click()

    async def meet(self, user):
        """Begins a conversation with a user."""
        await self.page.get_by_role("button", name="New conversation").click()
        await self.pick(user)
        await self.page.locator("#title", has_text=user).wait_for()
        await self.page.locator("#text:focus").wait_for()

    async def settings(self, section):
        """Opens a section of the settings, and returns it."""
        await self.page.evaluate("section => { location.hash = `#/settings/${section.toLowerCase()}`; }", section)
        await self.page.locator("#settings-name", has_text=section).wait_for()
        return self.page.locator("#settings-pane")

    async def open(self, title):
        await self.page.locator(".conversation", has=self.page.locator(".name").get_by_text(title, exact=True)).click()
        await self.page.locator("#title", has_text=title).wait_for()

    async def write(self, text):
        await self.field.fill(text)
        await self.field.press("Enter")

    def message(self, text):
        """The row of a message."""
        return self.page.locator(".message", has=self.page.locator(".content").get_by_text(text, exact=True))

    async def sees(self, text):
        await self.message(text).wait_for()
        return self.message(text)

    async def sees_state(self, text, label):
        """Waits until one's own message has got so far."""
        await self.message(text).get_by_role("img", name=label, exact=True).wait_for()

    async def does(self, text, action):
        """Uses the bar of a message."""
        await self.message(text).hover()
        await self.page.get_by_role("toolbar").get_by_role("button", name=action, exact=True).click()

    async def texts(self):
        """All messages in their order."""
        return await self.page.locator(".message .content").all_inner_texts()
