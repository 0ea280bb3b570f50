"""One picker of people: for a new conversation, a group, new members and forwards. By the keyboard alone, on a phone,
and with names of all kinds. Every offered user exists.
"""

import pytest

from harness.browser import Browser
from harness.chromium import CHROMIUM
from harness.waiting import until

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

PHONE = {"width": 390, "height": 780, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
LONG = "Wolfeschlegelsteinhausenbergerdorff-Featherstonehaugh the Elder"
PEOPLE = {
    "ben": ("Ben Friend", "ben"), "lea": (LONG, "lea"), "noa": ("נועה לוי", "noa"), "cem": ("Çem Ünal", "cem"),
    "zoe": ("Zoë Zander", None)}


async def town(start, browser, **options):
    """A user who knows a few people: a conversation, a contact, a group; and one whom only the relay knows."""
    relay = start(directory__unknown="refuse", directory__find="everyone")
    devices = {user: await relay.device(user) for user in PEOPLE}
    for user, (name, username) in PEOPLE.items():
        await devices[user].call("profile.set", name=name, **({"username": username} if username else {}))
    olivia = await browser.person(relay, "olivia", **options)
    await olivia.live()
    await devices["ben"].send("@olivia", "Hello Olivia")
    await devices["lea"].call("contact.invite", user="olivia")
    await devices["cem"].group("Night watch", "olivia", "noa")
    other = await relay.device("olivia", "other")
    await other.call("contact.accept", user="lea")
    await olivia.page.locator("#list .name", has_text="Night watch").wait_for()
    await olivia.page.locator("#list .name", has_text="Ben Friend").wait_for()
    return relay, devices, olivia


def offered(person, section=None):
    root = person.page.get_by_role("group", name=section, exact=True) if section else person.page
    return root.get_by_role("option")


async def marked(person):
    """Returns a screen reader's text for the marked row: the field names it."""
    return await person.page.evaluate("""() => {
        const row = document.getElementById(document.querySelector("#pick-find").getAttribute("aria-activedescendant"));
        const said = ["role", "aria-selected"].map((name) => row?.getAttribute(name));
        return row && [...said, row.querySelector(".who span").textContent];
    }""")


async def test_a_conversation_is_begun_by_the_keyboard_alone(start):
    async with Browser() as browser:
        _, devices, olivia = await town(start, browser)
        keys = olivia.page.keyboard
        await keys.press("Alt+KeyN")
        field = olivia.page.get_by_role("combobox", name="Search by name or username")
        await olivia.page.locator("#pick-find:focus").wait_for()
        # Known users are there at once, each in one place, and none is marked before a search.
        await offered(olivia, "Recent").filter(has_text="Ben Friend").wait_for()
        await offered(olivia, "Contacts").filter(has_text=LONG).wait_for()
        await until(lambda: counted(offered(olivia, "From your groups"), 2), "those of the group")
        assert await offered(olivia).count() == 4 and await marked(olivia) is None
        assert await field.get_attribute("aria-expanded") == "true"
        assert await field.get_attribute("aria-controls") == await olivia.page.get_by_role(
            "listbox", name="People").get_attribute("id")
        await olivia.shot("picker")
        # A stray Enter chooses no user.
        await keys.press("Enter")
        assert await olivia.page.locator("#pick-dialog").is_visible()
        # Arrows go round, and accents don't matter.
        await keys.press("ArrowUp")
        assert await marked(olivia) == ["option", "true", "נועה לוי"]
        await keys.press("ArrowDown")
        assert await marked(olivia) == ["option", "true", "Ben Friend"]
        await keys.type("unal")
        await until(lambda: is_marked(olivia, "Çem Ünal"), "the one who is called so")
        # The relay finds users unknown to this device.
        await keys.press("Control+A")
        await keys.type("zander")
        await offered(olivia, "More people").filter(has_text="Zoë Zander").wait_for()
        assert await marked(olivia) == ["option", "true", "Zoë Zander"]
        await olivia.shot("picker-found")
        # Escape closes it, and the focus is back.
        await keys.press("Escape")
        await olivia.page.locator("#pick-dialog").wait_for(state="hidden")
        await keys.press("Alt+KeyN")
        await keys.type("@ben")
        await until(lambda: is_marked(olivia, "Ben Friend"), "the username")
        await keys.press("Enter")
        await olivia.page.locator("#title", has_text="Ben Friend").wait_for()
        await olivia.page.locator("#text:focus").wait_for()
        await keys.type("Hello Ben")
        await keys.press("Enter")
        assert (await devices["ben"].event("message", **{"from": "olivia"}))["body"] == "Hello Ben"


async def test_a_group_is_picked_and_grows(start):
    async with Browser() as browser:
        relay, devices, olivia = await town(start, browser)
        keys = olivia.page.keyboard
        await keys.press("Alt+KeyN")
        await olivia.page.get_by_role("button", name="New group").focus()
        await keys.press("Enter")
        await olivia.page.locator("#pick-name:focus").wait_for()
        create = olivia.page.get_by_role("button", name="Create group")
        assert await create.is_disabled()
        await keys.press("Tab")
        await olivia.page.locator("#pick-find:focus").wait_for()
        for words, called in (("ben", "Ben Friend"), ("lea", LONG), ("noa", "נועה לוי")):
            await keys.type(words)
            await until(lambda called=called: is_marked(olivia, called), called)
            await keys.press("Enter")
            await olivia.page.get_by_role("button", name=f"Remove: {called}").wait_for()
            assert await olivia.page.locator("#pick-find").input_value() == ""
        assert await offered(olivia).filter(has_text="Ben Friend").get_attribute("aria-selected") == "true"
        await olivia.shot("picker-group")
        # The last one goes by Backspace, and comes again.
        await keys.press("Backspace")
        await olivia.page.get_by_role("button", name="Remove: נועה לוי").wait_for(state="detached")
        await keys.press("Enter")
        await olivia.page.get_by_text("Give the group a name.").wait_for()
        await olivia.page.locator("#pick-name:focus").wait_for()
        await keys.type("Harbour crew")
        await keys.press("Enter")
        await olivia.page.locator("#title", has_text="Harbour crew").wait_for()
        assert (await devices["lea"].event("conversation", event="created", name="Harbour crew"))["members"]
        # Members of the group aren't offered again.
        await keys.press("Alt+KeyI")
        await olivia.page.get_by_role("button", name="Add people").click()
        await offered(olivia).filter(has_text="Çem Ünal").wait_for()
        assert await offered(olivia).filter(has_text="Ben Friend").count() == 0
        await olivia.page.locator("#pick-find").fill("ben")
        await olivia.page.get_by_text("No one found for “ben”.").wait_for()
        await olivia.pick("zoe", "Zoë")
        await olivia.page.get_by_role("button", name="Add", exact=True).click()
        await olivia.page.get_by_role("dialog", name="Harbour crew").get_by_role("listitem").filter(
            has_text="Zoë Zander").wait_for()
        await devices["zoe"].event("conversation", event="added")


async def test_a_message_is_sent_on_to_people_and_groups(start):
    async with Browser() as browser:
        relay, devices, olivia = await town(start, browser)
        await olivia.open("Ben Friend")
        await olivia.sees("Hello Olivia")
        await olivia.does("Hello Olivia", "Forward")
        await olivia.page.get_by_text("“Hello Olivia”").wait_for()
        field = olivia.page.get_by_role("combobox", name="Search people and groups")
        await offered(olivia, "Recent").filter(has_text="Night watch").wait_for()
        await olivia.shot("picker-forward")
        await field.press_sequentially("night")
        await until(lambda: is_marked(olivia, "Night watch"), "the group")
        await field.press("Enter")
        await olivia.page.get_by_text("Forwarded to Night watch.").wait_for()
        assert (await devices["noa"].event("message"))["origin"] == {"from": "ben"}
        await olivia.does("Hello Olivia", "Forward")
        await olivia.pick("zoe", "zander")
        await olivia.page.get_by_text("Forwarded to Zoë Zander.").wait_for()
        assert (await devices["zoe"].event("message"))["origin"] == {"from": "ben"}


async def test_nobody_is_offered_who_does_not_exist(start):
    async with Browser(network_fails=True) as browser:
        relay, devices, olivia = await town(start, browser)
        await olivia.page.get_by_role("button", name="New conversation").click()
        field = olivia.page.locator("#pick-find")
        for words in ("bem", "@bem", "olivia", "ben friend the third", "bøb"):
            await field.fill(words)
            await olivia.page.get_by_text(f"No one found for “{words.lstrip('@')}”.").wait_for()
            assert await offered(olivia).count() == 0
            await field.press("ArrowDown")
            await field.press("Enter")
            assert await olivia.page.locator("#pick-dialog").is_visible()
        await olivia.shot("picker-nobody")
        # Without the relay, the users known to this device are there, and no guess.
        relay.kill()
        await olivia.page.locator("#banner:not([hidden])").wait_for()
        await field.fill("zander")
        await olivia.page.get_by_text("Can’t search right now.").wait_for()
        assert await offered(olivia).count() == 0
        await field.fill("ben")
        await until(lambda: is_marked(olivia, "Ben Friend"), "who is known")


async def test_who_is_not_found_by_searching_is_reached_by_the_exact_name(start):
    relay = start(directory__unknown="refuse")
    ben = await relay.device("u7p8x2")
    await ben.call("profile.set", name="Ben Friend", username="ben")
    async with Browser() as browser:
        olivia = await browser.person(relay, "olivia")
        await olivia.live()
        await olivia.page.get_by_role("button", name="New conversation").click()
        await olivia.page.get_by_text("Search for someone by name or username.").wait_for()
        await olivia.page.locator("#pick-find").fill("be")
        await olivia.page.get_by_text("No one found for “be”.").wait_for()
        await olivia.page.locator("#pick-find").fill("ben")
        await offered(olivia).get_by_text("Exact username. Check the spelling.").wait_for()
        await olivia.shot("picker-exact")
        await olivia.page.keyboard.press("ArrowDown")
        await olivia.page.keyboard.press("Enter")
        await olivia.page.locator("#text:focus").wait_for()
        await olivia.write("Is it you?")
        assert (await ben.event("message"))["body"] == "Is it you?"
        await olivia.page.locator("#title", has_text="Ben Friend").wait_for()


async def test_on_a_phone(start):
    async with Browser() as browser:
        _, _, olivia = await town(start, browser, **PHONE)
        await olivia.page.get_by_role("button", name="New conversation").tap()
        await offered(olivia, "Contacts").first.wait_for()
        await olivia.shot("picker-phone")
        assert await olivia.page.evaluate(OUTSIDE) == []
        await olivia.page.get_by_role("button", name="New group").tap()
        for user in ("lea", "noa", "ben"):
            await olivia.pick(user)
        await olivia.page.locator("#pick-chosen li").nth(2).wait_for()
        assert await olivia.page.evaluate(OUTSIDE) == []
        small = await olivia.page.evaluate("""() => [...document.querySelectorAll(
            "#pick-dialog :is(button, input, [role=option])")].filter((one) => one.checkVisibility()
            && Math.min(one.offsetHeight, one.offsetWidth) < 44).map((one) => one.outerHTML.slice(0, 100))""")
        assert small == []
        await olivia.shot("picker-phone-group")


async def test_people_are_offered_in_a_thread_too(start):
    async with Browser() as browser:
        relay, devices, olivia = await town(start, browser)
        await olivia.open("Night watch")
        [group] = (await devices["cem"].call("conversation.list"))["conversations"]
        await devices["cem"].send(group["conversation"], "Who?")
        await olivia.sees("Who?")
        await olivia.does("Who?", "Thread")
        field = olivia.page.get_by_label("Message in this thread")
        offers = olivia.page.locator("#thread-form").get_by_role("option")

        async def are_offered():
            # The part for writing may come after the first letters.
            await field.fill("")
            await field.press_sequentially("@ce")
            return await offers.count() == 1
        await until(are_offered, "the one who is called so")
        await olivia.shot("picker-thread")
        await field.press("Enter")
        assert await field.input_value() == "@Çem Ünal "
        await field.press_sequentially("knows")
        await field.press("Enter")
        told = await devices["cem"].event("message", body="@Çem Ünal knows")
        assert told["mentions"] == ["cem"] and told["thread"]


OUTSIDE = """() => [...document.querySelectorAll("dialog[open] *, #settings *")].filter((one) => one.checkVisibility()
    && !one.closest("svg, .hidden") && one.getBoundingClientRect().right > innerWidth + 1)
    .map((one) => one.outerHTML.slice(0, 100))"""


async def counted(rows, number):
    return await rows.count() == number


async def is_marked(person, name):
    return (await marked(person) or [""])[-1] == name
