public import RoostClient
import RoostCore
import RoostLock
import RoostTestKit
public import RoostWire

/// A relay in memory, for the tests of an app: the real one's rules, without a server, a port or a wait. Clients of one
/// `TestRelay` talk to each other. Time stands still until `advance`.
///
/// A token is the name of its user: `relay.token(for: "alice")`.
public final class TestRelay: Sendable {
    // The relay belongs to one caller at a time, and sockets receive events in the order in which they happened.
    private let state: Locked<State>

    fileprivate struct State {
        var harness: RelayHarness
        var lines: [Line] = []
        var isReachable = true
        var lostAnswers: [String] = []
        var refusals: [(type: String, code: String)] = []
        var written = 0
        // A number is used once: an app may write to a socket that it doesn't know yet to have ended.
        var opened = 0
    }

    // A socket's way to its connection.
    fileprivate final class Line {
        let onEvent: @Sendable (SocketEvent) -> Void
        let number: Int
        var client: HarnessClient?
        var user = ""
        var isOver = false
        // The reply with this id is lost, and the connection with it.
        var loses: String?

        init(_ number: Int, _ onEvent: @escaping @Sendable (SocketEvent) -> Void) {
            self.number = number
            self.onEvent = onEvent
        }

        func end(_ code: UInt16, _ reason: String) {
            guard !isOver else { return }
            isOver = true
            onEvent(.closed(code: code, reason: reason))
        }
    }

    /// A relay without users or messages.
    /// - Parameter takesRequests: its gate is closed, and strangers' first messages wait (Docs/Protocol.md, section 5).
    public init(limits: Limits = Limits(), takesRequests: Bool = false) {
        var rules = PolicyRules()
        if takesRequests {
            rules.gate = GateRules(.on)
            rules.gate.countsSharedGroups = false
            rules.gate.takesRequests = true
        }
        state = Locked(State(harness: RelayHarness(limits: limits, rules: rules)))
    }

    /// The connector to pass to `ChatClient`.
    public var connector: any SocketConnector { Connector(relay: self) }

    /// A token that the relay accepts.
    public func token(for user: String) -> String { user }

    // MARK: Time

    /// Lets time pass for the relay: typing ends, grace ends.
    public func advance(_ time: Duration) {
        change { $0.harness.advance(Int64(time / .milliseconds(1))) }
    }

    // MARK: Trouble

    /// Cuts the connections of a user, or all of them.
    public func cut(_ user: String? = nil) {
        change { state in
            for line in state.lines where user == nil || line.user == user { state.cut(line) }
        }
    }

    /// Whether new connections succeed. Those that there are stay; `cut` ends them.
    public func setReachable(_ isReachable: Bool) { change { $0.isReachable = isReachable } }

    /// The next command of this type is carried out, and the connection is cut in place of its reply.
    public func loseNextAnswer(to type: String) { change { $0.lostAnswers.append(type) } }

    /// The next command of this type is refused with this code, in place of being carried out.
    public func refuseNext(_ type: String, _ code: ErrorCode) {
        change { $0.refusals.append((type, "\(code.word)")) }
    }

    /// Closes all connections with a code, as an operator or a full relay does.
    public func close(_ code: UInt16, _ reason: String = "") {
        change { state in
            for line in state.lines where !line.isOver {
                line.client?.drop()
                line.end(code, reason)
            }
        }
    }

    /// The relay's process dies, and another one starts with what was stored. All that was acked is there.
    public func crash() {
        change { state in
            state.harness.crash()
            for line in state.lines { line.end(1_006, "") }
        }
    }

    /// The bodies that the relay has stored for a conversation, in order, deleted ones as nil.
    public func bodies(of conversation: String, seenBy user: String) -> [String?] {
        state.withLock { state in
            let client = state.harness.connect(user, "inspector", background: true)
            defer { client.drop(.bye) }
            var bodies: [String?] = []
            var after: Int64 = 0
            while true {
                let reply = client.ask(
                    #"{"type":"history","id":9,"conversation":"\#(conversation)","after":\#(after),"limit":100}"#)
                for message in reply?["messages"]?.elements ?? [] {
                    bodies.append(message["body"]?.string)
                    after = message["sequence"]?.integer ?? after
                }
                guard reply?["more"]?.bool == true else { return bodies }
            }
        }
    }

    /// Writes texts as a user without an app, to a conversation or as `@name`. Returns once all are stored.
    public func write(_ texts: [String], from user: String, to destination: String) {
        change { state in
            let client = state.harness.connect(user, "writer", background: true)
            defer { client.drop(.bye) }
            for text in texts {
                state.written += 1
                let writer = JSONWriter()
                writer.begin("send")
                writer.member("id", 9)
                writer.member("to", destination)
                writer.member("key", "writer-\(state.written)")
                writer.member("body", text)
                writer.end()
                _ = client.ask(String(decoding: writer.written, as: UTF8.self))
            }
        }
    }

    // MARK: Sockets

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            state.deliver()
        }
    }

    fileprivate func open(_ onEvent: @escaping @Sendable (SocketEvent) -> Void) -> Int {
        state.withLock { state in
            state.opened += 1
            let line = Line(state.opened, onEvent)
            guard state.isReachable else {
                line.isOver = true
                onEvent(.failed(reason: "the relay can't be reached"))
                return line.number
            }
            line.client = state.harness.open()
            state.lines.append(line)
            onEvent(.opened)
            state.deliver()
            return line.number
        }
    }

    fileprivate func send(_ text: [UInt8], from number: Int) -> Bool {
        state.withLock { state in
            guard let line = state.lines.first(where: { $0.number == number }), !line.isOver,
                let client = line.client, client.isOpen
            else { return false }
            let command = text.withUnsafeBytes { JSONValue(parsing: $0) }
            let type = command?["type"]?.string ?? ""
            let id = command?["id"].map { String(decoding: $0.raw, as: UTF8.self) }
            if type == "hello" { line.user = command?["token"]?.string ?? "" }
            if let index = state.refusals.firstIndex(where: { $0.type == type }), let id {
                let code = state.refusals.remove(at: index).code
                let isTemporary = ["busy", "rate_limited", "unavailable"].contains(code)
                line.onEvent(
                    .text(
                        Array(
                            #"{"type":"error","re":\#(id),"code":"\#(code)","reason":"test","retry":\#(isTemporary)}"#
                                .utf8)))
                return true
            }
            if let index = state.lostAnswers.firstIndex(of: type) {
                state.lostAnswers.remove(at: index)
                line.loses = id
            }
            client.send(String(decoding: text, as: UTF8.self))
            state.deliver()
            return true
        }
    }

    fileprivate func close(_ number: Int) {
        change { state in
            guard let line = state.lines.first(where: { $0.number == number }) else { return }
            line.client?.drop(.closed)
            line.end(1_000, "")
        }
    }
}

extension TestRelay.State {
    /// Longest batching time, in milliseconds, that passes at once, such as that of receipts. Longer waits need
    /// `advance`.
    private static let moment: Int64 = 1_000

    private mutating func passMoments() {
        // Something that is due again and again within a moment must not keep this going.
        for _ in 0..<16 {
            let wait = harness.relay.nextDeadline(at: harness.now) - harness.now.monotonic
            guard wait <= TestRelay.State.moment else { return }
            harness.advance(max(1, wait))
        }
    }

    /// Hands over what the relay has written, to all sockets.
    fileprivate mutating func deliver() {
        passMoments()
        for line in lines where !line.isOver {
            guard let client = line.client else { continue }
            for frame in client.take() {
                if let loses = line.loses, let re = frame["re"]?.raw, String(decoding: re, as: UTF8.self) == loses {
                    cut(line)
                    break
                }
                line.onEvent(.text(frame.raw))
            }
            if let code = client.closeCode { line.end(code.rawValue, "") }
        }
        lines.removeAll { $0.isOver }
    }

    fileprivate func cut(_ line: TestRelay.Line) {
        line.client?.drop()
        line.end(1_006, "")
    }
}

private struct Connector: SocketConnector {
    let relay: TestRelay

    func connect(
        to url: String, onEvent: @escaping @Sendable (SocketEvent) -> Void
    ) throws(SocketFailure) -> any ClientSocket {
        Wire(relay: relay, number: relay.open(onEvent))
    }
}

private struct Wire: ClientSocket {
    let relay: TestRelay
    let number: Int

    func send(_ text: [UInt8]) -> Bool { relay.send(text, from: number) }

    func close(code: UInt16, reason: String) { relay.close(number) }
}
