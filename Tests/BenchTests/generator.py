"""Runs saturate against a server in this process, which plants faults."""

import asyncio
import os
from types import SimpleNamespace

# A safety net.
RUN_SECONDS = 60


async def saturate(bench, server, *words):
    """saturate's exit code, its figures, and its error text. The server's `generator` is its process."""
    process = server.generator = await asyncio.create_subprocess_exec(
        str(bench.saturate_program), "--port", str(server.port), "--pid", str(os.getpid()), "--kind", "raw",
        *map(str, words), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
    out, words = await asyncio.wait_for(process.communicate(), RUN_SECONDS)
    return SimpleNamespace(code=process.returncode, out=out.decode(), words=words.decode())


def once(victim, number, instead):
    """A fault in one reader's message with this number, from 0."""
    def fault(reader, count, payload):
        return instead(payload) if reader == victim and count == number else [payload]
    return fault
