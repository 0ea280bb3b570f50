"""The words of the chat page: in German, in the language that a user chooses, and all of them from the catalogue."""

import json
import re
import subprocess

import pytest

from harness.browser import Browser, address
from harness.chromium import CHROMIUM
from harness.relay import REPOSITORY
from harness.waiting import PATIENCE
from test_44_chat_page_offline import kept
from test_81_links import come, row

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

PHONE = {"width": 390, "height": 780}
TITLES = {"profile": "Profil", "privacy": "Privatsphäre", "notifications": "Benachrichtigungen", "devices": "Geräte",
          "account": "Konto", "language": "Sprache"}


async def spoken(person):
    return await person.page.evaluate("document.documentElement.lang")


async def fits(person):
    """Whether nothing is wider than the screen, nor a word than its button."""
    wide = """() => [...document.querySelectorAll("button, h1, h2, h3, label, select, p, dialog, main, aside")]
        .filter((one) => one.checkVisibility() && !one.matches(".hidden, .faint, .preview, [class*=avatar]")
            && (one.getBoundingClientRect().right > innerWidth + 1 || one.getBoundingClientRect().left < -1
                || (one.matches("button:not(.conversation, .me, .open, .quote)")
                    && one.scrollWidth > one.clientWidth + 2)))
        .map((one) => `${one.id || one.className}: ${one.textContent.slice(0, 60)}`)"""
    assert await person.page.evaluate(wide) == []


@pytest.mark.parametrize("size", [{}, PHONE], ids=["desktop", "phone"])
async def test_a_journey_in_german(both, size):
    owner, friend = (both.printed(pattern) for pattern in (rb"owner +(http\S+)", rb"friend +(http\S+)"))
    kind = "phone" if size else "desktop"
    async with Browser(network_fails=True) as browser:
        # Where one lives says how times are written, the first language that the page has how it speaks.
        anna = await browser.tab(await browser.device(locale="de-AT", **size), owner)
        page = anna.page
        await page.get_by_role("heading", name="Willkommen in deinem Roost").wait_for()
        await anna.shot(f"de-{kind}-start")
        await page.get_by_label("Anzeigename").fill("Anna")
        await page.get_by_role("button", name="Beitreten").click()
        await anna.live()
        assert await spoken(anna) == "de"
        await page.get_by_text("Noch keine Chats.").wait_for()
        await fits(anna)
        ben = await come(browser, friend, "Ben")
        await ben.write("Hello Anna")
        await row(anna, "Ben").get_by_text("Hello Anna").wait_for()
        await row(anna, "Ben").click()
        await anna.log.get_by_text("Ben ist über deinen Link beigetreten").wait_for()
        await page.get_by_role("separator").get_by_text("Heute").wait_for()
        await page.get_by_role("textbox", name="Nachricht an Ben").fill("Hallo Ben")
        await page.get_by_role("button", name="Senden").click()
        await anna.sees_state("Hallo Ben", "Gelesen")
        await anna.shot(f"de-{kind}-conversation")
        await fits(anna)
        await page.get_by_role("button", name="Emoji").click()
        await page.get_by_role("searchbox", name="Emoji suchen").fill("geschenk")
        await page.locator("#emoji-list").get_by_role("button", name="geschenk").wait_for()
        await page.keyboard.press("Escape")
        await anna.does("Hallo Ben", "Bearbeiten")
        await anna.field.fill("Hallo, lieber Ben")
        await page.get_by_role("button", name="Senden").click()
        await anna.message("Hallo, lieber Ben").get_by_text("bearbeitet").wait_for()
        # The server's refusals are in German, too.
        await page.locator("#info-button").click()
        await page.get_by_role("dialog", name="Ben").get_by_role("button", name="Blockieren", exact=True).click()
        await page.get_by_text(re.compile("^Ben blockieren\\? Ihr seht")).wait_for()
        await anna.shot(f"de-{kind}-ask")
        await fits(anna)
        await page.locator("#confirm-yes").click()
        await page.locator("#card-block").get_by_text("Blockierung aufheben").wait_for()
        await anna.shot(f"de-{kind}-card")
        await page.keyboard.press("Escape")
        await page.locator("#trouble").get_by_text("Du hast Ben blockiert.").wait_for()
        await page.locator("#trouble").get_by_role("button", name="Blockierung aufheben").wait_for()
        assert await anna.field.is_hidden()
        await anna.shot(f"de-{kind}-problem")
        await fits(anna)
        for section, title in TITLES.items():
            await page.evaluate("section => { location.hash = `#/settings/${section}`; }", section)
            await page.locator("#settings-name", has_text=title).wait_for()
            await anna.shot(f"de-{kind}-settings-{section}")
            await fits(anna)
        assert await page.title() == "Einstellungen – Roost"


async def test_the_language_is_chosen(start):
    relay = start()
    async with Browser() as browser:
        device = await browser.device()
        alice = await browser.tab(device, address(relay, relay.token("alice")))
        await alice.live()
        assert await spoken(alice) == "en"
        pane = await alice.settings("Language")
        await alice.shot("settings-language")
        choice = pane.locator("#settings-language")
        assert await choice.locator("option").all_inner_texts() == ["Same as the browser", "English", "Deutsch"]
        await choice.select_option(label="Deutsch")
        await alice.page.locator("#settings-name", has_text="Sprache").wait_for()
        assert await spoken(alice) == "de" and alice.page.url.endswith("#/settings/language")
        # It stays, in other tabs too, and for who isn't signed in.
        other = await browser.tab(device, address(relay))
        await other.live()
        assert await spoken(other) == "de"
        await other.page.get_by_role("button", name="Neuer Chat").wait_for()
        await choice.select_option(label="Wie der Browser")
        await alice.page.locator("#settings-name", has_text="Language").wait_for()
        assert await spoken(alice) == "en"
        # A visitor changes it, too.
        visitor = await browser.tab(await browser.device(), address(relay))
        await visitor.page.get_by_role("button", name="Deutsch").click()
        await visitor.page.get_by_role("heading", name="Willkommen bei Roost").wait_for()
        await visitor.page.get_by_role("button", name="English").click()
        await visitor.page.get_by_role("heading", name="Welcome to Roost").wait_for()


async def test_one_language_is_loaded(start):
    """And those that may be chosen without a connection are kept."""
    relay = start()
    async with Browser(network_fails=True) as browser:
        device = await browser.device(locale="de-DE", service_workers="block")
        loaded = []
        device.on("request", lambda request: loaded.append(request.url.split("?")[0].rsplit("/", 1)[1]))
        person = await browser.tab(device, address(relay, relay.token("alice")))
        await person.live()
        await person.settings("Profil")
        assert {name for name in loaded if name.startswith("words")} == {"words-de.js", "words-de-more.js"}


async def test_the_language_is_there_without_the_relay(start):
    """Also one that is chosen only then."""
    relay = start()
    async with Browser(network_fails=True) as browser:
        alice = await browser.person(relay, "alice", locale="de-DE")
        await alice.live()
        await kept(alice)
        relay.kill()
        await alice.page.reload()
        await alice.page.locator("#banner").get_by_text("Der Server ist nicht erreichbar.").wait_for()
        await alice.page.evaluate("location.hash = '#/settings/language'")
        await alice.page.locator("#settings-language").select_option(label="English")
        await alice.page.locator("#banner").get_by_text("Can’t reach the server.").wait_for()
        await alice.page.locator("#settings-name").get_by_text("Language").wait_for()
        assert await spoken(alice) == "en"


# All words come from the catalogue ----------------------------------------------------------------------------------

# A language in which each text stands in brackets, and what `Intl` writes, too.
BRACKETS = """
    const wrap = (words) => `⟦${words}⟧`;
    for (const kind of ["DateTimeFormat", "NumberFormat"]) {
        const { get } = Object.getOwnPropertyDescriptor(Intl[kind].prototype, "format");
        const wrapped = function () { const act = get.call(this); return (value) => wrap(act(value)); };
        Object.defineProperty(Intl[kind].prototype, "format", { get: wrapped });
    }
    const methods = [["RelativeTimeFormat", "format"], ["ListFormat", "format"], ["DisplayNames", "of"]];
    for (const [kind, name] of methods) {
        const act = Intl[kind].prototype[name];
        Intl[kind].prototype[name] = function (...values) { return wrap(act.apply(this, values)); };
    }"""

# Texts that people could read without brackets around them: texts and attributes of the whole page, in sight or not.
# Typed words are the same in all languages, and so are emoji and the name of the program.
LEAKS = """() => {
    const plain = (words) => {
        let left = words.replaceAll(/Roost/g, "");
        for (let before; before !== left;) [before, left] = [left, left.replaceAll(/⟦[^⟦⟧]*⟧/g, "")];
        return left;
    };
    const found = [];
    const look = (where, words) => {
        if (/[A-Za-z]{2}/.test(plain(words ?? ""))) found.push(`${where}: ${words.trim()}`);
    };
    const spoken = ["aria-label", "title", "placeholder", "alt", "aria-description", "data-muted"];
    look("title", document.title);
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        if (node.nodeType === Node.TEXT_NODE) {
            const around = node.parentElement;
            // A text may have elements in it.
            const whole = around.matches("[data-t]") ? around.cloneNode(true) : undefined;
            for (const one of [...(whole?.children ?? [])]) one.remove();
            if (around.closest("code, kbd, noscript, [data-emoji], style")) continue;
            look(around.id || around.className, whole?.textContent ?? node.data);
        } else if (!node.closest("[data-emoji]")) {
            for (const name of spoken) look(`${node.id} ${name}`, node.getAttribute(name));
        }
    }
    return found;
}"""


def bracketed(name):
    """A catalogue whose texts stand in brackets."""
    path = json.dumps(str(REPOSITORY / "Web" / name))
    code = f"import({path}).then((one) => console.log(JSON.stringify(one.default)))"
    done = subprocess.run(["node", "-e", code], check=True, capture_output=True, timeout=PATIENCE)

    def wrap(text):
        return f"⟦{text}⟧" if isinstance(text, str) else {form: wrap(words) for form, words in text.items()}

    return f"export default {json.dumps({key: wrap(text) for key, text in json.loads(done.stdout).items()})};"


async def bracket(device):
    """Gives the pages of a device that language."""
    texts = {name: bracketed(name) for name in ("words-en.js", "words-en-more.js")}

    async def answer(route):
        name = re.search(r"words-[a-z-]+\.js", route.request.url)[0]
        await route.fulfill(content_type="text/javascript; charset=utf-8", body=texts[name])

    await device.route("**/words-*", answer)
    await device.add_init_script(BRACKETS)
    return device


async def test_every_word_on_the_page_is_of_the_catalogue(both):
    owner, friend = (both.printed(pattern) for pattern in (rb"owner +(http\S+)", rb"friend +(http\S+)"))
    async with Browser(network_fails=True) as browser:
        # Names and messages have no letter that a text of the page could have.
        anna = await browser.tab(await bracket(await browser.device(service_workers="block")), owner)
        page = anna.page

        async def clean(where):
            assert await page.evaluate(LEAKS) == [], where

        await page.locator("#start-name").wait_for()
        await clean("the start")
        await page.evaluate("document.querySelector('#tools').append('Sign out')")
        assert await page.evaluate(LEAKS) == ["tools: Sign out"], "what is planted is found"
        await page.evaluate("document.querySelector('#tools').replaceChildren()")
        await page.locator("#start-name").fill("Анна")
        await page.locator("#start-submit").click()
        await anna.live()
        boris = await come(browser, friend, "Борис")
        await boris.write("Привет")
        await row(anna, "Борис").click()
        await anna.sees("Привет")
        await anna.write("Да")
        await anna.message("Да").get_by_role("img").wait_for()
        await clean("a conversation")
        for sign in ("reply", "pin", "thread", "eye", "forward"):
            await anna.message("Да").hover()
            await page.locator(f"#tools button:has(use[href='#{sign}'])").click()
            if sign == "pin":
                await page.locator("#pins").wait_for()
            elif sign != "reply":
                await page.locator("#readers-dialog[open], #thread-dialog[open], #pick-dialog[open]").wait_for()
            if sign == "thread":
                # The key closes what has the focus.
                await page.locator("#thread-text:focus").wait_for()
            await clean(sign)
            await page.keyboard.press("Escape")
            if sign == "thread":
                await page.locator("#thread-dialog").wait_for(state="hidden")
        await page.locator("#emoji-button").click()
        await page.locator("#emoji-list button").first.wait_for()
        await clean("the emoji")
        await page.keyboard.press("Escape")
        dialogs = {"#people-button": "#people-dialog", "#invite": "#invite-dialog", "#new": "#pick-dialog",
                   "#info-button": "#card-dialog"}
        for opener, dialog in dialogs.items():
            await page.locator(opener).click()
            await page.locator(dialog).wait_for()
            await clean(dialog)
            if dialog == "#invite-dialog":
                await page.locator("#invite-form button.filled").click()
                await page.locator("#invite-list li").wait_for()
                await page.evaluate("document.querySelector('#invite-link').value = ''")
                await clean("a link")
            if dialog == "#card-dialog":
                await page.locator("#card-report").click()
                await page.locator("#report-dialog").wait_for()
                await clean("a report")
                await page.keyboard.press("Escape")
            await page.keyboard.press("Escape")
        await page.locator("#new").click()
        await page.locator("#pick-group").click()
        await page.locator("#pick-name").fill("Хор")
        await page.locator("#pick-list [role=option]").first.click()
        await clean("a new group")
        await page.locator("#pick-submit").click()
        await page.locator("#title", has_text="Хор").wait_for()
        await page.locator("#info-button").click()
        await page.locator("#members .acts button").first.wait_for()
        await clean("a group")
        await page.keyboard.press("Escape")
        await page.locator("#all-text").fill("Да")
        await page.locator("#all-found .conversation").first.wait_for()
        await clean("a search")
        for section in ("profile", "privacy", "notifications", "language", "devices", "account"):
            await page.evaluate("section => { location.hash = `#/settings/${section}`; }", section)
            await page.locator(f"#settings[data-section={section}]").wait_for()
            await clean(section)
        await page.locator("#keys-button").click()
        await page.locator("#keys-dialog").wait_for()
        await clean("the keys")
