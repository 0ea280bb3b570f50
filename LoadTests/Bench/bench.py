#!/usr/bin/env python3
"""Measures Roost against the ceiling and writes LoadTests/Baselines/bench.md; the raw figures go to LoadTests/Results.

    LoadTests/Bench/bench.py                     everything, five runs each: about two hours on a quiet machine
    LoadTests/Bench/bench.py --only log storm    some lines; the others keep what they had
    LoadTests/Bench/bench.py --only scenarios    roost-load's own scenarios, which are measured only if asked for
    LoadTests/Bench/bench.py --quick             one short run each, into LoadTests/Results

It needs release builds of roost, roost-load and roost-log-bench, taskset, and for gauge, saturate and the ceiling a C
and a C++ compiler with libwebsockets and libev. gauge and the ceiling are built from $ROOST_YARDSTICK
(../shared/yardstick if not set); what they are needed for is left out without it. Nothing else should run meanwhile.
Ctrl-C stops all that was started.
"""

import argparse
import datetime
import importlib.util
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import textwrap
import time

import beside
import directory
import gauge
import growth
import latency
import library
import log_alone
import machine
import neighbours
import offline
import page
import presence
import recovery
import saturate
import services_lines
import sessions
import table
import throughput
import tls
from failure import BenchFailure
from processes import Processes

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
# The log comes last: the disk stalls for a while after the gigabytes that it writes.
LINES = {line.name: line for group in (throughput, latency, sessions, offline, recovery, neighbours, beside, presence,
                             directory, growth, services_lines, page, tls, log_alone, library)
         for line in group.LINES}


class Bench:
    """Where everything is, and how long to measure."""

    def __init__(self, options):
        build = REPOSITORY / ".build"
        build.mkdir(exist_ok=True)
        # Not in /tmp, which may be memory: the stores must be on a disk.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bench-", dir=options.folder or build))
        self.sources = pathlib.Path(__file__).resolve().parent
        release = pathlib.Path(options.release or build / "release")
        self.roost, self.roost_load = release / "roost", release / "roost-load"
        self.log_bench = pathlib.Path(os.environ.get("ROOST_LOG_BENCH") or release / "roost-log-bench")
        self.yardstick = pathlib.Path(os.environ.get("ROOST_YARDSTICK") or REPOSITORY / "../shared/yardstick")
        self.gauge_program, self.ceiling_program = self.folder / "gauge", self.folder / "ceiling"
        self.saturate_program = self.folder / "saturate"
        self.processes = Processes()
        self.cores = os.cpu_count()
        self.quick = options.quick
        self.runs = options.runs or (1 if options.quick else 5)
        # Seconds of a measurement at a fixed rate, and of one step of a search.
        self.seconds, self.ramp_seconds = (2, 1) if options.quick else (5, 3)
        self.has_yardstick = False
        self.machine = machine.describe(self.folder)
        self.load_average = 0.0
        self.folders = 0

    def prepare(self):
        if self.cores < 2:
            raise BenchFailure("two cores are needed: one for the server, one for what loads it")
        if not self.roost.exists():
            raise BenchFailure(f"no {self.roost}: make build")
        if (self.yardstick / "gauge.cpp").exists():
            gauge.build(self)
            saturate.build(self)
            self.has_yardstick = True

    def new_folder(self, name):
        self.folders += 1
        folder = self.folder / f"{name}-{self.folders}"
        folder.mkdir(mode=0o700)
        return folder

    def lacks(self, line):
        """Returns why a line can't be measured here, or None if it can."""
        for need in line.needs:
            if need == "gauge" and not self.has_yardstick:
                return f"no yardstick in {self.yardstick.name}; name its folder by ROOST_YARDSTICK"
            if need == "roost-load" and not self.roost_load.exists():
                return "no release build of roost-load"
            if need == "roost-services" and not (self.roost.parent / "roost-services").exists():
                return "no release build of roost-services"
            if need == "setup" and not all(map(importlib.util.find_spec, ("jwt", "cryptography", "playwright"))):
                return "no packages of make setup: run it by .build-venv/bin/python"
            if need == "roost-log-bench" and not self.log_bench.exists():
                return "no release build of roost-log-bench"
        return None

    def close(self):
        self.processes.stop_all()
        shutil.rmtree(self.folder, ignore_errors=True)


def measure(bench, line):
    """One line of the table, as it is stored."""
    started = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    # Otherwise the kernel might write what builds or other lines have left during this one.
    os.sync()
    bench.load_average = machine.busy_cores()
    begin = time.monotonic()
    findings, failure = None, bench.lacks(line)
    if not failure:
        try:
            findings = line.measure(bench)
        except Exception as error:
            failure = f"{type(error).__name__}: {error}" if not isinstance(error, BenchFailure) else str(error)
        finally:
            bench.processes.stop_all()
    return table.entry(line, findings, failure, started, time.monotonic() - begin, bench)


def read_options():
    words = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--only", nargs="+", metavar="NAME", default=[], help="lines to measure")
    words.add_argument("--runs", type=int, choices=range(1, 21), metavar="N", help="of each, 5 if not given")
    words.add_argument("--quick", action="store_true", help="one short run each, to try")
    words.add_argument("--list", action="store_true", help="say what lines there are, and how each is measured")
    words.add_argument("--out", type=pathlib.Path, help="the folder of bench.md")
    words.add_argument("--folder", type=pathlib.Path, help="where stores are made; on a disk")
    words.add_argument("--release", type=pathlib.Path, help="the folder of release builds")
    options = words.parse_args()
    names = [name for word in options.only for name in word.split(",")]
    scenarios = [line.name for line in library.LINES]
    names = [each for name in names for each in (scenarios if name == "scenarios" else [name])]
    unknown = [name for name in names if name not in LINES]
    if unknown:
        words.error(f"no line '{unknown[0]}'; there are {', '.join(LINES)}")
    options.only = names or [name for name in LINES if name not in scenarios]
    options.out = options.out or REPOSITORY / "LoadTests" / ("Results" if options.quick else "Baselines")
    return options


def main():
    options = read_options()
    if options.list:
        for line in LINES.values():
            print(f"{line.name}: {line.words}")
            print(textwrap.fill(line.method, 100, initial_indent="    ", subsequent_indent="    "))
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    bench = Bench(options)
    try:
        bench.prepare()
        lines = {}
        for name in options.only:
            print(f"{name}: {LINES[name].words}", flush=True)
            lines[name] = measure(bench, LINES[name])
            print(table.terminal(lines[name]), flush=True)
            # The page is written after each line, so that a failure doesn't lose hours.
            table.write(options.out, REPOSITORY / "LoadTests/Results", lines, LINES)
        print(f"Written to {options.out / 'bench.md'}")
        return 1 if any(lines[name]["failure"] for name in options.only) else 0
    except BenchFailure as failure:
        print(f"bench: {failure}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("bench: interrupted", file=sys.stderr)
        return 130
    finally:
        bench.close()


if __name__ == "__main__":
    sys.exit(main())
