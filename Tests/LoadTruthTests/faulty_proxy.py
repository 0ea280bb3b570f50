"""A proxy between roost-load and a relay. It passes everything on, except for the one kind of fault that it plants. It
counts its faults, so that a test can compare them with roost-load's report. It runs on its caller's event loop and has
its own code for frames.
"""

import asyncio
import contextlib
import json

from frames import read_frame, text_frame


class Connection:
    """One client and its connection to the relay."""

    def __init__(self, number, writer):
        self.number = number
        self.writer = writer
        # The user of this connection, from `welcome`.
        self.user = None
        self.is_open = True

    def send(self, payload):
        """Sends a text message to the client."""
        if self.is_open:
            self.writer.write(text_frame(payload))


class Proxy:
    """Listens on a free port of 127.0.0.1. `fault` sees every event of the relay before the client does."""

    def __init__(self, port, fault):
        self.relay_port = port
        self.fault = fault
        self.port = None
        self.connections = []
        # Members by conversation, as the relay names them in its events.
        self.members = {}
        self.flowing = asyncio.Event()
        self.flowing.set()
        self.tasks = set()
        # The longest time by which its event loop was late, in seconds. Frames that it passes on late aren't the
        # relay's fault.
        self.late = 0.0

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        self.beside = asyncio.create_task(self.fault.beside(self))
        self.tasks.add(asyncio.create_task(self.watch_itself()))
        return self

    async def __aexit__(self, *_):
        self.server.close()
        for task in {self.beside, *self.tasks}:
            task.cancel()
        await asyncio.gather(self.beside, *self.tasks, return_exceptions=True)
        # Otherwise a mistake in the fault itself would look like one of the relay.
        if not self.beside.cancelled() and self.beside.exception():
            raise self.beside.exception()

    async def watch_itself(self):
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + 0.05
            await asyncio.sleep(0.05)
            self.late = max(self.late, loop.time() - due)

    @property
    def url(self):
        return f"ws://127.0.0.1:{self.port}/v1/socket"

    async def serve(self, reader, writer):
        task = asyncio.current_task()
        self.tasks.add(task)
        connection = Connection(len(self.connections), writer)
        self.connections.append(connection)
        try:
            relay_reader, relay_writer = await asyncio.open_connection("127.0.0.1", self.relay_port)
            up = asyncio.create_task(self.to_relay(connection, reader, relay_writer))
            down = asyncio.create_task(self.to_client(connection, relay_reader, writer))
            # When one side ends, the other is cut at once, so that a cut looks like a cut.
            await asyncio.wait({up, down}, return_when=asyncio.FIRST_COMPLETED)
            for half in (up, down):
                half.cancel()
            outcomes = await asyncio.gather(up, down, return_exceptions=True)
            self.end(relay_writer)
            for outcome in outcomes:
                if isinstance(outcome, Exception):
                    raise outcome
        finally:
            connection.is_open = False
            self.fault.ended(connection)
            self.end(writer)
            self.tasks.discard(task)

    @staticmethod
    def end(writer):
        with contextlib.suppress(ConnectionError):
            writer.close()

    async def to_relay(self, connection, reader, writer):
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            writer.write(await reader.readuntil(b"\r\n\r\n"))
            while frame := await read_frame(reader):
                await self.flowing.wait()
                if frame.is_text:
                    self.fault.said(connection, json.loads(frame.payload))
                writer.write(frame.bytes)
                await writer.drain()

    async def to_client(self, connection, reader, writer):
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            writer.write(head)
            if not head.startswith(b"HTTP/1.1 101"):
                # A plain request, such as for /metrics.
                writer.write(await reader.read())
                return await writer.drain()
            while frame := await read_frame(reader):
                await self.flowing.wait()
                if frame.is_text:
                    event = json.loads(frame.payload)
                    self.learn(connection, event)
                    self.fault.took(connection, event, frame.payload)
                else:
                    writer.write(frame.bytes)
                await writer.drain()

    def learn(self, connection, event):
        if event["type"] == "welcome":
            connection.user = event["user"]
        conversation = event.get("conversation")
        if isinstance(conversation, dict):
            self.members[conversation["conversation"]] = set(conversation["members"])
        elif event["type"] == "conversation" and "members" in event:
            self.members[conversation] = set(event["members"])
