"""A relay that stalls: every message that had to wait counts, not only the first one."""

import asyncio

import faults
from load import run_through

PERIOD = 2.0
SPAN = 0.3
# Milliseconds that the harness may add. On a loaded machine it waits for a core, too.
OWN = 150

SCENARIO = """
about: Messages at even intervals through stalls.
users: 20
warmup: 2
seconds: 8
conversations: {pairs: 10}
messages: {rate: 200, arrivals: constant}
"""


def test_a_stall_counts_for_every_waiting_message(tmp_path):
    stall = faults.Stall(PERIOD, SPAN)
    run = asyncio.run(run_through(stall, tmp_path, SCENARIO, "--correctness-only"))
    assert run.code == 0, run
    result = run.report["result"]

    # The relay stalls for 4 × 300 ms of 8 s, that is 15 %. A message due in a stall waits until its end: 0 to 300 ms,
    # uniformly. So 1 in 100 messages waits longer than 280 ms, and 10 in 100 longer than 100 ms. A loaded machine can
    # only add to that. The harness itself never stalls and sends these messages on time, so latency from sending shows
    # the same. A tester that waits for answers would have sent one message per user and stall instead. The proxy
    # measures what a loaded machine adds; anything above that is the harness's own delay.
    seen = sorted(stall.latencies)
    for kind in ["corrected", "uncorrected"]:
        delivery = distribution(result[kind]["delivery"])
        assert len(delivery) >= 0.99 * 200 * 8
        assert 250 <= percentile(delivery, 99) <= seen[-1] + OWN, kind
        assert 250 <= percentile(delivery, 99.9) <= seen[-1] + OWN, kind
        assert percentile(delivery, 50) <= percentile(seen, 50) + OWN, kind
        assert sum(value >= 100 for value in delivery) >= 0.08 * len(delivery), kind

    # Each stall ends in some second of the timeline. The last one may end after it.
    seconds = [distribution(second["delivery"]) for second in result["timeline"] if second["second"] >= 0]
    assert len(seconds) == 8
    assert sum(max(second, default=0) >= 250 for second in seconds) >= 3


def distribution(stored):
    """All values one by one, in milliseconds, in rising order."""
    return [value / 1e6 for value, count in zip(stored["values"], stored["counts"]) for _ in range(count)]


def percentile(values, percent):
    return values[min(len(values) - 1, int(len(values) * percent / 100))]
