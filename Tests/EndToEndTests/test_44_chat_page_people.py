"""The part of the chat page about people, in a real browser against the relay: contacts, blocks, names, mutes, and read
receipts. It is loaded when a user asks for it, or after the messages.
"""

import re

import pytest

from harness.browser import Browser, address
from harness.chromium import CHROMIUM
from harness.waiting import until
from test_38_admin_command import roost
from test_44_chat_page import says, titled, two

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")


async def panel(person):
    """Opens the panel."""
    await person.page.get_by_role("button", name=re.compile("^People")).click()
    await person.page.locator("#people-find:focus").wait_for()
    return person.page.get_by_role("dialog", name="People")


def listed(dialog, title):
    """The names in one of the panel's lists."""
    return dialog.get_by_role("region", name=title).get_by_role("listitem")


async def called(person, name):
    """Gives oneself a name."""
    pane = await person.settings("Profile")
    await pane.get_by_label("Name", exact=True).fill(name)
    await pane.get_by_role("button", name="Save profile").click()
    await person.page.get_by_text("Profile saved.").wait_for()
    await person.page.get_by_role("button", name="Back to conversations").click()
    await person.page.get_by_role("button", name=f"You, {name}: online").wait_for()


async def test_from_a_stranger_to_a_contact(start):
    relay = start(directory__find="everyone")
    async with Browser() as browser:
        alice, bob = await browser.person(relay, "alice"), await browser.person(relay, "bob")
        await called(bob, "Bob Builder")
        dialog = await panel(alice)
        await dialog.get_by_text("No contacts yet").wait_for()
        await alice.page.locator("#people-find:focus").wait_for()
        await alice.shot("people-empty")
        await alice.page.keyboard.type("bui")
        found = dialog.get_by_role("listitem").filter(has_text="Bob Builder")
        await found.get_by_text("@bob").wait_for()
        await dialog.get_by_text("1 person").wait_for()
        await alice.shot("people-found")
        await dialog.get_by_role("button", name="Add: Bob Builder").click()
        await listed(dialog, "Invited by you").filter(has_text="Bob Builder").wait_for()
        # An invited user sees that without opening anything.
        await bob.page.get_by_role("button", name="People, 1 invitation").wait_for()
        theirs = await panel(bob)
        await listed(theirs, "Invitations").filter(has_text="alice").wait_for()
        await bob.shot("people-invitation")
        await theirs.get_by_role("button", name="Accept: alice").click()
        await listed(theirs, "Contacts").filter(has_text="alice").wait_for()
        await bob.page.get_by_role("button", name="People", exact=True).wait_for(state="attached")
        await listed(dialog, "Contacts").filter(has_text="Bob Builder").wait_for()
        assert await listed(dialog, "Invited by you").count() == 0
        await alice.shot("people-contacts")
        # One writes to a contact from there, and the name is that of the conversation.
        await listed(dialog, "Contacts").get_by_role("button", name="Message: Bob Builder").click()
        await alice.page.locator("#title", has_text="Bob Builder").wait_for()
        await alice.write("Hello Bob")
        await alice.sees_state("Hello Bob", "Delivered")
        # Removed on the one side, gone on the other.
        await listed(theirs, "Contacts").get_by_role("button", name=re.compile("^alice")).click()
        card = bob.page.get_by_role("dialog", name="alice")
        await card.get_by_role("button", name="Remove from contacts").click()
        await bob.page.get_by_role("button", name="Remove", exact=True).click()
        await card.get_by_role("button", name="Add to contacts").wait_for()
        await card.get_by_role("button", name="Close").click()
        await theirs.get_by_text("No contacts yet").wait_for()
        await panel(alice)
        await dialog.get_by_text("No contacts yet").wait_for()
        # An invitation can be declined, and taken back.
        await alice.page.keyboard.type("bui")
        await dialog.get_by_role("button", name="Add: Bob Builder").click()
        await theirs.get_by_role("button", name="Decline: alice").click()
        await listed(dialog, "Invited by you").wait_for(state="hidden")
        await dialog.get_by_role("button", name="Add: Bob Builder").click()
        await listed(theirs, "Invitations").wait_for()
        await dialog.get_by_role("button", name="Cancel invitation: Bob Builder").click()
        await listed(theirs, "Invitations").wait_for(state="hidden")


async def test_who_is_not_found_can_be_invited_by_the_exact_name(relay, name):
    carol = await relay.device(name("carol"))
    async with Browser() as browser:
        alice = await browser.person(relay, name("alice"))
        dialog = await panel(alice)
        await alice.page.keyboard.type(name("carol"))
        await dialog.get_by_text("Only the exact username matches.").wait_for()
        await dialog.get_by_role("button", name=f"Add: {name('carol')}").click()
        assert (await carol.event("contact", user=name("alice")))["state"] == "received"
        # The other user's label isn't shown, and a name with markup is text.
        await carol.call("contact.accept", user=name("alice"))
        await listed(dialog, "Contacts").filter(has_text=name("carol")).wait_for()
        await carol.call("profile.set", name="<img src=x onerror=alert(1)>")
        await carol.send(f"@{name('alice')}", "hello")
        await listed(dialog, "Contacts").filter(has_text="<img src=x onerror=alert(1)>").wait_for()


async def test_a_new_name_is_drawn_wherever_somebody_is_named(relay, name):
    async with Browser() as browser:
        alice, bob = await two(browser, relay, name)
        carol = await relay.device(name("carol"))
        group = await carol.group("The Crew", name("alice"), name("bob"))
        for person in (alice, bob):
            await person.open("The Crew")
        await alice.write("Who is there?")
        row = await bob.sees("Who is there?")
        assert await row.locator(".author").inner_text() == name("alice")
        await called(alice, "Alice Ardent")
        await until(lambda: says(row.locator(".author"), "Alice Ardent"), "the author's line")
        assert (await row.get_attribute("aria-label")).startswith("Alice Ardent, ")
        await bob.does("Who is there?", "Reply")
        await bob.write("I am")
        await alice.sees("I am")
        await called(alice, "Alice B.")
        await until(lambda: says(row.locator(".author"), "Alice B."), "the author's line again")
        quote = bob.message("I am").locator(".quote")
        await until(lambda: says(quote.locator("span").first, "Alice B."), "who is quoted")
        await until(lambda: says(bob.page.locator("#subtitle"), f"Alice B., {name('carol')} and you · 3 of 3 online"),
                    "the members")
        await bob.shot("people-renamed")
        # One's own other browser shows it, too, and a taken username is refused.
        other = await browser.person(relay, name("alice"))
        await other.page.get_by_role("button", name="You, Alice B.: online").wait_for()
        await carol.call("profile.set", name="Carol", username="the_one")
        pane = await alice.settings("Profile")
        assert await pane.get_by_label("Name", exact=True).input_value() == "Alice B."
        await pane.get_by_label("Username").fill("the_one")
        await pane.get_by_role("button", name="Save profile").click()
        await pane.get_by_text("Someone else has this username.").wait_for()
        await alice.shot("settings-profile-taken")


async def test_names_are_there_when_the_list_is(start):
    relay = start()
    carol = await relay.device("carol")
    await carol.call("profile.set", name="Carol Third")
    async with Browser(network_fails=True) as browser:
        alice = await browser.person(relay, "alice")
        await called(alice, "Alice Ardent")
        device, page = alice.context, alice.page
        await page.close()
        # A new user writes while the known browser is away.
        await carol.send("@alice", "Have you seen this?")
        group = await carol.group("Night watch", "alice")
        await carol.send(group, "hi group")
        alice = await browser.tab(device, f"http://127.0.0.1:{relay.port}/")

        async def named():
            row = alice.page.get_by_role("button", name=re.compile("^Carol Third, 1 unread. Have you seen this"))
            await row.wait_for()
            group = alice.page.get_by_role("button", name=re.compile("^Night watch, 1 unread. Carol Third: hi group"))
            await group.wait_for()
            await alice.page.get_by_role("button", name=re.compile("^You, Alice Ardent: ")).wait_for()
            assert "carol" not in await alice.page.locator("#side").inner_text()
            return row
        await named()
        await alice.live()
        await alice.shot("names")
        relay.kill()
        await alice.page.reload()
        row = await named()
        await row.click()
        await alice.page.get_by_role("textbox", name="Message to Carol Third").wait_for()


async def test_who_is_opened_by_the_address_has_a_name(start):
    relay = start(directory__find="everyone")
    zoe = await relay.device("zoe")
    await zoe.call("profile.set", name="Zoe Zest")
    async with Browser() as browser:
        device = await browser.device()
        await (await browser.tab(device, address(relay, relay.token("alice")))).live()
        alice = await browser.tab(device, address(relay) + "#/@zoe")
        await alice.page.locator("#title").get_by_text("Zoe Zest", exact=True).wait_for()
        assert await alice.page.title() == "Zoe Zest – Roost"
        await alice.page.get_by_label("Message to Zoe Zest").wait_for()


async def test_a_mute_follows_and_is_not_counted(relay, name):
    async with Browser() as browser:
        alice, bob = await two(browser, relay, name)
        dave = await relay.device(name("dave"))
        await dave.send(f"@{name('bob')}", "noise")
        other = await browser.person(relay, name("bob"))
        for person in (bob, other):
            await until(lambda person=person: badged(person, 1), "one unread")
        await bob.open(name("dave"))
        await bob.page.get_by_role("button", name="About this conversation").click()
        await bob.page.get_by_role("dialog", name=name("dave")).get_by_role("button", name="Mute").click()
        await bob.page.get_by_role("button", name="Unmute").wait_for()
        await bob.shot("people-mute")
        await bob.page.keyboard.press("Escape")
        # At once on the other device, and after a start as well.
        muted = re.compile(f"^{re.escape(name('dave'))}.*, muted")
        await other.page.get_by_role("button", name=muted).wait_for()
        await bob.open(name("alice"))
        await dave.send(f"@{name('bob')}", "more noise")
        unread = re.compile(f"^{re.escape(name('dave'))}, 1 unread, muted")
        await other.page.get_by_role("button", name=unread).wait_for()
        await until(lambda: badged(other, 0), "a muted one isn't counted")
        await other.shot("people-muted")
        await other.page.reload()
        await other.page.get_by_role("button", name=muted).wait_for()
        await until(lambda: badged(other, 0), "nor after a start")
        # Both at once: the dialog is open before the conversation has been read.
        await bob.page.evaluate("""title => {
            const names = [...document.querySelectorAll(".conversation .name")];
            names.find((one) => one.textContent === title).closest(".conversation").click();
            document.querySelector("#info-button").click();
        }""", name("dave"))
        await bob.page.get_by_role("button", name="Unmute").click()
        await other.page.get_by_role("button", name=muted).wait_for(state="hidden")


async def test_pinned_messages_are_above_the_others(relay, name):
    async with Browser() as browser:
        alice, bob = await two(browser, relay, name)
        for words in ("Meet at noon", "Bring a map", "and water"):
            await alice.write(words)
            await bob.sees(words)
        await alice.does("Meet at noon", "Pin")
        for person in (alice, bob):
            await person.page.get_by_role("button", name=re.compile("^Pinned message .*Meet at noon")).wait_for()
        await bob.does("Bring a map", "Pin")
        two_of_them = re.compile("^Pinned message 1 of 2 .*Bring a map")
        for person in (alice, bob):
            await person.page.get_by_role("button", name=two_of_them).wait_for()
        await bob.shot("pins")
        # The line leads to its message, and then shows the next one.
        await bob.page.locator("#pins").click()
        await bob.page.locator(".message.lit", has_text="Bring a map").wait_for()
        await bob.page.get_by_role("button", name=re.compile("^Pinned message 2 of 2 .*Meet at noon")).wait_for()
        await alice.message("Bring a map").hover()
        await alice.shot("pins-menu")
        # Another tab of the same session, a start, and another conversation.
        other = await browser.person(relay, name("alice"))
        await other.open(name("bob"))
        await other.page.get_by_role("button", name=two_of_them).wait_for()
        await alice.does("Bring a map", "Unpin")
        only = re.compile("^Pinned message .*Meet at noon")
        for person in (alice, bob, other):
            await person.page.get_by_role("button", name=only).wait_for()
        await alice.page.reload()
        await alice.page.get_by_role("button", name=only).wait_for()
        # A deleted message is pinned no longer.
        await alice.does("Meet at noon", "Delete")
        await alice.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        for person in (alice, bob, other):
            await person.page.locator("#pins").wait_for(state="hidden")


async def test_only_who_leads_a_group_pins(relay, name):
    async with Browser() as browser:
        alice, bob = await two(browser, relay, name)
        phone = await relay.device(name("alice"), "phone")
        group = await phone.group("Crew", name("bob"))
        await phone.send(group, "The plan")
        for person in (alice, bob):
            await person.open("Crew")
            await person.sees("The plan")
        await alice.does("The plan", "Pin")
        await bob.page.get_by_role("button", name=re.compile("^Pinned message .*The plan")).wait_for()
        await bob.message("The plan").hover()
        bar = bob.page.get_by_role("toolbar")
        await bar.get_by_role("button", name="Reply").wait_for()
        assert await bar.get_by_role("button", name="Unpin").count() == 0
        # The line is of the conversation that is open.
        await bob.open(name("alice"))
        await bob.page.locator("#pins").wait_for(state="hidden")


async def test_what_was_pinned_while_one_was_away(start):
    relay = start()
    async with Browser(network_fails=True) as browser:
        alice, bob = await two(browser, relay, lambda word: word)
        phone = await relay.device("alice", "phone")
        group = await phone.group("Crew", "bob")
        sequence = (await phone.call("send", to=group, key="plan", body="The plan"))["sequence"]
        await bob.open("Crew")
        await bob.sees("The plan")
        await bob.live()
        for act, state in (("pin", "visible"), ("unpin", "hidden")):
            port = relay.port
            relay.kill()
            await bob.page.get_by_text("Can’t reach the server.").wait_for()
            relay.start(listen__port=port)
            phone = await relay.device("alice", "phone")
            await phone.call(f"conversation.{act}", conversation=group, sequence=sequence)
            await bob.page.locator("#pins", has_text="The plan").wait_for(state=state)


async def badged(person, count):
    title = await person.page.title()
    return title.startswith(f"({count}) ") if count else not title.startswith("(")


async def test_blocks_and_reports(start):
    relay = start()
    async with Browser(network_fails=True) as browser:
        alice, bob = await two(browser, relay, lambda word: word)
        await alice.page.get_by_role("button", name="About this conversation").click()
        dialog = alice.page.get_by_role("dialog", name="bob")
        await dialog.get_by_role("button", name="Report").click()
        form = alice.page.get_by_role("dialog", name="Report bob")
        await form.get_by_label("What’s wrong?").select_option("Harassment")
        await form.get_by_label("Details").fill("Writes every night")
        await alice.shot("people-report")
        await form.get_by_role("button", name="Report").click()
        await alice.page.get_by_text("Report sent.").wait_for()
        lines = (await roost(relay, "admin", "report", "list")).splitlines()
        assert lines[1].endswith("alice reports bob: harassment") and "Writes every night" in lines[2]
        await alice.page.keyboard.press("Escape")
        # A message that waits while another device blocks is refused.
        port = relay.port
        relay.kill()
        await alice.page.locator("body:not([data-live])").wait_for(state="attached")
        await alice.write("I don't want to")
        await alice.sees_state("I don't want to", "Sending")
        await alice.page.close()
        relay.start(listen__port=port)
        await (await relay.device("alice", "other")).call("contact.block", users=["bob"])
        await bob.live()
        await bob.write("Can you hear me?")
        await bob.sees("Can you hear me?")
        alice = await browser.tab(alice.context, address(relay) + "#/@bob")
        await alice.page.get_by_role("button", name="About this conversation").click()
        await alice.page.get_by_role("dialog", name="bob").get_by_role("button", name="Unblock").wait_for()
        await alice.page.keyboard.press("Escape")
        bar = alice.page.locator("#trouble")
        await bar.get_by_text("You blocked bob.").wait_for()
        await alice.sees_state("I don't want to", "Not sent")
        assert await alice.page.locator("#subtitle").inner_text() == "Blocked"
        await alice.shot("people-blocked")
        theirs = await alice.settings("Privacy")
        blocked = theirs.get_by_role("list", name="Blocked people").get_by_role("listitem")
        await blocked.filter(has_text="bob").wait_for()
        await alice.shot("settings-blocked")
        await theirs.get_by_role("button", name="Unblock: bob").click()
        await theirs.get_by_text("You haven’t blocked anyone.").wait_for()
        # The focus isn't lost with the row.
        await alice.page.locator("#privacy-presence:focus").wait_for()
        await alice.page.get_by_role("button", name="Back to conversations").click()
        # The refused message goes out by itself, and nothing says any more that it can't.
        await bob.sees("I don't want to")
        await bar.wait_for(state="hidden")
        await bob.write("I am sorry")
        await alice.sees("I am sorry")
        assert await alice.page.get_by_text("Can you hear me?").count() == 0


async def test_who_has_read_it_and_when(relay, name):
    async with Browser() as browser:
        alice, bob = await two(browser, relay, name)
        carol = await relay.device(name("carol"))
        group = await carol.group("The Crew", name("alice"), name("bob"))
        await alice.open("The Crew")
        await alice.write("Who reads this?")
        await carol.awaited_message(group, 1)
        await carol.call("read", conversation=group, sequence=1)
        await alice.sees_state("Who reads this?", "Read by 1 of 2")
        await alice.does("Who reads this?", "Read by")
        dialog = alice.page.get_by_role("dialog", name="Read by")
        who = re.escape(name("carol"))
        await dialog.get_by_text(re.compile(rf"^Read by {who} at \d\d:\d\d$")).wait_for()
        row = dialog.get_by_role("listitem").filter(has_text=name("carol"))
        await row.get_by_text(re.compile(r"^Read at \d\d:\d\d$")).wait_for()
        assert re.search(r"^Read at \d.*\nDelivered at \d", await row.get_attribute("title"))
        row = dialog.get_by_role("listitem").filter(has_text=name("bob"))
        await row.get_by_text(re.compile("^Delivered at")).wait_for()
        await alice.shot("people-readers")


async def test_the_panel_with_the_keyboard_on_a_phone(start):
    relay = start(directory__find="everyone")
    devices = [await relay.device(user) for user in ("bob", "carol", "dave", "erin")]
    for device, called_so in zip(devices, ("Bob", "Carol Quite-A-Long-Name-Of-Somebody", "Dave", "Erin"), strict=True):
        await device.call("profile.set", name=called_so)
    async with Browser() as browser:
        alice = await browser.person(relay, "alice", width=360, height=720)
        for device in devices[:3]:
            await device.call("contact.invite", user="alice")
        await alice.page.get_by_role("button", name="People, 3 invitations").wait_for()
        keys = alice.page.keyboard
        await keys.press("Alt+KeyP")
        await alice.page.locator("#people-find:focus").wait_for()
        dialog = alice.page.get_by_role("dialog", name="People")
        assert await listed(dialog, "Invitations").count() == 3
        # The focus stays in the list when a row goes, and goes to the field when the list is empty.
        for _ in range(3):
            # Past the person, whose card the name opens.
            await keys.press("Tab")
            await keys.press("Tab")
            focused = alice.page.locator("button:focus")
            assert (await focused.get_attribute("aria-label")).startswith("Accept: ")
            label = await focused.get_attribute("aria-label")
            await keys.press("Enter")
            accepted = label.removeprefix("Accept: ")
            await listed(dialog, "Invitations").filter(has_text=accepted).wait_for(state="detached")
            await keys.press("Home")
            await alice.page.locator("#people-find").focus()
        assert await listed(dialog, "Contacts").count() == 3
        fits = await alice.page.evaluate("""() => [...document.querySelectorAll("dialog[open] *")]
            .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > innerWidth)
            .map((one) => one.outerHTML.slice(0, 100))""")
        assert fits == []
        await alice.shot("people-phone")
        await keys.press("Escape")
        await dialog.wait_for(state="hidden")


async def test_it_comes_after_the_messages_and_without_the_relay(start):
    relay = start()
    async with Browser(network_fails=True) as browser:
        device = await browser.device()
        asked = []
        device.on("request", lambda request: asked.append(request.url.split("/")[-1].split("?")[0]))
        alice = await browser.tab(device, f"http://127.0.0.1:{relay.port}/#token={relay.token('alice')}")
        await alice.live()
        await alice.page.evaluate("navigator.serviceWorker.ready")

        async def has_come():
            return "roost-people.js" in asked
        await until(has_come, "the part about people")
        assert asked.index("roost.js") < asked.index("app-people.js") < asked.index("roost-people.js")
        await alice.page.reload()
        await alice.live()
        relay.kill()
        await alice.page.reload()
        await alice.page.locator("#banner:not([hidden])").wait_for()
        # As the page was kept, this part was.
        dialog = await panel(alice)
        await alice.page.keyboard.type("bob")
        await dialog.get_by_text("You’re not connected.").wait_for()


async def test_titles_do_not_count_what_is_muted(relay, name):
    async with Browser() as browser:
        bob = await browser.person(relay, name("bob"))
        await bob.live()
        device = await relay.device(name("bob"), "phone")
        alice = await relay.device(name("alice"))
        sent = await alice.send(f"@{name('bob')}", "one")
        await until(lambda: titled(bob, "(1) Roost"), "one unread")
        await device.call("state.set", key=f"mute/{sent['conversation']}", value=True)
        await until(lambda: titled(bob, "Roost"), "muted")
        await device.call("state.set", key=f"mute/{sent['conversation']}")
        await until(lambda: titled(bob, "(1) Roost"), "heard again")


async def test_what_others_are_told_is_chosen(relay, name):
    async with Browser() as browser:
        alice, bob = await two(browser, relay, name)
        other = await browser.person(relay, name("alice"), width=390, height=780, color_scheme="dark")
        await alice.page.locator("#subtitle", has_text="online").wait_for()
        panes = [await person.settings("Privacy") for person in (alice, other)]
        choice = panes[0].get_by_label("Who can see when you’re online")
        await until(lambda: has_value(choice, "shared"), "what is so")
        await choice.select_option("No one")
        await bob.page.locator("#subtitle", has_text="online").wait_for(state="detached")
        theirs = panes[1].get_by_label("Who can see when you’re online")
        await until(lambda: has_value(theirs, "nobody"), "the other device")
        await alice.shot("settings-privacy")
        await other.shot("settings-privacy-phone")
        await alice.page.get_by_role("button", name="Back to conversations").click()
        # A user who hides presence sees none.
        await alice.page.locator("#subtitle", has_text="online").wait_for(state="detached")


async def test_prospects_are_written_down(relay, name):
    async with Browser() as browser:
        alice = await browser.person(relay, name("alice"))
        phone = await browser.person(relay, name("alice"), width=390, height=780, color_scheme="dark")
        for person in (alice, phone):
            await person.live()
        dialog = await panel(alice)
        await dialog.locator("#prospects").wait_for(state="attached")
        # A user without a role and without prospects isn't bothered with it.
        assert not await dialog.locator("#prospects").is_visible()
        await (await relay.device(name("alice"), "watch")).call("prospect.set", name="Yara")
        theirs = await panel(phone)
        for one in (dialog, theirs):
            await one.get_by_text("Notes about people").click()
            await one.get_by_role("listitem").filter(has_text="Yara").wait_for()
            await one.get_by_text("Only you can see these.").wait_for()
        await dialog.get_by_label("Name", exact=True).fill("Zoë <b>")
        await dialog.get_by_label("Note").fill("asked about Tuesdays")
        await dialog.get_by_role("button", name="Save").click()
        for one in (dialog, theirs):
            await one.get_by_role("listitem").filter(has_text="Zoë <b>").get_by_text("asked about Tuesdays").wait_for()
        await phone.shot("people-prospects-phone")
        # The field is empty for the next one.
        await until(lambda: is_empty(dialog.get_by_label("Name", exact=True)), "an empty field")
        await theirs.get_by_role("button", name="Edit: Zoë <b>").click()
        await theirs.get_by_label("Note").fill("")
        await theirs.get_by_label("Name", exact=True).fill("Zoë Zander")
        await phone.page.keyboard.press("Enter")
        row = dialog.get_by_role("listitem").filter(has_text="Zoë Zander")
        await row.wait_for()
        await row.get_by_text("asked about Tuesdays").wait_for(state="detached")
        await alice.shot("people-prospects")
        await dialog.get_by_role("button", name="Delete: Zoë Zander").click()
        await alice.page.get_by_role("button", name="Delete", exact=True).click()
        for one in (dialog, theirs):
            await one.get_by_role("listitem").filter(has_text="Zoë Zander").wait_for(state="detached")


async def has_value(field, value):
    return await field.input_value() == value


async def is_empty(field):
    return await field.input_value() == ""
