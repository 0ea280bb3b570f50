"""The handshake: an upgrade is accepted as RFC 6455 says. Everything else is refused in HTTP/1.1 with a JSON body,
before it reaches the Relay. Strange requests affect no other client.
"""

import json

import pytest

from harness.raw import ACCEPT, NONCE, RawConnection
from harness.waiting import until

SETTINGS = {"metrics__token": "a-token-for-metrics"}


def refused(connection, status, code):
    """The next response refuses with this status line and code, and the connection ends."""
    response = connection.response()
    assert response.status_line == f"HTTP/1.1 {status}"
    assert response.headers["content-type"] == "application/json"
    assert response.headers["connection"] == ("close, Upgrade" if status.startswith("426") else "close")
    body = json.loads(response.body)
    assert set(body) == {"code", "reason"} and body["reason"]
    assert body["code"] == code
    assert connection.is_at_end()
    return response


def test_the_upgrade_names_the_subprotocol_and_no_extension(relay):
    with RawConnection(relay.port) as connection:
        connection.upgrade(
            Sec_WebSocket_Protocol="mqtt, roost.v1", Connection="keep-alive, Upgrade",
            Sec_WebSocket_Extensions="permessage-deflate; client_max_window_bits")
        response = connection.response()
        assert response.status_line == "HTTP/1.1 101 Switching Protocols"
        assert response.headers["sec-websocket-accept"] == ACCEPT
        assert response.headers["sec-websocket-protocol"] == "roost.v1"
        assert response.headers["upgrade"].lower() == "websocket"
        assert "sec-websocket-extensions" not in response.headers


async def test_a_client_library_gets_the_subprotocol(relay):
    device = await relay.connect()
    assert device.socket.subprotocol == "roost.v1"
    assert device.socket.protocol.extensions == []


@pytest.mark.parametrize("changes, code", [
    ({"Sec_WebSocket_Protocol": None}, "no_subprotocol"),
    ({"Sec_WebSocket_Protocol": "roost.v2, chat"}, "no_subprotocol"),
    ({"Sec_WebSocket_Key": None}, "malformed_upgrade"),
    ({"Sec_WebSocket_Key": "short"}, "malformed_upgrade"),
    ({"Sec_WebSocket_Key": NONCE[:-3] + "!=="}, "malformed_upgrade"),
    ({"Content_Length": "5"}, "malformed_upgrade"),
    ({"Connection": "close"}, "malformed_upgrade"),
    ({"Host": None}, "bad_request"),
    ({"host": "relay.example.org"}, "bad_request"),
    ({"line": "POST /v1/socket HTTP/1.1"}, "malformed_upgrade"),
    ({"line": "GET /v1/socket HTTP/1.0"}, "malformed_upgrade"),
])
def test_400_for_a_malformed_upgrade(relay, changes, code):
    with RawConnection(relay.port) as connection:
        connection.upgrade(**changes)
        refused(connection, "400 Bad Request", code)


@pytest.mark.parametrize("authorization", [None, "Bearer wrong", "a-token-for-metrics", "Bearer a-token-for-metrics2"])
def test_401_for_metrics_without_their_token(relay, authorization):
    with RawConnection(relay.port) as connection:
        connection.request("GET /metrics HTTP/1.1", Authorization=authorization)
        response = refused(connection, "401 Unauthorized", "unauthorized")
        assert response.headers["www-authenticate"] == "Bearer"


def test_metrics_with_their_token(relay):
    status, _, body = relay.get("/metrics", Authorization="Bearer a-token-for-metrics")
    assert status == 200 and "roost_connections" in body


@pytest.mark.parametrize("origin", [
    "https://elsewhere.example.org", "null", "https://relay.example.org.evil.example", "file://",
    "https://relay.example.org:444"])
def test_403_for_a_foreign_origin(relay, origin):
    with RawConnection(relay.port) as connection:
        connection.upgrade(Origin=origin)
        refused(connection, "403 Forbidden", "forbidden_origin")


@pytest.mark.parametrize("origin", ["https://relay.example.org", "http://relay.example.org", None])
def test_pages_of_the_same_host_and_clients_without_origin_may_connect(relay, origin):
    with RawConnection(relay.port) as connection:
        connection.upgrade(Origin=origin)
        assert connection.response().status == 101


def test_a_list_of_origins_replaces_that_rule(start):
    relay = start(listen__origins="https://chat.example.org,http://localhost:3000")
    for origin, status in [
            ("https://chat.example.org", 101), ("http://localhost:3000", 101), ("https://relay.example.org", 403),
            ("http://chat.example.org", 403), (None, 101)]:
        with RawConnection(relay.port) as connection:
            connection.upgrade(Origin=origin)
            assert connection.response().status == status, origin


def test_pages_of_this_machine_may_come_from_any_port(start):
    relay = start(listen__origins="http://localhost:*,http://127.0.0.1:*")
    for origin, status in [
            ("http://localhost:5173", 101), ("http://127.0.0.1:8000", 101), ("http://localhost", 101),
            ("https://localhost:5173", 403), ("http://localhost.evil.example:80", 403), ("http://evil.example", 403)]:
        with RawConnection(relay.port) as connection:
            connection.upgrade(Origin=origin)
            answer = connection.response()
            assert answer.status == status, origin


def test_a_refused_origin_is_told_what_allows_it(relay):
    with RawConnection(relay.port) as connection:
        connection.upgrade(Origin="http://localhost:5173")
        assert "listen.origins" in json.loads(refused(connection, "403 Forbidden", "forbidden_origin").body)["reason"]


@pytest.mark.parametrize("path", ["/v2/socket", "/", "/v1/socket/", "/v1"])
def test_404_for_an_upgrade_elsewhere(relay, path):
    with RawConnection(relay.port) as connection:
        connection.upgrade(f"GET {path} HTTP/1.1")
        refused(connection, "404 Not Found", "not_found")


def test_404_for_an_unknown_page(relay):
    with RawConnection(relay.port) as connection:
        connection.request("GET /nowhere HTTP/1.1")
        refused(connection, "404 Not Found", "not_found")


@pytest.mark.parametrize("version", ["8", "12", "14", "13.0", None])
def test_426_for_another_version(relay, version):
    with RawConnection(relay.port) as connection:
        connection.upgrade(Sec_WebSocket_Version=version)
        response = refused(connection, "426 Upgrade Required", "upgrade_required")
        assert response.headers["sec-websocket-version"] == "13"


def test_426_without_an_upgrade(relay):
    with RawConnection(relay.port) as connection:
        connection.request()
        response = refused(connection, "426 Upgrade Required", "upgrade_required")
        assert response.headers["sec-websocket-version"] == "13"


async def test_429_for_an_address_with_too_many_connections(start):
    relay = start(limits__connections_per_address=3)
    devices = [await relay.device("alice", f"phone-{number}") for number in range(3)]
    with RawConnection(relay.port) as connection:
        connection.upgrade()
        response = refused(connection, "429 Too Many Requests", "too_many_connections")
        assert int(response.headers["retry-after"]) > 0
    # Its health checks still get in.
    for page in ("/healthz", "/readyz", "/metrics"):
        assert relay.get(page)[0] == 200
    assert relay.get("/")[0] == 429
    await devices[0].leave()

    def has_place():
        with RawConnection(relay.port) as connection:
            connection.upgrade()
            return connection.response().status == 101

    await until(has_place, "a free place")


async def test_503_when_the_relay_is_full_while_health_checks_get_in(start):
    relay = start(limits__connections=2)
    first, _ = await relay.device("alice"), await relay.device("bob")
    with RawConnection(relay.port) as connection:
        connection.upgrade()
        response = refused(connection, "503 Service Unavailable", "full")
        assert int(response.headers["retry-after"]) > 0
    assert relay.get("/healthz")[0] == 200
    await first.leave()

    def has_place():
        with RawConnection(relay.port) as connection:
            connection.upgrade()
            return connection.response().status == 101

    await until(has_place, "a free place")


async def test_strange_requests_are_ended_and_do_no_harm(relay, name):
    """Each is answered like any other refusal, also on a connection that was kept, and others must not notice."""
    alice = await relay.device(name("alice"))
    strange = [
        ("GET /healthz HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: foo\r\n\r\n", 200),
        ("GET /v1/socket HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: foo\r\n"
         f"Sec-WebSocket-Key: {NONCE}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: roost.v1\r\n\r\n", 426),
        ("CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n", 405),
        ("BREW /healthz HTTP/1.1\r\nHost: h\r\n\r\n", 405),
        ("GET /v1/socket%00 HTTP/1.1\r\nHost: h\r\n\r\n", 404),
        ("GET /healthz%zz HTTP/1.1\r\nHost: h\r\n\r\n", 404),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        ("\x16\x03\x01 not http at all\r\n\r\n", 400),
        ("hello?\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\nX-Long: " + "x" * 20_000 + "\r\n\r\n", 431),
        ("GET / HTTP/1.1\r\nHost: h\r\n" + "X: y\r\n" * 500 + "\r\n", 431),
        ("GET /" + "x" * 5_000 + " HTTP/1.1\r\nHost: h\r\n\r\n", 414),
        ("GET /healthz HTTP/1.1\r\n\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
    ]
    for request, status in strange:
        for kept_alive in (False, True):
            with RawConnection(relay.port) as connection:
                if kept_alive:
                    connection.request("GET /healthz HTTP/1.1")
                    assert connection.response().headers["connection"] == "keep-alive"
                connection.write(request)
                response = connection.response()
                assert response.status == status, request[:80]
                assert response.headers["connection"] == ("close, Upgrade" if status == 426 else "close")
                if status != 200:
                    assert set(json.loads(response.body)) == {"code", "reason"}
                assert connection.is_at_end()
        await alice.barrier()
    assert relay.is_running()


@pytest.mark.parametrize("target", [
    "//metrics", "/x/../metrics", "/..%2fmetrics", "/metrics/", "/%6detrics", "/./metrics", "http://h/metrics",
    "//v1/socket", "/v1%2fsocket", "/../v1/socket", "/v1/./socket"])
def test_a_path_is_compared_as_it_was_sent(relay, target):
    """A proxy that guards a path by its text must not be walked around."""
    with RawConnection(relay.port) as connection:
        connection.request(f"GET {target} HTTP/1.1", Authorization="Bearer a-token-for-metrics")
        refused(connection, "404 Not Found", "not_found")
    with RawConnection(relay.port) as connection:
        connection.upgrade(f"GET {target} HTTP/1.1")
        refused(connection, "404 Not Found", "not_found")


@pytest.mark.parametrize("path, status", [("/healthz", 200), ("/readyz", 200), ("/nowhere", 404)])
def test_an_upgrade_to_http2_is_ignored(relay, path, status):
    """A server may ignore an Upgrade (RFC 9110, section 7.8). The answer is the page, in HTTP/1.1."""
    with RawConnection(relay.port) as connection:
        connection.request(
            f"GET {path} HTTP/1.1", Connection="Upgrade, HTTP2-Settings", Upgrade="h2c",
            HTTP2_Settings="AAMAAABkAARAAAAAAAIAAAAA")
        response = connection.response()
        assert response.status_line.startswith(f"HTTP/1.1 {status} ")
        assert connection.is_at_end()


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_pages_accept_only_get_and_head(relay, method):
    with RawConnection(relay.port) as connection:
        connection.request(f"{method} /healthz HTTP/1.1", Content_Length="0")
        assert connection.response().status_line == "HTTP/1.1 405 Method Not Allowed"
