"""The app under test: a driver, which is a process that takes commands and prints what an app shows, as lines of JSON.
"""

import asyncio
import contextlib
import json


class App:
    """One start of a driver. Its newest lines are in `session`, `timelines`, `presence`, `names`, `rows`."""

    # Longest line: a timeline of 500 long messages.
    LINE_MAX = 1 << 25

    def __init__(self, process, told):
        self.process = process
        self.told = told
        self.number = 0
        self.done = {}
        self.session = {}
        self.timelines = {}
        self.presence = {}
        self.names = {}
        self.rows = []
        self.tokens = 0
        self.rewinds = 0
        # A killed app says nothing more.
        self.is_killed = False
        self.reader = asyncio.create_task(self.read())

    @classmethod
    async def start(cls, words, told, errors):
        process = await asyncio.create_subprocess_exec(
            *words, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=errors, limit=App.LINE_MAX)
        return cls(process, told)

    async def read(self):
        async for line in self.process.stdout:
            # A killed process may leave half a line.
            if line.endswith(b"\n"):
                self.note(json.loads(line))
                await self.told(self)
        await self.told(self)

    def note(self, line):
        match line.get("tell"):
            case None: self.done[line["done"]] = line
            case "session": self.session = line
            case "timeline": self.timelines[line["in"]] = line
            case "presence": self.presence = line["users"]
            case "names": self.names = line["users"]
            case "list": self.rows = line["rows"]
            case "token": self.tokens += 1
            case "rewound": self.rewinds += 1

    def say(self, do, members):
        """Writes a command, and returns its number."""
        self.number += 1
        line = json.dumps({"do": do, "n": self.number, **members})
        with contextlib.suppress(ConnectionError):
            self.process.stdin.write(line.encode() + b"\n")
        return self.number

    @property
    def has_ended(self):
        return self.reader.done()

    def kill(self):
        self.is_killed = True
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()

    async def ended(self):
        """Waits for the end, and returns the exit code."""
        code = await self.process.wait()
        await self.reader
        return code

    async def quit(self):
        """Ends it like an app that is out of use: without a goodbye."""
        self.process.stdin.close()
        return await self.ended()
