"""Reports on the operators' page: reporter, subject and reason, with names and surroundings, and the acts on them.
Screenshots are kept in .build-screenshots.
"""

import asyncio
import re
import sqlite3

import pytest

from harness.browser import SCREENSHOTS, Browser, address
from harness.chromium import CHROMIUM
from harness.document import Walk
from harness.up import Both, free_port
from harness.waiting import until
from test_58_admin_page_accounts import PASSWORD, open_page, roost, sign_up

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")


class Crew:
    """Alice, Bob and Dana in a group, where Bob writes what gets reported."""

    def __init__(self, relay):
        self.relay = relay

    async def meet(self):
        relay = self.relay
        self.accounts = {
            one: await sign_up(relay, f"{one.split()[0].lower()}@example.org", one, device="phone")
            for one in ("Alice Ames", "Bob Ford", "Dana Reyes")}
        self.alice, self.bob, self.dana = [
            await relay.device(one["user"], device="phone", token=one["accessToken"]) for one in self.accounts.values()]
        self.group = await self.alice.group("Harbour crew", *(
            self.accounts[one]["user"] for one in ("Bob Ford", "Dana Reyes")))
        lines = [(self.dana, "Shall we meet at noon?"), (self.alice, "Noon is fine, at the ferry."),
                 (self.bob, "Nobody wants you there, Alice. Stay home."), (self.alice, "Please stop."),
                 (self.dana, "Bob, that is not okay.")]
        for device, text in lines:
            await device.send(self.group, text)
        return self

    async def report(self, sequence, reason="harassment", **members):
        await self.alice.call(
            "contact.report", conversation=self.group, sequence=sequence, reason=reason, **members)


def shot(page, name):
    return page.screenshot(path=SCREENSHOTS / f"admin-reports-{name}.png", full_page=True)


async def close(page, action, verb, *, note=None, words=None):
    """Chooses what is done about the report that is open, and confirms it."""
    await page.get_by_role("button", name=action, exact=True).click()
    dialog = page.get_by_role("dialog")
    if note:
        await dialog.get_by_label("Note for other operators (optional)").fill(note)
    if words:
        await dialog.get_by_label("Your words (optional)").fill(words)
    await dialog.get_by_role("button", name=verb, exact=True).click()


async def test_an_operator_works_through_the_reports(both):
    crew = await Crew(both).meet()
    await crew.report(3, text="He does this every day.")
    await crew.report(3, "spam")
    await crew.report(5, "other")
    await crew.alice.call("contact.report", user=crew.accounts["Bob Ford"]["user"], reason="impersonation")
    link = await asyncio.to_thread(roost, both, "page")
    async with Browser() as browser:
        page = await open_page(browser, link)
        reports = page.get_by_role("region", name=re.compile("^Reports"))
        await reports.get_by_role("heading", name="Alice Ames reported a message by Bob Ford").first.wait_for()
        assert await page.get_by_role("img", name="4 open reports").inner_text() == "4"
        assert await reports.get_by_role("listitem").count() == 4
        text = await reports.inner_text()
        assert "in “Harbour crew”" in text and "He does this every day." in text
        for one in crew.accounts.values():
            assert one["user"] not in text, "names, not ids"
        await shot(page, "list")
        # With the keyboard: the message and what was said around it.
        await reports.get_by_role("button", name="Review").first.focus()
        await page.keyboard.press("Enter")
        talk = reports.get_by_role("list", name="The message and what was said around it")
        await talk.wait_for()
        assert await talk.locator(".body").all_inner_texts() == [
            "Shall we meet at noon?", "Noon is fine, at the ferry.", "Nobody wants you there, Alice. Stay home.",
            "Please stop.", "Bob, that is not okay."]
        assert "Nobody wants you" in await talk.locator("[aria-current=true]").inner_text()
        await shot(page, "review")
        # No is what Escape says.
        await page.get_by_role("button", name="Warn Bob Ford").click()
        await page.keyboard.press("Escape")
        await close(page, "Warn Bob Ford", "Send warning", note="first time", words="Leave Alice alone.")
        await page.get_by_text("Report closed: Bob Ford was warned.").wait_for()
        told = await crew.bob.event("message", **{"from": "roost-moderators"})
        assert "in “Harbour crew” was reported: Harassment." in told["body"] and "Leave Alice alone." in told["body"]
        assert "Alice Ames" not in told["body"]
        # The next report has the focus.
        assert await page.evaluate("document.activeElement.textContent") == "Review"
        await page.keyboard.press("Enter")
        await close(page, "Remove message", "Remove message")
        await page.get_by_text("Report closed: the message was removed.").wait_for()
        gone = await crew.alice.event("delete")
        assert gone["sequence"] == 3 and gone["from"] == crew.accounts["Bob Ford"]["user"]
        await page.keyboard.press("Enter")
        await page.get_by_text(re.compile("This message was deleted")).wait_for()
        await close(page, "Dismiss", "Dismiss")
        await page.get_by_text("Report closed: dismissed.").wait_for()
        await page.get_by_role("button", name="Review").click()
        await page.get_by_text("Alice Ames reported Bob Ford and no particular message.").wait_for()
        assert await page.get_by_role("button", name="Remove message").is_hidden()
        await page.get_by_role("button", name="Suspend account").click()
        await shot(page, "suspend")
        await page.get_by_role("dialog").get_by_role("button", name="Suspend account").click()
        assert await crew.bob.closed() == 4503
        await page.get_by_text("No open reports.").wait_for()
        await page.get_by_role("button", name="List what operators did").click()
        rows = page.locator("#audit-table tbody tr")
        await rows.first.wait_for()
        acts = " ".join(await rows.all_inner_texts())
        for words in ("read a reported message (report 1)", "warned (report 1)",
                      "removed a reported message (report 2)", "dismissed a report about (report 3)",
                      "suspended (report 4)"):
            assert words in acts, acts
        await shot(page, "audit")
        assert browser.problems == []
    lines = await asyncio.to_thread(roost, both, "report", "list", "--all")
    assert "closed by @operator" in lines and "warned the user: first time" in lines
    assert f"Alice Ames ({crew.accounts['Alice Ames']['user']}) reports Bob Ford" in lines
    shown = await asyncio.to_thread(roost, both, "report", "show", "1")
    assert "Dana Reyes" in shown and "Noon is fine, at the ferry." in shown
    assert re.search(r"^  > 3  .*\(deleted or gone since", shown, re.MULTILINE)
    for name in ("operator.read_report", "Noon is fine"):
        assert (name in both.log()) == (name == "operator.read_report"), name


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_what_is_gone_is_said(tmp_path, scheme):
    relay = Both(tmp_path, services__port=free_port(), limits__expiry_seconds_min=1)
    try:
        crew = await Crew(relay).meet()
        await crew.report(3)
        lost = await crew.alice.group("Lost", crew.accounts["Bob Ford"]["user"])
        await crew.bob.send(lost, "Soon gone")
        await crew.alice.event("message", body="Soon gone")
        await crew.alice.call("contact.report", conversation=lost, sequence=1, reason="illegal")
        fading = await crew.alice.group("Fading", crew.accounts["Bob Ford"]["user"])
        await crew.alice.call("conversation.expiry", conversation=fading, after=1_000)
        await crew.bob.event("conversation", event="expiry")
        expires = (await crew.bob.call("send", to=fading, key="k", body="Soon faded"))["expires"]
        await crew.alice.event("message", body="Soon faded")
        await crew.alice.call("contact.report", conversation=fading, sequence=1, reason="spam")
        mill = await relay.device("mill", token=relay.token("mill", scope="service"), operator=True)
        await mill.call("admin.erase", conversation=lost)

        async def has_faded():
            page = await crew.alice.call("history", conversation=fading)
            return "body" not in page["messages"][0] and expires
        await until(has_faded, "the message to disappear")
        link = await asyncio.to_thread(roost, relay, "page")
        async with Browser() as browser:
            page = await open_page(browser, link, color_scheme=scheme)
            await page.set_viewport_size({"width": 390, "height": 844})
            reviews = page.get_by_role("button", name="Review")
            await reviews.first.wait_for()
            for number in range(3):
                await reviews.first.click()
                await page.locator("[aria-expanded=true]").nth(number).wait_for()
            await page.get_by_text("The conversation was erased since. Nothing of the message is left.").wait_for()
            await page.get_by_text(re.compile("This message has disappeared")).wait_for()
            assert await page.get_by_role("button", name="Remove message").count() == 1
            widths = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            assert widths[0] <= widths[1], "nothing sticks out to the side"
            low = await page.evaluate("""() => [...document.querySelectorAll("#reports button")]
                .filter(one => one.offsetParent && one.getBoundingClientRect().height < 44)
                .map(one => one.outerHTML)""")
            assert low == []
            await shot(page, f"phone-{scheme}")
            await page.get_by_role("button", name="Warn Bob Ford").first.click()
            await page.screenshot(path=SCREENSHOTS / f"admin-reports-phone-warn-{scheme}.png")
            assert browser.problems == []
    finally:
        relay.kill()


async def test_an_operator_who_signed_in_a_while_ago_shows_the_password(both):
    crew = await Crew(both).meet()
    await crew.report(3)
    async with Browser(network_fails=True) as browser:
        device = await browser.device()
        person = await browser.tab(device, address(both))
        await sign_up(both, "olga@example.org", "Olga Ort")
        await asyncio.to_thread(roost, both, "user", "operator", "olga@example.org")
        page = person.page
        for field, value in (("email", "olga@example.org"), ("password", PASSWORD)):
            await page.locator(f"#start-{field}").fill(value)
        await page.locator("#start-submit").click()
        await person.live()
        # Eleven minutes go by.
        with sqlite3.connect(both.data / "services.db", timeout=10) as database:
            assert database.execute("UPDATE session SET created = created - 660000").rowcount > 0
        admin = (await browser.tab(device, f"http://127.0.0.1:{both.port}/admin")).page
        await admin.get_by_role("button", name=re.compile("^Go on as")).click()
        await admin.get_by_role("button", name="Review").click()
        await close(admin, "Remove message", "Remove message")
        await admin.get_by_role("heading", name="Confirm that it’s you").wait_for()
        await admin.screenshot(path=SCREENSHOTS / "admin-reports-password.png")
        await admin.get_by_label("Password").fill("wrong one")
        await admin.keyboard.press("Enter")
        await admin.get_by_text("That password is wrong.").wait_for()
        await admin.get_by_label("Password").fill(PASSWORD)
        await admin.keyboard.press("Enter")
        await admin.get_by_text("Report closed: the message was removed.").wait_for()
        await admin.get_by_text("No open reports.").wait_for()


async def test_the_answers_are_as_the_document_says(both):
    crew = await Crew(both).meet()
    await crew.report(3)
    await crew.report(1)
    walk = Walk(both)
    token = (await asyncio.to_thread(roost, both, "page")).partition("services=")[2]
    page = walk.ask("GET", "/v1/admin/reports?state=open&limit=1", token=token).json
    assert page["open"] == 2 and page["next"] == 1 and len(page["list"]) == 1
    at = "/v1/admin/reports/{report}"
    shown = walk.ask("GET", "/v1/admin/reports/1", at=at, token=token).json
    assert shown["account"]["displayName"] == "Bob Ford" and len(shown["messages"]) == 5
    alice = crew.accounts["Alice Ames"]["accessToken"]
    assert walk.ask("GET", "/v1/admin/reports/1", at=at, token=alice).status == 403
    assert walk.ask("GET", "/v1/admin/reports/9", at=at, token=token).status == 404
    assert walk.ask("GET", "/v1/admin/reports/x", at=at, token=token).status == 404
    assert walk.ask("GET", "/v1/admin/reports?state=maybe", token=token).code == "invalid"
    path, at = "/v1/admin/reports/1/close", "/v1/admin/reports/{report}/close"
    assert walk.ask("POST", path, {"action": "hug"}, at=at, token=token).code == "invalid"
    assert walk.ask("POST", path, {"action": "dismiss", "note": "x" * 901}, at=at, token=token).code == "invalid"
    assert walk.ask("POST", path, {"action": "dismiss"}, at=at, token=alice).status == 403
    assert walk.ask("POST", path, {"action": "dismiss"}, at=at, token=token).status == 204
    assert walk.ask("POST", path, {"action": "dismiss"}, at=at, token=token).code == "conflict"
    assert walk.ask("POST", "/v1/admin/confirm", {"password": "none is needed"}, token=token).status == 204
    path = f"/v1/admin/users/{crew.accounts['Alice Ames']['user']}/invites"
    at = "/v1/admin/users/{user}/invites"
    made = walk.ask("POST", path, {"uses": 2}, at=at, token=token)["invite"]["invite"]
    assert [one["invite"] for one in walk.ask("GET", path, at=at, token=token)["invites"]] == [made]
    assert walk.ask("POST", f"{path}/revoke", {"invite": made}, at=f"{at}/revoke", token=token).status == 204
    assert walk.seen >= walk.operations("moderation")
