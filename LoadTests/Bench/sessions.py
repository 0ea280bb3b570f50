"""The cost of idle sessions: for active ones, in memory, and when all come back at once."""

import re
import time

import gauge
import harness
from accounts import Accounts
from chat_client import ChatClient
from failure import BenchFailure
from findings import FULL, Figure, Findings, Line
from processes import GENERATOR_CORE, resident_kib
from servers import Ceiling, Relay

SESSIONS = 10_000
ROUNDS = 10
# 80 KiB in each round: twenty pages, by which resident memory varies anyway.
LEFT_BYTES_MAX = 8
ACTIVE_PAIRS = 50
CONNECT_SECONDS = 120
# Longer than any ramp. They are stopped before that.
HOLD_SECONDS = 900


class Idle:
    """The shape of gauge for sessions that only connect."""

    deliveries = 0
    flags = ["--mode", "idle", "--subs", SESSIONS]

    def prepare(self, relay):
        return Accounts(relay).file([f"i{number}" for number in range(SESSIONS)]), ""


class Beside(gauge.Target):
    """Measures 50 pairs beside idle sessions of another gauge on the same relay."""

    def __init__(self, bench):
        super().__init__(Relay(bench), gauge.Pairs(ACTIVE_PAIRS), "send")
        self.bench, self.holder = bench, None
        try:
            tokens, _ = Idle().prepare(self.server)
            words = [bench.gauge_program, "--port", self.server.port, *gauge.roost_flags(tokens), *Idle.flags,
                     "--secs", HOLD_SECONDS]
            self.holder = bench.processes.start(words, GENERATOR_CORE, environment=self.environment)
            self.server.await_sessions(SESSIONS, CONNECT_SECONDS)
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        if self.holder:
            self.bench.processes.stop(self.holder)
        super().__exit__()


def measure_beside(bench):
    found = Findings()
    rates = {"alone": [], "beside": []}
    makers = {"alone": lambda: gauge.Target(Relay(bench), gauge.Pairs(ACTIVE_PAIRS), "send"),
              "beside": lambda: Beside(bench)}
    starts = dict.fromkeys(rates, 4_000)
    for turn in range(bench.runs):
        for side in list(rates) if turn % 2 == 0 else reversed(rates):
            ramp = gauge.maximum(bench, makers[side], starts[side])
            found.raw.append({"side": side, **ramp})
            rates[side].append(ramp["rate"])
            starts[side] = ramp["rate"] / 2
    ratios = [beside / alone for beside, alone in zip(rates["beside"], rates["alone"])]
    found.figures = [
        Figure("of the throughput without them", "ratio", ratios, at_least=0.8, durability=FULL),
        Figure("beside 10,000 idle sessions", "messages/s", rates["beside"], durability=FULL),
        Figure("without them", "messages/s", rates["alone"], durability=FULL)]
    return found


def measure_memory(bench):
    found = Findings()
    kib, growth = [], []
    for _ in range(bench.runs):
        with gauge.Target(Relay(bench, presence__grace_seconds=1), Idle(), "signal") as target:
            rounds = []
            for _ in range(3 if bench.quick else ROUNDS):
                text = gauge.run(bench, target, ["--secs", 2], CONNECT_SECONDS)
                per_session = re.search(r"idle: (-?[\d.]+) KiB a connection, lost 0", text)
                if not per_session:
                    raise BenchFailure(f"the sessions weren't held: {text[-300:]}")
                target.server.await_sessions(0, 60)
                rounds.append((float(per_session.group(1)), resident_kib(target.server.process)))
            found.raw.append({"kibPerSession": [each[0] for each in rounds], "rssAfter": [each[1] for each in rounds]})
            kib.append(rounds[0][0])
            # The allocator needs some rounds to settle. Memory that later rounds still add is a leak.
            settled = len(rounds) // 2
            growth.append((rounds[-1][1] - rounds[settled][1]) / (len(rounds) - 1 - settled) / SESSIONS * 1024)
    if bench.quick:
        found.note("quick: 3 rounds")
    found.figures = [
        Figure("RSS a session, of 10,000 connected for the first time", "KiB", kib, at_most=4),
        Figure("RSS that a round of the second half leaves, by session", "bytes", growth, at_most=LEFT_BYTES_MAX)]
    return found


def reconnect_rate(bench, target, resumes):
    """All connect, drop at once, and come back at once. Measures the rate at which they come back."""
    flags = target.flags
    if resumes:
        accounts = Accounts(target.server)
        with ChatClient(target.server, accounts.token("i0"), device="other") as session:
            position = session.welcome["head"]
        # gauge puts a line of the file in place of the token. This line ends the token and continues the command.
        tokens = accounts.file([f"i{number}" for number in range(SESSIONS)], f'","resume":"{position}')
        flags = gauge.roost_flags(tokens)
    gauge.run(bench, target, ["--secs", 1], CONNECT_SECONDS)
    target.flags = flags
    return gauge.connect_rate(gauge.run(bench, target, ["--secs", 0], CONNECT_SECONDS))


def measure_storm(bench):
    found = Findings()
    rates = {"ceiling": [], "roost": []}
    makers = {"ceiling": lambda: gauge.Target(Ceiling(bench), Idle()),
              "roost": lambda: gauge.Target(Relay(bench), Idle(), "signal")}
    lost = []
    for turn in range(bench.runs):
        for side in list(rates) if turn % 2 == 0 else reversed(rates):
            with makers[side]() as target:
                rates[side].append(reconnect_rate(bench, target, resumes=side == "roost"))
            time.sleep(1)
        report = harness.run(bench, "storm", "--seed", turn + 1)
        for warning in report.warnings:
            found.note(warning)
        lost.append(report.faults.get("lost", 0))
        found.raw.append({
            "faults": report.faults, "disturbances": report.data["result"]["disturbances"],
            "harness": report.harness_cores, "counts": report.counts})
    ratios = [roost / ceiling for roost, ceiling in zip(rates["roost"], rates["ceiling"])]
    found.figures = [
        Figure("of the ceiling's connect rate", "ratio", ratios, at_least=0.5, durability=FULL),
        Figure("Roost, from connect to `welcome`, with `resume`", "sessions/s", rates["roost"], durability=FULL),
        Figure("the ceiling, from connect to upgraded", "sessions/s", rates["ceiling"]),
        Figure("messages missed in roost-load's storm", "messages", lost, at_most=0, durability=FULL)]
    return found


LINES = [
    Line("idle-beside", "10,000 idle sessions beside 50 active pairs", "gauge's ramp of `send` by 50 pairs, with and "
         "without 10,000 further sessions, in turns.", measure_beside, ("gauge",)),
    Line("memory", "memory of an idle authenticated session", "gauge connects 10,000 sessions, which say hello and "
         "stay. The figure is the relay's RSS per session. Then all connect and drop in ten rounds, each measured when "
         "all are gone.", measure_memory, ("gauge",)),
    Line("storm", "reconnect storm of 10,000 sessions with resume", "gauge drops 10,000 sessions at once and they come "
         "back, 200 at a time, with either server; to Roost with a token and `resume`. roost-load checks that nothing "
         "is missed: 10,000 sessions drop and come back while 200 messages/s go on.", measure_storm,
         ("gauge", "roost-load")),
]
