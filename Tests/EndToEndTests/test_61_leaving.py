"""The messages of a user who leaves for good: they stay or go, as the operator wants it."""

import sqlite3

import pytest

from harness.up import Both, free_port
from harness.waiting import until


async def begin(folder, **settings):
    relay = Both(folder, services__port=free_port(), **settings)
    await relay.listening()
    return relay


async def person(relay, name):
    """Signs a user up, and connects."""
    tokens = relay.ask("POST", "/v1/accounts", {
        "email": f"{name}@example.org", "password": "correct horse", "displayName": name}).json
    return tokens, await relay.device(tokens["user"], device=tokens["device"], token=tokens["accessToken"])


def has_told_all(relay):
    """Whether nothing waits to be revoked, erased or forgotten."""
    database = sqlite3.connect(f"file:{relay.data}/services.db?mode=ro", uri=True)
    try:
        waiting = " UNION ALL ".join(f"SELECT user FROM {table}" for table in ("erasure", "revocation", "profile_due"))
        return not database.execute(waiting).fetchall()
    finally:
        database.close()


@pytest.mark.parametrize("messages", ["keep", "erase"])
async def test_messages_of_a_deleted_account(tmp_path, messages):
    relay = await begin(tmp_path, accounts__messages=messages)
    try:
        (ann, phone), (bob, friend) = await person(relay, "ann"), await person(relay, "bob")
        for number in range(3):
            await phone.send(f"@{bob['user']}", f"a secret {number}")
        await friend.send(f"@{ann['user']}", "an answer")
        await phone.call("contact.invite", user=bob["user"], label="from the gym")
        await phone.call("prospect.set", name="Zoe", note="asked about Tuesdays")
        await phone.call("status", text="At the lake")
        # Both processes are killed as soon as it is done.
        assert relay.ask("DELETE", "/v1/account", {"password": "correct horse"}, token=ann["accessToken"]).status == 204
        relay.kill()
        relay.start()
        friend = await relay.device(bob["user"], device=bob["device"], token=bob["accessToken"])
        await until(lambda: has_told_all(relay), "the relay knows all")
        page = await friend.call("history", conversation=f"@{ann['user']}", limit=100)

        async def has_no_contact():
            return (await friend.call("contact.list"))["contacts"] == []
        # The relay takes the user out of everything a part at a time.
        await until(has_no_contact, "the end of the contact")
        secrets = [None] * 3 if messages == "erase" else [f"a secret {number}" for number in range(3)]
        assert [one.get("body") for one in page["messages"]] == [*secrets, "an answer"]
        # No user comes back under the id.
        stranger = await relay.connect()
        assert await stranger.refusal("hello", token=ann["accessToken"]) == "unauthorized"
        assert relay.stop() == 0
        files = b"".join(path.read_bytes() for path in relay.store.parent.glob(relay.store.name + "*"))
        assert (b"a secret" in files) == (messages == "keep")
        assert not [text for text in (b"from the gym", b"asked about Tuesdays", b"At the lake") if text in files]
    finally:
        if relay.is_running():
            relay.kill()


@pytest.mark.parametrize("messages", ["keep", "erase"])
async def test_a_deleted_account_leaves_its_groups(tmp_path, messages):
    """The heir owns what the person owned, and writing to the person is gone, whenever both processes are killed."""
    relay = await begin(tmp_path, accounts__messages=messages)
    try:
        (ann, phone), (bob, friend) = await person(relay, "ann"), await person(relay, "bob")
        groups = [await phone.group(f"Crew {number}", bob["user"]) for number in range(20)]
        await phone.send(f"@{bob['user']}", "hello")
        await friend.send(groups[0], "first")
        await phone.event("message", conversation=groups[0])
        await phone.call("react", conversation=groups[0], sequence=1, reaction="+")
        assert relay.ask("DELETE", "/v1/account", {"password": "correct horse"}, token=ann["accessToken"]).status == 204
        relay.kill()
        relay.start()
        friend = await relay.device(bob["user"], device=bob["device"], token=bob["accessToken"])
        await until(lambda: has_told_all(relay), "the relay knows all")

        async def owners():
            pages = [await friend.call("conversation.members", conversation=group) for group in groups]
            return [[(one["user"], one["role"]) for one in page["members"]] for page in pages]

        async def is_handed_over():
            return await owners() == [[(bob["user"], "owner")]] * len(groups)

        await until(is_handed_over, "bob owns all groups")
        assert await friend.refusal("send", to=f"@{ann['user']}", key="k1", body="are you there?") == "gone"
        assert await friend.refusal("conversation.add", conversation=groups[0], users=[ann["user"]]) == "gone"
        shown = (await friend.call("history", conversation=groups[0]))["messages"][0]
        assert ("reactions" in shown) == (messages == "keep")
        relay.kill()
        relay.start()
        friend = await relay.device(bob["user"], device=bob["device"], token=bob["accessToken"])
        assert await is_handed_over()
    finally:
        if relay.is_running():
            relay.kill()
