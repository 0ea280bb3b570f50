"""Runs roost-load through its command line."""

import asyncio
import contextlib
import json
import os
import pathlib

from faulty_proxy import Proxy
from harness.relay import BINARY, REPOSITORY, Relay, environment

PROGRAM = REPOSITORY / (os.environ.get("ROOST_LOAD_BINARY") or ".build/debug/roost-load")

# A safety net: the longest run has some 20 s of load, and waits for at most as long again.
RUN_SECONDS = 90

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


async def run(folder, *words):
    """Runs it to its end, with the report in `folder`."""
    return await finish(await begin("run", *words, "--out", folder), folder)


async def run_through(fault, folder, scenario, *words):
    """Runs a scenario, given as text, on a relay behind a proxy with this fault."""
    (folder / "relay").mkdir()
    file = folder / "scenario.yaml"
    file.write_text(scenario)
    relay = await asyncio.to_thread(Relay, folder / "relay", **RELAY)
    try:
        async with Proxy(relay.port, fault) as proxy:
            found = await run(
                folder / "out", file, "--url", proxy.url, "--key-file", relay.key_file, "--quiet", *words)
        assert relay.is_running(), relay.log()
        return found
    finally:
        await asyncio.to_thread(relay.stop)
