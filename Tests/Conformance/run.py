#!/usr/bin/env python3
"""Runs the cases that every client passes.

    .build-venv/bin/python Tests/Conformance/run.py --driver ".build/debug/roost-conformance-driver"

README.md beside this file says what a driver is. The relay is the one that ROOST_BINARY names, or
.build/debug/roost."""

import argparse
import asyncio
import shlex
import sys
import time

from clientcases.case import load, table
from clientcases.run import run_all


def main():
    parser = argparse.ArgumentParser(description="Run the cases that every client passes.")
    parser.add_argument("--driver", help="the command that starts the driver")
    parser.add_argument("--only", default="", help="only cases with this in their names")
    parser.add_argument("--list", action="store_true", help="only print the table of the cases")
    words = parser.parse_args()
    cases = [case for case in load() if words.only in case.title]
    if words.list:
        return print(table(cases), end="")
    if not words.driver:
        parser.error("--driver is missing; README.md says what a driver is")
    begin = time.monotonic()
    outcomes = asyncio.run(run_all(cases, shlex.split(words.driver), report))
    failed = [one for one in outcomes if one.failure]
    left = [one for one in outcomes if one.missing]
    for one in left:
        print(f"left out  {one.case.title}: needs {', '.join(one.missing)}")
    print(f"{len(outcomes) - len(failed) - len(left)} passed, {len(failed)} failed, {len(left)} left out, "
          f"in {time.monotonic() - begin:.0f} s")
    return sys.exit(1 if failed or not outcomes else 0)


def report(outcome):
    print(f"{'FAILED' if outcome.failure else 'passed'}    {outcome.case.title}", flush=True)
    if outcome.failure:
        print("    " + outcome.failure.replace("\n", "\n    "), flush=True)


if __name__ == "__main__":
    main()
