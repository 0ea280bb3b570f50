"""Starts programs, each on a chosen core, and stops all of them whatever happens."""

import os
import subprocess

from failure import BenchFailure

# Servers run on one core and generators on the other, so that they don't take each other's time.
SERVER_CORE, GENERATOR_CORE = 0, 1
STOP_SECONDS = 20


class Processes:
    """Every process that was started and not yet stopped."""

    def __init__(self):
        self.running = []

    def start(self, words, core, log=None, environment=None, patience=0, idle=False):
        """`log` is a file for the output, which is dropped without one. `patience` is the nice value. An idle program
        runs only while no other wants the core, so that it can't delay a program that measures (sched(7)).
        """
        manner = ["nice", "-n", str(patience)] if patience else ["chrt", "--idle", "0"] if idle else []
        command = ["taskset", "-c", str(core), *manner, *map(str, words)]
        output = open(log, "w") if log else subprocess.DEVNULL
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                env=environment or inherited())
        finally:
            if log:
                output.close()
        self.running.append(process)
        return process

    def stop(self, process, seconds=STOP_SECONDS):
        if process not in self.running:
            return
        if process.poll() is None:
            process.terminate()
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self.running.remove(process)

    def stop_all(self):
        for process in reversed(self.running[:]):
            self.stop(process)

    def run(self, words, core, seconds, environment=None):
        """Runs a program to its end, for at most so many seconds. Returns its exit code and what it printed."""
        command = ["taskset", "-c", str(core), *map(str, words)]
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", env=environment or inherited())
        self.running.append(process)
        try:
            text, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise BenchFailure(f"{os.path.basename(str(words[0]))} took longer than {seconds:.0f} s")
        finally:
            self.stop(process)
        return process.returncode, text


def inherited():
    """Our environment without the caller's settings of a relay, so that runs are alike everywhere."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("ROOST_", "G_"))}


def resident_kib(process):
    """Returns the resident memory of a process."""
    with open(f"/proc/{process.pid}/status") as status:
        for line in status:
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    raise BenchFailure("a process that was to be measured has ended")


def cpu_seconds(process):
    """Returns the CPU time of all threads of a process so far."""
    with open(f"/proc/{process.pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
