import Foundation
import RoostFraming
import RoostTransport
import RoostWire
import Synchronization

/// A server on a thread of its own, for one test. It sends every text back, and closes with 4001 on `close`.
final class ContractServer: Sendable {
    let port: UInt16
    private let received = Tally()
    private let mailbox: Mailbox<Echo.Letter>

    init() throws {
        let echo = Echo(received)
        let loop = try EventLoop(TransportSettings(), handler: echo)
        echo.loop = loop
        port = loop.port
        mailbox = loop.mailbox
        let box = Handed(loop)
        Thread.detachNewThread { box.value.run() }
    }

    deinit {
        mailbox.post { echo in
            echo.loop?.stopAccepting()
            echo.loop?.stop()
            echo.loop = nil
        }
    }

    /// Number of texts that have come.
    var texts: Int { received.count.load(ordering: .relaxed) }

    var url: String { "ws://127.0.0.1:\(port)/v1/socket" }
}

/// Hands a value that isn't Sendable to the only thread that uses it from then on.
private struct Handed<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

/// Counts on the loop's thread, read on the test's.
private final class Tally: Sendable {
    let count = Atomic(0)
}

private final class Echo: TransportHandler {
    typealias Letter = @Sendable (Echo) -> Void

    final class Session {
        let connection: Connection
        var outbox = Outbox()
        init(_ connection: Connection) { self.connection = connection }
    }

    var loop: EventLoop<Echo>?
    private let tally: Tally
    private var sessions: [UInt64: Session] = [:]

    init(_ tally: Tally) { self.tally = tally }

    func admit(_ request: UpgradeRequest) -> HTTPResponse? { nil }

    func opened(_ connection: Connection) {
        let session = Session(connection)
        connection.attachment = session
        connection.standing = .guest
        sessions[connection.id] = session
    }

    func received(_ message: UnsafeRawBufferPointer, on connection: Connection) {
        tally.count.add(1, ordering: .relaxed)
        if String(decoding: message, as: UTF8.self) == "close" { return connection.close(.tooSlow) }
        sessions[connection.id]?.outbox.push(Self.frame(message))
    }

    func heard(from connection: Connection) {}

    func writable(_ connection: Connection) {
        guard let session = sessions[connection.id] else { return }
        _ = connection.write(&session.outbox)
    }

    func closed(_ connection: Connection, by end: ConnectionEnd) { sessions[connection.id] = nil }

    func respond(to request: HTTPRequest) -> HTTPResponse {
        .refusal(404, code: "not_found", reason: "there is only a WebSocket here")
    }

    func delivered(_ letters: [Letter]) { for letter in letters { letter(self) } }

    func timer() {}

    func turnEnded() {
        for session in sessions.values where !session.outbox.isEmpty { _ = session.connection.write(&session.outbox) }
    }

    // RFC 6455, section 5.2: unmasked, in one frame.
    private static func frame(_ payload: UnsafeRawBufferPointer) -> Frame {
        var bytes: [UInt8] = [0x81]
        switch payload.count {
        case ..<126: bytes.append(UInt8(payload.count))
        case ..<65_536: bytes += [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default: bytes += [127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> ($0 * 8)) }
        }
        let header = bytes.count
        bytes += payload
        return bytes.withUnsafeBytes { Frame.make(framed: $0, headerCount: header) }
    }
}
