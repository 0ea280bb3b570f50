"""The chat page for everybody: with the keyboard alone, with a screen reader, on a phone, in the dark."""

import re

import pytest

from harness.browser import Browser
from harness.chromium import CHROMIUM
from harness.waiting import until

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

# Buttons that open a dialog, and the sections of the settings.
DIALOGS = ("New conversation", "About this conversation", "^People$")
SECTIONS = ("Profile", "Privacy", "Notifications", "Devices", "Account")

# A full page: a conversation with everything in it, and a list.
LONG = "A_word_that_is_much_longer_than_any_line_of_a_phone_can_ever_be_and_has_no_place_to_break_in_it_at_all"


async def busy(browser, relay, name, **options):
    """A user with conversations that have everything a page can show, with one of them open."""
    anna = await browser.person(relay, name("anna"), **options)
    await anna.live()
    others = [await relay.device(name(user)) for user in ("bob", "carol")]
    bob, carol = others
    group = await bob.group("A group with a name that is long enough to need two lines on a phone", name("anna"),
                            name("carol"))
    await carol.send(group, "Who comes along?")
    await bob.send(group, LONG)
    await bob.send(f"@{name('anna')}", "Hello!")
    await bob.event("receipt", user=name("anna"))
    await anna.open(name("bob"))
    await anna.sees("Hello!")
    for text in ("Hello yourself. See https://example.org/a/very/long/address?" + "x" * 80, "🎉"):
        await anna.field.fill(text)
        await anna.page.get_by_role("button", name="Send").click()
    await bob.event("message", body="🎉")
    await bob.send(f"@{name('anna')}", "A reply", replyTo=2)
    await anna.sees("A reply")
    conversation = bob.seen("message")[-1]["conversation"]
    await bob.call("react", conversation=conversation, sequence=2, reaction="👍")
    await anna.page.get_by_role("button", name="👍, 1 time").wait_for()
    await bob.call("delete", conversation=conversation, sequence=1)
    await anna.sees("Message deleted")
    return anna, bob, group


async def test_with_the_keyboard_alone(relay, name):
    async with Browser() as browser:
        alice = await browser.person(relay, name("alice"))
        bob = await relay.device(name("bob"))
        await alice.live()
        keys = alice.page.keyboard

        async def focused(selector):
            await alice.page.locator(f"{selector}:focus").wait_for()

        await keys.press("Alt+KeyN")
        await focused("#pick-find")
        await keys.type(name("bob"))
        await alice.page.get_by_role("option", name=name("bob")).wait_for()
        await keys.press("ArrowDown")
        await keys.press("Enter")
        await focused("#text")
        for text in ("One", "Two", "Three"):
            await keys.type(text)
            await keys.press("Enter")
            await alice.sees_state(text, "Sent")
        assert await alice.texts() == ["One", "Two", "Three"]
        # Two lines.
        await keys.type("Line one")
        await keys.press("Shift+Enter")
        await keys.type("line two")
        assert await alice.field.input_value() == "Line one\nline two"
        await keys.press("Enter")
        await focused("#text")
        await alice.page.locator(".content", has_text="line two").wait_for()
        # The last message again.
        await keys.press("ArrowUp")
        assert await alice.field.input_value() == "Line one\nline two"
        await keys.press("Control+A")
        await keys.type("Four")
        await keys.press("Enter")
        await alice.sees("Four")
        # To the messages, and what can be done with them. Only one of them is in the order of Tab.
        await keys.press("Shift+Tab")
        await focused(".message")
        assert await alice.page.locator(".message[tabindex='0']").count() == 1
        await keys.press("Home")
        assert await alice.page.locator(".message:focus .content").inner_text() == "One"
        # The part that has more to do with a message is there.
        await alice.page.locator("#pins").wait_for(state="attached")
        await keys.press("ArrowDown")
        await keys.press("Enter")
        await focused("#tools button")
        await alice.shot("keyboard")
        names = []
        for _ in range(9):
            names.append(await alice.page.evaluate("document.activeElement.getAttribute('aria-label')"))
            await keys.press("ArrowRight")
        assert names == ["React", "Reply", "Copy", "Edit", "Read by", "Thread", "Forward", "Pin", "Delete"]
        await keys.press("Home")
        await keys.press("Enter")
        await keys.press("ArrowRight")
        await keys.press("Enter")
        await bob.event("react", reaction="❤️")
        await focused("#text")
        await keys.press("Shift+Tab")
        assert await alice.page.locator(".message:focus .content").inner_text() == "Two"
        await keys.press("r")
        await focused("#text")
        await keys.type("To the second")
        await keys.press("Enter")
        assert (await bob.event("message", body="To the second"))["replyTo"] == 2
        await alice.sees_state("To the second", "Sent")
        await keys.press("Shift+Tab")
        await keys.press("End")
        await keys.press("Delete")
        await alice.page.get_by_role("button", name="Cancel").and_(alice.page.locator(":focus")).wait_for()
        await keys.press("Tab")
        await keys.press("Enter")
        await bob.event("delete")
        await focused("#text")
        # From conversation to conversation.
        await bob.group("The Crew", name("alice"))
        await alice.page.locator(".name", has_text="The Crew").wait_for()
        await keys.press("Alt+ArrowUp")
        await alice.page.locator("#title", has_text="The Crew").wait_for()
        await focused("#text")
        await keys.press("Alt+ArrowDown")
        await alice.page.locator("#title", has_text=name("bob")).wait_for()
        await keys.press("Alt+KeyF")
        await focused("#find-text")
        await keys.type("two")
        await alice.page.locator("#found button").first.wait_for()
        await keys.press("Tab")
        await keys.press("Tab")
        await focused("#found button")
        await keys.press("Enter")
        await alice.page.locator(".message.lit").wait_for()
        await keys.press("Escape")
        await focused("#text")
        await keys.press("Alt+KeyI")
        await alice.page.get_by_role("dialog", name=name("bob")).wait_for()
        await keys.press("Escape")
        await focused("#text")
        # The list is one stop of Tab, with arrows inside.
        await alice.page.locator(".conversation[tabindex='0']").focus()
        await keys.press("ArrowUp")
        await keys.press("Enter")
        await alice.page.locator("#title", has_text="The Crew").wait_for()
        await alice.page.locator("#find-button").focus()
        await keys.press("?")
        await alice.page.get_by_role("dialog", name="Keyboard shortcuts").wait_for()
        await alice.shot("keys")


async def test_a_dialog_that_closes_leaves_the_focus_where_the_user_is(relay, name):
    async with Browser() as browser:
        anna, *_ = await busy(browser, relay, name)
        await anna.page.keyboard.press("Alt+KeyI")
        await anna.page.locator("dialog[open]").wait_for()
        # The dialog says that it is closed after it has given the focus back.
        assert await anna.page.evaluate("""async () => {
            const dialog = document.querySelector("dialog[open]");
            const closed = new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
            dialog.close();
            const row = document.querySelector(".conversation[tabindex='0']");
            row.focus();
            await closed;
            return document.activeElement === row;
        }""")
        await anna.page.keyboard.press("Alt+KeyI")
        await anna.page.locator("dialog[open]").wait_for()
        await anna.page.keyboard.press("Escape")
        await anna.page.locator("#text:focus").wait_for()


async def test_everything_has_a_name(relay, name):
    async with Browser() as browser:
        anna, *_ = await busy(browser, relay, name)
        nameless = """() => [...document.querySelectorAll("button, input, textarea, [role], dialog, a, main, aside")]
            .filter((one) => one.checkVisibility())
            .filter((one) => !(one.getAttribute("aria-label") || one.textContent.trim() || one.labels?.length
                || document.getElementById(one.getAttribute("aria-labelledby"))?.textContent.trim()
                || one.getAttribute("aria-hidden") || one.matches("[role=alert], [role=status]")))
            .map((one) => one.outerHTML)"""
        assert await anna.page.evaluate(nameless) == []
        for label in DIALOGS:
            await anna.page.get_by_role("button", name=re.compile(label)).click()
            await anna.page.locator("dialog[open]").wait_for()
            assert await anna.page.evaluate(nameless) == []
            assert await anna.page.evaluate(
                "document.getElementById(document.querySelector('dialog[open]').getAttribute('aria-labelledby'))"
                ".textContent") != ""
            await anna.page.keyboard.press("Escape")
        async def headings():
            levels = await anna.page.evaluate("""[...document.querySelectorAll("h1, h2, h3")]
                .filter((one) => one.checkVisibility()).map((one) => Number(one.tagName[1]))""")
            assert levels[0] == 1
            assert all(after - before <= 1 for before, after in zip(levels, levels[1:], strict=False))
        await headings()
        for section in SECTIONS:
            await anna.settings(section)
            assert await anna.page.evaluate(nameless) == []
            await headings()
        # Ids are there once, and what refers to one finds it.
        assert await anna.page.evaluate("""() => {
            const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
            const wrong = ids.filter((id, place) => ids.indexOf(id) !== place);
            for (const name of ["for", "aria-labelledby", "aria-describedby", "aria-controls"]) {
                for (const one of document.querySelectorAll(`[${name}]`)) {
                    if (!ids.includes(one.getAttribute(name))) wrong.push(one.outerHTML);
                }
            }
            for (const one of document.querySelectorAll("use")) {
                if (!ids.includes(one.getAttribute("href").slice(1))) wrong.push(one.outerHTML);
            }
            return wrong;
        }""") == []


async def test_what_a_screen_reader_is_told(relay, name):
    async with Browser() as browser:
        anna, bob, _ = await busy(browser, relay, name)
        log = anna.page.get_by_role("log", name="Messages")
        assert await log.get_attribute("aria-live") == "polite"
        assert await log.get_attribute("aria-relevant") == "additions"
        # One's own messages aren't read out, others' are.
        assert await anna.page.locator(".message.own:not([aria-live=off])").count() == 0
        assert await anna.page.locator(".message:not(.own)[aria-live]").count() == 0
        # Messages that come while the page is used are additions, and those that come by opening or scrolling are not.
        await anna.page.evaluate("""() => {
            window.busy = [];
            new MutationObserver((all) => window.busy.push(...all.map((one) => one.attributeName)))
                .observe(document.querySelector("#log"), { attributeFilter: ["aria-busy"] });
        }""")
        await bob.send(f"@{name('anna')}", "Listen to this")
        await anna.sees("Listen to this")
        assert "aria-busy" not in await anna.page.evaluate("window.busy")
        row = anna.message("Listen to this")
        assert re.fullmatch(rf"{re.escape(name('bob'))}, \d\d:\d\d", await row.get_attribute("aria-label"))
        await anna.page.get_by_role("button", name=re.compile("^A group with a name.*, 2 unread")).click()
        await anna.sees("Who comes along?")
        assert "aria-busy" in await anna.page.evaluate("window.busy")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_colours_can_be_told_apart(relay, name, scheme):
    """Whatever text is in sight has a contrast of 4.5:1 at least with what is behind it (WCAG 2.2, 1.4.3), and what is
    only drawn 3:1 (1.4.11)."""
    async with Browser() as browser:
        anna, *_ = await busy(browser, relay, name, color_scheme=scheme, reduced_motion="reduce")
        await anna.shot(scheme)
        poor = """() => {
            const parts = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
            const ground = (one) => {
                for (let at = one; at; at = at.parentElement) {
                    const [red, green, blue, alpha = 1] = parts(getComputedStyle(at).backgroundColor);
                    if (alpha === 1) return [red, green, blue];
                }
                return [255, 255, 255];
            };
            const luminance = (colour) => colour.slice(0, 3).map((part) => part / 255)
                .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
                .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
            const contrast = (one, other) => {
                const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
                return (high + 0.05) / (low + 0.05);
            };
            const found = [];
            let looked = 0;
            const root = document.querySelector("dialog[open]") ?? document.body;
            for (const one of root.querySelectorAll("*")) {
                if (!one.checkVisibility()) continue;
                const isText = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
                const isDrawn = one.matches("svg[aria-hidden]") || one.matches("input, textarea");
                if (!isText && !isDrawn) continue;
                looked += 1;
                const style = getComputedStyle(one);
                const colour = one.matches("input, textarea") ? style.borderTopColor : style.color;
                const behind = one.matches("input, textarea") ? ground(one.parentElement) : ground(one);
                const ratio = contrast(parts(colour), behind);
                if (ratio < (isText ? 4.5 : 3)) found.push([one.outerHTML.slice(0, 120), ratio]);
            }
            return looked > 3 ? found : ["too little was looked at"];
        }"""
        assert await anna.page.evaluate(poor) == []
        for label in DIALOGS:
            await anna.page.get_by_role("button", name=re.compile(label)).click()
            await anna.page.locator("dialog[open]").wait_for()
            assert await anna.page.evaluate(poor) == []
            await anna.page.keyboard.press("Escape")
        for section in SECTIONS:
            await anna.settings(section)
            assert await anna.page.evaluate(poor) == []
            await anna.shot(f"settings-{section.lower()}-{scheme}")
        ground = await anna.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert ground == {"light": "rgb(251, 249, 246)", "dark": "rgb(20, 23, 27)"}[scheme]


async def test_a_phone(relay, name):
    async with Browser() as browser:
        anna, bob, _ = await busy(
            browser, relay, name, width=360, height=720, has_touch=True, is_mobile=True, device_scale_factor=2)

        async def fits():
            return await anna.page.evaluate("""() => {
                const wide = [...document.querySelectorAll("body *")].filter((one) => one.checkVisibility()
                    && !one.closest(".hidden, svg, #start, .line, .who, .quote")
                    && one.getBoundingClientRect().right > innerWidth + 1);
                return document.documentElement.scrollWidth <= innerWidth && wide.length === 0
                    || wide.map((one) => one.outerHTML.slice(0, 100));
            }""")
        assert await fits() is True
        assert not await anna.page.locator("#side").is_visible()
        await anna.shot("phone")
        await anna.page.get_by_role("button", name="Back to conversations").tap()
        await anna.page.locator("#side").wait_for()
        assert not await anna.page.locator("#pane").is_visible() and await fits() is True
        await anna.shot("phone-list")
        await anna.page.locator(".name", has_text="A group").tap()
        await anna.sees(LONG)
        # A keyboard doesn't come by itself.
        assert await anna.page.locator("#text:focus").count() == 0
        assert await fits() is True
        # A touch shows what can be done.
        await anna.message("Who comes along?").locator(".content").tap()
        await anna.page.get_by_role("toolbar").wait_for()
        assert await fits() is True
        await anna.shot("phone-tools")
        await anna.page.get_by_role("toolbar").get_by_role("button", name="Reply").tap()
        await anna.field.fill("I do")
        await anna.page.get_by_role("button", name="Send").tap()
        assert (await bob.event("message", body="I do"))["replyTo"] == 1
        await anna.page.get_by_role("button", name="About this conversation").tap()
        await anna.page.get_by_role("dialog").get_by_role("listitem").nth(2).wait_for()
        assert await fits() is True
        await anna.shot("phone-members")
        await anna.page.get_by_role("button", name="Close").tap()
        # The browser's Back leads to where one was.
        await anna.page.go_back()
        await anna.page.locator("#side").wait_for()
        await anna.page.go_back()
        await anna.page.locator("#title", has_text=name("bob")).wait_for()


async def test_many_rows_stay_smooth(relay, name):
    """With 450 messages on the screen, one more makes one more row, and touches no other."""
    alice = await relay.device(name("alice"))
    for number in range(450):
        await alice.send(f"@{name('bob')}", f"message {number}")
    async with Browser() as browser:
        bob = await browser.person(relay, name("bob"))
        await bob.open(name("alice"))
        await bob.page.get_by_role("button", name=re.compile("jump to latest")).click()
        await bob.sees("message 449")

        async def many():
            await bob.page.locator("#scroll").hover()
            await bob.page.mouse.wheel(0, -4_000)
            return await bob.page.locator(".message").count() == 450
        await until(many, "a long list")
        await bob.page.locator("#scroll").evaluate("one => { one.scrollTop = one.scrollHeight }")
        await bob.page.mouse.move(0, 0)
        await bob.page.get_by_role("toolbar").wait_for(state="hidden")
        await bob.page.evaluate("""() => {
            window.touched = new Set();
            new MutationObserver((all) => {
                for (const { target, addedNodes } of all) {
                    const row = (target.nodeType === 1 ? target : target.parentElement)?.closest(".message");
                    if (row) window.touched.add(row);
                    for (const node of addedNodes) if (node.matches?.(".message")) window.touched.add(node);
                }
            }).observe(document.querySelector("#log"), { childList: true, subtree: true, characterData: true });
        }""")
        await alice.send(f"@{name('bob')}", "one more")
        await bob.sees("one more")
        touched = await bob.page.evaluate("[...touched].map((row) => row.querySelector('.content').textContent)")
        assert touched == ["one more"]


async def test_it_can_be_installed(relay, name):
    async with Browser(program=CHROMIUM) as browser:
        anna = await browser.person(relay, name("anna"))
        await anna.live()
        await anna.page.evaluate("navigator.serviceWorker.ready")
        session = await anna.context.new_cdp_session(anna.page)
        manifest = await session.send("Page.getAppManifest")
        assert manifest["errors"] == [] and manifest["url"].endswith("/manifest.webmanifest")
        errors = (await session.send("Page.getInstallabilityErrors"))["installabilityErrors"]
        # Playwright's contexts are incognito.
        assert [error["errorId"] for error in errors] == ["in-incognito"]
