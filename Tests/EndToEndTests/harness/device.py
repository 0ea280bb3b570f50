"""A client as an app would write one, on a WebSocket library that shares no code with the relay."""

import asyncio
import itertools
import json
import socket as sockets

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from .waiting import PATIENCE


class Refused(Exception):
    """The relay answered a command with `error`."""

    def __init__(self, answer):
        super().__init__(f"{answer.get('code')}: {answer.get('reason')}")
        self.answer = answer
        self.code = answer.get("code")


class Closed(Exception):
    """The connection ended before the awaited event arrived."""


class Frame(dict):
    """One frame from the relay, with its text as it arrived."""

    def __init__(self, raw):
        super().__init__(json.loads(raw))
        self.raw = raw


class Device:
    """One connection. Replies are matched to their commands by `re`. Everything else waits in `events`."""

    all = []
    # Shared by all devices, since keys are unique per user.
    keys = itertools.count(1)

    def __init__(self, socket):
        self.socket = socket
        self.user = None
        self.welcome = None
        # Everything that arrived, in order.
        self.frames = []
        # Events that arrived and have not been taken by `event` yet.
        self.events = []
        # Unexpected answers. There must be none, except where a test sends frames by hand and allows it.
        self.strays = []
        self.allows_strays = False
        self.numbers = itertools.count(1)
        self.answers = {}
        self.news = asyncio.Condition()
        self.reading = asyncio.Event()
        self.reading.set()
        self.close_code = None
        self.reader = asyncio.create_task(self.read())
        Device.all.append(self)

    @classmethod
    async def connect(cls, port, *, path="/v1/socket", receive_buffer=None, **options):
        """`receive_buffer` is the number of bytes that the kernel takes before the relay notices that we don't read."""
        if receive_buffer:
            plain = sockets.socket()
            plain.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, receive_buffer)
            plain.setblocking(False)
            await asyncio.get_running_loop().sock_connect(plain, ("127.0.0.1", port))
            options["sock"] = plain
        options = {"subprotocols": ["roost.v1"], "compression": None, "max_queue": 16, **options}
        socket = await connect(
            f"ws://127.0.0.1:{port}{path}", max_size=None, ping_interval=None, open_timeout=PATIENCE,
            close_timeout=2, proxy=None, **options)
        return cls(socket)

    async def read(self):
        try:
            while True:
                await self.reading.wait()
                frame = Frame(await self.socket.recv())
                self.frames.append(frame)
                await self.sort(frame)
        except ConnectionClosed:
            pass
        finally:
            self.close_code = self.socket.close_code or 1006
            for answer in self.answers.values():
                if not answer.done():
                    answer.set_exception(Closed(f"closed with {self.close_code}"))
                    answer.exception()
            async with self.news:
                self.news.notify_all()

    async def sort(self, frame):
        if "re" in frame:
            answer = self.answers.pop(frame["re"], None)
            if answer is None:
                self.strays.append(frame)
            elif not answer.done():
                answer.set_result(frame)
        else:
            self.events.append(frame)
        async with self.news:
            self.news.notify_all()

    # Commands

    async def write(self, text):
        """Sends any text, or bytes as a binary message."""
        await self.socket.send(text)

    def expect(self, number):
        """Returns a future for the answer to the command with this `id`."""
        assert number not in self.answers
        self.answers[number] = asyncio.get_running_loop().create_future()
        if self.reader.done():
            self.answers[number].set_exception(Closed(f"closed with {self.close_code}"))
        return self.answers[number]

    async def begin(self, type, **members):
        """Sends a command and returns the future of its answer."""
        number = next(self.numbers)
        answer = self.expect(number)
        try:
            await self.write(json.dumps({"type": type, "id": number, **members}, ensure_ascii=False))
        except ConnectionClosed:
            await self.closed()
        return answer

    async def ask(self, type, **members):
        """Sends a command and returns its answer, whatever it is."""
        return await asyncio.wait_for(await self.begin(type, **members), PATIENCE)

    async def call(self, type, **members):
        """Sends a command that must succeed, and returns its answer."""
        answer = await self.ask(type, **members)
        if answer["type"] == "error":
            raise Refused(answer)
        return answer

    async def refusal(self, type, **members):
        """Sends a command that must fail, and returns the error code."""
        answer = await self.ask(type, **members)
        assert answer["type"] == "error", f"{type} was not refused: {answer}"
        assert set(answer) <= {"type", "re", "code", "reason", "retry", "retryAfter", "conversation"}, answer
        return answer["code"]

    async def tell(self, type, **members):
        """Sends a command without an `id`."""
        await self.write(json.dumps({"type": type, **members}, ensure_ascii=False))

    async def hello(self, token, **members):
        self.welcome = await self.call("hello", token=token, **members)
        assert self.welcome["type"] == "welcome"
        self.user = self.welcome.get("user") or self.welcome["operator"]
        return self.welcome

    async def send(self, to, body, key=None, **members):
        """Sends a message with a unique key, unless the test names one."""
        return await self.call("send", to=to, key=key or f"auto-{next(Device.keys)}", body=body, **members)

    async def group(self, name, *members, **more):
        """Creates a group and returns its id."""
        answer = await self.call("conversation.create", kind="group", name=name, members=list(members), **more)
        return answer["conversation"]["conversation"]

    # Events

    async def event(self, type, **where):
        """Returns the next event of this type with these members. `sender` stands for `from`."""
        if "sender" in where:
            where["from"] = where.pop("sender")

        def fits(frame):
            return frame["type"] == type and all(frame.get(name) == value for name, value in where.items())
        return await self.awaited(fits, f"{type} {where}")

    async def presence(self, user, state):
        """Waits until this device is shown the user in this state. Earlier states are discarded."""
        def says(frame):
            return frame["type"] == "presence" and any(
                one["user"] == user and one["state"] == state for one in frame.get("users", []))
        frame = await self.awaited(says, f"presence {user} {state}")
        place = next(index for index, one in enumerate(self.frames) if one is frame)
        done = {id(one) for one in self.frames[:place] if one["type"] == "presence"}
        self.events = [one for one in self.events if id(one) not in done]
        return [one for one in frame.get("users", []) if one["user"] == user][-1]

    def states(self, user):
        """Everything that this device was ever shown of the user, in order."""
        return [
            one["state"] for frame in self.seen("presence") for one in frame.get("users", []) if one["user"] == user]

    async def awaited(self, fits, what):
        """Takes and returns the next event that fits."""
        async def wait():
            fresh = self.events
            async with self.news:
                while (frame := next(filter(fits, fresh), None)) is None:
                    if self.reader.done():
                        raise Closed(f"closed with {self.close_code} while waiting for {what}")
                    count = len(self.frames)
                    await self.news.wait()
                    fresh = [one for one in self.frames[count:] if "re" not in one]
                self.events = [one for one in self.events if one is not frame]
                return frame
        try:
            return await asyncio.wait_for(wait(), PATIENCE)
        except TimeoutError:
            shown = [str(frame)[:200] for frame in self.events[-5:]]
            raise AssertionError(f"{self.user} waited in vain for {what}; there was {shown}") from None

    async def messages(self, conversation, upto):
        """Waits for the message with this sequence, and returns all messages of the conversation up to it."""
        await self.awaited_message(conversation, upto)
        return [
            frame for frame in self.frames
            if frame["type"] == "message" and frame["conversation"] == conversation and frame["sequence"] <= upto]

    async def awaited_message(self, conversation, sequence):
        return await self.event("message", conversation=conversation, sequence=sequence)

    async def barrier(self):
        """Returns when everything that the relay sent before has arrived."""
        return await self.call("ping")

    def seen(self, type, **where):
        """All events of this kind that ever arrived."""
        return [
            frame for frame in self.frames
            if frame["type"] == type and all(frame.get(name) == value for name, value in where.items())]

    # Ends

    def pause(self):
        """Stops reading. The library's queue fills first, then the kernel's buffers, then the relay's."""
        self.reading.clear()

    def resume(self):
        self.reading.set()

    async def bye(self):
        await self.call("bye")
        assert await self.closed() == 1000

    async def closed(self):
        """Waits until the relay closes the connection, and returns the code of its close frame."""
        self.resume()
        try:
            await asyncio.wait_for(asyncio.shield(self.reader), PATIENCE)
        except TimeoutError:
            raise AssertionError("the relay didn't close the connection") from None
        return self.close_code

    async def drop(self):
        """Cuts the connection without a close frame."""
        self.socket.transport.abort()
        await self.closed()

    async def unload(self, code):
        """Sends a close frame without `bye` and is gone, as a browser does that leaves the page."""
        closing = asyncio.create_task(self.socket.close(code))
        await asyncio.sleep(0.05)
        await self.drop()
        await closing

    async def leave(self):
        """Sends a close frame without `bye`."""
        self.resume()
        await self.socket.close()
        await self.reader

    # Promises that hold in every test

    def check(self):
        assert self.allows_strays or not self.strays, f"answers that nobody asked for: {self.strays}"
        last = {}
        for frame in self.frames:
            if frame["type"] == "message":
                conversation, sequence = frame["conversation"], frame["sequence"]
                assert sequence > last.get(conversation, 0), f"{self.user}: {sequence} after {last[conversation]}"
                last[conversation] = sequence


async def end_devices():
    """Closes all connections of a test and checks the promises that hold for every connection."""
    devices, Device.all = Device.all, []
    for device in devices:
        # A transport of Python 3.11 that was closed while it had something to write can't be aborted.
        if not device.reader.done():
            device.socket.transport.abort()
        device.resume()
    for device in devices:
        await asyncio.wait([device.reader], timeout=PATIENCE)
    for device in devices:
        if not device.reader.cancelled() and device.reader.done():
            device.reader.result()
        device.check()
