"""The settings: one page with an address for each section, in two columns or one; and how much is unread, on icons."""

import re

import pytest

from harness.browser import Browser, address
from harness.chromium import CHROMIUM
from harness.waiting import until
from test_44_chat_page import titled, two
from test_54_chat_page_accounts import fill, sign_up
from test_84_picker import OUTSIDE, PHONE

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

SECTIONS = ("Profile", "Privacy", "Notifications", "Language", "Devices", "Account")


async def shows(person, section):
    await person.page.locator("#settings-name", has_text=section).wait_for()


async def test_the_settings_are_a_page_with_addresses(start):
    relay = start()
    async with Browser() as browser:
        alice, bob = await two(browser, relay, lambda word: word)
        page = alice.page
        await page.get_by_role("button", name=re.compile("^You, alice")).click()
        await shows(alice, "Profile")
        assert page.url.endswith("#/settings") and await page.title() == "Settings – Roost"
        # A conversation that is read must be in sight, so it is closed meanwhile.
        await bob.write("Are you there?")
        await until(lambda: titled(alice, "(1) Settings – Roost"), "one unread")
        nav = page.get_by_role("navigation", name="Settings")
        for section in SECTIONS:
            await nav.get_by_role("link", name=section).click()
            await shows(alice, section)
            assert page.url.endswith(f"#/settings/{section.lower()}")
            assert await nav.get_by_role("link", name=section).get_attribute("aria-current") == "page"
            await alice.shot(f"settings-{section.lower()}")
        # Back, Forward, a reload, and an address that was written down.
        await page.go_back()
        await shows(alice, "Devices")
        await page.go_forward()
        await shows(alice, "Account")
        await page.reload()
        await shows(alice, "Account")
        await page.evaluate("location.hash = '#/settings/privacy'")
        await shows(alice, "Privacy")
        await page.evaluate("location.hash = '#/settings/no-such-section'")
        await until(lambda: titled(alice, "(1) Settings – Roost"), "still the settings")
        # By the keyboard: out, and the list is there again.
        await page.locator("#settings-title").focus()
        await page.keyboard.press("Escape")
        await page.locator("#settings").wait_for(state="hidden")
        await alice.open("bob")
        await alice.sees("Are you there?")
        # From a conversation one comes back to it.
        await page.get_by_role("button", name=re.compile("^You, alice")).click()
        await shows(alice, "Profile")
        await page.get_by_role("button", name="Back to conversations").click()
        await page.locator("#title", has_text="bob").wait_for()
        await page.locator("#text:focus").wait_for()


async def test_on_a_phone_the_sections_are_a_list(start):
    relay = start()
    async with Browser() as browser:
        alice = await browser.person(relay, "alice", color_scheme="dark", **PHONE)
        await alice.live()
        page = alice.page
        await page.get_by_role("button", name=re.compile("^You, alice")).tap()
        await page.get_by_role("link", name="Notifications").wait_for()
        assert not await page.locator("#settings-pane").is_visible()
        await alice.shot("settings-phone")
        for section in SECTIONS:
            await page.get_by_role("link", name=section).tap()
            await shows(alice, section)
            assert not await page.locator("#settings-nav").is_visible()
            assert await page.evaluate(OUTSIDE) == []
            small = await page.evaluate("""() => [
                ...document.querySelectorAll("#settings :is(button, a, input, select, textarea)")]
                .filter((one) => one.checkVisibility() && one.type !== "radio"
                    && Math.min(one.offsetHeight, one.offsetWidth) < 44)
                .map((one) => one.outerHTML.slice(0, 100))""")
            assert small == []
            await alice.shot(f"settings-phone-{section.lower()}")
            await page.get_by_role("button", name="Back to settings").tap()
            # The focus is where one was.
            await page.get_by_role("link", name=section).and_(page.locator(":focus")).wait_for()
        await page.get_by_role("button", name="Back to conversations").tap()
        await page.locator("#side").wait_for()


async def test_a_profile_is_told_and_followed(start):
    relay = start()
    async with Browser() as browser:
        alice, bob = await two(browser, relay, lambda word: word)
        other = await browser.person(relay, "alice", **PHONE)
        theirs = await other.settings("Profile")
        pane = await alice.settings("Profile")
        await pane.get_by_label("Name", exact=True).fill("Alice Ardent")
        await pane.get_by_label("Username").fill("alice.a")
        await pane.get_by_label("About").fill("Morning person.")
        await alice.page.keyboard.press("Tab")
        await alice.page.keyboard.press("Enter")
        await alice.page.get_by_text("Profile saved.").wait_for()
        await pane.get_by_text("@alice.a").wait_for()
        await until(lambda: has_value(theirs.get_by_label("About"), "Morning person."), "the other device")
        await bob.page.locator("#title", has_text="Alice Ardent").wait_for()
        # A text being written isn't overwritten by one that comes.
        await theirs.get_by_label("About").fill("Evening person.")
        await pane.get_by_label("About").fill("Night person.")
        await pane.get_by_role("button", name="Save profile").click()
        await until(lambda: has_value(theirs.get_by_label("Username"), "alice.a"), "the other device again")
        assert await theirs.get_by_label("About").input_value() == "Evening person."


async def test_muted_conversations_are_listed(start):
    relay = start()
    async with Browser() as browser:
        alice, bob = await two(browser, relay, lambda word: word)
        pane = await alice.settings("Notifications")
        await pane.get_by_text("You haven’t muted any conversations.").wait_for()
        sent = await (await relay.device("bob", "phone")).send("@alice", "noise")
        await (await relay.device("alice", "phone")).call("state.set", key=f"mute/{sent['conversation']}", value=True)
        await pane.get_by_role("list", name="Muted conversations").get_by_text("bob").wait_for()
        await alice.shot("settings-muted")
        await pane.get_by_role("button", name="Unmute: bob").click()
        await pane.get_by_text("You haven’t muted any conversations.").wait_for()


async def test_devices_say_what_is_new_and_why_one_is_signed_out(both):
    async with Browser(network_fails=True) as browser:
        ann = await sign_up(browser, both, "Ann", "ann@example.org")
        there = await browser.tab(await browser.device(), address(both))
        await fill(there, email="ann@example.org", password="correct horse")
        await there.live()
        pane = await ann.settings("Devices")
        devices = pane.get_by_role("list", name="Devices").get_by_role("listitem")
        await devices.nth(1).wait_for()
        assert "This device" in await devices.nth(0).inner_text()
        assert await devices.nth(0).get_by_role("button").count() == 0
        assert re.match(r"Chrome on \w+\nNew: signed in within the last 24 hours\nSigned in \d+ \w+ \d+, \d\d:\d\d",
                        await devices.nth(1).inner_text())
        await ann.shot("settings-devices-account")
        await devices.nth(1).get_by_role("button", name="Sign out: Chrome on").click()
        await devices.nth(1).wait_for(state="detached")
        await there.page.get_by_text("This device was signed out elsewhere").wait_for()
        await there.shot("settings-signed-out")
        # A new password ends the others, too.
        pane = await ann.settings("Account")
        await pane.locator("summary", has_text="Change password").click()
        await pane.get_by_label("Current password").fill("wrong horse")
        await pane.get_by_label("New password").fill("battery staple")
        await pane.get_by_role("button", name="Change password").click()
        await pane.get_by_text("Wrong password.").wait_for()
        await pane.get_by_label("Current password").fill("correct horse")
        await ann.shot("settings-password")
        await pane.get_by_role("button", name="Change password").click()
        await ann.page.get_by_text("Password changed.").wait_for()
        again = await browser.tab(await browser.device(), address(both))
        await fill(again, email="ann@example.org", password="battery staple")
        await again.live()


# Unread on the icon

RECORDED = """window.badges = [];
const value = async (count) => { window.badges.push(count); };
Object.defineProperty(Navigator.prototype, "setAppBadge", { configurable: true, value });"""
ABSENT = "delete Navigator.prototype.setAppBadge;"


async def with_script(browser, relay, user, script):
    device = await browser.device()
    await device.add_init_script(script)
    return await browser.tab(device, address(relay, relay.token(user)))


async def test_the_icon_counts_what_is_unread(start):
    relay = start()
    async with Browser() as browser:
        bob = await with_script(browser, relay, "bob", RECORDED)
        await bob.live()
        alice = await relay.device("alice")

        async def counts(count):
            return (await bob.page.evaluate("window.badges"))[-1:] == [count]
        await until(lambda: counts(0), "nothing")
        for number in (1, 2):
            await alice.send("@bob", f"number {number}")
            await until(lambda number=number: counts(number), "what is unread")
        await bob.open("alice")
        await until(lambda: counts(0), "read")
        # Signing out leaves no count behind.
        await bob.settings("Account")
        await alice.send("@bob", "number 3")
        await until(lambda: counts(1), "unread again")
        await bob.page.locator("#sign-out").click()
        await bob.page.locator("#confirm-yes").click()
        await bob.page.get_by_role("heading", name="You’re signed out").wait_for()
        await until(lambda: counts(0), "nobody's")


async def test_where_no_icon_counts_the_title_does(start):
    relay = start()
    async with Browser() as browser:
        bob = await with_script(browser, relay, "bob", ABSENT)
        await bob.live()
        assert await bob.page.evaluate("navigator.setAppBadge") is None
        await (await relay.device("alice")).send("@bob", "number 1")
        await until(lambda: titled(bob, "(1) Roost"), "one unread")
        pane = await bob.settings("Notifications")
        await pane.get_by_text("Unread messages are counted in the title of this page.").wait_for()


async def has_value(field, value):
    return await field.input_value() == value
