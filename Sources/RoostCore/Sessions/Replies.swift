import RoostFraming
import RoostWire

/// The short answers `ok` and `error`, at once or when a change is durable. Loop thread only.
final class Replies {
    let builder: FrameBuilder
    /// Answers that wait until what they confirm is durable.
    let held: HeldAnswers
    private let delivery: Delivery
    private let counters: Counters
    /// Whether refusals are kept for the host.
    var notesRefusals = false
    private var refusals: [RefusedCommand] = []

    init(_ limits: Limits, _ journal: Journal, builder: FrameBuilder, delivery: Delivery, counters: Counters) {
        self.builder = builder
        held = HeldAnswers(.init(limits), journal)
        self.delivery = delivery
        self.counters = counters
    }

    /// Sends a plain `ok`, if an answer was asked for.
    func accept(_ id: CommandID?, _ session: Session) {
        guard let id else { return }
        builder.begin("ok")
        builder.reply(to: id)
        delivery.reply(builder.finish(), to: session)
    }

    /// Sends a plain `ok` once everything that the command changed is durable, if an answer was asked for.
    /// - Parameter withNextBatch: the change isn't in the journal yet, and goes with the batch that is taken next.
    func acceptOnceStored(
        _ id: CommandID?, _ session: Session, announce: ((Moment) -> Void)? = nil, withNextBatch: Bool = false,
        at now: Moment
    ) {
        answerOnceStored(id, session, announce: announce, withNextBatch: withNextBatch, at: now) { [unowned self] in
            accept(id, session)
        }
    }

    /// Sends this answer once everything that the command changed is durable; `unavailable` if the store can't.
    /// - Parameter announce: what is done right before, also if the session has ended.
    func answerOnceStored(
        _ id: CommandID?, _ session: Session, announce: ((Moment) -> Void)? = nil, withNextBatch: Bool = false,
        at now: Moment, _ answer: @escaping () -> Void
    ) {
        let steps = HeldAnswers.Steps(announce: announce) { [unowned self] isStored in
            if isStored { answer() } else { refuse(held.unstored(id), session) }
        }
        held.hold(session, steps, withNextBatch: withNextBatch, at: now)
    }

    /// Sends the `ok` of a command that changes nothing.
    func acceptUnchanged(_ id: CommandID?, _ session: Session) {
        guard let id else { return }
        builder.begin("ok")
        builder.reply(to: id)
        builder.member("duplicate", true)
        delivery.reply(builder.finish(), to: session)
    }

    /// Returns the refusals since the last call, as far as they are kept.
    func takeRefusals() -> [RefusedCommand] {
        guard !refusals.isEmpty else { return [] }
        defer { refusals.removeAll() }
        return refusals
    }

    /// Sends `error`.
    func refuse(_ refusal: Refusal, _ session: Session) {
        counters.errors[Int(refusal.code.rawValue)] += 1
        session.lastError = refusal.code
        if notesRefusals, refusals.count < RefusedCommand.keptMax {
            refusals.append(
                RefusedCommand(
                    session: session.id, user: session.userName, device: session.device?.name, code: refusal.code,
                    reason: refusal.reason, attachment: session.attachment))
        }
        builder.begin("error")
        builder.reply(to: refusal.id)
        builder.member("code", word: refusal.code.word)
        builder.member("reason", refusal.reason)
        builder.member("retry", refusal.code.isTemporary)
        if let wait = refusal.retryAfterMilliseconds { builder.member("retryAfter", wait) }
        if let id = refusal.conversation { builder.member("conversation", plain: id) }
        delivery.reply(builder.finish(), to: session)
    }
}
