"""The chat page with accounts: a stranger signs up, talks, signs out and in, forgets the password, and leaves for good.
`roost up` with the real services, as at a first try."""

import asyncio
import re

import pytest

from harness.browser import Browser, address
from harness.chromium import CHROMIUM
from harness.relay import command
from harness.up import Both, free_port
from harness.waiting import until

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")


async def fill(person, **values):
    """Fills the form in, and sends it."""
    for name, value in values.items():
        await person.page.locator(f"#start-{name}").fill(value)
    await person.page.locator("#start-submit").click()


async def sign_up(browser, relay, name, email):
    person = await browser.tab(await browser.device(), address(relay))
    await person.page.get_by_role("button", name="Create an account").click()
    await fill(person, name=name, email=email, password="correct horse")
    await person.live()
    await person.page.locator("#me-name", has_text=name).wait_for()
    return person


async def id_of(person):
    """The id of an account."""
    pane = await person.settings("Account")
    said = pane.locator("#me-id", has_text="Account ID")
    await said.wait_for()
    found = re.search(r": (\S+)$", await said.inner_text())[1]
    await person.page.get_by_role("button", name="Back to conversations").click()
    return found


async def says(person, words):
    await person.page.locator("#start-problem", has_text=words).wait_for()


async def test_the_life_of_an_account(both):
    async with Browser(network_fails=True) as browser:
        ann = await sign_up(browser, both, "Ann", "ann@example.org")
        bob = await sign_up(browser, both, "Bob", "bob@example.org")
        await ann.shot("account")
        friend = await id_of(bob)
        await ann.meet(friend)
        await ann.write("Hello Bob")
        await ann.sees_state("Hello Bob", "Delivered")
        # The other's id isn't needed.
        await ann.page.locator("#title").get_by_text("Bob", exact=True).wait_for()
        await bob.open("Ann")
        await bob.sees("Hello Bob")
        await bob.shot("account-names")
        # A reload needs no password, and neither does another tab.
        await ann.page.reload()
        await ann.live()
        await ann.sees("Hello Bob")
        other = await browser.tab(ann.context, address(both))
        await other.page.locator("#me-name", has_text="Ann").wait_for()
        await other.page.close()
        # Signing out leaves nothing, and the password brings it back.
        await ann.settings("Devices")
        await ann.page.locator("#me-sessions li").wait_for()
        await ann.shot("account-sessions")
        await ann.settings("Account")
        await ann.page.locator("#sign-out").click()
        await ann.page.locator("#confirm-yes").click()
        await ann.page.get_by_role("heading", name="You’re signed out").wait_for()
        await ann.shot("account-start")
        assert not [key for key in await ann.page.evaluate("Object.keys(localStorage)") if "account" in key]
        await fill(ann, email="ANN@example.org", password="wrong horse")
        await says(ann, "Wrong email or password.")
        await fill(ann, password="correct horse")
        await ann.live()
        await ann.open("Bob")
        await ann.sees("Hello Bob")


async def test_an_address_is_confirmed_by_a_press_of_the_button(both):
    async with Browser(network_fails=True) as browser:
        mallory = await sign_up(browser, both, "Mallory", "ann@example.org")
        confirm = await asyncio.to_thread(both.printed, rb"confirm your address: (\S+)")

        async def is_verified():
            return (await mallory.page.evaluate("""async () => {
                const page = await (await fetch("/v1/page")).json();
                const kept = Object.keys(localStorage).find((name) => name.startsWith("roost.account."));
                const { refreshToken, key, ...rest } = JSON.parse(localStorage.getItem(kept));
                const body = JSON.stringify({ refreshToken, key });
                const headers = { "Content-Type": "application/json" };
                const tokens = await (await fetch(`${page.services}/v1/sessions/refresh`, {
                    method: "POST", body, headers })).json();
                localStorage.setItem(kept, JSON.stringify({ ...rest, key: `${Math.random()}`,
                    refreshToken: tokens.refreshToken }));
                return (await (await fetch(`${page.services}/v1/account`, {
                    headers: { Authorization: `Bearer ${tokens.accessToken}` } })).json()).verified;
            }"""))
        # A program that checks mail opens the link, twice, and runs what is there.
        for _ in range(2):
            scanner = await browser.tab(await browser.device(), confirm)
            await scanner.page.get_by_role("heading", name="Is this your email?").wait_for()
            await scanner.page.get_by_text("“Mallory”").wait_for()
            await scanner.page.get_by_text("ann@example.org").wait_for()
        await scanner.shot("confirm")
        assert "verify" not in scanner.page.url
        assert not await is_verified()
        await scanner.page.get_by_role("button", name="Confirm email").click()
        await scanner.page.get_by_text("Email confirmed").wait_for()
        assert await is_verified()
        again = await browser.tab(await browser.device(), confirm)
        await again.page.get_by_text("This link was already used").wait_for()


async def test_a_forgotten_password(both):
    async with Browser(network_fails=True) as browser:
        ann = await sign_up(browser, both, "Ann", "ann@example.org")
        await asyncio.to_thread(both.printed, rb"confirm your address: (\S+)")
        # A letter that was lost is sent again.
        await ann.settings("Account")
        await ann.page.get_by_role("button", name="Resend email").click()
        await ann.page.get_by_role("button", name="Back to conversations").click()
        confirm = await asyncio.to_thread(both.printed, rb"confirm your address: (\S+)")
        page = (await browser.tab(ann.context, confirm)).page
        await page.get_by_role("button", name="Confirm email").click()
        await page.get_by_text("Email confirmed").wait_for()
        away = await browser.tab(await browser.device(), address(both))
        await away.page.get_by_role("button", name="Forgot your password?").click()
        await fill(away, email="ann@example.org")
        await away.page.get_by_role("heading", name="Check your email").wait_for()
        link = await asyncio.to_thread(both.printed, rb"choose a new password: (\S+)")
        away = await browser.tab(away.context, link)
        await away.page.get_by_role("heading", name="Choose a new password").wait_for()
        assert "reset" not in away.page.url, "the secret is gone from the address bar"
        await fill(away, password="short")
        await says(away, "Choose a longer password.")
        await fill(away, password="battery staple")
        await away.page.get_by_role("heading", name="Password changed").wait_for()
        # A browser that was signed in with the old one is out at once.
        await ann.page.get_by_text("You’re signed out.").wait_for()
        await fill(away, email="ann@example.org", password="battery staple")
        await away.live()
        # A link is good once.
        again = await browser.tab(await browser.device(), link)
        await fill(again, password="battery staple 2")
        await says(again, "This link was already used")


async def knows_nothing_of(person, user):
    return user not in await person.page.evaluate("""async () => JSON.stringify([
        Object.entries(localStorage), Object.entries(sessionStorage), await indexedDB.databases()])""")


async def test_leaving_for_good(both):
    async with Browser(network_fails=True) as browser:
        ann = await sign_up(browser, both, "Ann", "ann@example.org")
        bob = await sign_up(browser, both, "Bob", "bob@example.org")
        await bob.meet(await id_of(ann))
        await bob.write("Stay")
        user = await ann.page.evaluate("sessionStorage.getItem('roost.user')")
        await bob.page.locator("#title").get_by_text("Ann", exact=True).wait_for()
        await ann.settings("Account")
        await ann.page.locator("#erase").click()
        await ann.page.locator("#erase-password").fill("wrong horse")
        await ann.page.keyboard.press("Enter")
        await ann.page.locator("#erase-problem", has_text="Wrong password.").wait_for()
        await ann.shot("account-erase")
        await ann.page.locator("#erase-password").fill("correct horse")
        await ann.page.keyboard.press("Enter")
        await ann.page.get_by_role("heading", name="Your account is deleted").wait_for()
        # Nothing in the browser has a name of it.
        await until(lambda: knows_nothing_of(ann, user), "nothing of the account is left")
        await bob.page.locator("#title", has_text="Deleted account").wait_for()
        await bob.page.locator(".conversation .name", has_text="Deleted account").wait_for()
        await bob.sees("Stay")
        await bob.shot("account-deleted-peer")
        await fill(ann, email="ann@example.org", password="correct horse")
        await says(ann, "Wrong email or password.")


async def test_the_owner_and_a_friend_come_by_links(both, tmp_path):
    await both.listening()

    def link(*more):
        words = ["--store", str(both.store), "--port", both.settings["listen.port"]]
        return command(tmp_path, "admin", "link", *words, *more).stdout.strip()

    async with Browser(network_fails=True) as browser:
        first = await asyncio.to_thread(link)
        olga = await browser.tab(await browser.device(), first)
        await olga.page.get_by_role("heading", name="Welcome to your Roost").wait_for()
        assert "owner" not in olga.page.url, "the secret is gone from the address bar"
        await says_nothing_yet(olga)
        await olga.shot("account-owner")
        await fill(olga, name="Olga")
        await olga.live()
        finn = await browser.tab(await browser.device(), await asyncio.to_thread(link, "--friend"))
        await finn.page.get_by_role("heading", name="Olga invites you to chat").wait_for()
        await fill(finn, name="Finn")
        await finn.live()
        # Without an address the account couldn't be signed in to again; the page says so, quietly and before it is
        # lost.
        await finn.page.get_by_role("region", name="Your account").wait_for()
        await finn.shot("account-keep")
        await finn.page.set_viewport_size({"width": 390, "height": 760})
        await finn.shot("account-keep-phone")
        await finn.page.set_viewport_size({"width": 1100, "height": 760})
        for section, act in (("Account", "Sign out"), ("Devices", "Sign out everywhere")):
            pane = await finn.settings(section)
            await pane.get_by_role("button", name=act, exact=True).click()
            sure = finn.page.locator("#confirm")
            await sure.get_by_text("You won’t be able to sign in to this account again").wait_for()
            await sure.get_by_role("button", name="Cancel").click()
            await sure.wait_for(state="hidden")
        await finn.page.get_by_role("button", name="Back to conversations").click()
        friend = await id_of(finn)
        await olga.open("Finn")
        await olga.write("Hello Finn")
        await finn.sees("Hello Finn")
        await olga.page.locator("#title").get_by_text("Finn", exact=True).wait_for()
        # The owner in another browser: another link, and no name any more.
        there = await browser.tab(await browser.device(), await asyncio.to_thread(link))
        await there.page.locator("#me-name", has_text="Olga").wait_for()
        again = await browser.tab(await browser.device(), first)
        await again.page.get_by_text("This link was already used").wait_for()
        # With an address and a password the friend can sign in anywhere.
        await finn.page.get_by_role("button", name="Add now").click()
        await finn.page.locator("#password-email:focus").fill("finn@example.org")
        await finn.page.locator("#password-new").fill("correct horse")
        await finn.shot("account-password")
        await finn.page.locator("#password-form button").click()
        await finn.page.locator("#notice", has_text="You can now sign in anywhere").wait_for()
        await finn.page.get_by_role("button", name="Back to conversations").click()
        await finn.page.locator("#side").wait_for()
        await finn.page.get_by_role("region", name="Your account").wait_for(state="hidden")
        away = await browser.tab(await browser.device(), address(both))
        await away.page.get_by_text("roost admin link").wait_for()
        await fill(away, email="finn@example.org", password="correct horse")
        await away.live()
        assert await id_of(away) == friend


async def test_several_accounts_in_one_browser(both):
    async with Browser(network_fails=True) as browser:
        ann = await sign_up(browser, both, "Ann", "ann@example.org")
        bob = await sign_up(browser, both, "Bob", "bob@example.org")
        await bob.settings("Account")
        await bob.shot("account-settings")
        await bob.page.get_by_role("button", name="Add another account").click()
        # Nothing is lost by looking.
        await bob.page.get_by_role("button", name="Continue as Bob").wait_for()
        await bob.shot("account-add")
        await fill(bob, email="ann@example.org", password="correct horse")
        await bob.page.locator("#me-name", has_text="Ann").wait_for()
        await bob.live()
        await bob.settings("Account")
        await bob.shot("account-switch")
        await bob.page.set_viewport_size({"width": 390, "height": 760})
        await bob.shot("account-switch-phone")
        await bob.page.get_by_role("button", name="Switch to Bob").click()
        await bob.page.locator("#me-name", has_text="Bob").wait_for()
        await bob.live()
        await bob.settings("Account")
        await bob.page.get_by_role("button", name="Switch to Ann").wait_for()
        # Signing out leaves the other user there.
        await bob.page.locator("#sign-out").click()
        await bob.page.locator("#confirm").get_by_role("button", name="Sign out").click()
        await bob.page.get_by_role("heading", name="You’re signed out").wait_for()
        await bob.page.get_by_role("button", name="Continue as Ann").click()
        await bob.page.locator("#me-name", has_text="Ann").wait_for()
        assert await bob.page.get_by_text("Bob").count() == 0
        await ann.live()


async def test_signing_out_in_one_tab_signs_out_the_others(both):
    async with Browser(network_fails=True) as browser:
        ann = await sign_up(browser, both, "Ann", "ann@example.org")
        other = await browser.tab(ann.context, address(both))
        await other.live()
        await ann.settings("Account")
        await ann.page.locator("#sign-out").click()
        await ann.page.locator("#confirm-yes").click()
        await ann.page.get_by_role("heading", name="You’re signed out").wait_for()
        await other.page.get_by_text("You signed out in another tab.").wait_for()
        await other.shot("account-elsewhere")
        kept = await other.page.evaluate("[...Object.keys(localStorage), ...Object.keys(sessionStorage)]")
        assert not [key for key in kept if key.startswith(("roost.user.", "roost.account."))]


async def test_a_sign_in_that_ended_while_the_page_was_closed(both):
    async with Browser(network_fails=True) as browser:
        ann = await sign_up(browser, both, "Ann", "ann@example.org")
        await ann.page.goto("about:blank")
        # Another device signs out everywhere.
        told = both.ask("POST", "/v1/sessions", {"email": "ann@example.org", "password": "correct horse"}).json
        ended = both.ask("DELETE", "/v1/sessions", token=told["accessToken"])
        assert ended.status in (200, 204), ended.raw
        await ann.page.goto(address(both))
        await ann.page.get_by_text("This device was signed out elsewhere").wait_for()
        assert await ann.page.get_by_text("Can’t reach the server").count() == 0
        await ann.shot("account-ended")


async def says_nothing_yet(person):
    assert await person.page.locator("#start-problem").inner_text() == ""


async def test_roles_are_chosen_where_there_are_some(tmp_path):
    relay = Both(tmp_path, services__port=free_port(), accounts__roles="trainer,client")
    try:
        await relay.listening()
        async with Browser() as browser:
            tina = await browser.tab(await browser.device(), address(relay))
            await tina.page.get_by_role("button", name="Create an account").click()
            choice = tina.page.get_by_label("Role")
            await choice.select_option("client")
            await tina.shot("account-role")
            await fill(tina, name="Tina", email="tina@example.org", password="correct horse")
            await tina.live()
            words = ["--store", str(relay.store), "--port", relay.settings["listen.port"]]
            link = (await asyncio.to_thread(command, tmp_path, "admin", "link", "--friend", *words)).stdout.strip()
            finn = await browser.tab(await browser.device(), link)
            await finn.page.get_by_label("Role").select_option("trainer")
            await fill(finn, name="Finn")
            await finn.live()
            # A user who signs in chooses nothing.
            away = await browser.tab(await browser.device(), address(relay))
            await away.page.get_by_role("button", name="Sign in", exact=True).wait_for()
            assert not await away.page.get_by_label("Role").is_visible()
        tokens = relay.ask("POST", "/v1/sessions", {"email": "tina@example.org", "password": "correct horse"}).json
        assert relay.ask("GET", "/v1/account", token=tokens["accessToken"]).json["role"] == "client"
    finally:
        relay.kill()
