"""The log without sockets: rows a second on one core, and whether they become fewer as it grows."""

import json

from failure import BenchFailure
from findings import FULL, Figure, Findings, Line
from processes import SERVER_CORE
from servers import remove

ROWS, MANY_ROWS = 1_000_000, 10_000_000
# The bar for the first 10^6 rows, and for the last tenth of 10^7: 20 % less.
AT_LEAST, LATE_AT_LEAST = 120_000, 96_000
# The keys of an index after years of use, the cost of a new key then, and the memory that the index may take.
STORED_KEYS = 100_000_000
NEW_KEY_MICROSECONDS_MAX, KEY_INDEX_MIB_MAX = 20, 400
QUICK_SHARE = 0.1
SECONDS_MAX = 1_800


def append(bench, rows, *flags, path=None, keep=False):
    """Runs roost-log-bench once. All its threads share one core."""
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
        Figure("the last tenth of 10^7 rows by the first", "ratio", kept, durability=FULL),
        Figure("rows by second of CPU, of 10^6", "rows/s", costs, durability=FULL)]
    return found


def measure_keys(bench):
    found = Findings()
    keys = int(STORED_KEYS * (QUICK_SHARE if bench.quick else 1))
    if bench.quick:
        found.note("quick: a tenth of the keys")
    rates, microseconds, memory = [], [], []
    for _ in range(bench.runs):
        run = append(bench, ROWS * (QUICK_SHARE if bench.quick else 1), "--stored-keys", str(keys))
        found.raw.append(run)
        rates.append(run["rowsPerSecond"])
        microseconds.append(run["newKeyMicroseconds"])
        memory.append(run["keyFilterBytes"] / 2**20)
    found.figures = [
        Figure("CPU of a new key", "µs", microseconds, at_most=NEW_KEY_MICROSECONDS_MAX),
        Figure("the key index in memory", "MiB", memory, at_most=KEY_INDEX_MIB_MAX),
        Figure("rows/s over 10^6 rows above so many keys", "rows/s", rates, durability=FULL)]
    return found


LINES = [
    Line("log", "the log alone: 200-byte bodies, batches of 256, synchronous=FULL, 1,000 conversations, 5,000 senders",
         "roost-log-bench, on one core, drives the server's own commit thread, one batch at a time, with its merges, "
         "checkpoints and idle work. Making the batches is included.", measure, ("roost-log-bench",)),
    Line("log-keys", "the log alone, with 10^8 stored keys",
         "roost-log-bench makes the key index of so many random keys directly, appends 10^6 rows, and then looks for "
         "10^6 keys that it doesn't hold.", measure_keys, ("roost-log-bench",)),
]
