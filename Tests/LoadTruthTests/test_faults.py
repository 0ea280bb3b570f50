"""roost-load finds and counts every planted fault, and finds nothing when nothing is wrong. Each fault has its own
relay, proxy and run. Four run at the same time, which is possible because only counts are compared."""

import asyncio

import pytest

import faults
from load import run_through

# All users are connected all the time, so planted faults stay, and the counts must be equal: the last
# receipt has to arrive before the run ends, on a busy machine too.
MESSAGES = """
about: Messages among people who are always there.
users: 20
outsiders: 2
warmup: 0.5
seconds: 4
settle: 4
conversations: {pairs: 10, rooms: [{members: 10}, {members: 5}]}
messages: {rate: 100, bytes: 80-400}
personas: [{name: reader, share: 1, reads: 0.5, read_seconds: 0.2}]
"""

# Only rooms, where roost-load itself asks to watch every user that is shown.
VISITS = """
about: People who come and go, and watch each other.
users: 20
warmup: 0.5
seconds: 9
settle: 3
watch: 5
conversations: {rooms: [{members: 10}, {members: 10}]}
messages: {rate: 20}
personas: [{name: visitor, share: 0.5, present: 2, away: 4}, {name: guard, share: 0.5}]
"""

# No user is judged during the grace after a cut, so users shown as gone must not be in one at the end. Each visit has
# to last longer than a wrong state may.
CLEAN_VISITS = VISITS.replace("present: 2, away: 4", "present: 5, away: 2, clean: 1").replace(
    "seconds: 9", "seconds: 15")

# So few messages that most users have stopped long before they type again.
TYPING = """
about: People who type now and then.
users: 20
warmup: 0
seconds: 10
settle: 2
conversations: {rooms: [{members: 20}]}
messages: {rate: 3}
personas: [{name: typist, share: 1, typing: 1, typing_seconds: 0.5}]
"""

EVERYTHING = """
about: All at once.
users: 20
outsiders: 2
warmup: 0.5
seconds: 6
settle: 5
watch: 5
conversations: {pairs: 10, rooms: [{members: 10}, {members: 20}]}
messages: {rate: 100, bytes: 80-400}
personas:
  - {name: guard, share: 0.5, reads: 0.5, read_seconds: 0.2, typing: 0.2, typing_seconds: 0.5}
  - {name: visitor, share: 0.5, reads: 0.5, read_seconds: 0.2, present: 2, away: 1, clean: 0.3}
"""

# How long a wrong state may last before it is a fault (LoadTests/README.md), and how long typing lasts without a
# refresh (`welcome`).
SLACK_SECONDS = 2
TYPING_SECONDS = 3

CASES = {
    "nothing": (faults.Nothing(), EVERYTHING),
    "stall": (faults.Stall(period=2, span=0.3), EVERYTHING),
    "drop": (faults.Drop(20), MESSAGES),
    "duplicate": (faults.Duplicate(20), MESSAGES),
    "swap": (faults.Swap(10), MESSAGES),
    "leak": (faults.Leak(20), MESSAGES),
    "alter": (faults.Alter(20), MESSAGES),
    "unread": (faults.Falsify(), MESSAGES),
    "receipt": (faults.FalsifyReceipts(), MESSAGES),
    "ghost": (faults.HidePresence("offline"), VISITS),
    "absent": (faults.HidePresence("online"), CLEAN_VISITS),
    "typing": (faults.KeepTyping(), TYPING),
}

# Fewer faults would prove little.
ENOUGH = 10


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """All runs, by the name of their case."""
    async def run_all():
        places = asyncio.Semaphore(4)

        async def run_one(name):
            fault, scenario = CASES[name]
            async with places:
                return await run_through(fault, tmp_path_factory.mktemp(name), scenario, "--correctness-only")

        return dict(zip(CASES, await asyncio.gather(*map(run_one, CASES))))

    return asyncio.run(run_all())


@pytest.mark.parametrize("name", ["nothing", "stall"])
def test_a_correct_relay_has_no_fault(outcomes, name):
    run = outcomes[name]
    assert run.faults == {}, run
    assert run.code == 0, run
    assert run.report["result"]["counts"]["delivered"] > 500
    # Everything that the faults below affect did occur and was checked.
    for kind in ["receipts", "presences", "typings", "disconnects", "caughtUpMessages"]:
        assert run.report["result"]["counts"][kind] > 0, kind


@pytest.mark.parametrize(("name", "word"), [
    ("drop", "lost"), ("duplicate", "duplicated"), ("swap", "reordered"), ("leak", "non_member"),
    ("unread", "wrong_unread"), ("receipt", "wrong_unread"),
])
def test_planted_faults_are_counted(outcomes, name, word):
    planted = CASES[name][0].planted
    assert planted >= ENOUGH
    assert outcomes[name].faults == {word: planted}, outcomes[name]
    assert_says(outcomes[name], word)


def test_altered_messages_are_counted(outcomes):
    planted = CASES["alter"][0].planted
    assert planted >= ENOUGH
    # It arrived, so it must not count as lost too.
    assert outcomes["alter"].faults == {"altered": planted}, outcomes["alter"]
    assert_says(outcomes["alter"], "altered")


@pytest.mark.parametrize(("name", "word", "seconds"), [
    ("ghost", "ghost", SLACK_SECONDS), ("absent", "absent", SLACK_SECONDS),
    ("typing", "stuck_typing", TYPING_SECONDS + SLACK_SECONDS),
])
def test_states_shown_wrongly_for_too_long_are_counted(outcomes, name, word, seconds):
    sure, perhaps = CASES[name][0].bounds(seconds)
    assert sure >= ENOUGH
    assert set(outcomes[name].faults) == {word}, outcomes[name]
    assert sure <= outcomes[name].faults[word] <= perhaps, outcomes[name]
    assert_says(outcomes[name], word)


def assert_says(run, word):
    """The verdict is `broken`, and the report names the reason and describes some of the faults."""
    assert run.code == 1, run
    assert run.report["verdict"] == 1
    assert any("contract was broken" in reason for reason in run.report["reasons"])
    assert 1 <= len(run.report["result"]["faults"]["descriptions"][word]) <= 5
