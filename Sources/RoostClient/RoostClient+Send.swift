import RoostFraming
public import RoostWire

/// Messages: kept until they are acked and sent again, with the same key, as often as it takes.
extension RoostClient {
    /// Sends a text to a conversation, or to a user as `@name`. Returns when it is durable; waits through any number of
    /// reconnects. Of several calls for one destination the order is kept.
    ///
    /// A `key` of your own makes it safe to call again after a restart: the server stores each key once.
    public func send(
        _ text: String, to: String, replyTo: SequenceNumber? = nil, key: String? = nil
    ) async throws(RoostFailure) -> SendReceipt {
        try await enqueue(OutgoingMessage(to: to, key: key ?? newKey(), body: builder.json(text), replyTo: replyTo))
    }

    /// Sends a message of another kind: any JSON value. Otherwise like a text.
    public func send(
        _ kind: String, json: [UInt8], to: String, replyTo: SequenceNumber? = nil, key: String? = nil
    ) async throws(RoostFailure) -> SendReceipt {
        guard Self.isJSON(json) else { throw .invalid("the body isn't JSON") }
        return try await enqueue(
            OutgoingMessage(to: to, key: key ?? newKey(), kind: kind, body: json, replyTo: replyTo))
    }

    static func isJSON(_ bytes: [UInt8]) -> Bool {
        let object = Array("{\"body\":".utf8) + bytes + Array("}".utf8)
        return object.withUnsafeBytes { JSONValue(parsing: $0) }?.members?.count == 1
    }

    private func enqueue(_ message: OutgoingMessage) async throws(RoostFailure) -> SendReceipt {
        if case .ended(let ending) = phase { throw .ended(ending) }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation {
                (continuation: CheckedContinuation<Result<SendReceipt, RoostFailure>, Never>) in
                guard !Task.isCancelled else { return continuation.resume(returning: .failure(.cancelled)) }
                let failure = outgoing.add(message) { continuation.resume(returning: $0) }
                if let failure { continuation.resume(returning: .failure(failure)) } else { sendWaiting() }
            }
        } onCancel: {
            Task { await self.finish(message.key, .failure(.cancelled)) }
        }
        return try result.get()
    }

    private func newKey() -> String {
        // 128 random bits: no two keys are ever the same.
        (0..<2).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    // MARK: The queue

    func resumeSending() {
        guard phase == .ready else { return }
        isSendingPaused = false
        sendWaiting()
    }

    private func sendWaiting() {
        while phase == .ready, !isSendingPaused, let message = outgoing.takeNext() {
            let failure = issue("send") { frame in
                frame.member("to", message.to)
                frame.member("key", message.key)
                if let kind = message.kind { frame.member("kind", kind) }
                frame.member("body", raw: message.body)
                if let replyTo = message.replyTo { frame.member("replyTo", replyTo.value) }
            } then: { reply in
                self.answered(message, reply)
            }
            switch failure {
            case nil: continue
            case .tooLarge: finish(message.key, .failure(failure ?? .unexpectedReply))
            default:
                outgoing.putBack(message.key)
                pauseSending(nil)
            }
        }
    }

    private func answered(_ message: OutgoingMessage, _ reply: Result<JSONValue, RoostFailure>) {
        switch reply {
        case .success(let value):
            sendBackoff.reset()
            let receipt = SendReceipt(EventMembers(value))
            finish(message.key, receipt.map { .success($0) } ?? .failure(.unexpectedReply))
        case .failure(.refused(let refusal)) where refusal.isTemporary:
            outgoing.putBack(message.key)
            pauseSending(refusal.retryAfter)
        case .failure(.refused(let refusal)) where refusal.is(.tokenExpired):
            outgoing.putBack(message.key)
            isSendingPaused = true
            refreshToken()
        case .failure(.timedOut):
            outgoing.putBack(message.key)
            pauseSending(nil)
        case .failure(.connectionLost): outgoing.putBack(message.key)
        case .failure(let failure): finish(message.key, .failure(failure))
        }
    }

    /// At least the time that the server asked for, and a random one on top that grows.
    private func pauseSending(_ asked: Duration?) {
        guard !isSendingPaused else { return }
        isSendingPaused = true
        set(.outgoing, after: min(asked ?? .zero, limits.askedWaitMax) + sendBackoff.next(&generator))
    }

    private func finish(_ key: String, _ result: Result<SendReceipt, RoostFailure>) {
        outgoing.remove(key)?(result)
        sendWaiting()
    }

    // MARK: Own messages that come as events

    /// Whether it is a message that still waits for its reply: stored by an earlier try, it came back on catch-up.
    func isOwn(_ message: Message) -> Bool {
        guard let key = message.key else { return false }
        return message.from == welcome?.user && message.device == welcome?.device && outgoing.contains(key)
    }

    /// The message is stored; its reply will say no more than that.
    func settle(_ message: Message) {
        guard let key = message.key else { return }
        finish(
            key,
            .success(
                SendReceipt(
                    conversation: message.conversation, sequence: message.sequence, position: message.position,
                    time: message.time, isDuplicate: true)))
    }
}
