"""An app with accounts: RoostAccounts signs people up and in, and RoostKit gets its tokens from it."""

import asyncio
import contextlib
import http.client
import http.server
import json
import os
import shutil
import socket as sockets
import textwrap
import threading

import pytest

from harness.kit import DRIVER, App
from harness.relay import REPOSITORY
from harness.waiting import until

PASSWORD = "correct horse"
ACCESS_SECONDS = 4


@pytest.fixture
def both(start_services, start):
    """A services process and a relay that trusts its keys, each of which knows the other."""
    def both(**settings):
        with sockets.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            port = taken.getsockname()[1]
        services = start_services(services__relay_url=f"ws://127.0.0.1:{port}/v1/socket", **settings)
        return services, start(auth__public_keys=services.data / "keys.json", listen__port=port)
    return both


def kept(path):
    """The tokens that an app has kept; none if there is no file."""
    with contextlib.suppress(FileNotFoundError):
        return json.loads(path.read_text())
    return None


async def connect(app, other):
    await app.call("connect")
    await app.until(lambda: app.session.get("isUpToDate"))
    await app.call("open", **{"with": "@" + other})


async def test_tokens_are_renewed_while_messages_flow(both, tmp_path):
    services, relay = both(tokens__access_seconds=ACCESS_SECONDS)
    apps = {}
    for name in ("ann", "bob"):
        app = apps[name] = await App.with_accounts(relay, services, tmp_path / name)
        await app.call("signUp", email=f"{name}@example.org", password=PASSWORD, name=name.title())
    users = {name: kept(tmp_path / f"{name}.tokens")["user"] for name in apps}
    assert apps["ann"].account["signedIn"] == users["ann"]
    assert os.stat(tmp_path / "ann.tokens").st_mode & 0o777 == 0o600
    await connect(apps["ann"], users["bob"])
    await connect(apps["bob"], users["ann"])
    sent, tokens = {"ann": [], "bob": []}, set()
    # Until the first token of each has been replaced four times.
    while len(tokens) < 10 or len(sent["ann"]) < 20:
        for name, app in apps.items():
            sent[name].append(f"{name} {len(sent[name])}")
            await app.call("send", text=sent[name][-1])
            tokens.add((name, kept(tmp_path / f"{name}.tokens")["refresh"]))
        await asyncio.sleep(0.1)
    for app in apps.values():
        await app.until(lambda app=app: app.session["pending"] == 0)
        # It was one connection all the time.
        assert app.states[-1] == "connected" and set(app.states) == {"offline", "connecting", "connected"}, app.states
    tablet = await relay.device(
        users["ann"], device="tablet", token=services.sign_in("ann@example.org", device="tablet")["accessToken"])
    bodies, after = [], 0
    while True:
        page = await tablet.call("history", conversation="@" + users["bob"], after=after, limit=100)
        bodies += [message["body"] for message in page["messages"]]
        if not page["more"]:
            break
        after = page["messages"][-1]["sequence"]
    assert sorted(bodies) == sorted(sent["ann"] + sent["bob"])
    assert [body for body in bodies if body in set(sent["ann"])] == sent["ann"]
    for app in apps.values():
        await app.leave()


async def test_a_killed_app_is_still_signed_in(both, tmp_path):
    services, relay = both(tokens__access_seconds=ACCESS_SECONDS)
    bob = services.sign_up("bob@example.org")["user"]
    app = await App.with_accounts(relay, services, tmp_path / "ann")
    await app.call("signUp", email="ann@example.org", password=PASSWORD, name="Ann")
    await connect(app, bob)
    await app.call("send", text="before")
    before = kept(tmp_path / "ann.tokens")
    # Wherever it is: within an exchange, too.
    await until(lambda: kept(tmp_path / "ann.tokens")["refresh"] != before["refresh"], "an exchange")
    await app.kill()
    await asyncio.sleep(ACCESS_SECONDS)
    app = await App.with_accounts(relay, services, tmp_path / "ann")
    await connect(app, bob)
    await app.call("send", text="after")
    await app.until(lambda: app.session["pending"] == 0 and len(app.items) == 2)
    after = kept(tmp_path / "ann.tokens")
    assert (after["session"], after["user"]) == (before["session"], before["user"])
    await app.call("profile")
    assert app.account["profile"] == "Ann"
    await app.leave()


async def test_an_app_and_its_extension_renew_at_once(both, tmp_path):
    services, relay = both()
    app = await App.with_accounts(relay, services, tmp_path / "ann")
    await app.call("signUp", email="ann@example.org", password=PASSWORD, name="Ann")
    shutil.copy(tmp_path / "ann.tokens", tmp_path / "extension.tokens")
    extension = await App.with_accounts(relay, services, tmp_path / "extension")
    for _ in range(20):
        before = kept(tmp_path / "ann.tokens")["refresh"]
        await asyncio.gather(app.call("renew"), extension.call("renew"))
        found = [kept(tmp_path / f"{name}.tokens")["refresh"] for name in ("ann", "extension")]
        assert found[0] == found[1] != before
    for one in (app, extension):
        await one.call("profile")
        assert one.account["profile"] == "Ann"
        await one.leave()


async def test_signing_out_ends_the_session(both, tmp_path):
    services, relay = both()
    bob = services.sign_up("bob@example.org")["user"]
    app = await App.with_accounts(relay, services, tmp_path / "ann")
    await app.call("signUp", email="ann@example.org", password=PASSWORD, name="Ann")
    token = kept(tmp_path / "ann.tokens")["access"]
    await connect(app, bob)
    await app.call("signOut")
    await app.until(lambda: app.session.get("connection") == "offline" and "signedOut" in app.account)
    assert app.account["signedOut"] == "asked" and kept(tmp_path / "ann.tokens") is None
    assert services.get("/v1/account", token=token).status == 401
    number = app.say("profile")
    await app.until(lambda: number in app.done)
    assert "signedOut" in app.done[number]["failed"]
    # The same app, and another session.
    await app.call("signIn", email="ann@example.org", password=PASSWORD)
    await connect(app, bob)
    await app.leave()


async def test_an_app_that_is_signed_out_elsewhere_finds_out(both, tmp_path):
    services, relay = both()
    app = await App.with_accounts(relay, services, tmp_path / "ann")
    await app.call("signUp", email="ann@example.org", password=PASSWORD, name="Ann")
    await connect(app, services.sign_up("bob@example.org")["user"])
    laptop = services.sign_in("ann@example.org", device="laptop")
    assert services.delete("/v1/sessions", token=laptop["accessToken"]).status == 204
    await app.until(lambda: "signedOut" in app.session["connection"])
    assert kept(tmp_path / "ann.tokens") is not None
    number = app.say("renew")
    await app.until(lambda: number in app.done and "signedOut" in app.account)
    assert app.account["signedOut"] == "ended" and kept(tmp_path / "ann.tokens") is None
    await app.leave()


async def test_a_deleted_account_leaves_nothing_in_the_app(both, tmp_path):
    services, relay = both()
    app = await App.with_accounts(relay, services, tmp_path / "ann")
    await app.call("signUp", email="ann@example.org", password=PASSWORD, name="Ann")
    await app.call("changePassword", password=PASSWORD, new="battery staple")
    number = app.say("deleteAccount", password=PASSWORD)
    await app.until(lambda: number in app.done)
    assert "invalid_credentials" in app.done[number]["failed"] and kept(tmp_path / "ann.tokens") is not None
    await app.call("deleteAccount", password="battery staple")
    await app.until(lambda: "signedOut" in app.account)
    assert app.account["signedOut"] == "deleted" and kept(tmp_path / "ann.tokens") is None
    assert services.sign_in("ann@example.org", "battery staple").status == 401
    await app.leave()


@contextlib.contextmanager
def losing_proxy(services, lost):
    """Passes requests on, and loses the answers to the exchanges whose numbers, from 1, are named. Yields its address,
    and the list of exchanges: what came back for each."""
    exchanges = []

    class Proxy(http.server.BaseHTTPRequestHandler):
        def pass_on(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            connection = http.client.HTTPConnection("127.0.0.1", services.port, timeout=10)
            connection.request(self.command, self.path, body=body or None, headers={
                name: value for name, value in self.headers.items() if name in ("Authorization", "Content-Type")})
            answer = connection.getresponse()
            content = answer.read()
            connection.close()
            self.close_connection = True
            if self.path == "/v1/sessions/refresh":
                exchanges.append(answer.status)
                if len(exchanges) in lost:
                    return
            self.send_response(answer.status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_DELETE = pass_on

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", exchanges
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


async def test_a_lost_answer_signs_nobody_out(both, tmp_path):
    services, relay = both()
    with losing_proxy(services, lost={1, 3}) as (url, exchanges):
        app = await App.run([DRIVER, App.url(relay), url, tmp_path / "ann", "phone"])
        await app.call("signUp", email="ann@example.org", password=PASSWORD, name="Ann")
        for count in (2, 4, 5):
            await app.call("renew")
            assert exchanges == [200] * count
        await connect(app, services.sign_up("bob@example.org")["user"])
        await app.leave()
    assert "signedOut" not in app.account
    # Both at once: the app gives up for now. Killed, it asks for the same exchange when it is started again.
    with losing_proxy(services, lost={1, 2}) as (url, exchanges):
        app = await App.run([DRIVER, App.url(relay), url, tmp_path / "ann", "phone"])
        number = app.say("renew")
        await app.until(lambda: number in app.done)
        assert "unreachable" in app.done[number]["failed"] and exchanges == [200, 200]
        await app.kill()
        app = await App.run([DRIVER, App.url(relay), url, tmp_path / "ann", "phone"])
        await app.call("renew")
        assert exchanges == [200, 200, 200] and "signedOut" not in app.account
        await app.leave()


async def test_services_that_are_away_end_nothing(both, tmp_path):
    services, relay = both(tokens__access_seconds=ACCESS_SECONDS)
    bob = services.sign_up("bob@example.org")["user"]
    app = await App.with_accounts(relay, services, tmp_path / "ann")
    await app.call("signUp", email="ann@example.org", password=PASSWORD, name="Ann")
    await connect(app, bob)
    before = kept(tmp_path / "ann.tokens")
    port = services.port
    services.kill()
    await asyncio.sleep(ACCESS_SECONDS + 1)
    assert kept(tmp_path / "ann.tokens")["session"] == before["session"] and "signedOut" not in app.account
    services.start(services__port=port)
    await app.call("send", text="back")
    await app.until(lambda: app.session["pending"] == 0 and app.session["connection"] == "connected")
    assert kept(tmp_path / "ann.tokens")["session"] == before["session"]
    await app.leave()


def test_the_example_of_the_page_is_compiled():
    page = (REPOSITORY / "Docs/Clients.md").read_text()
    section = page[page.index("## Accounts in an app"):]
    example = section[section.index("```swift\n") + 9:section.index("\n```\n")]
    compiled = (REPOSITORY / "Tests/RoostKitTests/Articles/AccountsArticleTests.swift").read_text()
    assert textwrap.indent(example, "    ") in compiled
