"""Hundreds of connections break at once: the others get their messages meanwhile."""

import asyncio
import pathlib
import signal

from harness.waiting import until

# libev takes 64 events from the kernel at first, and twice as many whenever all of them were used: 64, then 130, then
# 262. So the turn that is cut after 256 changes is at latest the third one.
LEAVING = 600
# Fewer than the strangers that one address may have.
AT_ONCE = 100
PAIRS = 5


def stopped(process):
    """Whether the process stands still: proc(5), the third field."""
    return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].startswith("T")


async def test_whoever_stays_is_served_while_hundreds_hang_up(start):
    relay = start(presence__grace_seconds=0)
    leaving = []
    for begin in range(0, LEAVING, AT_ONCE):
        leaving += await asyncio.gather(*(relay.device(f"leaver-{begin + number}") for number in range(AT_ONCE)))
    writers = [await relay.device(f"writer-{number}") for number in range(PAIRS)]
    readers = [await relay.device(f"reader-{number}") for number in range(PAIRS)]
    # All of it has happened before the relay looks again.
    relay.process.send_signal(signal.SIGSTOP)
    await until(lambda: stopped(relay.process.pid), "the relay to stop")
    for device in leaving:
        device.socket.transport.abort()
    await asyncio.gather(*(device.socket.wait_closed() for device in leaving))
    answers = [
        await writer.begin("send", to=f"@reader-{number}", key="k", body=f"hello {number}")
        for number, writer in enumerate(writers)]
    relay.process.send_signal(signal.SIGCONT)
    for number, answer in enumerate(answers):
        assert (await answer)["type"] == "ok"
        assert (await readers[number].event("message"))["body"] == f"hello {number}"
    assert relay.metric("roost_turns_cut_total") >= 1
    await until(lambda: relay.metric("roost_sessions") == 2 * PAIRS, "the end of those who left")
