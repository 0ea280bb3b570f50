"""`roost doctor`: what it finds on a machine and on the way to a relay, and how to mend it."""

import asyncio
import contextlib
import sys

from harness.relay import REPOSITORY, command

sys.path.insert(0, str(REPOSITORY / "Tests/Fakes"))
from smtp_server import MailServer  # noqa: E402


async def doctor(folder, *words):
    """Returns what it says by thing, and its exit code."""
    done = await asyncio.to_thread(command, folder, "doctor", *words)
    found = {}
    for line in done.stdout.splitlines():
        if not line.startswith("     →"):
            state, thing = line[:5].strip(), line[5:19].strip()
            found[thing] = (state, line[19:].strip())
            mended = thing
        else:
            found[mended] += (line.strip(),)
    return found, done.returncode, done.stderr


@contextlib.asynccontextmanager
async def proxy(port, quiet):
    """Passes everything on, and closes connections on which nothing came from the client for `quiet` seconds."""
    async def serve(reader, writer):
        other_reader, other_writer = await asyncio.open_connection("127.0.0.1", port)

        async def pump(source, target):
            with contextlib.suppress(ConnectionError):
                while piece := await source.read(65_536):
                    target.write(piece)

        back = asyncio.create_task(pump(other_reader, writer))
        with contextlib.suppress(ConnectionError, TimeoutError):
            while piece := await asyncio.wait_for(reader.read(65_536), quiet):
                other_writer.write(piece)
        back.cancel()
        writer.close()
        other_writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def test_a_machine_that_is_well(tmp_path):
    found, code, _ = await doctor(tmp_path)
    assert code == 0
    assert found["file system"][0] in ("ok", "look") and found["fsync"][0] in ("ok", "look")
    assert "at the median" in found["fsync"][1] and found["clock"][0] in ("ok", "look")
    assert list(tmp_path.iterdir()) == [], "it leaves nothing behind"


async def test_what_can_be_wrong_here(tmp_path):
    found, code, said = await doctor(
        tmp_path, "--set", "store.path=/proc/roost/roost.db", "--set", "listen.services=https://nobody.invalid")
    assert code == 1 and said.strip().endswith("bad")
    assert found["disk"][0] == "bad" and "chown" in found["disk"][2]
    assert found["name"][0] == "bad" and "nobody.invalid (listen.services)" in found["name"][1]
    assert found["configuration"][0] in ("look", "bad")


async def test_a_store_on_which_no_relay_starts(start):
    relay = start()
    here = ("--set", f"store.path={relay.store}", "--set", f"auth.key_file={relay.key_file}")
    await (await relay.device("alice")).send("@bob", "hi")
    relay.kill()
    (relay.folder / "roost.db.restoring").touch()
    found, code, _ = await doctor(relay.folder, *here)
    assert code == 1 and found["configuration"][0] == "bad" and "a restore was cut short" in found["configuration"][1]
    (relay.folder / "roost.db.restoring").unlink()
    relay.store.write_bytes(b"")
    found, code, _ = await doctor(relay.folder, *here)
    assert code == 1 and "roost.db" in found["configuration"][1] and "0 bytes" in found["configuration"][1]
    assert relay.store.stat().st_size == 0


async def test_the_way_to_a_relay(start):
    relay = start()
    here = ("--set", f"auth.key_file={relay.key_file}")
    url = f"ws://127.0.0.1:{relay.port}/v1/socket"
    found, code, _ = await doctor(relay.folder, *here, "--url", url, "--quiet", "1")
    assert code == 0 and found["relay"][0] == "ok"
    assert found["proxy"] == ("ok", "a quiet connection stayed open for 1 s")
    async with proxy(relay.port, quiet=0.3) as port:
        found, code, _ = await doctor(
            relay.folder, *here, "--url", f"ws://127.0.0.1:{port}/v1/socket", "--quiet", "20")
        assert code == 1 and found["relay"][0] == "ok"
        assert found["proxy"][0] == "bad" and "proxy_read_timeout" in found["proxy"][2]
    assert relay.stop() == 0
    found, code, _ = await doctor(relay.folder, *here, "--url", url)
    assert code == 1 and found["relay"][0] == "bad" and "Upgrade" in found["relay"][2]


async def test_the_mail_server(tmp_path):
    (tmp_path / "mail").mkdir()
    server = MailServer(tmp_path / "mail", "--user", "roost", "--password", "hunter two")
    try:
        words = []
        for key, value in {
                "mode": "smtp", "host": "localhost", "port": server.port, "from": "no-reply@example.org",
                "ca_file": server.authority, "user": "roost", "password": "hunter two"}.items():
            words += ["--set", f"mail.{key}={value}"]
        found, code, _ = await doctor(tmp_path, *words)
        assert (found["mail"][:2], code) == (("ok", "localhost takes letters from us"), 0)
        assert server.letters() == [], "it sends nothing"
        found, code, said = await doctor(tmp_path, *words, "--set", "mail.password=hunter three")
        assert code == 1 and found["mail"][0] == "bad" and "535" in found["mail"][1] and "mail.user" in found["mail"][2]
        assert "hunter" not in str(found) + said
        found, code, _ = await doctor(tmp_path, *words, "--set", "mail.ca_file=")
        assert code == 1 and "certificate" in found["mail"][1]
    finally:
        server.stop()
    found, code, _ = await doctor(tmp_path, *words)
    assert code == 1 and found["mail"][0] == "bad"
    found, code, _ = await doctor(tmp_path, *words, "--set", "mail.host=nobody.invalid")
    assert code == 1 and "nobody.invalid (mail.host)" in found["name"][1]
