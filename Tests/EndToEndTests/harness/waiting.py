"""How long the tests wait, in one place. Nothing here asserts how fast something is."""

import asyncio
import time

# A safety net: what hasn't happened by then never will. A loaded machine with a debug build gets there too.
PATIENCE = 20.0

# Between two looks at something that doesn't announce its changes: a metric, a file, a process.
BEAT = 0.02


async def until(look, what):
    """Calls `look` until it gives something true, and returns that. For what can't be awaited as an event."""
    deadline = time.monotonic() + PATIENCE
    while True:
        found = look()
        if asyncio.iscoroutine(found):
            found = await found
        if found:
            return found
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        await asyncio.sleep(BEAT)
