"""`roost up`: the relay, and the services beside it."""

import http.client
import json
import os
import pathlib
import re
import select
import socket
import sys
import time

from .relay import BINARY, Relay
from .services import Answer
from .waiting import PATIENCE, until

FAKE = pathlib.Path(__file__).parent / "fake_services.py"


class Up(Relay):
    """A relay that keeps a stand-in of the services running."""

    def words(self):
        program = self.folder / "stand-in"
        if not program.exists():
            program.write_text(f"#!/bin/sh\nexec {sys.executable} {FAKE} \"$@\"\n")
            program.chmod(0o700)
        # The services have to know it before the relay listens.
        for key in ("listen.port", "services.port"):
            self.settings.setdefault(key, str(free_port()))
        return ["up", "--services", str(program), *super().words()[1:]]

    @property
    def data(self):
        return self.store.parent / "services"

    def starts(self):
        """The process and the words of each start."""
        path = self.data / "starts"
        return [line.split(" ", 1) for line in path.read_text().splitlines()] if path.exists() else []

    async def services(self, number):
        """The process of the start of this number, counting from 1."""
        return int((await until(lambda: self.starts()[number - 1:number], f"start {number}"))[0][0])


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def is_there(process):
    """Whether it runs: one that ended and wasn't waited for doesn't."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Both(Up):
    """A relay with the services themselves."""

    def words(self):
        words = super().words()
        words[words.index("--services") + 1] = str(BINARY.parent / "roost-services")
        return words

    def printed(self, pattern):
        """Waits for what the services print, such as a mail."""
        deadline, seen = time.monotonic() + PATIENCE, self.output
        while not (found := re.search(pattern, seen)):
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))
            piece = os.read(self.process.stdout.fileno(), 65_536) if ready else b""
            assert piece, f"nothing like {pattern!r} in {seen!r}\n{self.log()}"
            seen += piece
        # Each line is taken once.
        self.output = seen[found.end():]
        return found[1].decode()

    async def listening(self):
        """Waits until the services answer: the relay is there as soon as it has their keys."""
        def answers():
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", int(self.settings["services.port"]))) == 0

        await until(answers, "the services' port")

    def ask(self, method, path, body=None, *, token=None):
        """One request to the services, on a connection of its own."""
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        connection = http.client.HTTPConnection("127.0.0.1", self.settings["services.port"], timeout=PATIENCE)
        try:
            connection.request(method, path, body=None if body is None else json.dumps(body), headers=headers)
            return Answer(connection.getresponse())
        finally:
            connection.close()
