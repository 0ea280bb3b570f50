"""Accounts: people sign up and in over HTTP. Their tokens open sockets of the relay, which has the public keys only."""

import asyncio
import contextlib
import json
import sqlite3
import threading

import jwt
import pytest

from harness.up import free_port
from harness.waiting import until

PASSWORD = "correct horse"


@pytest.fixture
def both(start_services, start):
    """A services process and a relay that trusts its keys, each of which knows the other."""
    def both(**settings):
        port = free_port()
        services = start_services(services__relay_url=f"ws://127.0.0.1:{port}/v1/socket", **settings)
        return services, start(auth__public_keys=services.data / "keys.json", listen__port=port)
    return both


@pytest.fixture
def email(name):
    return f"{name('ann')}@example.org"


# Signing up and in


async def test_sign_up_connect_and_chat(both):
    services, relay = both()
    ann, bob = services.sign_up("ann@example.org", device="phone"), services.sign_up("bob@example.org")
    assert ann["device"] == "phone" and ann["user"].startswith("u") and len(ann["user"]) == 17
    assert "ann" not in ann["user"]
    phones = [
        await relay.device(one["user"], device=one["device"], token=one["accessToken"]) for one in (ann, bob)]
    await phones[0].send("@" + bob["user"], "hello")
    assert (await phones[1].event("message"))["from"] == ann["user"]
    again = services.sign_in("ANN@example.ORG ", device="tablet")
    assert again.status == 200 and again["user"] == ann["user"]
    tablet = await relay.device(ann["user"], device="tablet", token=again["accessToken"])
    await tablet.barrier()


def test_the_access_token_says_what_decision_36_says(services, email):
    tokens = services.sign_up(email, device="phone")
    keys = services.get("/.well-known/jwks.json").json["keys"]
    header = jwt.get_unverified_header(tokens["accessToken"])
    key = next(one for one in keys if one["kid"] == header["kid"])
    assert header["alg"] == "ES256" and "d" not in key
    claims = jwt.decode(tokens["accessToken"], jwt.PyJWK(key).key, algorithms=["ES256"])
    assert set(claims) == {"sub", "device", "sid", "jti", "iat", "exp", "scope"}
    assert claims["sub"] == tokens["user"] and claims["device"] == "phone" and claims["sid"] == tokens["session"]
    assert claims["exp"] - claims["iat"] == 3600 and claims["scope"] == "chat"
    assert tokens["accessExpires"] == claims["exp"] * 1000
    assert json.loads((services.data / "keys.json").read_text())["keys"] == keys


@pytest.mark.parametrize("change, member", [
    ({"email": None}, "email"), ({"email": "ann"}, "email"), ({"email": 3}, "email"),
    ({"email": "ann@example.org\r\nBcc: x@y.z"}, "email"),
    ({"password": None}, "password"), ({"password": "1234567"}, "password"), ({"password": "x" * 257}, "password"),
    ({"displayName": None}, "displayName"), ({"displayName": " "}, "displayName"),
    ({"displayName": "a\nb"}, "displayName"), ({"role": "client"}, "role"), ({"device": "a b"}, "device"),
    ({"language": "en_US"}, "language")])
def test_a_faulty_sign_up_names_the_member(services, email, change, member):
    body = {"email": email, "password": PASSWORD, "displayName": "Ann", **change}
    answer = services.post("/v1/accounts", {name: value for name, value in body.items() if value is not None})
    assert (answer.status, answer.code, answer["member"]) == (422, "invalid", member)


@pytest.mark.parametrize("shown", [
    "\u200d", "\u3164", "\u2800", "\u034f", "\ufe0f", 60 * "\u0301", "An\u200bn", "A\u200f", "A\u202eB"],
    ids=["joiner", "filler", "braille", "grapheme", "selector", "marks", "inside", "direction", "override"])
def test_names_have_the_rule_of_the_relay(services, email, shown):
    answer = services.post("/v1/accounts", {"email": email, "password": PASSWORD, "displayName": shown})
    assert (answer.status, answer.code, answer["member"]) == (422, "invalid", "displayName")
    token = services.sign_up(email)["accessToken"]
    assert services.ask("PATCH", "/v1/account", {"displayName": shown}, token=token).status == 422
    changed = services.ask("PATCH", "/v1/account", {"displayName": " Jose\u0301 "}, token=token)
    assert changed["displayName"] == "Jos\u00e9"


def test_roles_are_chosen_once(start_services):
    services = start_services(accounts__roles="trainer,client", accounts__password_min=6)
    body = {"email": "a@example.org", "password": "123456", "displayName": "A"}
    for role in (None, "admin", ""):
        answer = services.post("/v1/accounts", {**body, **({} if role is None else {"role": role})})
        assert (answer.status, answer["member"]) == (422, "role")
    assert services.post("/v1/accounts", {**body, "password": "12345", "role": "client"}).status == 422
    token = services.sign_up("a@example.org", "123456", role="client")["accessToken"]
    assert services.get("/v1/account", token=token)["role"] == "client"
    for role in ("trainer", "client", "admin"):
        answer = services.ask("PATCH", "/v1/account", {"role": role}, token=token)
        assert (answer.status, answer.code) == (409, "role_immutable")
    changed = services.ask("PATCH", "/v1/account", {"displayName": " Anna "}, token=token)
    assert changed.status == 200 and changed["displayName"] == "Anna" and changed["role"] == "client"
    assert services.ask("PATCH", "/v1/account", {"displayName": ""}, token=token).status == 422


def test_who_has_no_role_yet_chooses_one_once(start_services):
    services = start_services()
    token = services.sign_up("a@example.org")["accessToken"]
    answer = services.ask("PATCH", "/v1/account", {"role": "client"}, token=token)
    assert (answer.status, answer["member"]) == (422, "role")
    services.stop()
    services.start(accounts__roles="trainer,client")
    assert services.ask("PATCH", "/v1/account", {"role": "admin"}, token=token).status == 422
    assert services.ask("PATCH", "/v1/account", {"role": "client"}, token=token)["role"] == "client"
    for role in ("trainer", "client"):
        answer = services.ask("PATCH", "/v1/account", {"role": role}, token=token)
        assert (answer.status, answer.code) == (409, "role_immutable")


def test_an_address_is_one_however_its_domain_is_written(services, name):
    local = name("ann")
    services.sign_up(f"{local}@bücher.example")
    for domain in ("BU\u0308CHER.example", "xn--bcher-kva.example", "\uff42ücher.example", "bücher\u3002example"):
        answer = services.post(
            "/v1/accounts", {"email": f"{local}@{domain}", "password": PASSWORD, "displayName": "Other"})
        assert (answer.status, answer.code) == (409, "email_taken"), domain
        assert services.sign_in(f"{local}@{domain}").status == 200
    # Letters go where every server knows the name.
    services.link(f"{local}@xn--bcher-kva.example", "verify")


@pytest.mark.parametrize("address", [
    "x@localhost", "x@example", "a" * 65 + "@example.org", "x@" + "a" * 64 + ".org", "jürgen@example.org"])
def test_no_letter_goes_where_there_is_no_mail(services, address):
    answer = services.post("/v1/accounts", {"email": address, "password": PASSWORD, "displayName": "X"})
    assert (answer.status, answer.code, answer["member"]) == (422, "invalid", "email")


def test_an_address_has_one_account(services, email):
    services.sign_up(email)
    answer = services.post(
        "/v1/accounts", {"email": email.upper(), "password": PASSWORD, "displayName": "Other"})
    assert (answer.status, answer.code) == (409, "email_taken")


def test_a_full_server_says_so(start_services):
    services = start_services(accounts__max=1)
    ann = services.sign_up("ann@example.org")
    bob = {"email": "bob@example.org", "password": PASSWORD, "displayName": "Bob"}
    refused = services.post("/v1/accounts", bob)
    assert refused.status == 503 and refused.code == "full"
    assert services.sign_in("ann@example.org").status == 200
    # When an account is deleted, there is room again.
    assert services.delete("/v1/account", {"password": PASSWORD}, token=ann["accessToken"]).status == 204
    assert services.post("/v1/accounts", bob).status == 201


def test_unknown_addresses_and_wrong_passwords_get_one_answer(services, email):
    services.sign_up(email)
    wrong, unknown = services.sign_in(email, "wrong one"), services.sign_in("no." + email, "wrong one")
    assert wrong.status == unknown.status == 401
    assert wrong.raw == unknown.raw and wrong.code == "invalid_credentials"
    def names(answer): return {name: value for name, value in answer.headers.items() if name != "Date"}
    assert names(wrong) == names(unknown)


def test_five_failures_close_an_account_for_a_while(services, email):
    other = "b." + email
    services.sign_up(email)
    services.sign_up(other)
    for address in (email, "unknown." + email):
        # Not in a row with a success, which would forgive them.
        for _ in range(5):
            assert services.sign_in(address, "wrong one").status == 401
        answer = services.sign_in(address)
        assert (answer.status, answer.code) == (429, "rate_limited")
        assert 0 < int(answer.headers["Retry-After"]) <= 900
    assert services.sign_in(other).status == 200


def test_strangers_keep_nobody_from_their_own_account(services, email):
    token = services.sign_up(email)["accessToken"]
    for _ in range(5):
        assert services.sign_in(email, "wrong one").status == 401
    assert services.sign_in(email).status == 429
    change = {"password": PASSWORD, "newPassword": "battery staple"}
    assert services.post("/v1/password/change", change, token=token).status == 204
    # A session guesses no faster than strangers.
    for _ in range(5):
        assert services.post("/v1/password/change", change, token=token).code == "invalid_credentials"
    answer = services.delete("/v1/account", {"password": "battery staple"}, token=token)
    assert (answer.status, answer.code) == (429, "rate_limited")


def test_attempts_of_an_address_are_counted(start_services):
    services = start_services()
    answers = [services.sign_in(f"u{number}@example.org", "wrong one").status for number in range(31)]
    assert answers == [401] * 30 + [429]
    assert services.post(
        "/v1/accounts", {"email": "a@example.org", "password": PASSWORD, "displayName": "A"}).status == 429
    assert services.post("/v1/password/forgot", {"email": "a@example.org"}).status == 429


# Sessions


async def test_refreshes_on_an_open_socket_lose_nothing(both):
    services, relay = both(tokens__access_seconds=4)
    ann, bob = services.sign_up("ann@example.org"), services.sign_up("bob@example.org")
    phones = [await relay.device(one["user"], device=one["device"], token=one["accessToken"]) for one in (ann, bob)]
    first_end = max(phone.welcome["expires"] for phone in phones)
    loop, number, now = asyncio.get_running_loop(), 0, 0
    # A hundred times, and until the tokens of the welcomes have ended by the relay's clock.
    while number < 100 or now <= first_end:
        number += 1
        for index, tokens in enumerate((ann, bob)):
            fresh = await loop.run_in_executor(None, services.refresh, tokens["refreshToken"])
            assert fresh.status == 200, fresh.raw
            tokens.update(fresh.json)
            await phones[index].call("refresh", token=tokens["accessToken"])
        sent = await phones[0].send("@" + bob["user"], str(number))
        now = (await phones[0].call("ping"))["time"]
    messages = await phones[1].messages(sent["conversation"], sent["sequence"])
    assert len(messages) == number
    assert [phone.close_code for phone in phones] == [None, None]


def test_sessions_are_listed_and_end_one_by_one(services, email):
    phone, tablet = services.sign_up(email, device="phone"), services.sign_in(email, device="tablet").json
    listed = services.get("/v1/sessions", token=phone["accessToken"])["sessions"]
    assert {one["device"] for one in listed} == {"phone", "tablet"}
    assert [one["device"] for one in listed if one.get("current")] == ["phone"]
    assert set(listed[0]) >= {"session", "device", "created", "used", "expires"}
    assert services.delete(f"/v1/sessions/{tablet['session']}", token=phone["accessToken"]).status == 204
    assert services.get("/v1/account", token=tablet["accessToken"]).status == 401
    assert services.refresh(tablet["refreshToken"]).code == "unauthorized"
    assert services.delete(f"/v1/sessions/{tablet['session']}", token=phone["accessToken"]).status == 404
    assert services.delete("/v1/sessions/current", token=phone["accessToken"]).status == 204
    assert services.get("/v1/sessions", token=phone["accessToken"]).status == 401


def test_nobody_ends_the_sessions_of_others(services, email):
    ann, eve = services.sign_up(email), services.sign_up("eve." + email)
    assert services.delete(f"/v1/sessions/{ann['session']}", token=eve["accessToken"]).status == 404
    assert services.get("/v1/account", token=ann["accessToken"]).status == 200


def test_all_sessions_end_at_once(services, email):
    tokens = [services.sign_up(email)] + [services.sign_in(email).json for _ in range(3)]
    assert services.delete("/v1/sessions", token=tokens[0]["accessToken"]).status == 204
    for one in tokens:
        assert services.get("/v1/account", token=one["accessToken"]).status == 401
        assert services.refresh(one["refreshToken"]).code == "unauthorized"


# Messages to the relay


async def sign_in_on(relay, services, *devices, email="ann@example.org"):
    """Makes an account, signs in on these devices, and connects them."""
    tokens = [services.sign_up(email, device=devices[0])]
    tokens += [services.sign_in(email, device=device).json for device in devices[1:]]
    return tokens, [
        await relay.device(one["user"], device=one["device"], token=one["accessToken"]) for one in tokens]


async def refused(relay, tokens):
    """Whether the relay refuses this access token."""
    device = await relay.connect()
    answer = await device.ask("hello", token=tokens["accessToken"], device=tokens["device"])
    await device.drop()
    return answer["type"] == "error" and answer["code"] == "unauthorized"


async def test_a_session_that_ends_closes_its_sockets_and_no_others(both):
    services, relay = both()
    tokens, devices = await sign_in_on(relay, services, "phone", "tablet", "laptop", "web")
    phone, tablet, laptop, web = devices
    assert services.delete(f"/v1/sessions/{tokens[1]['session']}", token=tokens[0]["accessToken"]).status == 204
    assert await tablet.closed() == 4503
    assert services.delete("/v1/sessions/current", token=tokens[2]["accessToken"]).status == 204
    assert await laptop.closed() == 4503
    # A refresh token that comes again: the session that it was of.
    assert services.reuse(tokens[3]["refreshToken"])[0].code == "refresh_reused"
    assert await web.closed() == 4503
    for one in tokens[1:]:
        assert await refused(relay, one)
    await phone.barrier()
    assert not await refused(relay, services.sign_in("ann@example.org", device="tablet").json)


async def test_a_new_password_closes_the_other_sockets(both):
    services, relay = both()
    tokens, (phone, tablet) = await sign_in_on(relay, services, "phone", "tablet")
    body = {"password": PASSWORD, "newPassword": "battery staple"}
    assert services.post("/v1/password/change", body, token=tokens[0]["accessToken"]).status == 204
    assert await tablet.closed() == 4503
    await phone.barrier()
    services.post("/v1/password/forgot", {"email": "ann@example.org"})
    secret = services.link("ann@example.org", "reset")
    assert services.post("/v1/password/reset", {"token": secret, "password": PASSWORD}).status == 204
    assert await phone.closed() == 4503


async def test_a_deleted_account_closes_all_sockets(both):
    services, relay = both()
    tokens, devices = await sign_in_on(relay, services, "phone", "tablet")
    bob = services.sign_up("bob@example.org")
    other = await relay.device(bob["user"], device=bob["device"], token=bob["accessToken"])
    assert services.delete("/v1/account", {"password": PASSWORD}, token=tokens[0]["accessToken"]).status == 204
    for device in devices:
        assert await device.closed() == 4503
    await other.barrier()


async def test_a_relay_that_was_away_misses_nothing(both):
    services, relay = both()
    tokens, _ = await sign_in_on(relay, services, "phone", "tablet")
    relay.kill()
    assert services.delete(f"/v1/sessions/{tokens[1]['session']}", token=tokens[0]["accessToken"]).status == 204
    # Not even if the services are killed meanwhile.
    services.kill()
    services.start()
    relay.start()

    async def is_refused():
        return await refused(relay, tokens[1])
    await until(is_refused, "the relay to know")
    assert not await refused(relay, tokens[0])


async def test_a_rotated_key_is_taken_on_open_and_new_connections(both):
    services, relay = both()
    tokens, (phone,) = await sign_in_on(relay, services, "phone")
    first = tokens[0]["accessToken"]
    old = jwt.get_unverified_header(first)["kid"]
    assert services.command("rotate-key").returncode == 0
    assert len(services.get("/.well-known/jwks.json").json["keys"]) in (1, 2)
    assert len(json.loads((services.data / "keys.json").read_text())["keys"]) == 2
    services.kill()
    services.start()
    assert len(services.get("/.well-known/jwks.json").json["keys"]) == 2

    # The relay may read the keys first; then the new one signs, and the relay reads them when it meets it.
    def signed_anew():
        tokens[0].update(services.refresh(tokens[0]["refreshToken"]).json)
        return jwt.get_unverified_header(tokens[0]["accessToken"])["kid"] != old
    await until(signed_anew, "the new key to sign")
    await phone.call("refresh", token=tokens[0]["accessToken"])
    await relay.device(tokens[0]["user"], device="phone", token=tokens[0]["accessToken"])
    # No session ends by it.
    assert services.get("/v1/account", token=first).status == 200
    assert not await refused(relay, {"accessToken": first, "device": "phone"})


# Passwords and links


def test_changing_the_password_ends_other_sessions(services, email):
    phone, tablet = services.sign_up(email), services.sign_in(email).json
    token = phone["accessToken"]
    body = {"password": "wrong one", "newPassword": "battery staple"}
    assert services.post("/v1/password/change", body, token=token).code == "invalid_credentials"
    short = services.post("/v1/password/change", {"password": PASSWORD, "newPassword": "short"}, token=token)
    assert (short.status, short["member"]) == (422, "newPassword")
    assert services.post("/v1/password/change", {**body, "password": PASSWORD}, token=token).status == 204
    assert services.get("/v1/account", token=token).status == 200
    assert services.get("/v1/account", token=tablet["accessToken"]).status == 401
    assert services.sign_in(email).status == 401
    assert services.sign_in(email, "battery staple").status == 200


def test_a_forgotten_password_is_chosen_anew_once(start_services):
    services = start_services()
    tokens = services.sign_up("ann@example.org")
    known = services.post("/v1/password/forgot", {"email": "Ann@example.org"})
    unknown = services.post("/v1/password/forgot", {"email": "nobody@example.org"})
    assert known.status == unknown.status == 202 and known.raw == unknown.raw
    secret = services.link("ann@example.org", "reset")
    for text in ("", "x", secret[:-1], secret + "A"):
        assert services.post("/v1/password/reset", {"token": text, "password": "battery staple"}).code == "bad_link"
    # A short password doesn't use the link up.
    assert services.post("/v1/password/reset", {"token": secret, "password": "short"}).status == 422
    for _ in range(5):
        services.sign_in("ann@example.org", "wrong one")
    assert services.sign_in("ann@example.org").status == 429
    assert services.post("/v1/password/reset", {"token": secret, "password": "battery staple"}).status == 204
    assert services.post("/v1/password/reset", {"token": secret, "password": "battery stapler"}).code == "bad_link"
    assert services.get("/v1/account", token=tokens["accessToken"]).status == 401
    # Guesses of others don't lock out the reader of the address's mail.
    again = services.sign_in("ann@example.org", "battery staple")
    assert again.status == 200
    assert services.get("/v1/account", token=again["accessToken"])["verified"] is True
    assert b"nobody@example.org" not in services.output


def test_an_address_is_confirmed_once(start_services):
    services = start_services()
    token = services.sign_up("ann@example.org")["accessToken"]
    assert services.get("/v1/account", token=token)["verified"] is False
    secret = services.link("ann@example.org", "verify")
    # A link is good for its purpose only.
    assert services.post("/v1/password/reset", {"token": secret, "password": PASSWORD}).code == "bad_link"
    assert services.post("/v1/email/verify", {"token": secret}).status == 204
    assert services.post("/v1/email/verify", {"token": secret}).code == "bad_link"
    assert services.get("/v1/account", token=token)["verified"] is True


def test_a_letter_that_confirms_can_be_sent_again(start_services):
    services = start_services()
    # Resets asked for before the owner came don't hold back the owner's mails.
    for _ in range(6):
        services.post("/v1/password/forgot", {"email": "ann@example.org"})
    token = services.sign_up("ann@example.org")["accessToken"]
    services.link("ann@example.org", "verify")
    for _ in range(4):
        assert services.post("/v1/account/confirmation", token=token).status == 202
        secret = services.link("ann@example.org", "verify")
    answer = services.post("/v1/account/confirmation", token=token)
    assert (answer.status, answer.code) == (429, "rate_limited") and 0 < int(answer.headers["Retry-After"]) <= 900
    assert services.post("/v1/account/confirmation").status == 401
    assert services.post("/v1/email/verify", {"token": secret}).status == 204
    assert services.post("/v1/account/confirmation", token=token).code == "conflict"


def test_a_friend_who_has_lost_the_session_is_let_in_again(start_services):
    services = start_services()
    link = services.command("link", "--friend").stdout.strip().rpartition("=")[2]
    friend = services.post("/v1/sessions/link", {"token": link, "displayName": "Finn"})
    assert services.delete("/v1/sessions/current", token=friend["accessToken"]).status == 204
    line = services.command("admin-token").stdout.strip()
    made = services.post(f"/v1/admin/users/{friend['user']}/link", token=line)
    assert made.status == 201 and made["link"].count("#owner=") == 1
    again = services.post("/v1/sessions/link", {"token": made["link"].rpartition("=")[2]})
    assert again.status == 200 and again["user"] == friend["user"]
    given = {"email": "finn@example.org", "password": PASSWORD}
    assert services.post("/v1/account/password", given, token=again["accessToken"]).status == 200
    assert services.post("/v1/admin/users/unobody/link", token=line).code == "user_not_found"
    # The command beside the process makes links for the owner and for new people only.
    assert services.command("link", "--user", friend["user"]).returncode == 2


def test_a_friend_who_has_no_way_in_gets_one_or_leaves_at_any_time(start_services):
    services = start_services()

    def friend(name):
        link = services.command("link", "--friend").stdout.strip().rpartition("=")[2]
        return services.post("/v1/sessions/link", {"token": link, "displayName": name})["accessToken"]
    token, leaving = friend("Finn"), friend("Gwen")
    services.kill()
    with contextlib.closing(sqlite3.connect(services.data / "services.db")) as store:
        store.execute("UPDATE session SET created = created - 660000")
        store.commit()
    services.start()
    given = {"email": "finn@example.org", "password": PASSWORD}
    assert services.post("/v1/account/password", given, token=token).status == 200
    assert services.post("/v1/sessions", given).status == 200
    # From then on there is something to show.
    assert services.delete("/v1/account", {}, token=token).code == "invalid"
    assert services.delete("/v1/account", {}, token=leaving).status == 204
    assert services.get("/v1/account", token=leaving).status == 401


def test_of_many_who_use_a_link_at_once_one_succeeds(start_services):
    services = start_services()
    services.sign_up("ann@example.org")
    services.post("/v1/password/forgot", {"email": "ann@example.org"})
    secret = services.link("ann@example.org", "reset")
    answers = at_once([
        lambda number=number: services.post(
            "/v1/password/reset", {"token": secret, "password": f"battery staple {number}"})
        for number in range(8)])
    assert sorted(answer.status for answer in answers) == [204] + [422] * 7


def at_once(calls):
    """Returns the results of these calls, begun together."""
    answers, barrier = [None] * len(calls), threading.Barrier(len(calls))

    def run(index, call):
        barrier.wait()
        answers[index] = call()
    threads = [threading.Thread(target=run, args=one) for one in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


# Leaving


def test_nothing_remains_of_a_deleted_account(start_services):
    services = start_services()
    tokens = services.sign_up("remarkable.address@example.org", name="Remarkable Name", device="remarkable.device")
    services.sign_up("bob@example.org")
    services.ask("PATCH", "/v1/account", {"displayName": "Remarkable Other"}, token=tokens["accessToken"])
    services.post("/v1/password/forgot", {"email": "remarkable.address@example.org"})
    services.link("remarkable.address@example.org", "reset")
    assert b"emarkable" in services.bytes_on_disk()
    token = tokens["accessToken"]
    assert services.delete("/v1/account", {"password": "wrong one"}, token=token).status == 401
    assert services.delete("/v1/account", {}, token=token).status == 422
    assert services.delete("/v1/account", {"password": PASSWORD}, token=token).status == 204
    assert b"emarkable" not in services.bytes_on_disk()
    assert services.get("/v1/account", token=token).status == 401
    assert services.refresh(tokens["refreshToken"]).code == "unauthorized"
    assert services.sign_in("remarkable.address@example.org").code == "invalid_credentials"
    again = services.sign_up("remarkable.address@example.org")
    assert again["user"] != tokens["user"]


def test_what_was_deleted_before_a_crash_is_forgotten_by_the_next_start(start_services):
    services = start_services()
    services.sign_up("remarkable.address@example.org", name="Remarkable Name")
    services.kill()
    # As if the process had been killed between the two steps.
    with contextlib.closing(sqlite3.connect(services.data / "services.db")) as store:
        store.execute("PRAGMA secure_delete=ON")
        store.execute("PRAGMA foreign_keys=ON")
        store.execute("PRAGMA wal_autocheckpoint=0")
        store.execute("DELETE FROM account")
        store.commit()
        wal = (services.data / "services.db-wal").read_bytes()
    (services.data / "services.db-wal").write_bytes(wal)
    services.start()
    assert b"emarkable" not in services.bytes_on_disk()


def test_people_get_what_is_kept_of_them(services, email):
    tokens = services.sign_up(email, name="Ann", device="phone")
    export = services.get("/v1/account/export", token=tokens["accessToken"]).json
    assert export["account"]["email"] == email and export["account"]["displayName"] == "Ann"
    assert [one["device"] for one in export["sessions"]] == ["phone"]
    assert [one["purpose"] for one in export["links"]] == ["verify"]
    assert tokens["refreshToken"] not in json.dumps(export)
