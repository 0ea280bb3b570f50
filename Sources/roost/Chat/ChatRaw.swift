import Foundation
import RoostChat
import RoostClient
import RoostWire
import Synchronization

/// The protocol by hand: prints every received frame and sends every line that begins with `{`, both unchanged. It says
/// hello and bye by itself, and doesn't reconnect.
struct ChatRaw {
    // Most frames that wait to be printed, since a terminal is slow.
    private static let framesMax = 10_000
    private static let goodbyeWait = Duration.seconds(10)

    private let relay: ChatRelay

    init(_ relay: ChatRelay) { self.relay = relay }

    func run() async throws {
        let hello = try await hello()
        let (events, incoming) = AsyncStream.makeStream(
            of: SocketEvent.self, bufferingPolicy: .bufferingOldest(Self.framesMax))
        let socket: any ClientSocket
        do throws(SocketFailure) {
            socket = try relay.connector.connect(to: relay.url) { event in
                // A full stream is ended, so that the loop below notices the loss.
                if case .dropped = incoming.yield(event) { incoming.finish() }
            }
        } catch {
            throw ChatFailure(error.reason)
        }
        let unanswered = Unanswered()
        var isWelcome = false
        for await event in events {
            switch event {
            case .opened: _ = socket.send(hello)
            case .text(let text):
                Terminal.write(TerminalText.escaped(json: String(decoding: text, as: UTF8.self)) + "\n")
                unanswered.received(text)
                guard !isWelcome, Self.isWelcome(text) else { continue }
                isWelcome = true
                Task { await Self.sendInput(to: socket, unanswered) }
            case .closed(let code, let reason):
                RoostCommand.write(TerminalText.printable("closed: \(code) \(reason)"), to: .standardError)
                guard code == CloseCode.normal.rawValue else { throw ChatFailure("closed with \(code): \(reason)") }
                return
            case .failed(let reason, _): throw ChatFailure("can't connect to \(relay.url): \(reason)")
            }
        }
        throw ChatFailure("frames arrived faster than they could be printed")
    }

    private func hello() async throws -> [UInt8] {
        let writer = JSONWriter()
        writer.begin("hello")
        writer.member("id", 0)
        writer.member("token", try await relay.token())
        writer.member("device", relay.device)
        writer.end()
        return Array(writer.written)
    }

    /// The ids of the commands that were sent and not answered yet, as they were written.
    private final class Unanswered: Sendable {
        private let ids = Mutex(Set<[UInt8]>())

        var isEmpty: Bool { ids.withLock { $0.isEmpty } }

        func sent(_ line: String) {
            guard let id = Self.member("id", of: Array(line.utf8)) else { return }
            ids.withLock { _ = $0.insert(id) }
        }

        func received(_ text: [UInt8]) {
            guard let id = Self.member("re", of: text) else { return }
            ids.withLock { _ = $0.remove(id) }
        }

        private static func member(_ name: String, of text: [UInt8]) -> [UInt8]? {
            text.withUnsafeBytes { JSONValue(parsing: $0)?[name].map { Array($0.raw) } }
        }
    }

    private static func isWelcome(_ text: [UInt8]) -> Bool {
        text.withUnsafeBytes { JSONValue(parsing: $0) }?["type"]?.string == "welcome"
    }

    // The relay answers `bye` by closing the connection. We wait some time for that.
    private static func sendInput(to socket: any ClientSocket, _ unanswered: Unanswered) async {
        func send(_ line: String) async {
            unanswered.sent(line)
            await Self.send(line, to: socket)
        }
        var splitter = LineSplitter(bytesMax: Limits().frameBytes * 2)
        for await bytes in Terminal.input {
            for line in splitter.feed(bytes) { await send(line) }
        }
        if let rest = splitter.finish() { await send(rest) }
        // Input from a pipe ends at once, and the answers are still to come.
        let deadline = ContinuousClock.now + goodbyeWait
        while !unanswered.isEmpty, ContinuousClock.now < deadline { try? await Task.sleep(for: .milliseconds(10)) }
        _ = socket.send(Array("{\"type\":\"bye\"}".utf8))
        try? await Task.sleep(for: goodbyeWait)
        socket.close(code: CloseCode.normal.rawValue, reason: "")
    }

    private static func send(_ line: String, to socket: any ClientSocket) async {
        guard !line.isEmpty else { return }
        guard line.hasPrefix("{") else {
            return RoostCommand.write("roost: not sent: a command must begin with {", to: .standardError)
        }
        // The socket's queue may be full for some time.
        for _ in 0..<100 {
            if socket.send(Array(line.utf8)) { return }
            try? await Task.sleep(for: .milliseconds(100))
        }
        RoostCommand.write("roost: not sent: the relay doesn't read", to: .standardError)
    }
}
