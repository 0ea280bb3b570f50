public import RoostWire

/// An operator's session with a relay: it asks, closes sessions, and receives the relay's statistics. It has one
/// connection and doesn't reconnect by itself, because a person or a script waits for the answer.
public actor OperatorClient {
    /// Longest time for a connection with its `welcome`, and for an answer.
    public static let patience = Duration.seconds(10)
    /// Most messages, and bytes, that wait to be read. More means that the application doesn't read.
    static let messagesMax = 1_000
    static let bytesMax = 16_777_216

    /// A frame of the relay that was valid JSON.
    public struct Reply: Sendable {
        /// The frame: JSON in UTF-8.
        public let text: [UInt8]

        /// Its members.
        public var members: JSONMembers { text.withUnsafeBytes { JSONMembers(parsing: $0) } ?? JSONMembers() }
    }

    private enum Phase {
        case connecting
        case ready
        case ended(RoostFailure)
    }

    private let socket: any ClientSocket
    private let inbox = Inbox(eventsMax: messagesMax, bytesMax: bytesMax)
    private let token: String
    private let writer = JSONWriter()
    private var phase = Phase.connecting
    private var waiting: [Int64: CheckedContinuation<Result<Reply, RoostFailure>, Never>] = [:]
    private var lastID: Int64 = 0
    private let report: AsyncStream<Reply>.Continuation
    /// The relay's samples after `statistics`. Ends with the connection.
    public nonisolated let samples: AsyncStream<Reply>

    /// Opens a connection by `connector`. `connect` follows.
    /// - Throws: `ended` if the URL can't be used.
    public init(
        url: String, token: String, connector: any SocketConnector
    ) throws(RoostFailure) {
        (samples, report) = AsyncStream.makeStream(of: Reply.self, bufferingPolicy: .bufferingNewest(1))
        self.token = token
        do throws(SocketFailure) {
            socket = try connector.connect(to: url) { [inbox] in inbox.post($0) }
        } catch {
            throw .ended(Ending(code: nil, reason: error.reason, isWanted: false))
        }
    }

    /// Says hello, and waits for the welcome.
    /// - Throws: why there is no session.
    public func connect() async throws(RoostFailure) -> OperatorWelcome {
        Task { [inbox, weak self] in
            while true {
                let events = await inbox.take()
                guard !events.isEmpty, let self else { return }
                for event in events { await self.receive(event) }
            }
        }
        // The first answer that is waited for is that to `hello`, which `opened` sends.
        let reply = try await reply(to: 0)
        guard let welcome = OperatorWelcome(reading: reply.members) else { throw .unexpectedReply }
        phase = .ready
        return welcome
    }

    /// Says goodbye.
    public func close() {
        _ = socket.send(Array(#"{"type":"bye"}"#.utf8))
        socket.close(code: CloseCode.normal.rawValue, reason: "")
        end(.ended(Ending(code: CloseCode.normal.rawValue, reason: "left", isWanted: true)))
    }

    // MARK: Commands

    /// Sends a command and waits for its answer.
    /// - Parameter members: writes the members besides `type` and `id`.
    public func ask(
        _ type: CommandType, _ members: (JSONWriter) -> Void = { _ in }
    ) async throws(RoostFailure) -> Reply {
        guard case .ready = phase else { throw failure }
        lastID += 1
        try send(type, id: lastID, members)
        return try await reply(to: lastID)
    }

    private func send(
        _ type: CommandType, id: Int64, _ members: (JSONWriter) -> Void
    ) throws(RoostFailure) {
        writer.begin(type.word)
        writer.member("id", id)
        members(writer)
        writer.end()
        guard socket.send(Array(writer.written)) else { throw .notConnected }
    }

    private func reply(to id: Int64) async throws(RoostFailure) -> Reply {
        let timer = Task { [weak self] in
            try await Task.sleep(for: OperatorClient.patience)
            await self?.finish(id, .failure(.timedOut))
        }
        defer { timer.cancel() }
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Reply, RoostFailure>, Never>) in
            if case .ended(let failure) = phase { return continuation.resume(returning: .failure(failure)) }
            waiting[id] = continuation
        }
        return try result.get()
    }

    private var failure: RoostFailure {
        if case .ended(let failure) = phase { failure } else { .notConnected }
    }

    // MARK: Incoming frames

    private func receive(_ event: SocketEvent) {
        switch event {
        case .opened:
            do throws(RoostFailure) {
                try send(.hello, id: 0) { [token] hello in
                    hello.member("token", token)
                    hello.member("operator", true)
                }
            } catch {
                end(error)
            }
        case .text(let text): receive(text)
        case .closed(let code, let reason):
            end(.ended(Ending(code: code, reason: reason.isEmpty ? "connection lost" : reason, isWanted: false)))
        case .failed(let reason, _): end(.ended(Ending(code: nil, reason: reason, isWanted: false)))
        }
    }

    private func receive(_ text: [UInt8]) {
        guard let members = text.withUnsafeBytes({ JSONMembers(parsing: $0) }), let type = members.type else { return }
        let reply = Reply(text: text)
        guard type.isReply, let id = members.integer("re") else {
            if type == .statistics { report.yield(reply) }
            return
        }
        finish(id, type == .error ? .failure(.refused(CommandRefusal(reading: members))) : .success(reply))
    }

    private func finish(_ id: Int64, _ result: Result<Reply, RoostFailure>) {
        waiting.removeValue(forKey: id)?.resume(returning: result)
    }

    private func end(_ failure: RoostFailure) {
        if case .ended = phase { return }
        phase = .ended(failure)
        let lost = waiting
        waiting = [:]
        for continuation in lost.values { continuation.resume(returning: .failure(failure)) }
        report.finish()
        inbox.finish()
    }
}
