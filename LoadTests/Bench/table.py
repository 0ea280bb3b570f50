"""The page of the bench, Baselines/bench.md, and the raw figures of the lines measured last.

A line that wasn't measured this time keeps its rows: they are read from the page itself."""

import json
import re

from findings import number

TITLE = """# Roost against the ceiling

Written by `make bench`; don't edit. The ceiling is `ceiling.c` of the yardstick: a server on libwebsockets and libev
without store, users or checks. Both servers run on core 0 and the load generators on core 1. Payloads have 200 bytes
if nothing else is said. Figures are medians over the runs, with minimum and maximum. A bar is met if the median
meets it. `LoadTests/Bench/bench.py --list` says what each line is and how it is measured; `make bench ONLY=name`
measures it again and leaves every raw figure in `LoadTests/Results/bench.json`.
"""
COLUMNS = ["line", "figure", "bar", "median", "min – max", "runs", "durability", ""]
NAME = re.compile(r"(?:\| |\* )`([\w-]+)`")


def entry(line, findings, failure, started, seconds, bench):
    """One line in its stored form."""
    return {
        "date": started, "seconds": round(seconds, 1), "machine": bench.machine, "quick": bench.quick,
        "loadAverage": bench.load_average, "failure": failure,
        "figures": [figure.data() for figure in findings.figures] if findings else [],
        "notes": findings.notes if findings else [], "raw": findings.raw if findings else []}


def write(folder, raw_folder, measured, order):
    """Writes the lines measured so far. `order` has the names of all lines."""
    folder.mkdir(parents=True, exist_ok=True)
    raw_folder.mkdir(parents=True, exist_ok=True)
    replace(raw_folder / "bench.json", json.dumps({"lines": measured}, indent=1, sort_keys=True) + "\n")
    path = folder / "bench.md"
    replace(path, page(path.read_text() if path.exists() else "", measured, order))


def replace(path, text):
    """Replaces the file in one step, so that an interrupted run leaves the old page."""
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(text)
    fresh.replace(path)


def page(old, measured, order):
    """Returns the page with what was measured, and of the other lines what the old page says."""
    rows, runs = {}, {}
    for text in old.splitlines():
        if found := NAME.match(text):
            (rows if text.startswith("|") else runs).setdefault(found.group(1), []).append(text)
    for name, line in measured.items():
        # A scenario's last run that held is what later ones are compared with.
        if line["failure"] and name.startswith("scenario-") and name in rows:
            continue
        rows[name], runs[name] = line_rows(name, line), [run(name, line)]
    names = [name for name in order if name in rows]
    parts = [TITLE, row(COLUMNS), row(["---", "---", "---", "---:", "---:", "---:", "---", "---"])]
    parts += [text for name in names for text in rows[name]]
    parts += ["\n## When, where, and what to doubt\n"] + [text for name in names for text in runs.get(name, [])]
    return "\n".join(parts) + "\n"


def line_rows(name, line):
    if line["failure"]:
        return [row([f"`{name}`", "", "", "", "", "", "", f"not measured: {line['failure']}"])]
    rows = []
    for figure in line["figures"]:
        values = figure["values"]
        unit = "" if figure["unit"] == "ratio" else f" {figure['unit']}"
        spread = f"{number(min(values))} – {number(max(values))}" if values else ""
        verdict = {True: "met", False: "**not met**", None: ""}[figure["holds"]]
        rows.append(row([
            f"`{name}`", figure["words"], figure["bar"], f"{number(figure['median'])}{unit}", spread,
            str(len(values)), figure["durability"] or "", verdict]))
    return rows


def run(name, line):
    machine = line["machine"]
    quick = "**a quick run, which proves nothing**; " if line["quick"] else ""
    notes = "".join(f"; {note}" for note in line["notes"]).replace("\n", " ")
    return (f"* `{name}`: {quick}{line['date']}, load average before it {line['loadAverage']:.1f}, "
            f"{machine['processor']}, {machine['cores']} cores, {machine['memoryMiB'] / 1024:.0f} GiB, "
            f"{machine['kernel']}, stores on {machine['filesystem']}{notes}.")


def row(cells):
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def terminal(line):
    """Returns the result of a line, for the terminal."""
    if line["failure"]:
        return f"  not measured: {line['failure']}"
    rows = []
    for figure in line["figures"]:
        verdict = {True: "met", False: "NOT MET", None: ""}[figure["holds"]]
        values = figure["values"]
        spread = f"({number(min(values))} – {number(max(values))})" if values else "(not measured)"
        rows.append(f"  {figure['words']:<60} {number(figure['median']):>9} {figure['unit']:<15} "
                    f"{spread}  {figure['bar']:>9} {verdict}")
    return "\n".join(rows + [f"  {note}" for note in line["notes"]])
