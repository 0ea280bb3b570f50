"""roost-load in a pipeline: exit codes, one line about a failure, and no process left behind."""

import asyncio
import pathlib
import signal
import socket

import pytest

from harness.waiting import until
from load import RUN_SECONDS, begin, finish, run

SCENARIO = """about: A little of everything.
users: 10
warmup: 0.5
seconds: {seconds}
conversations: {{pairs: 5}}
messages: {{rate: 20}}
"""


@pytest.fixture
def scenario(tmp_path):
    def write(seconds=1, more=""):
        file = tmp_path / "small.yaml"
        file.write_text(SCENARIO.format(seconds=seconds) + more)
        return file

    return write


@pytest.mark.parametrize(("more", "line", "word"), [
    ("rat: 1\n", 7, "rat"),
    ("thresholds: {p99_ms: fast}\n", 7, "p99_ms"),
    ("\n\nwatch: -1\n", 9, "watch"),
])
def test_a_wrong_scenario_is_refused_with_its_line(scenario, tmp_path, more, line, word):
    file = scenario(more=more)
    found = asyncio.run(run(tmp_path / "out", file))
    assert found.code == 2, found
    assert f"{file}:{line}" in found.output, found
    assert word in found.output, found
    assert found.report is None


def test_a_missing_relay_gives_no_verdict(scenario, tmp_path):
    key = tmp_path / "key"
    key.write_text("A" * 43)
    key.chmod(0o600)
    with socket.socket() as reserved:
        # No process listens on this port, and no other one can.
        reserved.bind(("127.0.0.1", 0))
        url = f"ws://127.0.0.1:{reserved.getsockname()[1]}/v1/socket"
        found = asyncio.run(run(tmp_path / "out", scenario(), "--url", url, "--key-file", key))
    assert found.code == 2, found
    assert found.report["verdict"] == 2
    assert "refused" in found.report["reasons"][0], found


def test_a_missing_program_gives_no_verdict(scenario, tmp_path):
    found = asyncio.run(run(tmp_path / "out", scenario(), "--roost", tmp_path / "nothing"))
    assert found.code == 2, found
    assert "nothing" in found.output, found


def test_wrong_arguments_give_no_verdict(tmp_path):
    for words in [["no-such-scenario"], ["--no-such-flag"], ["direct", "--url", "ws://127.0.0.1:1/v1/socket"]]:
        assert asyncio.run(run(tmp_path / "out", *words)).code == 2, words


def test_a_broken_threshold_breaks_the_run(scenario, tmp_path):
    found = asyncio.run(run(tmp_path / "out", scenario(more="thresholds: {lost: 0, p99_ms: 0.0001}\n")))
    # A harness that didn't keep up can't judge thresholds. On a loaded machine that is a correct result, too.
    assert found.code in (1, 3), found
    assert found.report["verdict"] == found.code
    judged = {each["threshold"]["figure"]: each for each in found.report["thresholds"]}
    assert judged["lost"]["holds"] and judged["lost"]["actual"] == 0
    assert not judged["p99_ms"]["holds"] and judged["p99_ms"]["actual"] > 0.0001
    assert any("p99_ms" in reason for reason in found.report["reasons"]), found


async def interrupted(folder, file, *signals):
    """A run that is ended in the middle of its load, and the process of its relay."""
    process = await begin("run", file, "--out", folder)
    written = b""
    while b"measuring" not in written:
        piece = await asyncio.wait_for(process.stdout.read(4096), RUN_SECONDS)
        assert piece, written
        written += piece
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert len(children) == 1, children
    for number in signals:
        process.send_signal(number)
    found = await finish(process, folder)
    await until(lambda: not pathlib.Path(f"/proc/{children[0]}").exists(), "the relay's end")
    return found


def test_ctrl_c_ends_the_load_and_reports(scenario, tmp_path):
    found = asyncio.run(interrupted(tmp_path / "out", scenario(seconds=60), signal.SIGINT))
    assert found.code == 3, found
    assert found.report["result"]["wasInterrupted"]
    assert 0 < found.report["result"]["seconds"] < 60
    assert found.faults == {}, found
    assert any("cut short" in reason for reason in found.report["reasons"]), found
    assert (found.folder / "delivery.hgrm").exists()


def test_a_second_ctrl_c_ends_at_once(scenario, tmp_path):
    found = asyncio.run(interrupted(tmp_path / "out", scenario(seconds=60), signal.SIGINT, signal.SIGTERM))
    assert found.code in (130, 143), found
    assert found.report is None
