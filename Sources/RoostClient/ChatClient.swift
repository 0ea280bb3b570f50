public import RoostWire

/// A session with a Roost relay that keeps itself up. It connects, says hello, reconnects after every loss with random,
/// growing waits, renews its token, sends waiting messages again until they are acked, and reports every event once.
///
/// All state belongs to the actor. It has no thread of its own, reads no clock and creates no random numbers: both are
/// passed in. It stores nothing on disk; events that a device has not acked are kept by the relay.
public actor ChatClient {
    /// The relay's address.
    public nonisolated let url: String
    /// The name of this device.
    public nonisolated let device: String
    let session: ClientSession
    private let limits: ClientLimits

    /// Creates a client for one device of one user. Nothing happens before `connect`.
    ///
    /// - Parameters:
    ///   - url: `ws://` or `wss://`, with the path `/v1/socket`.
    ///   - device: the name of this device: 1–64 bytes of printable ASCII. Two clients with the same user and device
    ///     close each other, so the name must differ between installations and stay the same from one start to the
    ///     next.
    ///   - user: the user of this client; nil for the user of the first session. A session with another user's token
    ///     ends before anything is sent (`Ending.isOfAnotherUser`).
    ///   - isBackground: true for a background fetch, which doesn't make the user online.
    ///   - heartbeat: how often the server pings, and how long this client may take to answer. The server takes it
    ///     into its limits (`ServerLimits.ping`, `.pong`); nil for the server's own.
    ///   - limits: every limit.
    ///   - connector: creates the sockets: `LibwebsocketsConnector` on Linux, `URLSessionConnector` on Apple's systems.
    ///   - clock: measures waiting times.
    ///   - generator: draws keys and random waits. Keys must never repeat: pass another generator only in tests.
    ///   - resume: returns the position that the application has stored (Docs/Protocol.md, section 6), for every
    ///     connection; nil to go on where the relay believes that this device is.
    ///   - token: returns a valid token, for every connection and before the old one expires. When it throws, the
    ///     client tries again later.
    public init(
        url: String,
        device: String,
        user: String? = nil,
        isBackground: Bool = false,
        heartbeat: (ping: Duration, pong: Duration)? = nil,
        limits: ClientLimits = ClientLimits(),
        connector: any SocketConnector,
        clock: some Clock<Duration> = ContinuousClock(),
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        resume: @escaping @Sendable () async -> String? = { nil },
        token: @escaping @Sendable () async throws -> String
    ) {
        self.url = url
        self.device = device
        self.limits = limits
        let start = clock.now
        session = ClientSession(
            ClientSession.Settings(
                url: url, device: device, user: user, isBackground: isBackground, heartbeat: heartbeat, limits: limits,
                connector: connector,
                elapsed: { start.duration(to: clock.now) }, token: token, resume: resume),
            sleep: { try await clock.sleep(for: $0) }, generator: generator)
    }

    // MARK: Session

    /// Keeps a session up from now on, until `disconnect` or until the server refuses for good. Returns at once;
    /// `events` reports what happens. A repeated call does nothing.
    public func connect() { session.connect(for: self) }

    /// There may be a network again, or the application is in use again: if the client waits to reconnect, it tries at
    /// once; if it is connected, it finds out soon whether the connection is still there.
    public func wake() { session.wake() }

    /// Says `bye`, which makes the user offline at once if this was the user's last device, and ends the session for
    /// good. Messages that are not sent yet are dropped; if that matters, wait for the calls of `send` first.
    public func disconnect() async {
        guard session.disconnect() else { return }
        await withCheckedContinuation { session.leave($0) }
    }

    /// The events, for one reader. A second reader at the same time gets nothing. An event counts as processed, and is
    /// acked, when the next one is asked for. If a reader stops at an event, it comes again on the next connection. The
    /// stream ends when the session has ended for good.
    public nonisolated var events: AsyncStream<RoostEvent> {
        AsyncStream { await self.nextEvent() }
    }

    /// Returns the next event when there is one. Returns nil once the session has ended for good and every event was
    /// taken, or if another reader is waiting, or if the task is cancelled.
    public func nextEvent() async -> RoostEvent? {
        if let event = session.feed.next() { return event }
        guard !session.feed.takesNoReader, !Task.isCancelled else { return nil }
        let number = session.feed.nextReader()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { session.feed.wait($0) }
        } onCancel: {
            Task { await self.perform { $0.feed.dismissReader(number) } }
        }
    }

    /// Returns the next events, in order, as soon as there is one: at most `most`. They count as processed, and are
    /// acked, when the next ones are asked for. Empty where `nextEvent` returns nil.
    public func nextEvents(atMost most: Int) async -> [RoostEvent] {
        let events = session.feed.next(atMost: most)
        if !events.isEmpty { return events }
        return await nextEvent().map { [$0] } ?? []
    }

    /// Runs tasks that return to the client.
    func perform(_ body: @Sendable (ClientSession) -> Void) { body(session) }

    // MARK: Sending

    /// Sends a text to a conversation, or to a user as `@name`. Returns when the message is durable; waits through any
    /// number of reconnects. Several calls for one destination keep their order.
    ///
    /// With a `key` of your own, it is safe to call again after a restart: the server stores each key only once.
    /// - Parameters:
    ///   - mentions: members of the group mentioned in the text, at most 32; `@all` for all of them.
    ///   - isReading: whether the user has read what came before. An answer from a notification leaves it unread.
    public func send(
        _ text: String, to: String, replyTo: SequenceNumber? = nil, mentions: [String] = [], isReading: Bool = true,
        key: String? = nil
    ) async throws(RoostFailure) -> StoredMessage {
        let body = JSONWriter().json(text)
        return try await enqueue(
            OutgoingMessage(
                to: to, key: key ?? session.newKey(), body: body, replyTo: replyTo, mentions: mentions,
                isReading: isReading))
    }

    /// Sends a message of another kind with any JSON value, otherwise like a text.
    public func send(
        _ kind: String, json: [UInt8], to: String, replyTo: SequenceNumber? = nil, isReading: Bool = true,
        key: String? = nil
    ) async throws(RoostFailure) -> StoredMessage {
        guard JSONValue.isValid(json) else { throw .invalid("the body isn't JSON") }
        return try await enqueue(
            OutgoingMessage(
                to: to, key: key ?? session.newKey(), kind: kind, body: json, replyTo: replyTo, isReading: isReading))
    }

    private func enqueue(_ message: OutgoingMessage) async throws(RoostFailure) -> StoredMessage {
        if let ending = session.ending { throw .ended(ending) }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation {
                (continuation: CheckedContinuation<Result<StoredMessage, RoostFailure>, Never>) in
                guard !Task.isCancelled else { return continuation.resume(returning: .failure(.cancelled)) }
                let failure = session.outgoing.add(message) { continuation.resume(returning: $0) }
                if let failure { continuation.resume(returning: .failure(failure)) }
            }
        } onCancel: {
            Task { await self.perform { $0.outgoing.finish(message.key, .failure(.cancelled)) } }
        }
        return try result.get()
    }

    // MARK: Requests

    /// Sends a command, waits for its reply, and converts it with `read`.
    func request<Reply: Sendable>(
        _ type: CommandType, _ members: (JSONWriter) -> Void, _ read: @escaping (JSONMembers) -> Reply?
    ) async throws(RoostFailure) -> Reply {
        if let ending = session.ending { throw .ended(ending) }
        let requests = session.requests
        guard requests.isReady else { throw .notConnected }
        guard requests.waiting < limits.commandsMax else { throw .tooManyCommands }
        requests.waiting += 1
        defer { requests.waiting -= 1 }
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Reply, RoostFailure>, Never>) in
            let failure = requests.issue(type, members) { reply in
                continuation.resume(
                    returning: reply.flatMap { members in
                        read(members).map { .success($0) } ?? .failure(.unexpectedReply)
                    })
            }
            if let failure { continuation.resume(returning: .failure(failure)) }
        }
        return try result.get()
    }

    /// Sends a command for another module of this package.
    package func ask<Reply: Sendable>(
        _ type: CommandType, _ members: @Sendable (JSONWriter) -> Void,
        _ read: @escaping @Sendable (JSONMembers) -> Reply?
    ) async throws(RoostFailure) -> Reply {
        try await request(type, members, read)
    }

    /// Sends a command of which only the success matters.
    func request(_ type: CommandType, _ members: (JSONWriter) -> Void) async throws(RoostFailure) {
        _ = try await request(type, members) { _ in true }
    }
}
