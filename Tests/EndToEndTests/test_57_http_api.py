"""A backend of one's own speaks HTTP with an API key: it acts for users, and nothing it says is said twice."""

import asyncio
import http.client
import itertools
import json
import os
import random
import re
import signal
import socket as sockets
import sqlite3
import subprocess
import sys

import jsonschema
import pytest
import yaml

from harness.relay import REPOSITORY
from harness.up import free_port
from harness.waiting import until

PAGES = yaml.safe_load((REPOSITORY / "Docs/openapi.yaml").read_text())
WORDS = ("send", "conversations", "read", "presence", "users", "sessions", "erase")
COMMANDS = (
    ("send", "messages"), ("send", "messages/edit"), ("send", "messages/delete"), ("send", "messages/react"),
    ("read", "messages/history"), ("send", "signals"), ("conversations", "conversations"),
    ("conversations", "conversations/get"), ("conversations", "conversations/list"),
    ("conversations", "conversations/members"), ("conversations", "conversations/rename"),
    ("conversations", "conversations/add"), ("conversations", "conversations/remove"),
    ("conversations", "conversations/role"), ("conversations", "conversations/leave"), ("presence", "presence"),
    ("conversations", "conversations/ban"), ("conversations", "conversations/unban"),
    ("conversations", "conversations/bans"), ("conversations", "conversations/timeout"),
    ("conversations", "conversations/posting"), ("conversations", "conversations/joining"),
    ("conversations", "joins/list"), ("conversations", "joins/accept"), ("conversations", "joins/refuse"),
    ("conversations", "invites"), ("conversations", "invites/list"), ("conversations", "invites/revoke"),
    ("conversations", "invites/open"),
    ("sessions", "sessions/disconnect"), ("sessions", "sessions/revoke"), ("erase", "erase/messages"),
    ("erase", "erase/messages/state"), ("erase", "erase/conversation"))


class Backend:
    """A program with an API key."""

    def __init__(self, services, name="shop", scope=None):
        made = services.command("api-key create", name, *(("--scope", scope) if scope else ()))
        assert made.returncode == 0, made.stderr
        self.services = services
        self.key = made.stdout.strip()
        # The paths that have worked.
        self.done = set()

    def ask(self, path, body=None, key=None, **options):
        headers = {"Idempotency-Key": key} if key else {}
        answer = self.services.post(f"/v1/backend/{path}", body, token=self.key, headers=headers, **options)
        self.check(path, answer)
        return answer

    def check(self, path, answer):
        """Checks that the answer fits the document."""
        operation = PAGES["paths"][f"/v1/backend/{path}"]["post"]
        said = operation["responses"].get(str(answer.status)) or operation["responses"]["default"]
        if "$ref" in said:
            said = PAGES["components"]["responses"][said["$ref"].rpartition("/")[2]]
        assert bool(answer.raw) == ("content" in said), (path, answer.raw)
        for content in said.get("content", {}).values():
            jsonschema.validate(answer.json, {**content["schema"], "components": PAGES["components"]})
        if answer.status < 300:
            self.done.add(path)

    def must(self, path, body, key=None):
        answer = self.ask(path, body, key)
        assert answer.status < 300, (path, answer.raw)
        return answer.json

    def send(self, user, to, body, key):
        return self.must("messages", {"as": user, "to": to, "body": body}, key)


@pytest.fixture
def both(start_services, start):
    """A services process and a relay that trusts its keys, each of which knows the other."""
    def both(**settings):
        port = free_port()
        services = start_services(services__relay_url=f"ws://127.0.0.1:{port}/v1/socket")
        return services, start(auth__public_keys=services.data / "keys.json", listen__port=port, **settings)
    return both


async def test_requests_at_once_are_bounded(both):
    """Those that have arrived count, and here they wait for a relay that stands still."""
    services, relay = both()
    backend = Backend(services)
    await asyncio.to_thread(backend.must, "presence", {"users": ["ann"]})
    request = (f"POST /v1/backend/presence HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {backend.key}\r\n"
               'Content-Length: 17\r\n\r\n{"users":["ann"]}').encode()
    relay.process.send_signal(signal.SIGSTOP)
    waiting = []
    try:
        for _ in range(64):
            # From another address than ours: one has no more connections than that.
            waiting.append(sockets.create_connection(
                ("127.0.0.1", services.port), timeout=40, source_address=("127.0.0.2", 0)))
            waiting[-1].sendall(request)

        def is_busy():
            answer = services.get("/healthz")
            return answer.code == "busy" and answer.status == 503 and int(answer.headers["Retry-After"]) > 0
        await until(is_busy, "64 requests at once")
        relay.process.send_signal(signal.SIGCONT)
        # Those that were taken are carried out.
        for one in waiting:
            assert (await asyncio.to_thread(one.recv, 4096)).startswith(b"HTTP/1.1 200")
        assert services.get("/healthz").status == 200
    finally:
        relay.process.send_signal(signal.SIGCONT)
        for one in waiting:
            one.close()


# Keys


def test_keys_are_made_shown_once_and_taken_away(start_services):
    services = start_services(services__relay_url=f"ws://127.0.0.1:{free_port()}/v1/socket")
    backend = Backend(services)
    assert re.fullmatch(r"roost_key_[A-Za-z0-9_-]{43}", backend.key)
    assert backend.key.encode() not in services.bytes_on_disk()
    twice = services.command("api-key create", "shop")
    assert twice.returncode == 1 and "already" in twice.stderr and not twice.stdout
    Backend(services, "bot", "send,presence")
    listed = services.command("api-key list").stdout.splitlines()
    assert [line.split()[:2] for line in listed] == [["bot", "presence,send"], ["shop", ",".join(sorted(WORDS))]]
    assert services.command("api-key remove", "shop").returncode == 0
    assert services.command("api-key remove", "shop").returncode == 1
    assert backend.ask("presence", {"users": ["ann"]}).code == "unauthorized"
    for deed, *words in (
            ["create"], ["create", "a", "b"], ["create", "a b"], ["create", "x" * 65], ["list", "a"], ["remove"],
            ["create", "a", "--scope", "all"], ["create", "a", "--scope", ""], ["list", "--scope", "send"], ["make"]):
        assert services.command(f"api-key {deed}", *words).returncode == 2, words
    assert backend.key not in services.log()


def test_a_key_is_good_for_its_words_only(start_services):
    services = start_services(services__relay_url=f"ws://127.0.0.1:{free_port()}/v1/socket")
    for word in WORDS:
        backend = Backend(services, word, word)
        for needed, path in COMMANDS:
            answer = backend.ask(path, {})
            assert (answer.code == "forbidden") == (needed != word), (word, path, answer.raw)
            assert answer.status == 403 or needed == word, (path, answer.raw)
    for token in (None, "x", "roost_key_", "roost_key_" + "A" * 43, "roost_key_" + "A" * 60_000):
        if token and len(token) > 10_000:
            continue
        answer = services.post("/v1/backend/messages", {}, token=token)
        assert (answer.status, answer.code) == (401, "unauthorized")
        assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_a_key_that_may_not_erase_erases_nothing_by_leaving(both):
    services, _ = both()
    backend = Backend(services, "narrow", "conversations")
    group = backend.must(
        "conversations", {"as": "ann", "kind": "group", "name": "Crew", "members": []}, "g1")["conversation"]
    last = {"as": "ann", "conversation": group["conversation"]}
    for more in ({}, {"keep": False}):
        assert backend.ask("conversations/leave", last | more).code == "forbidden"
    assert backend.must("conversations/get", last)
    Backend(services, "wide", "conversations,erase").must("conversations/leave", last)
    assert backend.ask("conversations/get", last).code == "not_found"


# Rights


async def test_a_backend_sends_as_users(both):
    services, relay = both()
    backend = Backend(services)
    ann, bob = await relay.device("ann"), await relay.device("bob")
    first = await asyncio.to_thread(
        backend.ask, "messages", {"as": "ann", "to": "@bob", "body": "grüße 👋", "more": 1}, "k1")
    assert first.status == 201 and first["sequence"] == 1
    got = await bob.event("message")
    assert (got["from"], got["body"], got["position"]) == ("ann", "grüße 👋", first["position"])
    own = await ann.event("message")
    assert (own["device"], own["key"]) == ("api", "k1")
    again = await asyncio.to_thread(
        backend.ask, "messages", {"as": "ann", "to": "@bob", "body": "grüße 👋"}, '"k1"')
    assert again.status == 200 and again.json == first.json | {"duplicate": True}
    other = await asyncio.to_thread(backend.ask, "messages", {"as": "ann", "to": "@bob", "body": "else"}, "k1")
    assert (other.status, other.code) == (409, "conflict")
    # On the socket it is the same key.
    assert (await ann.ask("send", to="@bob", body="grüße 👋", key="k1"))["duplicate"]
    structured = backend.must(
        "messages", {"as": "robot", "to": "@bob", "kind": "card", "body": {"a": [1, None, "x"]}}, "k2")
    got = await bob.event("message", position=structured["position"])
    assert got["body"] == {"a": [1, None, "x"]} and got["from"] == "robot"


async def test_every_command(both):
    services, relay = both()
    backend = Backend(services)
    made = backend.must(
        "conversations", {"as": "host", "kind": "group", "name": "Crew", "members": ["ann", "bob"]}, "g1")
    group = made["conversation"]["conversation"]
    at = {"as": "host", "conversation": group}
    again = backend.ask(
        "conversations", {"as": "host", "kind": "group", "name": "Crew", "members": ["ann", "bob"]}, "g1")
    assert again.status == 200 and again["conversation"]["conversation"] == group
    assert backend.must("conversations/add", at | {"users": ["cem"]}, "a1")["position"]
    assert backend.must("conversations/add", at | {"users": ["cem"]}, "a1")["duplicate"]
    backend.must("conversations/rename", at | {"name": "The Crew"})
    backend.must("conversations/role", at | {"user": "ann", "role": "admin"})
    backend.must("conversations/remove", at | {"users": ["bob"]})
    assert backend.must("conversations/ban", at | {"user": "bob", "reason": "spam"})["position"]
    assert backend.must("conversations/ban", at | {"user": "bob", "reason": "spam"}) == {"duplicate": True}
    [ban] = backend.must("conversations/bans", at)["bans"]
    assert (ban["user"], ban["by"], ban["reason"]) == ("bob", "host", "spam")
    assert backend.ask("conversations/add", at | {"users": ["bob"]}).code == "conflict"
    assert backend.ask("conversations/bans", at | {"as": "cem"}).code == "forbidden"
    backend.must("conversations/unban", at | {"user": "bob"})
    assert backend.must("conversations/bans", at)["bans"] == []
    backend.must("conversations/timeout", at | {"user": "cem", "after": 600_000, "reason": "other"})
    assert backend.ask("messages", {"as": "cem", "to": group, "body": "x"}, "t1").code == "forbidden"
    [timed] = [one for one in backend.must("conversations/members", at)["members"] if one["user"] == "cem"]
    assert timed["timeout"]["reason"] == "other" and timed["timeout"]["until"] > 0
    assert backend.ask("conversations/timeout", at | {"user": "cem", "after": 1}).code == "bad_request"
    backend.must("conversations/timeout", at | {"user": "cem", "after": 0})
    backend.must("conversations/posting", at | {"posting": "admins"})
    assert backend.ask("messages", {"as": "cem", "to": group, "body": "x"}, "t2").code == "forbidden"
    backend.must("conversations/posting", at | {"posting": "all"})
    backend.must("conversations/leave", {"as": "cem", "conversation": group})
    assert backend.must("conversations/get", at)["conversation"]["name"] == "The Crew"
    page = backend.must("conversations/members", at | {"presence": True})
    assert [(one["user"], one["role"]) for one in page["members"]] == [("host", "owner"), ("ann", "admin")]
    assert len(backend.must("conversations/list", {"as": "ann"})["conversations"]) == 1
    sent = backend.send("host", group, "one", "m1")
    message = at | {"sequence": sent["sequence"]}
    backend.must("messages/edit", message | {"body": "two"})
    backend.must("messages/react", message | {"as": "ann", "reaction": "+"})
    history = backend.must("messages/history", at)["messages"]
    assert [(one["body"], one["device"]) for one in history] == [("two", "api")]
    ann = await relay.device("ann")
    backend.must("signals", {"as": "host", "to": group, "body": "now"})
    assert (await ann.event("signal"))["from"] == "host"
    backend.must("messages/delete", message)
    assert "body" not in backend.must("messages/history", at)["messages"][0]

    invite = backend.must("invites", at | {"uses": 2})["invite"]
    joined = backend.must("invites/open", {"as": "dora", "code": invite["code"]})
    assert joined == {"conversation": {"conversation": group, "kind": "group"}}
    assert backend.must("invites/open", {"as": "dora", "code": invite["code"]})["duplicate"]
    [listed] = backend.must("invites/list", {"as": "host"})["invites"]
    assert listed["used"] == 1 and "code" not in listed
    assert backend.must("conversations/joining", at | {"joining": "ask"})["position"]
    for user in ("fay", "gus"):
        asked = backend.must("invites/open", {"as": user, "code": invite["code"]})
        assert set(asked) == {"waiting", "expires"} and asked["waiting"] is True
    assert [one["user"] for one in backend.must("joins/list", at)["joins"]] == ["fay", "gus"]
    assert backend.must("joins/list", {"as": "fay"})["joins"][0]["group"] == "The Crew"
    assert backend.must("joins/refuse", at | {"user": "gus"}) == {}
    assert backend.must("joins/accept", at | {"user": "fay"})["position"]
    assert backend.ask("joins/accept", at | {"user": "gus"}).code == "not_found"
    backend.must("invites/revoke", {"as": "host", "invite": invite["invite"]})
    assert backend.ask("invites/open", {"as": "emil", "code": invite["code"]}).code == "not_found"

    def states():
        found = backend.must("presence", {"users": ["ann", "host", "nobody"]})["users"]
        return [(one["user"], one["state"]) for one in found]
    await until(
        lambda: states() == [("ann", "online"), ("host", "offline"), ("nobody", "offline")], "ann is shown as online")
    assert backend.must("sessions/disconnect", {"user": "ann"})["closed"] == 1
    assert await ann.closed() == 4006
    ann = await relay.device("ann")
    assert backend.must("sessions/revoke", {"user": "ann"})["closed"] == 1
    assert backend.done == {path for word, path in COMMANDS if word != "erase"}


async def test_messages_of_a_user_are_erased(both):
    services, relay = both()
    backend = Backend(services)
    group = backend.must(
        "conversations", {"as": "ann", "kind": "group", "name": "G", "members": ["bob"]}, "g")["conversation"]
    group = group["conversation"]
    for number in range(30):
        backend.send("ann", group, f"secret {number}", f"a{number}")
    backend.send("bob", group, "stays", "b")
    bob = await relay.device("bob")
    asked = backend.ask("erase/messages", {"user": "ann"})
    assert asked.status == 202 and asked.json == {"user": "ann", "done": False}
    await until(lambda: backend.must("erase/messages/state", {"user": "ann"})["done"], "all is erased")
    page = await bob.ask("history", conversation=group, limit=100)
    assert [one["body"] for one in page["messages"] if "body" in one] == ["stays"]
    # A user who never existed has nothing to be erased.
    backend.must("erase/messages", {"user": "nobody"})
    await until(lambda: backend.must("erase/messages/state", {"user": "nobody"})["done"], "nobody is erased")
    assert backend.ask("erase/conversation", {"conversation": group}).status == 204
    assert backend.ask("erase/conversation", {"conversation": group}).status == 204
    assert (await bob.event("conversation", event="removed"))["by"] == "@roost-services"
    assert backend.ask("messages/history", {"as": "bob", "conversation": group}).code == "not_found"


async def test_what_is_written_after_the_request_stays(both):
    services, relay = both()
    backend = Backend(services)
    ann = await relay.device("ann")
    await ann.send("@bob", "before")
    relay.kill()
    assert backend.ask("erase/messages", {"user": "ann"}).status == 202
    relay.start()
    ann = await relay.device("ann")
    await ann.send("@bob", "after")
    await until(lambda: backend.must("erase/messages/state", {"user": "ann"})["done"], "all is erased")
    page = await ann.ask("history", conversation="@bob")
    assert [one.get("body") for one in page["messages"]] == [None, "after"]


async def test_a_revocation_ends_the_sign_in(both):
    services, relay = both()
    backend = Backend(services, "k", "sessions")
    phone = services.sign_up("ann@example.org", device="phone")
    tablet, desk, watch = (
        services.sign_in("ann@example.org", device=name).json for name in ("tablet", "desk", "watch"))
    sockets = {one["device"]: await relay.device(one["user"], one["device"], token=one["accessToken"])
               for one in (phone, tablet, desk, watch)}

    async def is_out(tokens, body):
        assert (await asyncio.to_thread(backend.ask, "sessions/revoke", body)).status == 200
        assert await sockets.pop(tokens["device"]).closed() == 4503
        answer = services.refresh(tokens["refreshToken"])
        assert (answer.status, answer.code) == (401, "unauthorized")
    await is_out(phone, {"user": phone["user"], "device": "phone"})
    await is_out(tablet, {"sid": tablet["session"]})
    # The others go on.
    desk |= services.refresh(desk["refreshToken"]).json
    await is_out(desk, {"user": phone["user"]})
    assert services.refresh(watch["refreshToken"]).status == 401
    # The user can sign in again with the password.
    assert services.sign_in("ann@example.org", device="phone").status == 200


def test_a_conversation_that_is_there_does_not_say_when_something_came(both):
    services, _ = both()
    everything, narrow = Backend(services), Backend(services, "narrow", "conversations")
    wanted = {"as": "ann", "kind": "direct", "members": ["bob"]}
    assert everything.must("conversations", wanted, "c1")["time"]
    everything.send("ann", "@bob", "x", "m1")
    there = narrow.ask("conversations", wanted, "c2")
    assert there.status == 200 and set(there.json) == {"conversation", "duplicate"}, there.raw
    assert everything.must("conversations", wanted, "c3")["time"]


def test_the_commands_of_the_page_are_true(both):
    """Docs/HTTP.md, from top to bottom, where unknown names are refused."""
    services, _ = both(directory__unknown="refuse")
    key = Backend(services).key
    page = (REPOSITORY / "Docs/HTTP.md").read_text()
    commands = re.findall(r"^    (curl (?:.*\\\n)*.*)", page, re.MULTILINE)
    assert len(commands) == 10
    group = ""
    for text in commands:
        text = text.replace("127.0.0.1:8081", f"127.0.0.1:{services.port}").replace("curl -s", "curl -sSf")
        run = subprocess.run(
            ["bash", "-c", text], env=os.environ | {"KEY": key, "GROUP": group}, capture_output=True, text=True,
            check=False)
        assert run.returncode == 0, (text, run.stdout, run.stderr)
        made = json.loads(run.stdout).get("conversation")
        if isinstance(made, dict):
            group = made["conversation"]


async def test_the_bot_of_the_page_answers(both, tmp_path):
    """Also what was written while it was away, and once."""
    services, relay = both()
    backend = Backend(services)
    (bot,) = re.findall(r"```python\n(.*?)```", (REPOSITORY / "Docs/HTTP.md").read_text(), re.DOTALL)
    bot = bot.replace("127.0.0.1:8080", f"127.0.0.1:{relay.port}").replace(
        "127.0.0.1:8081", f"127.0.0.1:{services.port}")
    (tmp_path / "bot.py").write_text(bot)
    environment = os.environ | {"KEY": backend.key, "TOKEN": relay.token("bot", scope="service")}
    ann, bob = await relay.device("ann"), await relay.device("bob")
    await ann.send("@bob", "Not for the shop")
    for number in range(3):
        await ann.send("@shop", f"Number {number}")
        process = subprocess.Popen([sys.executable, tmp_path / "bot.py"], env=environment)
        try:
            assert (await ann.event("message", sender="shop"))["body"] == f"You wrote: Number {number}"
        finally:
            process.kill()
            process.wait()
    await ann.barrier()
    assert len({one["sequence"] for one in ann.seen("message", **{"from": "shop"})}) == 3
    assert [one["body"] for one in bob.seen("message")] == ["Not for the shop"]


# Refusals


def test_a_member_that_is_there_twice(both):
    services, _ = both()
    backend = Backend(services)
    for path, raw in [
            ("messages", '{"as":"ann","as":"bob","to":"@carol","body":"twice"}'),
            ("messages", '{"as":"ann","to":"@carol","kind":"card","body":{"a":[{"b":1,"b":2}]}}'),
            ("presence", '{"users":["ann"],"users":["bob"]}'),
            ("sessions/revoke", '{"user":"ann","user":"bob"}'),
            ("conversations/get", '{"as":"ann","as":"bob","conversation":"@carol"}')]:
        answer = services.ask(
            "POST", f"/v1/backend/{path}", raw=raw, token=backend.key, headers={"Idempotency-Key": "k"})
        assert (answer.status, answer.code) == (400, "bad_json"), (path, answer.raw)
    refused = backend.ask("erase/conversation", {"conversation": "@ann"})
    assert (refused.status, refused.code) == (400, "bad_request")


async def test_refusals_of_the_relay_have_statuses(both):
    services, _ = both()
    backend = Backend(services)
    group = backend.must(
        "conversations", {"as": "ann", "kind": "group", "name": "G", "members": ["bob"]}, "g")["conversation"]
    at = {"as": "bob", "conversation": group["conversation"]}
    send = {"as": "ann", "to": "@bob", "body": "x"}
    for path, body, key, status, code in [
            ("messages", send, None, 400, "bad_request"), ("messages", send, "a b", 400, "bad_request"),
            ("messages", send, "x" * 65, 400, "bad_request"), ("messages", send, '""', 400, "bad_request"),
            ("messages", {"to": "@bob", "body": "x"}, "k", 400, "bad_request"),
            ("messages", send | {"as": None}, "k", 400, "bad_request"),
            ("messages", send | {"as": 7}, "k", 400, "bad_request"),
            ("messages", send | {"body": ""}, "k", 400, "bad_request"),
            ("messages", send | {"to": "cnone"}, "k", 404, "not_found"),
            ("messages", send | {"body": "x" * 20_001}, "k", 413, "too_large"),
            ("messages", send | {"kind": "blob", "body": "x" * 262_000}, "k", 413, "too_large"),
            ("messages", send | {"kind": "blob", "body": "x" * 140_000}, "k", 413, "too_large"),
            ("signals", {"as": "ann", "to": "@bob"}, None, 400, "bad_request"),
            ("messages/edit", at | {"sequence": 9, "body": "x"}, None, 404, "not_found"),
            ("conversations/rename", at | {"name": "N"}, None, 403, "forbidden"),
            ("conversations", {"as": "ann", "kind": "none"}, "k", 400, "bad_request"),
            ("presence", {"users": []}, None, 400, "bad_request"),
            ("presence", {"users": [f"u{number}" for number in range(501)]}, None, 413, "too_large"),
            ("sessions/disconnect", {"user": "nobody"}, None, 404, "not_found"),
            ("erase/messages", {"user": "@bob"}, None, 400, "bad_request"),
            ("erase/messages", {}, None, 400, "bad_request"),
            ("erase/conversation", {}, None, 400, "bad_request")]:
        answer = backend.ask(path, body, key)
        assert (answer.status, answer.code) == (status, code), (path, body, answer.raw[:200])
    assert services.ask("POST", "/v1/backend/messages", raw="{", token=backend.key).code == "bad_json"
    # The line is as good as before.
    backend.send("ann", "@bob", "x", "k")


async def test_a_service_that_asks_too_much_is_told_to_wait(both):
    services, relay = both(limits__commands_per_second=20)
    backend = Backend(services)
    answers = [backend.ask("presence", {"users": [f"u{number}" for number in range(90)]}) for _ in range(30)]
    refused = [answer for answer in answers if answer.status == 429]
    assert refused and all(int(answer.headers["Retry-After"]) >= 1 for answer in refused)
    # It was the relay once, and then we didn't ask.
    assert relay.metric('roost_errors_total{code="rate_limited"}') < len(refused) + 1


def test_without_a_relay(start_services):
    services = start_services(services__relay_url=f"ws://127.0.0.1:{free_port()}/v1/socket")
    backend = Backend(services)
    answer = backend.ask("messages", {"as": "ann", "to": "@bob", "body": "x"}, "k")
    assert (answer.status, answer.code, answer.headers["Retry-After"]) == (503, "unavailable", "1")
    assert backend.ask("erase/messages", {"user": "ann"}).status == 202
    assert not backend.must("erase/messages/state", {"user": "ann"})["done"]


# Every message once, in order


@pytest.mark.parametrize("seed", range(2))
async def test_each_message_comes_once_and_in_order_whatever_is_killed(both, seed):
    services, relay = both()
    backend = Backend(services)
    dice = random.Random(seed)
    (count, writers), stored = (40, 3), []

    def one(user, number):
        """Sends a command until the answer says that it is stored, as a backend should."""
        for _ in itertools.count():
            try:
                answer = backend.ask(
                    "messages", {"as": user, "to": "@reader", "body": f"{user} {number}"}, f"k{number}")
            except (OSError, http.client.HTTPException):
                continue
            if answer.status in (200, 201):
                stored.append(number)
                return answer["sequence"]
            assert answer.status == 503, answer.raw

    async def write(user):
        sequences = [await asyncio.to_thread(one, user, number) for number in range(count)]
        assert sequences == list(range(1, count + 1))

    async def kill():
        # At random points of the traffic, however fast it is.
        for point in sorted(dice.sample(range(1, count * writers - writers), 4)):
            await until(lambda: len(stored) >= point, f"{point} messages")
            victim = dice.choice([services, relay])
            await asyncio.to_thread(victim.kill)
            await asyncio.to_thread(victim.start, **({"services__port": services.port} if victim is services else {}))

    await asyncio.gather(kill(), *(write(f"w{number}") for number in range(writers)))
    reader = await relay.device("reader")
    for number in range(writers):
        page = await reader.ask("history", conversation=f"@w{number}", limit=100)
        assert [one["body"] for one in page["messages"]] == [f"w{number} {index}" for index in range(count)]


async def test_an_erasing_goes_on_after_a_kill(both):
    services, relay = both()
    backend = Backend(services)
    for number in range(300):
        backend.send("ann", "@bob", f"secret {number}", f"k{number}")
    assert backend.ask("erase/messages", {"user": "ann"}).status == 202
    for victim in (services, relay, services):
        victim.kill()
        victim.start()
    await until(lambda: backend.ask("erase/messages/state", {"user": "ann"}).json.get("done"), "all is erased")
    bob = await relay.device("bob")
    messages = []
    while page := await bob.ask("history", conversation="@ann", limit=100, **(
            {"before": messages[0]["sequence"]} if messages else {})):
        messages = page["messages"] + messages
        if not page["more"]:
            break
    assert len(messages) == 300 and not [one for one in messages if "body" in one]
    assert not sqlite3.connect(services.data / "services.db").execute("SELECT count(*) FROM erasure").fetchone()[0]
