import DequeModule
import RoostFraming
import RoostWire

/// Revocations that hold already and whose commands wait until they are stored. Loop thread only.
final class PendingRevocations {
    /// A command that waits.
    struct Command {
        let id: CommandID?
        let session: Session
        /// How many connections were closed for it.
        let closed: Int
        /// Whether its own connection is to be closed, too.
        let endsItself: Bool
    }

    private struct Waiting {
        let command: Command
        /// The batch with the revocation.
        let batch: UInt64
    }

    private let most: Int
    private let retryMilliseconds: Int64
    private let journal: Journal
    private let delivery: Delivery
    private let builder: FrameBuilder
    private var waiting = Deque<Waiting>()

    init(atMost most: Int, retryMilliseconds: Int64, _ journal: Journal, _ delivery: Delivery, _ builder: FrameBuilder)
    {
        self.most = most
        self.retryMilliseconds = retryMilliseconds
        self.journal = journal
        self.delivery = delivery
        self.builder = builder
    }

    /// Checks that one more may wait. Called before anything is changed.
    /// - Throws: `busy`.
    func checkRoom() throws(Refusal) {
        guard waiting.count < most else {
            throw Refusal(
                .busy, "\(most) revocations wait for the store", retryAfterMilliseconds: retryMilliseconds)
        }
    }

    /// The revocation holds. The command is answered when it is durable.
    /// - Parameter isStoring: whether there is something in the collecting batch to wait for.
    func wait(_ command: Command, isStoring: Bool) {
        guard isStoring else { return answer(command, isStored: true) }
        waiting.append(Waiting(command: command, batch: journal.batch))
        settle()
    }

    /// Answers what is durable, and what won't be soon. The journal may have changed.
    func settle() {
        while let next = waiting.first {
            let isStored = next.batch <= journal.durableBatch
            let isHeldUp =
                journal.isFailed || journal.isStalled
                || journal.isFull && (journal.isIdle || next.batch == journal.batch)
            guard isStored || isHeldUp else { return }
            waiting.removeFirst()
            answer(next.command, isStored: isStored)
        }
    }

    private func answer(_ command: Command, isStored: Bool) {
        guard command.session.phase == .ready else { return }
        builder.begin("ok")
        builder.reply(to: command.id)
        builder.member("closed", Int64(command.closed))
        if !isStored { builder.member("unstored", true) }
        delivery.reply(builder.finish(), to: command.session)
        if command.endsItself { delivery.shut(command.session, .revoked) }
    }
}
