"""Signing in with others: what thieves of tokens, foreign pages and people with a false address can't do."""

import base64
import hashlib
import json
import re
import urllib.parse

from test_55_openid import APP, PAGE, Browser, account, issuer, native, services, visit  # noqa: F401


def test_a_foreign_page_begins_no_sign_in(services):
    browser = Browser(services)
    path = f"/v1/openid/sso/start?challenge={browser.challenge}"
    image = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "image"}
    for headers in (
            image, image | {"Sec-Fetch-Site": "same-site"}, image | {"Sec-Fetch-Dest": "iframe"},
            {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"},
            {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document", "Referer": "https://evil.example/"}):
        for _ in range(31):
            answer = services.get(path, headers=headers)
            assert (answer.status, answer.code) == (403, "forbidden"), headers
    # From the page, whether that is on the same site or not.
    origin = PAGE.removesuffix("/chat")
    for headers in (
            {}, {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Dest": "document"},
            {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document", "Referer": f"{origin}/"}):
        assert services.get(path, headers=headers).status == 302, headers
    # A provider that sends a form does so from its own page.
    answer = services.post("/v1/openid/sso/callback", {"state": "x"}, headers={"Origin": "https://appleid.apple.com"})
    assert answer.status == 303


def test_a_stolen_token_is_good_for_nothing_without_the_nonce(services, issuer):
    said = hashlib.sha256(b"nonce").hexdigest()
    _, _, body = visit(f"{issuer.address}/native?{urllib.parse.urlencode({'client_id': APP, 'nonce': said})}")
    token = json.loads(body)["id_token"]
    claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
    # A holder of the token reads this in it.
    for nonce in (claims["nonce"], claims["nonce"].upper(), hashlib.sha256(said.encode()).hexdigest()):
        answer = services.post("/v1/openid/sso/token", {"identityToken": token, "nonce": nonce})
        assert (answer.status, answer.code) == (401, "identity_refused"), answer.raw
    assert services.post("/v1/openid/sso/token", {"identityToken": token, "nonce": "nonce"}).status == 200


def test_an_address_joins_only_what_both_sides_have_confirmed(services, issuer):
    mallory = services.sign_up("ann@example.org", name="Mallory")
    # Mallory waits for Ann in an account with Ann's address.
    answer = Browser(services).sign_in()
    assert (answer.status, answer.code) == (409, "email_taken")
    assert native(services, issuer).code == "email_taken"
    secret = services.link("ann@example.org", "verify")
    assert services.post("/v1/email/verify", {"token": secret}).status == 204
    # A provider that doesn't check addresses may give any user's.
    issuer.behave(claims={"email_verified": False})
    assert Browser(services).sign_in().code == "email_taken"
    issuer.behave()
    # It was a provider that Mallory linked, too.
    issuer.behave(claims={"sub": "mallory-1", "email": "mallory@example.org"})
    browser = Browser(services)
    body = {"code": browser.code(), "verifier": browser.secret, "password": "correct horse"}
    assert services.post("/v1/account/identities", body, token=mallory["accessToken"]).status == 201
    issuer.behave()
    ann = Browser(services).sign_in()
    assert ann["user"] == mallory["user"]
    services.awaited_output(re.compile(
        rb"mail to ann@example.org: you signed in in a new way, and every other way was ended\n"))
    # Nothing of Mallory's leads into it any more.
    assert services.get("/v1/account", token=mallory["accessToken"]).code == "unauthorized"
    assert services.refresh(mallory["refreshToken"]).code == "unauthorized"
    assert services.sign_in("ann@example.org").code == "invalid_credentials"
    assert len(services.get("/v1/account/identities", token=ann["accessToken"])["identities"]) == 1
    issuer.behave(claims={"sub": "mallory-1", "email": "mallory@example.org"})
    assert Browser(services).sign_in()["user"] != mallory["user"]
    issuer.behave()
    # The password that Ann chooses by a mail stays when she signs in again.
    services.post("/v1/password/forgot", {"email": "ann@example.org"})
    reset = services.link("ann@example.org", "reset")
    assert services.post("/v1/password/reset", {"token": reset, "password": "battery staple"}).status == 204
    assert Browser(services).sign_in()["user"] == ann["user"]
    assert services.sign_in("ann@example.org", "battery staple").status == 200
    issuer.behave(claims={"sub": "subject-2", "email": "bob@example.org", "email_verified": False})
    assert "email" not in account(services, Browser(services).sign_in()).json
