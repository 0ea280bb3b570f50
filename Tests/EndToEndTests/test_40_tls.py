"""TLS by the relay itself, spoken to by Python's ssl module: what it takes and refuses, how certificates are renewed,
and that everything that holds without TLS holds with it."""

import asyncio
import http.client
import json
import os
import signal
import socket
import ssl

import pytest
from websockets.asyncio.client import connect

from harness.certificates import Authority
from harness.device import Device
from harness.relay import BINARY, REPOSITORY, command, environment
from harness.waiting import PATIENCE, until


class Secure:
    """A relay with a certificate, and who trusts it."""

    def __init__(self, start, folder, **settings):
        self.authority = Authority(folder)
        self.certificate, self.key = self.authority.issue("server")
        self.relay = start(tls__certificate=self.certificate, tls__key=self.key, **settings)
        self.port = self.relay.port

    async def connect(self, context=None, **options):
        socket = await connect(
            f"wss://127.0.0.1:{self.port}/v1/socket", ssl=context or self.authority.trust(),
            subprotocols=["roost.v1"], compression=None, max_size=None, ping_interval=None, proxy=None,
            open_timeout=PATIENCE, close_timeout=2, **options)
        return Device(socket)

    async def device(self, user, device="phone", **hello):
        found = await self.connect()
        await found.hello(self.relay.token(user), device=device, **hello)
        return found

    def get(self, path, context=None):
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self.port, timeout=PATIENCE, context=context or self.authority.trust())
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def handshake(self, context):
        """Returns a connected socket after the handshake."""
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        return context.wrap_socket(plain, server_hostname="127.0.0.1")


@pytest.fixture
def secure(start, tmp_path):
    return lambda **settings: Secure(start, tmp_path, **settings)


async def test_messages_of_any_size(secure):
    relay = secure()
    alice, bob = await relay.device("alice"), await relay.device("bob")
    group = await alice.group("all", "bob")
    bodies = ["x" * size for size in [1, 100, 4_000, 9_999]] + ["é" * 9_000]
    for body in bodies:
        await alice.send(group, body)
    # Larger than a record of TLS, which has 16 KiB.
    await alice.send(group, {"blob": "y" * 60_000}, kind="blob")
    got = await bob.messages(group, 6)
    assert [one["body"] for one in got] == [*bodies, {"blob": "y" * 60_000}]
    page = await bob.call("history", conversation=group)
    assert [one["body"] for one in page["messages"]] == [one["body"] for one in got]
    await alice.socket.close()
    assert alice.close_code is not None


async def test_many_messages_to_one_who_reads_slowly(secure):
    relay = secure()
    alice, bob = await relay.device("alice"), await relay.device("bob")
    group = await alice.group("all", "bob")
    await bob.event("conversation", conversation=group)
    bob.reading.clear()
    for number in range(150):
        await alice.send(group, f"{number} " + "z" * 9_000)
    bob.reading.set()
    got = await bob.messages(group, 150)
    assert [one["sequence"] for one in got] == list(range(1, 151))


async def test_a_storm(secure):
    relay = secure(limits__connections_per_address=500, limits__strangers_per_address=500)
    devices = await asyncio.gather(*[relay.device(f"user{number}") for number in range(200)])
    assert all(device.welcome for device in devices)
    for device in devices:
        device.socket.transport.abort()
    again = await asyncio.gather(*[relay.device(f"user{number}") for number in range(200)])
    assert all(device.welcome for device in again)


@pytest.mark.parametrize(("version", "shown"), [
    (ssl.TLSVersion.TLSv1_2, "TLSv1.2"), (ssl.TLSVersion.TLSv1_3, "TLSv1.3")])
def test_versions(secure, version, shown):
    relay = secure()
    context = relay.authority.trust()
    context.minimum_version = context.maximum_version = version
    context.set_alpn_protocols(["h2", "http/1.1"])
    with relay.handshake(context) as spoken:
        assert spoken.version() == shown
        assert spoken.selected_alpn_protocol() == "http/1.1"
        name = spoken.cipher()[0]
        assert "GCM" in name or "POLY1305" in name
        spoken.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        answer = b""
        # The end is said in TLS, too; otherwise this would raise.
        while piece := spoken.recv(4096):
            answer += piece
        assert answer.startswith(b"HTTP/1.1 200 OK") and answer.endswith(b"ok\n")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
async def test_what_is_refused(secure):
    relay = secure()
    old = relay.authority.trust()
    old.set_ciphers("ALL:@SECLEVEL=0")
    old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
    weak = relay.authority.trust()
    weak.maximum_version = ssl.TLSVersion.TLSv1_2
    weak.set_ciphers("AES128-SHA:ECDHE-ECDSA-AES128-SHA")
    other = relay.authority.trust()
    other.set_alpn_protocols(["h2"])
    for context in (old, weak, other):
        with pytest.raises((ssl.SSLError, ConnectionError)):
            relay.handshake(context)
    for bytes in [b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"\x16\x03\x01\xff\xff" + b"\0" * 100, b"\0" * 5000]:
        with socket.create_connection(("127.0.0.1", relay.port), timeout=PATIENCE) as plain:
            plain.sendall(bytes)
            plain.shutdown(socket.SHUT_WR)
            answer = b""
            try:
                while piece := plain.recv(4096):
                    answer += piece
            except ConnectionError:
                pass
            assert not answer.startswith(b"HTTP"), "an answer in plain text"
    await until(lambda: "broken_tls" in relay.relay.log(), "a line of the log")
    assert int(metric(relay, 'roost_refused_total{reason="tls"}')) >= 6
    assert relay.get("/readyz")[0] == 200


def metric(relay, name, context=None):
    for line in relay.get("/metrics", context)[1].splitlines():
        if line.startswith(name + " "):
            return float(line.rpartition(" ")[2])
    raise AssertionError(name)


async def test_a_handshake_byte_by_byte(secure):
    """Records that come in pieces, as over a bad network."""
    relay = secure()
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    spoken = relay.authority.trust().wrap_bio(incoming, outgoing, server_hostname="127.0.0.1")
    reader, writer = await asyncio.open_connection("127.0.0.1", relay.port)

    async def push():
        for byte in outgoing.read():
            writer.write(bytes([byte]))
            await writer.drain()
    while True:
        try:
            spoken.do_handshake()
            break
        except ssl.SSLWantReadError:
            await push()
            incoming.write(await reader.read(7))
    spoken.write(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
    await push()
    answer = b""
    while not answer.endswith(b"ok\n"):
        try:
            answer += spoken.read(100)
        except ssl.SSLWantReadError:
            incoming.write(await reader.read(7))
    writer.close()


async def test_renewed_without_dropping_anyone(secure):
    relay = secure()
    alice = await relay.device("alice")

    def serial():
        with relay.handshake(relay.authority.trust()) as spoken:
            return spoken.getpeercert()["serialNumber"]
    first = serial()
    relay.authority.issue("server", is_rsa=True)
    relay.relay.process.send_signal(signal.SIGHUP)
    await until(lambda: serial() != first, "the new certificate")
    second = serial()
    await alice.call("ping")
    await (await relay.device("bob")).call("ping")
    # A key of another certificate: everything stays as it is.
    relay.key.write_bytes(relay.authority.issue("other")[1].read_bytes())
    relay.relay.process.send_signal(signal.SIGHUP)
    await until(lambda: "relay.reload_failed" in relay.relay.log(), "the refusal")
    assert serial() == second
    await alice.call("ping")
    expires = metric(relay, "roost_certificate_expires_seconds")
    assert expires > 1_700_000_000


async def test_client_certificates_for_some_paths(secure, tmp_path):
    clients = Authority(tmp_path, "clients")
    relay = secure(tls__client_ca=clients.path, tls__client_paths="/metrics,/admin")
    known = relay.authority.trust(clients.issue("prometheus"))
    stranger = relay.authority.trust(relay.authority.issue("stranger"))
    assert relay.get("/healthz")[0] == 200
    for path in ("/metrics", "/admin", "/admin/admin.js"):
        status, body = relay.get(path)
        assert (status, json.loads(body)["code"]) == (403, "no_certificate"), path
        assert relay.get(path, known)[0] == 200
    # A client with an untrusted certificate gets nowhere.
    with pytest.raises((ssl.SSLError, ConnectionError, http.client.HTTPException)):
        relay.get("/healthz", stranger)
    await (await relay.device("alice")).call("ping")


async def test_a_socket_that_needs_a_certificate(secure, tmp_path):
    clients = Authority(tmp_path, "clients")
    relay = secure(tls__client_ca=clients.path, tls__client_paths="/v1/socket")
    with pytest.raises(Exception, match="403"):
        await relay.connect()
    await relay.connect(relay.authority.trust(clients.issue("device")))


async def roost(relay, *words, lines="", code=0):
    process = await asyncio.create_subprocess_exec(
        BINARY, *words, "--url", f"wss://127.0.0.1:{relay.port}/v1/socket", "--set",
        f"auth.key_file={relay.relay.key_file}", cwd=relay.relay.folder,
        env={**environment(), "XDG_STATE_HOME": str(relay.relay.folder / "state")}, stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
    out, err = await asyncio.wait_for(process.communicate(lines.encode()), PATIENCE)
    assert process.returncode == code, (out, err)
    return (out or err).decode()


async def test_our_own_clients(secure):
    relay = secure()
    bob = await relay.device("bob")
    trust = ["--ca-file", str(relay.authority.path)]

    async def is_shown():
        return "1 online" in await roost(relay, "admin", "people", *trust)
    # A new user is shown with the next round of presence.
    await until(is_shown, "bob is online")
    await roost(relay, "chat", "--as", "alice", "--with", "bob", *trust, lines="hello over TLS\n")
    assert (await bob.event("message"))["body"] == "hello over TLS"
    # Without the authority there is no trust.
    assert "can't connect" in await roost(relay, "admin", "people", code=1)
    said = await roost(relay, "chat", "--as", "alice", "--with", "bob", lines="hi\n", code=1)
    assert said.startswith("roost: Can’t connect: the relay's certificate is not trusted: ") and said.count("\n") == 1
    assert "can't be read" in await roost(relay, "admin", "people", "--ca-file", "nowhere.pem", code=2)


def test_check_config_looks_at_the_certificate(tmp_path):
    authority = Authority(tmp_path)
    certificate, key = authority.issue("server", days=5)
    other = authority.issue("other")[1]

    def check(*settings):
        words = [word for setting in settings for word in ("--set", setting)]
        return command(tmp_path, "check-config", "--set", "listen.port=0", *words)
    said = check(f"tls.certificate={certificate}", f"tls.key={key}")
    assert said.returncode == 0 and "it expires in 4 days" in said.stdout + said.stderr
    for settings, words in [
        ([f"tls.certificate={certificate}"], "tls.key is not"),
        ([f"tls.key={key}"], "tls.certificate is not"),
        ([f"tls.certificate={certificate}", f"tls.key={other}"], "key values mismatch"),
        ([f"tls.certificate={tmp_path}/nothing.pem", f"tls.key={key}"], "No such file"),
        ([f"tls.certificate={key}", f"tls.key={key}"], "no start line"),
        ([f"tls.certificate={certificate}", f"tls.key={key}", "tls.client_paths=/metrics"], "tls.client_ca is not"),
        ([f"tls.certificate={certificate}", f"tls.key={key}", "tls.client_paths=metrics"], "a path of a request"),
    ]:
        said = check(*settings)
        # A file that doesn't fit isn't a mistake in the configuration.
        code = 1 if "key values" in words or "file" in words or "line" in words else 2
        assert said.returncode == code and words.lower() in (said.stdout + said.stderr).lower(), (settings, said)


async def test_behind_a_proxy_that_says_whom_it_speaks_for(secure):
    """The header of the PROXY protocol comes in plain text, before the handshake."""
    relay = secure(listen__proxies="127.0.0.1", listen__proxy_protocol="on")
    plain = socket.create_connection(("127.0.0.1", relay.port), timeout=PATIENCE)
    plain.sendall(b"PROXY TCP4 192.0.2.7 127.0.0.1 1000 443\r\n")
    with relay.authority.trust().wrap_socket(plain, server_hostname="127.0.0.1") as spoken:
        spoken.sendall(b"GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        assert spoken.recv(100).startswith(b"HTTP/1.1 404")
    await until(lambda: "192.0.2.7" in relay.relay.log(), "the refusal in the log")


async def test_the_load_tester_speaks_it(secure):
    load = os.environ.get("ROOST_LOAD_BINARY") or str(REPOSITORY / ".build/debug/roost-load")
    if not os.path.exists(load):
        pytest.skip("roost-load isn't built")
    relay = secure()

    async def run(*trust):
        process = await asyncio.create_subprocess_exec(
            load, "run", "direct", "--short", "--quiet", "--correctness-only", "--url",
            f"wss://127.0.0.1:{relay.port}/v1/socket", "--key-file", relay.relay.key_file, "--out",
            relay.relay.folder / "report", *trust, cwd=REPOSITORY, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT)
        out, _ = await asyncio.wait_for(process.communicate(), 60)
        return process.returncode, out.decode()
    code, said = await run("--ca-file", relay.authority.path)
    assert code == 0, said
    counts = json.loads((relay.relay.folder / "report/report.json").read_text())["result"]["counts"]
    assert counts["delivered"] > 100
    code, said = await run()
    assert code != 0, said
