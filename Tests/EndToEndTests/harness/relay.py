"""The relay as an operator runs it: a process with a folder, a port, signals and HTTP pages."""

import base64
import contextlib
import http.client
import os
import pathlib
import re
import select
import signal
import sqlite3
import subprocess
import time

import jwt

from .device import Device
from .waiting import PATIENCE

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
BINARY = REPOSITORY / (os.environ.get("ROOST_BINARY") or ".build/debug/roost")
ANNOUNCEMENT = re.compile(rb"Roost \S+ listens on wss?://[^/]*:(\d+)/v1/socket")


def environment():
    """Our environment without variables that configure the relay, so that a test names all its settings."""
    return {name: value for name, value in os.environ.items() if not name.startswith("ROOST_")}


def command(folder, *words, timeout=PATIENCE):
    """Runs a command of `roost` in `folder` to its end."""
    return subprocess.run(
        [str(BINARY), *words], cwd=folder, env=environment(), stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=timeout, check=False)


class Relay:
    """A relay with its own folder. It can be killed and started again on the same folder."""

    running = set()

    def __init__(self, folder, **settings):
        """`settings` are keys of the configuration, with `__` for the dot, such as limits__hello_seconds=1."""
        self.folder = pathlib.Path(folder)
        self.store = self.folder / "roost.db"
        self.key_file = self.folder / "signing.key"
        self.settings = {name.replace("__", "."): str(value) for name, value in settings.items()}
        self.process = None
        self.port = None
        self.output = b""
        self.start()

    # Life of the process

    def program(self):
        """Returns the program to run. A test may put another program in front of it."""
        return [str(BINARY)]

    def words(self):
        """The command line. A later setting overrides an earlier one, so a test may name another store."""
        settings = {
            "listen.port": "0", "store.path": str(self.store), "auth.key_file": str(self.key_file), **self.settings}
        return ["serve", *(word for key, value in settings.items() for word in ("--set", f"{key}={value}"))]

    def start(self, **changes):
        """Starts the relay and waits for the line that names its port."""
        self.settings.update({name.replace("__", "."): str(value) for name, value in changes.items()})
        with open(self.folder / "relay.log", "ab") as log:
            self.process = subprocess.Popen(
                [*self.program(), *self.words()], cwd=self.folder, env=environment(), stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=log)
        Relay.running.add(self)
        self.port = int(self.read_announcement())

    def read_announcement(self):
        deadline = time.monotonic() + PATIENCE
        seen = b""
        while not (found := ANNOUNCEMENT.search(seen)):
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))
            piece = os.read(self.process.stdout.fileno(), 4096) if ready else b""
            assert piece, f"the relay didn't start: {seen!r}\n{self.log()}"
            seen += piece
        # It may contain output of the services of `roost up`, too.
        self.output = seen
        return found.group(1)

    def kill(self):
        """Kills it with SIGKILL, as a crash or the kernel's out-of-memory killer would."""
        self.end(signal.SIGKILL)

    def stop(self):
        """Sends SIGTERM, waits for the drain, and returns the exit code."""
        return self.end(signal.SIGTERM)

    def end(self, number):
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.wait()

    def wait(self):
        try:
            return self.process.wait(timeout=PATIENCE)
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            self.process.stdout.close()
            Relay.running.discard(self)

    def is_running(self):
        return self.process.poll() is None

    def log(self):
        """Everything it has written to standard error since the test began."""
        return (self.folder / "relay.log").read_text(errors="replace")

    # Connections

    def secret(self):
        text = self.key_file.read_text().strip()
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))

    def token(self, user, seconds=3600, **claims):
        """Creates a token with the relay's own key, as an issuer would."""
        claims = {"sub": user, "exp": time.time() + seconds, **claims}
        return jwt.encode(claims, self.secret(), algorithm="HS256")

    async def connect(self, **options):
        """Opens a connection without hello."""
        return await Device.connect(self.port, **options)

    async def device(self, user, device="phone", *, options=None, **hello):
        """Opens a connection and waits for its welcome."""
        found = await self.connect(**(options or {}))
        await found.hello(hello.pop("token", None) or self.token(user), device=device, **hello)
        return found

    async def operator(self, name="olga"):
        """Opens an operator's session, which belongs to no user."""
        found = await self.connect()
        await found.hello(self.token(name, scope="chat admin"), operator=True)
        return found

    async def service(self, name="mill"):
        """Opens the session of a service, which belongs to no user."""
        found = await self.connect()
        await found.hello(self.token(name, scope="service"), operator=True)
        return found

    # Operators' view

    def get(self, path, **headers):
        """Sends a plain HTTP request and returns (status, headers, body)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
            response = connection.getresponse()
            return response.status, response.headers, response.read().decode()
        finally:
            connection.close()

    def metric(self, name):
        """The value of one sample, named with its labels."""
        for line in self.get("/metrics")[2].splitlines():
            if line.startswith(name + " "):
                return float(line.rpartition(" ")[2])
        raise AssertionError(f"no metric {name}")

    def rows(self, query):
        """Reads the store's file while the relay runs."""
        with contextlib.closing(sqlite3.connect(f"file:{self.store}?mode=ro", uri=True, timeout=PATIENCE)) as store:
            return store.execute(query).fetchall()

    def resident_bytes(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()
        return int(fields[1]) * os.sysconf("SC_PAGESIZE")


def end_all():
    """Ends whatever a test left running."""
    for relay in list(Relay.running):
        relay.kill()
