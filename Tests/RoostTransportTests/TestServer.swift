import Foundation
import RoostFraming
import RoostTransport
import RoostWire
import Synchronization

/// A handler that records what happens, echoes text, and runs a test's code on the loop thread.
final class Script: TransportHandler {
    typealias Letter = @Sendable (Script) -> Void

    enum Event: Equatable {
        case admit(origin: String?, authorization: String?, userAgent: String?)
        case opened(UInt64)
        case received(String)
        case heard
        case writable(UInt64)
        case closed(UInt64, ConnectionEnd)
        case timer(Int64)
        case note(String)
    }

    final class Session {
        let connection: Connection
        var outbox = Outbox()
        init(_ connection: Connection) { self.connection = connection }
    }

    let journal: Journal
    var loop: EventLoop<Script>?
    var sessions: [UInt64: Session] = [:]
    var refusal: HTTPResponse?
    var isEchoing = true
    /// The server's knowledge of its clients.
    var standing = Standing.guest
    var isBusy = true
    /// The number of turns that have ended, and the turn of each message, request and end.
    var turn = 0
    var turnsOfMessages: [Int] = []
    var turnsOfRequests: [Int] = []
    var turnsOfEnds: [Int] = []
    private let builder = FrameBuilder()

    init(journal: Journal) { self.journal = journal }

    func admit(_ request: UpgradeRequest) -> HTTPResponse? {
        journal.add(
            .admit(origin: request.origin, authorization: request.authorization, userAgent: request.userAgent)
        )
        return refusal
    }

    func opened(_ connection: Connection) {
        let session = Session(connection)
        connection.attachment = session
        connection.standing = standing
        sessions[connection.id] = session
        journal.add(.opened(connection.id))
    }

    func received(_ message: UnsafeRawBufferPointer, on connection: Connection) {
        let text = String(decoding: message, as: UTF8.self)
        turnsOfMessages.append(turn)
        journal.add(.received(text))
        if isEchoing { push(text, to: connection.id) }
    }

    func heard(from connection: Connection) { journal.add(.heard) }

    func writable(_ connection: Connection) {
        journal.add(.writable(connection.id))
    }

    func closed(_ connection: Connection, by end: ConnectionEnd) {
        sessions[connection.id] = nil
        turnsOfEnds.append(turn)
        journal.add(.closed(connection.id, end))
    }

    func respond(to request: HTTPRequest) -> HTTPResponse {
        turnsOfRequests.append(turn)
        switch request.path {
        case "/echo":
            let parts = [
                request.method, request.path, request.query, request.authorization ?? "-",
                "\(request.clientAddress)",
            ]
            return HTTPResponse(status: 200, contentType: "text/plain", body: Array(parts.joined(separator: " ").utf8))
        case "/health": return HTTPResponse(status: 200)
        case "/big": return HTTPResponse(status: 200, body: [UInt8](repeating: 0x78, count: 3_000_000))
        default: return .refusal(404, code: "not_found", reason: "no such path")
        }
    }

    func delivered(_ letters: [Letter]) {
        for letter in letters { letter(self) }
    }

    func timer() { journal.add(.timer(loop?.monotonicMilliseconds ?? 0)) }

    func turnEnded() {
        turn += 1
        for session in sessions.values where !session.outbox.isEmpty { _ = session.connection.write(&session.outbox) }
    }

    func push(_ text: String, to id: UInt64) {
        sessions[id]?.outbox.push(Script.frame(text))
    }

    /// Gives the loop something to do in every turn.
    func keepBusy() {
        if isBusy { loop?.mailbox.post { $0.keepBusy() } }
    }

    static func frame(_ text: String) -> Frame {
        let payload = Array(text.utf8)
        var bytes: [UInt8] = [0x81]
        if payload.count < 126 {
            bytes.append(UInt8(payload.count))
        } else if payload.count < 65_536 {
            bytes += [126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        } else {
            bytes.append(127)
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(payload.count >> shift & 255)) }
        }
        let header = bytes.count
        bytes += payload
        return bytes.withUnsafeBytes { Frame.make(framed: $0, headerCount: header) }
    }
}

/// Events in order. A test waits for them on another thread.
final class Journal: Sendable {
    private let condition = NSCondition()
    private let events = Mutex<[Script.Event]>([])

    func add(_ event: Script.Event) {
        condition.lock()
        events.withLock { $0.append(event) }
        condition.broadcast()
        condition.unlock()
    }

    var all: [Script.Event] { events.withLock { $0 } }

    /// Returns when `isThere` holds for what has happened; false after ten seconds.
    func wait(until isThere: ([Script.Event]) -> Bool) -> Bool {
        let limit = Date(timeIntervalSinceNow: 10)
        condition.lock()
        defer { condition.unlock() }
        while !isThere(all) {
            guard condition.wait(until: limit) else { return false }
        }
        return true
    }

    func wait(for event: Script.Event) -> Bool { wait { $0.contains(event) } }
}

/// A server on its own thread, for one test.
final class TestServer: Sendable {
    let journal = Journal()
    let port: UInt16
    private let mailbox: Mailbox<Script.Letter>

    init(_ change: (inout TransportSettings) -> Void = { _ in }) throws {
        var settings = TransportSettings()
        settings.requestsPerSecond = 1_000_000
        settings.controlFramesBurst = 10_000
        change(&settings)
        let script = Script(journal: journal)
        let loop = try EventLoop(settings, handler: script)
        script.loop = loop
        port = loop.port
        mailbox = loop.mailbox
        let box = Unchecked(loop)
        Thread.detachNewThread { box.value.run() }
    }

    deinit {
        mailbox.post { script in
            script.loop?.stopAccepting()
            script.loop?.stop()
            script.loop = nil
        }
    }

    func post(_ work: @escaping Script.Letter) { mailbox.post(work) }

    /// Runs `work` on the loop thread and waits for what it returns.
    func onLoop<Value: Sendable>(_ work: @escaping @Sendable (Script) -> Value) -> Value? {
        let slot = Slot<Value>()
        let done = DispatchSemaphore(value: 0)
        mailbox.post { script in
            slot.value = work(script)
            done.signal()
        }
        guard done.wait(timeout: .now() + 10) == .success else { return nil }
        return slot.value
    }
}

/// One value, written on the loop thread before the semaphore and read after it.
private final class Slot<Value>: @unchecked Sendable {
    var value: Value?
}

/// Hands a value that isn't Sendable to the only thread that uses it from then on.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
