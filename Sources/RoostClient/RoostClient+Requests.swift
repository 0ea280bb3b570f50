import RoostFraming
import RoostWire

/// Commands out, replies back: matched by id, bounded in number and in time.
extension RoostClient {
    /// Writes one command and hands it to the socket. Gives why that wasn't possible.
    func transmit(_ type: StaticString, id: Int64?, _ members: (FrameBuilder) -> Void) -> RoostFailure? {
        guard let socket else { return .notConnected }
        builder.begin(type)
        if let id { builder.member("id", id) }
        members(builder)
        let frame = builder.finish()
        let payload = withExtendedLifetime(frame) { Array(frame.payload) }
        let most = welcome?.limits.frameBytes ?? ServerLimits().frameBytes
        // The server ends a session for good that sends more.
        guard payload.count <= most else { return .tooLarge(bytes: payload.count, atMost: most) }
        return socket.send(payload) ? nil : .notConnected
    }

    /// Sends a command; `then` gets its reply, or why there is none, exactly once, unless this gives a failure itself.
    @discardableResult
    func issue(
        _ type: StaticString, _ members: (FrameBuilder) -> Void,
        then: @escaping (Result<JSONValue, RoostFailure>) -> Void
    ) -> RoostFailure? {
        lastID += 1
        let id = lastID
        if let failure = transmit(type, id: id, members) { return failure }
        outstanding[id] = Outstanding(issued: elapsed(), complete: then)
        if alarms[.replies] == nil { set(.replies, after: limits.replyTimeout) }
        return nil
    }

    /// Sends a command and waits for its reply, which `read` turns into what the caller wants.
    func request<Reply: Sendable>(
        _ type: StaticString, _ members: (FrameBuilder) -> Void, _ read: @escaping (EventMembers) -> Reply?
    ) async throws(RoostFailure) -> Reply {
        if case .ended(let ending) = phase { throw .ended(ending) }
        guard phase == .ready else { throw .notConnected }
        guard requests < limits.commandsMax else { throw .tooManyCommands }
        requests += 1
        defer { requests -= 1 }
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Reply, RoostFailure>, Never>) in
            let failure = issue(type, members) { reply in
                continuation.resume(
                    returning: reply.flatMap { value in
                        read(EventMembers(value)).map { .success($0) } ?? .failure(.unexpectedReply)
                    })
            }
            if let failure { continuation.resume(returning: .failure(failure)) }
        }
        return try result.get()
    }

    /// A command of which only the success matters.
    func request(_ type: StaticString, _ members: (FrameBuilder) -> Void) async throws(RoostFailure) {
        _ = try await request(type, members) { _ in true }
    }

    /// One message of the server: a reply or an event.
    func receive(_ text: UnsafeRawBufferPointer) {
        guard let value = JSONValue(parsing: text) else { return }
        let members = EventMembers(value)
        guard let type = members.string("type") else { return }
        switch type {
        case "ok", "pong", "welcome", "error":
            guard let id = members.integer("re"), let command = outstanding.removeValue(forKey: id) else { return }
            if type == "error" {
                command.complete(.failure(.refused(CommandRefusal(value))))
            } else {
                note(members)
                command.complete(.success(value))
            }
        default: receive(type, members)
        }
    }

    /// The clock says that the oldest command may have waited too long.
    func giveUpWaiting() {
        let now = elapsed()
        let late = outstanding.filter { now - $0.value.issued >= limits.replyTimeout }
        for id in late.keys { outstanding[id] = nil }
        for command in late.sorted(by: { $0.key < $1.key }) { command.value.complete(.failure(.timedOut)) }
        if let oldest = late.values.map(\.issued).min(), heardAt < oldest, socket != nil {
            // Not a word since: the network is gone, whatever the socket believes.
            return lose(code: nil, "the server doesn't answer")
        }
        if let next = outstanding.values.map(\.issued).min() {
            set(.replies, after: next + limits.replyTimeout - now)
        }
    }
}
