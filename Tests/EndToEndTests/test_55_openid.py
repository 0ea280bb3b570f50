"""Signing in with others: the flow of a browser and that of an app against an issuer that may lie in every way."""

import asyncio
import base64
import contextlib
import hashlib
import html.parser
import http.client
import json
import re
import secrets
import sqlite3
import sys
import time
import urllib.parse

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from harness.document import Walk
from harness.relay import REPOSITORY
from harness.up import free_port
from harness.waiting import until
from test_56_account_operators import user

sys.path.insert(0, str(REPOSITORY / "Tests/Fakes"))
import oidc_issuer  # noqa: E402

PAGE = "http://localhost:1/chat"
APP = "org.example.app"


@pytest.fixture
def issuer(tmp_path):
    issuer = oidc_issuer.IssuerProcess(tmp_path)
    yield issuer
    issuer.stop()


@pytest.fixture
def services(issuer, start_services):
    return opened(start_services, issuer)


def opened(start_services, issuer, **settings):
    """Services that know the issuer as `sso`, with what else is said."""
    known = {
        "services__public_url": PAGE, "services__port": free_port(), "services__proxies": "127.0.0.1",
        **firm_settings(issuer)}
    services = start_services(**{**known, **settings})
    services.client = "10.2.0.1"
    return services


def firm_settings(issuer):
    return {
        "openid__issuer": issuer.address, "openid__name": "The firm", "openid__client_id": oidc_issuer.CLIENT,
        "openid__client_secret": oidc_issuer.SECRET, "openid__app_ids": APP,
        "services__allowed_addresses": "127.0.0.0/8,::1"}


def apple_settings(issuer, folder):
    """Apple's ways, and a key for its secret."""
    key = ec.generate_private_key(ec.SECP256R1())
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file = folder / "AuthKey.p8"
    file.touch(0o600)
    file.write_bytes(pem)
    (issuer.folder / "apple.pem").write_bytes(key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
    return {
        "openid__apple_issuer": issuer.address, "openid__apple_client_id": "org.example.web",
        "openid__apple_app_ids": APP, "openid__apple_team_id": "TEAM123456", "openid__apple_key_id": "KEY1234567",
        "openid__apple_key_file": file}


# A browser's part


def visit(url, method="GET", body=None):
    """One request without following anything: the status, the place it leads to, and the body."""
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection("127.0.0.1", parts.port, timeout=20)
    try:
        headers = {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.request(method, path, body=body, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.headers.get("Location"), answer.read()
    finally:
        connection.close()


class Inputs(html.parser.HTMLParser):
    """The fields of a form."""

    def __init__(self, text):
        super().__init__()
        self.fields, self.action = {}, None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "form":
            self.action = attrs["action"]
        elif tag == "input":
            self.fields[attrs["name"]] = attrs["value"]


class Browser:
    """A page's secret, and the way to the provider and back."""

    def __init__(self, services, provider="sso"):
        self.services = services
        self.provider = provider
        self.secret = secrets.token_urlsafe(32)

    @property
    def challenge(self):
        return base64.urlsafe_b64encode(hashlib.sha256(self.secret.encode()).digest()).rstrip(b"=").decode()

    def start(self):
        """Begins, and returns the provider's address."""
        answer = self.services.get(f"/v1/openid/{self.provider}/start?challenge={self.challenge}")
        assert answer.status == 302 and not answer.raw, answer.raw
        assert answer.headers["Cache-Control"] == "no-store" and answer.headers["Referrer-Policy"] == "no-referrer"
        return answer.headers["Location"]

    def back(self):
        """Returns the provider's answer: the address of our callback, or its form."""
        status, place, body = visit(self.start())
        return place if status == 302 else Inputs(body.decode())

    def page(self, back=None):
        """Where the browser is sent: the words behind `#` of the page."""
        back = back or self.back()
        if isinstance(back, str):
            status, place, _ = visit(back)
        else:
            status, place, _ = visit(back.action, "POST", urllib.parse.urlencode(back.fields))
        assert status == 303 and place.startswith(PAGE + "/#"), (status, place)
        return dict([place.partition("#")[2].split("=", 1)])

    def code(self):
        return self.page()["openid"]

    def sign_in(self, **members):
        return self.exchange(self.code(), **members)

    def exchange(self, code, **members):
        return self.services.post("/v1/openid/exchange", {"code": code, "verifier": self.secret, **members})


def native(services, issuer, provider="sso", client=APP, nonce="nonce", code=False, hashed=True, **members):
    """Does an app's part with the token from the provider's library."""
    said = hashlib.sha256(nonce.encode()).hexdigest() if hashed else nonce
    _, _, body = visit(f"{issuer.address}/native?{urllib.parse.urlencode({'client_id': client, 'nonce': said})}")
    given = json.loads(body)
    if code:
        members["authorizationCode"] = given["code"]
    return services.post(
        f"/v1/openid/{provider}/token", {"identityToken": given["id_token"], "nonce": nonce, **members})


def account(services, tokens):
    return services.get("/v1/account", token=tokens["accessToken"])


# The flow


def test_a_browser_signs_up_and_in(services, issuer):
    assert services.get("/v1/openid").json == {"providers": [{"id": "sso", "name": "The firm"}]}
    first = Browser(services).sign_in(device="phone")
    assert first.status == 200 and first["device"] == "phone", first.raw
    told = account(services, first)
    assert told["email"] == "ann@example.org" and told["displayName"] == "Ann" and told["verified"] is True
    second = Browser(services).sign_in()
    assert second["user"] == first["user"] and second["session"] != first["session"]
    assert services.refresh(second["refreshToken"]).status == 200
    # Three documents for two sign-ins: they are cached.
    asked = [one["path"] for one in issuer.requests() if one["method"] == "GET"]
    assert asked.count("/.well-known/openid-configuration") == 1 and asked.count("/jwks") == 1
    [one] = services.get("/v1/account/identities", token=first["accessToken"])["identities"]
    assert one["provider"] == "sso" and one["name"] == "The firm"
    kept = services.get("/v1/account/export", token=first["accessToken"])["identities"]
    assert [(one["issuer"], one["subject"]) for one in kept] == [(issuer.address, "subject-1")]


def test_the_state_and_the_code_are_good_once_and_bound_to_the_page(services):
    ann, mallory = Browser(services), Browser(services)
    back = ann.back()
    code = ann.page(back)["openid"]
    assert ann.page(back) == {"openid-error": "identity_refused"}
    assert ann.page(back.replace("state=", "state=x")) == {"openid-error": "identity_refused"}
    # Login CSRF: another page got the code. It isn't given tokens, and the code is spent.
    answer = mallory.exchange(code)
    assert (answer.status, answer.code) == (401, "identity_refused")
    assert ann.exchange(code).status == 401
    # The other way round: a page that didn't begin has no use for a code that was sent to it.
    assert ann.exchange(mallory.code()).status == 401
    good = Browser(services)
    code = good.code()
    assert good.exchange(code).status == 200 and good.exchange(code).status == 401


def test_a_person_may_say_no(services):
    browser = Browser(services)
    state = urllib.parse.parse_qs(urllib.parse.urlsplit(browser.start()).query)["state"][0]
    base = f"http://127.0.0.1:{services.port}/v1/openid/sso/callback"
    assert browser.page(f"{base}?error=access_denied&state={state}") == {"openid-error": "denied"}
    assert browser.page(f"{base}?error=access_denied&state={state}") == {"openid-error": "identity_refused"}


@pytest.mark.parametrize("path, status, code", [
    ("/v1/openid/nobody/start?challenge=" + "a" * 43, 404, "not_found"),
    ("/v1/openid/sso/start", 422, "invalid"), ("/v1/openid/sso/start?challenge=short", 422, "invalid"),
    ("/v1/openid/sso/callback?a=1&a=2", 400, "bad_request"), ("/v1/openid/nobody/callback", 404, "not_found")])
def test_faulty_addresses(services, path, status, code):
    answer = services.get(path)
    assert (answer.status, answer.code) == (status, code)


def test_nobody_can_begin_at_will(services):
    browser = Browser(services)
    services.client = "10.2.0.9"
    for _ in range(30):
        browser.start()
    answer = services.get(f"/v1/openid/sso/start?challenge={browser.challenge}")
    assert answer.status == 303 and answer.headers["Location"] == f"{PAGE}/#openid-error=rate_limited"
    assert native_refused(services, "x.y.z").code == "rate_limited"


def native_refused(services, token):
    return services.post("/v1/openid/sso/token", {"identityToken": token, "nonce": "nonce"})


# Lies


@pytest.mark.parametrize("lie", sorted(oidc_issuer.LIES.keys() | oidc_issuer.SIGNING_LIES))
def test_each_lie_is_refused(services, issuer, lie):
    issuer.behave(lie=lie)
    answer = Browser(services).sign_in()
    assert (answer.status, answer.code) == (401, "identity_refused"), answer.raw
    answer = native(services, issuer, hashed=lie not in ("nonce", "no_nonce"))
    assert (answer.status, answer.code) == (401, "identity_refused"), answer.raw
    issuer.behave()
    assert Browser(services).sign_in().status == 200
    if lie in ("unknown_kid", "jwk_header"):
        # One fetch for the first, and none for the second.
        assert [one["path"] for one in issuer.requests()].count("/jwks") <= 2


def test_a_rotated_key_costs_one_fetch(services, issuer):
    assert Browser(services).sign_in().status == 200
    issuer.behave(rotate=1)
    for _ in range(3):
        assert Browser(services).sign_in().status == 200
    assert [one["path"] for one in issuer.requests()].count("/jwks") == 2
    # Invented keys cost none.
    issuer.behave(rotate=1, lie="unknown_kid")
    for _ in range(3):
        assert Browser(services).sign_in().status == 401
    assert [one["path"] for one in issuer.requests()].count("/jwks") == 2


@pytest.mark.parametrize("claims, claim", [
    ({"aud": "somebody-else"}, "aud"), ({"exp": 1}, "exp"), ({"iat": 9_999_999_999}, "iat"),
    ({"nonce": "another"}, "nonce"), ({"sub": None}, "sub"), ({"azp": "somebody-else"}, "azp"),
    ({"iss": "https://issuer.invalid"}, "iss")])
def test_the_log_says_which_claim_failed_and_not_its_value(services, issuer, claims, claim):
    issuer.behave(claims=claims)
    assert Browser(services).sign_in().code == "identity_refused"
    assert services.stop() == 0
    [line] = [line for line in services.log().splitlines() if "a sign-in was refused" in line]
    assert " notice " in line and f"claim={claim}" in line and "provider=sso" in line
    for value in ("somebody-else", "9999999999", "another", "issuer.invalid", "ann@example.org", "subject-1"):
        assert value not in services.log()


def test_an_audience_that_the_operator_trusts_may_stand_beside_ours(start_services, issuer):
    issuer.behave(claims={"aud": ["219999999999999999", oidc_issuer.CLIENT], "azp": oidc_issuer.CLIENT})
    services = opened(start_services, issuer)
    assert Browser(services).sign_in().code == "identity_refused"
    services.stop()
    services.start(openid__audiences="219999999999999999")
    assert Browser(services).sign_in().status == 200
    issuer.behave(claims={"aud": ["219999999999999999"]})
    assert Browser(services).sign_in().code == "identity_refused"


def test_times_may_have_fractions_and_tokens_be_long(services, issuer):
    now = time.time()
    groups = [f"a-group-of-the-firm-{number}" for number in range(1_500)]
    issuer.behave(claims={"iat": now - 1.5, "exp": float(int(now) + 600), "nbf": now - 0.25, "groups": groups})
    assert Browser(services).sign_in().status == 200
    assert native(services, issuer).status == 200
    issuer.behave(claims={"groups": groups * 2})
    assert Browser(services).sign_in().code == "identity_refused"


def test_an_address_that_only_userinfo_says_is_taken(services, issuer):
    issuer.behave(
        claims={"email": None, "email_verified": None, "name": None},
        userinfo={"sub": "subject-1", "email": "ann@example.org", "email_verified": True, "name": "Ann"})
    told = account(services, Browser(services).sign_in())
    assert (told["email"], told["verified"], told["displayName"]) == ("ann@example.org", True, "Ann")


def test_addresses_without_a_word_are_confirmed_if_the_operator_trusts_the_issuer(start_services, issuer):
    issuer.behave(claims={"email_verified": None})
    services = opened(start_services, issuer)
    assert "email" not in account(services, Browser(services).sign_in()).json
    services.stop()
    issuer.behave(claims={"sub": "subject-2", "email_verified": None})
    services.start(openid__trust_addresses="on")
    told = account(services, Browser(services).sign_in())
    assert told["email"] == "ann@example.org" and told["verified"] is True


def test_a_provider_that_is_away_for_a_moment_uses_no_code_up(services, issuer):
    browser = Browser(services)
    code = browser.code()
    issuer.behave(token="error")
    answer = browser.exchange(code)
    assert (answer.status, answer.code) == (503, "unavailable") and int(answer.headers["Retry-After"]) > 0
    issuer.behave()
    assert browser.exchange(code).status == 200
    assert browser.exchange(code).code == "identity_refused"


@pytest.mark.parametrize("behaviour", [
    {"jwks": "redirect"}, {"jwks": "huge"}, {"jwks": "garbage"}, {"jwks": "error"}, {"token": "error"},
    {"token": "garbage"}, {"token": "redirect"}, {"token": "no_id_token"}])
def test_an_issuer_that_fails_is_no_way_in(services, issuer, behaviour):
    issuer.behave(**behaviour)
    answer = Browser(services).sign_in()
    assert (answer.status, answer.code) == (503, "unavailable"), answer.raw
    assert "/elsewhere" not in [one["path"] for one in issuer.requests()]


@pytest.mark.parametrize("kind", ["issuer", "elsewhere", "redirect", "huge", "garbage", "error"])
def test_a_document_that_lies_sends_nobody_away(services, issuer, kind):
    issuer.behave(discovery=kind)
    browser = Browser(services)
    answer = services.get(f"/v1/openid/sso/start?challenge={browser.challenge}")
    assert answer.status == 303 and answer.headers["Location"] == f"{PAGE}/#openid-error=unavailable"
    assert native(services, issuer).status == 503
    assert not [one for one in issuer.requests() if one["path"] in ("/jwks", "/elsewhere")]


def test_private_addresses_are_reached_only_if_they_are_named(tmp_path, start_services):
    issuer = oidc_issuer.IssuerProcess(tmp_path, "--tls")
    try:
        services = opened(
            start_services, issuer, services__allowed_addresses="10.0.0.0/8",
            openid__ca_file=tmp_path / "authority.pem")
        browser = Browser(services)
        answer = services.get(f"/v1/openid/sso/start?challenge={browser.challenge}")
        assert answer.headers["Location"].endswith("#openid-error=unavailable") and not issuer.requests()
        services.stop()
        services.start(services__allowed_addresses="127.0.0.1,::1")
        assert urllib.parse.urlsplit(browser.start()).scheme == "https"
    finally:
        issuer.stop()


# Accounts


def test_a_name_and_a_role_are_asked_for_once(start_services, issuer):
    services = opened(start_services, issuer, accounts__roles="trainer,client")
    issuer.behave(claims={"name": None})
    browser = Browser(services)
    code = browser.code()
    for members, member in [
            ({}, "displayName"), ({"displayName": " "}, "displayName"), ({"displayName": "Ann"}, "role"),
            ({"displayName": "Ann", "role": "admin"}, "role")]:
        answer = browser.exchange(code, **members)
        assert (answer.status, answer.code, answer["member"]) == (422, "invalid", member)
    answer = browser.exchange(code, displayName="Ann", role="client")
    assert answer.status == 200
    told = account(services, answer)
    assert told["role"] == "client" and told["displayName"] == "Ann"
    # The provider was asked once.
    assert [one["path"] for one in issuer.requests()].count("/token") == 1
    assert Browser(services).sign_in(role="trainer")["user"] == answer["user"]
    assert account(services, answer)["role"] == "client"


def test_linking_and_unlinking(services, issuer):
    ann = services.sign_up("ann@example.net")
    token = ann["accessToken"]
    browser = Browser(services)
    body = {"code": browser.code(), "verifier": browser.secret}
    path = "/v1/account/identities"
    assert services.post(path, body, token=token).status == 422
    assert services.post(path, {**body, "password": "wrong horse"}, token=token).code == "invalid_credentials"
    assert services.post(path, {**body, "password": "correct horse"}).status == 401
    linked = services.post(path, {**body, "password": "correct horse"}, token=token)
    assert linked.status == 201 and linked["provider"] == "sso", linked.raw
    services.awaited_output(re.compile(rb"mail to ann@example.net: there is a new way to sign in\n"))
    assert Browser(services).sign_in()["user"] == ann["user"]
    other = services.sign_up("bob@example.net")
    browser = Browser(services)
    body = {"code": browser.code(), "verifier": browser.secret, "password": "correct horse"}
    assert services.post(path, body, token=other["accessToken"]).code == "identity_taken"
    assert services.delete(f"{path}/{linked['identity']}", token=other["accessToken"]).status == 404
    assert services.delete(f"{path}/{linked['identity']}", token=token).status == 204
    # The next sign-in by it makes another account.
    alone = Browser(services).sign_in()
    assert alone["user"] != ann["user"]
    [only] = services.get(path, token=alone["accessToken"])["identities"]
    answer = services.delete(f"{path}/{only['identity']}", token=alone["accessToken"])
    assert (answer.status, answer.code) == (409, "last_way_in")
    # An account without a password gets another identity by having signed in a short while ago.
    issuer.behave(claims={"sub": "subject-2"})
    browser = Browser(services)
    body = {"code": browser.code(), "verifier": browser.secret}
    assert services.post(path, body, token=alone["accessToken"]).status == 201
    assert services.delete(f"{path}/{only['identity']}", token=alone["accessToken"]).status == 204


def test_an_app_signs_in_by_its_token(services, issuer):
    first = native(services, issuer, device="phone")
    assert first.status == 200, first.raw
    assert native(services, issuer, hashed=False).code == "identity_refused"
    assert Browser(services).sign_in()["user"] == first["user"]
    assert native(services, issuer, client="org.example.other").code == "identity_refused"
    for missing in ("identityToken", "nonce"):
        body = {"identityToken": "a.b.c", "nonce": "n"}
        del body[missing]
        answer = services.post("/v1/openid/sso/token", body)
        assert (answer.status, answer["member"]) == (422, missing)


def test_erasing_leaves_nothing_of_an_identity(services, issuer):
    issuer.behave(claims={"sub": "a-subject-to-look-for", "name": "Name To Look For", "email": "look@example.org"})
    ann = Browser(services).sign_in()
    assert b"a-subject-to-look-for" in services.bytes_on_disk()
    assert services.delete("/v1/account", {}, token=ann["accessToken"]).status == 204
    left = services.bytes_on_disk()
    for word in (b"a-subject-to-look-for", b"Name To Look For", b"look@example.org"):
        assert word not in left
    log = services.log()
    for word in ("a-subject-to-look-for", "look@example.org", ann["accessToken"], oidc_issuer.SECRET):
        assert word not in log


def test_answers_are_as_the_document_says(services):
    walk, browser, path = Walk(services), Browser(services), "/v1/account/identities"
    ask = walk.ask
    assert ask("GET", "/v1/openid").status == 200
    start, callback = "/v1/openid/{provider}/start", "/v1/openid/{provider}/callback"
    assert ask("GET", f"/v1/openid/sso/start?challenge={browser.challenge}", at=start).status == 302
    assert ask("GET", "/v1/openid/sso/start", at=start).status == 422
    assert ask("GET", "/v1/openid/sso/callback", at=callback).status == 303
    assert ask("POST", "/v1/openid/sso/callback", raw="a=b", at=callback).status == 303
    assert ask("POST", "/v1/openid/sso/token", {"identityToken": "a", "nonce": "b"}, at="/v1/openid/{provider}/token"
               ).status == 401
    token = ask("POST", "/v1/openid/exchange", {"code": browser.code(), "verifier": browser.secret})["accessToken"]
    assert len(ask("GET", "/v1/account/export", token=token)["identities"]) == 1
    [one] = ask("GET", path, token=token)["identities"]
    assert ask("DELETE", f"{path}/{one['identity']}", at=path + "/{identity}", token=token).status == 409
    body = {"code": browser.code(), "verifier": browser.secret}
    assert ask("POST", path, body, token=token)["identity"] == one["identity"]
    assert walk.seen - {"exportAccount"} == walk.operations("openid")


# Apple


def test_apple_posts_a_form_and_names_a_person_once(tmp_path, start_services, issuer):
    user = {"name": {"firstName": "Ann", "lastName": "Lee"}, "email": "victim@example.org"}
    claims = {"name": None, "email": "x7@privaterelay.appleid.com", "email_verified": "true"}
    issuer.behave(apple=True, user=user, claims=claims)
    services = opened(start_services, issuer, **apple_settings(issuer, tmp_path))
    first = Browser(services, "apple").sign_in()
    assert first.status == 200, first.raw
    told = account(services, first)
    assert told["displayName"] == "Ann Lee" and told["email"] == "x7@privaterelay.appleid.com" and told["verified"]
    issuer.behave(apple=True, claims=claims)
    assert Browser(services, "apple").sign_in()["user"] == first["user"]
    # The secret was made for this: signed by the team, for this client, and not for long.
    form = next(one["form"] for one in issuer.requests() if one["path"] == "/auth/token")
    claims = jwt.decode(form["client_secret"], options={"verify_signature": False})
    assert jwt.get_unverified_header(form["client_secret"])["kid"] == "KEY1234567"
    assert (claims["iss"], claims["sub"]) == ("TEAM123456", "org.example.web") and claims["exp"] - claims["iat"] == 300


@pytest.mark.parametrize("way", ["browser", "app"])
async def test_deleting_an_account_ends_apples_grant(tmp_path, start_services, issuer, way):
    issuer.behave(apple=True, user={"name": {"firstName": "Ann"}}, revoke="error")
    services = opened(start_services, issuer, **apple_settings(issuer, tmp_path))
    if way == "browser":
        tokens = Browser(services, "apple").sign_in()
    else:
        tokens = native(services, issuer, "apple", code=True)
    assert tokens.status == 200, tokens.raw
    assert b"refresh-1" not in services.bytes_on_disk()
    assert services.delete("/v1/account", {}, token=tokens["accessToken"]).status == 204
    await until(lambda: ends(issuer), "the end of the grant")
    # Apple is away for longer than the process lives.
    services.kill()
    issuer.behave(apple=True)
    services.start()
    await until(lambda: not left(services), "nothing left to end")
    form = ends(issuer)[-1]["form"]
    assert form["client_id"] == ("org.example.web" if way == "browser" else APP)
    assert form["token_type_hint"] == "refresh_token"


async def test_an_operator_keeps_somebody_out_and_deletes_them(tmp_path, start_services, issuer):
    issuer.behave(apple=True, user={"name": {"firstName": "Ann"}})
    services = opened(start_services, issuer, **apple_settings(issuer, tmp_path))
    ann = Browser(services, "apple").sign_in()
    await asyncio.to_thread(user, services, "suspend", ann["user"])
    for answer in (Browser(services, "apple").sign_in(), native(services, issuer, "apple")):
        assert (answer.status, answer.code) == (403, "suspended"), answer.raw
    await asyncio.to_thread(user, services, "delete", ann["user"], "--yes")
    await until(lambda: ends(issuer) and not left(services), "the end of the grant")
    # The person gets a new account at the next sign-in.
    assert Browser(services, "apple").sign_in()["user"] != ann["user"]


def test_a_state_is_good_at_its_provider_only(tmp_path, start_services, issuer):
    services = opened(start_services, issuer, **apple_settings(issuer, tmp_path))
    browser = Browser(services)
    back = browser.back()
    assert browser.page(back.replace("/sso/", "/apple/")) == {"openid-error": "identity_refused"}
    assert browser.page(back) == {"openid-error": "identity_refused"}


def ends(issuer):
    return [one for one in issuer.requests() if one["path"] == "/auth/revoke"]


def left(services):
    with contextlib.closing(sqlite3.connect(services.data / "services.db")) as store:
        return store.execute("SELECT count(*) FROM ended_grant").fetchone()[0]


# The operator


@pytest.mark.parametrize("settings, words", [
    ({"openid.client_id": "a"}, "openid.issuer"),
    ({"openid.client_id": "a", "openid.issuer": "http://login.example.org"}, "https"),
    ({"openid.client_id": "a", "openid.issuer": "http://127.0.0.1:1"}, "services.allowed_addresses"),
    ({"openid.apple_client_id": "a"}, "openid.apple_team_id"),
    ({"openid.issuer": "login.example.org"}, "openid.issuer"),
    ({"services.allowed_addresses": "10.0.0.0/33"}, "services.allowed_addresses")])
def test_mistakes_are_told_at_the_start(start_services, settings, words):
    services = start_services()
    services.stop()
    flags = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    ended = services.command("serve", "--set", "services.port=0", *flags)
    assert ended.returncode == 2 and words in ended.stderr and ended.stderr.count("\n") == 1, ended.stderr


def test_without_providers_there_is_nobody(start_services):
    services = start_services()
    assert services.get("/v1/openid").json == {"providers": []}
    assert services.get("/v1/openid/google/start?challenge=" + "a" * 43).status == 404
