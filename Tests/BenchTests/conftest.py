"""Fixtures of these tests: the relay, and the bench's generator, which is built once."""

import os
import pathlib

import pytest

import saturate
from processes import Processes

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
BINARY = REPOSITORY / (os.environ.get("ROOST_BINARY") or ".build/debug/roost")


def pytest_sessionstart(session):
    if not BINARY.exists():
        raise pytest.UsageError(f"{BINARY} is not there: build it, or name another by ROOST_BINARY")


class SmallBench:
    """The parts of the bench that the tests need."""

    def __init__(self, folder):
        self.folder, self.folders = folder, 0
        self.sources = REPOSITORY / "LoadTests/Bench"
        self.roost = BINARY
        self.saturate_program = folder / "saturate"
        self.processes = Processes()
        self.cores = os.cpu_count()
        self.runs, self.seconds, self.has_yardstick = 3, 1, True

    def new_folder(self, name):
        self.folders += 1
        folder = self.folder / f"{name}-{self.folders}"
        folder.mkdir()
        return folder


@pytest.fixture(scope="session")
def bench(tmp_path_factory):
    bench = SmallBench(tmp_path_factory.mktemp("bench"))
    try:
        saturate.build(bench)
        yield bench
    finally:
        bench.processes.stop_all()
