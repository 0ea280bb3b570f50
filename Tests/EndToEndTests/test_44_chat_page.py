"""The chat page in a real browser, as people use it who talk with each other. Each test is a journey; anything that the
page says in the console fails it. Screenshots are kept in .build-screenshots."""

import re
import signal

import pytest

from harness.browser import Browser
from harness.chromium import CHROMIUM
from harness.waiting import until

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")


async def two(browser, relay, name):
    """Two people who have a conversation open."""
    alice, bob = await browser.person(relay, name("alice")), await browser.person(relay, name("bob"))
    await alice.meet(name("bob"))
    await alice.write("Hello Bob")
    await alice.sees("Hello Bob")
    await bob.open(name("alice"))
    await bob.sees("Hello Bob")
    await alice.sees_state("Hello Bob", "Read")
    return alice, bob


async def test_two_people_talk(relay, name):
    async with Browser() as browser:
        alice = await browser.person(relay, name("alice"))
        await alice.live()
        await alice.shot("empty")
        await alice.meet(name("bob"))
        await alice.write("Hello Bob, are you there?")
        # It hasn't reached another device yet, so it is sent and no more.
        await alice.sees_state("Hello Bob, are you there?", "Sent")
        # A hidden user looks the same as one who never came: nothing is said of either.
        await alice.page.locator("#subtitle", has_text=re.compile("^offline$")).wait_for()
        await alice.shot("stranger")
        bob = await browser.person(relay, name("bob"))
        row = bob.page.get_by_role("button", name=re.compile(f"^{name('alice')}, 1 unread. Hello Bob"))
        await row.wait_for()
        await alice.sees_state("Hello Bob, are you there?", "Delivered")
        await row.click()
        await alice.sees_state("Hello Bob, are you there?", "Read")
        await alice.page.locator("#subtitle", has_text="online").wait_for()
        # Typing is seen in the conversation and in the list, and ends with the message.
        await bob.field.press_sequentially("Yes, I am")
        await alice.page.locator("#typing", has_text=f"{name('bob')} is typing").wait_for()
        await alice.page.locator(".preview.typing", has_text="typing").wait_for()
        await alice.shot("typing")
        await bob.field.press("Enter")
        await alice.sees("Yes, I am")
        await until(lambda: says(alice.page.locator("#typing"), ""), "the end of typing")
        await bob.write("😀")
        await bob.write("The photos are at https://example.org/photos?of=us, have a look.\n\nSee you!")
        address = alice.page.get_by_role("link", name="https://example.org/photos?of=us", exact=True)
        await address.wait_for()
        assert await address.get_attribute("rel") == "noopener noreferrer"
        await alice.write("Thanks")
        await bob.sees("Thanks")
        await alice.shot("talk")
        # Others see a status, and it is there when the user returns.
        await bob.page.get_by_role("button", name=re.compile("^You, ")).click()
        await bob.page.get_by_role("radio", name="Busy").check()
        await bob.page.get_by_label("Status message").fill("In a meeting")
        await bob.shot("status")
        await bob.page.keyboard.press("Enter")
        await alice.page.locator("#subtitle", has_text="busy · In a meeting").wait_for()
        # One comes back to where one was, and finds the status again.
        await bob.page.get_by_role("button", name="Back to conversations").click()
        await bob.page.locator("#title", has_text=name("alice")).wait_for()
        await bob.page.get_by_role("button", name=re.compile("^You, ")).click()
        assert await bob.page.get_by_role("radio", name="Busy").is_checked()
        await bob.page.get_by_role("radio", name="Online").check()
        await bob.page.get_by_role("button", name="Save status").click()
        await alice.page.locator("#subtitle", has_text=re.compile("^online · In a meeting")).wait_for()
        await bob.page.get_by_role("button", name="Back to conversations").click()
        await bob.sees("Thanks")
        assert await alice.texts() == await bob.texts()


async def says(locator, text):
    return await locator.inner_text() == text


async def test_who_leaves_was_last_seen(start):
    relay = start(presence__grace_seconds=0)
    async with Browser() as browser:
        alice, bob = await two(browser, relay, lambda word: word)
        await bob.context.close()
        await alice.page.locator("#subtitle", has_text="last seen just now").wait_for()


async def test_what_can_be_done_with_a_message(relay, name):
    async with Browser() as browser:
        alice, bob = await two(browser, relay, name)
        await bob.does("Hello Bob", "React")
        await bob.shot("react")
        await bob.page.get_by_role("toolbar").get_by_role("button", name="🎉").click()
        reaction = alice.page.get_by_role("button", name="🎉, 1 time", exact=True)
        await reaction.click()
        await bob.page.get_by_role("button", name="🎉, 2 times, including you").click()
        await alice.page.get_by_role("button", name="🎉, 1 time, including you").wait_for()
        # A reply quotes, and leads to what it quotes.
        await bob.does("Hello Bob", "Reply")
        await bob.page.locator("#about", has_text=f"Reply to {name('alice')}: Hello Bob").wait_for()
        await bob.write("Hello yourself")
        row = await alice.sees("Hello yourself")
        quote = row.get_by_role("button", name=re.compile("You ?Hello Bob"))
        await quote.click()
        await alice.page.locator(".message.lit", has_text="Hello Bob").wait_for()
        await alice.write("How are you?")
        await alice.does("How are you?", "Edit")
        assert await alice.field.input_value() == "How are you?"
        await alice.write("How is everybody?")
        row = await bob.sees("How is everybody?")
        assert "edited" in await row.inner_text()
        # A draft survives an edit that is given up.
        await alice.field.fill("Half a thought")
        await alice.does("How is everybody?", "Edit")
        await alice.page.keyboard.press("Escape")
        assert await alice.field.input_value() == "Half a thought"
        await alice.write("A whole one")
        await alice.does("How is everybody?", "Delete")
        await alice.page.get_by_role("button", name="Cancel").click()
        await alice.does("How is everybody?", "Delete")
        await alice.shot("delete")
        await alice.page.get_by_role("button", name="Delete", exact=True).click()
        await bob.sees("Message deleted")
        assert await bob.texts() == ["Hello Bob", "Hello yourself", "Message deleted", "A whole one"]
        # Others' messages can't be changed.
        await bob.message("A whole one").hover()
        await bob.page.get_by_role("toolbar").get_by_role("button", name="Reply").wait_for()
        assert await bob.page.get_by_role("toolbar").get_by_role("button", name="Edit").count() == 0
        assert await bob.page.get_by_role("toolbar").get_by_role("button", name="Delete").count() == 0
        await alice.does("A whole one", "Read by")
        await alice.page.get_by_role("dialog").get_by_text(name("bob"), exact=True).wait_for()
        await alice.shot("readers")


async def test_what_can_be_done_changes_with_the_message(relay, name):
    async with Browser() as browser:
        alice, bob = await two(browser, relay, name)
        alices, bobs = alice.page.get_by_role("toolbar"), bob.page.get_by_role("toolbar")
        # The pointer doesn't move while the message is stored.
        relay.process.send_signal(signal.SIGSTOP)
        await alice.write("How are you?")
        await alice.message("How are you?").hover()
        await alices.get_by_role("button", name="Don’t send").wait_for()
        relay.process.send_signal(signal.SIGCONT)
        await alices.get_by_role("button", name="Edit").click()
        assert await alice.field.input_value() == "How are you?"
        await alice.write("How is everybody?")
        await bob.sees("How is everybody?")
        # Choosing a reaction goes on when the message changes, and ends when it is deleted.
        await bob.does("How is everybody?", "React")
        await alice.message("How is everybody?").hover()
        await alices.get_by_role("button", name="Edit").click()
        await alice.write("How are you both?")
        await bob.sees("How are you both?")
        await bobs.get_by_role("button", name="🎉").wait_for()
        await alice.does("How are you both?", "Delete")
        await alice.page.get_by_role("button", name="Delete", exact=True).click()
        await bob.sees("Message deleted")
        await bobs.wait_for(state="hidden")


async def test_a_group(relay, name):
    async with Browser() as browser:
        alice, bob = await two(browser, relay, name)
        carol, dave = await browser.person(relay, name("carol")), await relay.device(name("dave"))
        await alice.page.get_by_role("button", name="New conversation").click()
        await alice.page.get_by_role("button", name="New group").click()
        await alice.page.get_by_label("Group name").fill("The Crew")
        for user in ("bob", "carol"):
            await alice.pick(name(user))
        await alice.shot("new-group")
        await alice.page.get_by_role("button", name="Create group").click()
        await alice.page.locator("#title", has_text="The Crew").wait_for()
        await alice.write("Welcome aboard")
        await alice.sees_state("Welcome aboard", "Delivered to 2 of 2")
        await bob.open("The Crew")
        await alice.sees_state("Welcome aboard", "Read by 1 of 2")
        await carol.open("The Crew")
        await alice.sees_state("Welcome aboard", "Read by 2 of 2")
        await carol.write("Thanks!")
        row = await bob.sees("Thanks!")
        assert name("carol") in await row.inner_text(), "in a group messages have a name"
        # Members and what an owner may do.
        dialog = alice.page.get_by_role("dialog")
        await alice.page.get_by_role("button", name="About this conversation").click()
        await dialog.get_by_role("listitem").filter(has_text=name("bob")).get_by_text("online").wait_for()
        await dialog.get_by_role("button", name="Add people").click()
        await alice.pick(name("dave"))
        await alice.page.get_by_role("button", name="Add", exact=True).click()
        await dave.event("conversation")
        await dialog.get_by_role("listitem").filter(has_text=name("dave")).wait_for()
        await dialog.get_by_role("button", name=f"Make admin: {name('bob')}").click()
        await dialog.get_by_role("listitem").filter(has_text=name("bob")).get_by_text("admin · online").wait_for()
        await alice.shot("members")
        await dialog.get_by_role("button", name=f"Remove: {name('dave')}").click()
        await alice.page.get_by_role("button", name="Remove", exact=True).click()
        await until(lambda: counted(dialog.get_by_role("listitem"), 3), "dave is gone")
        await dialog.get_by_label("Rename group").fill("The old Crew")
        await dialog.get_by_role("button", name="Rename").click()
        await dialog.get_by_role("heading", name="The old Crew").wait_for()
        await bob.page.locator("#title", has_text="The old Crew").wait_for()
        await alice.page.keyboard.press("Escape")
        await alice.page.locator("#text:focus").wait_for()
        # A member may leave, and has no buttons for the rest.
        await carol.page.get_by_role("button", name="About this conversation").click()
        await carol.page.get_by_role("dialog").get_by_role("listitem").first.wait_for()
        changes = carol.page.get_by_role("dialog").get_by_role("button", name=re.compile("Remove|Make|Add|Rename"))
        assert await changes.count() == 0
        await carol.page.get_by_role("button", name="Leave group").click()
        await carol.page.get_by_role("button", name="Leave", exact=True).click()
        await until(lambda: counted(carol.page.locator(".conversation"), 0), "the group is gone")
        await alice.page.locator("#subtitle", has_text=f"{name('bob')} and you").wait_for()
        await alice.shot("group")


async def counted(rows, number):
    return await rows.count() == number


async def test_markup_is_text(relay, name):
    evil = "<img src=x onerror=alert(1)><b>bold</b> &amp; <script>alert(2)</script>"
    async with Browser() as browser:
        alice, bob = await two(browser, relay, name)
        await alice.write(evil)
        await bob.sees(evil)
        mallory = await relay.device("<b>" + name("mallory"))
        await mallory.group(evil, name("bob"))
        await bob.page.locator(".name", has_text=evil).wait_for()
        await bob.page.locator(".conversation", has=bob.page.locator(".name", has_text=evil)).click()
        await bob.page.locator("#title", has_text=evil).wait_for()
        # Beside what the page itself has of each.
        assert await bob.page.locator("b, img:not([src='/icon.svg']), script:not([src^='/app.js'])").count() == 0
        # Without a number before it once it is read.
        await until(lambda: titled(bob, f"{evil} – Roost"), "the title")


async def test_a_long_history(relay, name):
    alice = await relay.device(name("alice"))
    for number in range(1, 301):
        await alice.send(f"@{name('bob')}", f"message {number}")
    async with Browser() as browser:
        bob = await browser.person(relay, name("bob"))
        await bob.page.locator("#list .count", has_text="300").wait_for()
        await until(lambda: titled(bob, "(300) Roost"), "all unread")
        # One begins to read where one has stopped.
        await bob.open(name("alice"))
        await bob.page.get_by_text("New messages").wait_for()
        await bob.sees("message 1")
        below = bob.page.get_by_role("button", name=re.compile("jump to latest"))
        await below.wait_for()
        await bob.shot("unread")
        await below.click()
        await bob.sees("message 300")
        await until(lambda: bob_has_read(bob), "all is read")
        await until(lambda: titled(bob, f"{name('alice')} – Roost"), "nothing unread")
        # Messages that come by scrolling up don't move those in sight.
        scroll = bob.page.locator("#scroll")

        async def scrolled_up():
            await scroll.hover()
            await bob.page.mouse.wheel(0, -2_000)
            return await bob.message("message 1").count()
        await until(scrolled_up, "the beginning")
        await bob.sees("message 1")
        # While one is up there, new ones are counted and don't move anything.
        await scroll.evaluate("one => { one.scrollTop = 200; }")
        place = (await bob.message("message 7").bounding_box())["y"]
        await alice.send(f"@{name('bob')}", "a new one")
        await bob.page.get_by_role("button", name=re.compile("^1 new, jump")).wait_for()
        assert abs((await bob.message("message 7").bounding_box())["y"] - place) <= 1
        await bob.shot("below")
        await bob.page.get_by_role("button", name=re.compile("^1 new, jump")).click()
        await bob.sees("a new one")
        await bob.page.get_by_role("button", name=re.compile("jump to latest", re.IGNORECASE)).wait_for(state="hidden")
        # Searching, and going to what was found.
        await bob.page.get_by_role("button", name="Search in this conversation").click()
        await bob.page.keyboard.type("message 77")
        # It searches as one types, so others were found before.
        await bob.page.get_by_text("1 message", exact=True).wait_for()
        await bob.shot("search")
        await bob.page.locator("#found button").click()
        await bob.page.locator(".message.lit", has_text="message 77").wait_for()
        await bob.page.get_by_label("Search messages on this device").fill("nowhere")
        await bob.page.get_by_text("No results.").wait_for()


async def bob_has_read(bob):
    return await bob.page.locator(".conversation .count:not(:empty)").count() == 0


async def titled(person, title):
    return await person.page.title() == title


async def test_read_is_what_was_in_sight(relay, name):
    async with Browser() as browser:
        alice, bob = await two(browser, relay, name)
        # Bob looks at something else.
        await bob.page.evaluate("""() => {
            Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));
        }""")
        await alice.write("Are you still here?")
        await bob.sees("Are you still here?")
        await until(lambda: titled(bob, f"(1) {name('alice')} – Roost"), "one unread")
        icon = await bob.page.locator("link[rel=icon]").get_attribute("href")
        assert icon.startswith("data:image/svg+xml,") and "%3E1%3C" in icon
        await alice.sees_state("Are you still here?", "Delivered")
        assert await bob.page.locator(".marker").count() == 1
        await bob.page.evaluate("""() => {
            delete document.visibilityState;
            document.dispatchEvent(new Event("visibilitychange"));
        }""")
        await alice.sees_state("Are you still here?", "Read")
        await until(lambda: titled(bob, f"{name('alice')} – Roost"), "none unread")
        assert await bob.page.locator("link[rel=icon]").get_attribute("href") == "/icon.svg"


async def test_a_row_stays_the_same_from_typed_to_stored(relay, name):
    """Nothing flickers: the element of a message is the same one until it was read."""
    async with Browser() as browser:
        alice, bob = await two(browser, relay, name)
        await alice.page.evaluate("""() => {
            window.removed = 0;
            new MutationObserver((all) => { for (const one of all) for (const node of one.removedNodes) {
                if (node.matches?.(".message")) window.removed += 1;
            } }).observe(document.querySelector("#log"), { childList: true });
        }""")
        await alice.write("The same")
        await alice.sees("The same")
        await alice.page.evaluate("window.row = [...document.querySelectorAll('.message')].at(-1)")
        await alice.sees_state("The same", "Read")
        await bob.does("The same", "React")
        await bob.page.get_by_role("toolbar").get_by_role("button", name="👍").click()
        await alice.page.get_by_role("button", name="👍, 1 time").wait_for()
        assert await alice.page.evaluate("""() => row.isConnected && window.removed === 0
            && row.querySelector(".content").textContent === "The same" """)


async def test_a_name_that_cannot_be_one(relay, name):
    async with Browser() as browser:
        alice = await browser.person(relay, name("alice"))
        await alice.page.get_by_role("button", name="New conversation").click()
        field = alice.page.locator("#pick-find:focus")
        options = alice.page.get_by_role("option")
        for words in (name("alice"), "bøb", "bob carol"):
            await field.fill(words)
            await alice.page.get_by_text(f"No one found for “{words}”.").wait_for()
            assert await options.count() == 0
            await alice.page.keyboard.press("Enter")
        # A mistyped name opens nothing by itself: the user has to choose it.
        await field.fill(name("bbo"))
        await options.get_by_text("Exact username. Check the spelling.").wait_for()
        assert await alice.page.locator("[role=option][aria-selected=true]").count() == 0
        await alice.page.keyboard.press("Enter")
        await alice.shot("picker-unsure")
        assert await alice.page.locator("#pick-dialog").is_visible()
        await alice.page.keyboard.press("Escape")
        assert await alice.page.locator(".conversation").count() == 0
