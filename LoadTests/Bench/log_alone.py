"""The log without sockets: rows a second on one core, and whether they become fewer as it grows."""

import json

from failure import BenchFailure
from findings import FULL, Figure, Findings, Line
from processes import SERVER_CORE
from servers import remove

ROWS, MANY_ROWS = 1_000_000, 10_000_000
# The bar for 10^6 rows, and 20 % less.
AT_LEAST, LATE_AT_LEAST = 120_000, 96_000
QUICK_SHARE = 0.1
SECONDS_MAX = 900


def append(bench, rows, *flags, path=None, keep=False):
    """One run of roost-log-bench; all its threads share one core."""
    store = path or bench.new_folder("log") / "roost.db"
    words = [bench.log_bench, "--path", store, "--rows", int(rows), "--durability", FULL, *flags]
    try:
        code, text = bench.processes.run(words, SERVER_CORE, SECONDS_MAX)
        if code:
            raise BenchFailure(f"roost-log-bench: {text.strip()[-300:]}")
        return json.loads(text.strip().splitlines()[-1])
    finally:
        if not keep:
            remove(store)


def measure(bench):
    found = Findings()
    rates, late, kept, costs = [], [], [], []
    for _ in range(bench.runs):
        share = QUICK_SHARE if bench.quick else 1
        for rows in (ROWS, MANY_ROWS):
            run = append(bench, rows * share)
            found.raw.append(run)
            if rows == ROWS:
                rates.append(run["rowsPerSecond"])
                costs.append(run["rows"] / run["cpuSeconds"])
            else:
                late.append(run["tenths"][-1])
                kept.append(run["tenths"][-1] / run["tenths"][0])
    if bench.quick:
        found.note("quick: a tenth of the rows")
    found.figures = [
        Figure("rows/s over 10^6 rows", "rows/s", rates, at_least=AT_LEAST, durability=FULL),
        Figure("rows/s of the last tenth of 10^7 rows", "rows/s", late, at_least=LATE_AT_LEAST, durability=FULL),
        Figure("the last tenth of 10^7 rows by the first", "ratio", kept, at_least=0.8, durability=FULL),
        Figure("rows by second of CPU, of 10^6", "rows/s", costs, durability=FULL)]
    return found


LINES = [
    Line("log", "the log alone: 200-byte bodies, batches of 256, synchronous=FULL, 1,000 conversations, 5,000 senders",
         "roost-log-bench, on one core, drives the server's own commit thread, one batch at a time, with its merges, "
         "checkpoints and idle work. Making the batches is included.", measure, ("roost-log-bench",)),
]
