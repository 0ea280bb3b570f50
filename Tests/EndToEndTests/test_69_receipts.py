"""A conversation's profile, and the members who got and read a message, with times."""

from harness.relay import command
from harness.waiting import until


async def test_a_group_has_a_photo_and_a_description(start):
    relay = start()
    alice, bob = await relay.device("alice"), await relay.device("bob")
    answer = await alice.call("conversation.create", kind="group", name="Crew", members=["bob"])
    group, created = answer["conversation"]["conversation"], answer["time"]
    assert answer["conversation"]["createdAt"] == created
    assert "photo" not in answer["conversation"] and "description" not in answer["conversation"]
    assert await bob.refusal("conversation.describe", conversation=group, photo="p") == "forbidden"
    assert await alice.refusal("conversation.describe", conversation=group) == "bad_request"
    assert await alice.refusal("conversation.describe", conversation=group, photo="p" * 257) == "too_large"
    assert await alice.refusal("conversation.describe", conversation=group, description="é" * 513) == "too_large"
    assert await alice.refusal("conversation.describe", conversation=group, description="  ") == "bad_request"
    await alice.call("conversation.describe", conversation=group, photo="p/1", description="Who sails on Sunday")
    event = await bob.event("conversation", event="described")
    assert event["photo"] == "p/1" and event["description"] == "Who sails on Sunday" and event["by"] == "alice"
    first = await alice.call("conversation.describe", conversation=group, description="", key="once")
    again = await alice.call("conversation.describe", conversation=group, description="", key="once")
    assert again["duplicate"] and again["position"] == first["position"]
    assert await alice.refusal("conversation.rename", conversation=group, name="Other", key="once") == "conflict"
    event = await bob.event("conversation", event="described")
    assert event["description"] == "" and event["photo"] == "p/1"
    carol = await relay.device("carol")
    await alice.call("conversation.add", conversation=group, users=["carol"])
    added = await carol.event("conversation", event="added")
    assert (added["photo"], added["createdAt"]) == ("p/1", created) and "description" not in added
    direct = await alice.call("conversation.create", kind="direct", members=["bob"])
    other = direct["conversation"]["conversation"]
    assert await alice.refusal("conversation.describe", conversation=other, photo="p") == "conflict"
    relay.kill()
    relay.start()
    alice = await relay.device("alice")
    found = {one["conversation"]: one for one in (await alice.call("conversation.list"))["conversations"]}
    assert (found[group]["photo"], found[group]["createdAt"]) == ("p/1", created)
    assert "description" not in found[group] and found[other]["createdAt"] == direct["time"]


async def test_who_got_and_read_a_message_when(start):
    relay = start()
    alice, bob, carol = [await relay.device(user) for user in ("alice", "bob", "carol")]
    group = await alice.group("Crew", "bob", "carol", "dave")
    sent = [await alice.send(group, f"m{number}") for number in range(3)]
    for number in range(3):
        await bob.awaited_message(group, number + 1)
    await carol.awaited_message(group, 3)
    before = (await bob.barrier())["time"]
    await bob.call("read", conversation=group, sequence=2)
    await carol.call("ack", position=sent[2]["position"])
    after = (await bob.barrier())["time"]
    page = await alice.call("receipts", conversation=group, sequence=2)
    told = {one["user"]: one for one in page["receipts"]}
    assert page["sequence"] == 2 and page["conversation"] == group and set(told) == {"bob", "carol"}
    assert before <= told["bob"]["readAt"] <= after and told["bob"]["read"]
    assert told["bob"]["deliveredAt"] == told["bob"]["readAt"]
    assert before <= told["carol"]["deliveredAt"] <= after and "read" not in told["carol"]
    # The author has read it when it was sent, to the millisecond.
    author = (await bob.call("receipts", conversation=group, sequence=3))["receipts"]
    assert author[0] == {
        "user": "alice", "deliveredAt": sent[2]["time"], "read": True, "readAt": sent[2]["time"]}
    first = await alice.call("receipts", conversation=group, sequence=1, limit=2)
    rest = await alice.call("receipts", conversation=group, sequence=1, after=first["next"])
    assert [one["user"] for one in first["receipts"] + rest["receipts"]] == ["bob", "carol"]
    assert "next" not in rest
    assert await alice.refusal("receipts", conversation=group, sequence=4) == "not_found"
    # A crash forgets none of what was stored.
    await until(lambda: relay.rows("SELECT count(*) FROM receipt WHERE read_to > 0 OR delivered_to > 0") == [(3,)],
                "the steps are stored")
    relay.kill()
    relay.start()
    alice = await relay.device("alice")
    assert (await alice.call("receipts", conversation=group, sequence=2))["receipts"] == page["receipts"]
    assert relay.stop() == 0
    result = command(relay.folder, "store", "verify", "--store", str(relay.store))
    assert result.returncode == 0, result.stdout + result.stderr
