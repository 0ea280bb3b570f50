"""HTTP by hand, with exact bytes in both directions. A library would hide what is tested here."""

import socket

from .waiting import PATIENCE

# The sample nonce of RFC 6455, section 1.3, and its answer.
NONCE = "dGhlIHNhbXBsZSBub25jZQ=="
ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="


class Response:
    """A response: status line, headers (with names in lower case) and body."""

    def __init__(self, head, body):
        lines = head.decode("latin-1").split("\r\n")
        self.status_line = lines[0]
        self.status = int(lines[0].split(" ")[1])
        self.headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            self.headers[name.lower()] = value.strip()
        self.body = body.decode()


class RawConnection:
    """One socket. It is closed at the end of a `with`."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def write(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else data.encode())

    def request(self, line="GET /v1/socket HTTP/1.1", **headers):
        """A request with `Host`. In names `_` stands for `-`; None leaves a header out."""
        headers = {"Host": "relay.example.org", **{name.replace("_", "-"): text for name, text in headers.items()}}
        lines = [f"{name}: {text}" for name, text in headers.items() if text is not None]
        self.write("\r\n".join([line, *lines, "", ""]))

    def upgrade(self, line="GET /v1/socket HTTP/1.1", **changes):
        """A valid handshake with these changes."""
        self.request(line, **{
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Version": "13",
            "Sec_WebSocket_Key": NONCE, "Sec_WebSocket_Protocol": "roost.v1", **changes})

    def response(self):
        """Reads the next response exactly to its end."""
        while b"\r\n\r\n" not in self.buffer:
            self.fill()
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        length = int(Response(head, b"").headers.get("content-length", 0))
        while len(self.buffer) < length:
            self.fill()
        body, self.buffer = self.buffer[:length], self.buffer[length:]
        return Response(head, body)

    def fill(self):
        piece = self.socket.recv(65536)
        assert piece, f"the connection ended after {self.buffer!r}"
        self.buffer += piece

    def first_byte(self):
        """Reads the next byte. Returns None if the connection has ended."""
        try:
            piece = self.buffer or self.socket.recv(1)
        except ConnectionResetError:
            piece = b""
        return piece[0] if piece else None

    def rest(self):
        """Reads everything up to the end of the connection."""
        while True:
            try:
                piece = self.socket.recv(65536)
            except ConnectionResetError:
                piece = b""
            if not piece:
                everything, self.buffer = self.buffer, b""
                return everything
            self.buffer += piece

    def is_at_end(self):
        return self.rest() == b""


def frame(opcode, payload, is_last=True):
    """A frame as a client sends it (RFC 6455, section 5.2), with a mask of zeros."""
    head = bytes([opcode | (0x80 if is_last else 0)])
    if len(payload) < 126:
        head += bytes([0x80 | len(payload)])
    elif len(payload) < 65536:
        head += b"\xfe" + len(payload).to_bytes(2, "big")
    else:
        head += b"\xff" + len(payload).to_bytes(8, "big")
    return head + b"\0\0\0\0" + payload
