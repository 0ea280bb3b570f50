import RoostFraming
import RoostWire

/// The short answers `ok` and `error`. It keeps nothing. Loop thread only.
final class Replies {
    let builder: FrameBuilder
    private let delivery: Delivery
    private let counters: Counters
    /// Whether refusals are kept for the host.
    var notesRefusals = false
    private var refusals: [RefusedCommand] = []

    init(builder: FrameBuilder, delivery: Delivery, counters: Counters) {
        self.builder = builder
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
        delivery.reply(builder.finish(), to: session)
    }
}
