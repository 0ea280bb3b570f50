"""The chat page signs people in with others: `roost up`, two issuers, and a browser that goes there and back."""

import pytest

from harness.browser import Browser, address
from harness.chromium import CHROMIUM
from harness.up import Both, free_port
from harness.waiting import until
from test_54_chat_page_accounts import fill, id_of, says
from test_55_openid import apple_settings, ends, firm_settings, oidc_issuer

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")


@pytest.fixture
def issuers(tmp_path):
    firm, apple = [oidc_issuer.IssuerProcess(tmp_path / name) for name in ("firm", "apple")]
    apple.behave(apple=True, claims={"sub": "subject-of-apple", "name": None, "email": "x7@privaterelay.appleid.com"})
    yield firm, apple
    for one in (firm, apple):
        one.stop()


@pytest.fixture
def both(tmp_path, issuers):
    firm, apple = issuers
    port = free_port()
    relay = Both(
        tmp_path, services__port=port, listen__services=f"http://localhost:{port}", **firm_settings(firm),
        **apple_settings(apple, tmp_path))
    yield relay
    if relay.is_running():
        relay.kill()


async def stranger(browser, relay):
    person = await browser.tab(await browser.device(), address(relay))
    await person.page.get_by_role("button", name="Continue with The firm").wait_for()
    return person


async def test_there_and_back(both, issuers):
    firm, _ = issuers
    await both.listening()
    async with Browser(network_fails=True) as browser:
        ann = await stranger(browser, both)
        await ann.shot("openid-start")
        await ann.page.get_by_role("button", name="Continue with The firm").click()
        await ann.live()
        await ann.page.locator("#me-name", has_text="Ann").wait_for()
        assert "openid" not in ann.page.url, "the code is gone from the address bar"
        assert not await ann.page.evaluate("sessionStorage.getItem('roost.openid')")
        # The provider sends people to where browsers find the services.
        [form] = [one["form"] for one in firm.requests() if one["path"] == "/token"]
        assert form["redirect_uri"].startswith("http://localhost:")
        user = await id_of(ann)
        # A reload goes on, and another device comes to the same account.
        await ann.page.reload()
        await ann.live()
        other = await stranger(browser, both)
        await other.page.get_by_role("button", name="Continue with The firm").click()
        await other.live()
        assert await id_of(other) == user
        # A code of a sign-in that another browser began is of no use here, and isn't sent.
        asked = len(firm.requests())
        third = await browser.tab(await browser.device(), address(both) + "#openid=" + "a" * 43)
        await says(third, "started in another tab")
        fourth = await browser.tab(await browser.device(), address(both) + "#openid-error=denied")
        await says(fourth, "You weren’t signed in.")
        assert len(firm.requests()) == asked


async def test_apple_doesnt_tell_a_name_and_its_grant_ends_with_the_account(both, issuers):
    _, apple = issuers
    await both.listening()
    async with Browser(network_fails=True) as browser:
        ann = await stranger(browser, both)
        await ann.page.get_by_role("button", name="Continue with Apple").click()
        await ann.page.get_by_role("heading", name="One more thing").wait_for()
        await ann.shot("openid-name")
        await fill(ann, name="Ann Lee")
        await ann.live()
        await ann.page.locator("#me-name", has_text="Ann Lee").wait_for()
        await ann.settings("Devices")
        await ann.page.locator("#me-sessions li").wait_for()
        await ann.settings("Account")
        await ann.page.locator("#erase").click()
        await ann.shot("openid-erase")
        assert not await ann.page.locator("#erase-password").is_visible()
        await ann.page.get_by_role("button", name="Delete my account for good").click()
        await ann.page.get_by_role("heading", name="Your account is deleted").wait_for()
        await until(lambda: [one for one in ends(apple) if one["form"]["token"] == "refresh-1"], "the end of the grant")
