import Glibc
import RoostFraming
import RoostTransport

/// A WebSocket server that sends every message back, on the relay's transport: conformance suites are pointed at it
/// (`make echo PORT=9001`). Any subprotocol is accepted; its path is `/`.
@main
enum Echo {
    static func main() {
        guard CommandLine.arguments.count == 2, let port = UInt16(CommandLine.arguments[1]) else {
            print("usage: roost-echo PORT")
            exit(64)
        }
        var settings = TransportSettings()
        settings.port = port
        settings.path = "/"
        settings.subprotocol = nil
        settings.takesBinary = true
        // Suites send messages of 16 MiB, and split messages of 4 MiB into pieces of 64 bytes.
        settings.frameBytesMax = 16 * 1_048_576
        settings.fragmentsMax = 131_072
        settings.connectionsPerAddressMax = settings.connectionsMax
        do {
            let loop = try EventLoop(settings, handler: Echoes())
            print("roost-echo listens on ws://\(settings.host):\(loop.port)/")
            fflush(nil)
            loop.run()
        } catch {
            print("roost-echo: \(error)")
            exit(1)
        }
    }
}

/// Sends every message back in the turn in which it came.
private final class Echoes: TransportHandler {
    typealias Letter = Never

    private final class Session {
        let connection: Connection
        var outbox = Outbox()

        init(_ connection: Connection) { self.connection = connection }
    }

    // Those that have something to send.
    private var waiting: [Session] = []

    func admit(_ request: UpgradeRequest) -> HTTPResponse? { nil }

    func opened(_ connection: Connection) {
        connection.attachment = Session(connection)
        connection.standing = .guest
    }

    func received(_ message: UnsafeRawBufferPointer, on connection: Connection) {
        echo(message, opcode: 1, on: connection)
    }

    func receivedBinary(_ message: UnsafeRawBufferPointer, on connection: Connection) {
        echo(message, opcode: 2, on: connection)
    }

    func heard(from connection: Connection) {}

    func writable(_ connection: Connection) {
        guard let session = connection.attachment as? Session else { return }
        _ = connection.write(&session.outbox)
    }

    func closed(_ connection: Connection, by end: ConnectionEnd) {}

    func respond(to request: HTTPRequest) -> HTTPResponse {
        .refusal(404, code: "not_found", reason: "there is only a WebSocket here")
    }

    func timer() {}

    func delivered(_ letters: [Never]) {}

    func turnEnded() {
        for session in waiting { _ = session.connection.write(&session.outbox) }
        waiting.removeAll(keepingCapacity: true)
    }

    private func echo(_ message: UnsafeRawBufferPointer, opcode: UInt8, on connection: Connection) {
        guard let session = connection.attachment as? Session else { return }
        if session.outbox.isEmpty { waiting.append(session) }
        session.outbox.push(Echoes.frame(message, opcode: opcode))
    }

    // RFC 6455, section 5.2: unmasked, in one frame.
    private static func frame(_ payload: UnsafeRawBufferPointer, opcode: UInt8) -> Frame {
        var bytes: [UInt8] = [0x80 | opcode]
        switch payload.count {
        case ..<126: bytes.append(UInt8(payload.count))
        case ..<65_536: bytes += [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            bytes.append(127)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: payload.count >> shift))
            }
        }
        let header = bytes.count
        bytes += payload
        return bytes.withUnsafeBytes { Frame.make(framed: $0, headerCount: header) }
    }
}
