"""The newest messages of a store are lost, although they were acked. No start hides that: the log has a new epoch, its
positions go on after those that were given, and the operator gets a message.
"""

import pathlib
import shutil

import pytest

from harness.relay import command

FRAME_BYTES = 24 + 8_192


async def written(start, **settings):
    """A relay that was killed after two hundred messages, and its clients' knowledge."""
    relay = start(**settings)
    alice = await relay.device("alice")
    group = await alice.group("Crew", "bob")
    for number in range(200):
        last = await alice.send(group, f"message {number} " + "x" * 500)
    epoch = alice.welcome["epoch"]
    relay.kill()
    return relay, group, epoch, last["position"]


def flip_a_bit(relay):
    log = pathlib.Path(f"{relay.store}-wal")
    content = bytearray(log.read_bytes())
    # The file is longer than what is in it.
    frames = 0
    while content[32 + frames * FRAME_BYTES + 8:32 + frames * FRAME_BYTES + 16] == content[16:24]:
        frames += 1
    content[32 + frames // 2 * FRAME_BYTES + 3_000] ^= 16
    log.write_bytes(content)


def remove_the_log(relay):
    pathlib.Path(f"{relay.store}-wal").unlink()


@pytest.mark.parametrize("damage", [flip_a_bit, remove_the_log])
async def test_clients_and_operators_are_told(start, damage):
    relay, group, epoch, last = await written(start)
    if damage is remove_the_log:
        # So that the schema isn't in the log alone.
        relay.start()
        assert relay.stop() == 0
        relay.start()
        alice = await relay.device("alice")
        last = (await alice.send(group, "the last one"))["position"]
        relay.kill()
    damage(relay)
    relay.start()
    alice = await relay.device("alice")
    assert alice.welcome["epoch"] != epoch
    assert relay.metric('roost_store_problems_total{kind="lost_end"}') == 1
    assert "the newest rows of the log are lost" in relay.log()
    # A position of the old epoch isn't valid, whatever it says.
    assert await alice.refusal("ack", position=last) == "bad_position"
    await alice.send(group, "goes on")
    lost = relay.metric("roost_log_position")
    # The start after it finds nothing any more.
    epoch = alice.welcome["epoch"]
    relay.kill()
    relay.start()
    assert (await relay.device("alice")).welcome["epoch"] == epoch
    assert relay.metric('roost_store_problems_total{kind="lost_end"}') == 0
    # 200 messages, the creation of the group, and the message after that.
    assert relay.metric("roost_log_position") == lost >= 202
    assert relay.stop() == 0


async def test_a_backup_that_was_copied_by_hand_is_noticed(start, tmp_path):
    relay = start()
    alice = await relay.device("alice")
    group = await alice.group("Crew")
    await alice.send(group, "before")
    epoch = alice.welcome["epoch"]
    words = ["store", "backup", str(tmp_path / "backup.db"), "--store", str(relay.store)]
    assert command(tmp_path, *words).returncode == 0
    await alice.send(group, "after")
    assert relay.stop() == 0
    shutil.copy(tmp_path / "backup.db", relay.store)
    relay.start()
    alice = await relay.device("alice")
    assert alice.welcome["epoch"] != epoch
    assert (await alice.send(group, "goes on"))["sequence"] == 2
    assert relay.stop() == 0


def test_a_store_that_is_gone_is_not_made_anew(start):
    relay = start()
    assert relay.stop() == 0
    relay.store.unlink()
    relay.start()
    assert relay.stop() == 0


async def test_a_store_with_messages_that_is_gone_is_not_made_anew(start):
    relay = start()
    await (await relay.device("alice")).group("Crew")
    assert relay.stop() == 0
    relay.store.unlink()
    found = command(relay.folder, *relay.words())
    assert found.returncode == 1 and "is gone" in found.stderr
    assert not relay.store.exists()
