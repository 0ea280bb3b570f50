"""The page and the raw figures. Lines that weren't measured this time keep their earlier figures."""

import json

from findings import number

TITLE = """# Roost against the ceiling

Written by `make bench`; don't edit. The ceiling is `ceiling.c` of the yardstick: a server on libwebsockets and libev
without store, users or checks. Both servers run on core 0 and the load generators on core 1. Payloads have 200 bytes
if nothing else is said. Figures are medians over the runs, with minimum and maximum. A bar is met if the median
meets it.
"""
COLUMNS = ["", "figure", "bar", "median", "min – max", "runs", "durability", ""]


def entry(line, findings, failure, started, seconds, bench):
    """One line in its stored form."""
    return {
        "words": line.words, "method": line.method, "date": started, "seconds": round(seconds, 1),
        "machine": bench.machine, "quick": bench.quick, "loadAverage": bench.load_average, "failure": failure,
        "figures": [figure.data() for figure in findings.figures] if findings else [],
        "notes": findings.notes if findings else [], "raw": findings.raw if findings else []}


def read(path):
    try:
        return json.loads(path.read_text())["lines"]
    except (OSError, ValueError, KeyError):
        return {}


def write(folder, lines, order):
    """Writes bench.json and bench.md. `order` has the names of all lines."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = {name: lines[name] for name in order if name in lines}
    replace(folder / "bench.json", json.dumps({"lines": lines}, indent=1, sort_keys=True) + "\n")
    replace(folder / "bench.md", page(lines))


def replace(path, text):
    """Replaces the file in one step, so that an interrupted run leaves the old page."""
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(text)
    fresh.replace(path)


def page(lines):
    parts = [TITLE]
    for machine in dict.fromkeys(machine_words(line["machine"]) for line in lines.values()):
        parts.append(f"Measured on {machine}.\n")
    if any(line["quick"] for line in lines.values()):
        parts.append("**Some lines are of quick runs, which prove nothing.**\n")
    parts.append(row(COLUMNS))
    parts.append(row(["---", "---", "---", "---:", "---:", "---:", "---", "---"]))
    for line in lines.values():
        parts += line_rows(line)
    parts.append("\n## How\n")
    for name, line in lines.items():
        parts += method(name, line)
    return "\n".join(parts) + "\n"


def machine_words(machine):
    return (f"{machine['processor']}, {machine['cores']} cores, {machine['memoryMiB'] / 1024:.0f} GiB, "
            f"{machine['kernel']}; stores on {machine['filesystem']}")


def line_rows(line):
    if line["failure"]:
        return [row([line["words"], "", "", "", "", "", "", f"not measured: {line['failure']}"])]
    rows = []
    for index, figure in enumerate(line["figures"]):
        values = figure["values"]
        unit = "" if figure["unit"] == "ratio" else f" {figure['unit']}"
        spread = f"{number(min(values))} – {number(max(values))}" if values else ""
        rows.append(row([
            line["words"] if index == 0 else "", figure["words"], figure["bar"],
            f"{number(figure['median'])}{unit}", spread, str(len(values)), figure["durability"] or "",
            {True: "met", False: "**not met**", None: ""}[figure["holds"]]]))
    return rows


def method(name, line):
    date = line["date"]
    parts = [f"**{line['words']}**, {date}, load average before it {line['loadAverage']:.1f}: "
             f"`make bench ONLY={name}`. {line['method']}"]
    parts += [f"* {note}." for note in line["notes"]]
    return ["\n".join(parts) + "\n"]


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
