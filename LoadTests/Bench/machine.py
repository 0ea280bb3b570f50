"""The machine that the figures were measured on."""

import os
import platform
import subprocess


def describe(folder):
    return {
        "processor": processor(), "cores": os.cpu_count(), "kernel": f"{platform.system()} {platform.release()}",
        "memoryMiB": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20, "filesystem": filesystem(folder)}


def processor():
    with open("/proc/cpuinfo") as info:
        names = [line.partition(":")[2].strip() for line in info if line.startswith("model name")]
    return names[0] if names else platform.machine()


def filesystem(folder):
    """Returns the file system of the stores: on tmpfs an fsync means nothing."""
    words = ["stat", "--file-system", "--format", "%T", str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=10)
    return done.stdout.strip() or "unknown"


def busy_cores():
    """Runnable processes by the load average of a minute; measurements want none but theirs."""
    return os.getloadavg()[0]
