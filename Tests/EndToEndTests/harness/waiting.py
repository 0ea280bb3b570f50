"""Waits of the tests. Nothing here asserts a duration."""

import asyncio
import time

# A safety net. An event that hasn't happened by then never will, even on a loaded machine with a debug build.
PATIENCE = 20.0

# Time between two looks at something that doesn't announce its changes: a metric, a file, a process.
BEAT = 0.02


async def until(look, what, patience=PATIENCE):
    """Calls `look` until it returns something true, and returns that. For changes that can't be awaited as an event.
    Slow changes by design get more patience.
    """
    deadline = time.monotonic() + patience
    while True:
        found = look()
        if asyncio.iscoroutine(found):
            found = await found
        if found:
            return found
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        await asyncio.sleep(BEAT)
