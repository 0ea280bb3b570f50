"""Pages of apps that come from another origin than the relay: the examples of Docs/Clients.md, as they stand there, in
headless Chromium, and `<roost-chat>`; and the folder for npm."""

import contextlib
import functools
import http.server
import json
import re
import shutil
import subprocess
import threading

import pytest

from harness.browser import SCREENSHOTS, Browser
from harness.chromium import CHROMIUM
from harness.relay import REPOSITORY
from harness.waiting import PATIENCE

PAGE = (REPOSITORY / "Docs/Clients.md").read_text()
LIST, ELEMENT = re.findall(r"```html\n(.*?)```", PAGE, re.DOTALL)

browser_only = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")


class App(http.server.BaseHTTPRequestHandler):
    """A backend: one page, and a token for its signed-in user."""

    def __init__(self, page, token, *arguments):
        self.page, self.give = page, token
        super().__init__(*arguments)

    def do_GET(self):
        found = {"/": ("text/html; charset=utf-8", self.page), "/token": ("text/plain", self.give)}.get(self.path)
        body = found[1]().encode() if found else b""
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", found[0] if found else "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def app(relay, example, user):
    """Serves an example at another origin. Yields its address."""
    page = example.replace("127.0.0.1:8080", f"127.0.0.1:{relay.port}")
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(App, lambda: page, lambda: relay.token(user)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://localhost:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def listing(start):
    return start(listen__origins="http://localhost:*", presence__grace_seconds=1)


@browser_only
async def test_the_page_with_a_list_and_a_timeline(listing):
    bob = await listing.device("bob")
    await bob.send("@alice", "Hello Alice")
    async with Browser(network_fails=True) as browser:
        with app(listing, LIST, "alice") as address:
            page = (await browser.tab(await browser.device(), address)).page
            await page.get_by_role("button", name="bob (1)").click()
            await page.locator("#timeline").get_by_text("bob: Hello Alice").wait_for()
            await page.get_by_label("Message").fill("Hello Bob")
            await page.get_by_role("button", name="Send").click()
            sent = await bob.event("message", sender="alice")
            assert sent["body"] == "Hello Bob"
            await bob.call("ack", position=sent["position"])
            await page.locator("#timeline").get_by_text("alice: Hello Bob delivered").wait_for()
            await page.get_by_role("button", name="bob", exact=True).wait_for()
            await bob.tell("typing", to="@alice")
            await page.locator("#timeline").get_by_text("bob is typing").wait_for()
            # Typed text is there again after a reload, and a message sent while the relay is away comes later.
            await page.get_by_label("Message").fill("Half a")
            listing.kill()
            await page.get_by_role("button", name="Send").click()
            await page.locator("#timeline").get_by_text("alice: Half a sending").wait_for()
            listing.start(listen__port=listing.port)
            await page.locator("#timeline").get_by_text("alice: Half a sent").wait_for()


@browser_only
@pytest.mark.parametrize("width", [1100, 390])
async def test_the_element(listing, width):
    bob = await listing.device("bob")
    await bob.send("@alice", "Where is my parcel?\n<b>1207</b>")
    async with Browser(network_fails=True) as browser:
        with app(listing, ELEMENT, "alice") as address:
            page = (await browser.tab(await browser.device(width=width), address)).page
            log = page.get_by_role("log")
            await log.get_by_text("Where is my parcel?").wait_for()
            assert await log.locator("b").count() == 0, "texts are never markup"
            await bob.event("receipt", user="alice", read=1)
            await page.get_by_label("Message").fill("On its way")
            await page.keyboard.press("Enter")
            sent = await bob.event("message", sender="alice")
            assert sent["body"] == "On its way"
            await bob.call("ack", position=sent["position"])
            await log.get_by_text(re.compile("Delivered$")).wait_for()
            assert await page.get_by_label("Message").input_value() == ""
            for state in ("Half a text", ""):
                await page.get_by_label("Message").fill(state)
            row = await log.locator("[data-id]").first.element_handle()
            await bob.tell("typing", to="@alice")
            await page.get_by_role("status").get_by_text("bob is typing").wait_for()
            assert await row.evaluate("row => row.isConnected"), "what stays the same stays in place"
            await page.screenshot(path=SCREENSHOTS / f"element-{width}.png")
            # Elsewhere in the page it goes on; outside of it, it lets go.
            await page.evaluate("const one = document.querySelector('roost-chat'); document.body.prepend(one)")
            await bob.send("@alice", "Thanks")
            await log.get_by_text("Thanks").wait_for()
            await bob.event("receipt", user="alice", read=3)
            await bob.call("watch", users=["alice"])
            await page.evaluate("document.querySelector('roost-chat').remove()")
            await bob.presence("alice", "offline")


@browser_only
async def test_the_element_speaks_the_language_of_its_page(listing):
    bob = await listing.device("bob")
    await bob.send("@alice", "Where is my parcel?")
    async with Browser(network_fails=True) as browser:
        with app(listing, ELEMENT.replace('lang="en"', 'lang="de-AT"'), "alice") as address:
            page = (await browser.tab(await browser.device(), address)).page
            log = page.get_by_role("log")
            await log.get_by_text("Where is my parcel?").wait_for()
            await page.get_by_label("Nachricht").fill("On its way")
            await page.get_by_role("button", name="Senden").click()
            await log.get_by_text(re.compile("(Gesendet|Zugestellt|Gelesen)$")).wait_for()
            await bob.tell("typing", to="@alice")
            await page.get_by_role("status").get_by_text("bob schreibt …").wait_for()
            # Its own attribute comes first, and changes what is there; an app's words come before all.
            await page.evaluate("document.querySelector('roost-chat').lang = 'en'")
            await page.get_by_role("button", name="Send", exact=True).wait_for()
            await log.get_by_text(re.compile("(Sent|Delivered|Read)$")).wait_for()
            await page.evaluate("document.querySelector('roost-chat').words = { send: 'Envoyer' }")
            await page.get_by_role("button", name="Envoyer").wait_for()
            await page.get_by_label("Message").wait_for()


@browser_only
async def test_an_origin_that_is_not_listed(start):
    relay = start(listen__origins="http://chat.example.org")
    async with Browser(network_fails=True) as browser:
        with app(relay, ELEMENT, "alice") as address:
            page = (await browser.tab(await browser.device(), address)).page
            await page.get_by_role("status").get_by_text("Connecting…").wait_for()
            assert await page.get_by_label("Message").is_disabled()
    assert "origin.refused" in relay.log()


async def test_origins_of_web_views(start):
    origins = ["capacitor://localhost", "https://tauri.localhost",
               "chrome-extension://aapbdbdomjkkjkaonfhkkikfgjllcleb", "http://[::1]:*", "https://chat.example.org:443"]
    relay = start(listen__origins=",".join(origins))
    for origin in [*origins[:3], "http://[::1]:3000", "https://chat.example.org"]:
        await relay.connect(origin=origin)
    for origin in ["null", "capacitor://localhost.evil", "chrome-extension://b", "http://[::2]:3000", "file://"]:
        with pytest.raises(Exception, match="403"):
            await relay.connect(origin=origin)


@pytest.mark.skipif(shutil.which("npm") is None or shutil.which("esbuild") is None, reason="there is no npm or esbuild")
def test_the_folder_for_npm(tmp_path):
    subprocess.run(["Scripts/js"], cwd=REPOSITORY, check=True, capture_output=True, timeout=PATIENCE)
    made = REPOSITORY / ".build/js"
    about = json.loads((made / "package.json").read_text())
    (pack,) = made.glob("roost-client-*.tgz")
    assert pack.name == f"roost-client-{about['version']}.tgz"
    listed = subprocess.run(["tar", "tzf", pack], check=True, capture_output=True, text=True).stdout.split()
    for export in about["exports"].values():
        for path in export.values():
            assert path.replace("./", "package/") in listed
    # An app installs it, and runs what a package promises.
    (tmp_path / "package.json").write_text('{"type": "module"}')
    subprocess.run(["npm", "install", "--offline", "--no-audit", "--no-fund", pack], cwd=tmp_path, check=True,
                   capture_output=True, timeout=PATIENCE)
    (tmp_path / "app.js").write_text("""
        import * as roost from "roost-client";
        import { People } from "roost-client/people";
        import { Talk } from "roost-client/talk";
        console.log(Object.keys(roost).sort().join(), typeof People, typeof Talk);
    """)
    said = subprocess.run(
        ["node", "app.js"], cwd=tmp_path, check=True, capture_output=True, text=True, timeout=PATIENCE)
    assert said.stdout == "Roost,RoostError,sentences function function\n"
