"""A proxy between the app and the relay that lies as its rules say: it drops, holds, repeats, changes, adds, cuts and
closes. It keeps what went by."""

import asyncio
import contextlib
import dataclasses
import json
import time

from frames import FIN, MASK, TEXT, read_frame, text_frame
from harness.waiting import PATIENCE

from .match import fits

PING = bytes([FIN | 9, 0])
CLOSE = FIN | 8
UPGRADE = b"HTTP/1.1 101"


@dataclasses.dataclass
class Passed:
    """A frame that went by: up what the app said, before the rules; down what the app was given, after them."""

    direction: str
    frame: dict
    link: int
    at: float


class Link:
    """One connection of the app, and its connection to the relay."""

    def __init__(self, number, writer):
        self.number = number
        self.app = writer
        self.relay = None
        # The app's commands by their ids.
        self.commands = {}
        self.is_open = True
        # The app has been given a close frame.
        self.is_closing = False

    def cut(self):
        """Ends both connections at once, without a close frame."""
        self.is_open = False
        for writer in (self.app, self.relay):
            if writer:
                writer.transport.abort()

    async def close(self, code):
        """Closes the app's connection with a code, and lets it have the frame."""
        self.is_open, self.is_closing = False, True
        if self.relay:
            self.relay.transport.abort()
        payload = code.to_bytes(2, "big") + b"as the case says"
        self.app.write(bytes([CLOSE, len(payload)]) + payload)
        with contextlib.suppress(ConnectionError):
            await self.app.drain()
            self.app.write_eof()


class Rule:
    """A rule for frames of a kind: `up` or `down` is the pattern; `skip` of them pass, then `times` don't (0: all that
    follow).
    """

    ACTIONS = {
        "drop", "hold", "repeat", "with", "without", "keep", "before", "after", "instead", "answer", "late", "bytes",
        "fragments", "then"}

    def __init__(self, members):
        self.direction = "up" if "up" in members else "down"
        self.pattern = members.pop(self.direction)
        self.skip = members.pop("skip", 0)
        times = members.pop("times", 1)
        self.left = times or float("inf")
        assert set(members) <= Rule.ACTIONS, members
        self.actions = members

    def takes(self, direction, frame, resolve):
        if direction != self.direction or not self.left or not fits(resolve(self.pattern), frame):
            return False
        if self.skip:
            self.skip -= 1
            return False
        self.left -= 1
        return True


class Proxy:
    """Listens on a free port of 127.0.0.1, and is the relay for one app."""

    def __init__(self, relay, resolve, watch, kill):
        """`resolve` replaces the names in a rule, `watch` sees everything that goes by, `kill` ends the app."""
        self.relay = relay
        self.resolve = resolve
        self.watch = watch
        self.kill = kill
        self.news = asyncio.Condition()
        self.rules = []
        self.refusals = []
        self.passed = []
        self.held = {}
        self.link = None
        # When the app tried to connect.
        self.attempts = []
        self.tasks = set()
        # Mistakes in rules, which would look like ones of the app otherwise.
        self.mistakes = []

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self.server.close()
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        if self.mistakes:
            raise self.mistakes[0]

    @property
    def url(self):
        return f"ws://127.0.0.1:{self.port}/v1/socket"

    async def tell(self):
        async with self.news:
            self.news.notify_all()

    # Connections

    async def serve(self, reader, writer):
        task = asyncio.current_task()
        self.tasks.add(task)
        link = Link(len(self.attempts) + 1, writer)
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            self.attempts.append(time.monotonic())
            if self.refusals:
                return await self.refuse(writer, self.refusals.pop(0))
            relay_reader, link.relay = await asyncio.open_connection("127.0.0.1", self.relay.port)
            link.relay.write(head)
            answer = await relay_reader.readuntil(b"\r\n\r\n")
            writer.write(answer)
            assert answer.startswith(UPGRADE), answer
            self.link = link
            await self.pass_on(link, reader, relay_reader)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        except Exception as mistake:
            self.mistakes.append(mistake)
        finally:
            self.tasks.discard(task)
            link.is_open = False
            for each in (writer, link.relay):
                if each:
                    each.close()
            await self.tell()

    async def pass_on(self, link, reader, relay_reader):
        await self.tell()
        halves = [
            asyncio.create_task(self.pump("up", link, reader)),
            asyncio.create_task(self.pump("down", link, relay_reader))]
        try:
            # When one side ends, the other is ended, too.
            await asyncio.wait(halves, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for half in halves:
                half.cancel()
            outcomes = await asyncio.gather(*halves, return_exceptions=True)
        if link.is_closing:
            # Unread bytes would reset the connection, and the app wouldn't get its close frame.
            with contextlib.suppress(OSError, TimeoutError):
                link.app.write_eof()
                await asyncio.wait_for(reader.read(), PATIENCE)
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome

    async def refuse(self, writer, status):
        body = b'{"code":"full","reason":"as the case says"}'
        writer.write(
            b"HTTP/1.1 %d Refused\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"
            b"Retry-After: 1\r\nConnection: close\r\n\r\n%s" % (status, len(body), body))
        await writer.drain()

    # Frames

    async def pump(self, direction, link, reader):
        with contextlib.suppress(ConnectionError):
            while frame := await read_frame(reader):
                if not frame.is_text:
                    link.is_closing |= direction == "down" and frame.bytes[0] == CLOSE
                    (link.relay if direction == "up" else link.app).write(frame.bytes)
                    continue
                members = json.loads(frame.payload)
                if direction == "up":
                    link.commands[members.get("id")] = members["type"]
                    await self.note("up", members, link)
                elif "re" in members:
                    members = {**members, "of": link.commands.get(members["re"])}
                await self.treat(direction, members, link)

    async def note(self, direction, members, link):
        self.passed.append(Passed(direction, members, link.number, time.monotonic()))
        self.watch.passed(direction, members, link)
        await self.tell()

    async def treat(self, direction, members, link):
        """Does with a frame what the first rule says that takes it."""
        def resolve(value):
            return self.resolve(value, frame=members)
        rule = next((rule for rule in self.rules if rule.takes(direction, members, resolve)), None)
        if rule is None:
            return await self.give(direction, members, link)
        actions = rule.actions
        if "keep" in actions:
            self.resolve.__self__.kept[actions["keep"]] = members
        if "late" in actions:
            await asyncio.sleep(actions["late"] / 1_000)
        for one in resolve(actions.get("before", [])):
            await self.give("down", one, link)
        await self.give_changed(direction, members, link, actions, resolve)
        for one in resolve(actions.get("after", [])):
            await self.give("down", one, link)
        await self.end(actions.get("then"), link)

    async def give_changed(self, direction, members, link, actions, resolve):
        if "answer" in actions:
            answer = {"type": "error", "re": members.get("id"), "reason": "as the case says", "retry": False,
                      **resolve(actions["answer"])}
            return await self.give("down", answer, link)
        if actions.get("drop"):
            return None
        if "instead" in actions:
            for one in resolve(actions["instead"]):
                await self.give("down", one, link)
            return None
        changed = {name: one for name, one in members.items() if name not in actions.get("without", [])}
        changed.update(resolve(actions.get("with", {})))
        if "hold" in actions:
            return self.held.setdefault(actions["hold"], []).append((direction, changed, link))
        for _ in range(actions.get("repeat", 1)):
            await self.give(direction, changed, link, actions)
        return None

    async def give(self, direction, members, link, form=None):
        """Writes a frame to its side. A text is written as it is, also if it is no JSON."""
        if not link.is_open:
            return
        is_text = isinstance(members, str)
        plain = members if is_text else {name: one for name, one in members.items() if name != "of"}
        payload = (members if is_text else json.dumps(plain)).encode()
        if direction == "up":
            return self.write_up(link, payload)
        if not is_text:
            await self.note("down", members, link)
        with contextlib.suppress(ConnectionError):
            for piece in pieces(payload, form or {}):
                link.app.write(piece)
                await link.app.drain()
                # So that a piece arrives alone.
                await asyncio.sleep(0)
        return None

    @staticmethod
    def write_up(link, payload):
        frame = text_frame(payload)
        head = len(frame) - len(payload)
        # A mask of zeros leaves the payload as it is.
        link.relay.write(bytes([frame[0], frame[1] | MASK]) + frame[2:head] + bytes(4) + payload)

    async def end(self, how, link):
        match how:
            case None: pass
            case "cut": link.cut()
            case "kill": self.kill()
            case "half":
                link.app.write(text_frame(b'{"type":"message","body":"half of it')[:-9])
                await link.app.drain()
                link.cut()
            case int(): await link.close(how)

    async def release(self, name):
        """Lets go what was held, in its order."""
        for direction, members, link in self.held.pop(name, []):
            await self.give(direction, members, link)

    # Recorded traffic

    def seen(self, direction, pattern, since=0):
        """All frames of this kind that went by."""
        return [one for one in self.passed[since:] if one.direction == direction and fits(pattern, one.frame)]


def pieces(payload, form):
    """The bytes of a text message: in one frame, in `fragments` with a ping between, or a few `bytes` at a time."""
    if "fragments" in form:
        size = max(1, len(payload) // form["fragments"] + 1)
        parts = [payload[start:start + size] for start in range(0, len(payload), size)]
        for number, part in enumerate(parts):
            whole = text_frame(part)
            first = (TEXT if number == 0 else 0) | (FIN if number == len(parts) - 1 else 0)
            yield bytes([first]) + whole[1:]
            if number < len(parts) - 1:
                yield PING
    elif "bytes" in form:
        whole = text_frame(payload)
        for start in range(0, len(whole), form["bytes"]):
            yield whole[start:start + form["bytes"]]
    else:
        yield text_frame(payload)
