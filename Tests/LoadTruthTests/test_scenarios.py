"""Every scenario of the library runs to its end on its own relay, finds no fault, and leaves a readable report."""

import asyncio
import math

import pytest

from harness.relay import REPOSITORY
from load import run
from report_page import drawn

NAMES = sorted(path.stem for path in (REPOSITORY / "LoadTests/Scenarios").glob("*.yaml"))


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """One short run of each scenario, four at a time."""
    async def run_all():
        places = asyncio.Semaphore(4)

        async def run_one(name):
            async with places:
                return await run(tmp_path_factory.mktemp(name) / "out", name, "--short", "--correctness-only")

        return dict(zip(NAMES, await asyncio.gather(*map(run_one, NAMES))))

    return asyncio.run(run_all())


def test_there_are_scenarios():
    assert NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_scenario_holds(outcomes, name):
    run = outcomes[name]
    assert run.code == 0, run
    assert run.report["verdict"] == 0
    assert run.report["scenario"]["name"] == name
    assert not set(run.faults) - {"gap"}, run
    counts = run.report["result"]["counts"]
    assert counts["sessions"] > 0
    # A disturbance of many at once is over: all came back and were live.
    for disturbance in run.report["result"]["disturbances"]:
        assert math.isfinite(float(disturbance["welcomed"])), disturbance
        assert math.isfinite(float(disturbance["live"])), disturbance
    scenario = run.report["scenario"]
    wanted = sum(len(scenario.get(key) or []) for key in ("storms", "restarts", "stalls"))
    assert len(run.report["result"]["disturbances"]) >= wanted
    assert counts["unsent"] == 0, run
    if run.report["scenario"].get("messages"):
        # Otherwise "no fault" would mean nothing.
        assert counts["sent"] > 0 and counts["delivered"] > 0, run


def test_the_page_draws_every_report(outcomes):
    reports = [outcomes[name].folder / "report.json" for name in NAMES]
    shown = asyncio.run(drawn(*reports))
    assert [each["name"] for each in shown["articles"]] == NAMES
    for name, article in zip(NAMES, shown["articles"], strict=True):
        report = outcomes[name].report
        assert article["text"].count(report["scenario"]["about"]) == 1
        kinds = [kind for kind in report["shown"]["kinds"] if report["result"]["corrected"].get(kind["kind"])]
        charts = [f"{kind['title']} by percentile" for kind in kinds]
        assert article["charts"][:len(charts)] == charts
        assert set(article["charts"][len(charts):]) <= {"Deliveries and their latency", "CPU and memory"}
        for disturbance in report["result"]["disturbances"]:
            assert disturbance["kind"] in article["text"]
