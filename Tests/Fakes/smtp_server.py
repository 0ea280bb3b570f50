"""A server of mail for tests, on a free port of 127.0.0.1. It keeps what it gets, and refuses or puts off on demand.

    python Tests/Fakes/smtp_server.py FOLDER [--security starttls|tls|none] [--user NAME --password WORD]

It prints a line "listens on PORT" and writes into FOLDER: `authority.pem`, by which its certificate is checked, and
for each letter `N.json` with the sender, the recipients, the text as it came, and whether the connection was encrypted.
Before each recipient it reads FOLDER/behaviour.json, if there is one: {"defer": 2} puts off the next two (as
greylisting does), {"refuse": ["a@b"]} refuses an address. It ends with its standard input, so that no test leaves one
behind.
"""

import argparse
import asyncio
import json
import pathlib
import ssl
import subprocess
import sys

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "EndToEndTests"))
from harness.certificates import Authority  # noqa: E402


class Handler:
    """The server's side of the protocol; one for all connections."""

    def __init__(self, folder, is_tls):
        self.folder = folder
        self.is_tls = is_tls
        self.count = 0

    def behaviour(self):
        try:
            return json.loads((self.folder / "behaviour.json").read_text())
        except FileNotFoundError:
            return {}

    async def handle_RCPT(self, server, session, envelope, address, options):
        behaviour = self.behaviour()
        if address in behaviour.get("refuse", []):
            return f"550 5.1.1 <{address}> is unknown here"
        if behaviour.get("defer", 0) > 0:
            behaviour["defer"] -= 1
            write(self.folder / "behaviour.json", behaviour)
            return "451 4.7.1 Greylisted, please try again later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        self.count += 1
        write(self.folder / f"{self.count}.json", {
            "sender": envelope.mail_from, "recipients": envelope.rcpt_tos,
            "text": envelope.original_content.decode("utf-8"), "encrypted": self.is_tls or session.ssl is not None,
            "user": session.auth_data.login.decode() if session.auth_data else None,
            "greeting": session.host_name,
        })
        return "250 OK"


def write(path, value):
    """Writes so that a reader sees the whole file or none."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(value))
    part.rename(path)


def authenticator(user, password):
    def check(server, session, envelope, mechanism, data):
        good = isinstance(data, LoginPassword) and (data.login, data.password) == (user.encode(), password.encode())
        # Without `handled`, the server says 535 itself.
        return AuthResult(success=good, handled=False, auth_data=data)
    return check


async def serve(arguments):
    folder = arguments.folder
    authority = Authority(folder)
    certificate, key = authority.issue("mail")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    options = {"enable_SMTPUTF8": True, "hostname": "localhost"}
    if arguments.security == "starttls":
        options |= {"tls_context": context, "require_starttls": True}
    if arguments.user:
        options |= {
            "authenticator": authenticator(arguments.user, arguments.password), "auth_required": True,
            "auth_require_tls": arguments.security == "starttls"}
    handler = Handler(folder, arguments.security == "tls")
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: SMTP(handler, loop=loop, **options), "127.0.0.1", 0,
        ssl=context if arguments.security == "tls" else None)
    print(f"listens on {server.sockets[0].getsockname()[1]}", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--security", choices=["starttls", "tls", "none"], default="starttls")
    parser.add_argument("--user")
    parser.add_argument("--password")
    asyncio.run(serve(parser.parse_args()))


class MailServer:
    """The server as a process of its own, for tests in Python."""

    def __init__(self, folder, *options):
        self.folder = pathlib.Path(folder)
        self.process = subprocess.Popen(
            [sys.executable, __file__, str(folder), *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().split()[-1])
        self.authority = self.folder / "authority.pem"

    def behave(self, **behaviour):
        write(self.folder / "behaviour.json", behaviour)

    def letters(self):
        names = sorted(self.folder.glob("[0-9]*.json"), key=lambda path: int(path.stem))
        return [json.loads(name.read_text()) for name in names]

    def stop(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(10)


if __name__ == "__main__":
    main()
