import RoostWire

/// Notes that a user has got all messages of those conversations that end at or below an acked position.
final class AckedConversations: Chore {
    private let user: User
    private let receipts: Receipts
    private var memberships: [Member]
    private var place = 0
    private var position: Position
    private var now: Moment
    /// A later ack that came meanwhile.
    private var next: (position: Position, now: Moment)?

    init(of user: User, upTo position: Position, _ receipts: Receipts, at now: Moment) {
        self.user = user
        self.receipts = receipts
        self.position = position
        self.now = now
        memberships = user.memberships
    }

    /// Another ack of the same user.
    func goOn(upTo position: Position, at now: Moment) { next = (max(position, next?.position ?? .start), now) }

    func work(_ steps: inout Int) -> Bool {
        while true {
            while place < memberships.count {
                guard steps > 0 else { return false }
                steps -= 1
                let member = memberships[place]
                place += 1
                // A conversation opened behind a block isn't there for the user, and was sent to none of its devices.
                guard member.conversation.lastPosition <= position, member.isCurrent,
                    !member.conversation.isVeiled(from: user.number)
                else { continue }
                receipts.advanceDelivered(member, to: member.conversation.lastSequence, at: now)
            }
            guard let next else { break }
            (position, now) = next
            self.next = nil
            place = 0
            memberships = user.memberships
        }
        user.acked = nil
        return true
    }
}
