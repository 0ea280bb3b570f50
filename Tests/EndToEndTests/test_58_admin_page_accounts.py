"""Accounts on the operators' page, in a real browser: by the link of the command line, and as an operator with an
account. Screenshots are kept in .build-screenshots."""

import asyncio
import re
import time

import pytest

from harness.browser import SCREENSHOTS, Browser, address
from harness.chromium import CHROMIUM
from harness.relay import command
from harness.up import Both, free_port
from harness.waiting import until

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

PASSWORD = "correct horse"


def roost(relay, *words):
    settings = {"store.path": relay.store, "auth.key_file": relay.key_file, **relay.settings}
    flags = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    done = command(relay.folder, "admin", *words, *flags)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


async def sign_up(relay, email, name, **members):
    """Makes an account, once the services answer."""
    await relay.listening()
    answer = relay.ask("POST", "/v1/accounts", {"email": email, "password": PASSWORD, "displayName": name, **members})
    assert answer.status == 201, answer.raw
    return answer.json


async def open_page(browser, link, **options):
    device = await browser.device(1200, 900, **options)
    return (await browser.tab(device, link)).page


def page_with_token(relay):
    """The page with a token of the relay's alone."""
    return f"http://127.0.0.1:{relay.port}/admin#token={relay.token('o', scope='admin')}"


async def shot(page, name):
    await page.screenshot(path=SCREENSHOTS / f"admin-accounts-{name}.png", full_page=True)


async def test_everything_an_operator_does(both):
    ann = await sign_up(both, "ann@example.org", "Ann <b>Bold</b>", device="phone")
    await sign_up(both, "bob@example.org", "Bob")
    phone = await both.device(ann["user"], device="phone", token=ann["accessToken"])
    link = await asyncio.to_thread(roost, both, "page")
    async with Browser() as browser:
        page = await open_page(browser, link)
        await page.get_by_label("Address or name begins with").fill("ann")
        await page.keyboard.press("Enter")
        found = page.get_by_role("row", name=re.compile(f"ann@example.org {ann['user']}"))
        await found.wait_for()
        assert await page.locator("#accounts-table tbody tr").count() == 1
        # A name is never markup.
        assert await page.locator("#accounts-table b").count() == 0
        await found.get_by_role("button").click()
        heading = page.get_by_role("heading", name="Ann <b>Bold</b>")
        await heading.wait_for()
        assert await heading.evaluate("one => one === document.activeElement")
        await page.get_by_text(re.compile(f"{ann['user']}, address ann@example.org, address not confirmed")).wait_for()
        await page.get_by_label("Tier").fill("gold")
        await page.keyboard.press("Enter")
        await until(lambda: page.locator("#account-tier").input_value(), "the tier")
        await shot(page, "account")
        # The services' refusals are shown.
        await page.get_by_label("Tier").fill("Not A Word")
        await page.keyboard.press("Enter")
        await page.get_by_role("alert").get_by_text("invalid: tier must be").wait_for()
        browser.problems.clear()
        # No is the default.
        await page.get_by_role("button", name="Suspend", exact=True).click()
        await page.keyboard.press("Escape")
        await phone.barrier()
        await page.get_by_role("button", name="Suspend", exact=True).click()
        await shot(page, "confirm")
        await page.get_by_role("button", name="Yes").click()
        assert await phone.closed() == 4503
        ended = int(time.time())
        await page.get_by_text(re.compile("suspended")).first.wait_for()
        await page.get_by_role("button", name="Let sign in again").click()
        await page.get_by_role("button", name="Suspend", exact=True).wait_for()
        # A token counts in whole seconds, and one of the same second may be from before.
        await until(lambda: int(time.time()) > ended, "the next second")
        tokens = both.ask(
            "POST", "/v1/sessions", {"email": "ann@example.org", "password": PASSWORD, "device": "laptop"})
        laptop = await both.device(ann["user"], device="laptop", token=tokens["accessToken"])
        await found.get_by_role("button").click()
        await page.get_by_role("button", name="Sign out laptop").click()
        await page.get_by_role("button", name="Yes").click()
        assert await laptop.closed() == 4503
        await page.get_by_role("button", name="What the relay knows").click()
        await page.get_by_role("heading", name=ann["user"]).wait_for()
        await page.get_by_role("button", name="Delete the account").click()
        await page.get_by_role("button", name="Yes").click()
        await page.get_by_text("Nobody", exact=True).wait_for()
        await page.get_by_role("button", name="List what operators did").click()
        rows = page.locator("#audit-table tbody tr")
        await rows.first.wait_for()
        acts = [re.sub(r"^\S+ \S+\s", "", text) for text in await rows.all_inner_texts()]
        assert any("@operator" in one and "deleted" in one and ann["user"] in one for one in acts), acts
        assert any("gave the tier gold" in one for one in acts)
        await shot(page, "audit")
        assert "ann@example.org" not in " ".join(acts)
        assert browser.problems == []
        # A reload keeps both tokens, a sign-out neither.
        await page.reload()
        await page.get_by_label("Address or name begins with").wait_for()
        await page.get_by_role("button", name="Sign out", exact=True).click()
        assert await page.evaluate("sessionStorage.length") == 0


async def test_revoking_ends_the_sign_in(both):
    ann = await sign_up(both, "ann@example.org", "Ann", device="phone")
    phone = await both.device(ann["user"], device="phone", token=ann["accessToken"])
    link = await asyncio.to_thread(roost, both, "page")
    async with Browser() as browser:
        page = await open_page(browser, link)
        await page.get_by_label("Address or name begins with").fill("ann")
        await page.keyboard.press("Enter")
        await page.get_by_role("row", name=re.compile(ann["user"])).get_by_role("button").click()
        await page.get_by_role("button", name="What the relay knows").click()
        await page.get_by_role("button", name="Revoke all tokens").click()
        await page.get_by_role("button", name="Yes").click()
        assert await phone.closed() == 4503
        await page.get_by_text(re.compile("connections? closed")).wait_for()
        assert "goes on" not in await page.locator("#person-facts").inner_text()
    assert both.ask("POST", "/v1/sessions/refresh", {"refreshToken": ann["refreshToken"]}).status == 401


async def test_an_operator_with_an_account(both):
    """A user signed in at the chat page can continue as that one on the operators' page."""
    await both.listening()
    async with Browser(network_fails=True) as browser:
        device = await browser.device()
        person = await browser.tab(device, address(both))
        page = person.page
        await page.get_by_role("button", name="Create an account").click()
        for field, value in (("name", "Olga"), ("email", "olga@example.org"), ("password", PASSWORD)):
            await page.locator(f"#start-{field}").fill(value)
        await page.locator("#start-submit").click()
        await person.live()
        admin = (await browser.tab(device, f"http://127.0.0.1:{both.port}/admin")).page
        go_on = admin.get_by_role("button", name="Go on as Olga")
        await go_on.click()
        await admin.get_by_text(re.compile("is no operator")).wait_for()
        await asyncio.to_thread(roost, both, "user", "operator", "olga@example.org")
        # The token that says so comes with the next refresh.
        await admin.reload()
        await go_on.click()
        await admin.get_by_label("Address or name begins with").fill("olga")
        await admin.keyboard.press("Enter")
        await admin.get_by_role("row", name=re.compile("Olga olga@example.org .* operator")).wait_for()
        await admin.reload()
        await admin.get_by_label("Address or name begins with").wait_for()
        await admin.get_by_role("button", name="Sign out", exact=True).click()
        await go_on.wait_for()
        # The chat page is signed in still.
        await page.reload()
        await person.live()


async def test_without_services(start):
    relay = start()
    async with Browser() as browser:
        page = await open_page(browser, page_with_token(relay))
        await page.get_by_text("This relay has no services beside it").wait_for()
        assert await page.get_by_label("Address or name begins with").is_hidden()
        await shot(page, "none")
    relay = start(listen__page="off")
    async with Browser() as browser:
        page = await open_page(browser, page_with_token(relay))
        await page.get_by_text("This relay has no services beside it").wait_for()


async def test_services_that_are_away_or_refuse(both, start):
    async with Browser(network_fails=True) as browser:
        page = await open_page(browser, page_with_token(both))
        await page.get_by_text("The services don't take this token").wait_for()
    relay = start(listen__services=f"http://127.0.0.1:{free_port()}")
    async with Browser(network_fails=True) as browser:
        page = await open_page(browser, page_with_token(relay))
        await page.get_by_text("can't be reached").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_a_phone(both, scheme):
    await sign_up(both, "ann-with-a-long-address-that-doesnt-fit@example.org", "Ann")
    link = await asyncio.to_thread(roost, both, "page")
    async with Browser() as browser:
        page = await open_page(browser, link, color_scheme=scheme)
        await page.set_viewport_size({"width": 360, "height": 760})
        await page.get_by_label("Address or name begins with").fill("a")
        await page.keyboard.press("Enter")
        await page.locator("#accounts-table tbody tr button").first.click()
        await page.get_by_role("heading", name="Ann").wait_for()
        await page.get_by_role("button", name="List what operators did").click()
        await page.locator("#audit-table tbody tr").first.wait_for()
        widths = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert widths[0] <= widths[1], "nothing sticks out to the side"
        unnamed = await page.evaluate("""() => [...document.querySelectorAll("button, input, table")]
            .filter(one => !(one.getAttribute("aria-label") || one.textContent.trim() || one.labels?.length
                || one.caption)).map(one => one.outerHTML)""")
        assert unnamed == []
        await shot(page, f"phone-{scheme}")
        assert browser.problems == []


async def test_letters_wait_where_there_is_no_mail(tmp_path):
    relay = Both(tmp_path, services__port=free_port(), mail__mode="off")
    try:
        await sign_up(relay, "ann@example.org", "Ann")
        link = await asyncio.to_thread(roost, relay, "page")
        async with Browser() as browser:
            page = await open_page(browser, link)
            await page.get_by_role("button", name="Letters that wait").click()
            row = page.get_by_role("row", name=re.compile("ann@example.org Ann confirming the address"))
            await row.wait_for()
            await shot(page, "letters")
            letter = await row.locator("code").inner_text()
            reader = await browser.tab(await browser.device(), letter)
            await reader.page.get_by_text("“Ann”").wait_for()
            await reader.page.get_by_role("button", name="Confirm email").click()
            await reader.page.get_by_text("Email confirmed.").wait_for()
            assert browser.problems == []
    finally:
        relay.kill()
