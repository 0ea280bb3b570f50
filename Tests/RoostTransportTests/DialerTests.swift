import Foundation
import RoostFraming
import RoostWire
import Synchronization
import Testing

@testable import RoostTransport

@Suite struct DialerTests {
    /// A dialer's events. A test waits for them.
    final class Diary: Sendable {
        private let condition = NSCondition()
        private let events = Mutex<[DialerEvent]>([])

        func add(_ event: DialerEvent) {
            condition.lock()
            events.withLock { $0.append(event) }
            condition.broadcast()
            condition.unlock()
        }

        var all: [DialerEvent] { events.withLock { $0 } }

        func wait(until isThere: ([DialerEvent]) -> Bool) -> Bool {
            let limit = Date(timeIntervalSinceNow: 10)
            condition.lock()
            defer { condition.unlock() }
            while !isThere(all) {
                guard condition.wait(until: limit) else { return false }
            }
            return true
        }

        func wait(for event: DialerEvent) -> Bool { wait { $0.contains(event) } }

        func waitForFailure() -> (reason: String, status: Int?)? {
            _ = wait { $0.contains { if case .failed = $0 { true } else { false } } }
            for case .failed(let reason, let status) in all { return (reason, status) }
            return nil
        }
    }

    let server: TestServer
    let diary = Diary()

    init() throws { server = try TestServer() }

    private func dial(_ settings: DialerSettings = DialerSettings(), path: String = "/v1/socket") throws -> Dialer {
        let diary = diary
        let dialer = try Dialer("ws://127.0.0.1:\(server.port)\(path)", settings: settings) { diary.add($0) }
        dialer.connect()
        return dialer
    }

    @Test(arguments: [0, 1, 200, 5_000, 131_072])
    func sendsAndReceivesEverySize(_ size: Int) throws {
        let dialer = try dial()
        #expect(diary.wait(for: .opened))
        let text = [UInt8](repeating: 0x71, count: size)
        #expect(dialer.send(text: text))
        #expect(diary.wait(for: .text(text)))
        dialer.close()
        #expect(diary.wait(for: .closed(code: 1000, reason: "")))
        #expect(server.journal.wait(for: .closed(1, .peer)))
    }

    @Test func keepsABurstInOrder() throws {
        let dialer = try dial()
        #expect(diary.wait(for: .opened))
        for number in 0..<1_000 { #expect(dialer.send(text: Array("\(number)".utf8))) }
        dialer.close(code: 4_321, reason: "done")
        #expect(server.journal.wait(for: .closed(1, .peer)))
        #expect(diary.wait(for: .closed(code: 4_321, reason: "done")))
        let received = server.journal.all.compactMap { if case .received(let text) = $0 { text } else { nil } }
        let isInOrder = received == (0..<1_000).map(String.init)
        #expect(isInOrder)
        #expect(received.count == 1_000)
    }

    @Test func reportsWhyTheServerClosed() throws {
        let dialer = try dial()
        #expect(diary.wait(for: .opened))
        #expect(server.journal.wait(for: .opened(1)))
        server.post { $0.sessions[1]?.connection.close(.takenOver) }
        #expect(diary.wait(for: .closed(code: 4501, reason: "another connection of this device took over")))
        #expect(!dialer.send(text: [0x61]))
    }

    @Test func answersPings() throws {
        let dialer = try dial()
        #expect(server.journal.wait(for: .opened(1)))
        server.post { $0.sessions[1]?.outbox.push(FrameBuilder.ping()) }
        #expect(server.journal.wait(for: .heard))
        withExtendedLifetime(dialer) {}
    }

    @Test func reportsTheStatusOfARefusal() throws {
        let dialer = try dial(path: "/elsewhere")
        #expect(diary.waitForFailure()?.status == 404)
        #expect(!dialer.send(text: [0x61]))
    }

    @Test func failsWhenNobodyListens() throws {
        #expect(server.onLoop { $0.loop?.stopAccepting() } != nil)
        let dialer = try dial()
        #expect(diary.waitForFailure() != nil)
        // A dialer may be used again after its end.
        dialer.connect()
        #expect(diary.wait { $0.count == 2 })
    }

    @Test func givesUpWhenClosedWhileConnecting() throws {
        // A listener that accepts nothing beyond the kernel's handshake.
        var settings = TransportSettings()
        settings.connectionsMax = 1
        let silent = try ListeningSocket(settings)
        let diary = diary
        let dialer = try Dialer("ws://127.0.0.1:\(silent.port)/v1/socket") { diary.add($0) }
        dialer.connect()
        dialer.close()
        #expect(diary.waitForFailure() != nil)
        #expect(silent.port > 0)
    }

    @Test func sendsItsHeaders() throws {
        var settings = DialerSettings()
        settings.headers = [("Origin", "https://example.org"), ("User-Agent", "tester"), ("Authorization", "Bearer x")]
        let dialer = try dial(settings)
        #expect(
            server.journal.wait(
                for: .admit(origin: "https://example.org", authorization: "Bearer x", userAgent: "tester")
            )
        )
        withExtendedLifetime(dialer) {}
    }

    @Test func refusesMessagesBeyondItsQueue() throws {
        var settings = DialerSettings()
        settings.queuedBytesMax = 10
        let diary = diary
        let dialer = try Dialer("ws://127.0.0.1:\(server.port)/v1/socket", settings: settings) { diary.add($0) }
        #expect(!dialer.send(text: [0x61]))
        dialer.connect()
        #expect(diary.wait(for: .opened))
        #expect(!dialer.send(text: [UInt8](repeating: 0x61, count: 11)))
        #expect(dialer.send(text: [UInt8](repeating: 0x61, count: 10)))
    }

    @Test func closesOnTooLongAMessage() throws {
        var settings = DialerSettings()
        settings.messageBytesMax = 5_000
        let dialer = try dial(settings)
        #expect(server.journal.wait(for: .opened(1)))
        server.post { $0.push(String(repeating: "x", count: 5_001), to: 1) }
        #expect(diary.wait(for: .closed(code: 1009, reason: "message too long")))
        withExtendedLifetime(dialer) {}
    }

    @Test(arguments: [
        "http://h/", "ws://", "ws://:80/", "ws://h:0/", "ws://h:99999/", "ws://u@h/", "ws://h/#f", "ws://::1/",
        "ws://[::1", "ws://[h]/",
        "ws://[::1]x/", "ws://[::1]:0/", "ws://h]/",
        "ws://h/\r\nX: y", "h",
    ])
    func refusesBadURLs(_ url: String) {
        #expect(throws: DialerFailure.badURL(url)) { _ = try Dialer(url) { _ in } }
    }

    @Test func readsURLs() {
        #expect(DialerAddress("ws://h")?.path == "/")
        #expect(DialerAddress("ws://h")?.port == 80)
        #expect(DialerAddress("ws://[::1]:8080/p")?.host == "::1")
        #expect(DialerAddress("ws://[::1]:8080/p")?.port == 8_080)
        #expect(DialerAddress("wss://[2001:db8::2]")?.authorityHost == "[2001:db8::2]")
        #expect(DialerAddress("WSS://h/p?q=1")?.port == 443)
        #expect(DialerAddress("wss://h:8443?q=1")?.path == "/?q=1")
    }
}
