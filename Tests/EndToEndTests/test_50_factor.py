"""Two-step verification over HTTP, with the codes of another implementation: turning it on and off, signing in by each
way, and what each party learns.
"""

import asyncio
import re

from harness.document import Walk
from harness.relay import command
from harness.totp import totp
from harness.up import free_port

PASSWORD = "correct horse"


def turn_on(services, tokens, password=PASSWORD):
    """Returns the secret and the recovery codes. The code of this step is used up, so that the next one is good."""
    token = tokens["accessToken"]
    offer = services.post("/v1/account/factor", {"password": password} if password else {}, token=token)
    assert offer.status == 201, offer.raw
    turned = services.post("/v1/account/factor/confirm", {"code": totp(offer["secret"])}, token=token)
    assert turned.status == 200, turned.raw
    return offer["secret"], turned["recoveryCodes"]


def second(services, first, code):
    assert (first.status, first.code) == (401, "factor_required"), first.raw
    assert "accessToken" not in first.json
    return services.post("/v1/sessions/factor", {"ticket": first["ticket"], "code": code, "device": "new"})


def admin(services, *words, code=0):
    done = command(
        services.folder, "admin", "user", *words, "--set", f"services.data={services.data}", "--set",
        f"services.port={services.port}")
    assert done.returncode == code, (done.stdout, done.stderr)
    return done.stdout + done.stderr


def test_the_life_of_a_second_factor(start_services):
    services = start_services(services__proxies="127.0.0.1")
    services.client = "10.0.0.1"
    walk = Walk(services)
    ann = services.sign_up("ann@example.org", device="phone")
    token = ann["accessToken"]
    assert walk.ask("GET", "/v1/account/factor", token=token).json == {"recoveryCodes": 0, "required": False}
    assert walk.ask("POST", "/v1/account/factor", {"password": "wrong one"}, token=token).code == "invalid_credentials"
    offer = walk.ask("POST", "/v1/account/factor", {"password": PASSWORD}, token=token)
    secret = offer["secret"]
    assert offer["address"] == f"otpauth://totp/Roost:ann@example.org?secret={secret}&issuer=Roost"
    # A secret without its code asks for nothing.
    assert services.sign_in("ann@example.org").status == 200
    assert walk.ask("POST", "/v1/account/factor/confirm", {"code": "12345"}, token=token)["member"] == "code"
    shown = totp(secret)
    codes = walk.ask("POST", "/v1/account/factor/confirm", {"code": shown}, token=token)["recoveryCodes"]
    assert len(set(codes)) == 10
    state = walk.ask("GET", "/v1/account/factor", token=token)
    assert state["since"] and state["recoveryCodes"] == 10
    assert services.get("/v1/account", token=token)["hasFactor"] is True
    # The other device is out; this one isn't.
    assert [one["device"] for one in services.get("/v1/sessions", token=token)["sessions"]] == ["phone"]
    # A stranger without the password learns nothing of it.
    assert services.sign_in("ann@example.org", "wrong one").json == services.sign_in("eve@example.org").json
    first = walk.ask("POST", "/v1/sessions", {"email": "ann@example.org", "password": PASSWORD})
    # The ticket is no token.
    assert services.get("/v1/account", token=first["ticket"]).code == "unauthorized"
    ticket = {"ticket": first["ticket"]}
    assert walk.ask("POST", "/v1/sessions/factor", {**ticket, "code": shown}).code == "wrong_code", "used"
    assert walk.ask("POST", "/v1/sessions/factor", {**ticket, "code": totp(secret, 9)}).code == "wrong_code"
    came = walk.ask("POST", "/v1/sessions/factor", {**ticket, "code": totp(secret, 1), "device": "laptop"})
    assert (came.status, came["device"], came["user"]) == (200, "laptop", ann["user"])
    assert walk.ask("POST", "/v1/sessions/factor", {**ticket, "code": codes[9]}).code == "sign_in_again"
    # A recovery code, once, and its owner is written to.
    assert second(services, services.sign_in("ann@example.org"), codes[0].upper().replace("-", " ")).status == 200
    services.awaited_output(re.compile(rb"mail to ann@example.org: somebody signed in with a recovery code\n"))
    assert second(services, services.sign_in("ann@example.org"), codes[0]).code == "wrong_code"
    # The stored secret can't be read.
    kept = services.bytes_on_disk()
    for word in [secret, *codes, *(one.replace("-", "") for one in codes), first["ticket"]]:
        assert word.encode() not in kept and word not in services.log()
    export = services.get("/v1/account/export", token=token)
    assert export["factor"]["recoveryCodes"] == 9 and secret not in export.raw.decode()
    newer = walk.ask(
        "POST", "/v1/account/factor/codes", {"password": PASSWORD, "code": codes[1]}, token=token)["recoveryCodes"]
    assert not set(newer) & set(codes)
    assert second(services, services.sign_in("ann@example.org"), codes[2]).code == "wrong_code"
    # Off, by both.
    off = {"password": PASSWORD, "code": newer[0]}
    assert services.delete("/v1/account/factor", {**off, "password": "wrong one"}, token=token).status == 401
    assert services.delete("/v1/account/factor", {**off, "code": codes[3]}, token=token).code == "wrong_code"
    assert walk.ask("DELETE", "/v1/account/factor", off, token=token).status == 204
    assert services.sign_in("ann@example.org").status == 200
    assert walk.seen >= walk.operations("factors")


def test_guesses_are_bounded_apart_from_passwords(start_services):
    services = start_services(services__proxies="127.0.0.1")
    services.client = "10.0.0.1"
    ann = services.sign_up("ann@example.org")
    _, codes = turn_on(services, ann)
    for number in range(5):
        services.client = f"10.0.1.{number}"
        assert second(services, services.sign_in("ann@example.org"), "000000").code == "wrong_code"
    refused = second(services, services.sign_in("ann@example.org"), codes[0])
    assert refused.code == "rate_limited" and 0 < int(refused.headers["Retry-After"]) <= 900
    # A stranger's wrong passwords keep no user from the second step of a sign-in that has begun.
    bob = services.sign_up("bob@example.org")
    _, others = turn_on(services, bob)
    begun = services.sign_in("bob@example.org")
    for number in range(6):
        services.client = f"10.0.2.{number}"
        last = services.sign_in("bob@example.org", "wrong one")
    assert last.code == "rate_limited"
    assert second(services, begun, others[0]).status == 200
    # One client, whatever it tries.
    services.client = "10.0.3.1"
    tries = [services.post("/v1/sessions/factor", {"ticket": "x", "code": "000000"}).code for _ in range(31)]
    assert tries == ["sign_in_again"] * 30 + ["rate_limited"]
    assert services.sign_up("carol@example.org")["user"]


async def test_an_operator_needs_one_where_that_is_required(start_services, start):
    port = free_port()
    services = start_services(
        services__relay_url=f"ws://127.0.0.1:{port}/v1/socket", accounts__operator_factor="required")
    relay = start(auth__public_keys=services.data / "keys.json", listen__port=port)
    link = services.command("link").stdout.strip().rpartition("=")[2]
    owner = services.post("/v1/sessions/link", {"token": link, "displayName": "Olga", "device": "laptop"}).json
    # The chat is open, and nothing else.
    laptop = await relay.device(owner["user"], device="laptop", token=owner["accessToken"])
    await laptop.barrier()
    answer = services.get("/v1/admin/audit", token=owner["accessToken"])
    assert (answer.status, answer.code) == (403, "factor_missing")
    session = await relay.connect()
    assert await session.refusal("hello", token=owner["accessToken"], operator=True) == "forbidden"
    assert services.get("/v1/account/factor", token=owner["accessToken"])["required"] is True
    secret, codes = await asyncio.to_thread(turn_on, services, owner, None)
    assert services.get("/v1/admin/audit", token=owner["accessToken"]).status == 200
    owner |= services.refresh(owner["refreshToken"]).json
    session = await relay.connect()
    await session.hello(owner["accessToken"], operator=True)
    assert services.delete("/v1/account/factor", {"code": codes[0]}, token=owner["accessToken"]).code == "conflict"
    # The link that opens everything asks for a code, too.
    link = services.command("link").stdout.strip().rpartition("=")[2]
    came = second(services, services.post("/v1/sessions/link", {"token": link}), totp(secret, 1))
    assert came["user"] == owner["user"]
    # A lost device: the machine's administrator turns it off, and every session ends.
    said = await asyncio.to_thread(admin, services, "reset-factor", owner["user"])
    assert said == f"two-step verification is off for {owner['user']}\n"
    assert await session.closed() == 4503
    assert services.get("/v1/account", token=came["accessToken"]).status == 401
    assert "there is no second factor" in await asyncio.to_thread(
        admin, services, "reset-factor", owner["user"], code=1)
    link = services.command("link").stdout.strip().rpartition("=")[2]
    assert services.post("/v1/sessions/link", {"token": link}).status == 200


def test_a_ticket_outlives_a_restart_and_not_a_new_password(start_services):
    services = start_services()
    ann = services.sign_up("ann@example.org")
    _, codes = turn_on(services, ann)
    first = services.sign_in("ann@example.org")
    services.kill()
    services.start()
    assert second(services, first, codes[0]).status == 200
    late = services.sign_in("ann@example.org")
    change = {"password": PASSWORD, "newPassword": "battery staple"}
    assert services.post("/v1/password/change", change, token=ann["accessToken"]).status == 204
    assert second(services, late, codes[1]).code == "sign_in_again"
