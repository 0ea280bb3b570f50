"""The page of the bench: it keeps the lines that weren't measured, in its order, and replaces those that were."""

import table

MACHINE = {"processor": "P", "cores": 2, "memoryMiB": 1024, "kernel": "L", "filesystem": "ext4"}


def line(median, failure=None):
    figure = {"words": "rate", "unit": "ratio", "bar": "≥ 1", "values": [median], "durability": None,
              "median": median, "holds": median >= 1}
    return {"date": "2026-01-01", "machine": MACHINE, "quick": False, "loadAverage": 0, "failure": failure,
            "figures": [] if failure else [figure], "notes": ["a | note\nof two lines"]}


def test_lines_not_measured_are_kept_and_others_replaced():
    order = ["first", "second", "third"]
    old = table.page("", {"third": line(3), "first": line(1)}, order)
    assert table.page(old, {}, order) == old
    new = table.page(old, {"second": line(2), "first": line(0.5)}, order)
    rows = [row for row in new.splitlines() if row.startswith("| `")]
    assert rows == ["| `first` | rate | ≥ 1 | 0.5 | 0.5 – 0.5 | 1 |  | **not met** |",
                    "| `second` | rate | ≥ 1 | 2 | 2 – 2 | 1 |  | met |",
                    "| `third` | rate | ≥ 1 | 3 | 3 – 3 | 1 |  | met |"]
    assert len([run for run in new.splitlines() if run.startswith("* `")]) == 3
    assert table.page(new, {}, order) == new


def test_a_line_that_failed_says_why():
    page = table.page("", {"first": line(1, failure="no gauge | here")}, ["first"])
    assert "| `first` |  |  |  |  |  |  | not measured: no gauge \\| here |" in page


def test_a_scenario_keeps_the_last_run_that_held():
    order = ["scenario-direct", "first"]
    old = table.page("", {name: line(1) for name in order}, order)
    failed = {name: line(1, failure="broken") for name in order}
    new = table.page(old, failed, order)
    assert "| `scenario-direct` | rate |" in new and "| `first` |  |  |  |  |  |  | not measured: broken |" in new
    assert "not measured" in table.page("", failed, order).split("`first`")[0]


def test_raw_figures_stay_out_of_the_baselines(tmp_path):
    table.write(tmp_path / "Baselines", tmp_path / "Results", {"first": line(1)}, ["first"])
    assert [path.name for path in (tmp_path / "Baselines").iterdir()] == ["bench.md"]
    assert [path.name for path in (tmp_path / "Results").iterdir()] == ["bench.json"]
