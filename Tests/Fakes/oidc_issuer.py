"""An issuer of OpenID Connect for tests, on a free port of 127.0.0.1, with every lie that a relying party must see.

    python Tests/Fakes/oidc_issuer.py FOLDER [--tls]

It prints a line "listens on PORT" and writes into FOLDER: `authority.pem`, by which its certificate is checked with
`--tls`, and `requests.jsonl` with what it was asked. It speaks discovery (OpenID Connect Discovery 1.0), the
authorization code with PKCE (RFC 7636) and the token endpoint, and Apple's form of both (/auth/token, /auth/revoke).
Nobody is asked to sign in: the authorization endpoint redirects at once.

Before each answer it reads FOLDER/behaviour.json, if there is one:

    {"lie": NAME}          the next ID tokens are wrong in the way that LIES says
    {"claims": {…}}        claims that replace those of an ID token; null leaves one out
    {"rotate": N}          the N-th key signs; the set has it and the one before
    {"jwks": "redirect"}   the key set is somewhere else; also "huge", "garbage", "empty", "error", "slow"
    {"discovery": "issuer"}  the document names another issuer; also "elsewhere" (its addresses are another host's),
                           "redirect", "huge", "garbage", "error"
    {"apple": true}        the document names Apple's paths; `user` is the field of that name in its form
    {"userinfo": {…}}      the document has an endpoint for what is said of somebody, which says this
    {"revoke": "error"}    the end of a grant isn't taken; also "denied" (400)
    {"token": "error"}     the token endpoint answers 500; also "denied" (400), "garbage", "redirect", "no_id_token"

It ends with its standard input, so that no test leaves one behind.
"""

import argparse
import base64
import hashlib
import hmac
import html
import http.server
import json
import pathlib
import ssl
import subprocess
import sys
import threading
import time
import urllib.parse

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "EndToEndTests"))
from harness.certificates import Authority  # noqa: E402

CLIENT = "roost"
SECRET = "client-secret"
CODE_SECONDS = 60
HUGE = 2_000_000

# The faults of an ID token: how its claims are changed, or how it is signed (`sign`).
LIES = {
    "aud": lambda claims: claims | {"aud": "somebody-else"},
    "aud_list": lambda claims: claims | {"aud": [claims["aud"], "somebody-else"]},  # Without `azp`.
    "azp": lambda claims: claims | {"azp": "somebody-else"},
    "iss": lambda claims: claims | {"iss": "https://issuer.invalid"},
    "iss_slash": lambda claims: claims | {"iss": claims["iss"] + "/"},
    "nonce": lambda claims: claims | {"nonce": "another"},
    "no_nonce": lambda claims: {name: claims[name] for name in claims if name != "nonce"},
    "exp": lambda claims: claims | {"exp": claims["iat"] - 3600, "iat": claims["iat"] - 7200},
    "no_exp": lambda claims: {name: claims[name] for name in claims if name != "exp"},
    "iat_future": lambda claims: claims | {"iat": claims["iat"] + 86_400, "exp": claims["exp"] + 86_400},
    "no_sub": lambda claims: {name: claims[name] for name in claims if name != "sub"},
    "empty_sub": lambda claims: claims | {"sub": ""},
    "long_sub": lambda claims: claims | {"sub": "a" * 10_000},
    "number_sub": lambda claims: claims | {"sub": 5},
}
SIGNING_LIES = {
    "alg_none", "unknown_kid", "no_kid", "hs256_public_key", "other_key", "changed_payload", "cut_signature",
    "jwk_header", "wrong_alg",
}


def number(value):
    size = (value.bit_length() + 7) // 8
    return base64.urlsafe_b64encode(value.to_bytes(size, "big")).rstrip(b"=").decode()


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def without(mapping):
    return {name: value for name, value in mapping.items() if value is not None}


class Keys:
    """RS256 keys, made when they are first needed."""

    def __init__(self):
        self.made = {}
        self.lock = threading.Lock()

    def key(self, index):
        with self.lock:
            if index not in self.made:
                self.made[index] = rsa.generate_private_key(65537, 2048)
            return self.made[index]

    def jwk(self, index):
        numbers = self.key(index).public_key().public_numbers()
        return {
            "kty": "RSA", "use": "sig", "alg": "RS256", "kid": f"key-{index}", "n": number(numbers.n),
            "e": number(numbers.e)}


class Issuer:
    """The common part of the endpoints."""

    def __init__(self, folder):
        self.folder = folder
        self.keys = Keys()
        self.codes = {}
        self.lock = threading.Lock()
        self.address = None

    def behaviour(self):
        try:
            return json.loads((self.folder / "behaviour.json").read_text())
        except FileNotFoundError:
            return {}

    def note(self, **what):
        with self.lock, open(self.folder / "requests.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(what) + "\n")

    def id_token(self, nonce, audience):
        behaviour = self.behaviour()
        now = int(time.time())
        claims = {
            "iss": self.address, "aud": audience, "sub": "subject-1", "iat": now, "exp": now + 600, "nonce": nonce,
            "email": "ann@example.org", "email_verified": True, "name": "Ann"}
        claims = without(claims | behaviour.get("claims", {}))
        lie = behaviour.get("lie")
        if lie in LIES:
            claims = LIES[lie](claims)
        elif lie is not None and lie not in SIGNING_LIES:
            raise ValueError(f"there is no lie {lie}")
        return self.signed(claims, behaviour.get("rotate", 0), lie)

    def signed(self, claims, index, lie):
        key = self.keys.key(index)
        kid = f"key-{index}"
        if lie == "alg_none":
            return jwt.encode(claims, None, algorithm="none", headers={"kid": kid})
        if lie == "hs256_public_key":
            return self.signed_by_public_key(claims, key, kid)
        if lie == "other_key":
            return jwt.encode(claims, self.keys.key(1_000), algorithm="RS256", headers={"kid": kid})
        if lie == "wrong_alg":
            other = ec.generate_private_key(ec.SECP256R1())
            return jwt.encode(claims, other, algorithm="ES256", headers={"kid": kid})
        if lie == "jwk_header":
            headers = {"kid": "key-1000", "jwk": self.keys.jwk(1_000)}
            return jwt.encode(claims, self.keys.key(1_000), algorithm="RS256", headers=headers)
        if lie == "no_kid":
            return jwt.encode(claims, key, algorithm="RS256")
        token = jwt.encode(claims, key, algorithm="RS256", headers={"kid": "nobody" if lie == "unknown_kid" else kid})
        head, _, signature = token.split(".")
        if lie == "changed_payload":
            return f"{head}.{encoded(json.dumps(claims | {'sub': 'subject-2'}).encode())}.{signature}"
        return token[:-8] if lie == "cut_signature" else token

    @staticmethod
    def signed_by_public_key(claims, key, kid):
        """RFC 8725, section 2.1: the public key, in the form of PEM, as the secret of an HMAC."""
        secret = key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        head = encoded(json.dumps({"alg": "HS256", "typ": "JWT", "kid": kid}).encode())
        signed = f"{head}.{encoded(json.dumps(claims).encode())}"
        return f"{signed}.{encoded(hmac.digest(secret, signed.encode(), hashlib.sha256))}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    @property
    def issuer(self):
        return self.server.issuer

    def answer(self, status, body, headers=()):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def trouble(self, kind):
        """Answers in one of the ways that any endpoint may fail in; False if it is none of them."""
        if kind == "redirect":
            self.answer(302, b"", [("Location", f"{self.issuer.address}/elsewhere")])
        elif kind == "huge":
            self.answer(200, b"{" + b" " * HUGE + b"}")
        elif kind == "garbage":
            self.answer(200, b"\xff{[")
        elif kind == "error":
            self.answer(500, {"error": "server_error"})
        elif kind == "slow":
            time.sleep(60)
        else:
            return False
        return True

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        self.issuer.note(method="GET", path=url.path)
        if url.path == "/.well-known/openid-configuration":
            self.discovery()
        elif url.path in ("/jwks", "/auth/keys", "/elsewhere"):
            self.key_set(url.path)
        elif url.path in ("/authorize", "/auth/authorize"):
            self.authorize(dict(urllib.parse.parse_qsl(url.query)))
        elif url.path == "/userinfo":
            is_right = self.headers.get("Authorization") == "Bearer access-1"
            self.answer(200 if is_right else 401, self.issuer.behaviour().get("userinfo", {}) if is_right else {})
        elif url.path == "/native":
            self.native(dict(urllib.parse.parse_qsl(url.query)))
        else:
            self.answer(404, {"error": "not_found"})

    def do_POST(self):
        size = int(self.headers.get("Content-Length", 0))
        form = dict(urllib.parse.parse_qsl(self.rfile.read(size).decode()))
        self.issuer.note(method="POST", path=self.path, form=form, authorization=self.headers.get("Authorization"))
        if self.path in ("/token", "/auth/token"):
            self.token(form)
        elif self.path in ("/revoke", "/auth/revoke"):
            self.revoke(form)
        else:
            self.answer(404, {"error": "not_found"})

    def discovery(self):
        kind = self.issuer.behaviour().get("discovery")
        if self.trouble(kind):
            return
        address = self.issuer.address
        base = "http://169.254.169.254" if kind == "elsewhere" else address
        keys = "/jwks"
        if self.issuer.behaviour().get("apple"):
            base, keys = f"{base}/auth", "/keys"
        more = {"userinfo_endpoint": f"{base}/userinfo"} if "userinfo" in self.issuer.behaviour() else {}
        self.answer(200, more | {
            "issuer": "https://issuer.invalid" if kind == "issuer" else address,
            "authorization_endpoint": f"{base}/authorize", "token_endpoint": f"{base}/token",
            "jwks_uri": f"{base}{keys}", "revocation_endpoint": f"{base}/revoke", "response_types_supported": ["code"],
            "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
        })

    def key_set(self, path):
        behaviour = self.issuer.behaviour()
        kind = behaviour.get("jwks")
        # A client that follows the redirect gets the keys, and so gives itself away.
        if path != "/elsewhere" and self.trouble(kind):
            return
        index = behaviour.get("rotate", 0)
        shown = [] if kind == "empty" else [self.issuer.keys.jwk(one) for one in (index, index - 1) if one >= 0]
        self.answer(200, {"keys": shown})

    def authorize(self, query):
        needed = {"client_id", "redirect_uri", "state", "nonce", "code_challenge", "scope", "response_type"}
        if needed - query.keys() or query.get("code_challenge_method") != "S256" or query["response_type"] != "code":
            self.answer(400, {"error": "invalid_request"})
            return
        fields = {"code": self.new_code(query), "state": query["state"]}
        if query.get("response_mode") == "form_post":
            self.form(query["redirect_uri"], fields)
        elif "name" in query["scope"].split():
            self.answer(400, {"error": "invalid_request"})  # Apple: "response_mode must be form_post".
        else:
            self.answer(302, b"", [("Location", f"{query['redirect_uri']}?{urllib.parse.urlencode(fields)}")])

    def new_code(self, query):
        code = encoded(hashlib.sha256(f"{time.time_ns()}{query}".encode()).digest())
        with self.issuer.lock:
            self.issuer.codes[code] = (query, time.monotonic())
        return code

    def form(self, address, fields):
        """A page that posts itself (OAuth 2.0 Form Post Response Mode). Apple names a person at the first time only."""
        if user := self.issuer.behaviour().get("user"):
            fields["user"] = json.dumps(user)
        inputs = "".join(
            f'<input type="hidden" name="{name}" value="{html.escape(value)}">' for name, value in fields.items())
        page = (
            f'<form method="post" action="{html.escape(address)}">{inputs}</form>'
            "<script>document.forms[0].submit()</script>")
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page.encode())

    def native(self, query):
        """Returns the token from a provider's library for an app, and a code that belongs to no page."""
        self.answer(200, {
            "code": self.new_code(query), "id_token": self.issuer.id_token(query["nonce"], query["client_id"])})

    def revoke(self, form):
        kind = self.issuer.behaviour().get("revoke")
        if self.trouble(kind):
            return
        if kind == "denied" or not form.get("token") or not self.is_client(form, form.get("client_id")):
            self.answer(400, {"error": "invalid_request"})
            return
        self.answer(200, b"")

    def token(self, form):
        kind = self.issuer.behaviour().get("token")
        if self.trouble(kind):
            return
        with self.issuer.lock:
            query, made = self.issuer.codes.pop(form.get("code"), (None, 0))
        if kind == "denied" or query is None or not self.is_right(form, query, made):
            self.answer(400, {"error": "invalid_grant"})
            return
        answer = {"access_token": "access-1", "refresh_token": "refresh-1", "token_type": "Bearer", "expires_in": 600}
        if kind != "no_id_token":
            answer["id_token"] = self.issuer.id_token(query["nonce"], query["client_id"])
        self.answer(200, answer)

    def is_right(self, form, query, made):
        """RFC 6749, section 4.1.3, and RFC 7636, section 4.6."""
        challenge = encoded(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        is_bound = "redirect_uri" not in query or (
            form.get("redirect_uri") == query["redirect_uri"] and challenge == query["code_challenge"])
        return (
            form.get("grant_type") == "authorization_code" and is_bound and time.monotonic() - made < CODE_SECONDS
            and self.is_client(form, query["client_id"]))

    def is_client(self, form, client):
        basic = self.headers.get("Authorization", "")
        if basic.startswith("Basic "):
            name, _, secret = base64.b64decode(basic[6:]).decode().partition(":")
            return (urllib.parse.unquote(name), urllib.parse.unquote(secret)) == (client, SECRET)
        if form.get("client_id") != client:
            return False
        if self.path.startswith("/auth/"):
            return self.is_apple_secret(form.get("client_secret", ""), client)
        return form.get("client_secret") == SECRET

    def is_apple_secret(self, secret, client):
        """An ES256 token by the key in FOLDER/apple.pem (Apple, "Creating a client secret")."""
        try:
            key = (self.issuer.folder / "apple.pem").read_bytes()
            claims = jwt.decode(
                secret, key, algorithms=["ES256"], audience=[self.issuer.address, "https://appleid.apple.com"],
                options={"require": ["iss", "iat", "exp", "aud", "sub"]})
            return claims["sub"] == client and claims["exp"] - claims["iat"] <= 15_777_000
        except (jwt.InvalidTokenError, FileNotFoundError):
            return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tls", action="store_true")
    arguments = parser.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.issuer = Issuer(arguments.folder)
    port = server.server_address[1]
    server.issuer.address = f"{'https' if arguments.tls else 'http'}://localhost:{port}"
    if arguments.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*Authority(arguments.folder).issue("issuer"))
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"listens on {port}", flush=True)
    sys.stdin.read()


class IssuerProcess:
    """The issuer as a process of its own, for tests in Python."""

    def __init__(self, folder, *options):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.process = subprocess.Popen(
            [sys.executable, __file__, str(folder), *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        port = int(self.process.stdout.readline().split()[-1])
        self.address = f"{'https' if '--tls' in options else 'http'}://localhost:{port}"

    def behave(self, **behaviour):
        part = self.folder / "behaviour.part"
        part.write_text(json.dumps(behaviour))
        part.rename(self.folder / "behaviour.json")

    def requests(self):
        try:
            return [json.loads(line) for line in (self.folder / "requests.jsonl").read_text().splitlines()]
        except FileNotFoundError:
            return []

    def stop(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(10)


if __name__ == "__main__":
    main()
