"""Writing on the chat page: mentions, emoji, how long a text may be, what fingers do; and finding what was written."""

import re

import pytest

from harness.browser import Browser
from harness.chromium import CHROMIUM
from harness.waiting import until

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

PHONE = {"width": 390, "height": 844, "is_mobile": True, "has_touch": True}


async def writing(person):
    """Waits until the part for writing is there."""
    await person.page.locator("#emoji").wait_for(state="attached")


async def crew(browser, relay, name, **options):
    """Alice at the page, in a group that Bob has made."""
    bob = await relay.device(name("bob"))
    carol = await relay.device(name("carol"))
    group = await bob.group("The Crew", name("alice"), name("carol"))
    await bob.send(group, "Welcome")
    alice = await browser.person(relay, name("alice"), **options)
    await alice.open("The Crew")
    await alice.sees("Welcome")
    await writing(alice)
    return alice, bob, carol, group


def offers(person):
    return person.page.get_by_role("listbox", name="People to mention").get_by_role("option")


async def test_mentions_are_offered_sent_and_marked(relay, name):
    async with Browser() as browser:
        alice, bob, carol, group = await crew(browser, relay, name)
        await alice.field.press_sequentially("Hello @")
        await until(lambda: counted(offers(alice), 2), "the other members; a member can't call all")
        await alice.shot("mention")
        await alice.field.press_sequentially("car")
        await until(lambda: counted(offers(alice), 1), "those who are called so")
        await alice.field.press("Enter")
        assert await alice.field.input_value() == f"Hello @{name('carol')} "
        await alice.field.press_sequentially("and others")
        await alice.field.press("Enter")
        told = await carol.event("message", body=f"Hello @{name('carol')} and others")
        assert told["mentions"] == [name("carol")]
        await alice.page.locator(".message .mention", has_text=f"@{name('carol')}").wait_for()
        # A member named without choosing is mentioned, too; a user who isn't a member isn't.
        await alice.write(f"@{name('bob')} and @nobody, and mail@{name('carol')}")
        assert (await bob.event("message", body=f"@{name('bob')} and @nobody, and mail@{name('carol')}"))[
            "mentions"] == [name("bob")]
        # An edit mentions anew.
        await alice.field.press("ArrowUp")
        await alice.write("Nobody")
        assert "mentions" not in await bob.event("edit", body="Nobody")
        # A mentioned user sees it.
        await bob.call("send", to=group, key="mine", body=f"@{name('alice')}, look", mentions=[name("alice")])
        await alice.page.locator(".mention.mine", has_text=f"@{name('alice')}").wait_for()
        await alice.shot("mentioned")
        # Escape closes what is offered, and nothing else.
        await alice.field.press_sequentially("@b")
        await offers(alice).first.wait_for()
        await alice.field.press("Escape")
        await offers(alice).first.wait_for(state="hidden")
        assert await alice.field.input_value() == "@b"


async def counted(rows, number):
    return await rows.count() == number


async def test_emoji_are_found_and_written(relay, name):
    async with Browser() as browser:
        alice, bob, _, group = await crew(browser, relay, name)
        await alice.page.get_by_role("button", name="Emoji", exact=True).click()
        dialog = alice.page.get_by_role("dialog", name="Emoji")
        await dialog.get_by_role("group", name="Food").wait_for()
        await alice.shot("emoji")
        await dialog.get_by_label("Skin tone").select_option("\U0001F3FD")
        await dialog.get_by_label("Search emoji").fill("thumbs")
        await dialog.get_by_label("Search emoji").press("Enter")
        assert await alice.field.input_value() == "👍🏽"
        await dialog.get_by_label("Search emoji").fill("no such thing")
        await dialog.get_by_text("No emoji found.").wait_for()
        await dialog.get_by_label("Search emoji").press("Escape")
        await dialog.wait_for(state="hidden")
        await alice.page.locator("#text:focus").wait_for()
        await alice.page.keyboard.press("Enter")
        await bob.event("message", body="👍🏽")
        # Used emoji are there again, and all of it works by the keyboard.
        await alice.page.get_by_role("button", name="Emoji", exact=True).click()
        await dialog.get_by_role("group", name="Recent").get_by_role("button").first.wait_for()
        await alice.page.keyboard.press("ArrowDown")
        await alice.page.keyboard.press("Enter")
        assert await alice.field.input_value() == "👍🏽"
        await alice.page.keyboard.press("Escape")
        # Any of them is a reaction, and two forms of one are one.
        await alice.does("Welcome", "React")
        await alice.page.get_by_role("toolbar").get_by_role("button", name="More emoji").click()
        await dialog.get_by_label("Search emoji").fill("heart red")
        await dialog.get_by_label("Search emoji").press("Enter")
        await dialog.wait_for(state="hidden")
        assert (await bob.event("react", conversation=group))["reaction"] == "\u2764\ufe0f"
        await bob.call("react", conversation=group, sequence=1, reaction="\u2764")
        await alice.message("Welcome").get_by_role("button", name="❤️, 2 times, including you").wait_for()


async def test_a_text_that_is_too_long_says_so_before_it_is_sent(relay, name):
    async with Browser() as browser:
        alice, *_ = await crew(browser, relay, name)
        counter = alice.page.locator(".counter").first
        await alice.field.fill("x" * 18_000)
        assert not await counter.is_visible()
        # Two units of a string are one character.
        await alice.field.fill("😀" * 19_990)
        await counter.get_by_text("10 characters left").wait_for()
        await alice.field.fill("x" * 20_003)
        await counter.get_by_text("3 characters too long").wait_for()
        await alice.shot("too-long")
        await alice.field.press("Enter")
        await alice.page.get_by_role("alert").get_by_text("This message is 3 characters too long.").wait_for()
        assert len(await alice.field.input_value()) == 20_003, "what was typed is there"
        await alice.field.fill("x" * 20_000)
        await alice.field.press("Enter")
        await alice.sees("x" * 20_000)


async def touches(person, row, *points, hold=False):
    """Moves a finger from point to point of a row, with the events of a browser."""
    session = await person.context.new_cdp_session(person.page)
    box = await row.bounding_box()
    at = [{"x": box["x"] + x, "y": box["y"] + box["height"] / 2} for x in points]
    await session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [at[0]]})
    for point in at[1:]:
        await session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    if hold:
        await person.page.get_by_role("toolbar").wait_for()
    await session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


async def test_fingers_press_long_and_swipe(relay, name):
    async with Browser() as browser:
        alice, *_ = await crew(browser, relay, name, **PHONE)
        row = alice.message("Welcome").locator(".bubble")
        await touches(alice, row, 20, 40, 70, 100, 130)
        await alice.page.locator("#about", has_text="Reply to").wait_for()
        await alice.page.get_by_role("button", name="Cancel").tap()
        await touches(alice, row, 20, hold=True)
        bar = alice.page.get_by_role("toolbar")
        await bar.get_by_role("button", name="Reply").wait_for()
        await alice.shot("sheet-phone")
        sizes = await bar.get_by_role("button").evaluate_all(
            "all => all.map((one) => [one.offsetWidth, one.offsetHeight]).flat()")
        assert min(sizes) >= 44
        await bar.get_by_role("button", name="React").tap()
        await bar.get_by_role("button", name="More emoji").tap()
        await alice.page.get_by_role("dialog", name="Emoji").wait_for()
        await alice.shot("emoji-phone")


SMALL = """() => [...document.querySelectorAll("button, input, select, textarea")].filter((one) => {
    if (!one.checkVisibility() || one.closest(".hidden")) return false;
    const box = one.getBoundingClientRect();
    return one.type !== "radio" && Math.min(box.width, box.height) < 44;
}).map((one) => one.outerHTML.slice(0, 120))"""


async def test_what_fingers_hit_is_large_enough(relay, name):
    async with Browser() as browser:
        alice, bob, _, group = await crew(browser, relay, name, **PHONE)
        await bob.call("react", conversation=group, sequence=1, reaction="👍")
        await alice.message("Welcome").get_by_role("button", name=re.compile("👍")).wait_for()
        assert await alice.page.evaluate(SMALL) == []
        await alice.page.get_by_role("button", name="About this conversation").tap()
        await alice.page.get_by_role("dialog").get_by_role("listitem").first.wait_for()
        assert await alice.page.evaluate(SMALL) == []
        await alice.page.keyboard.press("Escape")
        await alice.page.get_by_role("button", name="Back to conversations").tap()
        await alice.page.locator("#side").wait_for()
        assert await alice.page.evaluate(SMALL) == []


async def test_messages_that_disappear_say_so(relay, name):
    async with Browser() as browser:
        alice = await browser.person(relay, name("alice"))
        bob = await relay.device(name("bob"))
        await bob.send(f"@{name('alice')}", "Hello")
        await alice.open(name("bob"))
        await alice.sees("Hello")
        assert not await alice.page.locator("#expiry").is_visible()
        await alice.page.get_by_role("button", name="About this conversation").click()
        dialog = alice.page.get_by_role("dialog", name=name("bob"))
        await dialog.get_by_label("Disappearing messages").select_option(label="After 1 week")
        assert (await bob.event("conversation", event="expiry"))["after"] == 7 * 86_400_000
        await alice.page.keyboard.press("Escape")
        await alice.page.get_by_role("button", name="Messages disappear after 1 week").wait_for()
        await alice.page.get_by_text("You set messages to disappear after 1 week").wait_for()
        await alice.write("This goes")
        await alice.message("This goes").get_by_role("img", name=re.compile("^Disappears on ")).wait_for()
        assert await alice.message("Hello").locator(".expires").is_hidden()
        await alice.shot("disappearing")
        # The other one turns it off, and both see that.
        conversation = (await bob.event("message", body="This goes"))["conversation"]
        await bob.call("conversation.expiry", conversation=conversation, after=0)
        await alice.page.get_by_text(f"{name('bob')} turned off disappearing messages").wait_for()
        await alice.page.locator("#expiry").wait_for(state="hidden")


async def test_search_looks_into_all_conversations(relay, name):
    async with Browser() as browser:
        alice, bob, _, group = await crew(browser, relay, name)
        await bob.send(group, "We meet at the **old** harbour, near the crane")
        for number in range(60):
            await bob.send(group, f"Line {number}")
        await bob.send(f"@{name('alice')}", "Harbour tickets are sold")
        await alice.page.locator(".conversation .preview", has_text="Harbour tickets").wait_for()
        field = alice.page.get_by_label("Search all conversations")
        await field.fill("harbour")
        found = alice.page.locator("#all-found .conversation")
        await until(lambda: counted(found, 2), "the messages of both conversations")
        assert await found.locator("mark").all_inner_texts() == ["Harbour", "harbour"]
        await alice.shot("search")
        await field.press("ArrowDown")
        await alice.page.keyboard.press("ArrowDown")
        await alice.page.keyboard.press("Enter")
        await alice.page.locator(".message.lit", has_text="near the crane").wait_for()
        await alice.page.locator("#title", has_text="The Crew").wait_for()
        # Names of conversations are found, too, and Escape leads back to the list.
        await field.fill("crew")
        await found.filter(has_text="The Crew").first.wait_for()
        # Also by those who leave the dots out.
        await bob.call("profile.set", name="Björn Böhm")
        await alice.page.locator("#list .name", has_text="Björn Böhm").wait_for(state="attached")
        for words in ("bohm", "BÖHM", "bjorn"):
            await field.fill(words)
            await until(lambda: counted(alice.page.locator("#all-found .name", has_text="Björn Böhm"), 1), words)
        await field.fill("no such words")
        await alice.page.get_by_text("No results on this device.").wait_for()
        await field.press("Escape")
        await alice.page.locator("#list .conversation").first.wait_for()
        assert await field.input_value() == ""
        # In one conversation, hits are marked, too.
        await alice.page.get_by_role("button", name="Search in this conversation").click()
        await alice.page.locator("#find-text").fill("crane")
        await alice.page.locator("#found mark", has_text="crane").wait_for()


async def test_a_thread_is_beside_the_conversation(relay, name):
    async with Browser() as browser:
        alice, bob, _, group = await crew(browser, relay, name, width=1400, height=800)
        await bob.call("send", to=group, key="t", body="In reply", thread=1, replyTo=1)
        await alice.page.get_by_role("button", name="Thread: “Welcome”").click()
        thread = alice.page.get_by_role("dialog", name="Thread")
        await thread.locator(".message", has_text="In reply").wait_for()
        quote = thread.locator(".message", has_text="In reply").locator(".quote").first
        await quote.get_by_text("Welcome").wait_for()
        # Both can be used.
        await alice.page.locator("#thread-text:focus").wait_for()
        await alice.page.keyboard.type("To the thread")
        await alice.page.keyboard.press("Enter")
        assert (await bob.event("message", body="To the thread"))["thread"] == 1
        await alice.write("To all")
        assert "thread" not in await bob.event("message", body="To all")
        await alice.shot("thread-beside")
        await quote.click()
        await alice.page.locator("#log .message.lit", has_text="Welcome").wait_for()
        assert await thread.is_visible()
        # On a narrow screen it is over the conversation, with what was typed.
        await alice.page.locator("#thread-text").fill("half a thought")
        await alice.page.set_viewport_size({"width": 900, "height": 800})
        await alice.page.locator("#thread-dialog:modal").wait_for()
        assert await alice.page.locator("#thread-text").input_value() == "half a thought"
        await thread.locator(".message", has_text="To the thread").wait_for()
        await alice.page.keyboard.press("Escape")
        await thread.wait_for(state="hidden")


async def test_a_notice_covers_no_dialog(relay, name):
    async with Browser() as browser:
        alice, *_ = await crew(browser, relay, name, permissions=["clipboard-read", "clipboard-write"])
        await alice.does("Welcome", "Copy")
        notice = alice.page.locator("#notice")
        await notice.get_by_text("Copied.").wait_for()
        assert await alice.page.evaluate("navigator.clipboard.readText()") == "Welcome"
        # A problem's text goes when another part is opened.
        await alice.page.get_by_role("button", name="About this conversation").click()
        await alice.page.get_by_role("dialog").wait_for()
        assert not await notice.is_visible()


async def test_what_is_chosen_looks_otherwise_than_what_is_under_the_pointer(relay, name):
    async with Browser() as browser:
        alice, bob, *_ = await crew(browser, relay, name)
        await bob.send(f"@{name('alice')}", "Hello")
        other = alice.page.locator("#list .conversation:not([aria-current])")
        await other.hover()
        chosen = alice.page.locator("#list .conversation[aria-current]")
        look = "one => getComputedStyle(one).backgroundColor"
        assert await other.evaluate(look) != await chosen.evaluate(look)
        await alice.shot("hover")
