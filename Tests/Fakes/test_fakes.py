"""The stand-ins do what their heads say: an honest round succeeds, and each lie is one."""

import base64
import hashlib
import smtplib
import ssl
import sys
import urllib.error
import urllib.parse
import urllib.request
import json
import pathlib

import jwt
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import oidc_issuer  # noqa: E402
import smtp_server  # noqa: E402


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(NoRedirect)
VERIFIER = "v" * 43


@pytest.fixture
def issuer(tmp_path):
    issuer = oidc_issuer.IssuerProcess(tmp_path)
    yield issuer
    issuer.stop()


def sign_in(issuer, verifier=VERIFIER):
    """Goes through the authorization code flow as a relying party, and returns the answer to the code."""
    challenge = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
    query = {
        "client_id": oidc_issuer.CLIENT, "redirect_uri": "http://localhost/back", "state": "s", "nonce": "n",
        "scope": "openid", "response_type": "code", "code_challenge": challenge, "code_challenge_method": "S256"}
    with pytest.raises(urllib.error.HTTPError) as found:
        OPENER.open(f"{issuer.address}/authorize?{urllib.parse.urlencode(query)}")
    with found.value as redirect:
        back = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(redirect.headers["Location"]).query))
    assert back["state"] == "s"
    form = {
        "grant_type": "authorization_code", "code": back["code"], "redirect_uri": "http://localhost/back",
        "code_verifier": verifier, "client_id": oidc_issuer.CLIENT, "client_secret": oidc_issuer.SECRET}
    with OPENER.open(f"{issuer.address}/token", urllib.parse.urlencode(form).encode()) as answer:
        return json.load(answer)


def verified(issuer, token):
    """Checks an ID token as a relying party should, by PyJWT."""
    with OPENER.open(f"{issuer.address}/jwks") as answer:
        keys = jwt.PyJWKSet.from_dict(json.load(answer))
    key = keys[jwt.get_unverified_header(token)["kid"]]
    claims = jwt.decode(
        token, key, algorithms=["RS256"], audience=oidc_issuer.CLIENT, issuer=issuer.address,
        options={"require": ["iss", "aud", "sub", "exp", "iat"], "strict_aud": True})
    assert claims.get("nonce") == "n" and claims.get("azp", oidc_issuer.CLIENT) == oidc_issuer.CLIENT
    assert 0 < len(claims["sub"]) <= 255
    return claims


def test_an_honest_round_succeeds_and_keys_rotate(issuer):
    assert verified(issuer, sign_in(issuer)["id_token"])["sub"] == "subject-1"
    issuer.behave(rotate=1)
    token = sign_in(issuer)["id_token"]
    assert jwt.get_unverified_header(token)["kid"] == "key-1"
    verified(issuer, token)


def test_a_wrong_verifier_is_refused(issuer):
    with pytest.raises(urllib.error.HTTPError) as found:
        sign_in(issuer, "w" * 43)
    with found.value as refusal:
        assert refusal.code == 400


@pytest.mark.parametrize("lie", sorted(oidc_issuer.LIES.keys() | oidc_issuer.SIGNING_LIES))
def test_each_lie_is_seen(issuer, lie):
    issuer.behave(lie=lie)
    token = sign_in(issuer)["id_token"]
    with pytest.raises((jwt.InvalidTokenError, KeyError, AssertionError)):
        verified(issuer, token)


def test_mail_is_kept_refused_and_put_off(tmp_path):
    server = smtp_server.MailServer(tmp_path, "--user", "u", "--password", "p")
    try:
        server.behave(defer=1, refuse=["no@example.org"])
        with smtplib.SMTP("localhost", server.port) as client:
            client.starttls(context=ssl.create_default_context(cafile=server.authority))
            with pytest.raises(smtplib.SMTPAuthenticationError):
                client.login("u", "wrong")
            client.login("u", "p")
            for address, code in [("no@example.org", 550), ("ann@example.org", 451)]:
                with pytest.raises(smtplib.SMTPRecipientsRefused) as found:
                    client.sendmail("from@example.org", [address], "Subject: a\r\n\r\nb\r\n")
                assert found.value.recipients[address][0] == code
            client.sendmail("from@example.org", ["ann@example.org"], "Subject: a\r\n\r\nb\r\n")
        [letter] = server.letters()
        assert letter["recipients"] == ["ann@example.org"] and letter["encrypted"] and letter["user"] == "u"
        assert letter["text"] == "Subject: a\r\n\r\nb\r\n"
    finally:
        server.stop()
