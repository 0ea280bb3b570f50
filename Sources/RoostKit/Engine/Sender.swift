import RoostClient
import RoostStore
import RoostWire

/// Decides what of the outbox goes to the relay when, and what an answer means. It sends nothing itself. Confined to
/// the engine.
final class Sender {
    /// The outcome of sending an item.
    enum Outcome: Sendable {
        case done(at: Timestamp, StoredMessage?, version: Int64? = nil)
        case refused(CommandRefusal)
        case failed(RoostFailure)
    }

    /// Whether there is a session.
    var isReady = false
    /// Whether the relay, or the policy, asks to wait.
    var isPaused = false
    private let store: LocalStore
    private var generator: any RandomNumberGenerator & Sendable
    private var tries = 0

    init(_ store: LocalStore, generator: any RandomNumberGenerator & Sendable) {
        self.store = store
        self.generator = generator
    }

    /// A session has begun, and with it every reason to wait has gone.
    func begin() {
        isReady = true
        isPaused = false
    }

    /// The next item whose turn it is; it counts as under way.
    func next() -> OutboxItem? {
        guard isReady, !isPaused else { return nil }
        return store.outbox.takeNext()
    }

    /// The pause before the next message to a group, if an answer asks for one.
    func rest(_ item: OutboxItem, _ outcome: Outcome) -> Duration? {
        guard case .refused(let refusal) = outcome, refusal.isTemporary, refusal.conversation != nil else { return nil }
        store.outbox.rest(item.id)
        return (refusal.retryAfter ?? .zero) + .milliseconds(Int.random(in: 0...250, using: &generator))
    }

    /// Applies an answer. Returns the changed conversation, and the wait before the next item.
    func answered(_ item: OutboxItem, _ outcome: Outcome) throws -> (conversation: String?, wait: Duration?) {
        switch outcome {
        case .done(let time, let stored, let version):
            tries = 0
            return (try store.accepted(item.id, at: time, as: stored, version: version), nil)
        case .refused(let refusal) where item.action.isDone(by: refusal):
            return (try store.accepted(item.id, at: .never), nil)
        case .refused(let refusal):
            let wait = try store.outbox.refused(item.id, OutboxItem.Failure(refusal))
            guard FailureScope(ErrorCode(refusal), of: item) == .passing else { return (nil, nil) }
            return (nil, pause(wait ?? refusal.retryAfter))
        case .failed(.tooLarge(let bytes, let most)):
            let failure = OutboxItem.Failure(.tooLarge, "\(bytes) bytes, and the relay takes \(most)")
            return (nil, try store.outbox.refused(item.id, failure))
        case .failed(let failure):
            try store.outbox.refused(item.id, nil)
            // A lost connection begins anew by itself; anything else may come again at once.
            if failure == .connectionLost || failure == .notConnected { return (nil, nil) }
            return (nil, pause(nil))
        }
    }

    // At least as long as was asked for, and a random and growing time on top, so that many don't come at once.
    private func pause(_ asked: Duration?) -> Duration {
        isPaused = true
        tries = min(tries + 1, 6)
        let range = 250 << tries
        return (asked ?? .zero) + .milliseconds(Int.random(in: 0...range, using: &generator))
    }
}

extension OutboxItem.Action {
    /// Whether a refusal says that what is wanted holds already.
    fileprivate func isDone(by refusal: CommandRefusal) -> Bool {
        switch self {
        case .delete: refusal.is(.gone)
        default: false
        }
    }
}

extension ErrorCode {
    /// The code of a refusal. One that this version doesn't know passes if the relay says so.
    init(_ refusal: CommandRefusal) {
        self = ErrorCode(word: refusal.code) ?? (refusal.isTemporary ? .unavailable : .badRequest)
    }
}

extension OutboxItem.Failure {
    init(_ refusal: CommandRefusal) { self.init(ErrorCode(refusal), refusal.reason) }
}
