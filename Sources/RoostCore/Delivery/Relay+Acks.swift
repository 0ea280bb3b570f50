import RoostWire

/// `ack` and `read`: how far a device, and a user, has got; watermarks are stored in bundles.
extension Relay {
    func ack(_ position: Position, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        let (user, device) = try speaker(session)
        guard position <= head else { throw Refusal(.badPosition, "position was never given") }
        // A position learnt from `ok` while behind says nothing about what has not been sent yet.
        if session.ownPositions.isEmpty || !session.ownPositions.contains(position) {
            let covered = session.delivery == .live ? position : min(position, session.sentPosition)
            if !session.ownPositions.isEmpty { session.ownPositions = session.ownPositions.filter { $0 > covered } }
            if covered > device.cursor {
                move(device, to: covered)
                advanceDelivered(session, to: covered, at: now)
                if session.hasForgottenUnacked, covered >= session.sentPosition {
                    advanceDelivered(of: user, to: covered, at: now)
                    session.hasForgottenUnacked = covered < head
                }
            }
        }
        accept(id, session, now)
    }

    func move(_ device: Device, to position: Position) {
        device.cursor = position
        if !device.isCursorDirty {
            device.isCursorDirty = true
            unstoredCursors.append(device)
        }
    }

    /// Notes what an ack of this message will tell.
    @inline(__always)
    func noteUnacked(_ entry: UnackedMessages.Entry, _ session: Session) {
        if session.unacked.count >= limits.unackedPerSession {
            // Old ones give way: an ack of the new one covers them as far as the same conversation is concerned.
            if session.unacked.replaceLast(by: entry) { return }
            session.unacked.removeFirst()
            session.hasForgottenUnacked = true
        }
        session.unacked.append(entry)
    }

    /// The same for several messages of one conversation.
    @inline(__always)
    func noteUnacked(_ entries: [UnackedMessages.Entry], _ session: Session) {
        guard let last = entries.last else { return }
        if session.unacked.count + entries.count <= limits.unackedPerSession {
            return session.unacked.append(entries)
        }
        // Each would take the place of the one before.
        if session.unacked.count >= limits.unackedPerSession, session.unacked.replaceLast(by: last) { return }
        for entry in entries { noteUnacked(entry, session) }
    }

    private func advanceDelivered(_ session: Session, to position: Position, at now: Moment) {
        var member: Member?
        while let first = session.unacked.first, first.position <= position {
            session.unacked.removeFirst()
            if member?.conversation.number != first.conversation {
                member = session.user?.conversations[first.conversation]
            }
            // Nil if it left since. If it came back, everything before counts as delivered already.
            guard let member, first.sequence > member.watermark.delivered else { continue }
            member.watermark.delivered = first.sequence
            member.watermark.deliveredAt = now.wall
            noteReceipt(of: member, at: now)
        }
    }

    /// `resume` is an ack of what an earlier connection was sent. Where something came since, the ack of that tells.
    func advanceDelivered(of user: User, to position: Position, at now: Moment) {
        let members = user.conversations.values.filter { $0.conversation.lastPosition <= position }
        for member in members.sorted(by: { $0.conversation.number.value < $1.conversation.number.value }) {
            guard member.conversation.lastSequence > member.watermark.delivered else { continue }
            member.watermark.delivered = member.conversation.lastSequence
            member.watermark.deliveredAt = now.wall
            noteReceipt(of: member, at: now)
        }
    }

    func read(_ target: Command.Target, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        let (user, _) = try speaker(session)
        let conversation = try destination(target.conversation, of: session, user)
        guard target.sequence <= conversation.lastSequence else {
            throw Refusal(.badRequest, "sequence is above the last message")
        }
        if let member = conversation.member(user.number) { advanceRead(member, to: target.sequence, at: now) }
        accept(id, session, now)
    }

    private func advanceRead(_ member: Member, to sequence: SequenceNumber, at now: Moment) {
        guard sequence > member.watermark.read else { return }
        member.watermark.read = sequence
        member.watermark.readAt = now.wall
        if sequence > member.watermark.delivered {
            member.watermark.delivered = sequence
            member.watermark.deliveredAt = now.wall
        }
        noteReceipt(of: member, at: now)
    }

    /// Who writes has read what came before.
    func advanceOwn(_ member: Member, to sequence: SequenceNumber, at time: Timestamp) {
        member.watermark.read = max(member.watermark.read, sequence)
        member.watermark.readAt = time
        member.watermark.delivered = max(member.watermark.delivered, sequence)
        member.watermark.deliveredAt = time
        noteReceipt(of: member, at: nil)
    }

    // MARK: Storing

    /// Puts what moved into the batch that gathers, the oldest first, at most so many of each kind. Only when it is
    /// about to be taken: until then, who is a member isn't settled.
    func storeWatermarks(atMost count: Int) {
        for device in unstoredCursors.prefix(count) {
            device.isCursorDirty = false
            store(.cursor(device.number, device.cursor))
        }
        unstoredCursors.removeFirst(min(count, unstoredCursors.count))
        var watermarks: [Mutation] = []
        for member in unstoredWatermarks.prefix(count) {
            member.isStoreDirty = false
            // Gone since, or another membership of the same user by now.
            guard isCurrent(member) else { continue }
            watermarks.append(.watermark(member.conversation.number, member.user.number, member.watermark))
        }
        unstoredWatermarks.removeFirst(min(count, unstoredWatermarks.count))
        // Ahead of the batch: who leaves and comes back by it begins anew.
        journal.storeFirst(watermarks)
    }
}
