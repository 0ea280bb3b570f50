"""The common part of all requests to the services process: limits, origins, errors, the operator's settings, and
crashes.
"""

import asyncio
import contextlib
import http.client
import json
import os
import re
import signal
import socket as sockets
import subprocess
import sys
import threading

import pytest
import yaml

from harness.document import Walk, document
from harness.relay import REPOSITORY, command, environment
from harness.services import SERVICES, Services
from harness.waiting import PATIENCE, until

sys.path.insert(0, str(REPOSITORY / "Tests/Fakes"))
from smtp_server import MailServer  # noqa: E402

PASSWORD = "correct horse"


# HTTP


def test_faulty_requests_get_json(services):
    for method, path, options, status, code in [
            ("GET", "/nowhere", {}, 404, "not_found"),
            ("PUT", "/v1/sessions", {}, 405, "method_not_allowed"),
            ("POST", "/v1/sessions", {"raw": "{"}, 400, "bad_json"),
            ("POST", "/v1/sessions", {"raw": "[]"}, 400, "bad_json"),
            ("POST", "/v1/sessions", {"raw": ""}, 400, "bad_json"),
            ("POST", "/v1/sessions", {"raw": b"\xff"}, 400, "bad_json"),
            ("POST", "/v1/accounts", {"raw": "{" * 5000}, 400, "bad_json"),
            ("POST", "/v1/sessions", {"raw": "{" + " " * 16384 + "}"}, 413, "too_large"),
            ("GET", "/v1/account", {}, 401, "unauthorized"),
            ("GET", "/v1/account", {"token": "x.y.z"}, 401, "unauthorized"),
            ("GET", "/v1/account", {"headers": {"Authorization": "Basic YTpi"}}, 401, "unauthorized")]:
        answer = services.ask(method, path, **options)
        assert (answer.status, answer.code) == (status, code), (path, options, answer.raw)
        assert answer.headers["Cache-Control"] == "no-store" and "Set-Cookie" not in answer.headers
    assert services.ask("PUT", "/v1/sessions").headers["Allow"] == "DELETE, GET, HEAD, POST"


@pytest.mark.parametrize("path, status", [("/healthz", 200), ("/v1/account", 401), ("/nowhere", 404)])
def test_head_is_get_without_the_body(services, path, status):
    request = "{} {} HTTP/1.1\r\nHost: x\r\n{}\r\n"
    with sockets.create_connection(("127.0.0.1", services.port), timeout=20) as plain:
        plain.sendall(request.format("HEAD", path, "").encode())
        plain.sendall(request.format("GET", path, "Connection: close\r\n").encode())
        heads = plain.makefile("rb").read().split(b"\r\n\r\n")
    # Two heads and one body: nothing stands between the answers.
    assert len(heads) == 3 and all(head.startswith(b"HTTP/1.1 %d " % status) for head in heads[:2]), heads
    length = b"Content-Length: %d\r\n" % len(heads[2])
    assert all(length in head + b"\r\n" for head in heads[:2]), heads


def test_a_body_without_length_is_bounded(services):
    connection = http.client.HTTPConnection("127.0.0.1", services.port, timeout=20)
    try:
        connection.request(
            "POST", "/v1/sessions", body=iter([b" " * 1000] * 17), encode_chunked=True,
            headers={"Transfer-Encoding": "chunked"})
        assert connection.getresponse().status == 413
    finally:
        connection.close()


def test_overlong_headers_are_refused(services):
    with sockets.create_connection(("127.0.0.1", services.port), timeout=20) as plain:
        plain.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * 20_000 + b"\r\n\r\n")
        assert_is_json_and_the_end(plain)
    assert services.get("/healthz").status == 200


def test_what_is_no_request_gets_json(services):
    for text in (b"hello\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
                 b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"):
        with sockets.create_connection(("127.0.0.1", services.port), timeout=20) as plain:
            plain.sendall(text)
            assert_is_json_and_the_end(plain)


def assert_is_json_and_the_end(plain):
    seen = b""
    try:
        while piece := plain.recv(4096):
            seen += piece
    except ConnectionResetError:
        pass  # We had sent more than was read.
    head, _, body = seen.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ") and json.loads(body)["code"] == "bad_request", seen


def slow(services, text, count):
    """Connections that send so much and then next to nothing."""
    connections = []
    for _ in range(count):
        connections.append(sockets.create_connection(("127.0.0.1", services.port), timeout=20))
        connections[-1].sendall(text)
    return connections


@pytest.mark.parametrize("text", [
    b"POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n",
    b"POST /nope HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n", b"GET / HTTP/1.1\r\nHost: ", b""])
def test_slow_connections_of_one_address_keep_nobody_out(start_services, text):
    services = start_services()
    connections = slow(services, text, 520)
    try:
        # The oldest give way, and all are asked and answered.
        for _ in range(100):
            assert services.get("/healthz").status == 200
        ended = [one for one in connections if is_ended(one)]
        assert len(ended) >= 520 - 64
    finally:
        for one in connections:
            one.close()


def is_ended(connection):
    """Whether the other side has ended a connection, after whatever it has said."""
    connection.setblocking(False)
    try:
        while connection.recv(4096):
            pass
        return True
    except BlockingIOError:
        return False
    except OSError:
        return True


def test_the_rest_of_a_refused_request_is_not_read_for_long(start_services):
    services = start_services()
    with sockets.create_connection(("127.0.0.1", services.port), timeout=20) as plain:
        plain.sendall(b"POST /nope HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n")
        said = plain.recv(4096)
        assert said.startswith(b"HTTP/1.1 404") and b"connection: close" in said.lower()
        with pytest.raises(OSError):
            for _ in range(100_000):
                plain.sendall(bytes(4096))
    with sockets.create_connection(("127.0.0.1", services.port), timeout=20) as plain:
        plain.sendall(b"POST /nope HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n")
        assert plain.recv(4096).startswith(b"HTTP/1.1 404")
        # One byte, and then none: it ends by itself.
        plain.sendall(b"x")
        assert not plain.recv(4096)
    # A request that has arrived keeps its connection.
    with sockets.create_connection(("127.0.0.1", services.port), timeout=20) as plain:
        for path, status in [("/nope", 404), ("/v1/sessions", 422)] * 3:
            # In one piece: otherwise the answer may be faster than the body.
            plain.sendall(f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{{}}".encode())
            answer = http.client.HTTPResponse(plain)
            answer.begin()
            assert answer.status == status and answer.read() and answer.headers["Connection"] is None


def test_large_bodies_are_for_those_with_a_key(start_services):
    services = start_services()
    with sockets.create_connection(("127.0.0.1", services.port), timeout=20) as plain:
        plain.sendall(b"POST /v1/backend/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n")
        assert plain.recv(4096).startswith(b"HTTP/1.1 401")


def wait_for(look):
    """Like `until`, for tests that aren't coroutines."""
    return asyncio.run(until(look, look.__name__))


def test_a_body_that_never_comes_is_given_up(services):
    with sockets.create_connection(("127.0.0.1", services.port), timeout=30) as plain:
        plain.sendall(b"POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{")
        assert plain.recv(4096).startswith(b"HTTP/1.1 408")


def test_pages_of_named_origins_may_read_answers(start_services):
    services = start_services(services__origins="https://chat.example.org,http://localhost:*")
    for origin in ("https://chat.example.org", "http://localhost:5173"):
        answer = services.get("/healthz", headers={"Origin": origin})
        assert answer.headers["Access-Control-Allow-Origin"] == origin and answer.headers["Vary"] == "Origin"
        wanted = {"Origin": origin, "Access-Control-Request-Method": "PATCH"}
        preflight = services.ask("OPTIONS", "/v1/account", headers=wanted)
        assert preflight.status == 204 and "PATCH" in preflight.headers["Access-Control-Allow-Methods"]
        assert preflight.headers["Access-Control-Allow-Headers"] == "Authorization, Content-Type, Idempotency-Key"
        assert "Access-Control-Allow-Credentials" not in preflight.headers
    for origin in ("https://evil.example", "null", "https://chat.example.org.evil.example"):
        assert "Access-Control-Allow-Origin" not in services.get("/healthz", headers={"Origin": origin}).headers
        wanted = {"Origin": origin, "Access-Control-Request-Method": "PATCH"}
        assert "Access-Control-Allow-Origin" not in services.ask("OPTIONS", "/v1/account", headers=wanted).headers


CROSS = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}


def test_a_foreign_page_counts_for_nothing_and_makes_nothing(start_services):
    services = start_services(services__origins="https://chat.example.org")
    body = json.dumps({"email": "ann@example.org", "password": "correct horse", "displayName": "Ann"})
    for headers in (CROSS, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}):
        for method, path in (
                ("POST", "/v1/accounts"), ("POST", "/v1/sessions"), ("POST", "/v1/password/forgot"),
                ("POST", "/v1/sessions/link"), ("POST", "/v1/openid/exchange"), ("PATCH", "/v1/account"),
                ("DELETE", "/v1/sessions"), ("POST", "/v1/backend/messages")):
            for _ in range(4):
                answer = services.ask(method, path, raw=body, headers=headers | {"Content-Type": "text/plain"})
                assert (answer.status, answer.code) == (403, "forbidden"), (path, headers, answer.raw)
    # Nothing was counted for this address, and there is no account.
    for _ in range(4):
        assert services.sign_in("ann@example.org").code == "invalid_credentials"
    assert services.sign_up("ann@example.org")
    # Pages that are listed, on another site or not, and programs.
    for headers in ({"Origin": "https://chat.example.org", "Sec-Fetch-Site": "cross-site"}, {},
                    {"Sec-Fetch-Site": "none"}, {"Sec-Fetch-Site": "same-origin"}):
        assert services.ask("POST", "/v1/sessions", raw=body, headers=headers).status == 200
    for headers in (CROSS, {}):
        assert services.get("/v1/accounts/rules", headers=headers).status == 200


def test_metrics_are_for_this_machine_or_a_token(start_services):
    services = start_services(services__proxies="127.0.0.1")
    assert services.get("/metrics").status == 200
    for field in ("X-Forwarded-For", "Forwarded", "X-Real-IP", "X-Forwarded-Host", "Via"):
        for value in ("127.0.0.1", "for=127.0.0.1", "x"):
            answer = services.get("/metrics", headers={field: value})
            assert (answer.status, answer.code) == (401, "unauthorized")


def test_health(services):
    assert services.get("/healthz").status == services.get("/readyz").status == 200


class ServicesOnSmallDisk(Services):
    """Its data is on the small disk; its log and program aren't."""

    def __init__(self, folder, disk):
        self.disk = disk
        super().__init__(folder, services__data=folder / "disk" / "services")
        self.data = disk.folder / "services"

    def program(self):
        return [*self.disk.inside(self.folder), *super().program()]


DISK_BYTES = 16 << 20


def test_it_is_not_ready_on_a_full_disk(disk, tmp_path):
    services = ServicesOnSmallDisk(tmp_path, disk)
    try:
        tokens = services.sign_up("ann@example.org")
        assert services.get("/readyz").status == 200
        ballast = disk.folder / "ballast"
        with open(ballast, "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4_096))

        def is_refused():
            answer = services.refresh(tokens["refreshToken"])
            if answer.status == 200:
                tokens.update(answer.json)
            return answer.code == "unavailable"
        wait_for(is_refused)
        assert services.sign_in("ann@example.org").code == "unavailable"

        def is_not_ready():
            answer = services.get("/readyz")
            return (answer.status, answer.code) == (503, "unavailable") and answer.headers["Retry-After"] == "5"
        wait_for(is_not_ready)
        assert services.get("/healthz").status == 200
        ballast.unlink()
        assert services.get("/readyz").status == 200
        assert services.sign_in("ann@example.org").status == 200
    finally:
        if services.is_running():
            services.kill()


# The document


def test_the_document_is_served(services):
    answer = services.get("/v1/openapi.yaml")
    assert answer.status == 200 and answer.headers.get_content_type() == "application/yaml"
    assert yaml.safe_load(answer.raw) == document()


def test_every_path_of_the_document_is_there_and_no_other_method(services):
    for path, operations in document()["paths"].items():
        methods = {word.upper() for word in operations} | ({"HEAD"} if "get" in operations else set())
        answer = services.ask("TRACE", re.sub(r"\{\w+\}", "0" * 16, path))
        assert answer.status == 405 and set(answer.headers["Allow"].split(", ")) == methods, path


def test_answers_are_as_the_document_says(services, name):
    """A walk through all operations but those that need another user, which have a walk of their own."""
    walk, email = Walk(services), f"{name('ann')}@example.org"
    ask = walk.ask
    for path in ("/healthz", "/readyz", "/.well-known/jwks.json", "/v1/openapi.yaml"):
        assert ask("GET", path).status == 200
    # As a proxy passes it on, and as Prometheus on this machine asks.
    assert ask("GET", "/metrics").status == 401
    client, services.client = services.client, None
    assert ask("GET", "/metrics").status == 200
    services.client = client
    person = {"email": email, "password": PASSWORD, "displayName": "Ann"}
    assert ask("POST", "/v1/accounts", {**person, "email": "ann"}).status == 422
    token = ask("POST", "/v1/accounts", {**person, "language": "de", "device": "phone"})["accessToken"]
    assert ask("POST", "/v1/accounts", person).status == 409
    assert ask("GET", "/v1/accounts/rules").json == {"passwordMin": 8, "roles": []}
    assert ask("POST", "/v1/sessions", {**person, "password": "wrong one"}).status == 401
    other = ask("POST", "/v1/sessions", person)
    assert ask("GET", "/v1/sessions", token=token).status == 200
    assert ask("GET", "/v1/sessions").status == 401
    assert ask("POST", "/v1/sessions/refresh", {"refreshToken": other["refreshToken"]}).status == 200
    assert ask("GET", "/v1/account", token=token).status == 200
    assert ask("PATCH", "/v1/account", {"displayName": "Anna"}, token=token).status == 200
    assert ask("GET", "/v1/account/export", token=token).status == 200
    assert ask("POST", "/v1/account/confirmation", token=token).status == 202
    assert ask("POST", "/v1/email/verify", {"token": "x"}).status == 422
    assert ask("POST", "/v1/email/verify/show", {"token": "x"}).status == 422
    link = services.link(email, "verify")
    assert ask("POST", "/v1/email/verify/show", {"token": link})["email"] == email
    assert ask("POST", "/v1/email/verify", {"token": link}).status == 204
    assert ask("POST", "/v1/password/forgot", {"email": email}).status == 202
    assert ask("POST", "/v1/password/reset", {"token": "x", "password": PASSWORD}).status == 422
    change = {"password": PASSWORD, "newPassword": "battery staple"}
    assert ask("POST", "/v1/password/change", change, token=token).status == 204
    person["password"] = "battery staple"
    sid = ask("POST", "/v1/sessions", person)["session"]
    assert ask("DELETE", f"/v1/sessions/{sid}", at="/v1/sessions/{sid}", token=token).status == 204
    assert ask("DELETE", "/v1/sessions/current", token=token).status == 204
    token = ask("POST", "/v1/sessions", person)["accessToken"]
    assert ask("DELETE", "/v1/sessions", token=token).status == 204
    token = ask("POST", "/v1/sessions", person)["accessToken"]
    assert ask("DELETE", "/v1/account", {"password": "battery staple"}, token=token).status == 204
    link = services.command("link", "--friend").stdout.strip().rpartition("=")[2]
    assert ask("POST", "/v1/sessions/link", {"token": link}).status == 422
    token = ask("POST", "/v1/sessions/link", {"token": link, "displayName": "Finn"})["accessToken"]
    first = {"email": f"{name('finn')}@example.org", "password": PASSWORD}
    assert ask("POST", "/v1/account/password", first, token=token).status == 200
    assert ask("POST", "/v1/account/password", first, token=token).status == 409
    # It is off unless the operator wants it.
    assert ask("POST", "/v1/users/lookup", {"email": email}, token=token).status == 404
    # Invitations are the relay's, and there is none here.
    assert ask("POST", "/v1/invitations/show", {"code": "none"}).code == "unavailable"
    body = {"code": "none", "displayName": "Ida"}
    assert ask("POST", "/v1/sessions/invitation", body).code == "unavailable"
    # Those of backends need a relay: test_57_http_api.py walks through them; test_50_factor.py through second factors,
    # and test_58_admin_page_reports.py through reports.
    elsewhere = {"openid", "administration", "moderation", "backends", "factors"}
    assert walk.seen == walk.operations(*walk.tags() - elsewhere)


def test_the_commands_of_the_page_are_true(start_services):
    services = start_services()
    text = (REPOSITORY / "Docs/Accounts.md").read_text().replace(" \\\n", " ")
    # The dots stand for what only a provider can say.
    commands = [words for words in re.findall(r"^    (curl .*)$", text, re.MULTILINE) if "…" not in words]
    assert len(commands) > 10
    # The first one makes the account.
    environment = {"PATH": os.environ["PATH"]}
    for words in commands:
        words = words.replace("http://127.0.0.1:8081", f"http://127.0.0.1:{services.port}")
        found = subprocess.run(
            ["bash", "-c", words.replace("curl -s", "curl -s -o /dev/null -w '%{http_code}'")], env=environment,
            capture_output=True, text=True, timeout=20, check=True)
        assert found.stdout.startswith("2"), (words, found.stdout)
        answer = services.sign_in("ann@example.org")
        if answer.status != 200:
            answer = services.sign_in("ann@example.org", "battery staple")
        tokens = answer.json if answer.status == 200 else services.sign_up("ann@example.org")
        environment["AUTH"] = f"Authorization: Bearer {tokens['accessToken']}"
        environment["REFRESH"] = tokens["refreshToken"]


# Mail


def test_links_come_by_mail(start_services, tmp_path):
    server = MailServer(tmp_path, "--user", "roost", "--password", "pass word")
    try:
        services = start_services(
            mail__mode="smtp", mail__host="localhost", mail__port=server.port, mail__user="roost",
            mail__password="pass word", mail__from="Roost <no-reply@example.org>", mail__ca_file=server.authority,
            services__public_url="https://chat.example.org")
        services.sign_up("ann@example.org", language="de")
        services.post("/v1/password/forgot", {"email": "nobody@example.org"})
        services.post("/v1/password/forgot", {"email": "ann@example.org"})
        letters = wait_for(lambda: len(server.letters()) == 2 and server.letters())
        assert {tuple(letter["recipients"]) for letter in letters} == {("ann@example.org",)}
        assert all(letter["encrypted"] for letter in letters)
        text = "".join(letter["text"] for letter in letters).replace("=\r\n", "")
        secret = re.search(r"https://chat.example.org/#reset=3D(\S+)", text)[1].replace("=3D", "=")
        assert services.post("/v1/password/reset", {"token": secret, "password": "battery staple"}).status == 204
        assert services.sign_in("ann@example.org", "battery staple").status == 200
        assert services.stop() == 0
        assert secret not in services.log() and "ann@" not in services.log()
    finally:
        server.stop()


def test_mail_without_a_server_ends_with_2(services):
    found = services.command("serve", "--set", "mail.mode=smtp", "--set", f"services.data={services.data}.other")
    assert found.returncode == 2 and "mail.host" in found.stderr


# Operators


def test_mistakes_in_the_configuration_end_with_2(tmp_path, services):
    (tmp_path / "roost.yaml").write_text("listen: {port: 1}\nservices:\n  prot: 3\n")
    found = services.command("serve", "--config", str(tmp_path / "roost.yaml"))
    assert found.returncode == 2 and found.stdout == ""
    assert found.stderr.count("\n") == 1 and "roost.yaml:3: services.prot: unknown key" in found.stderr
    assert services.command("serve", "--set", "accounts.password_min=5").returncode == 2
    assert services.command("fly").returncode == 2
    # The relay's sections are left to the relay.
    found = services.command("serve", "--config", str(REPOSITORY / "Config/roost.yaml"))
    assert found.returncode == 1 and "another roost-services" in found.stderr
    # Two processes on one folder would count apart. It isn't a mistake: the other one may be about to end.
    found = services.command("serve")
    assert found.returncode == 1 and "another roost-services" in found.stderr


def test_a_port_that_is_taken_is_named(services, tmp_path):
    found = services.command(
        "serve", "--set", f"services.data={tmp_path / 'other'}", "--set", f"services.port={services.port}")
    assert found.returncode == 1 and found.stderr.count("\n") == 1
    assert f"services.port: can't listen on 127.0.0.1, port {services.port}" in found.stderr


def test_sighup_is_harmless_before_the_services_are_ready_and_after(tmp_path):
    # A program that reads from a pipe waits for what is written into it: it has begun, and has no configuration yet.
    pipe, port = tmp_path / "roost.yaml", re.compile(rb" listens on http://[^/]*:(\d+)\n")
    os.mkfifo(pipe)
    with open(tmp_path / "services.log", "wb") as log, subprocess.Popen(
            [str(SERVICES), "serve", "--config", str(pipe)], cwd=tmp_path, env=environment(),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log) as process:
        with open(pipe, "w") as configuration:
            process.send_signal(signal.SIGHUP)
            configuration.write(f"services:\n  port: 0\n  data: {tmp_path / 'data'}\n")
        ready = port.search(process.stdout.readline())

        def lines():
            return (tmp_path / "services.log").read_text().count("SIGHUP is ignored")

        before = lines()
        process.send_signal(signal.SIGHUP)
        try:
            asyncio.run(until(lambda: lines() > before, "a line about the signal"))
            with sockets.create_connection(("127.0.0.1", int(ready.group(1))), timeout=20) as plain:
                plain.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                assert plain.makefile("rb").readline().startswith(b"HTTP/1.1 200 ")
        finally:
            process.terminate()
            process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, (tmp_path / "services.log").read_text()


def test_the_version_is_the_relays(services, tmp_path):
    mine = services.command("version").stdout.splitlines()
    theirs = command(tmp_path, "version").stdout.splitlines()
    assert mine[0].removeprefix("roost-services ") == theirs[0].removeprefix("roost ")


def test_secrets_are_in_no_log(start_services):
    services = start_services()
    tokens = services.sign_up("ann@example.org")
    services.sign_in("ann@example.org", "wrong one")
    services.refresh(tokens["refreshToken"], key="a-key-of-mine")
    assert services.reuse(tokens["refreshToken"])[0].code == "refresh_reused"
    assert services.stop() == 0
    text = services.log()
    assert "a refresh token came a second time" in text
    for secret in ("ann@example.org", PASSWORD, "wrong one", tokens["refreshToken"], tokens["accessToken"], "Ann",
                   "a-key-of-mine"):
        assert secret not in text


# Crashes


def test_a_crash_leaves_nothing_half_made(start_services):
    services = start_services(services__proxies="127.0.0.1")
    for round in range(5):
        made, going = [], threading.Event()

        def sign_up():
            number = 0
            try:
                while True:
                    address = f"u{round}.{number}@example.org"
                    # Limits would stop us: each comes from an address of its own.
                    services.client = f"10.{round}.{number // 256}.{number % 256}"
                    answer = services.post(
                        "/v1/accounts", {"email": address, "password": PASSWORD, "displayName": "U"})
                    made.append((address, answer))
                    number += 1
                    going.set()
            except (OSError, http.client.HTTPException):
                going.set()
        thread = threading.Thread(target=sign_up)
        thread.start()
        going.wait()
        services.kill()
        thread.join()
        services.start()
        for address, answer in made[-3:]:
            if answer.status == 201:
                # The answered changes are there, and whole.
                assert services.get("/v1/account", token=answer["accessToken"])["email"] == address
                assert services.refresh(answer["refreshToken"]).status == 200


def test_the_accounts_survive_and_attempts_are_forgotten(start_services):
    services = start_services()
    tokens = services.sign_up("ann@example.org")
    services.kill()
    services.start()
    assert services.get("/v1/account", token=tokens["accessToken"]).status == 200
    assert services.refresh(tokens["refreshToken"]).status == 200
    assert services.stop() == 0


def test_the_first_start_prints_two_links(start_services):
    first = start_services()
    owner = first.awaited_output(re.compile(rb"owner +http://127.0.0.1:8080/#owner=(\S+)\n")).group(1).decode()
    friend = first.awaited_output(re.compile(rb"friend +http://127.0.0.1:8080/#friend=(\S+)\n")).group(1).decode()
    for secret in (owner, friend):
        assert first.post("/v1/sessions/link", {"token": secret, "displayName": "Ann"}).status == 200
    first.kill()
    first.start()
    assert first.post("/v1/sessions/link", {"token": owner}).code == "bad_link"
    assert b"owner" not in first.output
