"""The operators' page in a real browser: what it shows, what it does, and that people can use it with a keyboard, a
screen reader, a phone and in the dark. Screenshots are kept in .build-screenshots."""

import asyncio
import re

import pytest

from harness.chromium import CHROMIUM, chromium
from harness.relay import REPOSITORY
from harness.waiting import until

SCREENSHOTS = REPOSITORY / ".build-screenshots"

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")


class Browser:
    """Headless Chromium. A test fails if the page says anything in the console."""

    def __init__(self):
        self.problems = []
        self.running = chromium()

    async def __aenter__(self):
        SCREENSHOTS.mkdir(exist_ok=True)
        self.chromium = await self.running.__aenter__()
        return self

    async def __aexit__(self, *why):
        await self.running.__aexit__(*why)

    async def open(self, relay, *, token=None, **options):
        context = await self.chromium.new_context(viewport={"width": 1200, "height": 900}, **options)
        page = await context.new_page()
        page.on("console", lambda line: self.problems.append(line.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        await page.goto(f"http://127.0.0.1:{relay.port}/admin" + (f"#token={token}" if token else ""))
        return page


def admin(relay, name="olga"):
    return relay.token(name, scope="admin")


async def shot(page, name):
    await page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)


async def signed_in(page):
    await page.get_by_role("heading", name="Now").wait_for()


async def talk(relay, people=3):
    """People who are here and talk."""
    devices = [await relay.device(f"user{number}") for number in range(people)]
    group = await devices[0].group("all", *[f"user{number}" for number in range(1, people)])
    for number in range(12):
        await devices[0].send(group, f"m{number}")
    for device in devices[1:]:
        await device.messages(group, 12)
        await device.call("ack", position=device.seen("message")[-1]["position"])
    return devices, group


def test_what_a_browser_is_told(relay):
    types = {
        "/admin": "text/html", "/admin/admin.css": "text/css", "/admin/admin.js": "text/javascript",
        "/admin/accounts.js": "text/javascript", "/admin/dom.js": "text/javascript",
        "/admin/signins.js": "text/javascript"}
    for path, type in types.items():
        status, headers, body = relay.get(path)
        assert (status, headers["Content-Type"]) == (200, f"{type}; charset=utf-8") and body
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
        assert (headers["X-Content-Type-Options"], headers["Referrer-Policy"]) == ("nosniff", "no-referrer")
    html = relay.get("/admin")[2]
    assert not re.search(r"<style|style=|<script(?! type=\"module\" src=)|\son\w+=|https?://", html)
    for path in ["/admin/", "/admin/page.css", "/administrator", "/admin/../metrics", "/admin/admin.js/"]:
        assert relay.get(path)[0] == 404, path


def test_the_page_can_be_off(start):
    relay = start(admin__page="off")
    assert relay.get("/admin")[0] == 404 and relay.get("/admin/admin.js")[0] == 404


async def test_signing_in_with_the_keyboard_alone(start):
    relay = start()
    async with Browser() as browser:
        page = await browser.open(relay)
        field = page.get_by_label("A token whose scope has admin")
        await field.wait_for()
        await shot(page, "sign-in")
        assert await field.evaluate("field => field === document.activeElement")
        await page.keyboard.type(relay.token("bob"))
        await page.keyboard.press("Enter")
        await page.get_by_text("only for a token whose scope has the word admin").wait_for()
        assert await page.get_by_role("heading", name="Now").count() == 0
        await page.keyboard.type(admin(relay))
        await page.keyboard.press("Enter")
        await signed_in(page)
        assert "signed in as olga" in await page.get_by_role("status").inner_text()
        # The token survives a reload, and not a sign-out.
        await page.reload()
        await signed_in(page)
        await page.get_by_role("button", name="Sign out").click()
        await field.wait_for()
        await page.reload()
        await field.wait_for()
        assert await page.evaluate("sessionStorage.length") == 0


async def test_a_link_brings_the_token_and_does_not_keep_it(start):
    relay = start()
    async with Browser() as browser:
        page = await browser.open(relay, token=admin(relay))
        await signed_in(page)
        assert page.url == f"http://127.0.0.1:{relay.port}/admin"
        assert browser.problems == []


async def test_figures_and_charts(start):
    relay = start()
    devices, _ = await talk(relay)
    await devices[2].call("status", state="busy")
    async with Browser() as browser:
        page = await browser.open(relay, token=admin(relay))
        await signed_in(page)

        async def tile(name):
            return await page.locator("dl div", has=page.get_by_text(name, exact=True)).locator("dd").inner_text()

        async def shows(name, value):
            return await tile(name) == value
        # The samples of the past don't have the page's own connection.
        await until(lambda: shows("Connections", "4"), "a sample with the page")
        await until(lambda: shows("Busy", "1"), "one who is busy")
        assert await tile("Online") == "2"
        assert re.fullmatch(r"[\d.]+ MB", await tile("Memory"))
        people = page.get_by_role("img", name=re.compile("People in 2 minutes: now online 2, away 0, busy 1"))
        await people.wait_for()
        assert await page.get_by_role("img").count() == 8
        # Figures since the page was opened make rates and lines.
        stop = asyncio.Event()

        async def chatter():
            number = 100
            while not stop.is_set():
                await devices[0].send("@user1", f"m{number}")
                number += 1
                await asyncio.sleep(0.02)
        talking = asyncio.create_task(chatter())

        async def moves():
            return (await tile("Messages a second")) not in ("–", "0")
        await until(moves, "messages a second")

        async def lines():
            paths = await page.locator("figure path").evaluate_all("all => all.map(one => one.getAttribute('d'))")
            return sum("L" in path for path in paths) >= 8
        await until(lines, "lines that join points")
        stop.set()
        await talking
        assert re.fullmatch(r"[\d.]+ / [\d.]+ ms", await tile("Commit, p50 / p99"))
        await shot(page, "figures")
        assert browser.problems == []


async def test_people_devices_and_why(start):
    relay = start()
    devices, group = await talk(relay, people=4)
    tablet = await relay.device("user1", "tablet")
    async with Browser() as browser:
        page = await browser.open(relay, token=admin(relay))
        await signed_in(page)
        await page.get_by_role("button", name="List who is here").click()
        row = page.get_by_role("row", name=re.compile("^user1 online 2$"))
        await row.wait_for()
        await row.get_by_role("button").press("Enter")
        heading = page.get_by_role("heading", name="user1")
        await heading.wait_for()
        assert await heading.evaluate("one => one === document.activeElement")
        await page.get_by_text(re.compile(r"^online: phone is active, last heard \d+ s ago")).wait_for()
        await shot(page, "person")
        # Cancel is the default: nothing happens.
        await page.get_by_role("button", name="Disconnect tablet").click()
        await page.keyboard.press("Escape")
        await tablet.call("ping")
        await page.get_by_role("button", name="Disconnect tablet").click()
        await shot(page, "confirm")
        await page.get_by_role("button", name="Yes").click()
        assert await tablet.closed() == 4006
        await page.get_by_text(re.compile("1 connection closed")).wait_for()
        await page.get_by_role("row", name=re.compile("^tablet offline .*operator")).wait_for()
        await page.get_by_role("button", name="Revoke all tokens").click()
        await page.get_by_role("button", name="Yes").click()
        assert await devices[1].closed() == 4503
        # Names of others are text, whatever they look like.
        await page.get_by_label("Name, address, id, link or position").fill("nobody")
        await page.keyboard.press("Enter")
        await page.get_by_text("Nothing found by “nobody”.").wait_for()
        await page.get_by_label("Position, or conversation").fill(group)
        await page.get_by_label("Sequence").fill("1")
        await page.keyboard.press("Enter")
        await page.get_by_role("row", name=re.compile("^user0 phone sent it$")).wait_for()
        assert await page.get_by_role("row", name=re.compile("^user2 phone delivered$")).count() == 1
        await shot(page, "message")
        assert browser.problems == []


async def test_long_lists_come_in_pages(start):
    relay = start(limits__connections_per_address=300)
    for number in range(70):
        await relay.device(f"<b>user{number}</b>")
    async with Browser() as browser:
        page = await browser.open(relay, token=admin(relay))
        await signed_in(page)
        await page.get_by_role("button", name="List who is here").click()
        rows = page.locator("#people tbody tr")
        await until(lambda: counted(rows, 50), "a page")
        await page.locator("#more-people").press("Enter")
        await until(lambda: counted(rows, 70), "the next page")
        assert await page.locator("#more-people").is_hidden()
        # A name is never markup.
        assert await page.locator("#people b").count() == 0
        assert await rows.first.get_by_role("button").inner_text() == "<b>user0</b>"


async def counted(rows, number):
    return await rows.count() == number


async def test_a_phone_in_the_dark(start):
    relay = start()
    await talk(relay)
    async with Browser() as browser:
        page = await browser.open(relay, token=admin(relay), color_scheme="dark")
        await page.set_viewport_size({"width": 360, "height": 760})
        await signed_in(page)
        await page.get_by_role("button", name="List who is here").click()
        await page.locator("#people tbody tr").first.wait_for()
        await page.locator("#people tbody tr button").first.click()
        await page.get_by_role("heading", name="user0").wait_for()
        widths = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert widths[0] <= widths[1], "nothing sticks out to the side"
        await shot(page, "phone-dark")
        ground = await page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert ground == "rgb(20, 23, 26)"
        assert browser.problems == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_colours_can_be_told_apart(start, scheme):
    """Text has a contrast of 4.5:1 at least, and what is only drawn 3:1 (WCAG 2.2, 1.4.3 and 1.4.11)."""
    relay = start()
    async with Browser() as browser:
        page = await browser.open(relay, token=admin(relay), color_scheme=scheme)
        await signed_in(page)
        colours = await page.evaluate("""() => Object.fromEntries(
            ["ground", "panel", "text", "faint", "accent", "danger", "on-accent", "series-0", "series-1", "series-2"]
                .map(name => [name, getComputedStyle(document.body).getPropertyValue("--" + name).trim()]))""")
        for text in ["text", "faint", "accent", "danger"]:
            for ground in ["ground", "panel"]:
                assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
        assert contrast(colours["on-accent"], colours["accent"]) >= 4.5
        for series in ["series-0", "series-1", "series-2"]:
            assert contrast(colours[series], colours["panel"]) >= 3, series


def contrast(one, other):
    def luminance(colour):
        parts = [int(colour[place:place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    high, low = sorted([luminance(one), luminance(other)], reverse=True)
    return (high + 0.05) / (low + 0.05)


async def test_everything_has_a_name(start):
    """Whatever can be used or seen has a name for a screen reader, and each heading is in its order."""
    relay = start()
    await talk(relay)
    async with Browser() as browser:
        page = await browser.open(relay, token=admin(relay))
        await signed_in(page)
        unnamed = await page.evaluate("""() => [...document.querySelectorAll("button, input, svg[role=img], table")]
            .filter(one => !(one.getAttribute("aria-label") || one.textContent.trim() || one.labels?.length
                || one.caption)).map(one => one.outerHTML)""")
        assert unnamed == []
        levels = await page.evaluate(
            "[...document.querySelectorAll('h1, h2, h3')].map(one => Number(one.tagName[1]))")
        assert levels[0] == 1 and all(after - before <= 1 for before, after in zip(levels, levels[1:], strict=False))
        # With the keyboard alone one gets everywhere, and sees where one is.
        reached = set()
        await page.evaluate("document.activeElement.blur()")
        for _ in range(20):
            await page.keyboard.press("Tab")
            reached.add(await page.evaluate("document.activeElement.id || document.activeElement.textContent"))
        wanted = {"Skip to the content", "leave", "find-words", "Find", "list-people", "place", "sequence", "Show"}
        assert wanted <= reached


async def test_a_relay_that_goes_and_comes_back(start):
    relay = start()
    async with Browser() as browser:
        page = await browser.open(relay, token=admin(relay))
        await signed_in(page)
        port = relay.port
        relay.kill()
        await page.get_by_role("status").get_by_text("Connection lost").wait_for()
        await shot(page, "lost")
        relay.start(listen__port=port)
        await page.get_by_role("status").get_by_text("signed in as olga").wait_for()


async def test_a_revoked_operator_has_to_sign_in_again(start):
    relay = start()
    other = await relay.operator("other")
    async with Browser() as browser:
        page = await browser.open(relay, token=admin(relay))
        await signed_in(page)
        await other.call("admin.revoke", user="olga")
        await page.get_by_text("The token is no longer good").wait_for()


async def test_a_page_of_another_origin_is_told_why(start):
    relay = start(listen__origins="https://chat.example.org")
    async with Browser() as browser:
        page = await browser.open(relay, token=admin(relay))
        await page.get_by_text("listen.origins").wait_for(timeout=20_000)
