"""Runs cases, several at a time: mostly they wait."""

import asyncio
import pathlib
import tempfile
import traceback

from harness.relay import Relay

from .stage import Stage

AT_ONCE = 8
# Longer than any case; a case says itself what it waits for.
CASE_SECONDS = 90


class Outcome:
    """The outcome of a case: passed, failed with a reason, or left out because the client lacks something."""

    def __init__(self, case, failure=None, missing=()):
        self.case = case
        self.failure = failure
        self.missing = missing


async def run_case(case, number, words, shared, folder):
    relay = shared
    try:
        if case.relay is not None:
            home = pathlib.Path(folder) / "relay"
            home.mkdir()
            relay = await asyncio.to_thread(lambda: Relay(home, **case.relay))
        await asyncio.wait_for(Stage(case, number, words, relay, folder).run(), CASE_SECONDS)
        return Outcome(case)
    except Exception as failure:
        known = isinstance(failure, AssertionError)
        return Outcome(case, str(failure) if known else f"{case.title}: {traceback.format_exc()}")
    finally:
        if relay is not shared:
            await asyncio.to_thread(relay.kill)


async def features(words, folder):
    """Returns the abilities of the driver's client."""
    from .app import App

    app = await App.start(words, told, None)
    number = app.say(
        "start", {"url": "ws://127.0.0.1:9/v1/socket", "store": str(folder), "device": "phone", "token": ""})
    while number not in app.done and not app.has_ended:
        await asyncio.sleep(0.01)
    assert number in app.done and "has" in app.done[number], f"the driver doesn't start: {app.done}"
    await app.quit()
    return set(app.done[number]["has"])


async def told(_):
    return None


async def run_all(cases, words, report=lambda outcome: None):
    """Runs all cases and returns their outcomes in order."""
    room = asyncio.Semaphore(AT_ONCE)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in ("shared", "probe"):
            (folder / name).mkdir()
        has = await features(words, folder / "probe")
        shared = await asyncio.to_thread(lambda: Relay(folder / "shared"))
        try:
            async def run(number, case):
                if missing := set(case.needs) - has:
                    return Outcome(case, missing=sorted(missing))
                async with room:
                    home = folder / str(number)
                    home.mkdir()
                    outcome = await run_case(case, number, words, shared, home)
                report(outcome)
                return outcome
            return await asyncio.gather(*(run(number, case) for number, case in enumerate(cases)))
        finally:
            await asyncio.to_thread(shared.kill)
