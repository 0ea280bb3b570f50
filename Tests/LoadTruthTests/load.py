"""Runs roost-load through its command line."""

import asyncio
import contextlib
import copy
import json
import os
import pathlib

from faulty_proxy import Proxy
from harness.relay import BINARY, REPOSITORY, Relay, environment

PROGRAM = REPOSITORY / (os.environ.get("ROOST_LOAD_BINARY") or ".build/debug/roost-load")

# A safety net: the longest run has some 20 s of load, and waits for at most as long again.
RUN_SECONDS = 90

# By how much the proxy may be late: half of what roost-load allows before it calls a state wrong.
LATE_SECONDS = 1.0
TRIES = 3

# The settings of roost-load's own relays: many clients from one address, with high rates.
RELAY = {
    "presence__grace_seconds": 1, "limits__connections_per_address": 1000,
    "limits__strangers_per_address": 1000, "limits__commands_per_second": 1_000_000, "drain__seconds": 1,
    "drain__spread_seconds": 0, "log__level": "warning"}


class Run:
    """The outcome of a run: exit code, report (None if there is none) and output."""

    def __init__(self, code, output, folder):
        self.code = code
        self.output = output
        self.folder = pathlib.Path(folder)
        path = self.folder / "report.json"
        self.report = json.loads(path.read_text()) if path.exists() else None

    @property
    def faults(self):
        """{name: count} of all faults that occurred."""
        return self.report["result"]["faults"]["counts"]

    def __repr__(self):
        words = self.report["result"]["faults"]["descriptions"] if self.report else ""
        return f"exit {self.code}, {words}\n{self.output}"


async def begin(*words):
    """Starts roost-load in the repository's folder, where it finds its scenarios."""
    return await asyncio.create_subprocess_exec(
        str(PROGRAM), *map(str, words), cwd=REPOSITORY, env={**environment(), "ROOST_BINARY": str(BINARY)},
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)


async def finish(process, folder):
    try:
        output, _ = await asyncio.wait_for(process.communicate(), RUN_SECONDS)
    finally:
        if process.returncode is None:
            # Twice, because the second one also ends its relay.
            for _ in range(2):
                with contextlib.suppress(ProcessLookupError):
                    process.terminate()
            await process.wait()
    return Run(process.returncode, output.decode(), folder)


async def run(folder, *words, meanwhile=None):
    """Runs it to its end, with the report in `folder`. `meanwhile` is called with its process, and ends with it."""
    process = await begin("run", *words, "--out", folder)
    beside = asyncio.create_task(meanwhile(process)) if meanwhile else None
    found = await finish(process, folder)
    if beside:
        # A mistake in it must not be silent, and what it didn't get to do can't have been tested.
        await asyncio.wait_for(beside, 1)
    return found


async def run_on(relay, url, folder, scenario, *words, meanwhile=None):
    """Runs a scenario, given as text, on a running relay."""
    file = folder / "scenario.yaml"
    file.write_text(scenario)
    return await run(
        folder / "out", file, "--url", url, "--key-file", relay.key_file, "--quiet", *words, meanwhile=meanwhile)


async def run_through(fault, folder, scenario, *words, meanwhile=None):
    """The same behind a proxy with this fault, on a relay of its own. If the machine kept the proxy from passing on in
    time what the relay said in time, the run says nothing and is repeated."""
    pristine = copy.deepcopy(vars(fault))
    for attempt in range(TRIES):
        vars(fault).clear()
        vars(fault).update(copy.deepcopy(pristine))
        place = folder / f"try-{attempt}"
        (place / "relay").mkdir(parents=True)
        relay = await asyncio.to_thread(Relay, place / "relay", **RELAY)
        try:
            async with Proxy(relay.port, fault) as proxy:
                found = await run_on(relay, proxy.url, place, scenario, *words, meanwhile=meanwhile)
            assert relay.is_running(), relay.log()
        finally:
            await asyncio.to_thread(relay.stop)
        if proxy.late <= LATE_SECONDS:
            return found
    raise AssertionError(f"in {TRIES} runs the proxy was late, at last by {proxy.late:.1f} s: the machine is too busy")
