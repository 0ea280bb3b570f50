"""The gate: which users may reach each other, as the operator decides while the relay runs."""

import json
import os
import signal

import pytest

from harness.device import Refused
from harness.relay import Relay
from harness.waiting import until


class Gated(Relay):
    """A relay whose gate is set in its configuration file."""

    def __init__(self, folder, gate):
        self.file = folder / "roost.yaml"
        self.write(gate)
        super().__init__(folder)

    def program(self):
        return ["env", f"ROOST_CONFIG={self.file}", *super().program()]

    def write(self, gate, kinds="[friend]"):
        self.file.write_text(f"log: {{format: json}}\ngate: {gate}\ncontacts: {{kinds: {kinds}}}\n")

    def reloads(self):
        return [line for line in map(json.loads, (one for one in self.log().splitlines() if one[:1] == "{"))
                if line["event"] == "relay.reloaded"]

    async def change(self, gate, **more):
        """A new gate, and a hangup."""
        before = len(self.reloads())
        self.write(gate, **more)
        os.kill(self.process.pid, signal.SIGHUP)
        await until(lambda: len(self.reloads()) > before, "the reload")
        return self.reloads()[-1]


@pytest.fixture
def gated(tmp_path):
    relays = []

    def begin(gate):
        relays.append(Gated(tmp_path, gate))
        return relays[-1]
    yield begin
    for relay in relays:
        if relay.is_running():
            assert relay.stop() == 0


async def outcome(device, command, **members):
    try:
        await device.call(command, **members)
        return "ok"
    except Refused as refusal:
        assert refusal.answer["retry"] is False
        return refusal.code


async def write(device, user, key):
    return await outcome(device, "send", to="@" + user, key=key, body="hello")


async def test_only_those_who_know_each_other_reach_each_other(gated):
    relay = gated("{mode: on}")
    alice, bob, carol = [await relay.device(user) for user in ("alice", "bob", "carol")]
    group = await alice.group("Mine")
    refused = {
        "send": {"to": "@bob", "key": "k1", "body": "x"},
        "conversation.create": {"kind": "direct", "members": ["bob"]},
        "conversation.add": {"conversation": group, "users": ["bob"]}}
    for command, members in refused.items():
        assert await outcome(alice, command, **members) == "no_relationship"
    assert await outcome(alice, "conversation.create", kind="group", name="G", members=["bob"]) == "no_relationship"
    await bob.barrier()
    assert not bob.seen("message") and not bob.seen("conversation")
    await alice.call("contact.invite", user="bob")
    assert await write(alice, "bob", "k1") == "no_relationship"
    await bob.call("contact.accept", user="alice")
    assert await write(alice, "bob", "k1") == "ok"
    assert (await bob.event("message"))["body"] == "hello"
    # A user in a group with both can.
    assert await outcome(alice, "conversation.add", conversation=group, users=["bob"]) == "ok"
    assert await write(carol, "alice", "k1") == "no_relationship"
    await bob.call("contact.invite", user="carol")
    await carol.call("contact.accept", user="bob")
    assert await outcome(bob, "conversation.create", kind="group", name="B", members=["alice", "carol"]) == "ok"
    assert await write(carol, "alice", "k1") == "ok"
    assert relay.metric('roost_gate_total{deed="open",outcome="refused"}') == 4
    assert relay.metric('roost_gate_total{deed="add",outcome="refused"}') == 2


async def test_conversations_that_existed_stay(gated):
    relay = gated("{mode: off}")
    alice, bob = await relay.device("alice"), await relay.device("bob")
    assert await write(alice, "bob", "k1") == "ok"
    await relay.change("{mode: on}")
    assert await write(bob, "alice", "k1") == "ok" and await write(alice, "carol", "k2") == "no_relationship"
    relay.kill()
    relay.start()
    alice = await relay.device("alice")
    assert await write(alice, "bob", "k3") == "ok" and await write(alice, "carol", "k2") == "no_relationship"


async def test_the_gate_is_changed_while_the_relay_runs(gated):
    relay = gated("{mode: off}")
    alice = await relay.device("alice")
    assert await write(alice, "u0", "k0") == "ok"
    line = await relay.change("{mode: on}")
    assert line["needsRestart"] == "false" and line["gate"] == "on"
    assert await write(alice, "u1", "k1") == "no_relationship"
    await relay.change("{mode: log}")
    assert await write(alice, "u1", "k1") == "ok"
    assert relay.metric('roost_gate_total{deed="open",outcome="logged"}') == 1
    await relay.change("{mode: on, shared_groups: 'off'}")
    assert await write(alice, "u2", "k2") == "no_relationship"
    await relay.change("{mode: off}", kinds="[trainer/client]")
    assert await write(alice, "u2", "k2") == "ok"
    assert await outcome(alice, "contact.invite", user="u2", kind="client") == "ok"
    # No connection was dropped.
    await alice.call("ping")


async def test_a_share_of_the_pairs_is_always_the_same(gated):
    relay = gated("{mode: percent 10}")
    alice = await relay.device("alice")

    async def refused(share):
        found = set()
        for number in range(200):
            user = f"v{number}"
            code = await outcome(alice, "conversation.create", kind="group", name="G", members=[user])
            if code == "no_relationship":
                found.add(user)
            else:
                assert code == "ok", (share, code)
        return found
    # No group makes anybody known.
    await relay.change("{mode: percent 10, shared_groups: 'off'}")
    tenth = await refused(10)
    assert 5 <= len(tenth) <= 40
    relay.kill()
    relay.start()
    alice = await relay.device("alice")
    assert await refused(10) == tenth
    await relay.change("{mode: percent 50, shared_groups: 'off'}")
    half = await refused(50)
    assert tenth < half and 70 <= len(half) <= 130
    await relay.change("{mode: percent 100, shared_groups: 'off'}")
    assert len(await refused(100)) == 200
