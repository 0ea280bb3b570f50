"""The bench's line on the memory of conversations: the file it imports, and that it measures a relay."""

import collections

import directory


def test_pairs_are_different_and_within_the_users():
    pairs = [frozenset(members) for _, members in directory.directs(100, 1_000)]
    assert len(set(pairs)) == 1_000 and all(len(pair) == 2 and max(pair) < 100 for pair in pairs)
    for kind, members in directory.teams(100, 20):
        assert kind == "group" and len(set(members)) == directory.GROUP_MEMBERS and max(members) < 100


def test_the_file_has_a_line_for_everything():
    found = collections.Counter(line["type"] for line in directory.lines(10, directory.directs(10, 12)))
    assert found == {"export": 1, "user": 10, "conversation": 12, "member": 24, "message": 12}


def test_more_conversations_take_more_memory(bench, monkeypatch):
    monkeypatch.setattr(directory, "USERS", 200)
    monkeypatch.setattr(directory, "DIRECT", 8_000)
    monkeypatch.setattr(directory, "GROUPS", 100)
    bench.quick = False
    runs, bench.runs = bench.runs, 1
    try:
        found = directory.measure_directory(bench)
    finally:
        bench.runs = runs
        del bench.quick
    direct, membership, alone = found.figures
    # A debug build has other sizes than a release, but a conversation is more than nothing and less than a page.
    assert 500 < direct.median < 20_000 and 100 < membership.median < 20_000, found.raw
    assert alone.median > 1_000_000
