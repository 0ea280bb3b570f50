"""The two links that a first start prints: from them to a message that the other one has read, without any id.
`roost up` with the real services, in an empty folder."""

import pytest

from harness.browser import Browser, address
from harness.chromium import CHROMIUM

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

PHONE = {"width": 390, "height": 780}


async def come(browser, link, name, **options):
    """Opens a link in a new browser, and says a name."""
    person = await browser.tab(await browser.device(**options), link)
    await person.page.locator("#start-name").fill(name)
    await person.page.locator("#start-submit").click()
    await person.live()
    return person


def row(person, title):
    return person.page.locator(".conversation", has=person.page.locator(".name").get_by_text(title, exact=True))


async def talk(olivia, ben):
    """Ben is in the conversation already, and Olivia sees why it is there."""
    await ben.page.locator("#title").get_by_text("Olivia", exact=True).wait_for()
    await ben.log.get_by_text("You joined by Olivia’s link").wait_for()
    await row(olivia, "Ben").get_by_text("Ben joined by your link").wait_for()
    await olivia.shot("links-list")
    await ben.shot("links-met")
    await row(olivia, "Ben").click()
    await olivia.log.get_by_text("Ben joined by your link").wait_for()
    await ben.write("Hello Olivia")
    await olivia.sees("Hello Olivia")
    await ben.sees_state("Hello Olivia", "Read")
    await olivia.write("Welcome, Ben")
    await ben.sees("Welcome, Ben")
    await olivia.sees_state("Welcome, Ben", "Read")
    await olivia.shot("links-read")


@pytest.mark.parametrize("size", [{}, PHONE], ids=["desktop", "phone"])
async def test_the_owner_comes_first(both, size):
    owner, friend = (both.printed(pattern) for pattern in (rb"owner +(http\S+)", rb"friend +(http\S+)"))
    async with Browser(network_fails=True) as browser:
        olivia = await come(browser, owner, "Olivia", **size)
        ben = await come(browser, friend, "Ben", **size)
        await talk(olivia, ben)
        # A name that was set stays, on each device.
        await ben.page.reload()
        await ben.live()
        await ben.log.get_by_text("You joined by Olivia’s link").wait_for()


@pytest.mark.parametrize("size", [{}, PHONE], ids=["desktop", "phone"])
async def test_the_friend_comes_first(both, size):
    owner, friend = (both.printed(pattern) for pattern in (rb"owner +(http\S+)", rb"friend +(http\S+)"))
    async with Browser(network_fails=True) as browser:
        ben = await come(browser, friend, "Ben", **size)
        await ben.page.get_by_text("The person who invited you hasn’t joined yet").wait_for()
        await ben.shot("links-alone")
        olivia = await come(browser, owner, "Olivia", **size)
        await talk(olivia, ben)


async def test_another_friend_meets_the_owner_too(both, tmp_path):
    """Also one who comes while the owner is away, and finds the conversation on the return."""
    owner, friend = (both.printed(pattern) for pattern in (rb"owner +(http\S+)", rb"friend +(http\S+)"))
    async with Browser(network_fails=True) as browser:
        olivia = await come(browser, owner, "Olivia")
        await olivia.page.close()
        ben = await come(browser, friend, "Ben")
        await ben.page.locator("#title").get_by_text("Olivia", exact=True).wait_for()
        olivia = await browser.tab(olivia.context, address(both))
        await olivia.live()
        await olivia.page.locator(".conversation", has_text="joined by your link").click()
        await olivia.page.locator("#title").get_by_text("Ben", exact=True).wait_for()


async def make(person, to=None, uses=None):
    """Makes a link in the dialog, and returns it."""
    page = person.page
    await page.get_by_role("button", name="Invite people").click()
    if await page.locator("#invite-more").is_visible():
        await page.locator("#invite-more").click()
    if to:
        await page.locator("#invite-to").select_option(label=to)
    if uses:
        await page.locator("#invite-uses").select_option(uses)
    await page.get_by_role("button", name="Create link").click()
    await page.get_by_role("img", name="QR code for the link").wait_for()
    await page.locator("#invite-list li").first.wait_for()
    # The form gives way to what it has made, and so the list of links is in sight.
    assert not await page.locator("#invite-form").is_visible()
    box = await page.locator("#invite-list li").first.bounding_box()
    assert box["y"] + box["height"] <= page.viewport_size["height"]
    return await page.locator("#invite-link").input_value()


async def begin(browser, both, name, **options):
    """A person who signs up with an address."""
    person = await browser.tab(await browser.device(**options), address(both))
    await person.page.get_by_role("button", name="Create an account").click()
    for field, value in {"name": name, "email": f"{name}@example.org", "password": "correct horse"}.items():
        await person.page.locator(f"#start-{field}").fill(value)
    await person.page.locator("#start-submit").click()
    await person.live()
    return person


async def test_a_link_of_any_user(both):
    await both.listening()
    async with Browser(network_fails=True) as browser:
        olivia = await begin(browser, both, "Olivia")
        link = await make(olivia)
        await olivia.shot("links-invite")
        await olivia.page.keyboard.press("Escape")
        ben = await browser.tab(await browser.device(**PHONE), link)
        await ben.page.get_by_role("heading", name="Olivia invites you to chat").wait_for()
        assert "invite=" not in ben.page.url
        await ben.shot("links-stranger")
        await ben.page.locator("#start-name").fill("Ben")
        await ben.page.locator("#start-submit").click()
        await ben.live()
        await talk(olivia, ben)
        # It was for one.
        late = await browser.tab(await browser.device(), link)
        await late.page.get_by_role("heading", name="This invitation doesn’t work").wait_for()
        await late.shot("links-used")


async def test_a_link_to_a_group_for_somebody_with_an_account(both):
    await both.listening()
    async with Browser(network_fails=True) as browser:
        olivia, ben = await begin(browser, both, "Olivia"), await begin(browser, both, "Ben")
        link = await make(olivia)
        await olivia.page.keyboard.press("Escape")
        # In the browser where one is signed in, a link asks first.
        there = await browser.tab(ben.context, link)
        await there.page.get_by_text("Olivia invites you to chat.").wait_for()
        await there.page.get_by_role("button", name="Chat", exact=True).click()
        await there.page.locator("#title").get_by_text("Olivia", exact=True).wait_for()
        await row(olivia, "Ben").wait_for()
        # The owner of a group invites to it.
        owner = both.ask("POST", "/v1/sessions", {"email": "Olivia@example.org", "password": "correct horse"}).json
        desk = await both.device(owner["user"], owner["device"], token=owner["accessToken"])
        await desk.group("The Crew")
        await row(olivia, "The Crew").wait_for()
        link = await make(olivia, to="The Crew", uses="10")
        await olivia.page.keyboard.press("Escape")
        again = await browser.tab(ben.context, link)
        await again.page.get_by_text("Olivia invites you to “The Crew”.").wait_for()
        await again.page.get_by_role("button", name="Join", exact=True).click()
        await again.page.locator("#title").get_by_text("The Crew", exact=True).wait_for()
        await again.write("Here I am")
        await row(olivia, "The Crew").click()
        await olivia.log.get_by_text("Ben joined by your link").wait_for()
        await olivia.sees("Here I am")
        await olivia.shot("links-group")


async def test_a_link_to_a_group_whose_admins_are_asked(both):
    """One who comes by it on a phone is let in; another one isn't, and both see it."""
    await both.listening()
    async with Browser(network_fails=True) as browser:
        olivia, ida = await begin(browser, both, "Olivia"), await begin(browser, both, "Ida")
        owner = both.ask("POST", "/v1/sessions", {"email": "Olivia@example.org", "password": "correct horse"}).json
        desk = await both.device(owner["user"], owner["device"], token=owner["accessToken"])
        group = await desk.group("The Crew")
        await desk.call("conversation.joining", conversation=group, joining="ask")
        await row(olivia, "The Crew").wait_for()
        link = await make(olivia, to="The Crew", uses="10")
        await olivia.page.keyboard.press("Escape")
        # Without an account, on a phone.
        ben = await browser.tab(await browser.device(**PHONE), link)
        await ben.page.get_by_role("heading", name="Olivia invites you to “The Crew”").wait_for()
        await ben.page.locator("#start-name").fill("Ben")
        await ben.page.locator("#start-submit").click()
        await ben.live()
        awaited = ben.page.get_by_role("list", name="Waiting for approval").get_by_text("The Crew")
        await awaited.wait_for()
        assert not await ben.page.locator("#list-empty").is_visible()
        await ben.shot("links-awaited-phone")
        # With one.
        there = await browser.tab(ida.context, link)
        await there.page.get_by_role("button", name="Join", exact=True).click()
        sent = "Your request was sent. You’ll join “The Crew” once an admin approves it."
        await there.page.get_by_text(sent).wait_for()
        refused = there.page.get_by_role("list", name="Waiting for approval")
        await refused.get_by_text("The Crew").wait_for()
        await there.shot("links-awaited")
        await olivia.page.locator(".waits", has_text="+2").wait_for()
        await row(olivia, "The Crew").click()
        await olivia.page.get_by_role("button", name="2 people want to join Review").wait_for()
        await olivia.shot("links-want-to-join")
        # The admin decides on a phone as well.
        await olivia.page.set_viewport_size(PHONE)
        await olivia.page.get_by_role("button", name="2 people want to join Review").click()
        dialog = olivia.page.get_by_role("dialog", name="The Crew")
        await dialog.get_by_role("button", name="Accept: Ben").wait_for()
        await olivia.shot("links-want-to-join-phone")
        await dialog.get_by_role("button", name="Decline: Ida").click()
        await there.page.get_by_text("Your request to join “The Crew” has ended.").wait_for()
        await refused.wait_for(state="hidden")
        await dialog.get_by_role("button", name="Accept: Ben").click()
        await ben.page.locator("#title").get_by_text("The Crew", exact=True).wait_for()
        await awaited.wait_for(state="hidden")
        await ben.log.get_by_text("Olivia added you").wait_for()
        await ben.write("Here I am")
        await olivia.page.keyboard.press("Escape")
        await olivia.sees("Here I am")
        await ben.shot("links-let-in-phone")


async def test_a_link_that_is_opened_before_there_is_a_connection(both):
    """It works in a browser where nothing else is open, and for a user who signs in or signs up first."""
    await both.listening()
    async with Browser(network_fails=True) as browser:
        olivia, ben = await begin(browser, both, "Olivia"), await begin(browser, both, "Ben")
        link = await make(olivia, uses="10")
        await olivia.page.keyboard.press("Escape")
        await ben.page.close()

        async def follows(person):
            await person.page.get_by_text("Olivia invites you to chat.").wait_for()
            await person.page.get_by_role("button", name="Chat", exact=True).click()
            await person.page.locator("#title").get_by_text("Olivia", exact=True).wait_for()

        await follows(await browser.tab(ben.context, link))
        elsewhere = await browser.tab(await browser.device(), link)
        await elsewhere.page.locator("#start-ways").get_by_role("button", name="Sign in").click()
        for field, value in {"email": "Ben@example.org", "password": "correct horse"}.items():
            await elsewhere.page.locator(f"#start-{field}").fill(value)
        await elsewhere.page.locator("#start-submit").click()
        await follows(elsewhere)
        carol = await browser.tab(await browser.device(), link)
        await carol.page.get_by_role("button", name="Create an account").click()
        for field, value in {"name": "Carol", "email": "carol@example.org", "password": "correct horse"}.items():
            await carol.page.locator(f"#start-{field}").fill(value)
        await carol.page.locator("#start-submit").click()
        await follows(carol)
        await row(olivia, "Carol").get_by_text("Carol joined by your link").wait_for()
        # It isn't followed again.
        await carol.page.reload()
        await carol.live()
        assert await carol.page.get_by_role("dialog").count() == 0


async def test_a_friends_link_is_for_who_is_new(both):
    owner, friend = (both.printed(pattern) for pattern in (rb"owner +(http\S+)", rb"friend +(http\S+)"))
    async with Browser(network_fails=True) as browser:
        ben = await browser.tab(await browser.device(), friend)
        # Before the owner has come, nothing is known of the owner.
        await ben.page.get_by_role("heading", name="You’re invited").wait_for()
        await ben.page.locator("#start-name").wait_for()
        assert await ben.page.locator("#start-ways").is_hidden()
        await come(browser, owner, "Olivia")
        again = await browser.tab(await browser.device(**PHONE), friend)
        await again.page.get_by_role("heading", name="Olivia invites you to chat").wait_for()
        await again.shot("links-friend")
        await again.page.locator("#start-name").fill("Ben")
        await again.page.locator("#start-submit").click()
        await again.live()
        # A used link says so before it asks for a name.
        late = await browser.tab(await browser.device(), friend)
        await late.page.get_by_role("heading", name="This invitation doesn’t work").wait_for()
        assert "Olivia" not in await late.page.locator("body").inner_text()


async def test_a_revoked_link(both):
    await both.listening()
    async with Browser(network_fails=True) as browser:
        olivia = await begin(browser, both, "Olivia")
        link = await make(olivia, uses="10")
        await olivia.page.locator("#invite-list").get_by_text("Used 0 of 10").wait_for()
        await olivia.page.get_by_role("button", name="Revoke link").click()
        await olivia.page.locator("#invite-own").wait_for(state="hidden")
        ben = await browser.tab(await browser.device(**PHONE), link)
        await ben.page.get_by_role("heading", name="This invitation doesn’t work").wait_for()
        assert "Olivia" not in await ben.page.locator("body").inner_text()


async def test_a_link_where_tokens_come_from_elsewhere(relay):
    """Without services, a user with a token can follow a link."""
    async with Browser() as browser:
        olivia, ben = await browser.person(relay, "olivia"), await browser.person(relay, "ben")
        await olivia.live()
        await ben.live()
        link = await make(olivia)
        await olivia.shot("links-dialog")
        await olivia.page.keyboard.press("Escape")
        there = await browser.tab(ben.context, link)
        await there.page.get_by_role("button", name="Chat", exact=True).click()
        await there.page.locator("#title", has_text="olivia").wait_for()
        await olivia.page.locator(".conversation", has_text="joined by your link").wait_for()
        stranger = await browser.tab(await browser.device(), link)
        await stranger.page.get_by_role("heading", name="You’re invited").wait_for()


@pytest.mark.parametrize("size", [{}, PHONE], ids=["desktop", "phone"])
async def test_who_has_come_is_unread_until_the_conversation_is_opened(both, size):
    owner, friend = (both.printed(pattern) for pattern in (rb"owner +(http\S+)", rb"friend +(http\S+)"))
    async with Browser(network_fails=True) as browser:
        olivia = await come(browser, owner, "Olivia", **size)
        await come(browser, friend, "Ben")
        # A notice says so at once, and the list after a reload, too.
        await olivia.page.locator("#notice").get_by_text("Ben joined by your link").wait_for()
        await row(olivia, "Ben").locator(".count").get_by_text("1", exact=True).wait_for()
        await olivia.shot(f"links-new-{'phone' if size else 'desktop'}")
        await olivia.page.reload()
        await olivia.live()
        await row(olivia, "Ben").locator(".count").get_by_text("1", exact=True).wait_for()
        assert await olivia.page.title() == "(1) Roost"
        await olivia.page.get_by_role("button", name="Ben, 1 unread. Ben joined by your link").click()
        await olivia.log.get_by_text("Ben joined by your link").wait_for()
        await olivia.page.evaluate("history.back()")
        await olivia.page.locator("#conversation").wait_for(state="hidden")
        assert await row(olivia, "Ben").locator(".count").inner_text() == ""
        await olivia.page.reload()
        await olivia.live()
        await row(olivia, "Ben").wait_for()
        assert await row(olivia, "Ben").locator(".count").inner_text() == ""
        assert await olivia.page.title() == "Roost"


async def test_an_own_link_is_shown_again_after_a_reload(both):
    await both.listening()
    async with Browser(network_fails=True) as browser:
        olivia = await begin(browser, both, "Olivia")
        link = await make(olivia)
        await olivia.page.reload()
        await olivia.live()
        await olivia.page.get_by_role("button", name="Invite people").click()
        await olivia.page.get_by_role("button", name="Show", exact=True).click()
        assert await olivia.page.locator("#invite-link").input_value() == link
        await olivia.page.get_by_role("img", name="QR code for the link").wait_for()
        # Another browser of hers can't: the relay has only a hash.
        there = await browser.tab(await browser.device(**PHONE), address(both))
        await there.page.locator("#start-email").fill("Olivia@example.org")
        await there.page.locator("#start-password").fill("correct horse")
        await there.page.locator("#start-submit").click()
        await there.live()
        await there.page.get_by_role("button", name="Invite people").click()
        await there.page.get_by_text("You can only see this link in the browser that created it.").wait_for()
        assert await there.page.get_by_role("button", name="Show", exact=True).count() == 0
        await there.shot("links-elsewhere")
        # A revoked link is kept no longer.
        await there.page.get_by_role("button", name="Revoke link: Chat with me").click()
        await there.page.locator("#invite-own").wait_for(state="hidden")
        await olivia.page.keyboard.press("Escape")
        await olivia.page.get_by_role("button", name="Invite people").click()
        await olivia.page.locator("#invite-own").wait_for(state="hidden")
        kept = await olivia.page.evaluate("JSON.stringify(Object.entries(localStorage))")
        assert link.partition("#invite=")[2] not in kept
