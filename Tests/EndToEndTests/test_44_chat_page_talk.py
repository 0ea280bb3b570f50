"""The part of the chat page about what is said beside the timeline, in a real browser against the relay: requests of
strangers, threads, and messages that are sent on."""

import re

import pytest

from harness.browser import Browser
from harness.chromium import CHROMIUM
from harness.waiting import until
from test_44_chat_page import says, two

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

GATE = {"gate__mode": "on", "gate__strangers": "request", "gate__shared_groups": "off"}
PHONE = {"width": 390, "height": 780}
TOO_WIDE = """() => [...document.querySelectorAll("dialog[open] *, #conversation *, #side *")]
    .filter((one) => one.checkVisibility() && !one.closest("#log")
      && one.getBoundingClientRect().right > innerWidth + 1)
    .map((one) => one.outerHTML.slice(0, 100))"""


def waiting(person, count):
    """The button that says how many requests wait."""
    words = f"{count} message request{'' if count == 1 else 's'}"
    return person.page.get_by_role("button", name=words, exact=True)


def listed(person, user):
    return person.page.locator("#list .conversation").filter(has_text=user)


async def counts(rows, number):
    return await rows.count() == number


async def away(relay, person):
    """The relay ends, and the page is kept for a reload."""
    await person.page.evaluate("navigator.serviceWorker.ready")
    relay.kill()
    await person.page.locator("body:not([data-live])").wait_for(state="attached")


# Requests


async def test_requests_wait_apart(start):
    relay = start(**GATE)
    zoe, mallory = await relay.device("zoe"), await relay.device("mallory")
    await zoe.call("profile.set", name="Zoe Zest")
    await zoe.send("@bob", "Hello, may I ask you something?")
    async with Browser() as browser:
        bob = await browser.person(relay, "bob")
        other = await browser.tab(bob.context, f"http://127.0.0.1:{relay.port}/")
        phone = await browser.person(relay, "bob", **PHONE, color_scheme="dark")
        for person in (bob, other, phone):
            await waiting(person, 1).wait_for()
        # It comes while one looks, too, and isn't in the list or the title.
        await mallory.send("@bob", "Buy my pills")
        for person in (bob, other, phone):
            await waiting(person, 2).wait_for()
            assert await person.page.locator("#list .conversation").count() == 0
            assert await person.page.title() == "Roost"
        await bob.page.keyboard.press("Tab")
        await waiting(bob, 2).focus()
        await bob.page.keyboard.press("Enter")
        dialog = bob.page.get_by_role("dialog", name="Requests")
        await dialog.get_by_text("Buy my pills").wait_for()
        await bob.shot("requests")
        await phone.page.locator("#requests").click()
        await phone.page.get_by_role("dialog", name="Requests").get_by_text("Buy my pills").wait_for()
        assert await phone.page.evaluate(TOO_WIDE) == []
        await phone.shot("requests-phone")
        await phone.page.keyboard.press("Escape")
        # Dropped in one tab, gone from the other and from the phone.
        await dialog.get_by_role("button", name=re.compile("^Ignore: mallory")).click()
        for person in (bob, other, phone):
            await waiting(person, 1).wait_for(state="attached")
        # A reader sees which actions there are, and no other user sees the reader.
        await dialog.get_by_role("button", name=re.compile("^View: Zoe Zest")).click()
        await bob.sees("Hello, may I ask you something?")
        bar = bob.page.get_by_role("region", name="Request")
        await bar.get_by_text("isn’t in your contacts").wait_for()
        await bob.shot("request")
        await bar.get_by_role("button", name="Accept").click()
        for person in (bob, other, phone):
            await listed(person, "Zoe Zest").wait_for(state="attached")
            await waiting(person, 1).wait_for(state="detached")
        await bar.wait_for(state="hidden")
        assert (await zoe.event("conversation", event="accepted"))["by"] == "bob"
        await zoe.send("@bob", "Thank you!")
        await bob.sees("Thank you!")


async def test_what_a_request_held_up_goes_out_when_it_is_accepted(start):
    relay = start(**GATE)
    async with Browser(network_fails=True) as browser:
        zoe = await browser.person(relay, "zoe")
        await zoe.live()
        await zoe.meet("bob")
        port = relay.port
        # Before the relay says that the first one is a request.
        await away(relay, zoe)
        await zoe.write("Hello?")
        await zoe.write("One more thing")
        relay.start(listen__port=port)
        bob = await relay.device("bob")
        request = (await bob.event("message", body="Hello?"))["conversation"]
        await zoe.sees_state("One more thing", "Not sent")
        # One line says why.
        await zoe.page.locator("#trouble").get_by_text("Waiting for bob to accept your message.").wait_for()
        await zoe.shot("request-sent")
        await bob.call("request.accept", conversation=request)
        await bob.event("message", body="One more thing")
        await zoe.page.locator("#trouble").wait_for(state="hidden")
        await zoe.sees_state("One more thing", "Sent")


async def test_whoever_answers_accepts(start):
    relay = start(**GATE)
    async with Browser() as browser:
        zoe, bob = await browser.person(relay, "zoe"), await browser.person(relay, "bob")
        await bob.live()
        await zoe.meet("bob")
        await zoe.write("Hello Bob")
        await zoe.sees_state("Hello Bob", "Sent")
        await zoe.page.locator("#trouble").get_by_text("Waiting for bob to accept").wait_for()
        await waiting(bob, 1).wait_for()
        await bob.page.locator("#requests").click()
        await bob.page.get_by_role("button", name="View: zoe").click()
        await bob.sees("Hello Bob")
        await bob.write("Hello Zoe")
        await zoe.sees("Hello Zoe")
        await zoe.page.locator("#trouble").get_by_text("Waiting for bob to accept").wait_for(state="hidden")
        await listed(bob, "zoe").wait_for()
        await waiting(bob, 1).wait_for(state="detached")
        await bob.page.get_by_role("region", name="Request").wait_for(state="hidden")
        await zoe.write("How are you?")
        await bob.sees("How are you?")
        # A start shows the same.
        await bob.page.reload()
        await bob.live()
        await listed(bob, "zoe").wait_for()
        assert await bob.page.locator("#requests:visible").count() == 0


# Threads


def link(row):
    """The way from a message to its thread."""
    return row.locator(".thread")


def listed_message(person, text):
    """A message in the timeline, while the thread is open, too."""
    return person.page.locator("#log .message", has=person.page.locator(".content", has_text=text))


def thread_of(person):
    return person.page.get_by_role("dialog", name="Thread")


async def test_a_thread(relay, name):
    async with Browser() as browser:
        alice, bob = await two(browser, relay, name)
        await alice.write("Where shall we eat?")
        await bob.sees("Where shall we eat?")
        await bob.does("Where shall we eat?", "Thread")
        dialog = thread_of(bob)
        await dialog.get_by_text("No replies yet.").wait_for()
        await bob.page.locator("#thread-text:focus").wait_for()
        await bob.page.keyboard.type("At the harbour")
        await bob.page.keyboard.press("Enter")
        await dialog.locator(".message", has_text="At the harbour").wait_for()
        # The others see it among the messages, and the number at the first one.
        row = await alice.sees("At the harbour")
        await until(lambda: says(link(row), "Thread: “Where shall we eat?”"), "the way to the thread")
        first = alice.message("Where shall we eat?")
        await until(lambda: says(link(first), "1 reply"), "the number of messages")
        await link(first).click()
        theirs = thread_of(alice)
        await theirs.locator(".message", has_text="At the harbour").wait_for()
        await theirs.get_by_label("Message in this thread").fill("Too far away")
        await theirs.get_by_role("button", name="Send to thread").click()
        for one in (dialog, theirs):
            await one.locator(".message", has_text="Too far away").wait_for()
        await bob.shot("thread")
        await bob.page.keyboard.press("Escape")
        await dialog.wait_for(state="hidden")
        await until(lambda: says(link(listed_message(bob, "Where shall we eat?")), "2 replies"),
                    "the number of messages")
        await bob.shot("thread-timeline")
        # A deleted message goes from the thread and its number, and an edited one changes there.
        await bob.does("At the harbour", "Edit")
        await bob.page.locator("#text:focus").wait_for()
        await bob.write("At the station")
        await theirs.locator(".message", has_text="At the station").wait_for()
        await bob.does("At the station", "Delete")
        await bob.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        await theirs.locator(".message", has_text="At the station").wait_for(state="detached")
        await until(lambda: says(link(listed_message(alice, "Where shall we eat?")), "1 reply"),
                    "the number of messages")
        # The draft of the conversation is another one.
        await alice.page.keyboard.press("Escape")
        await alice.field.fill("half a thought")
        await alice.does("Where shall we eat?", "Thread")
        await theirs.get_by_label("Message in this thread").fill("And now?")
        await alice.page.keyboard.press("Enter")
        await theirs.locator(".message", has_text="And now?").wait_for()
        assert await alice.field.input_value() == "half a thought"
        # The draft in the thread is there again, too.
        await theirs.get_by_label("Message in this thread").fill("not yet")
        await alice.page.keyboard.press("Escape")
        await theirs.wait_for(state="hidden")
        await alice.does("Where shall we eat?", "Thread")
        await until(lambda: theirs.get_by_label("Message in this thread").input_value(), "what was begun")
        assert await theirs.get_by_label("Message in this thread").input_value() == "not yet"
        # Also after a reload, as what was begun in the conversation.
        await theirs.get_by_label("Message in this thread").fill("not yet, but soon")
        await alice.page.reload()
        await alice.live()
        await alice.does("Where shall we eat?", "Thread")
        await theirs.wait_for()
        assert await theirs.get_by_label("Message in this thread").input_value() == "not yet, but soon"
        assert await alice.field.input_value() == "half a thought"
        await theirs.get_by_label("Message in this thread").press("Enter")
        await theirs.locator(".message", has_text="not yet, but soon").wait_for()
        await alice.page.reload()
        await alice.live()
        await alice.does("Where shall we eat?", "Thread")
        await theirs.locator(".message", has_text="not yet, but soon").wait_for()
        assert await theirs.get_by_label("Message in this thread").input_value() == ""


async def test_a_long_thread_on_a_phone(relay, name):
    async with Browser() as browser:
        carol = await relay.device(name("carol"))
        group = await carol.group("Crew", name("alice"))
        await carol.send(group, "A long story")
        for number in range(130):
            await carol.call("send", to=group, key=f"t{number}", body=f"Part {number}", thread=1)
        alice = await browser.person(relay, name("alice"), **PHONE, color_scheme="dark", has_touch=True)
        await alice.open("Crew")
        # The first that is unread.
        row = await alice.sees("Part 0")
        await until(lambda: says(link(row), "Thread: “A long story”"), "the way to the thread")
        await link(row).tap()
        dialog = thread_of(alice)
        await dialog.locator(".message", has_text="A long story").wait_for()
        await dialog.locator(".message", has_text="Part 129").wait_for()
        await until(lambda: counts(dialog.locator(".message"), 101), "a page of the thread, and how it began")
        assert await alice.page.evaluate(TOO_WIDE) == []
        await alice.shot("thread-phone")
        await dialog.get_by_role("button", name="Show earlier messages").click()
        await dialog.locator(".message", has_text=re.compile(r"Part 0\b")).wait_for()
        await dialog.get_by_role("button", name="Show earlier messages").wait_for(state="hidden")


async def test_what_a_thread_quotes_is_shown_in_its_place(relay, name):
    async with Browser() as browser:
        carol = await relay.device(name("carol"))
        group = await carol.group("Crew", name("alice"))
        await carol.send(group, "How it began")
        await carol.send(group, "And went on", thread=1, replyTo=1)
        alice = await browser.person(relay, name("alice"))
        await alice.open("Crew")
        await link(listed_message(alice, "And went on")).click()
        dialog = thread_of(alice)
        await dialog.locator(".message", has_text="And went on").locator(".quote").first.click()
        await dialog.wait_for(state="hidden")
        # It is the one that Tab leads to.
        await alice.page.locator("#log .message[tabindex='0']", has_text="How it began").wait_for()


async def test_a_thread_goes_on_without_a_connection(start):
    relay = start()
    async with Browser(network_fails=True) as browser:
        alice, bob = await two(browser, relay, lambda word: word)
        await alice.does("Hello Bob", "Thread")
        await thread_of(alice).get_by_text("No replies yet.").wait_for()
        await away(relay, alice)
        await thread_of(alice).get_by_label("Message in this thread").fill("Into the dark")
        await alice.page.keyboard.press("Enter")
        row = thread_of(alice).locator(".message", has_text="Into the dark")
        await row.get_by_role("img", name="Sending").wait_for()
        await alice.page.reload()
        await alice.sees("Into the dark")
        relay.start(listen__port=relay.port)
        row = await bob.sees("Into the dark")
        await until(lambda: says(link(row), "Thread: “Hello Bob”"), "the way to the thread")


# Forwarding


async def test_a_message_is_sent_on(relay, name):
    async with Browser() as browser:
        alice, bob = await two(browser, relay, name)
        carol = await relay.device(name("carol"))
        group = await carol.group("Crew", name("alice"))
        await bob.write("The door code is 4711")
        await alice.sees("The door code is 4711")
        await alice.does("The door code is 4711", "Forward")
        dialog = alice.page.get_by_role("dialog", name="Forward to")
        await alice.page.locator("#pick-find:focus").wait_for()
        await alice.shot("forward")
        await alice.page.keyboard.type("cre")
        await dialog.get_by_role("option", name="Crew").click()
        await alice.page.get_by_text("Forwarded to Crew.").wait_for()
        told = await carol.event("message", conversation=group, body="The door code is 4711")
        assert (told["from"], told["origin"]) == (name("alice"), {"from": name("bob")})
        await alice.open("Crew")
        row = await alice.sees("The door code is 4711")
        await row.get_by_text(f"Forwarded from {name('bob')}").wait_for()
        await alice.shot("forwarded")
        # A forwarded message can't be edited; and forwarded again, it names the same author.
        await row.hover()
        bar = alice.page.get_by_role("toolbar")
        await bar.get_by_role("button", name="Forward").wait_for()
        assert await bar.get_by_role("button", name="Edit").count() == 0
        await bar.get_by_role("button", name="Forward").click()
        await alice.pick(name("dave"))
        dave = await relay.device(name("dave"))
        assert (await dave.event("message"))["origin"] == {"from": name("bob")}


async def test_a_forward_waits_for_the_relay(start):
    relay = start()
    async with Browser(network_fails=True) as browser:
        alice, bob = await two(browser, relay, lambda word: word)
        carol = await relay.device("carol")
        group = await carol.group("Crew", "alice")
        await carol.send(group, "Welcome")
        await bob.write("The door code is 4711")
        await alice.sees("The door code is 4711")
        await alice.open("Crew")
        await alice.sees("Welcome")
        await alice.open("bob")
        await alice.sees("The door code is 4711")
        await away(relay, alice)
        await alice.does("The door code is 4711", "Forward")
        await alice.page.get_by_role("option", name="Crew").click()
        await alice.page.get_by_text("Forwarded to Crew.").wait_for()
        await alice.page.reload()
        await alice.open("Crew")
        row = await alice.sees("The door code is 4711")
        await row.get_by_text("Forwarded from bob").wait_for()
        await row.get_by_role("img", name="Sending").wait_for()
        relay.start(listen__port=relay.port)
        carol = await relay.device("carol")
        assert (await carol.event("message", body="The door code is 4711"))["origin"] == {"from": "bob"}
        await alice.sees_state("The door code is 4711", "Sent")


async def test_what_is_gone_fails_by_itself(start):
    relay = start()
    async with Browser(network_fails=True) as browser:
        alice, bob = await two(browser, relay, lambda word: word)
        carol = await relay.device("carol")
        group = await carol.group("Crew", "alice")
        await carol.send(group, "Welcome")
        await bob.write("Not for long")
        await alice.sees("Not for long")
        await away(relay, alice)
        await alice.does("Not for long", "Forward")
        await alice.page.get_by_role("option", name="Crew").click()
        await alice.page.get_by_text("Forwarded to Crew.").wait_for()
        await alice.page.close()
        relay.start(listen__port=relay.port)
        await bob.live()
        await bob.does("Not for long", "Delete")
        await bob.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        # As the relay has it, and not only this page.
        await bob.page.locator(".message.deleted:not(.changing)").wait_for()
        again = await browser.tab(alice.context, f"http://127.0.0.1:{relay.port}/")
        await again.open("Crew")
        await again.page.get_by_text("Not sent:").wait_for()
        # The message written after it goes.
        await again.page.get_by_role("button", name="Discard").click()
        await again.write("Hello all")
        await carol_hears(relay, "Hello all")


async def carol_hears(relay, body):
    carol = await relay.device("carol")
    await carol.event("message", body=body)
