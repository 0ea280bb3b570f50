"""WebSocket frames (RFC 6455, section 5.2) as the relay sends them, whole and unmasked. Shares no code with either
side."""

import asyncio

TEXT = 1
FIN = 0x80
MASK = 0x80


class Frame:
    """One frame. `bytes` is all of it, `payload` its content."""

    def __init__(self, head, payload, mask=b""):
        self.is_text = head[0] == FIN | TEXT
        self.bytes = head + mask + payload
        self.payload = unmasked(payload, mask) if mask else payload


def unmasked(payload, mask):
    whole = (mask * (len(payload) // 4 + 1))[:len(payload)]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(whole, "big")).to_bytes(len(payload), "big")


async def read_frame(reader):
    """Reads the next frame. Returns None at the end of the stream."""
    try:
        head = await reader.readexactly(2)
        length, more = head[1] & ~MASK, {126: 2, 127: 8}
        if length in more:
            digits = await reader.readexactly(more[length])
            head, length = head + digits, int.from_bytes(digits, "big")
        mask = await reader.readexactly(4) if head[1] & MASK else b""
        return Frame(head, await reader.readexactly(length), mask)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def text_frame(payload):
    """A whole, unmasked text frame."""
    count = len(payload)
    if count < 126:
        return bytes([FIN | TEXT, count]) + payload
    if count < 65_536:
        return bytes([FIN | TEXT, 126]) + count.to_bytes(2, "big") + payload
    return bytes([FIN | TEXT, 127]) + count.to_bytes(8, "big") + payload
