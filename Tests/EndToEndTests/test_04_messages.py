"""Messages: limits of their content, bodies byte for byte, retries without duplicates, and edit, delete, react and
history."""

import asyncio
import json

import pytest

# Everything that decoding and encoding again would change.
ODD_BODY = (
    '{ "a" :1,\t"b": [ 1 , 2.50 ,1E+2, -0 ] , "big":123456789012345678901234567890 ,'
    '"u":"\\u00e9\\/\\ud83d\\ude00é😀","twice":1,"twice":2 , "empty":{ } }')


async def pair(relay, name):
    """alice and bob are in a direct conversation, connected, and have got the event."""
    alice, bob = await relay.device(name("alice")), await relay.device(name("bob"))
    answer = await alice.call("conversation.create", kind="direct", members=[name("bob")])
    await bob.event("conversation", event="created")
    return alice, bob, answer["conversation"]["conversation"]


async def crew(relay, name):
    alice, bob = await relay.device(name("alice")), await relay.device(name("bob"))
    group = await alice.group("Crew", name("bob"))
    await bob.event("conversation", event="created")
    return alice, bob, group


async def send_raw(device, text, number="raw"):
    """Sends a command exactly as written, with this `id` in it, and returns the answer."""
    answer = device.expect(number)
    await device.write(text)
    return await answer


async def test_a_message_arrives_everywhere_with_every_member(relay, name):
    alice, bob, conversation = await pair(relay, name)
    tablet, laptop = await relay.device(name("alice"), "tablet"), await relay.device(name("bob"), "laptop")
    answer = await alice.send("@" + name("bob"), "Are you there?", key="m-1")
    assert set(answer) == {"type", "re", "conversation", "sequence", "position", "time"}
    assert (answer["conversation"], answer["sequence"]) == (conversation, 1)
    expected = {
        "type": "message", "conversation": conversation, "sequence": 1, "position": answer["position"],
        "from": name("alice"), "time": answer["time"], "body": "Are you there?"}
    for device in (bob, laptop):
        assert dict(await device.event("message")) == expected
    # Only the author's devices get device and key.
    assert dict(await tablet.event("message")) == {**expected, "device": "phone", "key": "m-1"}
    for device, own in ((bob, {}), (tablet, {"device": "phone", "key": "m-1"})):
        assert (await device.call("history", conversation=conversation))["messages"] == [
            {name: value for name, value in {**expected, **own}.items() if name != "type"}]
    # A device that was away gets the same.
    for device, words in ((laptop, (name("bob"), "laptop")), (tablet, (name("alice"), "tablet"))):
        await device.drop()
        told = await (await relay.device(*words)).event("message")
        assert ("device" in told, "key" in told) == (words[1] == "tablet",) * 2
    # The connection that sent the message gets `ok` and no event.
    await alice.barrier()
    assert not alice.seen("message")
    second = await bob.send(conversation, "Yes", key="m-1", replyTo=1)
    told = await alice.event("message")
    assert (told["sequence"], told["replyTo"], "key" in told) == (2, 1, False)
    assert second["position"] != answer["position"]


@pytest.mark.parametrize("body", [
    "x", " x ", "é" * 10, "😀" * 20_000, "a" * 20_000, "line\nline\t\u0000\u001f\u007f",
    "e\u0301 is not é", "\U0010ffff", "\u2028x\u2029"])
async def test_texts(relay, name, body):
    alice, bob, conversation = await pair(relay, name)
    await alice.send(conversation, body)
    assert (await bob.event("message"))["body"] == body


@pytest.mark.parametrize("body, code", [
    ("", "bad_request"), ("   ", "bad_request"), ("\u00a0\u3000\n\t", "bad_request"), ("a" * 20_001, "too_large"),
    ("😀" * 20_001, "too_large"), (1, "bad_request"), (None, "bad_request"), (["x"], "bad_request")])
async def test_invalid_texts_are_refused(relay, name, body, code):
    alice, _, conversation = await pair(relay, name)
    assert await alice.refusal("send", to=conversation, key="k", body=body) == code
    # A refused command doesn't use up its key.
    assert "duplicate" not in await alice.send(conversation, "x", key="k")


async def test_the_longest_text_may_be_written_in_escapes(relay, name):
    """The longest text with 12 bytes a scalar, for which frameBytes was chosen."""
    alice, bob, conversation = await pair(relay, name)
    body = '"' + "\\ud83d\\ude00" * 20_000 + '"'
    text = f'{{"type":"send","id":"raw","to":"{conversation}","key":"k","body":{body}}}'
    assert (await send_raw(alice, text))["type"] == "ok"
    told = await bob.event("message")
    assert told["body"] == "😀" * 20_000
    assert f'"body":{body}' in told.raw
    longer = text.replace('"k"', '"l"').replace('"body":"', '"body":"x')
    assert (await send_raw(alice, longer))["code"] == "too_large"


async def test_the_largest_body_and_one_byte_more(relay, name):
    alice, bob, conversation = await pair(relay, name)
    largest = '{"x":"' + "y" * (131_072 - 8) + '"}'
    assert len(largest) == 131_072
    text = f'{{"type":"send","id":"raw","to":"{conversation}","key":"k","kind":"blob","body":{largest}}}'
    assert (await send_raw(alice, text))["type"] == "ok"
    assert f'"body":{largest}' in (await bob.event("message")).raw
    larger = text.replace('"k"', '"l"').replace("yy", "yyy", 1)
    assert (await send_raw(alice, larger))["code"] == "too_large"


async def test_the_largest_frame_and_one_byte_more(relay, name):
    alice, _, conversation = await pair(relay, name)
    text = f'{{"type":"send","id":"raw","to":"{conversation}","key":"k","body":"x","padding":"'
    text += "p" * (262_144 - len(text) - 2) + '"}'
    assert (await send_raw(alice, text))["type"] == "ok"
    await alice.write(text.replace("pp", "ppp", 1))
    assert await alice.closed() == 1009


@pytest.mark.parametrize("body", [
    ODD_BODY, "null", "true", "0", "-1.5e300", "123456789012345678901234567890.5", '"text"', '""', "[]", " [ ] ", "{}",
    '"\\u0000\\""', "[" * 63 + "]" * 63])
async def test_bodies_are_passed_on_byte_for_byte(relay, name, body):
    alice, bob, conversation = await pair(relay, name)
    text = f'{{"type":"send","id":"raw","to":"{conversation}","key":"k","kind":"any","body":{body}}}'
    assert (await send_raw(alice, text))["type"] == "ok"
    part = f'"body":{body.strip()}'
    live = await bob.event("message")
    assert part + "}" in live.raw
    history = await bob.call("history", conversation=conversation)
    assert part in history.raw
    assert part in (await bob.call("conversation.list")).raw
    # A device that was away gets exactly the same frame.
    await bob.drop()
    again = await relay.device(name("bob"))
    assert (await again.event("message")).raw == live.raw


@pytest.mark.parametrize("kind, code", [
    ("a", None), ("a-z.0_9", None), ("k" * 32, None), ("k" * 33, "bad_request"), ("", "bad_request"),
    ("Image", "bad_request"), ("a b", "bad_request"), ("é", "bad_request")])
async def test_kinds(relay, name, kind, code):
    alice, bob, conversation = await pair(relay, name)
    answer = await alice.ask("send", to=conversation, key="k", kind=kind, body={"x": 1})
    assert answer.get("code") == code
    if code is None:
        assert (await bob.event("message"))["kind"] == kind


async def test_a_retry_gets_the_first_answer_again(relay, name):
    alice, bob, conversation = await pair(relay, name)
    first = await alice.send(conversation, "once", key="m-1")
    await alice.send(conversation, "other", key="m-2")
    tablet = await relay.device(name("alice"), "tablet")
    answers = [
        await alice.send(conversation, "once", key="m-1"), await tablet.send(conversation, "once", key="m-1"),
        await tablet.send("@" + name("bob"), "once", key="m-1")]
    for answer in answers:
        assert answer["duplicate"] is True
        assert {**first, "re": 0} == {**{k: v for k, v in answer.items() if k != "duplicate"}, "re": 0}
    # Under the same key, anything else is refused and makes nothing.
    assert await alice.refusal("send", to=conversation, key="m-1", body="another text") == "conflict"
    assert await alice.refusal("send", to="@" + name("x"), key="m-1", body="once") == "conflict"
    assert await alice.refusal("conversation.create", kind="group", name="G", key="m-1") == "conflict"
    assert len((await alice.call("conversation.list"))["conversations"]) == 1
    # Each sender has separate keys.
    assert "duplicate" not in await bob.send(conversation, "mine", key="m-1")
    history = (await bob.call("history", conversation=conversation))["messages"]
    assert [message["body"] for message in history] == ["once", "other", "mine"]


async def test_a_retry_after_both_have_left_is_not_delivered_again(relay, name):
    alice, bob, conversation = await pair(relay, name)
    await alice.send("@" + name("bob"), "original", key="m-1")
    await bob.event("message")
    await bob.call("conversation.leave", conversation=conversation)
    await alice.call("conversation.leave", conversation=conversation, key="l-1")
    assert (await alice.call("conversation.leave", conversation=conversation, key="l-1"))["duplicate"] is True
    assert await alice.refusal("send", to="@" + name("bob"), key="m-1", body="original") == "gone"
    assert await alice.refusal("send", to=conversation, key="m-1", body="original") == "gone"
    await bob.barrier()
    assert len(bob.seen("message")) == 1
    assert (await alice.send("@" + name("bob"), "new"))["sequence"] == 1


async def test_retries_in_flight_store_one_message(relay, name):
    alice, bob, conversation = await pair(relay, name)
    tablet = await relay.device(name("alice"), "tablet")
    answers = []
    for _ in range(20):
        for device in (alice, tablet):
            answers.append(await device.begin("send", to=conversation, key="same", body="once"))
    answers = await asyncio.gather(*answers)
    assert {answer["sequence"] for answer in answers} == {1}
    assert sum("duplicate" not in answer for answer in answers) == 1
    await bob.send(conversation, "end")
    assert len(bob.seen("message")) == 1


async def test_pipelined_sends_keep_their_order(relay, name):
    alice, bob, conversation = await pair(relay, name)
    answers = [await alice.begin("send", to=conversation, key=f"k-{n}", body=str(n)) for n in range(300)]
    assert [(await answer)["sequence"] for answer in answers] == list(range(1, 301))
    found = await bob.messages(conversation, 300)
    assert [message["body"] for message in found] == [str(number) for number in range(300)]


async def test_send_to_unreachable_conversations_is_refused(relay, name):
    alice, bob, conversation = await pair(relay, name)
    assert await alice.refusal("send", to="nowhere", key="k", body="x") == "not_found"
    assert await alice.refusal("send", to="@" + name("alice"), key="k", body="x") == "bad_request"
    assert await alice.refusal("send", to=conversation, key="k", body="x", replyTo=1) == "not_found"
    await alice.send(conversation, "x", key="k")
    assert (await alice.send(conversation, "x", replyTo=1))["sequence"] == 2


async def test_edit(relay, name):
    alice, bob, group = await crew(relay, name)
    tablet = await relay.device(name("alice"), "tablet")
    await alice.send(group, "teh")
    await tablet.event("message")
    answer = await alice.call("edit", conversation=group, sequence=1, body="the")
    assert set(answer) == {"type", "re", "position", "time", "version"} and answer["version"] == 2
    told = await bob.event("edit")
    assert dict(told) == {
        "type": "edit", "conversation": group, "sequence": 1, "position": answer["position"], "from": name("alice"),
        "time": answer["time"], "body": "the", "version": 2}
    assert dict(await tablet.event("edit")) == dict(told)
    message = (await bob.call("history", conversation=group))["messages"][0]
    assert (message["body"], message["editedAt"], message["version"]) == ("the", answer["time"], 2)
    again = await alice.call("edit", conversation=group, sequence=1, body="the")
    assert again["duplicate"] is True and set(again) == {"type", "re", "duplicate"}
    assert await bob.refusal("edit", conversation=group, sequence=1, body="x") == "forbidden"
    assert await alice.refusal("edit", conversation=group, sequence=2, body="x") == "not_found"
    assert await alice.refusal("edit", conversation=group, sequence=1, body={"x": 1}) == "bad_request"
    assert await alice.refusal("edit", conversation=group, sequence=1, body=" ") == "bad_request"
    # A device that comes later gets the edited message, marked as edited.
    await bob.drop()
    late = await relay.device(name("bob"), "new")
    found = await late.event("message")
    assert (found["body"], found["editedAt"], found["version"]) == ("the", answer["time"], 2)


async def test_a_message_of_another_kind_can_be_edited_to_any_body(relay, name):
    alice, bob, group = await crew(relay, name)
    await alice.send(group, {"x": 1}, kind="place")
    text = f'{{"type":"edit","id":"raw","conversation":"{group}","sequence":1,"body":{ODD_BODY}}}'
    assert (await send_raw(alice, text))["type"] == "ok"
    told = await bob.event("edit")
    assert told["kind"] == "place" and f'"body":{ODD_BODY}' in told.raw


async def test_delete(relay, name):
    alice, bob, group = await crew(relay, name)
    carol = await relay.device(name("carol"))
    await alice.call("conversation.add", conversation=group, users=[name("carol")])
    for device, body in ((bob, "one"), (bob, "two"), (alice, "three")):
        await device.send(group, body)
    assert await carol.refusal("delete", conversation=group, sequence=1) == "forbidden"
    assert await bob.refusal("delete", conversation=group, sequence=3) == "forbidden"
    answer = await bob.call("delete", conversation=group, sequence=1)
    told = await carol.event("delete")
    assert dict(told) == {
        "type": "delete", "conversation": group, "sequence": 1, "position": answer["position"], "from": name("bob"),
        "time": answer["time"]}
    # The owner and admins may delete other members' messages.
    await alice.call("delete", conversation=group, sequence=2)
    await alice.call("conversation.role", conversation=group, user=name("carol"), role="admin")
    await carol.call("delete", conversation=group, sequence=3)
    assert (await alice.call("delete", conversation=group, sequence=3)).get("duplicate") is True
    assert await bob.refusal("edit", conversation=group, sequence=1, body="x") == "gone"
    assert await bob.refusal("react", conversation=group, sequence=1, reaction="+") == "gone"
    messages = (await bob.call("history", conversation=group))["messages"]
    assert [message["sequence"] for message in messages] == [1, 2, 3]
    for message in messages:
        assert "body" not in message and message["deletedAt"] > 0
    assert messages[0]["deletedAt"] == answer["time"]


async def test_a_deleted_body_is_erased_from_the_store(start):
    relay = start()
    alice, bob = await relay.device("alice"), await relay.device("bob")
    group = await alice.group("Crew", "bob")
    await alice.send(group, "keep this sentence")
    await alice.send(group, "erase this sentence")
    await alice.send(group, "erase this draft")
    await alice.call("edit", conversation=group, sequence=3, body="erase this edit")
    await bob.event("edit")
    for sequence in (2, 3):
        await alice.call("delete", conversation=group, sequence=sequence)
    assert relay.stop() == 0
    store = b"".join(file.read_bytes() for file in relay.folder.glob("roost.db*"))
    assert b"keep this sentence" in store
    assert b"erase this" not in store
    # A device that had not received it before doesn't get it either.
    relay.start()
    new = await relay.device("bob", "new")
    await new.event("delete", sequence=3)
    assert not any("erase this" in frame.raw for frame in new.frames)


async def test_what_a_group_was_called_is_erased_from_the_store(start):
    relay = start()
    alice = await relay.device("alice")
    group = await alice.group("erase this name", "bob", "carol")
    for number in (1, 2):
        await alice.call("conversation.rename", conversation=group, name=f"erase this, {number}")
        await alice.call("conversation.describe", conversation=group, description=f"erase this, too, {number}",
                         photo=f"erase/this/{number}")
    await alice.call("conversation.remove", conversation=group, users=["carol"])
    await alice.call("conversation.rename", conversation=group, name="The Crew")
    await alice.call("conversation.describe", conversation=group, description="", photo="photos/1")
    assert relay.stop() == 0
    store = b"".join(file.read_bytes() for file in relay.folder.glob("roost.db*"))
    assert b"The Crew" in store and b"photos/1" in store
    assert b"erase this" not in store and b"erase/this" not in store
    # A member who was away gets the present name, unless it has left.
    relay.start()
    bob, carol = await relay.device("bob"), await relay.device("carol")
    await bob.event("conversation", event="removed")
    changes = [one for one in bob.seen("conversation") if one["event"] in ("created", "renamed")]
    assert [one["name"] for one in changes] == ["The Crew"] * 4
    described = [one for one in bob.seen("conversation") if one["event"] == "described"]
    assert {(one["photo"], one["description"]) for one in described} == {("photos/1", "")}
    await carol.event("conversation", event="removed")
    assert [one["event"] for one in carol.seen("conversation")] == ["created", "removed"]
    assert not any(word in frame.raw for frame in carol.frames for word in ("The Crew", "photos/1", "erase"))


async def test_reactions(relay, name):
    alice, bob, group = await crew(relay, name)
    await alice.send(group, "look")
    target = {"conversation": group, "sequence": 1}
    answer = await bob.call("react", **target, reaction="👍")
    told = await alice.event("react")
    assert dict(told) == {
        "type": "react", **target, "position": answer["position"], "from": name("bob"), "time": answer["time"],
        "reaction": "👍"}
    assert (await bob.call("react", **target, reaction="👍"))["duplicate"] is True
    await alice.call("react", **target, reaction="👍")
    await alice.call("react", **target, reaction="👩‍👩‍👧")

    async def reactions(device):
        return (await device.call("history", conversation=group))["messages"][0].get("reactions")
    thumb, family = {"reaction": "👍", "count": 2}, {"reaction": "👩‍👩‍👧", "count": 1}
    assert await reactions(bob) == [{**thumb, "mine": True}, {**family, "mine": False}]
    assert await reactions(alice) == [{**thumb, "mine": True}, {**family, "mine": True}]
    await bob.call("react", **target, reaction="👍", remove=True)
    assert (await alice.event("react", sender=name("bob")))["removed"] is True
    assert (await bob.call("react", **target, reaction="👍", remove=True))["duplicate"] is True
    assert await reactions(bob) == [{**thumb, "count": 1, "mine": False}, {**family, "mine": False}]
    for wrong in ("", "x" * 33, "😀" * 9):
        assert await bob.refusal("react", **target, reaction=wrong) == "bad_request"
    assert await bob.refusal("react", conversation=group, sequence=2, reaction="+") == "not_found"


async def test_a_user_has_twenty_reactions_to_a_message(relay, name):
    alice, bob, group = await crew(relay, name)
    await alice.send(group, "look")
    target = {"conversation": group, "sequence": 1}
    for number in range(20):
        await bob.call("react", **target, reaction=str(number))
    assert await bob.refusal("react", **target, reaction="20") == "too_large"
    await bob.call("react", **target, reaction="0", remove=True)
    await bob.call("react", **target, reaction="20")


async def test_the_limit_of_reactions_can_be_set(start):
    relay = start(limits__reactions_per_user=2)
    alice = await relay.device("alice")
    group = await alice.group("Crew")
    await alice.send(group, "look")
    for number in range(2):
        await alice.call("react", conversation=group, sequence=1, reaction=str(number))
    assert await alice.refusal("react", conversation=group, sequence=1, reaction="2") == "too_large"


async def test_history_in_pages(relay, name):
    alice, bob, group = await crew(relay, name)
    for answer in [await alice.begin("send", to=group, key=f"k-{n}", body=str(n)) for n in range(1, 131)]:
        await answer

    async def page(**members):
        answer = await bob.call("history", conversation=group, **members)
        assert set(answer) == {"type", "re", "conversation", "messages", "more"} and answer["conversation"] == group
        return [message["sequence"] for message in answer["messages"]], answer["more"]
    assert await page() == (list(range(81, 131)), True)
    assert await page(limit=100) == (list(range(31, 131)), True)
    assert await page(before=31, limit=30) == (list(range(1, 31)), False)
    assert await page(before=31, limit=29) == (list(range(2, 31)), True)
    assert await page(before=1) == ([], False)
    assert await page(after=0, limit=3) == ([1, 2, 3], True)
    assert await page(after=127, limit=3) == ([128, 129, 130], False)
    assert await page(after=130) == ([], False)
    assert await page(after=10**15) == ([], False)
    assert await page(before=2**63 - 1, limit=1) == ([130], True)
    assert await bob.refusal("history", conversation=group, before=3, after=1) == "bad_request"
    for wrong in (0, 101, -1, 1.5, "3"):
        assert await bob.refusal("history", conversation=group, limit=wrong) == "bad_request"
    message = (await bob.call("history", conversation=group, limit=1))["messages"][0]
    event = await bob.event("message", sequence=130)
    assert {"type": "message", **message} == dict(event)


async def test_a_history_page_of_large_messages_ends_early_and_says_so(relay, name):
    alice, bob, group = await crew(relay, name)
    for number in range(20):
        await alice.send(group, {"x": "y" * 60_000}, kind="blob")
    found, after = [], 0
    while True:
        answer = await bob.call("history", conversation=group, after=after, limit=100)
        assert len(answer.raw) < 2**20
        assert answer["messages"], "a page that brings nobody further"
        found += [message["sequence"] for message in answer["messages"]]
        after = found[-1]
        if not answer["more"]:
            break
    assert found == list(range(1, 21))


async def test_a_reply_names_the_command_it_answers(relay, name):
    """Exactly one reply for each command, in whatever order they finish."""
    alice, _, conversation = await pair(relay, name)
    commands = []
    for number in range(60):
        commands += [
            (f"s{number}", {"type": "send", "to": conversation, "key": f"k{number}", "body": "x"}),
            (f"p{number}", {"type": "ping"}), (f"b{number}", {"type": "send", "to": conversation})]
    answers = {}
    for number, command in commands:
        answers[number] = alice.expect(number)
        await alice.write(json.dumps({**command, "id": number}))
    kinds = {"s": "ok", "p": "pong", "b": "error"}
    for number, answer in answers.items():
        assert (await answer)["type"] == kinds[number[0]]
