"""`roost admin user link`: a new link to sign in to an existing account, found by anything known of the person."""

import asyncio
import re

from harness.relay import command
from harness.up import free_port


async def test_a_new_way_in(start_services, start):
    """The link works for a user who came by a link, and for one who has lost the session."""
    port = free_port()
    services = start_services(
        services__relay_url=f"ws://127.0.0.1:{port}/v1/socket", services__proxies="127.0.0.1")
    relay = start(auth__public_keys=services.data / "keys.json", listen__port=port)
    services.client = "10.0.0.1"
    friend = services.command("link", "--friend").stdout.strip().rpartition("=")[2]
    finn = services.post("/v1/sessions/link", {"token": friend, "displayName": "Finn", "device": "old"}).json
    ann = services.sign_up("ann@example.org", name="Ann")
    for email in ("gwen@example.org", "gwen2@example.org"):
        services.sign_up(email, name="Gwen")

    def user(*words, code=0):
        done = command(
            services.folder, "admin", "user", *words, "--set", f"services.data={services.data}", "--set",
            f"services.port={services.port}", "--set", f"listen.port={port}", "--set",
            f"auth.key_file={relay.key_file}")
        assert done.returncode == code, (done.stdout, done.stderr)
        return done.stdout.strip(), done.stderr.strip()

    def link(name, code=0):
        return user("link", name, code=code)

    # By the id, by the display name if only one has it, by the address, and by the username.
    device = await relay.device(finn["user"], device="old", token=finn["accessToken"])
    await device.ask("profile.set", username="finn.f")
    for name in (finn["user"], "Finn", "finn.f", "@Finn.F"):
        words, whose = await asyncio.to_thread(link, name)
        assert "/#owner=" in words and whose.startswith(f"for {finn['user']}, works once, until "), whose
    came = services.post("/v1/sessions/link", {"token": words.rpartition("=")[2], "device": "new"}).json
    assert came["user"] == finn["user"] and came["session"] != finn["session"]
    assert services.post("/v1/sessions/link", {"token": words.rpartition("=")[2]}).code == "bad_link"
    # The owner sees it: where one is signed in, and what operators did.
    assert {one["device"] for one in services.get("/v1/sessions", token=came["accessToken"])["sessions"]} == {
        "old", "new"}
    export = services.get("/v1/account/export", token=came["accessToken"])
    assert [one["act"] for one in export["audit"]].count("link") == 4
    _, whose = await asyncio.to_thread(link, "ann@example.org")
    assert whose.startswith(f"for {ann['user']}")
    services.awaited_output(
        re.compile(rb"mail to ann@example.org: an operator made a link that signs in to your account\n"))
    # A sentence says why there is no link.
    assert "several users are called Gwen" in (await asyncio.to_thread(link, "Gwen", 1))[1]
    assert "there is no account of this user" in (await asyncio.to_thread(link, "nobody", 1))[1]
    await asyncio.to_thread(user, "suspend", ann["user"])
    assert "resume it first" in (await asyncio.to_thread(link, "ann@example.org", 1))[1]
    await asyncio.to_thread(user, "delete", ann["user"], "--yes")
    assert "one that was deleted doesn't come back" in (await asyncio.to_thread(link, ann["user"], 1))[1]
    # Nor by an operator's own session, which may be stolen.
    await asyncio.to_thread(user, "operator", finn["user"])
    answer = services.post(f"/v1/admin/users/{finn['user']}/link", token=came["accessToken"])
    assert (answer.status, answer.code) == (403, "forbidden")
