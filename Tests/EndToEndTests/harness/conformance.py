"""The cases that conformance suites try on a WebSocket server (RFC 6455): messages, pings, reserved bits, opcodes,
fragmentation, UTF-8, close frames and limits. Cases are numbered by their groups, so that a finding of a suite can be
looked up here; compression (groups 12 and 13) isn't offered."""

import dataclasses
import os

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def frame(opcode, payload=b"", last=True, reserved=0, mask=None):
    """A masked frame as a client sends it (RFC 6455, section 5.2)."""
    mask = os.urandom(4) if mask is None else mask
    size = len(payload)
    head = bytes([opcode | reserved << 4 | (0x80 if last else 0)])
    if size < 126:
        head += bytes([0x80 | size])
    elif size < 65_536:
        head += b"\xfe" + size.to_bytes(2, "big")
    else:
        head += b"\xff" + size.to_bytes(8, "big")
    repeated = int.from_bytes((mask * (size // 4 + 1))[:size], "big")
    return head + mask + (int.from_bytes(payload, "big") ^ repeated).to_bytes(size, "big")


def close(code=None, reason=b""):
    return frame(CLOSE, b"" if code is None else code.to_bytes(2, "big") + reason)


def chopped(data, size):
    """The same bytes in several writes."""
    return [data[at:at + size] for at in range(0, len(data), size)]


def fragments(opcode, payload, size):
    """A message in fragments of so many bytes."""
    pieces = chopped(payload, size) or [b""]
    return b"".join(
        frame(0 if number else opcode, piece, last=number == len(pieces) - 1) for number, piece in enumerate(pieces))


@dataclasses.dataclass
class Case:
    """The bytes to send, in these writes; the frames that must come, in this order; and the end of the connection: the
    client closes it at last (1000), the server fails it with another code, or the sent bytes have ended it (None).
    """

    name: str
    writes: list
    frames: list
    code: int | None = 1000

    def __str__(self):
        return self.name


cases = []


def case(name, sent, frames=(), code=1000):
    cases.append(Case(name, sent if isinstance(sent, list) else [sent], list(frames), code))


def messages():
    for group, opcode, unit in (("1.1", TEXT, b"*"), ("1.2", BINARY, b"\xfe")):
        for number, size in enumerate((0, 125, 126, 127, 128, 65_535, 65_536), 1):
            payload = unit * size
            case(f"{group}.{number}", frame(opcode, payload), [(opcode, payload)])
        case(f"{group}.8", chopped(frame(opcode, unit * 65_536), 997), [(opcode, unit * 65_536)])


def pings():
    for number, payload in enumerate((b"", b"Hello, world!", b"\0\xff\xfe\xfd\xfc\xfb\0\xff", b"\xfe" * 125), 1):
        case(f"2.{number}", frame(PING, payload), [(PONG, payload)])
    case("2.5", frame(PING, b"\xfe" * 126), code=1002)
    case("2.6", chopped(frame(PING, b"\xfe" * 125), 1), [(PONG, b"\xfe" * 125)])
    case("2.7", frame(PONG))
    case("2.8", frame(PONG, b"unsolicited"))
    case("2.9", frame(PONG, b"unsolicited") + frame(PING, b"ping"), [(PONG, b"ping")])
    many = [b"payload-%d" % number for number in range(10)]
    sent, answers = b"".join(frame(PING, payload) for payload in many), [(PONG, payload) for payload in many]
    case("2.10", sent, answers)
    case("2.11", chopped(sent, 1), answers)


def reserved():
    hello = (TEXT, b"Hello, world!")
    case("3.1", frame(TEXT, b"Hello, world!", reserved=1), code=1002)
    for number, bits in ((2, 2), (3, 3), (4, 4)):
        whole = frame(*hello) + frame(TEXT, b"Hello, world!", reserved=bits) + frame(PING)
        case(f"3.{number}", whole if number < 4 else chopped(whole, 1), [hello], 1002)
    case("3.5", frame(BINARY, b"\0\xff\xfe\xfd\xfc\xfb\0\xff", reserved=5), code=1002)
    case("3.6", frame(PING, b"Hello, world!", reserved=6), code=1002)
    case("3.7", frame(CLOSE, (1000).to_bytes(2, "big"), reserved=7), code=1002)


def opcodes():
    hello = (TEXT, b"Hello, world!")
    for group, numbers in (("4.1", range(3, 8)), ("4.2", range(11, 16))):
        for number, opcode in enumerate(numbers, 1):
            wrong = frame(opcode, b"" if number % 2 else b"reserved opcode payload")
            if number < 3:
                case(f"{group}.{number}", wrong, code=1002)
                continue
            whole = frame(*hello) + wrong + frame(PING)
            case(f"{group}.{number}", whole if number < 5 else chopped(whole, 1), [hello], 1002)


def fragmentation():
    pieces = [b"fragment1", b"fragment2", b"fragment3", b"fragment4", b"fragment5"]
    first, second = frame(TEXT, pieces[0], last=False), frame(0, pieces[1])
    both, ping, pong = (TEXT, pieces[0] + pieces[1]), frame(PING, b"ping payload"), (PONG, b"ping payload")
    case("5.1", frame(PING, pieces[0], last=False) + frame(0, pieces[1]), code=1002)
    case("5.2", frame(PONG, pieces[0], last=False) + frame(0, pieces[1]), code=1002)
    case("5.3", first + second, [both])
    case("5.4", [first, second], [both])
    case("5.5", chopped(first + second, 1), [both])
    case("5.6", first + ping + second, [pong, both])
    case("5.7", [first, ping, second], [pong, both])
    case("5.8", chopped(first + ping + second, 1), [pong, both])
    hello = (TEXT, b"Hello, world!")
    for number, last in ((9, True), (12, False)):
        stray = frame(0, b"non-continuation payload", last=last) + frame(*hello)
        case(f"5.{number}", stray, code=1002)
        case(f"5.{number + 1}", chopped(stray, 7), code=1002)
        case(f"5.{number + 2}", chopped(stray, 1), code=1002)
    case("5.15", first + second + frame(0, pieces[2], last=False) + frame(TEXT, pieces[3]), [both], 1002)
    for number, last in ((16, False), (17, True)):
        stray = frame(0, pieces[0], last=last) + frame(TEXT, pieces[1]) + frame(0, pieces[2])
        case(f"5.{number}", stray * 2, code=1002)
    case("5.18", first + frame(TEXT, pieces[1]), code=1002)
    parts = [first, frame(0, pieces[1], last=False), frame(PING, b"pongme 1!"), frame(0, pieces[2], last=False),
             frame(0, pieces[3], last=False), frame(PING, b"pongme 2!"), frame(0, pieces[4])]
    answers = [(PONG, b"pongme 1!"), (PONG, b"pongme 2!"), (TEXT, b"".join(pieces))]
    case("5.19", b"".join(parts), answers)
    case("5.20", parts, answers)


# Kuhn's stress test for decoders, and what suites add to it.
VALID = {
    "6.5": ["Hello-µ@ßöäüàá-UTF-8!!".encode()],
    "6.7": [b"\x00", b"\xc2\x80", b"\xe0\xa0\x80", b"\xf0\x90\x80\x80"],
    "6.9": [b"\x7f", b"\xdf\xbf", b"\xef\xbf\xbf", b"\xf4\x8f\xbf\xbf"],
    "6.11": [b"\xed\x9f\xbf", b"\xee\x80\x80", b"\xef\xbf\xbd", b"\xf4\x8f\xbf\xbf"],
    "6.22": [b"\xef\xbf\xbe", b"\xef\xbf\xbf", b"\xf0\x9f\xbf\xbe", b"\xf0\xaf\xbf\xbf", b"\xf3\xbf\xbf\xbe"],
    "6.23": ["κόσμε".encode(), "🐓🐓".encode(), "\ufeff".encode(), b"\xef\xbf\xb9", b"\xef\xbf\xbc"],
}
INVALID = {
    "6.6": ["κόσμε".encode()[:size] for size in (1, 3, 5, 7, 9)],
    "6.8": [b"\xf8\x88\x80\x80\x80", b"\xfc\x84\x80\x80\x80\x80"],
    "6.10": [b"\xf7\xbf\xbf\xbf", b"\xfb\xbf\xbf\xbf\xbf", b"\xfd\xbf\xbf\xbf\xbf\xbf"],
    "6.12": [b"\x80", b"\xbf"],
    "6.13": [bytes(range(0x80, 0xc0)), b"\x80\xbf\x80", b"a\x80b"],
    "6.14": [b"\xc3 \xc4 ", b"\xe0 \xe1 ", b"\xf0 \xf1 ", b"\xf8 ", b"\xfc "],
    "6.15": [b"\xc0", b"\xe0\x80", b"\xf0\x80\x80", b"\xdf", b"\xef\xbf", b"\xf7\xbf\xbf", b"\xe2\x82"],
    "6.16": [b"\xfe", b"\xff", b"\xfe\xfe\xff\xff"],
    "6.17": [b"\xc0\xaf", b"\xe0\x80\xaf", b"\xf0\x80\x80\xaf", b"\xf8\x80\x80\x80\xaf"],
    "6.18": [b"\xc1\xbf", b"\xe0\x9f\xbf", b"\xf0\x8f\xbf\xbf"],
    "6.19": [b"\xc0\x80", b"\xe0\x80\x80", b"\xf0\x80\x80\x80"],
    "6.20": [b"\xed\xa0\x80", b"\xed\xad\xbf", b"\xed\xae\x80", b"\xed\xaf\xbf", b"\xed\xb0\x80", b"\xed\xbf\xbf"],
    "6.21": [b"\xed\xa0\x80\xed\xb0\x80", b"\xed\xaf\xbf\xed\xbf\xbf", b"\xf4\x90\x80\x80"],
}


def texts():
    case("6.1.1", frame(TEXT), [(TEXT, b"")])
    case("6.1.2", fragments(TEXT, b"", 1), [(TEXT, b"")])
    case("6.1.3", frame(TEXT, last=False) + frame(0, b"middle frame payload", last=False) + frame(0),
         [(TEXT, b"middle frame payload")])
    good = "Hello-µ@ßöäüàá-UTF-8!!".encode()
    case("6.2.1", frame(TEXT, good), [(TEXT, good)])
    case("6.2.2", frame(TEXT, good[:7], last=False) + frame(0, good[7:]), [(TEXT, good)])
    case("6.2.3", fragments(TEXT, good, 1), [(TEXT, good)])
    case("6.2.4", fragments(TEXT, "κόσμε".encode(), 1), [(TEXT, "κόσμε".encode())])
    bad = "κόσμε".encode() + b"\xed\xa0\x80edited"
    case("6.3.1", frame(TEXT, bad), code=1007)
    case("6.3.2", fragments(TEXT, bad, 1), code=1007)
    # A server may decide at the end of a message. A strict one would in the middle.
    case("6.4.1", frame(TEXT, bad[:12], last=False) + frame(0, bad[12:16], last=False) + frame(0, bad[16:]), code=1007)
    case("6.4.3", chopped(frame(TEXT, bad), 9), code=1007)
    for group, texts in VALID.items():
        for number, text in enumerate(texts, 1):
            case(f"{group}.{number}", frame(TEXT, text), [(TEXT, text)])
            case(f"{group}.{number} in pieces", fragments(TEXT, text, 1), [(TEXT, text)])
    for group, texts in INVALID.items():
        for number, text in enumerate(texts, 1):
            case(f"{group}.{number}", frame(TEXT, text), code=1007)
            case(f"{group}.{number} in pieces", fragments(TEXT, text, 1), code=1007)


def closing():
    hello = (TEXT, b"Hello World!")
    end = (CLOSE, (1000).to_bytes(2, "big"))
    case("7.1.1", frame(*hello) + close(1000), [hello, end], None)
    case("7.1.2", close(1000) + close(1000), [end], None)
    case("7.1.3", close(1000) + frame(PING, b"ping"), [end], None)
    case("7.1.4", close(1000) + frame(*hello), [end], None)
    case("7.1.5", frame(TEXT, b"fragment1", last=False) + close(1000) + frame(0, b"fragment2"), [end], None)
    case("7.3.1", close(), [(CLOSE, b"")], None)
    case("7.3.2", frame(CLOSE, b"a"), code=1002)
    case("7.3.3", close(1000), [end], None)
    case("7.3.4", close(1000, b"Hello World!"), [end], None)
    case("7.3.5", close(1000, b"*" * 123), [end], None)
    case("7.3.6", frame(CLOSE, (1000).to_bytes(2, "big") + b"*" * 124), code=1002)
    case("7.5.1", close(1000, "κόσμε".encode() + b"\xed\xa0\x80edited"), code=1007)
    for number, code in enumerate(
            [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999], 1):
        case(f"7.7.{number}", close(code), [(CLOSE, code.to_bytes(2, "big"))], None)
    for number, code in enumerate([0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999], 1):
        case(f"7.9.{number}", close(code), code=1002)
    for number, code in enumerate([5000, 65_535], 1):
        case(f"7.13.{number}", close(code), code=1002)


def beyond_suites():
    """Cases that the suites don't have."""
    for number, data in enumerate((
            b"\x81\x02hi", b"\x89\x00", b"\x8a\x00", b"\x88\x02\x03\xe8", b"\x01\x00", b"\x81\x7e\x01\x00"), 1):
        case(f"unmasked {number}", data, code=1002)
    case("unmasked behind masked", frame(TEXT, b"good") + b"\x81\x02hi", [(TEXT, b"good")], 1002)
    case("wasteful length 1", b"\x81\xfe\0\x7d" + b"\0" * 4, code=1002)
    case("wasteful length 2", b"\x81\xff" + (65_535).to_bytes(8, "big") + b"\0" * 4, code=1002)
    case("negative length", b"\x81\xff\x80" + b"\0" * 11, code=1002)


# Of both kinds and in many sizes: only an echo server can be asked for these.
limits = []
MEBI = 1 << 20


def large():
    for group, opcode, unit in (("1", TEXT, b"*"), ("2", BINARY, b"\xfe")):
        for number, size in enumerate((65_536, 262_144, MEBI, 4 * MEBI, 8 * MEBI, 16 * MEBI), 1):
            limits.append(Case(f"9.{group}.{number}", [frame(opcode, unit * size)], [(opcode, unit * size)]))
    for group, opcode, unit in (("3", TEXT, b"*"), ("4", BINARY, b"\xfe")):
        for number, size in enumerate((64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, MEBI, 4 * MEBI), 1):
            sent = fragments(opcode, unit * 4 * MEBI, size)
            limits.append(Case(f"9.{group}.{number}", [sent], [(opcode, unit * 4 * MEBI)]))
    for group, opcode, unit in (("5", TEXT, b"*"), ("6", BINARY, b"\xfe")):
        for number, size in enumerate((64, 128, 256, 512, 1_024, 2_048), 1):
            sent = chopped(frame(opcode, unit * MEBI), size)
            limits.append(Case(f"9.{group}.{number}", sent, [(opcode, unit * MEBI)]))
    for group, opcode, unit in (("7", TEXT, b"*"), ("8", BINARY, b"\xfe")):
        for number, size in enumerate((0, 16, 64, 256, 1_024, 4_096), 1):
            limits.append(Case(
                f"9.{group}.{number}", [frame(opcode, unit * size) * 1_000], [(opcode, unit * size)] * 1_000))
    limits.append(Case("10.1.1", [fragments(TEXT, b"*" * 65_536, 1_300)], [(TEXT, b"*" * 65_536)]))


for group in (messages, pings, reserved, opcodes, fragmentation, texts, closing, beyond_suites, large):
    group()
