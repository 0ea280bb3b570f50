"""Operators find people, groups, invitations and messages by what they know of them, in the page and in a terminal, and
look after invitations."""

import asyncio
import re

import pytest

from harness.browser import SCREENSHOTS, Browser, address
from harness.chromium import CHROMIUM
from harness.document import Walk
from test_38_admin_command import roost as relay_admin
from test_58_admin_page_accounts import open_page, roost
from test_58_admin_page_reports import Crew

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")


async def look_for(page, words):
    await page.get_by_label("Name, address, id, link or position").fill(words)
    await page.keyboard.press("Enter")


async def test_what_one_knows_leads_somewhere(both):
    crew = await Crew(both).meet()
    dana = crew.accounts["Dana Reyes"]["user"]
    await crew.dana.call("profile.set", username="dana.r")
    made = await crew.alice.call("invite.create", conversation=crew.group)
    link = await asyncio.to_thread(roost, both, "page")
    async with Browser() as browser:
        page = await open_page(browser, link)
        finding = page.locator("#finding")
        await page.get_by_role("heading", name="Reports").wait_for()
        for words in ("reyes", "dana@example.org", "@dana.r", dana, f"http://127.0.0.1:{both.port}/#/%40{dana}"):
            await look_for(page, words)
            await finding.get_by_text("1 result", exact=True).wait_for()
            await finding.get_by_role("button", name="Dana Reyes", exact=True).wait_for()
        assert "@dana.r" in await finding.inner_text()
        await look_for(page, "harb")
        await finding.get_by_text("Harbour crew").wait_for()
        assert "Alice Ames, Bob Ford, Dana Reyes · 5 messages" in await finding.inner_text()
        await page.screenshot(path=SCREENSHOTS / "admin-find.png", full_page=True)
        await finding.get_by_role("button", name="Last message of Harbour crew").click()
        await page.get_by_text(re.compile(r"^message 5 of ")).wait_for()
        position = await page.locator("#place").input_value()
        await look_for(page, position)
        await finding.get_by_text("A message. See").wait_for()
        for words in (crew.group, f"http://127.0.0.1:{both.port}/#/{crew.group}"):
            await look_for(page, words)
            await finding.get_by_text("Harbour crew").wait_for()
        code = made["invite"]["code"]
        for words in (code, f"http://127.0.0.1:{both.port}/#invite={code}"):
            await look_for(page, words)
            await finding.get_by_text("Invitation of Alice Ames to join a group").wait_for()
        await look_for(page, "nobody at all")
        await finding.get_by_text("Nothing found by “nobody at all”.").wait_for()
        assert browser.problems == []
    for words in ("reyes", "@dana.r", dana, "dana@example.org", f"http://x/#/%40{dana}"):
        lines = await asyncio.to_thread(roost, both, "find", words)
        assert re.match(rf"user +{dana}  Dana Reyes @dana\.r$", lines), lines
    lines = await asyncio.to_thread(roost, both, "find", "harbour", "crew")
    assert f"group    {crew.group}  Harbour crew, 3 members: Alice Ames (" in lines
    assert f"5 messages, the last change at {position}" in lines
    lines = await asyncio.to_thread(roost, both, "find", position)
    assert lines.startswith(f"message  message 5 of {crew.group} from {dana}/phone")
    assert "link     i" in await asyncio.to_thread(roost, both, "find", f"http://x/#invite={code}")
    # The position that a command shows is one that the other takes.
    assert "Noon" not in lines and await asyncio.to_thread(roost, both, "message", position)


async def test_a_typo_is_no_revocation(start):
    """An operator who mistypes a name must not believe that a stolen phone is locked out."""
    relay = start(directory__unknown="refuse")
    bob = await relay.device("bob")
    for words in (("revoke", "bpb"), ("revoke", "bpb", "--device", "phone"), ("disconnect", "bpb"), ("user", "bpb")):
        said = await relay_admin(relay, "admin", *words, code=1)
        assert "not_found: no user is called bpb" in said, said
    assert "nothing found for bpb" in await relay_admin(relay, "admin", "find", "bpb", code=1)
    await bob.call("ping")
    assert "1 connection closed" in await relay_admin(relay, "admin", "revoke", "bob")
    assert await bob.closed() == 4503


async def test_an_operator_looks_after_invitations(both):
    crew = await Crew(both).meet()
    link = await asyncio.to_thread(roost, both, "page")
    async with Browser() as browser:
        page = await open_page(browser, link)
        await page.get_by_role("heading", name="Reports").wait_for()
        await look_for(page, "alice")
        await page.locator("#finding").get_by_role("button", name="Alice Ames").click()
        await page.get_by_text("No invitation can be opened at the moment.").wait_for()
        await page.get_by_role("spinbutton", name="People").fill("3")
        await page.get_by_role("button", name="Create invitation").click()
        made = await page.locator("#invite-link code").inner_text()
        assert re.fullmatch(rf"http://127\.0\.0\.1:{both.port}/#invite=\w+", made), made
        await page.get_by_text("To chat with Alice Ames").wait_for()
        await page.locator("#person").screenshot(path=SCREENSHOTS / "admin-invitations.png")
        guest = (await browser.tab(await browser.device(), made)).page
        await guest.locator("#start-name").fill("Gwen")
        await guest.locator("#start-submit").click()
        told = await crew.alice.event("conversation", event="created")
        assert told["inviter"] == crew.accounts["Alice Ames"]["user"]
        await page.get_by_role("button", name="Look again").click()
        await page.get_by_text(re.compile("used 1 of 3")).wait_for()
        await page.get_by_role("button", name=re.compile("^Revoke the invitation")).click()
        await page.get_by_role("button", name="Yes").click()
        await page.get_by_text("No invitation can be opened at the moment.").wait_for()
        assert (await crew.alice.call("invite.list"))["invites"] == []
        # A group is found by its name.
        field = page.get_by_label("Group (by name; empty to chat)")
        await field.fill("No such crew")
        await page.get_by_role("button", name="Create invitation").click()
        await page.get_by_text("No group is called “No such crew”.").wait_for()
        await field.fill("harb")
        await page.locator("#invite-groups option[value='Harbour crew']").wait_for(state="attached")
        await field.fill("Harbour crew")
        await page.get_by_role("button", name="Create invitation").click()
        await page.get_by_text("To join the group “Harbour crew”").wait_for()
        assert [one["conversation"] for one in (await crew.alice.call("invite.list"))["invites"]] == [crew.group]
        await page.get_by_role("button", name=re.compile("^Revoke the invitation")).click()
        await page.get_by_role("button", name="Yes").click()
        await page.get_by_text("No invitation can be opened at the moment.").wait_for()
        # What operators did is said with names.
        await page.get_by_role("button", name="List what operators did").click()
        rows = page.locator("#audit-table tbody tr")
        await rows.filter(has_text="made an invitation of").first.wait_for()
        acts = " ".join(await rows.all_inner_texts())
        assert "Alice Ames" in acts and crew.accounts["Alice Ames"]["user"] not in acts
        await page.locator("#audit-table").screenshot(path=SCREENSHOTS / "admin-audit-names.png")
        assert browser.problems == []
    walk, at = Walk(both), "/v1/admin/users/{user}/invites"
    token = (await asyncio.to_thread(roost, both, "page")).partition("services=")[2]
    path = f"/v1/admin/users/{crew.accounts['Alice Ames']['user']}/invites"
    one = walk.ask("POST", path, {"conversation": crew.group, "uses": 2, "after": 60_000}, at=at, token=token)
    assert one.status == 201 and one["invite"]["conversation"] == crew.group
    body = {"invite": one["invite"]["invite"]}
    assert [each["invite"] for each in walk.ask("GET", path, at=at, token=token)["invites"]] == list(body.values())
    alice = crew.accounts["Alice Ames"]["accessToken"]
    assert walk.ask("POST", f"{path}/revoke", body, at=f"{at}/revoke", token=alice).status == 403
    assert walk.ask("POST", f"{path}/revoke", body, at=f"{at}/revoke", token=token).status == 204
    assert walk.ask("GET", path, at=at, token=token)["invites"] == []
    assert walk.ask("POST", path, {"conversation": "c-none"}, at=at, token=token).status == 404
    lines = await asyncio.to_thread(roost, both, "audit")
    assert lines.count("uninvite") == 3 and "to chat" in lines


async def test_operators_get_there_from_the_chat_page(both):
    await both.listening()
    async with Browser(network_fails=True) as browser:
        device = await browser.device()
        person = await browser.tab(device, address(both))
        await person.page.get_by_role("button", name="Create an account").click()
        for field, value in (("name", "Olga Ort"), ("email", "olga@example.org"), ("password", "correct horse")):
            await person.page.locator(f"#start-{field}").fill(value)
        await person.page.locator("#start-submit").click()
        await person.live()
        await person.settings("Account")
        await person.page.get_by_role("button", name="Sign out").wait_for()
        assert await person.page.get_by_role("link", name="Manage this server").count() == 0
        await asyncio.to_thread(roost, both, "user", "operator", "olga@example.org")
        # The next token says so.
        await person.page.reload()
        await person.live()
        await person.settings("Account")
        await person.page.get_by_role("link", name="Manage this server").click()
        await person.page.get_by_role("button", name="Go on as Olga Ort").click()
        await person.page.get_by_text("signed in as Olga Ort").wait_for()
        await person.page.get_by_role("heading", name="Reports").wait_for()
