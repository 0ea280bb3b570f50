"""The page that draws reports: numbers of a known report, texts that aren't markup, and files that are no reports."""

import asyncio
import json

from report_page import each_drawn

HOSTILE = "</style></title><script>alert('1')</script>\"&<b x='"
EMPTY = {"values": [], "counts": []}


def report(**changes):
    """A report of 100 deliveries: 90 took 1 ms, 9 took 10 ms, and one took 100 ms."""
    delivery = {"values": [1_000_000, 10_000_000, 100_000_000], "counts": [90, 9, 1]}
    second = {"second": 0, "due": 1, "sent": 1, "acked": 1, "delivered": 50, "sessions": 2, "behind": 0,
              "delivery": delivery}
    sample = {"second": 0, "cpu": 0.5, "rss": 20_480, "descriptors": 12}
    return {
        "format": 1, "started": "2026-01-01T00:00:00Z", "command": "roost-load run pairs", "reasons": [],
        "scenario": {"name": "pairs", "about": "How fast?"},
        "thresholds": [{"threshold": {"figure": "p99_ms", "bound": 5}, "actual": 10, "holds": False},
                       {"threshold": {"figure": "recovery_seconds", "bound": 5}, "holds": False}],
        "cost": {"cpuSeconds": 1.5, "rssBefore": 1, "rssConnected": 2048, "rssPeak": 3_145_728, "rssEnd": 2,
                 "descriptorsPeak": 40, "metrics": {"roost_x": 1_234.5}, "samples": [sample, {**sample, "second": 1}]},
        "result": {
            "relay": "roost/1", "durability": "full", "seconds": 2, "corrected": {"delivery": delivery},
            "uncorrected": {"delivery": {"values": [1_000_000], "counts": [100]}},
            "counts": {"due": 50, "sent": 50, "delivered": 100, "sessions": 2},
            "errors": {"busy": 3}, "faults": {"counts": {"lost": 2}, "descriptions": {"lost": ["u1 to u2"]}},
            "timeline": [second, {**second, "second": 1, "delivery": EMPTY}],
            "disturbances": [{"kind": "storm", "at": 1, "end": 1, "backoff": True, "sessions": 2, "welcomed": 0.5,
                              "live": "inf"}]},
        "shown": {
            "verdict": "broken", "meaning": "It broke.", "load": "2 users", "machine": "a machine", "measured": "2 s",
            "figures": {"p50_ms": 1, "p99_ms": 10, "deliveries_per_second": 50}, "bounds": ["at most 5", "at most 5"],
            "recoveries": [None], "kinds": [{"kind": "delivery", "title": "Delivery", "about": "from due"}],
            "faults": [{"fault": "lost", "title": "lost: never came", "isFailure": True},
                       {"fault": "gap", "title": "gap: left out", "isFailure": False}],
            "checks": [{"title": "Lateness", "actual": "1 ms", "bound": "at most 10 ms", "holds": True}]},
        **changes}


def show(folder, *texts):
    return show_each(folder, [texts])[0]


def show_each(folder, choices):
    """Returns the page's text for each choice of reports."""
    paths = []
    for number, texts in enumerate(choices):
        paths.append([folder / f"report-{number}-{index}.json" for index in range(len(texts))])
        for path, text in zip(paths[-1], texts, strict=True):
            path.write_text(text if isinstance(text, str) else json.dumps(text))
    return asyncio.run(each_drawn(paths))


def test_the_figures_of_a_known_report(tmp_path):
    shown = show(tmp_path, report())
    article = shown["articles"][0]
    rows = article["rows"]
    assert ["Delivery", "100", "1", "1", "10", "100", "100", "100"] in rows
    assert ["as sent", "100", "1", "1", "1", "1", "1", "1"] in rows
    assert ["p99_ms", "10", "at most 5", "✗ broken"] in rows
    assert ["recovery_seconds", "not measured", "at most 5", "✗ broken"] in rows
    assert ["lost: never cameu1 to u2", "2", "✗ broken"] in rows
    assert ["storm, back-off", "1", "2", "0.5", "never", "never"] in rows
    assert ["0", "1", "1", "1", "50", "2", "0", "1", "10"] in rows
    assert ["1", "1", "1", "1", "50", "2", "0", "", ""] in rows
    assert ["Memory at its most", "3 GiB"] in rows and ["CPU over the measured load", "1.5 s"] in rows
    assert ["roost_x", "1,235"] in rows and ["Error “busy”", "3"] in rows and ["Deliveries", "100"] in rows
    assert ["Lateness", "1 ms", "at most 10 ms", "✓ fit"] in rows
    assert article["charts"] == ["Delivery by percentile", "Deliveries and their latency", "CPU and memory"]
    assert "p99 at most 5 ms" in article["text"] and "storm, no recovery" in article["text"]
    assert article["unnamed"] == 0
    percentiles, timeline, cost = article["marks"]
    assert {"1 ms", "10 ms", "100 ms", "0 %", "50 %", "90 %", "99 %"} <= set(percentiles)
    assert not {"0.1 ms", "1 s", "99.9 %"} & set(percentiles)
    assert {"0 s", "1 s", "0", "10", "20", "30", "40", "50", "1 ms", "10 ms"} <= set(timeline)
    assert {"0 s", "1 s", "0", "0.1", "0.5", "0 MiB", "20 MiB"} <= set(cost)
    # A step for each value; the last one ends at the right edge.
    assert any(path.endswith("890.0 " + path.rsplit(" ", 1)[1]) and path.count("L") == 5 for path in article["paths"])


def test_several_reports_have_contents(tmp_path):
    shown = show(tmp_path, report(), report(), report())
    assert shown["links"] == ["#r1", "#r2", "#r3"] and len(shown["articles"]) == 3


def other(path, value):
    """The known report with another value somewhere."""
    changed = report()
    place = changed
    for name in path[:-1]:
        place = place.setdefault(name, {})
    place[path[-1]] = value
    return changed


def figures(**values):
    return other(("shown", "figures"), values)


def test_two_reports_stand_side_by_side(tmp_path):
    one = figures(ack_p99_ms=2, deliveries_per_second=20, acks_per_second=100, errors=0, lost=0, kib_per_session=3,
                  p99_ms=1, live_seconds="inf")
    two = figures(ack_p99_ms=4, deliveries_per_second=40, acks_per_second=104, errors=3, lost=0, p99_ms=9,
                  live_seconds="inf")
    shown = show(tmp_path, one, two)
    assert shown["sides"][1:] == [
        ["ack_p99_ms", "2", "4", "2.00", "worse"], ["acks_per_second", "100", "104", "1.04", "same"],
        ["deliveries_per_second", "20", "40", "2.00", "better"], ["errors", "0", "3", "", "worse"],
        ["kib_per_session", "3", "not measured", "", ""], ["live_seconds", "never", "never", "", "same"]]
    assert [row[4] for row in show(tmp_path, two, one)["sides"][1:5]] == ["better", "same", "worse", "better"]


def test_what_makes_two_reports_incomparable_is_said(tmp_path):
    # The known report has a fault.
    first = "The first broke the contract; its speed is worth nothing."
    second = first.replace("first", "second")
    messages = {"bytes": [1, 1], "mode": "send"}
    cases = [
        (report(), [first, second]), (other(("scenario", "thresholds"), [1]), [first, second]),
        (other(("scenario", "name"), "other"), ["The scenario differs: pairs | other", first, second]),
        (other(("shown", "machine"), "another"), ["The machine differs: a machine | another", first, second]),
        (other(("result", "durability"), "normal"), ["The durability differs: full | normal", first, second]),
        (other(("workers",), 2), ["The number of workers differs: undefined | 2", first, second]),
        (other(("scenario", "users"), 5), [
            "The scenarios have one name but ask for different things: 2 users | 2 users", first, second]),
        (other(("shown", "verdict"), "invalid"), [
            first, "The second is invalid; its figures say nothing of the relay."])]
    shown = show_each(tmp_path, [(report(), changed) for changed, _ in cases])
    assert [each["warnings"] for each in shown] == [wanted for _, wanted in cases]
    payload = show(tmp_path, report(), other(("scenario", "messages"), messages))["warnings"]
    assert payload[0] == "The payload differs: none | 1 to 1 bytes, send" and len(payload) == 4


def test_a_text_of_a_report_is_no_markup(tmp_path):
    text = json.dumps(report()).replace("a machine", json.dumps(HOSTILE)[1:-1])
    hostile = json.loads(text)
    hostile["scenario"] = {"name": HOSTILE, "about": HOSTILE}
    hostile["result"]["errors"] = {HOSTILE: 1}
    hostile["result"]["faults"]["descriptions"]["lost"] = [HOSTILE]
    hostile["reasons"], hostile["command"], hostile["cost"]["metrics"] = [HOSTILE], HOSTILE, {HOSTILE: 1}
    shown = show(tmp_path, hostile)
    assert shown["scripts"] == 0
    assert shown["articles"][0]["text"].count(HOSTILE) == 8


def test_a_run_that_measured_nothing_or_too_much_is_drawn(tmp_path):
    nothing = report(cost=None, thresholds=[])
    nothing["result"] |= {"corrected": {}, "uncorrected": {}, "timeline": [], "disturbances": [], "errors": {}}
    nothing["shown"] |= {"figures": {}, "recoveries": []}
    extreme = report()
    extreme["result"]["corrected"]["delivery"] = {"values": [0, 1, 2**62], "counts": [1, 1, 1]}
    extreme["cost"]["samples"] = [{"second": -2**60, "cpu": "nan", "rss": 2**62, "descriptors": 0},
                                  {"second": 0, "cpu": "inf", "rss": 0, "descriptors": 0}]
    extreme["thresholds"][0]["threshold"]["bound"] = "inf"
    shown = show(tmp_path, nothing, extreme)
    assert [len(each["charts"]) for each in shown["articles"]] == [0, 3] and not shown["problem"]


def test_a_long_run_is_drawn_in_steps(tmp_path):
    long = report()
    long["result"]["timeline"] = [{**long["result"]["timeline"][0], "second": second} for second in range(-5, 4_000)]
    article = show(tmp_path, long)["articles"][0]
    assert max(path.count("L") for path in article["paths"]) <= 301


def test_other_files_are_refused(tmp_path):
    texts = ("", "[1]", "{}", json.dumps(report(format=2)), "{\"format\": 1}")
    for shown in show_each(tmp_path, [(text,) for text in texts]):
        assert shown["problem"].startswith("This can't be drawn") and not shown["articles"], shown
