"""The programs of the lines `allowance` and `journeys`: what they send, count and judge."""

import json
from types import SimpleNamespace

import flooder
import harness
import history_reader
import neighbours
from chat_client import TEXT


def server_frame(payload):
    """A frame as a server sends it: without a mask."""
    length = len(payload)
    head = bytes([0x80 | TEXT, length]) if length < 126 else bytes([0x80 | TEXT, 126]) + length.to_bytes(2, "big")
    return head + payload


def test_frames_are_found_however_they_are_split():
    payloads = [b"{}", b"x" * 125, b"y" * 126, b"z" * 60_000]
    stream = b"".join(map(server_frame, payloads))
    for cut in (1, 3, 129, 257, 4_000, len(stream)):
        buffer, found = b"", []
        for begin in range(0, len(stream), cut):
            buffer += stream[begin:begin + cut]
            while (whole := flooder.whole_frame(buffer, 0)) is not None:
                found.append(whole[1])
                buffer = buffer[whole[2]:]
        assert found == payloads and not buffer


def test_the_whole_allowance_is_spent_and_no_more():
    purse = flooder.Purse()
    assert purse.allows(5.0)
    purse.under_way = 30
    assert purse.allows(5.0)
    purse.refuse(5.0, 0.2)
    purse.refuse(5.1, 0.05)
    assert not purse.allows(5.19)
    purse.under_way = flooder.SHARED
    assert not purse.allows(5.3)
    purse.under_way -= 1
    assert purse.allows(5.3)


def test_every_kind_is_a_command_of_the_protocol():
    place = {"group": "g", "conversations": ["a", "b"], "users": ["u"]}
    types = set()
    for kind in neighbours.KINDS:
        flow = flooder.commands(kind, place, 3)
        some = [next(flow) for _ in range(4)]
        types |= {command["type"] for command in some}
        assert json.dumps(some)
    assert types == {"signal", "react", "typing", "conversation.members", "watch", "unwatch", "history",
                     "conversation.list"}


def test_messages_are_counted_across_reads():
    class Unconnected(history_reader.Traveller):
        def __init__(self):
            self.count, self.tail = 0, b""

    stream = b"".join(b'{"type":"message","n":%d}' % number for number in range(50)) + b'{"type":"live"}'
    for cut in (1, 7, 16, 17, 1_000):
        one = Unconnected()
        ended = [one.look(stream[begin:begin + cut]) for begin in range(0, len(stream), cut)]
        assert one.count == 50
        # `live` ends one byte before the stream does.
        assert ended.index(True) * cut >= len(stream) - 1 - cut


def test_the_ratio_is_judged(monkeypatch):
    class Flood:
        relay = None

        def __init__(self, bench):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def begin(self, kind):
            is_flooding.append(kind)
            return SimpleNamespace(result=lambda: {"taken": is_flooding.pop()})

    is_flooding = []

    def report(*_):
        milliseconds = {"": 10, "signals": 16}.get("".join(is_flooding), 14)
        return harness.Report({
            "verdict": harness.HELD, "reasons": [], "result": {
                "counts": {}, "health": {"cpuShare": 0.5}, "faults": {"counts": {}},
                "corrected": {"delivery": {"values": [milliseconds * 1_000_000], "counts": [100]}}}})

    monkeypatch.setattr(neighbours, "Flood", Flood)
    monkeypatch.setattr(neighbours, "others", report)
    found = neighbours.measure_allowance(SimpleNamespace(quick=False, runs=3))
    assert [figure.words for figure in found.figures if figure.holds is False] == [
        "signals: the others' p99, by that without"]
    assert found.figures[0].values == [1.6] * 3
