"""Signals: they reach every other connected member and no other client, byte for byte, and are never stored."""

import pytest


async def crew(relay, name):
    alice, bob = await relay.device(name("alice")), await relay.device(name("bob"))
    group = await alice.group("Crew", name("bob"))
    await bob.event("conversation", event="created")
    return alice, bob, group


async def test_a_signal_reaches_every_other_device(relay, name):
    alice, bob, group = await crew(relay, name)
    tablet, laptop = await relay.device(name("alice"), "tablet"), await relay.device(name("bob"), "laptop")
    await alice.tell("signal", to=group, kind="cursor", body={"x": 10})
    for device in (bob, laptop, tablet):
        told = await device.event("signal")
        assert set(told) == {"type", "conversation", "from", "kind", "body"}
        assert (told["conversation"], told["from"]) == (group, name("alice"))
        assert (told["kind"], told["body"]) == ("cursor", {"x": 10})
    await alice.barrier()
    assert not alice.seen("signal")


async def test_a_signal_is_not_stored(relay, name):
    alice, bob, group = await crew(relay, name)
    await bob.bye()
    assert set(await alice.call("signal", to=group, body=1)) == {"type", "re"}
    await alice.send(group, "x")
    bob = await relay.device(name("bob"))
    await bob.event("message", sequence=1)
    assert not bob.seen("signal")
    assert len((await bob.call("history", conversation=group))["messages"]) == 1


@pytest.mark.parametrize("body", ['{ "a" : 1e5 ,"b":[ ] }', "null", '"\\u00e9"', "12345678901234567890", "false"])
async def test_the_body_is_passed_on_byte_for_byte(relay, name, body):
    alice, bob, group = await crew(relay, name)
    await alice.write(f'{{"type":"signal","to":"{group}","body": {body} }}')
    told = await bob.event("signal")
    assert "kind" not in told and f'"body":{body}}}' in told.raw


async def test_limits(relay, name):
    alice, bob, group = await crew(relay, name)
    await alice.call("signal", to=group, body="x" * 131_070)
    assert len((await bob.event("signal"))["body"]) == 131_070
    assert await alice.refusal("signal", to=group, body="x" * 131_071) == "too_large"
    assert await alice.refusal("signal", to=group, kind="text", body={"x": 1}) == "bad_request"
    assert await alice.refusal("signal", to=group) == "bad_request"
    assert await alice.refusal("signal", to="nowhere", body=1) == "not_found"
    # A refusal without an id is an error without `re`.
    await alice.tell("signal", to="nowhere", body=1)
    told = await alice.event("error")
    assert told["code"] == "not_found" and "re" not in told


async def test_signals_keep_their_order_with_messages_of_the_same_sender(relay, name):
    alice, bob, group = await crew(relay, name)
    for number in range(200):
        await alice.tell("signal", to=group, body=number)
    await bob.event("signal", body=199)
    assert [event["body"] for event in bob.seen("signal")] == list(range(200))
