"""`roost admin` and `roost top` say in a terminal what the operators' commands answer."""

import asyncio
import json
import re

from harness.relay import BINARY, environment
from harness.waiting import PATIENCE, until


async def roost(relay, *words, code=0):
    """Runs a command against the relay, and returns what it printed."""
    process = await asyncio.create_subprocess_exec(
        BINARY, *words, "--url", f"ws://127.0.0.1:{relay.port}/v1/socket", "--set", f"auth.key_file={relay.key_file}",
        cwd=relay.folder, env=environment(), stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE)
    out, err = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert process.returncode == code, (out, err)
    return (out or err).decode()


async def test_links_of_a_user(start):
    relay = start()
    bob, carol = await relay.device("bob"), await relay.device("carol")
    group = await bob.group("Crew")
    link, line = (await roost(relay, "admin", "invite", "create", "bob", "--uses", "2", "--days", "1")).splitlines()
    assert link.startswith(f"http://127.0.0.1:{relay.port}/#invite=")
    assert re.fullmatch(r"i\w{13}  to chat with the user, used 0 of 2, until .+", line)
    await carol.call("invite.open", code=link.split("=")[1])
    listed = await roost(relay, "admin", "invite", "list", "bob")
    assert "used 1 of 2" in listed and link.split("=")[1] not in listed
    join = (await roost(relay, "admin", "invite", "create", "bob", "--group", group)).splitlines()[0]
    assert (await carol.call("invite.open", code=join.split("=")[1]))["conversation"]["conversation"] == group
    # Carol is no admin there.
    assert "forbidden" in await roost(relay, "admin", "invite", "create", "carol", "--group", group, code=1)
    name = line.split()[0]
    assert await roost(relay, "admin", "invite", "revoke", "bob", name) == "link revoked\n"
    assert "the user has no link" in await roost(relay, "admin", "invite", "revoke", "bob", name, code=1)
    assert await roost(relay, "admin", "invite", "list", "bob") == "no links\n"
    assert await roost(relay, "admin", "invite", "revoke", "bob", "--all") == "0 links revoked\n"


async def test_people_user_and_message(start):
    relay = start()
    bob, carol = await relay.device("bob"), await relay.device("carol")
    tablet = await relay.device("carol", "tablet")
    group = await bob.group("all", "carol")
    await tablet.event("conversation")
    await tablet.call("bye")
    await tablet.closed()
    sent = await bob.send(group, "hi")
    await carol.call("ack", position=(await carol.event("message"))["position"])
    # A new user is shown with the next round of presence.
    people = ["2 online, 0 away, 0 busy, 0 offline", "  bob  online, 1 device", "  carol  online, 1 device"]

    async def are_shown():
        return (await roost(relay, "admin", "people")).splitlines() == people
    await until(are_shown, "both are online")
    said = json.loads(await roost(relay, "admin", "people", "--json"))
    assert [one["user"] for one in said["people"]["users"]] == ["bob", "carol"]
    user = await roost(relay, "admin", "user", "carol")
    assert re.match(r"carol is online: phone is active, last heard \d+ s ago\n  1 conversation, 0 contacts, ", user)
    assert "tablet is offline, last ended by bye" in user and "from 127.0.0.1" in user
    for words in [(group, "1"), (sent["position"],)]:
        message = (await roost(relay, "admin", "message", *words)).splitlines()
        assert message[0].startswith(f"message 1 of {group} from bob/phone, stored ")
        assert message[1:3] == ["  bob/phone: sent it", "  carol/phone: delivered"]
        assert message[3].startswith("  carol/tablet: waiting, offline since ")
    assert await roost(relay, "admin", "user", "nobody", code=1) == "roost: not_found: no user is called nobody\n"
    assert "there is no such event" in await roost(relay, "admin", "message", group, "9", code=1)


async def test_who_a_user_is_and_how_many_it_knows(start):
    relay = start(gate__mode="on", gate__strangers="request", gate__shared_groups="off")
    mill, bob = await relay.service(), await relay.device("bob")
    friend, stranger = await relay.device("friend"), await relay.device("stranger")
    await mill.call("admin.profile", user="bob", role="trainer", tier="gold")
    await bob.call("profile.set", name="Bob Stone", username="bobby")
    await bob.call("contact.invite", user="friend", kind="friend")
    await bob.call("contact.invite", user="later", kind="friend")
    await friend.call("contact.accept", user="bob")
    await bob.call("contact.block", users=["eve", "mallory"])
    await stranger.send("@bob", "hello")
    said = (await roost(relay, "admin", "user", "bob")).splitlines()
    assert said[1] == "  is called Bob Stone, username bobby, role trainer, tier gold, version 2 of the profile"
    assert said[2] == (
        "  1 conversation, 1 contact, watched by 0 sessions, 1 request of strangers, has blocked 2 users")
    person = json.loads(await roost(relay, "admin", "user", "bob", "--json"))["person"]
    assert [person[name] for name in ("contacts", "requests", "blocks")] == [1, 1, 2]
    assert person["profile"]["name"] == "Bob Stone"
    # Names of others stay private: no list, only counts.
    assert not re.search("friend|later|eve|mallory|stranger(?!s)", "\n".join(said) + json.dumps(person))
    await mill.call("admin.profile", user="bob", deleted=True)
    assert "has left for good" in await roost(relay, "admin", "user", "bob")


async def test_all_pages_are_printed(start):
    relay = start(limits__connections_per_address=300)
    for number in range(120):
        await relay.device(f"user{number}")
    assert len((await roost(relay, "admin", "people")).splitlines()) == 121


async def test_ending_sessions(start):
    relay = start()
    bob, tablet = await relay.device("bob"), await relay.device("bob", "tablet")
    assert await roost(relay, "admin", "disconnect", "bob", "--device", "phone") == "1 connection closed\n"
    assert await bob.closed() == 4006
    assert await roost(relay, "admin", "revoke", "bob", "--as", "olga") == "revoked; 1 connection closed\n"
    assert await tablet.closed() == 4503
    laptop = await relay.device("carol", token=relay.token("carol", sid="s-1"))
    assert await roost(relay, "admin", "revoke", "--session", "s-1") == "revoked; 1 connection closed\n"
    assert await laptop.closed() == 4503
    for words in [(), ("carol", "--session", "s-1"), ("--session", "s-1", "--device", "phone")]:
        await roost(relay, "admin", "revoke", *words, code=2)
    assert await roost(relay, "admin", "drain") == "the relay is stopping\n"
    assert relay.wait() == 0
    assert "operator.revoked" in relay.log() and "olga" in relay.log()
    assert "can't connect to ws://" in await roost(relay, "admin", "people", code=1)


async def test_only_with_the_scope(start):
    relay = start()
    plain = relay.token("bob")
    assert "forbidden" in await roost(relay, "admin", "people", "--token", plain, code=1)
    made = await roost_token(relay, "--user", "olga", "--admin")
    assert "0 online" in await roost(relay, "admin", "people", "--token", made)


async def roost_token(relay, *words):
    process = await asyncio.create_subprocess_exec(
        BINARY, "token", *words, "--set", f"auth.key_file={relay.key_file}", cwd=relay.folder, env=environment(),
        stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate()
    return out.decode().strip()


async def test_top(start):
    relay = start()
    bob = await relay.device("bob")
    group = await bob.group("all")
    for number in range(10):
        await bob.send(group, f"m{number}")

    # A new user is shown with the next round of presence.
    async def shown():
        top = await roost(relay, "top", "--count", "1")
        return top if "people      online 1   away 0   busy 0   offline 0" in top else None
    top = await until(shown, "bob is online")
    assert re.search(r"commit +\d+ +\d+\.\d ms +\d+\.\d ms", top), top
    samples = (await roost(relay, "top", "--count", "2", "--json")).split("\n")
    assert [json.loads(line)["online"] for line in samples if line] == [1, 1]
    # Names chosen by users never reach the terminal as they are.
    assert "\x1b" not in top


async def test_the_link_to_the_page(start):
    relay = start()
    link = (await roost(relay, "admin", "page")).strip()
    page, token = link.split("#token=")
    assert page == f"http://127.0.0.1:{relay.port}/admin"
    assert "0 online" in await roost(relay, "admin", "people", "--token", token)
