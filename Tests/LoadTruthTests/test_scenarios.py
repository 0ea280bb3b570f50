"""Every scenario of the library runs to its end on its own relay, finds no fault, and leaves a readable report."""

import asyncio
import html.parser
import math
import re

import pytest

from harness.relay import REPOSITORY
from load import run

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
    # What disturbs many at once is over: all came back and were live.
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


@pytest.mark.parametrize("name", NAMES)
def test_its_report_page_is_complete(outcomes, name):
    text = (outcomes[name].folder / "report.html").read_text()
    page = Page()
    page.feed(text)
    page.close()
    assert not page.open, page.open
    assert {"html", "head", "title", "body", "svg", "table"} <= page.seen
    assert f">{name}<" in text
    # The page loads nothing from elsewhere.
    assert not page.sources, page.sources
    assert "@import" not in text and "url(" not in re.sub(r"url\(#[\w-]+\)", "", text)


class Page(html.parser.HTMLParser):
    """Checks that every element is closed in its place."""

    EMPTY = {"meta", "link", "br", "hr", "img", "input", "col", "wbr", "source"}

    def __init__(self):
        super().__init__()
        self.open = []
        self.seen = set()
        self.sources = []

    def handle_starttag(self, tag, attributes):
        self.seen.add(tag)
        self.sources += [
            value for name, value in attributes
            if name in ("src", "href", "xlink:href", "srcset", "data") and not value.startswith("#")]
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.EMPTY:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> at {self.getpos()}, in {self.open}"
        self.open.pop()
