"""The two servers that are compared: Roost, and the ceiling. Each start is a fresh one, on the servers' core."""

import pathlib
import re
import shutil
import socket
import time

from failure import BenchFailure
from processes import SERVER_CORE

START_SECONDS = 15
# As many connections as the 20,000 descriptors of one process allow.
CONNECTIONS = 19_500


class Server:
    """The values that gauge and /proc need of a running server."""

    def __init__(self, bench, process, port):
        self.bench, self.process, self.port = bench, process, port

    def stop(self):
        self.bench.processes.stop(self.process)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Ceiling(Server):
    """ceiling.c, which has no store, no users and no checks."""

    def __init__(self, bench):
        port = free_port()
        super().__init__(bench, bench.processes.start([bench.ceiling_program, port], SERVER_CORE), port)
        await_connection(self)


class Relay(Server):
    """A release build with limits that leave the load to the machine. Its data is removed with it."""

    def __init__(self, bench, store=None, **settings):
        self.folder = bench.new_folder("relay")
        self.log_file = self.folder / "relay.log"
        self.key_file = self.folder / "signing.key"
        values = {
            "listen.host": "127.0.0.1", "listen.port": 0, "store.path": store or self.folder / "roost.db",
            "auth.key_file": self.key_file, "store.durability": "full", "log.level": "warning",
            # All clients are on one machine, and 50 sessions send the load of a whole group.
            "limits.connections": CONNECTIONS, "limits.connections_per_address": CONNECTIONS,
            "limits.strangers": CONNECTIONS, "limits.strangers_per_address": CONNECTIONS,
            "limits.commands_per_second": 1_000_000, "limits.introductions_per_hour": 1_000_000,
            "limits.additions_per_hour": 10_000_000, "limits.unanswered_per_user": 1_000_000,
            "drain.seconds": 1, "drain.spread_seconds": 0,
            **{key.replace("__", "."): value for key, value in settings.items()}}
        words = [bench.roost, "serve", *(word for key, value in values.items() for word in ("--set", f"{key}={value}"))]
        process = bench.processes.start(words, SERVER_CORE, log=self.log_file)
        super().__init__(bench, process, None)
        try:
            self.port = self.await_port()
        except BaseException:
            self.stop()
            raise

    def await_port(self):
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            if found := re.search(r"listens on wss?://127\.0\.0\.1:(\d+)/", self.log_file.read_text()):
                return int(found.group(1))
            time.sleep(0.02)
        raise BenchFailure(f"roost didn't start: {self.log_file.read_text()[-300:]}")

    def stop(self):
        super().stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def metric(self, name):
        """Returns one value of /metrics, or 0 if it isn't there."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as connection:
            connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            text = b"".join(iter(lambda: connection.recv(65_536), b"")).decode(errors="replace")
        found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
        return float(found.group(1)) if found else 0.0

    def await_sessions(self, count, seconds):
        """Waits until the server has so many sessions."""
        deadline = time.monotonic() + seconds
        while self.metric("roost_sessions") != count:
            if time.monotonic() > deadline:
                raise BenchFailure(f"{self.metric('roost_sessions'):.0f} sessions after {seconds} s, not {count}")
            time.sleep(0.2)


def in_turns(sides, turn):
    """Returns the order of this turn. The first server alternates."""
    return sides if turn % 2 == 0 else sides[::-1]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def await_connection(server):
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", server.port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.02)
    server.stop()
    raise BenchFailure("the ceiling didn't start")


def remove(path):
    """Removes a store and the files that SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm", ".lock"):
        pathlib.Path(f"{path}{suffix}").unlink(missing_ok=True)
