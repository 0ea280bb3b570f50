import RoostWire

/// Sends commands and gets their replies, matched by id. Each waits only a limited time, and only on the present
/// connection. It knows nothing about particular commands. Confined to the client.
final class Requests {
    // A command that waits for its reply.
    private struct Outstanding {
        var issued: Duration
        var complete: (Result<JSONMembers, RoostFailure>) -> Void
    }

    /// Whether there is a session, so that commands other than `hello` may be sent.
    private(set) var isReady = false
    /// The number of callers that wait for a reply.
    var waiting = 0
    private let limits: ClientLimits
    private let elapsed: () -> Duration
    private let alarms: Alarms
    private let writer = JSONWriter()
    private var socket: (any ClientSocket)?
    private var bytesMax = Limits().frameBytes
    private var lastID: Int64 = 0
    private var outstanding: [Int64: Outstanding] = [:]

    init(limits: ClientLimits, alarms: Alarms, elapsed: @escaping () -> Duration) {
        self.limits = limits
        self.alarms = alarms
        self.elapsed = elapsed
    }

    // MARK: Connection

    func open(_ socket: any ClientSocket) { self.socket = socket }

    /// There is a session. It accepts commands of up to `bytesMax` bytes.
    func becomeReady(bytesMax: Int) {
        isReady = true
        self.bytesMax = bytesMax
    }

    /// No more commands may be sent.
    func close() {
        isReady = false
        socket = nil
    }

    /// Fails everyone who waits for a reply, because none will come.
    func failAll() {
        let lost = outstanding
        outstanding = [:]
        for command in lost.values { command.complete(.failure(.connectionLost)) }
    }

    // MARK: Commands

    /// Writes one command and hands it to the socket. Returns why that wasn't possible.
    func transmit(_ type: CommandType, id: Int64? = nil, _ members: (JSONWriter) -> Void = { _ in }) -> RoostFailure? {
        guard let socket else { return .notConnected }
        writer.begin(type.word)
        if let id { writer.member("id", id) }
        members(writer)
        writer.end()
        // If a client sends more, the server ends its session for good.
        guard writer.written.count <= bytesMax else { return .tooLarge(bytes: writer.written.count, atMost: bytesMax) }
        return socket.send(Array(writer.written)) ? nil : .notConnected
    }

    /// Sends a command. `then` gets its reply, or the failure, exactly once, unless this method returns a failure
    /// itself.
    @discardableResult
    func issue(
        _ type: CommandType, _ members: (JSONWriter) -> Void = { _ in },
        then: @escaping (Result<JSONMembers, RoostFailure>) -> Void = { _ in }
    ) -> RoostFailure? {
        lastID += 1
        let id = lastID
        if let failure = transmit(type, id: id, members) { return failure }
        outstanding[id] = Outstanding(issued: elapsed(), complete: then)
        if !alarms.isSet(.replies) { alarms.set(.replies, after: limits.replyTimeout) }
        return nil
    }

    // MARK: Replies

    /// Removes and returns the caller that waits for the reply to this command.
    func take(_ id: Int64) -> ((Result<JSONMembers, RoostFailure>) -> Void)? {
        outstanding.removeValue(forKey: id)?.complete
    }

    /// Gives up on commands that have waited too long. Returns true if nothing was heard since the oldest of them was
    /// sent: the network is gone, whatever the socket says.
    func giveUp(heardAt: Duration) -> Bool {
        let now = elapsed()
        let late = outstanding.filter { now - $0.value.issued >= limits.replyTimeout }
        for id in late.keys { outstanding[id] = nil }
        for command in late.sorted(by: { $0.key < $1.key }) { command.value.complete(.failure(.timedOut)) }
        if let oldest = late.values.map(\.issued).min(), heardAt < oldest, socket != nil { return true }
        if let next = outstanding.values.map(\.issued).min() {
            alarms.set(.replies, after: next + limits.replyTimeout - now)
        }
        return false
    }
}
