"""Membership and writing rights in a group: the owner bans, times out and lets only admins write, in the page and on
the socket, over a kill of the relay, and the members see why they can't.
"""

import re

from harness.browser import Browser
from harness.terminal import Terminal
from harness.waiting import until
from test_20_chat import Chat


async def test_what_is_set_outlives_a_kill(start):
    relay = start()
    alice, bob, carol = [await relay.device(user) for user in ("alice", "bob", "carol")]
    group = await alice.group("Crew", "bob", "carol")
    await alice.call("conversation.ban", conversation=group, user="bob", reason="spam")
    told = await bob.event("conversation", event="removed")
    assert (told["banned"], told["reason"]) == (True, "spam")
    await alice.call("conversation.timeout", conversation=group, user="carol", after=86_400_000)
    await alice.call("conversation.posting", conversation=group, posting="admins")
    relay.kill()
    relay.start()
    alice, bob, carol = [await relay.device(user) for user in ("alice", "bob", "carol")]
    assert await alice.refusal("conversation.add", conversation=group, users=["bob"]) == "conflict"
    assert await carol.refusal("send", to=group, key="k", body="x") == "forbidden"
    seen = (await carol.call("conversation.get", conversation=group))["conversation"]
    assert seen["posting"] == "admins" and seen["timeout"]["until"] > 0
    assert [one["user"] for one in (await alice.call("conversation.bans", conversation=group))["bans"]] == ["bob"]
    await alice.call("conversation.posting", conversation=group, posting="all")
    assert await carol.refusal("send", to=group, key="k", body="x") == "forbidden"
    await alice.call("conversation.timeout", conversation=group, user="carol", after=0)
    await carol.send(group, "x")
    await alice.call("conversation.unban", conversation=group, user="bob")
    await alice.call("conversation.add", conversation=group, users=["bob"])


async def test_the_page_says_why_one_cannot_write(relay, name):
    async with Browser() as browser:
        alice = await browser.person(relay, name("alice"))
        bob = await relay.device(name("bob"))
        group = await bob.group("Crew", name("alice"))
        await bob.send(group, "Hello")
        await alice.open("Crew")
        await alice.sees("Hello")
        field = alice.page.locator("#composer")
        await bob.call("conversation.posting", conversation=group, posting="admins")
        await alice.page.get_by_text("Only admins can send messages here.").wait_for()
        await alice.page.get_by_text(f"{name('bob')} let only admins send messages").wait_for()
        assert await field.is_hidden()
        await alice.shot("announcements")
        await bob.call("conversation.posting", conversation=group, posting="all")
        await field.wait_for()
        # It ends by itself.
        await bob.call("conversation.timeout", conversation=group, user=name("alice"), after=2_000, reason="spam")
        await alice.page.get_by_text(re.compile("You can’t send messages here until .*: Spam")).wait_for()
        await alice.shot("timed-out")
        await field.wait_for()
        await alice.write("Sorry")
        await bob.event("message", body="Sorry")


async def test_a_slow_group_outlives_a_kill(start):
    relay = start()
    alice, bob = [await relay.device(user) for user in ("alice", "bob")]
    group = await alice.group("Crew", "bob")
    await alice.call("conversation.slow", conversation=group, after=3_600_000)
    await bob.send(group, "one")
    assert await bob.refusal("send", to=group, key="k", body="two") == "rate_limited"
    relay.kill()
    relay.start()
    alice, bob = [await relay.device(user) for user in ("alice", "bob")]
    assert (await bob.call("conversation.get", conversation=group))["conversation"]["slow"] == 3_600_000
    # Times of messages for slow mode aren't stored.
    await bob.send(group, "two")
    assert await bob.refusal("send", to=group, key="k", body="three") == "rate_limited"
    await alice.send(group, "four")
    await alice.send(group, "five")


async def test_the_page_waits_in_a_slow_group_and_sends_by_itself(relay, name):
    async with Browser() as browser:
        alice, bob = await browser.person(relay, name("alice")), await browser.person(relay, name("bob"))
        desk = await relay.device(name("alice"), "desk")
        group = await desk.group("Crew", name("bob"))
        await alice.open("Crew")
        await alice.page.get_by_role("button", name="About this conversation").click()
        dialog = alice.page.get_by_role("dialog", name="Crew")
        await dialog.get_by_label("Slow mode: wait between messages").select_option(label="10 seconds")
        assert (await desk.event("conversation", event="slow"))["after"] == 10_000
        await alice.shot("slow-set")
        await bob.open("Crew")
        await bob.page.get_by_text(f"{name('alice')} turned on slow mode: 10 seconds between messages").wait_for()
        await bob.page.get_by_text("Slow mode: wait 10 seconds between messages.").wait_for()
        await bob.write("One")
        await desk.event("message", body="One")
        await bob.page.get_by_text(re.compile("^Slow mode: your next message goes out in")).wait_for()
        await bob.write("Two")
        await bob.shot("slow-waits")
        # It goes out by itself once the wait is over.
        await desk.event("message", body="Two")
        assert await bob.page.locator("#trouble").is_hidden()
        await bob.write("Three")
        # Another device ends it.
        await desk.call("conversation.slow", conversation=group, after=0)
        await desk.event("message", body="Three")
        await bob.page.locator("#pause").wait_for(state="hidden")


async def test_who_waits_outlives_a_kill(start):
    relay = start()
    alice, bob, carol = [await relay.device(user) for user in ("alice", "bob", "carol")]
    group = await alice.group("Crew")
    await alice.call("conversation.joining", conversation=group, joining="ask")
    code = (await alice.call("invite.create", conversation=group, uses=5))["invite"]["code"]
    for one in (bob, carol):
        assert (await one.call("invite.open", code=code))["waiting"]
    relay.kill()
    relay.start()
    alice, bob, carol = [await relay.device(user) for user in ("alice", "bob", "carol")]
    assert (await alice.event("joins"))["waiting"] == 2
    assert dict(await bob.event("joins")) == {"type": "joins", "waiting": 1}
    assert (await alice.call("conversation.get", conversation=group))["conversation"]["joining"] == "ask"
    await alice.call("join.accept", conversation=group, user="bob")
    assert (await bob.event("conversation", event="added"))["inviter"] == "alice"
    await alice.call("join.refuse", conversation=group, user="carol")
    assert dict(await carol.event("joins", waiting=0)) == {"type": "joins", "waiting": 0}
    assert (await carol.call("join.list"))["joins"] == []


async def test_an_admin_decides_who_joins_by_link(relay, name):
    async with Browser() as browser:
        alice = await browser.person(relay, name("alice"))
        desk = await relay.device(name("alice"), "desk")
        bob, carol = [await relay.device(name(user)) for user in ("bob", "carol")]
        await bob.call("profile.set", name="Bob B.")
        group = await desk.group("Crew")
        await alice.open("Crew")
        await alice.page.get_by_role("button", name="About this conversation").click()
        dialog = alice.page.get_by_role("dialog", name="Crew")
        await dialog.get_by_label("People who join by link").select_option(label="Wait for an admin’s approval")
        assert (await desk.event("conversation", event="joining"))["joining"] == "ask"
        await alice.page.keyboard.press("Escape")
        await alice.page.get_by_text("You turned on approval for people who join by link").wait_for()
        code = (await desk.call("invite.create", conversation=group, uses=5))["invite"]["code"]
        for one in (bob, carol):
            assert (await one.call("invite.open", code=code))["waiting"]
        await alice.page.locator(".waits", has_text="+2").wait_for()
        await alice.page.get_by_role("button", name="2 people want to join Review").click()
        await dialog.get_by_role("heading", name="Waiting to join").wait_for()
        await dialog.get_by_role("button", name="Accept: Bob B.").wait_for()
        await alice.shot("waiting")
        await dialog.get_by_role("button", name=f"Decline: {name('carol')}").click()
        await dialog.get_by_role("button", name=f"Decline: {name('carol')}").wait_for(state="detached")
        await dialog.get_by_role("button", name="Accept: Bob B.").click()
        told = await bob.event("conversation", event="added")
        assert told["inviter"] == name("alice")
        await dialog.get_by_role("heading", name="Waiting to join").wait_for(state="hidden")
        await alice.page.locator(".waits", has_text="+").wait_for(state="detached")
        assert (await carol.call("join.list"))["joins"] == []


async def test_an_admin_says_why_a_message_goes(relay, name):
    async with Browser() as browser:
        alice, bob = await browser.person(relay, name("alice")), await browser.person(relay, name("bob"))
        desk = await relay.device(name("alice"), "desk")
        await desk.group("Crew", name("bob"))
        for one in (alice, bob):
            await one.open("Crew")
        await bob.write("Buy cheap gold")
        await alice.sees("Buy cheap gold")
        await alice.does("Buy cheap gold", "Delete")
        await alice.page.get_by_label("Reason").select_option(label="Spam")
        await alice.page.get_by_role("button", name="Delete", exact=True).click()
        await alice.page.get_by_text(f"You removed a message from {name('bob')}: Spam").wait_for()
        await bob.page.get_by_text(f"{name('alice')} removed your message: Spam").wait_for()
        assert (await desk.event("delete"))["reason"] == "spam"
        await bob.shot("removed")


async def test_an_owner_moderates_in_the_page(relay, name):
    async with Browser() as browser:
        alice = await browser.person(relay, name("alice"))
        bob = await relay.device(name("bob"))
        desk = await relay.device(name("alice"), "desk")
        group = await desk.group("Crew", name("bob"))
        await alice.open("Crew")
        await alice.page.get_by_role("button", name="About this conversation").click()
        dialog = alice.page.get_by_role("dialog", name="Crew")
        await dialog.get_by_label("Who can send messages").select_option(label="Only admins")
        assert (await bob.event("conversation", event="posting"))["posting"] == "admins"
        await dialog.get_by_role("button", name=f"Time out: {name('bob')}").click()
        await alice.shot("time-out")
        await alice.page.get_by_label("How long?").select_option(label="1 hour")
        await alice.page.get_by_label("Reason").select_option(label="Spam")
        await alice.page.get_by_role("button", name="Time out", exact=True).click()
        told = await bob.event("conversation", event="timeout")
        assert told["reason"] == "spam" and told["until"] - told["time"] == 3_600_000
        await dialog.get_by_role("button", name=f"End timeout: {name('bob')}").click()
        assert "until" not in await bob.event("conversation", event="timeout")
        await dialog.get_by_role("button", name=f"Ban: {name('bob')}").click()
        await alice.page.get_by_role("button", name="Ban", exact=True).click()
        assert (await bob.event("conversation", event="removed"))["banned"]
        await dialog.get_by_text("Banned").click()
        await alice.shot("banned")
        await dialog.get_by_role("button", name=f"Unban: {name('bob')}").click()
        await dialog.get_by_text("No one is banned.").wait_for()

        async def is_free():
            return (await desk.call("conversation.bans", conversation=group))["bans"] == []
        await until(is_free, "the ban to be lifted")


async def test_a_terminal_decides_who_joins_by_link(start):
    relay = start()
    bob, carol = await relay.device("bob"), await relay.device("carol")
    await bob.call("profile.set", name="Bob Ford")
    desk = await relay.device("alice", "desk")
    group = await desk.group("Crew")
    code = (await desk.call("invite.create", conversation=group, uses=5))["invite"]["code"]
    alice = await Chat.open(relay, "--as", "alice", "--with", group)
    await alice.type("/approval on")
    await alice.shows("People who follow a link now wait for an admin")
    for one in (bob, carol):
        assert (await one.call("invite.open", code=code))["waiting"]
    dave = await Chat.open(relay, "--as", "dave", "--with", "alice")
    await dave.type(f"/follow http://127.0.0.1/#invite={code}")
    await dave.shows("Your request was sent. The group appears once an admin approves it")
    await dave.asks("/waiting", "Crew")
    await alice.shows("3 want to join. /waiting shows their names")
    await alice.asks("/waiting", r"Bob Ford \(bob\)")
    await alice.type("/admit Bob Fort")
    await alice.shows("No one by this name is waiting. /waiting shows who is")
    await alice.type("/admit bob ford")
    await alice.shows(r"Bob Ford \(bob\) joined")
    assert (await bob.event("conversation", event="added"))["inviter"] == "alice"
    await alice.type("/turn-away @carol")
    await alice.shows("carol was declined")
    assert (await carol.event("joins", waiting=0))["waiting"] == 0
    await alice.type("/turn-away dave")
    await alice.shows("dave was declined")
    await alice.type("/waiting")
    await alice.shows("No one is waiting")
    await dave.type("/waiting")
    await dave.shows("You aren’t waiting for a group")
    await alice.type("/approval off")
    await alice.shows("People who follow a link now join right away")
    for chat in (alice, dave):
        assert await chat.end() == 0


async def test_a_terminal_moderates(start):
    relay = start()
    bob, carol = await relay.device("bob"), await relay.device("carol")
    await bob.call("profile.set", name="Bob Ford", username="bford")
    desk = await relay.device("alice", "desk")
    group = await desk.group("Crew", "bob", "carol")
    alice = await Chat.open(relay, "--as", "alice", "--with", group)
    await alice.shows("3 of 3 online")
    await alice.type("/timeout Bob Ford 10m spam")
    await alice.shows(r"You gave Bob Ford \(bob\) a timeout. To end it: /timeout Bob Ford off")
    told = await carol.event("conversation", event="timeout")
    assert (told["user"], told["reason"], told["until"] - told["time"]) == ("bob", "spam", 600_000)
    await alice.type("/timeout @bford off")
    await alice.shows(r"Bob Ford \(bob\) can write again")
    await alice.type("/announce on")
    await alice.shows("Only the owner and admins can write here now")
    assert (await carol.event("conversation", event="posting"))["posting"] == "admins"
    await alice.type("/announce off")
    await alice.shows("Everyone can write here now")
    await alice.type("/ban bob ford harassment")
    await alice.shows(r"You banned Bob Ford \(bob\)")
    assert (await carol.event("conversation", event="removed"))["reason"] == "harassment"
    await alice.asks("/bans", r"Bob Ford \(bob\), by alice, .*: harassment")
    await alice.type("/unban Bob Ford")
    await alice.shows(r"Bob Ford \(bob\) can be added again")
    await alice.type("/bans")
    await alice.shows("No one is banned here")
    # A typo affects no user.
    await alice.type("/ban Bob Fort")
    await alice.shows("No one here is called Bob Fort. /who lists the members")
    await alice.type("/timeout carol soon")
    await alice.shows("/timeout NAME 10m REASON")
    assert await alice.end() == 0
    # A member who isn't an admin gets the reason.
    member = await Chat.open(relay, "--as", "carol", "--with", group)
    await member.type("/ban alice")
    await member.shows("You don’t have permission to do that")
    assert await member.end() == 0
    terminal = await Terminal.open(relay, "--as", "alice", "--with", group)
    await terminal.shows("2 of 2 online")
    terminal.type("/timeo\t")
    await terminal.shows("/timeout")
    terminal.type("car\t10m\r")
    await terminal.shows("You gave carol a timeout")
    assert (await carol.event("conversation", event="timeout", user="carol"))["until"] > 0
    terminal.type("\x04")
    assert await terminal.end() == 0 and terminal.is_sane()


async def test_who_is_banned_reads_so(relay, name):
    async with Browser() as browser:
        bob = await browser.person(relay, name("bob"))
        desk = await relay.device(name("alice"), "desk")
        group = await desk.group("Crew", name("bob"))
        await desk.send(group, "hello")
        await bob.open("Crew")
        await bob.sees("hello")
        await desk.call("conversation.ban", conversation=group, user=name("bob"), reason="spam")
        await bob.page.get_by_text(f"{name('alice')} banned you").wait_for()
        assert "spam" in (await bob.page.locator("#trouble").inner_text()).lower()
        await bob.page.locator("#title").get_by_text("Crew", exact=True).wait_for()
        assert await bob.page.locator("#composer").is_hidden()
        await bob.shot("banned-from")
        # After a reload there is nothing but that.
        await bob.page.reload()
        await bob.live()
        await bob.page.get_by_text("You’re no longer in this conversation.").wait_for()
        assert await bob.page.locator("#composer").is_hidden()
