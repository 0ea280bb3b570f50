"""Operators over accounts: their acts in a terminal and over HTTP, the rights to them, and the audit log."""

import asyncio
import json
import re
import shutil
import subprocess
import sys

import pytest

from harness.document import Walk
from harness.relay import REPOSITORY, command
from harness.up import free_port
from harness.waiting import until

sys.path.insert(0, str(REPOSITORY / "Tests/Fakes"))
from smtp_server import MailServer  # noqa: E402

PASSWORD = "correct horse"


@pytest.fixture
def both(start_services, start):
    """A services process and a relay that trusts its keys, each of which knows the other."""
    def both(**settings):
        port = free_port()
        services = start_services(services__relay_url=f"ws://127.0.0.1:{port}/v1/socket", **settings)
        return services, start(auth__public_keys=services.data / "keys.json", listen__port=port)
    return both


def user(services, *words, code=0, kind="user"):
    """`roost admin user …` on the machine of the services. Returns what it printed."""
    done = command(
        services.folder, "admin", *([kind] if kind else []), *words, "--set", f"services.data={services.data}",
        "--set", f"services.port={services.port}")
    assert done.returncode == code, (done.stdout, done.stderr)
    return done.stdout or done.stderr


def audit(services, *words):
    """The entries, without their times: (by, act, rest)."""
    lines = user(services, "--limit", "1000", *words, kind="audit").splitlines()
    return [tuple(line.split("  ")[1:]) for line in lines]


def admin(services, *words):
    """A token of the command line."""
    return services.command("admin-token", *words).stdout.strip()


# The command line


def test_signing_out_on_one_device(start_services):
    services = start_services()
    phone = services.sign_up("ann@example.org", device="phone")
    tablet = services.sign_in("ann@example.org", device="tablet").json
    for name in ("ann@example.org", phone["user"]):
        assert user(services, "revoke", name, "--device", "phone", code=name != "ann@example.org") == (
            "signed out there\n" if name == "ann@example.org"
            else "roost: not_found: the user isn't signed in on a device of this name\n")
    assert services.refresh(phone["refreshToken"]).status == 401
    assert services.refresh(tablet["refreshToken"]).status == 200
    # The name of a device isn't kept.
    assert ("@operator", f"revoke {phone['user']} {phone['session']}") in audit(services)
    user(services, "revoke", "--device", "phone", code=2)
    user(services, "revoke", "--session", phone["session"], "--device", "phone", code=2)


def test_show_and_find(start_services):
    services = start_services()
    ann = services.sign_up("ann@example.org", name="Änne", device="phone")
    bob = services.sign_up("bob@example.org", name="annabel")
    said = user(services, "show", ann["user"]).splitlines()
    assert said[0] == f"{ann['user']}  Änne"
    assert said[1].startswith("  address ann@example.org, not confirmed, language en, since ")
    assert said[2].startswith(f"  phone  session {ann['session']}, since ")
    assert said[3].startswith("  has a link to verify, works until ") and len(said) == 4
    assert user(services, "show", " ANN@example.org") == "\n".join(said) + "\n"
    shown = json.loads(user(services, "show", ann["user"], "--json"))
    assert shown["account"]["email"] == "ann@example.org" and shown["account"]["hasPassword"] is True
    assert "argon2" not in json.dumps(shown) and "hash" not in shown["account"]
    # By the address first, then by the name; without case; each once.
    found = [line.split("  ")[0] for line in user(services, "find", "Ann").splitlines()]
    assert found == [ann["user"], bob["user"]]
    assert user(services, "find", "bob@").startswith(f"{bob['user']}  annabel, bob@example.org")
    assert user(services, "find", "z") == ""
    assert user(services, "show", "u" + "0" * 16, code=1) == "roost: user_not_found: there is no such user\n"
    said = user(services, "show", "nobody@example.org", code=1)
    assert said == "roost: user_not_found: no account has this address\n"
    assert user(services, "show", "../../healthz", code=1).startswith("roost: user_not_found")


def test_all_pages_of_a_search(start_services):
    services = start_services(services__proxies="127.0.0.1")
    people = {}
    for number in range(7):
        services.client = f"10.0.0.{number}"
        people[services.sign_up(f"u{number}@example.org", name="Uma" if number % 2 else "Vic")["user"]] = number
    token, after, seen, pages = admin(services), None, [], 0
    while True:
        body = {"prefix": "u", "limit": 2, **({"after": after} if after else {})}
        page = services.post("/v1/admin/users/find", body, token=token)
        assert page.status == 200 and len(page["accounts"]) <= 2
        seen += [one["user"] for one in page["accounts"]]
        pages += 1
        if not (after := page.json.get("next")):
            break
    assert sorted(seen) == sorted(people) and pages >= 4
    for body in ({"limit": 0}, {"limit": 101}, {"limit": "1"}, {"after": "x"}, {"after": 1}, {"prefix": 1},
                 {"prefix": "x" * 257}, {"email": "x"}):
        assert services.post("/v1/admin/users/find", body, token=token).status == 422, body


def test_role_and_tier(start_services):
    services = start_services(accounts__roles="trainer,client")
    ann = services.sign_up("ann@example.org", role="client")
    assert services.ask("PATCH", "/v1/account", {"role": "trainer"}, token=ann["accessToken"]).code == "role_immutable"
    assert user(services, "role", ann["user"], "trainer") == "the role is trainer\n"
    assert "one of trainer, client" in user(services, "role", ann["user"], "king", code=1)
    assert user(services, "tier", "ann@example.org", "gold_2") == "the tier is gold_2\n"
    account = services.get("/v1/account", token=ann["accessToken"])
    assert (account["role"], account["tier"]) == ("trainer", "gold_2")
    export = services.get("/v1/account/export", token=ann["accessToken"])
    assert export["account"]["tier"] == "gold_2"
    # Operators' facts about people aren't shown to them.
    assert "suspended" not in account.json and "operator" not in account.json
    assert "must be 1 to 32 of" in user(services, "tier", ann["user"], "Gold", code=1)
    assert user(services, "tier", ann["user"], "--none") == "there is no tier\n"
    assert "tier" not in services.get("/v1/account", token=ann["accessToken"]).json
    user(services, "tier", ann["user"], code=2)
    assert audit(services)[:4] == [
        ("@operator", f"tier {ann['user']}"), ("@operator", f"tier {ann['user']} gold_2"), ("@operator", "find"),
        ("@operator", f"role {ann['user']} trainer")]


def test_named_tiers(start_services):
    services = start_services(accounts__tiers="free,gold")
    ann = services.sign_up("ann@example.org")
    assert "one of free, gold" in user(services, "tier", ann["user"], "silver", code=1)
    user(services, "tier", ann["user"], "gold")


def test_a_body_changes_one_thing(start_services):
    services = start_services()
    ann, token = services.sign_up("ann@example.org"), admin(services)
    path = f"/v1/admin/users/{ann['user']}"
    for body in ({}, {"tier": "a", "operator": True}, {"operator": "yes"}, {"tier": 3},
                 {"role": None}, {"displayName": "X"}):
        assert services.ask("PATCH", path, body, token=token).code == "invalid", body
    assert audit(services) == []


async def test_suspended_and_resumed(both):
    services, relay = both()
    ann, bob = services.sign_up("ann@example.org", device="phone"), services.sign_up("bob@example.org")
    phone = await relay.device(ann["user"], device="phone", token=ann["accessToken"])
    other = await relay.device(bob["user"], device=bob["device"], token=bob["accessToken"])
    assert await asyncio.to_thread(user, services, "suspend", "ann@example.org", "--as", "olga") == "suspended\n"
    assert await phone.closed() == 4503
    await other.barrier()
    # It outlives both processes.
    services.kill()
    relay.kill()
    relay.start()
    services.start(services__port=services.port)
    assert services.sign_in("ann@example.org").code == "suspended"
    assert services.sign_in("ann@example.org").status == 403
    # A stranger learns nothing.
    assert services.sign_in("ann@example.org", "wrong one").code == "invalid_credentials"
    for _ in range(2):
        assert (services.refresh(ann["refreshToken"]).status, services.refresh(ann["refreshToken"]).code) == (
            403, "suspended")
    assert services.get("/v1/account", token=ann["accessToken"]).code == "suspended"
    refused = await relay.connect()
    assert await refused.refusal(
        "hello", token=ann["accessToken"], device="phone") in ("unauthorized", "token_revoked")
    # Neither does a new password let them in.
    services.post("/v1/password/forgot", {"email": "ann@example.org"})
    secret = await asyncio.to_thread(services.link, "ann@example.org", "reset")
    assert services.post("/v1/password/reset", {"token": secret, "password": "battery staple"}).status == 204
    assert services.sign_in("ann@example.org", "battery staple").code == "suspended"
    said = await asyncio.to_thread(user, services, "show", ann["user"])
    assert "suspended" in said.splitlines()[1] and "  session " not in said
    assert await asyncio.to_thread(user, services, "resume", ann["user"]) == "may sign in again\n"
    # The sessions of before are over.
    assert services.refresh(ann["refreshToken"]).code == "unauthorized"
    again = services.sign_in("ann@example.org", "battery staple", device="phone")
    assert again.status == 200
    phone = await relay.device(again["user"], device="phone", token=again["accessToken"])
    await phone.barrier()
    # Resuming an account that isn't suspended ends nothing.
    await asyncio.to_thread(user, services, "resume", ann["user"])
    await phone.barrier()
    assert services.refresh(again["refreshToken"]).status == 200


async def test_signed_out_by_an_operator(both):
    services, relay = both()
    one = services.sign_up("ann@example.org", device="phone")
    two = services.sign_in("ann@example.org", device="tablet").json
    phone = await relay.device(one["user"], device="phone", token=one["accessToken"])
    tablet = await relay.device(two["user"], device="tablet", token=two["accessToken"])
    await asyncio.to_thread(user, services, "revoke", "--session", one["session"])
    assert await phone.closed() == 4503
    await tablet.barrier()
    await asyncio.to_thread(user, services, "revoke", "ann@example.org")
    assert await tablet.closed() == 4503
    assert services.refresh(two["refreshToken"]).code == "unauthorized"
    assert services.sign_in("ann@example.org").status == 200
    assert "no such session" in user(services, "revoke", "--session", one["session"], code=1)
    for words in [(), ("ann@example.org", "--session", "s")]:
        user(services, "revoke", *words, code=2)
    assert audit(services, "--user", one["user"]) == [
        ("@operator", f"revoke {one['user']}"), ("@operator", f"revoke {one['user']} {one['session']}")]


async def test_deleted_by_an_operator(both):
    services, relay = both()
    ann = services.sign_up("ann@example.org", name="Annabella", device="phone")
    phone = await relay.device(ann["user"], device="phone", token=ann["accessToken"])
    await asyncio.to_thread(user, services, "show", "ann@example.org")
    assert "--yes" in user(services, "delete", ann["user"], code=2)
    assert await asyncio.to_thread(user, services, "delete", ann["user"], "--yes", "--as", "olga") == "deleted\n"
    assert await phone.closed() == 4503
    assert services.sign_in("ann@example.org").code == "invalid_credentials"
    kept = services.bytes_on_disk()
    assert b"ann@example.org" not in kept and b"Annabella" not in kept
    # The random id is all that is left.
    assert audit(services, "--user", ann["user"]) == [
        ("@olga", f"delete {ann['user']}"), ("@operator", f"show {ann['user']}")]
    assert "user_not_found" in user(services, "delete", ann["user"], "--yes", code=1)


# Rights


OPERATIONS = [
    ("POST", "/v1/admin/users/find", {"prefix": ""}), ("GET", "/v1/admin/users/{user}", None),
    ("PATCH", "/v1/admin/users/{user}", {"tier": "x"}), ("POST", "/v1/admin/users/{user}/suspend", {}),
    ("POST", "/v1/admin/users/{user}/resume", {}), ("DELETE", "/v1/admin/users/{user}/sessions", None),
    ("DELETE", "/v1/admin/sessions/{sid}", None), ("GET", "/v1/admin/audit", None),
    ("DELETE", "/v1/admin/users/{user}", None)]


def test_only_operators(both):
    services, relay = both()
    ann, bob = services.sign_up("ann@example.org"), services.sign_up("bob@example.org")
    # The relay's own keys are none of the services'.
    strange = relay.token("@olga", scope="chat admin")
    for method, path, body in OPERATIONS:
        path = path.format(user=ann["user"], sid=ann["session"])
        assert services.ask(method, path, body).status == 401, path
        assert services.ask(method, path, body, token=strange).status == 401, path
        assert services.ask(method, path, body, token=ann["accessToken"][:-4] + "AAAA").status == 401, path
        refused = services.ask(method, path, body, token=bob["accessToken"])
        assert (refused.status, refused.code) == (403, "forbidden"), path
    assert audit(services) == [], "what was refused isn't an act"
    assert services.get("/v1/account", token=ann["accessToken"]).status == 200


async def test_an_operator_with_an_account(both):
    services, relay = both()
    ann, bob = services.sign_up("ann@example.org"), services.sign_up("bob@example.org")
    assert user(services, "operator", "bob@example.org") == "an operator\n"
    # It counts at once, whatever the token says; the relay goes by the next token.
    assert services.get("/v1/admin/audit", token=bob["accessToken"]).status == 200
    bob = services.refresh(bob["refreshToken"]).json
    session = await relay.connect()
    await session.hello(bob["accessToken"], operator=True)
    for method, path, body in OPERATIONS:
        path = path.format(user=ann["user"], sid=ann["session"])
        expected = 404 if path.startswith("/v1/admin/sessions") else 200 if method != "DELETE" else 204
        assert services.ask(method, path, body, token=bob["accessToken"]).status == expected, path
    # Operators can't lock themselves out.
    for method, path, body in (("POST", "/suspend", {}), ("DELETE", "", None), ("PATCH", "", {"operator": False})):
        answer = services.ask(method, f"/v1/admin/users/{bob['user']}{path}", body, token=bob["accessToken"])
        assert answer.code == "conflict", path
    assert (bob["user"], f"delete {ann['user']}") in audit(services)
    # A dismissed operator is one no longer, here and at the relay.
    assert user(services, "operator", bob["user"], "--off") == "no longer an operator\n"
    assert await session.closed() == 4503
    assert services.get("/v1/admin/audit", token=bob["accessToken"]).status == 401
    again = services.sign_in("bob@example.org").json
    assert services.get("/v1/admin/audit", token=again["accessToken"]).code == "forbidden"


def test_a_suspended_operator_is_none(start_services):
    services = start_services()
    bob = services.sign_up("bob@example.org")
    user(services, "operator", bob["user"])
    user(services, "suspend", bob["user"])
    assert services.get("/v1/admin/audit", token=bob["accessToken"]).code == "suspended"


def test_tokens_of_the_command_line(start_services, tmp_path):
    services = start_services()
    ann = services.sign_up("ann@example.org")
    token = admin(services, "--as", "olga")
    assert services.get(f"/v1/admin/users/{ann['user']}", token=token).status == 200
    # It is no session of anybody.
    assert services.get("/v1/account", token=token).status == 401
    assert audit(services)[0] == ("@olga", f"show {ann['user']}")
    for name in ("ann@example.org", "", "a b", "x" * 65):
        assert services.command("admin-token", "--as", name).returncode == 1, name
    # The token that is given is used; and no key is made where there is none.
    done = command(
        tmp_path, "admin", "user", "show", ann["user"], "--token", token, "--url", f"http://127.0.0.1:{services.port}")
    assert done.returncode == 0, done.stderr
    done = command(tmp_path, "admin", "user", "show", ann["user"])
    assert done.returncode == 1 and "there are no keys of roost-services" in done.stderr
    assert list(tmp_path.iterdir()) == []
    services.stop()
    assert "the services don't answer" in user(services, "show", ann["user"], code=1)


def test_keys_beside_the_store(start_services):
    """`roost up` has the keys there, so a command with the store's path doesn't need theirs."""
    services = start_services()
    ann = services.sign_up("ann@example.org")
    done = command(
        services.folder, "admin", "user", "show", ann["user"], "--set", f"store.path={services.folder}/roost.db",
        "--url", f"http://127.0.0.1:{services.port}")
    assert done.returncode == 0, done.stderr


def test_answers_are_as_the_document_says(start_services):
    services = start_services()
    walk, token = Walk(services), admin(services)
    bob, carol = services.sign_up("bob@example.org"), services.sign_up("carol@example.org")
    path, at = f"/v1/admin/users/{bob['user']}", "/v1/admin/users/{user}"
    assert walk.ask("POST", "/v1/admin/users/find", {"prefix": "", "limit": 1}, token=token)["next"]
    assert walk.ask("PATCH", path, {"tier": "gold"}, at=at, token=token).status == 200
    assert walk.ask("GET", path, at=at, token=token)["sessions"]
    assert walk.ask("GET", path, at=at, token=carol["accessToken"]).status == 403
    assert walk.ask("GET", "/v1/admin/letters", token=token)["letters"] == []
    assert walk.ask("POST", f"{path}/suspend", at=f"{at}/suspend", token=token)["account"]["suspended"] is True
    assert walk.ask("POST", "/v1/sessions/refresh", {"refreshToken": bob["refreshToken"]}).status == 403
    assert walk.ask("POST", f"{path}/resume", at=f"{at}/resume", token=token)["account"]["suspended"] is False
    assert walk.ask("POST", f"{path}/link", at=f"{at}/link", token=token).status == 201
    assert walk.ask("DELETE", f"{path}/factor", at=f"{at}/factor", token=token).code == "conflict"
    sid = services.sign_in("bob@example.org")["session"]
    assert walk.ask("DELETE", f"/v1/admin/sessions/{sid}", at="/v1/admin/sessions/{sid}", token=token).status == 204
    assert walk.ask("DELETE", f"{path}/sessions", at=f"{at}/sessions", token=token).status == 204
    assert walk.ask("GET", "/v1/admin/audit?limit=2", at="/v1/admin/audit", token=token)["next"]
    assert walk.ask("DELETE", path, at=at, token=token).status == 204
    assert walk.ask("DELETE", path, at=at, token=token).status == 404
    assert walk.seen >= walk.operations("administration")


def test_the_audit_log_comes_in_pages(start_services):
    services = start_services()
    ann, token = services.sign_up("ann@example.org"), admin(services)
    for number in range(5):
        services.ask("PATCH", f"/v1/admin/users/{ann['user']}", {"tier": f"t{number}"}, token=token)
    first = services.get("/v1/admin/audit?limit=2", token=token)
    assert [one["detail"] for one in first["entries"]] == ["t4", "t3"]
    second = services.get(f"/v1/admin/audit?limit=4&before={first['next']}&user={ann['user']}", token=token)
    assert [one["detail"] for one in second["entries"]] == ["t2", "t1", "t0"] and "next" not in second.json
    for query in ("limit=0", "limit=101", "limit=x", "before=x"):
        assert services.get(f"/v1/admin/audit?{query}", token=token).status == 422
    # It outlives a crash.
    services.kill()
    services.start()
    assert len(audit(services)) == 5


# Finding one another


def verified(services, email, **members):
    """An account whose address is confirmed."""
    tokens = services.sign_up(email, **members)
    assert services.post("/v1/email/verify", {"token": services.link(email, "verify")}).status == 204
    return tokens


def test_looking_somebody_up(start_services):
    services = start_services(accounts__lookup="on", services__proxies="127.0.0.1")
    ann, bob = verified(services, "ann@example.org"), verified(services, "bob@example.org", name="Bob")
    services.sign_up("eve@example.org", name="Not Eve")

    def look(email, token=ann["accessToken"]):
        return services.post("/v1/users/lookup", {"email": email}, token=token)
    found = look(" BOB@example.org")
    assert (found.status, found.json) == (200, {"user": bob["user"], "displayName": "Bob"})
    # A part of an address finds no account, and an unproven address isn't found.
    for email in ("bob@example.or", "eve@example.org", "nobody@example.org"):
        assert (look(email).status, look(email).code) == (404, "user_not_found"), email
    assert look("bob").status == 422
    assert services.post("/v1/users/lookup", {"email": "bob@example.org"}).status == 401
    assert look("bob@example.org", admin(services)).status == 401, "an operator has another way"
    user(services, "suspend", "bob@example.org")
    assert look("bob@example.org").code == "user_not_found"
    user(services, "resume", "bob@example.org")
    # Ten in a minute, found or not, for each caller wherever they are.
    assert [look("bob@example.org").status for _ in range(3)] == [200, 200, 429]
    services.client = "10.9.9.9"
    refused = look("ann@example.org")
    assert refused.code == "rate_limited" and 0 < int(refused.headers["Retry-After"]) <= 60
    eve = services.sign_in("eve@example.org").json
    assert look("bob@example.org", eve["accessToken"]).status == 200


def test_nobody_is_looked_up_unless_the_operator_wants_it(start_services):
    services = start_services()
    ann = verified(services, "ann@example.org")
    answer = services.post("/v1/users/lookup", {"email": "ann@example.org"}, token=ann["accessToken"])
    assert (answer.status, answer.code) == (404, "not_found")


# Metrics


def samples(services, **options):
    """The samples of the page, by their names with labels."""
    answer = services.get("/metrics", **options)
    assert answer.status == 200 and answer.headers["Content-Type"].startswith("text/plain; version=0.0.4"), answer.raw
    lines = [line for line in answer.raw.decode().splitlines() if not line.startswith("#")]
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines}


async def test_what_is_counted(start_services, tmp_path):
    server = MailServer(tmp_path)
    port = free_port()
    try:
        services = start_services(
            services__proxies="127.0.0.1", services__relay_url=f"ws://127.0.0.1:{port}/v1/socket", mail__mode="smtp",
            mail__host="localhost", mail__port=server.port, mail__from="no-reply@example.org",
            mail__ca_file=server.authority)
        assert samples(services)['roost_services_entries_total{way="refresh",result="refresh_reused"}'] == 0
        ann = services.sign_up("ann@example.org")
        services.sign_up("bob@example.org")
        assert services.post(
            "/v1/accounts", {"email": "ann@example.org", "password": PASSWORD, "displayName": "A"}).status == 409
        for _ in range(6):
            services.sign_in("ann@example.org", "wrong one")
        services.sign_in("bob@example.org")
        assert services.reuse(ann["refreshToken"])[0].code == "refresh_reused"
        services.get("/invented/by/somebody")
        services.ask("TRACE", "/v1/account")
        services.delete(f"/v1/sessions/{'0' * 16}")

        def shown(name, value):
            return until(lambda: samples(services).get(name) == value, f"{name} {value}: {samples(services)}")
        for way, result, count in [
                ("sign_up", "ok", 2), ("sign_up", "email_taken", 1), ("password", "ok", 1),
                ("password", "invalid_credentials", 5), ("password", "rate_limited", 1), ("refresh", "ok", 9),
                ("refresh", "refresh_reused", 1), ("openid", "ok", 0), ("link", "ok", 0)]:
            await shown(f'roost_services_entries_total{{way="{way}",result="{result}"}}', count)
        await shown('roost_services_rate_limited_total{limit="account"}', 1)
        await shown('roost_services_rate_limited_total{limit="address"}', 0)
        # The relay is away, so that the end of a session waits.
        await shown("roost_services_revocations_waiting", 1)
        assert samples(services)["roost_services_revocation_wait_seconds"] > 0
        await shown("roost_services_accounts", 2)
        await shown("roost_services_sessions", 2)
        await shown("roost_services_hash_queue", 0)
        # Three of sign-ups, five wrong, one right.
        await shown("roost_services_hash_seconds_count", 9)
        await shown('roost_services_mails_total{result="sent"}', 2)
        await shown("roost_services_mails_waiting", 0)
        await shown('roost_services_outgoing_total{use="mail",result="answered"}', 2)
        await shown('roost_services_outgoing_resting{use="openid"}', 0)
        await shown('roost_services_requests_total{method="POST",route="/v1/sessions",status="401"}', 5)
        await shown('roost_services_requests_total{method="other",route="other",status="404"}', 1)
        await shown('roost_services_requests_total{method="other",route="/v1/account",status="405"}', 1)
        await shown('roost_services_requests_total{method="DELETE",route="/v1/sessions/{sid}",status="401"}', 1)
        page = services.get("/metrics").raw.decode()
        done = subprocess.run([promtool(), "check", "metrics"], input=page, capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, done.stdout + done.stderr
        for word in ("ann", "bob", "example.org", ann["user"], ann["session"], "invented", "TRACE", "localhost"):
            assert word not in page, word
    finally:
        server.stop()


def promtool():
    found = REPOSITORY / ".build-prometheus/usr/bin/promtool"
    program = str(found) if found.exists() else shutil.which("promtool")
    if not program:
        pytest.skip("promtool isn't there; on Debian, Scripts/setup unpacks it")
    return program


def test_metrics_with_a_token(start_services):
    services = start_services(services__metrics_token="a-token-for-prometheus")
    for options in ({}, {"token": "a-token-for-prometheux"}, {"token": "a"}, {"token": admin(services)}):
        assert services.get("/metrics", **options).status == 401
    assert "roost_services_accounts" in samples(services, token="a-token-for-prometheus")


# The logs


async def test_no_log_has_a_secret_or_an_address(start_services, start, tmp_path):
    """A whole journey, with everything in the logs that they can have."""
    server, port = MailServer(tmp_path), free_port()
    try:
        services = start_services(
            services__relay_url=f"ws://127.0.0.1:{port}/v1/socket", services__log_level="trace", mail__mode="smtp",
            mail__host="localhost", mail__port=server.port, mail__from="sender@example.org",
            mail__ca_file=server.authority, accounts__lookup="on", services__metrics_token="a-token-for-prometheus",
            services__public_url="https://chat.example.org")
        relay = start(auth__public_keys=services.data / "keys.json", listen__port=port, log__level="trace")
        secrets = await journey(services, relay, server)
        assert services.stop() == 0 and relay.stop() == 0
    finally:
        server.stop()
    assert "an operator acted" in services.log() and "operator.revoked" in relay.log()
    assert " trace " in services.log() or " debug " in services.log()
    for name, text in (("services", services.log()), ("relay", relay.log())):
        for secret in secrets:
            assert secret not in text, (name, secret)


async def journey(services, relay, server):
    """Does everything, and returns what no log may have."""
    def letter(number):
        return until(lambda: len(server.letters()) >= number and server.letters()[number - 1], f"letter {number}")

    async def secret(number, purpose):
        text = (await letter(number))["text"].replace("=\r\n", "")
        return re.search(rf"/#{purpose}=3D(\S+)", text)[1].replace("=3D", "=")
    kept = ["example.org", "correct horse", "wrong-password", "battery staple", "Annabella", "Bobadilla"]
    ann = services.sign_up("ann@example.org", name="Annabella", device="phone")
    kept.append(await secret(1, "verify"))
    assert services.post("/v1/email/verify", {"token": kept[-1]}).status == 204
    bob = services.sign_up("bob@example.org", name="Bobadilla", device="tablet")
    phone = await relay.device(ann["user"], device="phone", token=ann["accessToken"])
    services.sign_in("ann@example.org", "wrong-password")
    services.sign_in("ann@example.org", "wrong-password", device="not a device ann@example.org")
    assert services.post("/v1/users/lookup", {"email": "ann@example.org"}, token=bob["accessToken"]).status == 200
    reused, newest = services.reuse(bob["refreshToken"])
    assert reused.code == "refresh_reused" and services.refresh(newest).status == 401
    # A secret in an address is in no log either.
    for path in ("/v1/users/ann@example.org", "/v1/account?token=" + ann["accessToken"],
                 "/ann@example.org?wrong-password", "/v1/admin/users/ann@example.org",
                 "/v1/admin/audit?user=ann@example.org"):
        assert services.get(path, token=ann["accessToken"]).status in (200, 403, 404), path
    services.ask("POST", "/v1/sessions", raw='{"email":"ann@example.org","password":"wrong-password"')
    services.get("/v1/account", headers={"Authorization": "Basic ann@example.org:wrong-password"})
    services.get("/metrics", token="a-token-for-prometheus")
    services.post("/v1/password/forgot", {"email": "ann@example.org"})
    kept.append(await secret(3, "reset"))
    assert services.post("/v1/password/reset", {"token": kept[-1], "password": "battery staple"}).status == 204
    assert await phone.closed() == 4503
    again = services.sign_in("ann@example.org", "battery staple", device="phone").json
    phone = await relay.device(ann["user"], device="phone", token=again["accessToken"])
    token = admin(services)
    for words in (("show", "ann@example.org"), ("find", "ann"), ("tier", "ann@example.org", "gold"),
                  ("operator", "bob@example.org"), ("suspend", "ann@example.org")):
        await asyncio.to_thread(user, services, *words)
    assert await phone.closed() == 4503
    services.sign_in("ann@example.org", "battery staple")
    services.refresh(again["refreshToken"])
    operator = services.sign_in("bob@example.org").json
    session = await relay.connect()
    await session.hello(operator["accessToken"], operator=True)
    assert services.get(f"/v1/admin/users/{ann['user']}", token=operator["accessToken"]).status == 200
    await asyncio.to_thread(user, services, "resume", "ann@example.org")
    await asyncio.to_thread(user, services, "delete", "ann@example.org", "--yes", "--token", token)
    assert services.delete(
        "/v1/account", {"password": "correct horse"}, token=operator["accessToken"]).status == 204
    assert await session.closed() == 4503
    tokens = [value for one in (ann, bob, {"refreshToken": newest}, again, operator) for name, value in one.items()
              if name in ("accessToken", "refreshToken")]
    pem = next((services.data / "keys").glob("*.pem")).read_text().splitlines()
    return [*kept, *tokens, token, "a-token-for-prometheus", *pem[1:-1], "$argon2"]


# Without mail


def test_links_wait_for_an_operator_if_there_is_no_mail(start_services):
    services = start_services(mail__mode="off")
    services.sign_up("ann@example.org", name="Ann")
    assert services.post("/v1/password/forgot", {"email": "ann@example.org"}).status == 202
    assert services.post("/v1/password/forgot", {"email": "nobody@example.org"}).status == 202

    def letters():
        return user(services, kind=None, *["letters"]).splitlines()

    for _ in range(100):
        if len(letters()) == 2:
            break
    verify, reset = letters()
    assert verify.startswith("ann@example.org  confirm the address until ") and "/#verify=" in verify
    assert reset.startswith("ann@example.org  choose a new password until ")
    secret = reset.rpartition("#reset=")[2]
    assert services.post("/v1/password/reset", {"token": secret, "password": "battery staple"}).status == 204
    assert services.sign_in("ann@example.org", "battery staple").status == 200
    # The look is in the audit log with its operator, and no link is anywhere on the disk or in the log.
    assert ("@operator", "letters") in audit(services)
    assert secret.encode() not in services.bytes_on_disk() and secret not in services.log()
    assert services.get("/v1/admin/letters", token=services.sign_in("ann@example.org", "battery staple")["accessToken"]
                        ).status == 403
