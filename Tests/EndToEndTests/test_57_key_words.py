"""The answers for a key are bounded by its words: each route with each word, against a relay's real answers."""

import asyncio
import itertools
import re

import pytest
import yaml

from harness.relay import REPOSITORY
from test_57_http_api import WORDS, Backend, both  # noqa: F401

WIRE = yaml.safe_load((REPOSITORY / "Docs/asyncapi.yaml").read_text())["components"]
# The command that each path stands for.
TYPES = {
    "messages": "send", "messages/edit": "edit", "messages/delete": "delete", "messages/react": "react",
    "messages/history": "history", "signals": "signal", "presence": "admin.presence",
    "sessions/disconnect": "admin.disconnect", "sessions/revoke": "admin.revoke",
    "conversations": "conversation.create", **{
        f"conversations/{word}": f"conversation.{word}"
        for word in ("get", "list", "members", "rename", "add", "remove", "role", "leave", "ban", "unban", "bans",
                     "timeout", "posting", "joining")}}
OWN = {
    **{path: path.partition("/")[0] for path in TYPES},
    **{path: "send" for path in TYPES if path.startswith("messages")},
    "messages/history": "read", "signals": "send"}

# Members that requests ask for by name, and the words that they need.
ASKING = {"sequence": "read", "presence": "presence", "ifVersion": "read"}


def read_table():
    """The table of Docs/HTTP.md: for each path, the word of each member."""
    table = {path: {} for path in TYPES}
    page = (REPOSITORY / "Docs/HTTP.md").read_text().partition("| path | word | members of the answer |")[2]
    for path, word, members in re.findall(r"^\| `(.+?)` \| `(.+?)` \| (.+) \|$", page, re.MULTILINE):
        table.setdefault(path, {}).update({member: word for member in re.findall("`(.+?)`", members)})
    return table


TABLE = read_table()


def places(value, path, rules):
    """The members of an answer, as the table names them."""
    if path in rules:
        return {path}
    if isinstance(value, list):
        return set().union(*(places(one, path, rules) for one in value))
    if isinstance(value, dict):
        return set().union(*(places(one, f"{path}.{name}".lstrip("."), rules) for name, one in value.items()))
    return {path}


def combinations(own):
    """The route's word alone, with each other one, and all."""
    return [{own}, *({own, word} for word in WORDS if word != own), set(WORDS)]


def test_every_member_of_the_wire_has_a_word():
    for path, type in TYPES.items():
        said = WIRE["messages"][f"command.{type}"].get("x-ok", [])
        tops = {member.partition(".")[0] for member in TABLE[path]}
        assert set(said) <= tops, (path, set(said) - tops)
    schemas = WIRE["schemas"]
    for path, prefix, schema in [
            ("conversations/get", "conversation", "conversationObject"),
            ("conversations/list", "conversations", "conversationObject"),
            ("conversations", "conversation", "conversationObject"), ("conversations/members", "members", "member")]:
        named = {f"{prefix}.{name}" for name in schemas[schema]["properties"]}
        assert named <= set(TABLE[path]), (path, named - set(TABLE[path]))


async def test_each_route_tells_each_word_what_the_table_says(both):
    services, relay = both(contacts__kinds="friend")
    service = await relay.service("@mill")
    ann, bob = await relay.device("ann"), await relay.device("bob")
    for user in ("ann", "bob"):
        await service.call("admin.profile", user=user, name=user.title())
    await ann.call("status", state="busy", text="here")
    made = await ann.call(
        "conversation.create", kind="group", name="Crew", members=["bob", "cem"], key="g0")
    group = made["conversation"]["conversation"]
    await ann.call("conversation.describe", conversation=group, description="All of us", photo="p1")
    first = await ann.call("send", to=group, key="m0", body="my bank PIN is 4711", mentions=["bob"])
    await ann.call("conversation.pin", conversation=group, sequence=first["sequence"])
    await ann.call("conversation.expiry", conversation=group, after=86_400_000)
    await bob.call("send", to="@ann", key="m1", body="s3cret")
    await bob.call("read", conversation=group, sequence=first["sequence"])
    number, flips = itertools.count(1), itertools.count(1)
    at = {"as": "ann", "conversation": group}

    async def sent():
        answer = await service.call("send", **{"as": "ann"}, to=group, key=f"r{next(number)}", body="x")
        return at | {"sequence": answer["sequence"]}

    # Each makes what the command needs, and the command's members.
    async def added():
        user = f"u{next(number)}"
        await service.call("conversation.add", **at, users=[user])
        return user

    async def unbanned():
        user = await added()
        await service.call("conversation.ban", **at, user=user)
        return at | {"user": user}
    asks = {
        "messages": lambda: {"as": "ann", "to": group, "body": f"x{next(number)}"},
        "messages/edit": lambda: sent_and(body="y"), "messages/delete": sent,
        "messages/react": lambda: sent_and(reaction="+"),
        "messages/history": lambda: at | {"as": "bob"}, "signals": lambda: at_to(),
        "conversations": lambda: {
            "as": "ann", "kind": "group", "name": f"G{next(number)}", "members": ["bob"]},
        "conversations/get": lambda: at | {"as": "bob"}, "conversations/list": lambda: {"as": "bob"},
        "conversations/members": lambda: at, "conversations/rename": lambda: at | {"name": f"N{next(number)}"},
        "conversations/add": lambda: at | {"users": [f"u{next(number)}"]},
        "conversations/remove": lambda: with_added(lambda user: at | {"users": [user]}),
        "conversations/role": lambda: with_added(lambda user: at | {"user": user, "role": "admin"}),
        "conversations/leave": lambda: with_added(lambda user: at | {"as": user}),
        "conversations/ban": lambda: with_added(lambda user: at | {"user": user}), "conversations/unban": unbanned,
        "conversations/bans": lambda: at | {"limit": 1},
        "conversations/timeout": lambda: with_added(lambda user: at | {"user": user, "after": 1_000}),
        "conversations/posting": lambda: at | {"posting": "admins" if next(flips) % 2 else "all"},
        "conversations/joining": lambda: at | {"joining": "ask" if next(flips) % 2 else "open"},
        "presence": lambda: {"users": ["ann", "bob", "cem"]}, "sessions/disconnect": lambda: {"user": "cem"},
        "sessions/revoke": lambda: {"user": f"u{next(number)}"}}

    async def sent_and(**more):
        return await sent() | more

    async def with_added(make):
        return make(await added())

    def at_to():
        return {"as": "ann", "to": group, "body": "now"}
    assert set(asks) == set(TYPES)

    async def fresh(path, extra):
        body = asks[path]()
        body = await body if asyncio.iscoroutine(body) else body
        return body | extra, (f"k{next(number)}" if path in ("messages", "conversations") else None)
    seen = set()
    backends = {}
    for path, type in TYPES.items():
        rules, own = TABLE[path], OWN[path]
        extras = [{}]
        if path == "conversations/members":
            extras = [{}, {"sequence": first["sequence"]}, {"presence": True}, {"sequence": 1, "presence": True}]
        if path == "messages/edit":
            extras = [{}, {"ifVersion": 1}]
        if path == "conversations/list":
            extras = [{}, {"limit": 1}]
        for extra, words in itertools.product(extras, combinations(own)):
            scope = ",".join(sorted(words))
            if scope not in backends:
                backends[scope] = await asyncio.to_thread(Backend, services, f"k{len(backends)}", scope)
            body, key = await fresh(path, extra)
            answer = await asyncio.to_thread(backends[scope].ask, path, body, key)
            needed = {ASKING[name] for name in extra if name in ASKING}
            if not needed <= words:
                assert answer.code == "forbidden", (path, words, extra, answer.raw)
                continue
            assert answer.status < 300, (path, words, answer.raw)
            body, key = await fresh(path, extra)
            raw = await service.call(type, **body, **({"key": key} if key else {}))
            come = places({name: one for name, one in raw.items() if name not in ("type", "re")}, "", rules)
            assert come <= set(rules), (path, come - set(rules))
            assert places(answer.json, "", rules) == {one for one in come if rules[one] in words}, (path, words)
            if "read" not in words:
                assert b"4711" not in answer.raw and b"s3cret" not in answer.raw, (path, words)
            seen |= {(path, one) for one in come}
    # The answers had what the table is about.
    for path, member in [
            ("conversations/list", "conversations.message"), ("conversations/get", "conversation.message"),
            ("conversations/get", "conversation.pins"), ("conversations/get", "conversation.expiry"),
            ("conversations/get", "people.user"), ("conversations/members", "members.state"),
            ("conversations/members", "members.readAt"), ("conversations/members", "readCount"),
            ("conversations/list", "next"), ("sessions/revoke", "closed"), ("conversations", "people.name")]:
        assert (path, member) in seen, (path, member)


async def test_a_key_without_read_finds_nothing_by_guessing(both):
    services, relay = both()
    ann, bob = await relay.device("ann"), await relay.device("bob")
    sent = await ann.call("send", to="@bob", key="m1", body="my bank PIN is 4711")
    await ann.call("react", conversation="@bob", sequence=sent["sequence"], reaction="+")
    blind = Backend(services, "k", "send,conversations,presence,sessions,erase")
    at = {"as": "ann", "conversation": "@bob", "sequence": sent["sequence"]}

    def same(path, *bodies):
        answers = [blind.ask(path, at | body) for body in bodies]
        assert len({(answer.status, answer.raw) for answer in answers}) == 1, [answer.raw for answer in answers]
        return answers[0]
    right, wrong = {"body": "my bank PIN is 4711"}, {"body": "my bank PIN is 4712"}
    for version in (1, 2, 7):
        assert same("messages/edit", right | {"ifVersion": version}, wrong | {"ifVersion": version}).status == 403
    # The first changes nothing, and the second does.
    assert same("messages/edit", right, wrong).json == {}
    assert same("messages/react", {"reaction": "+"}, {"reaction": "-"}, {"reaction": "?", "remove": True}).json == {}
    assert same("messages/delete", {}, {}).json == {}
    assert (await bob.event("edit"))["body"] == wrong["body"]


async def test_reserved_names_are_nobodys_sessions(both):
    services, relay = both()
    backend = Backend(services, "k", "sessions")
    everything = Backend(services, "all")
    everything.must("presence", {"users": ["ann"]})
    for name in ("@roost-services", "@operator", "@mill"):
        for path in ("sessions/revoke", "sessions/disconnect"):
            answer = backend.ask(path, {"user": name})
            assert (answer.status, answer.code) == (400, "bad_request"), answer.raw
        answer = everything.ask("messages", {"as": name, "to": "@ann", "body": "x"}, "k")
        assert (answer.status, answer.code) == (400, "bad_request")
        assert everything.ask(
            "conversations", {"as": "ann", "kind": "group", "name": "G", "members": [name]}, "k").status == 400
    # The name that it had once is a user's, and no more.
    for _ in range(5):
        assert backend.ask("sessions/revoke", {"user": "roost-services"}).status == 200
        everything.must("presence", {"users": ["ann"]})
    assert relay.metric("roost_operators") >= 1


async def test_no_key_ends_the_sessions_of_an_operator(both):
    services, _ = both()
    backend = Backend(services, "k", "sessions")
    owner = services.post("/v1/sessions/link", {"token": services.command("link").stdout.strip().partition("=")[2],
                                                "displayName": "Olga"}).json
    for body in ({"user": owner["user"]}, {"user": owner["user"], "device": owner["device"]}):
        for path in ("sessions/revoke", "sessions/disconnect"):
            assert backend.ask(path, body).code == "forbidden"
    assert backend.ask("sessions/revoke", {"sid": owner["session"]}).code == "forbidden"
    ann = services.sign_up("ann@example.org")
    assert backend.ask("sessions/revoke", {"sid": ann["session"]}).status == 200
