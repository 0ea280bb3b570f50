"""A page that stays open while the relay gets a newer one, and a draft that its tabs and other devices see."""

import asyncio
import contextlib
import re

import pytest

from harness.browser import Browser, address
from harness.cable import Cable
from harness.chromium import CHROMIUM
from harness.waiting import until

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")


class Renewed(Cable):
    """The network to a relay whose page may become a newer one: the same files under another version."""

    def __init__(self, relay):
        super().__init__(relay)
        page = relay.get("/", Accept="text/html", Accept_Encoding="identity")[2]
        self.old = re.search(r"/app\.js\?([0-9a-f]{32})", page)[1]
        self.new = self.old[::-1]
        self.is_newer = False

    async def connected(self, reader, writer):
        self.passing.add(asyncio.current_task())
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            if b"GET /v1/socket" in head or not self.is_newer:
                await self.passed(head, reader, writer)
            else:
                await self.answered(head, writer)
        except (OSError, asyncio.IncompleteReadError):
            writer.transport.abort()
        finally:
            self.passing.discard(asyncio.current_task())

    async def passed(self, head, reader, writer):
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.relay.port)
        # One request on each connection, so that each sees which version there is.
        if b"GET /v1/socket" not in head:
            head = head.replace(b"Connection: keep-alive", b"Connection: close")
        far_writer.write(head)
        ends = {writer, far_writer}
        self.ends |= ends
        await asyncio.gather(self.copy(reader, far_writer), self.copy(far_reader, writer))
        self.ends -= ends

    async def answered(self, head, writer):
        """Returns the answer of a relay with the newer page."""
        method, path = head.decode().split(" ")[:2]
        named = path.partition("?")[2]
        path = path.replace(named, {self.new: self.old, self.old: self.new}.get(named, named)) if named else path
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.relay.port)
        headers = [line for line in head.decode().split("\r\n")[1:]
                   if not re.match(r"(?i)accept-encoding|if-none-match|connection|$", line)]
        far_writer.write("\r\n".join([f"{method} {path} HTTP/1.1", *headers, "Connection: close", "", ""]).encode())
        answer = await far_reader.read()
        far_writer.close()
        with contextlib.suppress(OSError):
            writer.write(answer.replace(self.old.encode(), self.new.encode()))
            await writer.drain()
        writer.close()


async def caches(person):
    return await person.page.evaluate("caches.keys()")


async def kept(person, version):
    await until(lambda: person.page.evaluate("""async (version) => {
        const cache = await caches.open(`roost-page-${version}`);
        return await cache.match("/") !== undefined && navigator.serviceWorker.controller !== null;
    }""", version), "a copy of the page")


async def parts(person):
    """The versions of all parts that a page has asked for."""
    names = await person.page.evaluate("performance.getEntriesByType('resource').map((one) => one.name)")
    return {found[1] for found in (re.search(r"\.js\?([0-9a-f]{32})$", name) for name in names) if found}


async def test_an_open_page_gets_the_parts_of_its_own_version(start):
    relay = start()
    async with Browser(network_fails=True) as browser, Renewed(relay) as cable:
        alice = await browser.tab(await browser.device(), address(cable, relay.token("alice")))
        await alice.live()
        await kept(alice, cable.old)
        cable.is_newer = True
        second = await browser.tab(alice.context, address(cable))
        await second.live()
        await kept(second, cable.new)
        await until(lambda: second.page.evaluate(
            "navigator.serviceWorker.controller.state === 'activated'"), "the newer worker")
        assert await parts(second) == {cable.new}
        assert set(await caches(second)) == {f"roost-page-{cable.old}", f"roost-page-{cable.new}"}
        banner = alice.page.locator("#banner")
        await banner.get_by_text("There’s a new version of this page.").wait_for()
        # A part that hasn't been loaded yet, also without the relay.
        await cable.cut()
        pane = await alice.settings("Privacy")
        await until(lambda: alice.page.evaluate(
            "performance.getEntriesByType('resource').some((one) => one.name.includes('app-settings'))"), "the part")
        assert await parts(alice) == {cable.old}
        await pane.get_by_label("Read receipts").wait_for()
        await alice.page.get_by_role("button", name="Back to conversations").click()
        await cable.mend()
        await banner.get_by_role("button", name="Reload").click()
        await alice.live()
        assert await parts(alice) == {cable.new}
        await banner.wait_for(state="hidden")
        # The older copy isn't in use any more.
        await second.page.reload()
        await second.live()

        async def is_clean():
            return await caches(second) == [f"roost-page-{cable.new}"]
        await until(is_clean, "one copy")


async def test_without_a_copy_the_page_says_that_there_is_a_newer_one(start):
    relay = start()
    async with Browser(network_fails=True) as browser, Renewed(relay) as cable:
        device = await browser.device()
        await device.add_init_script(
            "Object.defineProperty(Navigator.prototype, 'serviceWorker', { value: undefined })")
        alice = await browser.tab(device, address(cable, relay.token("alice")))
        await alice.live()
        await until(lambda: alice.page.evaluate(
            "performance.getEntriesByType('resource').some((one) => one.name.includes('app-people'))"), "the part")
        cable.is_newer = True
        await alice.page.get_by_role("button", name="People").first.click()
        await alice.page.locator("#banner").get_by_text("There’s a new version of this page.").wait_for()
        await alice.page.keyboard.press("Escape")
        await alice.page.locator("#banner").get_by_role("button", name="Reload").click()
        await alice.live()
        assert await parts(alice) == {cable.new}


async def test_a_draft_is_in_all_tabs_and_goes_with_its_text_alone(relay, name):
    async with Browser() as browser:
        alice = await browser.person(relay, name("alice"))
        await alice.meet(name("bob"))
        await alice.write("Hello")
        await alice.sees_state("Hello", "Sent")
        second = await browser.tab(alice.context, address(relay))
        await second.open(name("bob"))
        # No field has the focus there.
        await second.page.evaluate("document.activeElement.blur()")
        await alice.field.press_sequentially("A long thought, and its end")

        async def shows(person, words):
            return await person.field.input_value() == words
        await until(lambda: shows(second, "A long thought, and its end"), "the draft in the other tab")
        await second.page.bring_to_front()
        await second.field.press("Enter")
        await second.sees_state("A long thought, and its end", "Sent")
        await alice.page.evaluate("document.activeElement.blur()")
        await alice.page.reload()
        await alice.sees("A long thought, and its end")
        assert await shows(alice, "")


async def test_a_draft_is_on_all_devices_and_goes_with_its_text_alone(relay, name):
    words = "A long thought, and its end"

    async def shows(person, words):
        return await person.field.input_value() == words
    async with Browser() as browser, Browser() as other:
        alice = await browser.person(relay, name("alice"))
        await alice.meet(name("bob"))
        await alice.write("Hello")
        await alice.sees_state("Hello", "Sent")
        phone = await other.person(relay, name("alice"))
        await phone.open(name("bob"))
        # The field has the focus there, and is empty.
        await phone.field.focus()
        await alice.field.press_sequentially(words)
        await until(lambda: shows(phone, words), "the draft on the other device")
        await phone.field.press_sequentially("!")
        await until(lambda: shows(alice, f"{words}!"), "what was typed on")
        await phone.field.press("Enter")
        await phone.sees_state(f"{words}!", "Sent")
        assert await shows(phone, "")
        await until(lambda: shows(alice, ""), "the end of the draft")
        # Nor does it come back.
        await alice.page.reload()
        await alice.sees(f"{words}!")
        assert await shows(alice, "")
