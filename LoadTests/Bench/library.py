"""roost-load's own scenarios, unchanged: what to compare a later run with. `make baselines` measures them all."""

import functools

import harness
from failure import BenchFailure
from findings import FULL, Figure, Findings, Line

FIGURES = [
    ("p50", "ms", "delivery_p50_ms"), ("p99", "ms", "delivery_p99_ms"), ("p99.9", "ms", "delivery_p999_ms"),
    ("longest", "ms", "delivery_max_ms"), ("p99 until acked", "ms", "ack_p99_ms"),
    ("deliveries", "deliveries/s", "deliveries_per_second"), ("recovery", "s", "recovery_seconds"),
    ("CPU of a delivery", "µs", "cpu_us_per_delivery"), ("memory of a session", "KiB", "kib_per_session")]


def measure(name, bench):
    found = Findings()
    for turn in range(bench.runs):
        flags = ["--short"] if bench.quick else []
        report = harness.run(bench, harness.LIBRARY / f"{name}.yaml", "--seed", turn + 1, *flags)
        if report.verdict != harness.HELD:
            raise BenchFailure("; ".join(report.warnings))
        found.raw.append(report.data["shown"]["figures"])
    found.figures = figures(found.raw)
    return found


def figures(runs):
    values = {name: [float(run[name]) for run in runs if name in run] for _, _, name in FIGURES}
    return [Figure(words, unit, values[name], durability=FULL) for words, unit, name in FIGURES if values[name]]


LINES = [
    Line(f"scenario-{path.stem}", f"`roost-load run {path.stem}`",
         path.read_text().partition("about:")[2].splitlines()[0].strip(), functools.partial(measure, path.stem),
         ("roost-load",))
    for path in sorted(harness.LIBRARY.glob("*.yaml"))]
