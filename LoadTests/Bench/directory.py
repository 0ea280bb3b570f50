"""The memory of what a relay keeps of everybody: users, conversations and memberships, connected or not."""

import json

from failure import BenchFailure
from findings import Figure, Findings, Line
from processes import SERVER_CORE, resident_kib
from servers import Relay, remove

USERS = 10_000
DIRECT = 100_000
GROUPS, GROUP_MEMBERS = 2_000, 50
IMPORT_SECONDS = 300
# The bounds of Docs/Operations.md, Sizing: what it names, and a fifth for the allocator.
DIRECT_BYTES_MAX, MEMBERSHIP_BYTES_MAX = 3_200, 700


def measure_directory(bench):
    found = Findings()
    users, direct, groups = (
        (USERS // 10, DIRECT // 10, GROUPS // 10) if bench.quick else (USERS, DIRECT, GROUPS))
    stores = {"users": [], "direct": directs(users, direct), "groups": teams(users, groups)}
    sizes = {name: [] for name in stores}
    for _ in range(bench.runs):
        for name, conversations in stores.items():
            sizes[name].append(resident(bench, users, conversations) * 1024)
        found.raw.append({name: values[-1] for name, values in sizes.items()})
    above = {name: [size - alone for size, alone in zip(sizes[name], sizes["users"])] for name in ("direct", "groups")}
    found.figures = [
        Figure("a direct conversation with one message", "bytes", [size / direct for size in above["direct"]],
               at_most=DIRECT_BYTES_MAX),
        Figure(f"a membership in groups of {GROUP_MEMBERS}, group included", "bytes",
               [size / (groups * GROUP_MEMBERS) for size in above["groups"]], at_most=MEMBERSHIP_BYTES_MAX),
        Figure(f"RSS with {users:,} users alone", "bytes", sizes["users"])]
    if bench.quick:
        found.note("quick: a tenth of the users and conversations")
    return found


def directs(users, count):
    """Pairs of users, each of them once: of neighbours, then of those with one between them, and so on."""
    return [("direct", [number % users, (number % users + number // users + 1) % users]) for number in range(count)]


def teams(users, count):
    return [("group", [(number * 7 + member) % users for member in range(GROUP_MEMBERS)]) for number in range(count)]


def lines(users, conversations):
    """An export (Docs/Export.md) with one message in each conversation."""
    yield {"type": "export", "format": 1, "scope": "all", "epoch": "bench", "head": 1, "time": 1}
    for number in range(users):
        yield {"type": "user", "user": f"u{number}"}
    for index, (kind, members) in enumerate(conversations):
        name = {"name": "team"} if kind == "group" else {}
        yield {"type": "conversation", "conversation": f"c{index}", "kind": kind, **name}
        for member in members:
            yield {"type": "member", "conversation": f"c{index}", "user": f"u{member}", "role": "member"}
    for index, (_, members) in enumerate(conversations):
        yield {"type": "message", "conversation": f"c{index}", "position": index + 1, "from": f"u{members[0]}",
               "time": 1, "sequence": 1, "body": "x"}


def resident(bench, users, conversations):
    """The relay's RSS in KiB when it has opened a store of these conversations."""
    store = imported(bench, lines(users, conversations))
    try:
        with Relay(bench, store=store) as relay:
            return resident_kib(relay.process)
    finally:
        remove(store)


def imported(bench, export):
    """A store with what the lines of an export say."""
    folder = bench.new_folder("imported")
    source, store = folder / "lines.jsonl", folder / "roost.db"
    count = 0
    with open(source, "w") as file:
        for line in export:
            count += 1
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
        file.write(json.dumps({"type": "end", "lines": count}) + "\n")
    code, text = bench.processes.run(
        [bench.roost, "store", "import", source, "--store", store], SERVER_CORE, IMPORT_SECONDS)
    source.unlink()
    if code != 0:
        raise BenchFailure(f"the import failed: {text[-300:]}")
    return store


LINES = [
    Line("directory", "memory of conversations", f"A store of {USERS:,} users is imported, alone, with {DIRECT:,} "
         f"direct conversations and with {GROUPS:,} groups of {GROUP_MEMBERS}, each with one message, and the relay "
         "is started on it. The figures are of the RSS above that with users alone.", measure_directory),
]
