"""Long texts in any script, and mentions: sent, kept, counted apart in unread messages, also after kill -9."""

import pytest

WORDS = "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। "


async def crew(relay, name, *others):
    """alice's group with bob, and both connected."""
    names = [name(other) for other in ("bob", *others)]
    alice, bob = await relay.device(name("alice")), await relay.device(names[0])
    return alice, bob, await alice.group("Crew", *names)


async def unread(device, group):
    """[unread, mentions, the first of them] of the device's user."""
    told = (await device.call("conversation.get", conversation=group))["conversation"]
    return [told["unread"], told.get("mentions"), told.get("firstMention")]


@pytest.mark.parametrize("text", [
    "a" * 10_000, (WORDS * 300)[:20_000].rstrip(), "🇮🇳" * 10_000, "👨‍👩‍👧‍👦" * 2_857],
    ids=["ASCII", "Hindi", "flags", "families"])
async def test_texts_of_twenty_thousand_scalars_are_taken(relay, name, text):
    alice, bob, group = await crew(relay, name)
    assert len(text) <= 20_000
    assert (await alice.send(group, text))["sequence"] == 1
    assert (await bob.event("message"))["body"] == text
    longer = text + "x" * (20_001 - len(text))
    assert await alice.refusal("send", to=group, key="k-2", body=longer) == "too_large"
    assert (await alice.call("edit", conversation=group, sequence=1, body=("x" + text)[:20_000]))["position"]
    assert (await bob.call("history", conversation=group))["messages"][0]["body"] == ("x" + text)[:20_000]


async def test_mentions_are_told_and_counted_apart(relay, name):
    alice, bob, group = await crew(relay, name, "carol")
    both = [name("bob"), name("carol")]
    await alice.send(group, "hello")
    await alice.send(group, "@bob, @carol", mentions=both)
    assert "mentions" not in await bob.event("message", sequence=1)
    assert (await bob.event("message", sequence=2))["mentions"] == both
    assert await unread(bob, group) == [2, 1, 2]
    carol = await relay.device(name("carol"))
    assert (await carol.event("message", sequence=2))["mentions"] == both
    await alice.call("edit", conversation=group, sequence=1, body="hello, all", mentions=["@all"])
    assert (await bob.event("edit"))["mentions"] == ["@all"]
    assert await unread(bob, group) == [2, 2, 1]
    await bob.call("read", conversation=group, sequence=1)
    told = await bob.event("receipt", user=name("bob"), read=1)
    assert (told["unread"], told["mentions"], told["firstMention"]) == (1, 1, 2)
    await bob.call("read", conversation=group, sequence=2)
    assert "mentions" not in await bob.event("receipt", user=name("bob"), read=2)


async def test_mentions_are_refused_where_they_mean_nothing(relay, name):
    alice, bob, group = await crew(relay, name)
    for names, code in [
            ([name("dave")], "not_found"), ([], "bad_request"), (["@bob"], "bad_request"), ("bob", "bad_request"),
            ([f"u{number}" for number in range(33)], "too_large")]:
        assert await alice.refusal("send", to=group, key="k", body="x", mentions=names) == code, names
    assert await bob.refusal("send", to=group, key="k", body="x", mentions=["@all"]) == "forbidden"
    assert await alice.refusal(
        "send", to=f"@{name('bob')}", key="k", body="x", mentions=[name("bob")]) == "bad_request"
    assert (await alice.send(group, "x", key="k", mentions=[name("bob")] * 2))["sequence"] == 1
    assert (await bob.event("message"))["mentions"] == [name("bob")]
    assert (await alice.send(group, "x", key="k", mentions=[name("bob")]))["duplicate"] is True
    assert await alice.refusal("send", to=group, key="k", body="x") == "conflict"


async def test_unread_mentions_survive_a_crash(start, name):
    relay = start()
    alice, bob, group = await crew(relay, name, "carol")
    for text in ("one", "two", "three"):
        await alice.send(group, text, mentions=[name("bob"), "@all"])
    await alice.call("delete", conversation=group, sequence=2)
    await bob.call("read", conversation=group, sequence=1)
    await bob.event("receipt", user=name("bob"), read=1)
    await alice.call("edit", conversation=group, sequence=1, body="one, again", mentions=[name("carol")])
    relay.kill()
    relay.start()
    bob, carol = [await relay.device(name(user)) for user in ("bob", "carol")]
    told = await unread(bob, group)
    # A watermark is stored a moment after it is sent. The deleted message is neither unread nor a mention.
    assert told in ([1, 1, 3], [2, 2, 1])
    assert await unread(carol, group) == [2, 2, 1]
    shown = (await carol.call("history", conversation=group))["messages"]
    assert [message.get("mentions") for message in shown] == [[name("carol")], None, [name("bob"), "@all"]]
