"""The network between one person and the relay. It can be cut, for that person alone."""

import asyncio
import contextlib


class Cable:
    """Passes connections on to a relay, by a port of its own."""

    def __init__(self, relay):
        self.relay = relay
        self.port = 0
        self.server = None
        self.ends = set()
        self.passing = set()

    async def __aenter__(self):
        await self.mend()
        return self

    async def __aexit__(self, *_):
        await self.cut()
        await asyncio.gather(*self.passing)

    async def mend(self):
        self.server = await asyncio.start_server(self.connected, "127.0.0.1", self.port)
        self.port = self.server.sockets[0].getsockname()[1]

    async def cut(self):
        """Breaks every connection, and refuses new ones."""
        self.server.close()
        for end in list(self.ends):
            end.transport.abort()

    async def connected(self, reader, writer):
        self.passing.add(asyncio.current_task())
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.relay.port)
            ends = {writer, far_writer}
            self.ends |= ends
            await asyncio.gather(self.copy(reader, far_writer), self.copy(far_reader, writer))
            self.ends -= ends
        except OSError:
            writer.transport.abort()
        finally:
            self.passing.discard(asyncio.current_task())

    async def copy(self, reader, writer):
        with contextlib.suppress(OSError):
            while piece := await reader.read(65_536):
                writer.write(piece)
                await writer.drain()
        writer.close()
