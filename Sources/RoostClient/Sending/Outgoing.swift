import RoostWire

/// Messages waiting to be sent or acked. Each is sent again with the same key until it is acked. They outlive
/// connections and a restored log. Confined to the client.
final class Outgoing {
    private let limits: ClientLimits
    private let requests: Requests
    private let alarms: Alarms
    private let random: RandomSource
    private var queue: OutgoingQueue
    private var backoff: Backoff
    private var isPaused = false
    /// Called when a message was refused because the token has expired. Set once.
    var needsToken: () -> Void = {}

    init(limits: ClientLimits, requests: Requests, alarms: Alarms, random: RandomSource) {
        self.limits = limits
        self.requests = requests
        self.alarms = alarms
        self.random = random
        queue = OutgoingQueue(
            most: limits.outgoingMax, bytesMost: limits.outgoingBytesMax, atOnce: limits.outgoingAtOnce)
        backoff = Backoff(first: limits.backoffFirst, most: limits.backoffMax)
    }

    /// Adds a message; `finish` gets its result. Returns why it can't be added.
    func add(
        _ message: OutgoingMessage, finish: @escaping (Result<StoredMessage, RoostFailure>) -> Void
    ) -> RoostFailure? {
        if let failure = queue.add(message, finish: finish) { return failure }
        sendWaiting()
        return nil
    }

    /// There is a session again, or a reason to wait has gone.
    func resume() {
        guard requests.isReady else { return }
        isPaused = false
        sendWaiting()
    }

    /// A conversation takes messages again.
    func resume(_ destination: String) {
        queue.wake(destination)
        sendWaiting()
    }

    /// The connection is gone, and with it every reason to wait.
    func connectionEnded() {
        isPaused = false
        queue.wakeAll()
    }

    /// Nothing more will be sent.
    func end(_ ending: Ending) {
        for entry in queue.entries { queue.remove(entry.message.key)?(.failure(.ended(ending))) }
    }

    /// Reports the result of a message and forgets it.
    func finish(_ key: String, _ result: Result<StoredMessage, RoostFailure>) {
        queue.remove(key)?(result)
        sendWaiting()
    }

    /// The time to wait before something is tried again.
    func nextWait() -> Duration { random.wait(&backoff) }

    /// Settles a message that came back in catch-up because an earlier attempt was stored. Returns whether it was
    /// waiting for a reply; the reply would say nothing new.
    func settle(_ message: Message) -> Bool {
        guard let key = message.key, queue.contains(key) else { return false }
        let stored = StoredMessage(
            conversation: message.conversation, sequence: message.sequence, position: message.position,
            time: message.time, isDuplicate: true)
        finish(key, .success(stored))
        return true
    }

    private func sendWaiting() {
        while requests.isReady, !isPaused, let message = queue.takeNext() {
            let failure = requests.issue(.send) { command in
                command.member("to", message.to)
                command.member("key", message.key)
                if let kind = message.kind { command.member("kind", kind) }
                command.member("body", raw: message.body)
                if let replyTo = message.replyTo { command.member("replyTo", replyTo.value) }
                if !message.isReading { command.member("read", false) }
                if !message.mentions.isEmpty { command.list("mentions", message.mentions) }
            } then: { reply in
                self.answered(message, reply)
            }
            switch failure {
            case nil: continue
            case .tooLarge(let bytes, let most): finish(message.key, .failure(.tooLarge(bytes: bytes, atMost: most)))
            default:
                queue.putBack(message.key)
                pause(nil)
            }
        }
    }

    private func answered(_ message: OutgoingMessage, _ reply: Result<JSONMembers, RoostFailure>) {
        switch reply {
        case .success(let members):
            backoff.reset()
            let stored = StoredMessage(reading: members)
            finish(message.key, stored.map { .success($0) } ?? .failure(.unexpectedReply))
        case .failure(.refused(let refusal)) where refusal.isTemporary && refusal.conversation != nil:
            queue.putBack(message.key)
            queue.rest(message.to)
            alarms.set(.pace(message.to), after: (refusal.retryAfter ?? .zero) + nextWait())
            sendWaiting()
        case .failure(.refused(let refusal)) where refusal.isTemporary:
            queue.putBack(message.key)
            pause(refusal.retryAfter)
        case .failure(.refused(let refusal)) where refusal.is(.tokenExpired):
            queue.putBack(message.key)
            isPaused = true
            needsToken()
        case .failure(.timedOut):
            queue.putBack(message.key)
            pause(nil)
        case .failure(.connectionLost): queue.putBack(message.key)
        case .failure(let failure): finish(message.key, .failure(failure))
        }
    }

    // Waits at least as long as the server asked for, and a random and growing time on top.
    private func pause(_ asked: Duration?) {
        guard !isPaused else { return }
        isPaused = true
        alarms.set(.outgoing, after: min(asked ?? .zero, limits.askedWaitMax) + nextWait())
    }
}
