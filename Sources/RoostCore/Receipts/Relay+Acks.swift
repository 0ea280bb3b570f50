import RoostWire

/// `ack` and `read`: how far a device, and a user, has got.
extension Relay {
    func ack(_ position: Position, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        let (user, device) = try speaker(session)
        guard position <= head else { throw Refusal(.badPosition, "position was never given") }
        // A position learnt from `ok` while behind says nothing about what has not been sent yet.
        if session.ownPositions.isEmpty || !session.ownPositions.contains(position) {
            let covered = session.delivery == .live ? position : min(position, session.sentPosition)
            if !session.ownPositions.isEmpty { session.ownPositions = session.ownPositions.filter { $0 > covered } }
            if covered > device.cursor {
                receipts.move(device, to: covered, at: now)
                takeAck(of: session, user, to: covered, at: now)
            }
        }
        accept(id, session, now)
    }

    private func takeAck(of session: Session, _ user: User, to position: Position, at now: Moment) {
        var member: Member?
        while let first = session.unacked.first, first.position <= position {
            session.unacked.removeFirst()
            if member?.conversation.number != first.conversation { member = user.conversations[first.conversation] }
            // Nil if it left since. If it came back, everything before counts as delivered already.
            if let member { receipts.advanceDelivered(member, to: first.sequence, at: now) }
        }
        if session.unacked.hasForgotten, position >= session.sentPosition {
            takeAck(of: user, to: position, at: now)
            if position >= head { session.unacked.hasForgotten = false }
        }
    }

    /// An ack of what an earlier connection was sent, or of more than was noted. Where something came since, the ack of
    /// that tells.
    func takeAck(of user: User, to position: Position, at now: Moment) {
        let members = user.conversations.values.filter { $0.conversation.lastPosition <= position }
        for member in members.sorted(by: { $0.conversation.number.value < $1.conversation.number.value }) {
            receipts.advanceDelivered(member, to: member.conversation.lastSequence, at: now)
        }
    }

    func read(_ target: Command.Target, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        let (user, _) = try speaker(session)
        let conversation = try directory.destination(target.conversation, of: session, user)
        guard target.sequence <= conversation.lastSequence else {
            throw Refusal(.badRequest, "sequence is above the last message")
        }
        if let member = conversation.member(user.number) {
            receipts.advanceRead(member, to: target.sequence, at: now)
        }
        accept(id, session, now)
    }
}
