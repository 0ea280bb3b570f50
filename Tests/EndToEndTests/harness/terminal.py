"""A terminal with a program in it: what the program draws is drawn here, and a test looks at it and types."""

import asyncio
import fcntl
import os
import pty
import re
import signal
import struct
import termios

import pyte

from .relay import BINARY, environment
from .waiting import PATIENCE


def chat_environment(relay, **more):
    """The relay's key, and a folder of its own for what chats keep."""
    state = str(relay.folder / "state")
    return {**environment(), "ROOST_AUTH_KEY_FILE": str(relay.key_file), "XDG_STATE_HOME": state, "TERM": "xterm",
            "LC_ALL": "C.UTF-8", **more}


class Terminal:
    """`roost chat` on a terminal."""

    def __init__(self, rows, columns):
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.output = b""
        self.news = asyncio.Event()
        self.main, self.side = pty.openpty()
        self.size(rows, columns)
        self.mode = termios.tcgetattr(self.side)
        self.process = None

    @classmethod
    async def open(cls, relay, *words, rows=24, columns=80, url=None, **variables):
        self = cls(rows, columns)

        def take_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        words = ["chat", "--url", url or f"ws://127.0.0.1:{relay.port}/v1/socket", *words]
        self.process = await asyncio.create_subprocess_exec(
            str(BINARY), *words, cwd=relay.folder, env=chat_environment(relay, **variables), stdin=self.side,
            stdout=self.side, stderr=self.side, preexec_fn=take_terminal)
        asyncio.get_running_loop().add_reader(self.main, self.read)
        if variables.get("TERM") != "dumb":
            # Before that, the terminal itself still makes something else of some keys.
            await self.until(lambda: b"\x1b[?1049h" in self.output, "no screen")
        return self

    def read(self):
        try:
            piece = os.read(self.main, 65536)
        except OSError:
            piece = b""
        self.output += piece
        self.stream.feed(piece)
        self.news.set()

    def size(self, rows, columns):
        fcntl.ioctl(self.side, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, rows, columns):
        self.screen.resize(rows, columns)
        self.size(rows, columns)
        # The kernel signals the foreground group; this is the same for a test that isn't sure which group that is.
        self.process.send_signal(signal.SIGWINCH)

    @property
    def rows(self):
        return [row.rstrip() for row in self.screen.display]

    @property
    def text(self):
        return "\n".join(self.rows)

    def type(self, text):
        os.write(self.main, text.encode())

    def say(self, line):
        """Types a line and Enter."""
        self.type(line + "\r")

    async def until(self, fits, what):
        try:
            async with asyncio.timeout(PATIENCE):
                while not fits():
                    self.news.clear()
                    await self.news.wait()
        except TimeoutError:
            raise AssertionError(f"{what}:\n{self.text}") from None

    async def shows(self, pattern):
        """Waits until the pattern is on the screen."""
        await self.until(lambda: re.search(pattern, self.text), f"never shown: {pattern}")

    async def shows_no(self, pattern):
        """Waits until the pattern is not on the screen."""
        await self.until(lambda: not re.search(pattern, self.text), f"always shown: {pattern}")

    async def talk(self, line):
        """Writes to a user for the first time: the chat asks whether the name is right."""
        self.say(line)
        await self.shows("haven’t talked to .*Enter: send it anyway")
        self.type("\r")

    async def kill(self):
        self.process.kill()
        await self.end()

    async def end(self, number=None):
        """Waits for the end, and returns the exit code."""
        if number:
            self.process.send_signal(number)
        code = await asyncio.wait_for(self.process.wait(), PATIENCE)
        # Its last output is still in the terminal.
        os.set_blocking(self.main, False)
        while True:
            before = len(self.output)
            self.read()
            if len(self.output) == before:
                break
        asyncio.get_running_loop().remove_reader(self.main)
        return code

    def is_sane(self):
        """Whether the terminal is as it was: its mode, its screen, its cursor."""
        return (termios.tcgetattr(self.side) == self.mode and b"\x1b[?1049h" in self.output
                and self.output.rindex(b"\x1b[?1049l") > self.output.rindex(b"\x1b[?1049h")
                and self.output.rindex(b"\x1b[?25h") > self.output.rindex(b"\x1b[?25l"))
