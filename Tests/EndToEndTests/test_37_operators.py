"""Operators ask the relay who is here and why, where a message is, and how it all goes; and they end what must end.
Only a token whose scope has `admin` lets them."""

import json
import re
import time

import pytest

from harness.waiting import until

COMMANDS = [
    ("admin.people", {}), ("admin.user", {"user": "bob"}), ("admin.message", {"position": "e-1"}),
    ("admin.disconnect", {"user": "bob"}), ("admin.revoke", {"user": "bob"}), ("admin.drain", {}),
    ("admin.statistics", {})]


async def person(operator, user):
    return (await operator.call("admin.user", user=user))["person"]


async def where(operator, **members):
    return (await operator.call("admin.message", **members))["whereabouts"]


async def test_only_operators_may(relay, name):
    alice = await relay.device(name("alice"))
    conversation = await alice.group("a")
    sent = await alice.send(conversation, "hi")
    for type, members in COMMANDS:
        members = {**members, **({"position": sent["position"]} if "position" in members else {})}
        assert await alice.refusal(type, **members) == "forbidden", type
    assert relay.is_running()
    for scope in ["administrator", "chat", "", "Admin", ["admin"], 7, None]:
        socket = await relay.connect()
        answer = await socket.ask("hello", token=relay.token("eve", scope=scope), operator=True)
        assert answer["code"] == "forbidden", scope
        assert await socket.closed() == 4500


async def test_an_operators_session_belongs_to_no_user(relay, name):
    users = relay.metric("roost_users")
    operator = await relay.operator(name("olga"))
    assert operator.welcome["operator"] == name("olga")
    assert "user" not in operator.welcome and "device" not in operator.welcome
    assert relay.metric("roost_users") == users
    assert relay.metric("roost_operators") >= 1
    for type, members in [
        ("send", {"to": "@bob", "key": "1", "body": "hi"}), ("conversation.list", {}), ("devices", {}),
        ("watch", {"users": ["bob"]}), ("presence", {"state": "idle"}), ("status", {"state": "busy"}),
    ]:
        assert await operator.refusal(type, **members) == "forbidden", type
    await operator.call("ping")
    assert await operator.refusal("refresh", token=relay.token(name("olga"))) == "forbidden"
    await operator.call("refresh", token=relay.token(name("olga"), scope="admin"))
    # A user's own session with such a token is both.
    alice = await relay.device(name("alice"), token=relay.token(name("alice"), scope="admin"))
    assert (await person(alice, name("alice")))["state"] == "online"
    await alice.call("refresh", token=relay.token(name("alice")))
    assert await alice.refusal("admin.people") == "forbidden"


async def test_why_somebody_is_shown_so(relay, name):
    operator = await relay.operator()
    bob = name("bob")
    assert await operator.refusal("admin.user", user=bob) == "not_found"
    phone = await relay.device(bob, "phone")
    answer = await person(operator, bob)
    assert answer["state"] == "online"
    # Watchers may not have been notified yet.
    reason = answer["reason"].removesuffix("; watchers are told in a moment")
    assert re.fullmatch(r"online: phone is active, last heard \d+ s ago", reason), reason
    device = answer["devices"][0]
    assert device["device"] == "phone" and device["state"] == "active" and device["feed"] == "live"
    assert device["address"].startswith("127.0.0.1")
    assert abs(device["heard"] / 1000 - time.time()) < 30
    await phone.call("presence", state="idle")
    assert "phone is idle, and away in" in (await person(operator, bob))["reason"]
    await phone.call("status", state="busy")
    assert (await person(operator, bob))["reason"].split("; ")[1] == (
        "the user wants to be shown as busy")
    await phone.call("status", state="invisible")
    answer = await person(operator, bob)
    assert answer["reason"].startswith("offline: the user wants to be invisible; 1 device is connected")
    await phone.call("status", state="auto")
    await phone.call("presence", state="background")
    assert "connected in the background" in (await person(operator, bob))["reason"]
    await phone.call("presence", state="active")
    phone.socket.transport.abort()

    async def gone():
        answer = await person(operator, bob)
        return answer if answer["devices"][0]["state"] == "offline" else None
    answer = await until(gone, "the end of the connection")
    assert answer["state"] == "online" and "(cut) and may come back for" in answer["reason"], answer
    assert answer["devices"][0]["until"] > time.time() * 1000
    phone = await relay.device(bob, "phone")
    await phone.call("bye")

    async def left():
        answer = await person(operator, bob)
        return answer if answer["state"] == "offline" else None
    reason = (await until(left, "bob offline"))["reason"]
    assert re.search(r"no device is connected; phone left \d+ s ago \(bye\)", reason), reason


async def test_who_is_here_in_pages(start):
    relay = start()
    operator = await relay.operator()
    for number in range(7):
        await relay.device(f"user{number}")
    gone = await relay.device("gone")
    await gone.call("bye")

    async def counted():
        answer = (await operator.call("admin.people"))["people"]
        return answer if answer["online"] == 7 else None
    answer = await until(counted, "seven who are here")
    assert (answer["away"], answer["busy"], answer["offline"]) == (0, 0, 1)
    assert [one["user"] for one in answer["users"]] == [f"user{number}" for number in range(7)]
    found, after = [], {}
    while True:
        page = (await operator.call("admin.people", limit=3, **after))["people"]
        assert len(page["users"]) <= 3
        found += [one["user"] for one in page["users"]]
        if "next" not in page:
            break
        after = {"after": page["next"]}
    assert found == [f"user{number}" for number in range(7)]
    assert {(one["state"], one["devices"]) for one in answer["users"]} == {("online", 1)}


async def test_where_a_message_is(relay, name):
    operator = await relay.operator()
    alice, bob, carol = [await relay.device(name(who)) for who in ("alice", "bob", "carol")]
    tablet = await relay.device(name("carol"), "tablet")
    conversation = await alice.group("all", name("bob"), name("carol"))
    for device in (bob, carol, tablet):
        await device.event("conversation", conversation=conversation)
    await tablet.call("bye")
    await tablet.closed()
    sent = await alice.send(conversation, "secret words", key="k-1")
    message = await bob.event("message", conversation=conversation)
    await bob.call("ack", position=message["position"])
    await carol.event("message", conversation=conversation)
    by_sequence = await where(operator, conversation=conversation, sequence=1)
    by_position = await where(operator, position=sent["position"])
    assert by_sequence == by_position
    assert "secret" not in json.dumps(by_position)
    assert by_position["position"] == sent["position"] and by_position["kind"] == "message"
    assert (by_position["user"], by_position["device"], by_position["key"]) == (name("alice"), "phone", "k-1")
    states = {
        (member["user"], device["device"]): device["state"]
        for member in by_position["members"] for device in member["devices"]}
    assert states == {
        (name("alice"), "phone"): "sender", (name("bob"), "phone"): "delivered", (name("carol"), "phone"): "sent",
        (name("carol"), "tablet"): "waiting"}
    waiting = [one for one in by_position["members"][2]["devices"] if one["device"] == "tablet"][0]
    assert waiting["online"] is False and abs(waiting["since"] / 1000 - time.time()) < 30
    pages = [await where(operator, position=sent["position"], limit=2)]
    pages.append(await where(operator, position=sent["position"], limit=2, after=pages[0]["next"]))
    assert [len(page["members"]) for page in pages] == [2, 1] and "next" not in pages[1]
    # A later member gets no event of it.
    await relay.device(name("dave"))
    added = await alice.call("conversation.add", conversation=conversation, users=[name("dave")])
    answer = await where(operator, position=sent["position"])
    assert answer["members"][3] == {"user": name("dave"), "hidden": True}
    assert (await where(operator, position=added["position"]))["kind"] == "conversation"
    assert await operator.refusal("admin.message", conversation=conversation, sequence=99) == "not_found"
    assert await operator.refusal("admin.message", conversation="c-nowhere", sequence=1) == "not_found"
    epoch = sent["position"].rsplit("-", 1)[0]
    for wrong in ["0", "999999999"]:
        assert await operator.refusal("admin.message", position=f"{epoch}-{wrong}") in ("not_found", "bad_position")
    assert await operator.refusal(
        "admin.message", position=sent["position"], after=name("nobody")) == "bad_request"


async def test_disconnect_lets_them_come_back(relay, name):
    operator = await relay.operator()
    bob = name("bob")
    phone, tablet = [await relay.device(bob, device) for device in ("phone", "tablet")]
    assert await operator.refusal("admin.disconnect", user=name("nobody")) == "not_found"
    assert await operator.refusal("admin.disconnect", user=bob, device="watch") == "not_found"
    assert (await operator.call("admin.disconnect", user=bob, device="phone"))["closed"] == 1
    assert await phone.closed() == 4006
    assert (await operator.call("admin.disconnect", user=bob, device="phone"))["closed"] == 0
    assert tablet.close_code is None
    assert (await operator.call("admin.disconnect", user=bob))["closed"] == 1
    assert await tablet.closed() == 4006
    answer = await person(operator, bob)
    assert {one["ended"]["reason"] for one in answer["devices"]} == {"operator"}
    await relay.device(bob, "phone")
    # An operator with a session of its own may end that, too, and is answered first.
    self = await relay.device(name("self"), token=relay.token(name("self"), scope="admin"))
    assert (await self.call("admin.disconnect", user=name("self")))["closed"] == 1
    assert await self.closed() == 4006


async def test_revoked_tokens_stay_revoked(start):
    relay = start()
    operator = await relay.operator()
    past = time.time() - 5
    old = {who: relay.token(who, iat=past) for who in ("bob", "carol", "new")}
    bob = await relay.device("bob", token=old["bob"])
    phone, tablet = [await relay.device("carol", device, token=old["carol"]) for device in ("phone", "tablet")]
    assert (await operator.call("admin.revoke", user="bob"))["closed"] == 1
    assert (await operator.call("admin.revoke", user="carol", device="phone"))["closed"] == 1
    # It works for a user who has never connected, too.
    assert (await operator.call("admin.revoke", user="new"))["closed"] == 0
    assert [await bob.closed(), await phone.closed()] == [4503, 4503]
    await tablet.call("ping")
    await tablet.call("refresh", token=old["carol"])

    async def refused(user, token, device="phone"):
        socket = await relay.connect()
        answer = await socket.ask("hello", token=token, device=device)
        if answer["type"] == "welcome":
            return False
        assert (answer["code"], answer["reason"]) == ("unauthorized", "the token was revoked")
        assert await socket.closed() == 4500
        return True

    async def check():
        for user in ("bob", "carol", "new"):
            assert await refused(user, old[user])
            # A token that doesn't say when it was issued may be an old one.
            assert await refused(user, relay.token(user))
            assert not await refused(user, relay.token(user, iat=time.time() + 2))
        assert not await refused("carol", old["carol"], "watch")
    await check()
    answer = await person(operator, "carol")
    assert "revoked" not in answer
    assert {one["device"]: "revoked" in one for one in answer["devices"]} == {
        "phone": True, "tablet": False, "watch": False}
    # A revoked token doesn't refresh either.
    fresh = await relay.device("bob", token=relay.token("bob", iat=time.time() + 2))
    assert await fresh.refusal("refresh", token=old["bob"]) == "unauthorized"
    relay.kill()
    relay.start()
    await check()


async def test_a_revoked_sign_in_stays_out(start):
    relay = start()
    operator = await relay.service()
    token, other = relay.token("bob", sid="s-1"), relay.token("bob", sid="s-2")
    phone, tablet = [await relay.device("bob", device, token=token) for device in ("phone", "tablet")]
    watch = await relay.device("bob", "watch", token=other)
    began = time.monotonic()
    assert (await operator.call("admin.revoke", sid="s-1"))["closed"] == 2
    assert [await phone.closed(), await tablet.closed()] == [4503, 4503]
    assert time.monotonic() - began < 10, "a safety net; it takes milliseconds"
    await watch.call("ping")

    async def refused(token):
        socket = await relay.connect()
        answer = await socket.ask("hello", token=token, device="other")
        return (answer.get("code"), answer.get("reason")) == ("unauthorized", "the token was revoked")
    assert await refused(token) and not await refused(other)
    assert await watch.refusal("refresh", token=token) == "unauthorized"
    # `ok` came, so it is stored: by a kill at once, and by an orderly stop.
    await operator.call("admin.revoke", sid="s-3")
    relay.kill()
    relay.start()
    assert await refused(token) and await refused(relay.token("bob", sid="s-3"))
    relay.stop()
    relay.start()
    assert await refused(token) and not await refused(relay.token("bob", sid="s-4"))


async def test_a_sign_in_is_forgotten_when_its_tokens_have_expired(start):
    relay = start()
    operator = await relay.service()
    now = (await operator.call("ping"))["time"]
    await operator.call("admin.revoke", sid="s-1", until=now + 1_500)
    await operator.call("admin.revoke", sid="s-2")

    async def refused():
        socket = await relay.connect()
        return (await socket.ask("hello", token=relay.token("bob", sid="s-1"), device="phone"))["type"] == "error"
    assert await refused()

    async def welcomed():
        return not await refused()
    await until(welcomed, "the end of the revocation")
    # A start looks at once, and then once a minute.
    relay.kill()
    relay.start()
    await until(
        lambda: relay.rows("SELECT name FROM ended_sign_in") == [("s-2",)], "the store to forget it")


async def test_a_service_may_do_little(relay, name):
    service = await relay.service(name("mill"))
    bob = await relay.device(name("bob"))
    for type in ("admin.people", "admin.statistics", "admin.drain"):
        assert await service.refusal(type) == "forbidden", type
    assert await service.refusal("admin.message", position=bob.welcome["head"]) == "forbidden"
    assert (await person(service, name("bob")))["state"] == "online"
    assert (await service.call("admin.disconnect", user=name("bob")))["closed"] == 1
    assert await bob.closed() == 4006
    assert (await service.call("admin.revoke", user=name("bob")))["closed"] == 0


async def test_too_many_revoked_devices(start):
    relay = start()
    operator = await relay.operator()
    for number in range(64):
        await operator.call("admin.revoke", user="bob", device=f"d{number}")
    assert await operator.refusal("admin.revoke", user="bob", device="d64") == "too_large"
    await operator.call("admin.revoke", user="bob", device="d63")
    await operator.call("admin.revoke", user="bob")


async def test_statistics_come_by_themselves(start):
    relay = start()
    operator = await relay.operator()
    answer = (await operator.call("admin.statistics"))["statistics"]
    assert answer["every"] == 2000

    async def history():
        return (await operator.call("admin.statistics"))["statistics"]["history"]
    assert len(await until(history, "the first sample")) == 2
    alice, bob = [await relay.device(who) for who in ("alice", "bob")]
    conversation = await alice.group("all", "bob")
    for number in range(20):
        await alice.send(conversation, f"m{number}")
    await bob.messages(conversation, 20)
    await bob.call("ack", position=bob.seen("message")[-1]["position"])
    first = await operator.event("statistics")
    while first["messages"] < 20 or first["online"] < 2:
        first = await operator.event("statistics")
    assert (first["sessions"], first["operators"], first["online"]) == (3, 1, 2)
    assert first["deliveries"] >= 20 and first["storeBytes"] > 0 and first["memoryBytes"] > 1_000_000
    assert first["commit"]["p50"] <= first["commit"]["p99"]
    assert await operator.refusal("admin.user", user="nobody") == "not_found"
    second = await operator.event("statistics")
    while second["time"] <= first["time"] or "not_found" not in second["errors"]:
        second = await operator.event("statistics")
    assert second["errors"] == {"not_found": 1} and second["refused"] == 1
    await operator.call("admin.statistics", active=False)
    assert len((await operator.call("admin.statistics", limit=1))["statistics"]["history"]) == 1


async def test_drain_from_afar(start):
    relay = start()
    operator = await relay.operator()
    alice = await relay.device("alice")
    await operator.call("admin.drain")
    await alice.event("drain")
    assert await alice.closed() == 4000
    assert relay.wait() == 0
    log = relay.log()
    assert "operator.drained" in log and "olga" in log


async def test_deeds_are_in_the_log(start):
    relay = start(log__format="json")
    operator = await relay.operator("olga")
    await relay.device("bob")
    await operator.call("admin.disconnect", user="bob", device="phone")
    await operator.call("admin.revoke", user="bob")

    def lines():
        found = [json.loads(line) for line in relay.log().splitlines() if '"operator.' in line]
        return found if len(found) == 2 else None
    first, second = await until(lines, "two lines")
    assert (first["event"], first["operator"], first["user"], first["device"], first["sessions"]) == (
        "operator.disconnected", "olga", "bob", "phone", 1), first
    assert second["event"] == "operator.revoked" and "device" not in second


async def test_there_are_not_too_many_operators(start):
    relay = start()
    operators = [await relay.operator(f"o{number}") for number in range(64)]
    socket = await relay.connect()
    answer = await socket.ask("hello", token=relay.token("late", scope="admin"), operator=True)
    assert answer["code"] == "busy" and answer["retryAfter"] > 0
    await operators[0].call("bye")
    await operators[0].closed()
    await until(lambda: relay.metric("roost_operators") == 63, "room")
    # The connection may say hello again.
    assert (await socket.ask("hello", token=relay.token("late", scope="admin"), operator=True))["type"] == "welcome"


@pytest.mark.parametrize("members", [
    {"user": "@bob"}, {"user": ""}, {"user": 7}, {}, {"user": "bob", "device": ""},
    {"sid": ""}, {"sid": 7}, {"sid": "a b"}, {"sid": "s", "user": "bob"}, {"sid": "s", "device": "phone"},
    {"user": "bob", "until": 7}, {"sid": "s", "until": 0}, {"sid": "s", "until": "1"}, {"sid": "s", "until": 1.5}])
async def test_what_is_malformed(relay, members):
    operator = await relay.operator()
    assert await operator.refusal("admin.revoke", **members) == "bad_request"
