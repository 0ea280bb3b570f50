"""Fixtures: the two programs, and a check that no process stays behind."""

import pytest

from harness.relay import BINARY, end_all
from load import PROGRAM


def pytest_sessionstart(session):
    for path, variable in [(BINARY, "ROOST_BINARY"), (PROGRAM, "ROOST_LOAD_BINARY")]:
        if not path.exists():
            raise pytest.UsageError(f"{path} is not there: build it, or name another by {variable}")


def pytest_sessionfinish(session):
    end_all()
