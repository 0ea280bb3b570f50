"""A conversation that reads well: what texts are shown as, who wrote them and what has happened between them."""

import pytest

from harness.browser import Browser
from harness.chromium import CHROMIUM
from harness.waiting import until

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

PHONE = {"width": 390, "height": 844, "is_mobile": True, "has_touch": True}

MARKS = """Here is **the plan** for *Sunday*, not ~~Saturday~~:

1. Meet at the [harbour](https://example.org/map_(north))
2. Bring `rope`
   - and gloves

> Who has the key?
I do, see https://en.wikipedia.org/wiki/Roost_(disambiguation) or www.example.org; write to crew@example.org.

```
make run
```"""


async def links(row):
    told = "all => all.map((one) => [one.textContent, one.getAttribute('href'), one.rel])"
    return await row.locator(".content a").evaluate_all(told)


async def style(locator, name):
    """Returns the computed style of elements."""
    return await locator.evaluate_all("(all, name) => all.map((one) => getComputedStyle(one)[name])", name)


def last(person):
    return person.page.locator(".message").last


async def group(relay, name, *others):
    """A group of devices, which the first of them has made."""
    alice = await relay.device(name("alice"))
    return alice, await alice.group("The Crew", *[name(one) for one in others])


async def test_marks_are_shown_and_never_run(relay, name):
    async with Browser() as browser:
        alice = await relay.device(name("alice"))
        bob = await browser.person(relay, name("bob"), color_scheme="dark")
        await alice.send(f"@{name('bob')}", MARKS)
        await bob.open(name("alice"))
        row = last(bob)
        for element, words in {
                "strong": "the plan", "em": "Sunday", "del": "Saturday", "blockquote": "Who has the key?",
                "pre": "make run", "ol > li > ul > li": "and gloves"}.items():
            await row.locator(".content").locator(element).get_by_text(words, exact=True).wait_for()
        safe, roost = "noopener noreferrer", "https://en.wikipedia.org/wiki/Roost_(disambiguation)"
        assert await links(row) == [
            ["harbour", "https://example.org/map_(north)", safe],
            [roost, roost, safe],
            ["www.example.org", "https://www.example.org", safe], ["crew@example.org", "mailto:crew@example.org", safe]]
        assert await row.get_by_role("link", name="harbour").get_attribute("title") == "https://example.org/map_(north)"
        # The list has the words without the marks.
        await bob.page.locator(".preview", has_text="Here is the plan for Sunday, not Saturday").wait_for()
        await bob.shot("marks-dark")
        evil = ("[x](javascript:alert(1)) ![i](https://example.org/i.png) **<img src=x onerror=alert(1)>** "
                "`<script>alert(2)</script>`")
        await alice.send(f"@{name('bob')}", evil)
        await bob.page.locator(".message strong", has_text="<img src=x onerror=alert(1)>").wait_for()
        assert [href for _, href, _ in await links(last(bob))] == ["https://example.org/i.png"]
        made = await last(bob).locator(".content *").evaluate_all("all => all.map((one) => one.localName)")
        assert set(made) == {"strong", "code", "a"}
        # An edited text has its marks.
        await bob.write("This is **mine**")
        await last(bob).locator("strong", has_text="mine").wait_for()
        await bob.field.press("ArrowUp")
        assert await bob.field.input_value() == "This is **mine**"


async def test_marks_on_a_phone(relay, name):
    async with Browser() as browser:
        alice = await relay.device(name("alice"))
        bob = await browser.person(relay, name("bob"), **PHONE)
        await alice.send(f"@{name('bob')}", MARKS)
        await alice.send(f"@{name('bob')}", "```\n" + "x" * 300 + "\n```\n> " + "y" * 300)
        await bob.open(name("alice"))
        await last(bob).locator("pre").wait_for()
        await bob.shot("marks-phone")
        assert await bob.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert await bob.page.locator("#scroll").evaluate("one => one.scrollWidth <= one.clientWidth")


async def test_a_text_that_is_nothing_but_marks_is_shown_at_once(relay, name):
    async with Browser() as browser:
        alice = await relay.device(name("alice"))
        bob = await browser.person(relay, name("bob"))
        for mark in ("*a", "[", "`", "**a _b ~~c`", "> ", "[a](http://x(", "- a\n"):
            await alice.send(f"@{name('bob')}", (mark * 20_000)[:19_000] + "!")
        await alice.send(f"@{name('bob')}", "The end")
        await bob.open(name("alice"))
        await bob.sees("The end")
        assert await bob.page.locator(".message .content *").count() < 8 * 3_000


async def test_each_text_has_its_own_direction(relay, name):
    async with Browser() as browser:
        alice = await relay.device(name("alice"))
        bob = await browser.person(relay, name("bob"))
        hebrew = "שלום, מה שלומך? Fine."
        await alice.send(f"@{name('bob')}", "Hello")
        await alice.send(f"@{name('bob')}", hebrew)
        await bob.open(name("alice"))
        row = await bob.sees(hebrew)
        assert await style(row.locator(".words"), "direction") == ["rtl"]
        assert await style((await bob.sees("Hello")).locator(".words"), "direction") == ["ltr"]
        # Where the time stands: after the words, on their side.
        words, foot = await row.locator(".content").bounding_box(), await row.locator(".foot").bounding_box()
        assert foot["x"] < words["x"]
        await bob.page.locator(".preview", has_text=hebrew).wait_for()
        assert await style(bob.page.locator(".preview").first, "direction") == ["rtl"]
        await bob.field.fill(hebrew)
        assert await style(bob.field, "direction") == ["rtl"]
        # U+202E turns nothing but what it stands in.
        await alice.send(f"@{name('bob')}", "safe\u202egpj.exe")
        await last(bob).locator(".content", has_text="safe").wait_for()
        assert await style(last(bob).locator(".foot"), "display") == ["flex"], "a block of its own"
        assert "\u202e" not in await bob.page.locator(".preview").first.inner_text()
        # All lines of a text begin on its side, also those that go the other way.
        long = "שלום לכולם, זהו טקסט ארוך שעובר לשורה שנייה ושלישית. " * 3 + "\nHello there"
        await alice.send(f"@{name('bob')}", long)
        await last(bob).locator(".content", has_text="Hello there").wait_for()
        await bob.shot("directions")
        sides = await last(bob).locator(".content").evaluate("""content => {
            const range = document.createRange();
            range.selectNodeContents(content);
            const lines = Map.groupBy(range.getClientRects(), (box) => Math.round(box.top));
            const end = content.closest(".words").getBoundingClientRect().right;
            return [...lines.values()].map((boxes) => Math.round(end - Math.max(...boxes.map((box) => box.right))));
        }""")
        assert len(sides) >= 3 and max(sides) <= 6, sides


async def test_in_a_group_each_author_has_a_picture_and_a_colour(relay, name):
    async with Browser() as browser:
        alice, crew = await group(relay, name, "bob", "carol")
        carol = await relay.device(name("carol"))
        bob = await browser.person(relay, name("bob"))
        for sender, words in ((alice, "One"), (alice, "Two"), (carol, "Three"), (alice, "Four")):
            await sender.send(crew, words)
        await bob.open("The Crew")
        await bob.sees("Four")
        rows = bob.page.locator(".message")
        assert await rows.locator(".avatar:visible").count() == 3, "one for each run of messages"
        authors = await rows.locator(".author:visible").all_inner_texts()
        assert authors == [name("alice"), name("carol"), name("alice")]
        colours = await style(rows.locator(".author:visible"), "color")
        assert colours[0] == colours[2]
        await bob.write("Five")
        await bob.sees("Five")
        assert await last(bob).locator(".avatar:visible").count() == 0
        await bob.shot("authors")


def happened(person):
    return person.page.locator(".happened")


async def test_what_happens_to_a_group_is_between_its_messages(start):
    relay = start()
    async with Browser() as browser:
        alice, crew = await relay.device("alice"), None
        bob = await browser.person(relay, "bob")
        await bob.live()
        crew = await alice.group("The Crew", "bob", "carol")
        await alice.send(crew, "Welcome")
        await bob.open("The Crew")
        await bob.sees("Welcome")
        await alice.call("conversation.rename", conversation=crew, name="The old Crew", key="r-1")
        await alice.call("conversation.add", conversation=crew, users=["dave", "erin"], key="a-1")
        await alice.send(crew, "Hello all")
        await alice.call("conversation.role", conversation=crew, user="carol", role="admin", key="o-1")
        await alice.call("conversation.expiry", conversation=crew, after=7 * 86_400_000)
        await alice.call("conversation.pin", conversation=crew, sequence=1)
        carol = await relay.device("carol")
        await carol.call("conversation.leave", conversation=crew, key="l-1")
        expected = [
            "Today", "alice created the group “The Crew”", "Welcome", "alice renamed the group to “The old Crew”",
            "alice added dave and erin", "Hello all", "alice made carol an admin",
            "alice set messages to disappear after 1 week", "alice pinned a message", "carol left"]

        async def shown():
            rows = await bob.page.locator("#log > *").all()
            words = [await (row.locator(".content") if await row.locator(".content").count() else row).inner_text()
                     for row in rows]
            return [one for one in words if one != "New messages"] == expected

        await until(shown, "the lines are in their places")
        await bob.shot("lines")
        # They are there after a reload, and without the relay.
        await bob.page.reload()
        await until(shown, "the lines are kept")
        await bob.page.get_by_role("button", name="alice pinned a message").click()
        await bob.page.locator(".message.lit", has_text="Welcome").wait_for()
        # Changes while the page is closed come later, and the user's own actions have a line, too.
        await bob.page.goto("about:blank")
        await alice.call("conversation.remove", conversation=crew, users=["erin"], key="m-1")
        await bob.page.goto(f"http://127.0.0.1:{relay.port}/")
        await bob.open("The old Crew")
        await happened(bob).get_by_text("alice removed erin").wait_for()


async def test_what_one_does_to_a_group_has_a_line(relay, name):
    async with Browser() as browser:
        alice = await browser.person(relay, name("alice"), **PHONE)
        await alice.live()
        bob = await relay.device(name("bob"))
        crew = await bob.group("The Crew", name("alice"))
        await bob.call("conversation.role", conversation=crew, user=name("alice"), role="admin", key="o-1")
        await alice.open("The Crew")
        await alice.field.fill("Hello")
        await alice.page.get_by_role("button", name="Send", exact=True).click()
        await alice.sees_state("Hello", "Sent")
        await alice.page.get_by_role("button", name="About this conversation").click()
        await alice.page.get_by_role("dialog").get_by_label("Rename group").fill("The best Crew")
        await alice.page.get_by_role("dialog").get_by_role("button", name="Rename").click()
        await alice.page.get_by_role("dialog").get_by_role("heading", name="The best Crew").wait_for()
        await alice.page.keyboard.press("Escape")
        await happened(alice).get_by_text("You renamed the group to “The best Crew”").wait_for()
        assert await happened(alice).count() == 3, "each once"
        await alice.shot("lines-phone")
