"""Names are addresses: a username leads to its user wherever people are named, and a typo makes no user."""

import asyncio
import re

import pytest

from harness.browser import Browser
from harness.chromium import CHROMIUM
from harness.relay import command
from harness.waiting import until
from test_38_admin_command import roost
from test_44_chat_page_people import panel
from test_57_http_api import Backend, both as apart  # noqa: F401

in_a_browser = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")


async def named(relay, user, **profile):
    """A user who has connected, with this name."""
    device = await relay.device(user)
    await device.call("profile.set", **profile)
    return device


async def test_where_there_are_accounts_a_typo_makes_nobody(both):
    """Nothing is configured: `roost up` alone says so."""
    await both.listening()
    ann = await both.device("ann")
    for command, members in [
            ("send", {"to": "@bem", "key": "m-1", "body": "x"}),
            ("conversation.create", {"kind": "group", "name": "Crew", "members": ["bem"]}),
            ("contact.invite", {"user": "bem"}), ("contact.block", {"users": ["bem"]}),
            ("watch", {"users": ["bem"]})]:
        assert await ann.refusal(command, **members) == "not_found", command
    # An account is known as soon as it is made, whether or not it has ever connected.
    made = both.ask("POST", "/v1/accounts", {
        "email": "ben@example.org", "password": "a long enough one", "displayName": "Ben"})
    assert made.status == 201, made.raw
    user = made["user"]

    async def reaches():
        return "sequence" in await ann.ask("send", to=f"@{user}", key="m-2", body="x")
    await until(reaches, "the account to be known")


async def test_a_terminal_is_somebody_who_is_there(both):
    """A token makes the user that it names, so `roost chat --as` looks first."""
    await both.listening()
    ann, ben = (both.ask("POST", "/v1/accounts", {
        "email": f"{name}@example.org", "password": "a long enough one", "displayName": name}).json
        for name in ("ann", "ben"))
    device = await both.device(ann["user"], ann["device"], token=ann["accessToken"])
    words = both.words()
    settings = words[words.index("--set"):]

    def chat(*more):
        return asyncio.to_thread(command, both.folder, "chat", *more, "--with", ann["user"], *settings)

    for typo in ("bem", "bem@example.org"):
        said = await chat("--as", typo)
        assert said.returncode == 1 and f"There’s no account called {typo}. To create a new" in said.stderr, said
        assert await device.refusal("watch", users=[typo]) == "not_found"
    assert (await chat("--as", "ben@example.org")).returncode == 0
    assert (await chat("--as", ben["user"])).returncode == 0
    assert (await chat("--as", "bem", "--new")).returncode == 0


async def test_a_revocation_of_a_typo_fails_and_makes_nobody(start):
    relay = start(directory__unknown="refuse")
    bob = await named(relay, "u1", name="Bob Baker", username="bob.b")
    said = await roost(relay, "admin", "revoke", "bobb", code=1)
    assert "no user is called bobb" in said
    assert "not_found" in await roost(relay, "admin", "user", "presence", "bobb", code=1)
    assert not bob.close_code
    assert "Bob Baker (u1)  online" in await roost(relay, "admin", "people")
    assert "u1 is online" in await roost(relay, "admin", "user", "presence", "@bob.b")
    ann = await relay.device("ann")
    sent = await ann.call("send", to="@bob.b", key="k", body="Between us")
    listed = await roost(relay, "admin", "conversations", "ann")
    assert f"{sent['conversation']}  with Bob Baker (u1)\n" in listed and "Between us" not in listed
    assert f"1 message, the last at {sent['position']}" in listed
    assert "message 1" in await roost(relay, "admin", "message", sent["position"])
    assert await roost(relay, "admin", "revoke", "bob.b") == "revoked; 1 connection closed\n"
    assert await bob.closed() == 4503
    assert await roost(relay, "admin", "revoke", "never-here", "--unknown") == "revoked; 0 connections closed\n"


async def test_a_backend_names_its_users(apart):  # noqa: F811
    services, relay = apart(directory__unknown="refuse", directory__find="everyone")
    backend = Backend(services)

    def put(path, body, key=backend.key):
        return services.ask("PUT", f"/v1/backend/{path}", body, token=key)

    said = {"as": "shop", "to": "@ann", "body": "Your parcel is on its way."}
    assert backend.ask("messages", said, key="o-1").code == "not_found"
    first = put("users/shop", {"name": "The corner shop", "username": "cornershop", "photo": "files/shop.jpg"})
    assert first.status == 200 and first.json == {"user": "shop", "version": 1}
    # Repeating the same profile changes nothing.
    assert put("users/shop", {"name": "The corner shop"}).json == {"user": "shop", "version": 1}
    many = put("users", {"users": [
        {"user": "ann", "name": "Ann Archer", "role": "customer"}, {"user": "bob", "username": "cornershop"},
        {"user": "cem"}, {"user": "no user"}, {"user": "dan", "name": ""}]})
    assert [(one["user"], one.get("version"), one.get("code")) for one in many["users"]] == [
        ("ann", 1, None), ("bob", None, "username_taken"), ("cem", 1, None), ("no user", None, "bad_request"),
        ("dan", None, "bad_request")]
    assert backend.send("shop", "@ann", "Your parcel is on its way.", "o-1")["sequence"] == 1
    ann = await relay.device("ann")
    message = await ann.event("message", **{"from": "shop"})
    assert message["body"] == "Your parcel is on its way."
    [profile] = (await ann.call("user.get", users=["cornershop"]))["profiles"]
    assert (profile["user"], profile["name"], profile["photo"]) == ("shop", "The corner shop", "files/shop.jpg")
    assert (await ann.call("send", to="@CornerShop", key="k", body="Thanks"))["sequence"] == 2
    # Bounds, words and the audit log.
    assert put("users", {"users": [{"user": f"u{n}"} for n in range(101)]}).code == "bad_request"
    assert put("users", {"users": []}).code == "bad_request"
    assert put("users/@shop", {"name": "x"}).code == "bad_request"
    assert put("users/shop", {"name": "x"}, key=Backend(services, "reader", "read").key).code == "forbidden"
    assert put("users/shop", {"name": "x"}, key="nonsense").code == "unauthorized"
    made = services.post("/v1/accounts", {
        "email": "eve@example.org", "password": "a long enough one", "displayName": "Eve"})
    assert put(f"users/{made['user']}", {"role": "boss"}).code == "conflict"
    operator = services.command("admin-token").stdout.strip()
    entries = services.get("/v1/admin/audit?limit=100", token=operator)["entries"]
    assert {entry["user"] for entry in entries if entry["by"] == "@key:shop"} == {"shop", "ann", "cem"}


@in_a_browser
async def test_a_page_finds_people_and_offers_nobody_else(start):
    relay = start(directory__unknown="refuse", directory__find="everyone")
    ben = await named(relay, "u7p8x2", name="Ben Friend", username="ben")
    async with Browser() as browser:
        olivia = await browser.person(relay, "olivia")
        await olivia.live()
        page = olivia.page
        # The search has the existing users, and no others.
        dialog = await panel(olivia)
        await page.locator("#people-find").fill("Bem")
        await dialog.get_by_text("No one found for “Bem”.").wait_for()
        assert await dialog.locator("#people-found").get_by_role("listitem").count() == 0
        await page.locator("#people-find").fill("ben")
        await dialog.get_by_role("listitem").filter(has_text="Ben Friend").get_by_text("@ben").wait_for()
        await olivia.shot("names-found")
        # The first one empties the field.
        await page.keyboard.press("Escape")
        await page.keyboard.press("Escape")
        await dialog.wait_for(state="hidden")
        # So has a new conversation.
        await page.get_by_role("button", name="New conversation").click()
        await page.locator("#pick-find").fill("@bem")
        await page.get_by_text("No one found for “bem”.").wait_for()
        await page.keyboard.press("Enter")
        assert await page.get_by_role("option").count() == 0
        await olivia.shot("names-nobody")
        await olivia.pick("u7p8x2", "@ben")
        await page.locator("#title", has_text="Ben Friend").wait_for()
        assert page.url.endswith("#/%40u7p8x2")
        await olivia.write("Shall we meet at noon?")
        got = await ben.event("message")
        assert got["body"] == "Shall we meet at noon?"
        # A link with the username leads to the same conversation.
        await page.evaluate("location.hash = '#/%40ben'")
        await until(lambda: page.url.endswith("#/%40u7p8x2"), "the id in the address")
        await olivia.sees("Shall we meet at noon?")
        assert await page.locator("#list .conversation").count() == 1
        # A name that doesn't exist gives a message.
        await page.evaluate("location.hash = '#/%40bem'")
        await page.get_by_text("No one here is called “bem”.").last.wait_for()
        await until(lambda: not re.search("#/", page.url), "the list")


@in_a_browser
async def test_a_group_is_made_of_people_who_exist(start):
    relay = start(directory__unknown="refuse", directory__find="everyone")
    await named(relay, "u7p8x2", name="Ben Friend", username="ben")
    async with Browser() as browser:
        olivia = await browser.person(relay, "olivia")
        await olivia.live()
        page = olivia.page
        await page.get_by_role("button", name="New conversation").click()
        await page.get_by_role("button", name="New group").click()
        await page.get_by_label("Group name").fill("Night watch")
        await page.locator("#pick-find").fill("bem")
        await page.get_by_text("No one found for “bem”.").wait_for()
        await page.keyboard.press("Enter")
        assert await page.get_by_role("button", name="Create group").is_disabled()
        await olivia.pick("u7p8x2", "ben")
        await page.get_by_role("button", name="Remove: Ben Friend").wait_for()
        await page.get_by_role("button", name="Create group").click()
        await page.locator("#title", has_text="Night watch").wait_for()
        group = (await (await relay.device("u7p8x2")).call("conversation.list"))["conversations"]
        assert [one["members"] for one in group] == [["olivia", "u7p8x2"]]
