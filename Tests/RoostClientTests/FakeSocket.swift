import RoostLock
import RoostWire

@testable import RoostClient

/// A connector whose connections the test answers itself. A test awaits everything as an event, so no test sleeps.
final class FakeConnector: SocketConnector {
    private let connections = Handover<FakeSocket>()

    func connect(
        to url: String, onEvent: @escaping @Sendable (SocketEvent) -> Void
    ) throws(SocketFailure) -> any ClientSocket {
        guard url.hasPrefix("ws://") else { throw SocketFailure("not a URL") }
        let socket = FakeSocket(onEvent)
        connections.give(socket)
        return socket
    }

    /// The next connection that the client begins.
    func next() async -> FakeSocket { await connections.take() }

    var isIdle: Bool { connections.isEmpty }
}

final class FakeSocket: ClientSocket {
    struct Sent: Sendable {
        let text: String

        var json: JSONValue? { JSONValue(parsing: text) }
        var type: String { json?["type"]?.string ?? "" }
        var id: Int64? { json?["id"]?.integer }

        subscript(name: String) -> String { json?[name]?.string ?? "" }
    }

    private let sent = Handover<Sent>()
    private let onEvent: @Sendable (SocketEvent) -> Void
    private let closes = Locked<[UInt16]>([])
    private let closing = Handover<UInt16>()
    private let isFull = Locked(false)

    init(_ onEvent: @escaping @Sendable (SocketEvent) -> Void) { self.onEvent = onEvent }

    func send(_ text: [UInt8]) -> Bool {
        guard !isFull.withLock({ $0 }) else { return false }
        sent.give(Sent(text: String(decoding: text, as: UTF8.self)))
        return true
    }

    func close(code: UInt16, reason: String) {
        closes.withLock { $0.append(code) }
        closing.give(code)
    }

    /// Returns once the client has closed it.
    func closed() async { _ = await closing.take() }

    var closeCodes: [UInt16] { closes.withLock { $0 } }

    // MARK: The test's side

    func open() { onEvent(.opened) }

    func deliver(_ json: String) { onEvent(.text(Array(json.utf8))) }

    func close(_ code: UInt16, _ reason: String = "") { onEvent(.closed(code: code, reason: reason)) }

    func fail(_ reason: String, isRefused: Bool = false) { onEvent(.failed(reason: reason, isRefused: isRefused)) }

    func fill(_ full: Bool) { isFull.withLock { $0 = full } }

    /// The next command that the client sends.
    func next() async -> Sent { await sent.take() }

    /// Whether the test has seen everything that the client sent.
    var isQuiet: Bool { sent.isEmpty }

    /// Answers a command.
    func ok(_ command: Sent, _ members: String = "") {
        deliver("{\"type\":\"ok\",\"re\":\(command.id ?? -1)\(members.isEmpty ? "" : "," + members)}")
    }

    func refuse(
        _ command: Sent, _ code: String, retry: Bool = false, after: Int? = nil, in conversation: String? = nil
    ) {
        let place = conversation.map { ",\"conversation\":\"\($0)\"" } ?? ""
        let wait = (after.map { ",\"retryAfter\":\($0)" } ?? "") + place
        deliver(
            """
            {"type":"error","re":\(command.id ?? -1),"code":"\(code)","reason":"because","retry":\(retry)\(wait)}
            """)
    }

    /// Opens the connection, takes `hello` and answers with `welcome`.
    @discardableResult
    func welcome(_ members: String = "") async -> Sent {
        open()
        let hello = await next()
        deliver(
            """
            {"type":"welcome","re":\(hello.id ?? -1),"user":"alice","device":"phone","position":"7","head":"7",
            "epoch":"one","durability":"full","time":1000000,"server":"roost 1",
            "limits":{"frameBytes":4096,"typingSeconds":3}
            \(members.isEmpty ? "" : "," + members)}
            """)
        return hello
    }
}

/// A queue: one side adds values, the other awaits them in order.
final class Handover<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var waiting: [CheckedContinuation<Element, Never>] = []
    }

    private let state = Locked(State())

    var isEmpty: Bool { state.withLock { $0.elements.isEmpty } }

    func give(_ element: Element) {
        let waiting = state.withLock { state -> CheckedContinuation<Element, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.elements.append(element)
            return nil
        }
        waiting?.resume(returning: element)
    }

    func take() async -> Element {
        await withCheckedContinuation { continuation in
            let element = state.withLock { state -> Element? in
                guard state.elements.isEmpty else { return state.elements.removeFirst() }
                state.waiting.append(continuation)
                return nil
            }
            if let element { continuation.resume(returning: element) }
        }
    }
}
