"""Every client passes the same list of cases, against the real relay and a proxy that lies (Tests/Conformance)."""

import asyncio
import sys

import pytest

from harness.relay import BINARY, REPOSITORY

sys.path.append(str(REPOSITORY / "Tests/Conformance"))

from clientcases.case import load  # noqa: E402
from clientcases.run import run_all  # noqa: E402


def node():
    """The Node that comes with the browser tests: the system's may be too old for WebSockets."""
    from playwright._impl._driver import compute_driver_executable

    return str(compute_driver_executable()[0])


DRIVERS = {
    "swift": lambda: [str(BINARY.parent / "roost-conformance-driver")],
    "javascript": lambda: [node(), str(REPOSITORY / "Tests/Conformance/driver.mjs")],
}
# Abilities that a client lacks there. Cases that need them are left out.
LACKS = {"swift": set(), "javascript": set()}
# Cases that fail, and why that isn't the client's mistake. One that passes some day must leave this list.
KNOWN = {}
CASES = {case.title: case for case in load()}


@pytest.fixture(scope="module")
def outcomes(request):
    """Runs the chosen cases of a driver when the first of them is asked for, several at a time."""
    ran = {}

    def outcome(driver, title):
        if driver not in ran:
            chosen = [item.callspec.params for item in request.session.items if item.path == request.path
                      and hasattr(item, "callspec")]
            titles = {one["title"] for one in chosen if one["driver"] == driver}
            cases = [case for case in CASES.values() if case.title in titles]
            ran[driver] = {one.case.title: one for one in asyncio.run(run_all(cases, DRIVERS[driver]()))}
        return ran[driver][title]

    return outcome


@pytest.mark.parametrize("title", CASES)
@pytest.mark.parametrize("driver", DRIVERS)
def test_case(outcomes, driver, title):
    outcome = outcomes(driver, title)
    assert set(outcome.missing) == set(CASES[title].needs) & LACKS[driver]
    if (driver, title) in KNOWN:
        assert outcome.failure, f"{title} passes now: take it off the list"
        pytest.skip(KNOWN[driver, title])
    if outcome.missing:
        pytest.skip(f"{driver} has no {outcome.missing}")
    assert not outcome.failure, outcome.failure
