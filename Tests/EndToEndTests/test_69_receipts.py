"""What a conversation shows of itself, and who got and read a message, when."""


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
    assert await alice.refusal("conversation.describe", conversation=group, photo="", key="once") == "conflict"
    event = await bob.event("conversation", event="described")
    assert event["description"] == "" and "photo" not in event
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
