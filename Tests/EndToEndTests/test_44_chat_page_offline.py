"""The chat page when something is in the way: no network, a relay that was killed, a message that is refused, a second
tab, a token that is no longer good, a newer page, or none."""

import asyncio
import re

import pytest

from harness.browser import Browser, address
from harness.chromium import CHROMIUM
from harness.cable import Cable
from harness.waiting import until

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")


async def kept(person):
    """Waits until the page can be opened without the relay."""
    # Not by `wait_for_function`, which doesn't await what a function promises.
    await until(lambda: person.page.evaluate("""async () => {
        const names = await caches.keys();
        return names.length === 1 && await (await caches.open(names[0])).match("/") !== undefined
            && navigator.serviceWorker.controller !== null;
    }"""), "a copy of the page")


async def counted(rows, number):
    return await rows.count() == number


async def test_what_is_typed_offline_survives_a_reload_and_is_sent_once(relay, name):
    async with Browser(network_fails=True) as browser, Cable(relay) as cable:
        alice = await browser.tab(await browser.device(), address(cable, relay.token(name("alice"))))
        bob = await browser.person(relay, name("bob"))
        await alice.meet(name("bob"))
        await alice.write("Before")
        await bob.open(name("alice"))
        await alice.sees_state("Before", "Read")
        await kept(alice)
        await cable.cut()
        banner = alice.page.locator("#banner")
        await banner.get_by_text("Can’t reach the server.").wait_for()
        await alice.write("In the tunnel")
        await alice.write("Still in the tunnel")
        await banner.get_by_text("2 messages are waiting.").wait_for()
        await banner.get_by_text(re.compile(r"Next try in \d+ seconds?\.")).wait_for()
        await alice.sees_state("In the tunnel", "Sending")
        await alice.field.press_sequentially("Half a thou")
        await alice.shot("offline")

        async def is_kept():
            return "Half a thou" in await what_is_kept(alice)
        await until(is_kept, "the draft on disk")
        await alice.page.reload()
        assert await alice.page.evaluate("location.hash") == f"#/{('%40' + name('bob'))}"
        await alice.sees("Still in the tunnel")
        assert await alice.texts() == ["Before", "In the tunnel", "Still in the tunnel"]
        assert await alice.field.input_value() == "Half a thou"
        await banner.get_by_text("2 messages are waiting.").wait_for()
        await bob.write("Where are you?")
        await banner.get_by_role("button", name="Try now").click()
        await banner.get_by_text("2 messages are waiting.").wait_for()
        await cable.mend()
        await bob.sees("Still in the tunnel")
        await alice.sees("Where are you?")
        await banner.wait_for(state="hidden")
        await alice.sees_state("Still in the tunnel", "Read")
        for person in (alice, bob):
            await until(lambda person=person: complete(person), "four messages")
            assert sorted(await person.texts()) == sorted(
                ["Before", "In the tunnel", "Still in the tunnel", "Where are you?"])
        assert await alice.texts() == await bob.texts()


async def complete(person):
    return len(await person.texts()) == 4


async def test_a_relay_that_is_killed(start):
    relay = start()
    async with Browser(network_fails=True) as browser:
        alice, bob = await browser.person(relay, "alice"), await browser.person(relay, "bob")
        await alice.meet("bob")
        await alice.write("One")
        await bob.open("alice")
        await alice.sees_state("One", "Read")
        port = relay.port
        relay.kill()
        await alice.page.get_by_text("Can’t reach the server.").wait_for()
        await alice.write("Two")
        await bob.page.get_by_text("Can’t reach the server.").wait_for()
        await bob.write("Three")
        relay.start(listen__port=port)
        await alice.sees("Three")
        await bob.sees("Two")
        await alice.sees_state("Two", "Read")
        await bob.sees_state("Three", "Read")
        assert sorted(await alice.texts()) == sorted(await bob.texts()) == ["One", "Three", "Two"]
        await alice.page.locator("#banner").wait_for(state="hidden")


async def test_two_tabs_are_one_device(relay, name):
    async with Browser() as browser:
        alice = await browser.person(relay, name("alice"))
        await alice.meet(name("bob"))
        await alice.write("From the first")
        await alice.sees_state("From the first", "Sent")
        # Without a link: the browser knows who it is.
        second = await browser.tab(alice.context, address(relay))
        await second.open(name("bob"))
        await second.write("From the second")
        await second.sees_state("From the second", "Sent")
        await alice.sees("From the second")
        await alice.page.close()
        await second.write("Alone now")
        await second.sees_state("Alone now", "Sent")
        bob = await browser.person(relay, name("bob"))
        await bob.open(name("alice"))
        await bob.sees("Alone now")
        assert await bob.texts() == ["From the first", "From the second", "Alone now"]
        await second.sees_state("Alone now", "Read")


async def test_a_message_that_is_refused(start):
    relay = start(limits__text_scalars=40)
    async with Browser(network_fails=True) as browser:
        # Without the part that counts characters, the page sends what the relay then refuses.
        device = await browser.device(service_workers="block")
        await device.route("**/app-write.js*", lambda route: route.abort())
        alice = await browser.tab(device, address(relay, relay.token("alice")))
        bob = await browser.person(relay, "bob")
        await alice.meet("bob")
        await alice.write("Short")
        await bob.open("alice")
        long = "This is much longer than the relay takes of anybody"
        await alice.write(long)
        row = await alice.sees(long)
        problem = row.get_by_role("alert")
        await problem.get_by_text(re.compile("^Not sent: .* too long")).wait_for()
        await alice.sees_state(long, "Not sent")
        await alice.shot("refused")
        # Nothing would be different the next time.
        assert await problem.get_by_role("button", name="Try again").count() == 0
        await problem.get_by_role("button", name="Edit").click()
        assert await alice.field.input_value() == long
        await alice.write("Shorter")
        await bob.sees("Shorter")
        await alice.write(long)
        await (await alice.sees(long)).get_by_role("button", name="Discard").click()
        await until(lambda: counted(alice.message(long), 0), "nothing is left of it")
        await alice.write("The end")
        await bob.sees("The end")
        assert await bob.texts() == ["Short", "Shorter", "The end"] == await alice.texts()


# Tokens


async def test_the_token_is_gone_from_the_address_and_kept_until_signing_out(relay, name):
    async with Browser() as browser:
        alice = await browser.person(relay, name("alice"))
        await alice.live()
        assert alice.page.url == address(relay)
        # Going back doesn't bring it, either.
        assert await alice.page.evaluate("history.length") <= 2
        await alice.page.reload()
        await alice.live()
        account = await alice.settings("Account")
        await account.get_by_role("button", name="Sign out", exact=True).click()
        await alice.page.locator("#confirm").get_by_role("button", name="Sign out").click()
        await alice.page.get_by_role("heading", name="You’re signed out").wait_for()
        await alice.shot("signed-out")
        await until(lambda: nothing_is_left(alice), "nothing of the user is left")
        await alice.page.reload()
        await alice.page.get_by_text("roost link --user NAME").wait_for()


async def nothing_is_left(person):
    kept = await what_is_kept(person)
    return "alice" not in kept and "eyJ" not in kept


async def what_is_kept(person):
    """Everything that the browser has stored for the page, but for its cache."""
    return await person.page.evaluate("""async () => {
        const texts = [];
        for (const { name } of await indexedDB.databases()) {
            const open = await new Promise((resolve, reject) => {
                const request = indexedDB.open(name);
                request.onsuccess = () => resolve(request.result);
                request.onerror = () => reject(request.error);
            });
            for (const store of open.objectStoreNames) texts.push(JSON.stringify(await new Promise((resolve) => {
                const request = open.transaction(store).objectStore(store).getAll();
                request.onsuccess = () => resolve(request.result);
            })));
            open.close();
        }
        return JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]) + texts.join();
    }""")


async def test_without_a_token_the_page_says_what_to_do(relay, tmp_path):
    async with Browser() as browser:
        person = await browser.tab(await browser.device(), address(relay))
        await person.page.get_by_text("roost link --user NAME").wait_for()
        await person.shot("start")
        for broken in ("nonsense", "a.b.c", relay.token("alice")[:60], ""):
            other = await browser.tab(await browser.device(), address(relay) + "#token=" + broken)
            await other.page.get_by_role("heading", name="This link is incomplete").wait_for()
            assert other.page.url == address(relay)


async def test_an_expired_or_refused_token(start):
    relay = start()
    async with Browser(network_fails=True) as browser:
        late = await browser.person(relay, "alice", token=relay.token("alice", seconds=-60))
        await late.page.get_by_role("heading", name="This link has expired").wait_for()
        await late.page.get_by_text("roost link --user alice").wait_for()
        await late.shot("expired")
        forged = relay.token("mallory")
        forged = forged[:-4] + ("AAAA" if forged[-4:] != "AAAA" else "BBBB")
        mallory = await browser.person(relay, "mallory", token=forged)
        await mallory.page.locator("#banner").get_by_text("Your link no longer works.").wait_for()
        await mallory.page.locator("#banner").get_by_text("roost link --user mallory").wait_for()
        # A good one that ends earlier than the refused one says of itself.
        await mallory.page.goto(address(relay, relay.token("mallory", seconds=600)))
        await mallory.meet("carol")
        await mallory.write("Here I am")
        await mallory.sees_state("Here I am", "Sent")
        # A token ends while it is used. Messages here can still be read, and typed text is kept.
        bob = await browser.person(relay, "bob", token=relay.token("bob", seconds=6))
        await bob.meet("carol")
        await bob.write("In time")
        await bob.sees_state("In time", "Sent")
        await bob.page.locator("#banner").get_by_text("Your link has expired.").wait_for()
        await bob.write("Too late")
        await bob.page.locator("#banner").get_by_text("1 message is waiting.").wait_for()
        await bob.shot("expired-later")
        # A new link of the same user goes on where the old one ended.
        await bob.page.goto(address(relay, relay.token("bob")))
        await bob.open("carol")
        await bob.sees_state("Too late", "Sent")
        assert await bob.texts() == ["In time", "Too late"]
        # An operator ends it.
        operator = await relay.operator()
        await operator.call("admin.revoke", user="bob")
        await bob.page.locator("#banner").get_by_text("Your link no longer works.").wait_for()


async def test_a_link_of_somebody_else(relay, name):
    async with Browser() as browser:
        alice = await browser.person(relay, name("alice"))
        await alice.meet(name("carol"))
        await alice.write("A secret of Alice's")
        await alice.sees_state("A secret of Alice's", "Sent")
        # In the same tab: another user, who sees nothing of the first one's.
        await alice.page.goto(address(relay, relay.token(name("bob"))))
        await alice.page.locator("#me-name", has_text=name("bob")).wait_for()
        await alice.live()
        assert alice.page.url == address(relay)
        assert await alice.page.get_by_text("A secret").count() == 0
        assert await alice.page.locator(".conversation").count() == 0
        # In a second tab: both go on side by side, each also after a reload.
        second = await browser.tab(alice.context, address(relay, relay.token(name("alice"))))
        await second.meet(name("bob"))
        await second.write("Hello from the other tab")
        await alice.open(name("alice"))
        await second.sees_state("Hello from the other tab", "Read")
        for person, user in ((alice, name("bob")), (second, name("alice"))):
            await person.page.reload()
            await person.page.locator("#me-name", has_text=user).wait_for()
            await person.sees("Hello from the other tab")


# The service worker


async def test_the_page_opens_without_the_relay(start):
    relay = start()
    async with Browser(network_fails=True) as browser:
        alice = await browser.person(relay, "alice")
        await alice.live()
        await kept(alice)
        relay.kill()
        await alice.page.reload()
        await alice.page.locator("#me-name", has_text="alice").wait_for()
        await alice.page.get_by_text("Can’t reach the server.").wait_for()
        again = await browser.tab(alice.context, address(relay))
        await again.page.locator("#me-name", has_text="alice").wait_for()


async def test_a_relay_that_hangs_keeps_nobody_waiting(relay, name):
    async with Browser(network_fails=True) as browser, Cable(relay) as cable:
        alice = await browser.tab(await browser.device(), address(cable, relay.token(name("alice"))))
        await alice.live()
        await kept(alice)
        await cable.cut()
        ends = []
        silent = await asyncio.start_server(lambda _, writer: ends.append(writer), "127.0.0.1", cable.port)
        try:
            await alice.page.reload()
            await alice.page.locator("#me-name", has_text=name("alice")).wait_for()
        finally:
            silent.close()
            for end in ends:
                end.transport.abort()


async def test_the_worker_goes_when_the_page_goes(start):
    relay = start()
    async with Browser(network_fails=True) as browser:
        alice = await browser.person(relay, "alice")
        await alice.live()
        await kept(alice)
        port = relay.port
        relay.stop()
        relay.start(listen__port=port, listen__page="off")
        await alice.page.reload()
        await alice.page.get_by_text("Clients connect by WebSocket").wait_for()

        async def gone():
            return await alice.page.evaluate("""async () => (await caches.keys()).length === 0
                && (await navigator.serviceWorker.getRegistrations()).length === 0""")
        await until(gone, "the end of the worker")


async def test_nothing_else_goes_through_the_worker(start):
    relay = start()
    async with Browser(network_fails=True) as browser:
        alice = await browser.person(relay, "alice")
        await kept(alice)
        for path in ("/healthz", "/admin", "/metrics", "/app.js", "/v1/socket"):
            answer = await alice.page.evaluate("async (path) => (await fetch(path)).status", path)
            assert answer == relay.get(path)[0], path
        relay.kill()
        for path in ("/healthz", "/admin", "/app.js"):
            assert await alice.page.evaluate("path => fetch(path).then(() => 'kept', () => 'failed')", path) == "failed"
