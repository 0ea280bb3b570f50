"""`roost up`: the relay with the services beside it, and the effect on one when the other ends."""

import asyncio
import os
import re
import shlex
import signal
from socket import create_connection, socket

import pytest
from websockets.asyncio.client import connect

from harness.certificates import Authority
from harness.device import Device
from harness.relay import command
from harness.up import Both, Up, free_port, is_there
from harness.waiting import until

@pytest.fixture
def up(tmp_path):
    relays = []

    def begin(**settings):
        relays.append(Up(tmp_path, **settings))
        return relays[-1]

    yield begin
    for relay in relays:
        if relay.is_running():
            relay.kill()


async def test_services_that_die_cost_no_connection(up):
    relay = up()
    alice, bob = await relay.device("alice"), await relay.device("bob")
    for number in range(1, 4):
        os.kill(await relay.services(number), signal.SIGKILL)
        await alice.send("@bob", f"{number}")
        assert (await bob.event("message"))["body"] == f"{number}"
        assert is_there(await relay.services(number + 1))


def test_a_port_that_is_taken_ends_it_at_once(tmp_path):
    with socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = command(tmp_path, "up", "--port", str(free_port()), "--services-port", str(port))
    assert done.returncode == 1 and done.stdout == ""
    assert re.fullmatch(rf"roost: services.port: another process listens on 127.0.0.1, port {port}; .*\n", done.stderr)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
async def test_services_end_with_the_relay(up, end):
    relay = up()
    services = await relay.services(1)
    relay.process.send_signal(end)
    assert await asyncio.to_thread(relay.wait) == (-9 if end == signal.SIGKILL else 0)
    await until(lambda: not is_there(services), "the services' end")
    assert len(relay.starts()) == 1


async def test_a_reload_before_the_relay_is_ready_is_harmless(up, tmp_path):
    (tmp_path / "services").mkdir()
    (tmp_path / "services" / "reload").touch()
    relay = up()
    alice = await relay.device("alice")
    await relay.device("bob")
    await alice.send("@bob", "hello")
    assert len(relay.starts()) == 1 and relay.is_running()


async def test_keys_that_a_full_disk_left_empty(tmp_path):
    relay = Both(tmp_path, services__port=free_port())
    try:
        await relay.listening()
        relay.kill()
        (relay.data / "keys.json").write_text("")
        relay.start()
        await relay.listening()
        tokens = relay.ask("POST", "/v1/accounts", {
            "email": "ann@example.org", "password": "correct horse", "displayName": "Ann"})
        async with connect(f"ws://127.0.0.1:{relay.port}/v1/socket", subprotocols=["roost.v1"], proxy=None) as socket:
            ann = Device(socket)
            await ann.hello(tokens["accessToken"], device=tokens["device"])
    finally:
        relay.kill()


async def test_the_command_that_revokes_ends_the_sign_in(tmp_path):
    relay = Both(tmp_path, services__port=free_port())

    async def revoke(*words, code=0, **others):
        settings = {"store.path": relay.store, "auth.key_file": relay.key_file, **relay.settings, **others}
        flags = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
        done = await asyncio.to_thread(command, relay.folder, "admin", "revoke", *words, *flags)
        assert done.returncode == code, done.stderr
        return done

    def refresh(tokens):
        return relay.ask("POST", "/v1/sessions/refresh", {"refreshToken": tokens["refreshToken"]})
    try:
        await relay.listening()
        told = {"email": "ann@example.org", "password": "correct horse"}
        phone = relay.ask("POST", "/v1/accounts", {**told, "displayName": "Ann", "device": "phone"}).json
        tablet, desk = (
            relay.ask("POST", "/v1/sessions", {**told, "device": name}).json for name in ("tablet", "desk"))
        user = phone["user"]
        socket = await relay.device(user, "phone", token=phone["accessToken"])
        # The services send it to the relay, too, which may be quicker.
        assert re.fullmatch(
            r"the sign-in at roost-services has ended\nrevoked; (1 connection|0 connections) closed\n",
            (await revoke(user, "--device", "phone")).stdout)
        assert await socket.closed() == 4503 and refresh(phone).status == 401
        await revoke("--session", tablet["session"])
        assert refresh(tablet).status == 401
        desk |= refresh(desk).json
        await revoke(user)
        assert refresh(desk).status == 401
        # A user with tokens of another issuer has no account.
        assert (await revoke("zoe", "--unknown")).stdout == "revoked; 0 connections closed\n"
        assert (await revoke(user, "--device", "none")).stdout == "revoked; 0 connections closed\n"
        # Of a relay elsewhere nothing here says whether it has accounts.
        url = f"ws://127.0.0.1:{relay.port}/v1/socket"
        assert f"`roost admin user revoke {user} --device phone`" in (
            await revoke(user, "--device", "phone", "--url", url)).stderr
        # An operator who thinks that the user is locked out is warned.
        away = await revoke(user, code=1, **{"services.port": 1})
    finally:
        relay.kill()
    assert away.stdout == "revoked; 0 connections closed\n"
    assert "sign-ins at roost-services still work" in away.stderr and f"roost admin user revoke {user}" in away.stderr


async def test_a_slow_request_keeps_nobody_from_coming_back(tmp_path):
    relay = Both(tmp_path, services__port=free_port())
    try:
        await relay.listening()
        with create_connection(("127.0.0.1", int(relay.settings["services.port"]))) as slow:
            slow.sendall(b"POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
            # An answer to a later request says that the first bytes were read.
            assert relay.ask("GET", "/healthz").status == 200
            relay.kill()
            relay.start()
            await relay.listening()
            assert relay.ask("GET", "/readyz").status == 200
    finally:
        relay.kill()


async def test_what_the_services_are_told(up):
    relay = up(mail__mode="print", services__port=9_001, accounts__password_min=6)
    await relay.services(1)
    words = relay.starts()[0][1].split(" ")
    settings = [words[place + 1] for place, word in enumerate(words) if word == "--set"]
    assert "mail.mode=print" in settings and "accounts.password_min=6" in settings
    assert f"services.data={relay.data}" in settings
    # The page learns where they are, and the relay takes their keys.
    status, _, body = relay.get("/v1/page")
    assert (status, body) == (200, '{"services":"http://127.0.0.1:9001"}')


async def test_a_mistake_is_not_repeated(up):
    relay = up()
    services = await relay.services(1)
    (relay.data / "mistake").touch()
    os.kill(services, signal.SIGKILL)
    await until(lambda: "isn't started again; the relay goes on" in relay.log(), "a line of the log")
    assert relay.is_running() and (await relay.device("alice")).welcome
    assert relay.stop() == 0


async def test_a_port_that_is_not_known(tmp_path):
    said = await asyncio.to_thread(command, tmp_path, "up", "--port", "0")
    assert said.returncode == 2 and "listen.port" in said.stderr


async def test_without_the_program(tmp_path):
    said = await asyncio.to_thread(
        command, tmp_path, "up", "--services", str(tmp_path / "nothing"))
    assert said.returncode == 1 and "use `roost serve` for the relay alone" in said.stderr


async def test_a_relay_with_tls_is_known_by_the_name_in_its_certificate(tmp_path):
    authority = Authority(tmp_path)
    certificate, key = authority.issue("server", host="*.roost.invalid")
    relay = Both(
        tmp_path, services__port=free_port(), tls__certificate=certificate, tls__key=key,
        services__relay_ca_file=authority.path)
    try:
        await relay.listening()
        tokens = relay.ask("POST", "/v1/accounts", {
            "email": "ann@example.org", "password": "correct horse", "displayName": "Ann"}).json
        socket = await connect(
            f"wss://127.0.0.1:{relay.port}/v1/socket", ssl=authority.trust(), subprotocols=["roost.v1"],
            compression=None, ping_interval=None, proxy=None)
        ann = Device(socket)
        await ann.hello(tokens["accessToken"], device=tokens["device"])
        assert relay.ask("DELETE", "/v1/sessions", token=tokens["accessToken"]).status == 204
        assert await ann.closed() == 4503
    finally:
        relay.kill()


async def test_what_the_operator_says_of_the_relay_holds(up, tmp_path):
    folder = tmp_path / "elsewhere"
    relay = up(services__relay_url="wss://chat.example.org/v1/socket", services__data=folder, services__host="::1")
    await until(lambda: (folder / "starts").exists(), "the services' start")
    words = (folder / "starts").read_text().split()
    settings = [words[place + 1] for place, word in enumerate(words) if word == "--set"]
    assert [one for one in settings if one.startswith(("services.relay", "services.data", "services.host"))] == [
        "services.relay_url=wss://chat.example.org/v1/socket", f"services.data={folder}", "services.host=::1"]
    assert relay.is_running()


async def test_the_command_that_it_prints_finds_its_data(tmp_path):
    relay = Both(tmp_path, services__port=free_port(), mail__mode="off", mail__password="correct horse")
    try:
        printed = await asyncio.to_thread(relay.printed, rb"page +\S+/roost (admin link .*)     prints a link")
        assert "correct horse" not in printed
        await relay.listening()
        said = command("/", *shlex.split(printed))
        assert said.stdout.startswith(f"http://127.0.0.1:{relay.port}/#owner="), said.stderr
    finally:
        relay.kill()


async def test_the_first_links(tmp_path):
    relay = Both(tmp_path, services__port=free_port(), mail__mode="off")
    try:
        await relay.listening()
        # Where the output may be kept, it says only how to get a link.
        assert "roost admin link" in await asyncio.to_thread(relay.printed, rb"(Nobody is the owner yet[^\n]*)")
        words = ["--store", str(relay.store), "--port", relay.settings["listen.port"]]

        def link(kind, *more):
            said = command(tmp_path, "admin", "link", *words, *more)
            assert said.returncode == 0, said.stderr
            page, secret = said.stdout.strip().split(f"/#{kind}=")
            assert page == f"http://127.0.0.1:{relay.port}"
            return secret

        def enter(secret, **members):
            return relay.ask("POST", "/v1/sessions/link", {"token": secret, **members})

        secret = await asyncio.to_thread(link, "owner")
        assert (enter(secret).status, enter(secret).json["member"]) == (422, "displayName")
        owner = enter(secret, displayName="Olga")
        assert owner.status == 200
        assert enter(secret, displayName="Eve").code == "bad_link"
        # The same person again, who has a name already.
        again = enter(await asyncio.to_thread(link, "owner"))
        assert again.json["user"] == owner.json["user"]
        friend = enter(await asyncio.to_thread(link, "friend", "--friend"), displayName="Finn")
        assert friend.status == 200 and friend.json["user"] != owner.json["user"]
        # Tokens of the owner alone have the scope of operators.
        olga, finn = await relay.connect(), await relay.connect()
        await olga.hello(owner.json["accessToken"], operator=True)
        assert await finn.refusal("hello", token=friend.json["accessToken"], operator=True) == "forbidden"
    finally:
        relay.kill()


def test_a_link_needs_a_data_folder(tmp_path):
    said = command(tmp_path, "admin", "link")
    assert said.returncode == 1 and "start `roost up` first" in said.stderr and not said.stdout
