"""The services process as an operator runs it: accounts over HTTP, with a folder of its own."""

import http.client
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import time

from .relay import BINARY, environment
from .waiting import PATIENCE

SERVICES = BINARY.parent / "roost-services"
ANNOUNCEMENT = re.compile(rb"roost-services \S+ listens on http://[^/]*:(\d+)\n")


def members(pairs):
    """The object; a member that comes twice means something else to each reader (RFC 8259, section 4)."""
    assert len(dict(pairs)) == len(pairs), f"a member comes twice: {[name for name, _ in pairs]}"
    return dict(pairs)


class Answer:
    """An answer: status, headers, and the JSON object, if it is one."""

    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.raw = response.read()
        is_json = response.headers.get_content_type() in ("application/json", "application/jwk-set+json")
        self.json = json.loads(self.raw, object_pairs_hook=members) if is_json and self.raw else {}

    def __getitem__(self, name):
        return self.json[name]

    @property
    def code(self):
        return self.json.get("code")


class Services:
    """A roost-services with its own folder. It can be killed and started again on the same folder."""

    running = set()

    def __init__(self, folder, **settings):
        """`settings` are keys of the configuration, with `__` for the dot, such as accounts__password_min=6."""
        self.folder = pathlib.Path(folder)
        self.data = self.folder / "services"
        self.settings = {name.replace("__", "."): str(value) for name, value in settings.items()}
        self.process = None
        self.port = None
        self.output = b""
        # The address that a proxy would name as the client's, if services.proxies has us.
        self.client = None
        self.start()

    def start(self, **changes):
        """Starts it and waits for the line that names its port."""
        self.settings.update({name.replace("__", "."): str(value) for name, value in changes.items()})
        settings = {"services.port": "0", "services.data": str(self.data), **self.settings}
        words = ["serve", *(word for key, value in settings.items() for word in ("--set", f"{key}={value}"))]
        with open(self.folder / "services.log", "ab") as log:
            self.process = subprocess.Popen(
                [*self.program(), *words], cwd=self.folder, env=environment(), stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=log)
        Services.running.add(self)
        self.output = b""
        self.port = int(self.awaited_output(ANNOUNCEMENT).group(1))

    def program(self):
        return [str(SERVICES)]

    def command(self, command, *words):
        """Runs a command of roost-services to its end, on the same folder unless the words name another."""
        folder = [] if command == "version" else ["--set", f"services.data={self.data}"]
        return subprocess.run(
            [str(SERVICES), *command.split(), *folder, *words], cwd=self.folder, env=environment(),
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False)

    def awaited_output(self, pattern):
        """Waits until its standard output has what is looked for."""
        deadline = time.monotonic() + PATIENCE
        while not (found := pattern.search(self.output)):
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))
            piece = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            assert piece, f"waited in vain for {pattern.pattern!r}: {self.output!r}\n{self.log()}"
            self.output += piece
        return found

    def link(self, address, path):
        """Waits for a letter to this address, and returns the secret of the link in it."""
        pattern = re.compile(rb"mail to %s: [^\n]*/#%s=(\S+)\n" % (re.escape(address).encode(), path.encode()))
        found = self.awaited_output(pattern)
        # Each letter is taken once.
        self.output = self.output[:found.start()] + self.output[found.end():]
        return found.group(1).decode()

    def kill(self):
        self.end(signal.SIGKILL)

    def stop(self):
        """Sends SIGTERM and returns the exit code."""
        return self.end(signal.SIGTERM)

    def end(self, number):
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(timeout=PATIENCE)
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            self.process.stdout.close()
            Services.running.discard(self)

    def is_running(self):
        return self.process.poll() is None

    def log(self):
        return (self.folder / "services.log").read_text(errors="replace")

    # Requests

    def ask(self, method, path, body=None, *, token=None, headers=None, raw=None):
        """One request on a connection of its own. `body` becomes JSON; `raw` goes as it is."""
        headers = dict(headers or {})
        if self.client:
            headers["X-Forwarded-For"] = self.client
        if body is not None:
            raw = json.dumps(body)
            headers["Content-Type"] = "application/json"
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body=raw, headers=headers)
            answer = Answer(connection.getresponse())
        finally:
            connection.close()
        if answer.status >= 400:
            assert set(answer.json) >= {"code", "reason"}, answer.raw
        return answer

    def post(self, path, body=None, **options):
        return self.ask("POST", path, {} if body is None else body, **options)

    def get(self, path, **options):
        return self.ask("GET", path, **options)

    def delete(self, path, body=None, **options):
        return self.ask("DELETE", path, body, **options)

    def sign_up(self, email, password="correct horse", name="Ann", **members):
        """Makes an account, which must work, and returns the tokens."""
        answer = self.post("/v1/accounts", {"email": email, "password": password, "displayName": name, **members})
        assert answer.status == 201, answer.raw
        return answer.json

    def sign_in(self, email, password="correct horse", **members):
        return self.post("/v1/sessions", {"email": email, "password": password, **members})

    def refresh(self, token, key=None):
        return self.post("/v1/sessions/refresh", {"refreshToken": token} | ({"key": key} if key else {}))

    def reuse(self, token, **options):
        """Exchanges a refresh token for so many others that it is too old to come again, and lets it come again."""
        newest = token
        for _ in range(9):
            newest = self.refresh(newest)["refreshToken"]
        return self.refresh(token, **options), newest

    def bytes_on_disk(self):
        """All bytes of all files of its folder."""
        return b"".join(path.read_bytes() for path in sorted(self.data.rglob("*")) if path.is_file())


def end_all_services():
    """Ends whatever a test left running."""
    for services in list(Services.running):
        services.kill()
