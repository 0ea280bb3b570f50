"""An app without a screen, on RoostKit: a process that takes commands and prints what it shows."""

import asyncio
import json

from harness.relay import BINARY

DRIVER = BINARY.parent / "roost-kit-driver"


class App:
    """One start of the app. `items` and `pins` are what its timeline shows now, `session` what is said of the session,
    `account` what is said of the account, `others` its people, contacts, settings and open thread, `states` how the
    connection was, one after the other."""

    def __init__(self, process):
        self.process = process
        self.commands = 0
        self.done = {}
        self.items = []
        self.pins = []
        self.has_older = False
        self.session = {}
        self.account = {}
        self.others = {"people": {}, "contacts": {}, "settings": {}, "thread": []}
        self.states = []
        self.lines = 0
        self.on_items = lambda items: None
        self.news = asyncio.Condition()
        self.reader = asyncio.create_task(self.read())

    @classmethod
    async def start(cls, relay, user, store, device="phone", inside=()):
        """Starts it with its file at `store`; `inside` are words before the program's own."""
        return await cls.run([*inside, DRIVER, cls.url(relay), relay.token(user), store, device])

    @classmethod
    async def with_accounts(cls, relay, services, store, device="phone"):
        """Starts it signed out, or as the user of its last start. Its tokens are in `store`.tokens."""
        return await cls.run([DRIVER, cls.url(relay), f"http://127.0.0.1:{services.port}", store, device])

    @staticmethod
    def url(relay):
        return f"ws://127.0.0.1:{relay.port}/v1/socket"

    @classmethod
    async def run(cls, words):
        process = await asyncio.create_subprocess_exec(
            *words, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 24)
        return cls(process)

    async def read(self):
        async for line in self.process.stdout:
            # A killed process may leave half a line.
            if not line.endswith(b"\n"):
                break
            told = json.loads(line)
            if "done" in told:
                self.done[told["done"]] = told
            elif "items" in told:
                self.items = told["items"]
                self.pins = told["pins"]
                self.has_older = told["hasOlder"]
                self.on_items(self.items)
            elif "connection" in told:
                self.session = told
                if self.states[-1:] != [told["connection"]]:
                    self.states.append(told["connection"])
            elif told.keys() <= self.others.keys():
                self.others.update(told)
            else:
                self.account.update(told)
            async with self.news:
                self.lines += 1
                self.news.notify_all()
        async with self.news:
            self.news.notify_all()

    def say(self, do, **members):
        """Writes a command, and returns its number."""
        self.commands += 1
        self.process.stdin.write(json.dumps({"do": do, **members}).encode() + b"\n")
        return self.commands

    async def call(self, do, **members):
        number = self.say(do, **members)
        await self.until(lambda: number in self.done)
        assert "failed" not in self.done[number], self.done[number]
        return self.done[number]

    async def until(self, fits):
        """Waits until something is so, or the process has ended."""
        async with self.news:
            await self.news.wait_for(lambda: fits() or self.reader.done())

    async def kill(self):
        self.process.kill()
        await self.process.wait()
        await self.reader

    async def leave(self):
        self.process.stdin.close()
        await self.process.wait()
        await self.reader
