"""Two-step verification in the chat page: a person turns it on, signs in by the codes of another implementation and by
a recovery code, and turns it off; on a desktop and on a phone. `roost up` with the real services."""

import asyncio
import re

import pytest

from harness.browser import Browser, address
from harness.chromium import CHROMIUM
from harness.relay import command
from harness.totp import totp
from harness.up import Both, free_port

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

SIZES = [(1100, 760), (390, 780)]


async def sign_up(browser, relay, size):
    ann = await browser.tab(await browser.device(*size), address(relay))
    await ann.page.get_by_role("button", name="Create an account").click()
    for name, value in {"name": "Ann", "email": "ann@example.org", "password": "correct horse"}.items():
        await ann.page.locator(f"#start-{name}").fill(value)
    await ann.page.locator("#start-submit").click()
    await ann.live()
    return ann


async def section(ann):
    await ann.settings("Account")
    found = ann.page.get_by_role("region", name="Two-step verification")
    await found.get_by_role("button").first.wait_for()
    return found


async def turn_on(ann, found, password="correct horse"):
    """Returns the secret, the code that was used up, and the recovery codes."""
    await found.get_by_role("button", name="Turn on").click()
    if password:
        await found.get_by_label("Your password").fill(password)
        await found.get_by_role("button", name="Continue").click()
    await found.get_by_role("img", name="QR code for your authenticator app").wait_for()
    secret = await found.locator("#factor-secret").inner_text()
    # The picture, the link and the key are of one secret.
    link = await found.get_by_role("link").get_attribute("href")
    assert re.search(r"secret=(\w+)", link)[1] == secret.replace(" ", "")
    await ann.shot("factor-offer")
    await found.get_by_label("Code from your app").fill("000000")
    await found.get_by_role("button", name="Turn on").click()
    await found.get_by_role("alert").get_by_text("That code is wrong").wait_for()
    shown = totp(secret)
    await found.get_by_label("Code from your app").fill(shown)
    await found.get_by_role("button", name="Turn on").click()
    await found.get_by_text("You won’t see them again").wait_for()
    await ann.shot("factor-codes")
    return secret, shown, await found.locator("#factor-codes li").all_inner_texts()


async def sign_out(ann):
    await ann.settings("Account")
    await ann.page.locator("#sign-out").click()
    await ann.page.locator("#confirm-yes").click()
    await ann.page.get_by_role("heading", name="You’re signed out").wait_for()


async def password(ann):
    """The first step."""
    await ann.page.locator("#start-email").fill("ann@example.org")
    await ann.page.locator("#start-password").fill("correct horse")
    await ann.page.locator("#start-submit").click()
    await ann.page.get_by_role("heading", name="Enter your code").wait_for()


async def code(ann, text):
    await ann.page.get_by_label("Code", exact=True).fill(text)
    await ann.page.locator("#start-submit").click()


@pytest.mark.parametrize("size", SIZES, ids=["desktop", "phone"])
async def test_the_life_of_a_second_factor(both, size):
    async with Browser(network_fails=True) as browser:
        ann = await sign_up(browser, both, size)
        found = await section(ann)
        await ann.shot("factor-off")
        secret, shown, codes = await turn_on(ann, found)
        assert len(set(codes)) == 10
        # Codes that can't be read again stay, also if something else is opened by mistake.
        await ann.settings("Privacy")
        await ann.settings("Account")
        assert await found.locator("#factor-codes li").all_inner_texts() == codes
        await found.get_by_role("button", name="I saved them").click()
        await found.get_by_text("10 recovery codes left").wait_for()
        await ann.shot("factor-on")
        await sign_out(ann)
        assert await ann.page.locator("#factor").count() == 0
        await password(ann)
        assert not [key for key in await ann.page.evaluate("Object.keys(localStorage)") if "account" in key]
        await ann.shot("factor-step")
        # Used before, and back.
        await code(ann, shown)
        await ann.page.locator("#start-problem", has_text="That code is wrong").wait_for()
        await ann.page.get_by_role("button", name="Back").click()
        await password(ann)
        await code(ann, totp(secret, 1))
        await ann.live()
        await sign_out(ann)
        await password(ann)
        await code(ann, codes[0].upper())
        await ann.live()
        found = await section(ann)
        await found.get_by_text("9 recovery codes left").wait_for()
        # New codes, and off.
        await found.get_by_role("button", name="New recovery codes").click()
        await found.get_by_label("Your password").fill("correct horse")
        await found.get_by_label("Code from your app").fill(codes[1])
        await found.get_by_role("button", name="Create new codes").click()
        await found.get_by_text("Your old recovery codes no longer work").wait_for()
        newer = await found.locator("#factor-codes li").all_inner_texts()
        await found.get_by_role("button", name="I saved them").click()
        await found.get_by_role("button", name="Turn off").click()
        await found.get_by_label("Your password").fill("correct horse")
        await found.get_by_label("Code from your app, or a recovery code").fill(newer[0])
        await ann.shot("factor-turning-off")
        await found.get_by_role("button", name="Turn off").click()
        await found.get_by_role("button", name="Turn on").wait_for()
        await sign_out(ann)
        await ann.page.locator("#start-email").fill("ann@example.org")
        await ann.page.locator("#start-password").fill("correct horse")
        await ann.page.locator("#start-submit").click()
        await ann.live()


async def test_an_owner_who_needs_one(tmp_path):
    """The owner comes by a link, turns it on, and then looks after the server; the next link asks for a code."""
    relay = Both(tmp_path, services__port=free_port(), accounts__operator_factor="required")
    words = ["--store", str(relay.store), "--port", relay.settings["listen.port"]]

    async def link():
        return (await asyncio.to_thread(command, tmp_path, "admin", "link", *words)).stdout.strip()

    try:
        await relay.listening()
        async with Browser(network_fails=True) as browser:
            olga = await browser.tab(await browser.device(), await link())
            await olga.page.locator("#start-name").fill("Olga")
            await olga.page.locator("#start-submit").click()
            await olga.live()
            pages = f"{address(relay)}admin"
            page = (await browser.tab(olga.context, pages)).page
            await page.get_by_role("button", name=re.compile("Go on as")).click()
            await page.get_by_text("Operators need two-step verification here").wait_for()
            await page.close()
            found = await section(olga)
            await found.get_by_text("Operators of this server need it").wait_for()
            secret, _, _ = await turn_on(olga, found, password=None)
            await found.get_by_role("button", name="I saved them").click()
            # It can't be turned off.
            await found.get_by_role("button", name="New recovery codes").wait_for()
            assert await found.get_by_role("button", name="Turn off").count() == 0
            page = (await browser.tab(olga.context, pages)).page
            await page.get_by_role("button", name=re.compile("Go on as")).click()
            await page.get_by_role("heading", name="Now").wait_for()
            there = await browser.tab(await browser.device(), await link())
            await there.page.get_by_role("heading", name="Enter your code").wait_for()
            await code(there, totp(secret, 1))
            await there.page.locator("#me-name", has_text="Olga").wait_for()
    finally:
        relay.kill()
