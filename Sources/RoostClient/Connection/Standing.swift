import RoostWire

/// State that the server forgets with a connection or hasn't received yet, and that is sent again on the next
/// connection: whether the device is in use, which users are watched, how far the user has read. Confined to the
/// client.
final class Standing {
    // How far the user has read a conversation, kept until the server has accepted it.
    private struct ReadMark {
        var sequence: SequenceNumber
        var isUnderWay = false
    }

    private let limits: ClientLimits
    private let requests: Requests
    private var activity: PresenceActivity?
    private var watchCalls: [[String]] = []
    private var counted: [String] = []
    private var reads: [String: ReadMark] = [:]

    init(limits: ClientLimits, requests: Requests) {
        self.limits = limits
        self.requests = requests
    }

    /// Sends all of it to a server that has just said `welcome`. `tell` gets the presence of watched users.
    func tellAgain(_ tell: @escaping (RoostEvent) -> Void) {
        if let activity { requests.issue(.presence, { $0.member("state", word: activity.word) }) }
        for users in watchCalls { watchAgain(users, tell) }
        // One by one, because the user may have left some meanwhile.
        for conversation in counted { countAgain(conversation, tell) }
        for conversation in reads.keys { sendRead(conversation) }
    }

    // MARK: Activity

    func note(_ activity: PresenceActivity) { self.activity = activity }

    // MARK: Watching

    /// Why no more users can be watched; nil if these can.
    func refusal(toWatch users: [String]) -> RoostFailure? {
        let count = watchCalls.reduce(users.count) { $0 + $1.count }
        let fits = count <= limits.watchedMax && watchCalls.count < limits.watchCallsMax
        guard fits || watchCalls.contains(users) else {
            return .invalid("at most \(limits.watchedMax) users, in \(limits.watchCallsMax) calls")
        }
        return nil
    }

    func watched(_ users: [String]) {
        if !watchCalls.contains(users) { watchCalls.append(users) }
    }

    func unwatched(_ users: [String]) {
        let gone = Set(users)
        watchCalls = watchCalls.map { $0.filter { !gone.contains($0) } }.filter { !$0.isEmpty }
    }

    private func watchAgain(_ users: [String], _ tell: @escaping (RoostEvent) -> Void) {
        requests.issue(.watch, { $0.list("users", users) }) { reply in
            switch reply {
            case .success(let members): tell(.presence(UserPresence.list(reading: members)))
            case .failure(.refused): self.watchCalls.removeAll { $0 == users }
            case .failure: break
            }
        }
    }

    /// Why no more conversations can be watched; nil if these can.
    func refusal(toCount conversations: [String]) -> RoostFailure? {
        guard Set(counted).union(conversations).count <= limits.countsMax else {
            return .invalid("at most \(limits.countsMax) conversations")
        }
        return nil
    }

    func counted(_ conversations: [String]) {
        for one in conversations where !counted.contains(one) { counted.append(one) }
    }

    func uncounted(_ conversations: [String]) { counted.removeAll { conversations.contains($0) } }

    private func countAgain(_ conversation: String, _ tell: @escaping (RoostEvent) -> Void) {
        requests.issue(.watch, { $0.list("conversations", [conversation]) }) { reply in
            switch reply {
            case .success(let members): tell(.onlineCounts(OnlineCount.list(reading: members)))
            case .failure(.refused): self.uncounted([conversation])
            case .failure: break
            }
        }
    }

    // MARK: Reading

    func read(_ conversation: String, upTo sequence: SequenceNumber) {
        guard reads[conversation]?.sequence ?? .none < sequence else { return }
        guard reads[conversation] != nil || reads.count < limits.readsMax else { return }
        reads[conversation, default: ReadMark(sequence: sequence)].sequence = sequence
        if requests.isReady { sendRead(conversation) }
    }

    /// The server has another log, whose sequences name other messages.
    func forgetReads() { reads = [:] }

    // One report at a time for each conversation. Later read marks are sent together.
    private func sendRead(_ conversation: String) {
        guard let mark = reads[conversation], !mark.isUnderWay else { return }
        let failure = requests.issue(.read) { command in
            command.member("conversation", conversation)
            command.member("sequence", mark.sequence.value)
        } then: { reply in
            self.answered(conversation, mark.sequence, reply)
        }
        if failure == nil { reads[conversation]?.isUnderWay = true }
    }

    private func answered(
        _ conversation: String, _ sequence: SequenceNumber, _ reply: Result<JSONMembers, RoostFailure>
    ) {
        reads[conversation]?.isUnderWay = false
        switch reply {
        case .success, .failure(.refused):
            guard let mark = reads[conversation], mark.sequence > sequence else { return reads[conversation] = nil }
            if requests.isReady { sendRead(conversation) }
        case .failure: break
        }
    }
}
