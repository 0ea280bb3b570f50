"""The demands of HTTP on every request to the services process: one Host, one answer, and its client."""

import http.client
import json
import socket as sockets

import pytest

from test_51_services import assert_is_json_and_the_end


@pytest.mark.parametrize("request_", [
    b"GET /healthz HTTP/1.1\r\n\r\n", b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n", b"GET /healthz HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n",
    b"POST /v1/sessions HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"])
def test_a_head_that_two_readers_may_understand_differently_is_refused(services, request_):
    with sockets.create_connection(("127.0.0.1", services.port), timeout=20) as plain:
        plain.sendall(request_)
        assert_is_json_and_the_end(plain)


@pytest.mark.parametrize("path, status", [("/nowhere", 404), ("/v1/sessions", 400)])
@pytest.mark.parametrize("coding, body", [("chunked", b"zz\r\n{}\r\n0\r\n\r\n"), ("xchunked", b"2\r\n{}\r\n0\r\n\r\n")])
def test_a_request_gets_one_answer_though_its_body_is_faulty(services, path, status, coding, body):
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: {coding}\r\n\r\n".encode()
    answers = everything(services, head + body)
    assert [one[0] for one in answers] == [status] and answers[0][1] in ("bad_request", "not_found")
    # The body may go wrong when its answer was read long ago.
    if coding == "chunked" and status == 404:
        with sockets.create_connection(("127.0.0.1", services.port), timeout=20) as plain:
            plain.sendall(head + b"2\r\n{}\r\n")
            assert plain.recv(4096).startswith(b"HTTP/1.1 404 ")
            plain.sendall(body)
            assert plain.recv(4096) == b""


def test_what_follows_an_answered_request_gets_its_own_answer(services):
    good = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    assert everything(services, good + good + b"nonsense\r\n\r\n") == [
        (200, None), (200, None), (400, "bad_request")]
    assert everything(services, good + b"GET /healthz HTTP/1.1\r\n\r\n" + good) == [(200, None), (400, "bad_request")]
    # Nothing is carried out behind a request that ends the connection.
    last = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: x, close\r\n\r\n"
    assert everything(services, last + good) == [(200, None)]


def test_a_connection_of_http_1_0_ends_unless_both_sides_keep_it(services):
    old = b"GET /healthz HTTP/1.0\r\n\r\n"
    kept = b"GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
    assert everything(services, old) == [(200, None)]
    assert everything(services, kept + kept + old) == [(200, None)] * 3
    with sockets.create_connection(("127.0.0.1", services.port), timeout=20) as plain:
        plain.sendall(kept)
        assert b"\r\nConnection: keep-alive\r\n" in plain.recv(4096)


def everything(services, text):
    """Sends this, reads until the other side ends, and returns the status and the code of each answer."""
    with sockets.create_connection(("127.0.0.1", services.port), timeout=20) as plain:
        plain.sendall(text)
        stream, answers = plain.makefile("rb"), []
        while line := stream.readline():
            headers = http.client.parse_headers(stream)
            body = stream.read(int(headers["Content-Length"]))
            answers.append((int(line.split()[1]), json.loads(body).get("code")))
        return answers


def test_who_waits_for_a_word_before_the_body_gets_it(services):
    head = "POST {} HTTP/1.1\r\nHost: x\r\nExpect: {}\r\nContent-Length: {}\r\n\r\n"
    with sockets.create_connection(("127.0.0.1", services.port), timeout=20) as plain:
        plain.sendall(head.format("/v1/sessions", "100-Continue", 2).encode())
        assert plain.recv(4096) == b"HTTP/1.1 100 Continue\r\n\r\n"
        plain.sendall(b"{}")
        assert plain.recv(4096).startswith(b"HTTP/1.1 422 ")
    # A body that is refused anyway isn't sent.
    for path, expectation, length, status in [
            ("/nowhere", "100-continue", 2, 404), ("/v1/sessions", "100-continue", 20_000, 413),
            ("/v1/sessions", "a miracle", 2, 417)]:
        with sockets.create_connection(("127.0.0.1", services.port), timeout=20) as plain:
            plain.sendall(head.format(path, expectation, length).encode())
            assert plain.recv(4096).startswith(b"HTTP/1.1 %d " % status)


def test_a_proxy_that_is_not_believed_is_named_once(start_services):
    for settings, headers, words in [
            ({}, {"X-Forwarded-For": "198.51.100.7"}, "services.proxies doesn't name"),
            ({"services__proxies": "127.0.0.1"}, {"X-Forwarded-For": "unknown"}, "without an address that can be read"),
            ({"services__proxies": "127.0.0.1"}, {"X-Forwarded-For": "198.51.100.7:443"}, None)]:
        services = start_services(**settings)
        for _ in range(3):
            assert services.get("/healthz", headers=headers).status == 200
        assert services.stop() == 0
        found = [line for line in services.log().splitlines() if "X-Forwarded-For" in line]
        assert len(found) == (1 if words else 0) and all(" warning " in line and words in line for line in found)
        assert "198.51.100.7" not in services.log()


def test_people_behind_a_proxy_that_writes_ports_count_apart(start_services):
    services = start_services(services__proxies="127.0.0.1")
    for number in range(31):
        services.client = f"10.9.0.{number}:4{number:03}"
        assert services.sign_in(f"u{number}@example.org", "wrong one").status == 401
    for number in range(31):
        services.client = f"[2001:db8:0:{number:x}::1]:443"
        assert services.sign_in(f"v{number}@example.org", "wrong one").status == 401


def test_a_member_that_is_there_twice_is_refused(services):
    for raw in ('{"email":"a@b.cc","email":"c@d.ee","password":"x"}', '{"email":"a@b.cc","\\u0065mail":"c@d.ee"}'):
        answer = services.ask("POST", "/v1/sessions", raw=raw)
        assert (answer.status, answer.code) == (400, "bad_json")
