"""A client as an app would write one, on a WebSocket library that shares nothing with the relay."""

import asyncio
import itertools
import json
import socket as sockets

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from .waiting import PATIENCE


class Refused(Exception):
    """An `error` as the answer to a command."""

    def __init__(self, answer):
        super().__init__(f"{answer.get('code')}: {answer.get('reason')}")
        self.answer = answer
        self.code = answer.get("code")


class Closed(Exception):
    """The connection ended before what was waited for."""


class Frame(dict):
    """One frame of the relay, with the text that it came as."""

    def __init__(self, raw):
        super().__init__(json.loads(raw))
        self.raw = raw


class Device:
    """One connection. Replies find their commands by `re`; everything else waits in `events` until it is asked for."""

    all = []
    # Of all devices together, since keys are unique per user.
    keys = itertools.count(1)

    def __init__(self, socket):
        self.socket = socket
        self.user = None
        self.welcome = None
        # Everything that came, in its order.
        self.frames = []
        # What came without being asked for and wasn't taken by `event` yet.
        self.events = []
        # Answers that nobody waits for: there may be none, except where a test sends by hand and says so.
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
        """`receive_buffer`: bytes that the kernel takes for us before the relay notices that we don't read."""
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
        """Sends any text (or bytes, as a binary message)."""
        await self.socket.send(text)

    def expect(self, number):
        """A future for the answer to the command with this `id`."""
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
        """Sends a command and gives its answer, whatever it is."""
        return await asyncio.wait_for(await self.begin(type, **members), PATIENCE)

    async def call(self, type, **members):
        """Sends a command that has to succeed, and gives its answer."""
        answer = await self.ask(type, **members)
        if answer["type"] == "error":
            raise Refused(answer)
        return answer

    async def refusal(self, type, **members):
        """Sends a command that has to fail, and gives the code."""
        answer = await self.ask(type, **members)
        assert answer["type"] == "error", f"{type} was not refused: {answer}"
        assert set(answer) <= {"type", "re", "code", "reason", "retry", "retryAfter"}, answer
        return answer["code"]

    async def tell(self, type, **members):
        """Sends a command without an `id`."""
        await self.write(json.dumps({"type": type, **members}, ensure_ascii=False))

    async def hello(self, token, **members):
        self.welcome = await self.call("hello", token=token, **members)
        assert self.welcome["type"] == "welcome"
        self.user = self.welcome["user"]
        return self.welcome

    async def send(self, to, body, key=None, **members):
        """Sends a message under a key that no other has, unless the test names one."""
        return await self.call("send", to=to, key=key or f"auto-{next(Device.keys)}", body=body, **members)

    async def group(self, name, *members, **more):
        """Creates a group and gives its id."""
        answer = await self.call("conversation.create", kind="group", name=name, members=list(members), **more)
        return answer["conversation"]["conversation"]

    # Events

    async def event(self, type, **where):
        """The first event of this type and with these members that wasn't asked for before. `sender` is `from`."""
        if "sender" in where:
            where["from"] = where.pop("sender")

        def fits(frame):
            return frame["type"] == type and all(frame.get(name) == value for name, value in where.items())
        return await self.awaited(fits, f"{type} {where}")

    async def presence(self, user, state):
        """Waits until this device is told that the user is in this state; what it was told before is done with."""
        def says(frame):
            return frame["type"] == "presence" and any(
                one["user"] == user and one["state"] == state for one in frame["users"])
        frame = await self.awaited(says, f"presence {user} {state}")
        place = next(index for index, one in enumerate(self.frames) if one is frame)
        done = {id(one) for one in self.frames[:place] if one["type"] == "presence"}
        self.events = [one for one in self.events if id(one) not in done]
        return [one for one in frame["users"] if one["user"] == user][-1]

    def states(self, user):
        """All that this device was ever told of the user, in its order."""
        return [
            one["state"] for frame in self.seen("presence") for one in frame["users"] if one["user"] == user]

    async def awaited(self, fits, what):
        """The first event that fits and wasn't taken before, and takes it."""
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
        """Every message of the conversation that came, up to this sequence; waits for that one."""
        await self.awaited_message(conversation, upto)
        return [
            frame for frame in self.frames
            if frame["type"] == "message" and frame["conversation"] == conversation and frame["sequence"] <= upto]

    async def awaited_message(self, conversation, sequence):
        return await self.event("message", conversation=conversation, sequence=sequence)

    async def barrier(self):
        """When this returns, everything is there that the relay had put on its way before."""
        return await self.call("ping")

    def seen(self, type, **where):
        """All of these that ever came."""
        return [
            frame for frame in self.frames
            if frame["type"] == type and all(frame.get(name) == value for name, value in where.items())]

    # Ends

    def pause(self):
        """Stops reading: the library's queue fills, then the kernel's buffers, then the relay's."""
        self.reading.clear()

    def resume(self):
        self.reading.set()

    async def bye(self):
        await self.call("bye")
        assert await self.closed() == 1000

    async def closed(self):
        """Waits for the relay to end the connection; the code of its close frame."""
        self.resume()
        try:
            await asyncio.wait_for(asyncio.shield(self.reader), PATIENCE)
        except TimeoutError:
            raise AssertionError("the relay didn't close the connection") from None
        return self.close_code

    async def drop(self):
        """The network is gone: no close frame."""
        self.socket.transport.abort()
        await self.closed()

    async def leave(self):
        """A close frame of the client without `bye`."""
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
    """Ends all connections of a test and checks what every connection has to keep."""
    devices, Device.all = Device.all, []
    for device in devices:
        device.socket.transport.abort()
        device.resume()
    for device in devices:
        await asyncio.wait([device.reader], timeout=PATIENCE)
    for device in devices:
        if not device.reader.cancelled() and device.reader.done():
            device.reader.result()
        device.check()
