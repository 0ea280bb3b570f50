import DequeModule
import RoostWire

/// Receipts: how far a member has got, gathered for a tick, for the user's own devices and for the other members. They
/// tell states, of which only the newest matters, so what is too much for a turn, or for a conversation, waits.
extension Relay {
    /// Whether a tick has come for receipts that nobody was told of yet.
    public var hasReceiptsToTell: Bool { !dueReceipts.isEmpty }

    /// The member's watermark moved: others are told at the next tick, the store a little later.
    func noteReceipt(of member: Member, at now: Moment?) {
        member.isOwnReceiptDirty = true
        if !member.isReceiptDirty {
            member.isReceiptDirty = true
            changedReceipts.append(member)
        }
        if !member.isStoreDirty {
            member.isStoreDirty = true
            unstoredWatermarks.append(member)
        }
    }

    /// The tick of those that changed until now.
    func receiptsAreDue() {
        dueReceipts.append(contentsOf: changedReceipts)
        changedReceipts.removeAll(keepingCapacity: true)
    }

    /// Tells some of those that are due, once a millisecond, and a quarter of that while somebody waits to be written
    /// to: all at once they would keep messages waiting, in the same line for their turn, and in the log for the core.
    /// Part of `doWork`. Own devices are always told. Others wait for a later tick, in line, while their conversation
    /// has used up what it may tell; what is told then is the newest state.
    func tellReceipts(at now: Moment) {
        guard hasReceiptsToTell, now.monotonic > toldReceiptsAt else { return }
        toldReceiptsAt = now.monotonic
        var left = hasTouched ? max(1, limits.receiptsPerMillisecond / 4) : limits.receiptsPerMillisecond
        deliverRun()
        while left > 0, let member = dueReceipts.popFirst() {
            // Looking costs, too.
            left -= 1
            if member.isOwnReceiptDirty { left -= tellOwnReceipt(member, at: now) }
            guard !member.conversation.receiptBudget.isSpent(at: now.monotonic) else {
                changedReceipts.append(member)
                continue
            }
            member.isReceiptDirty = false
            left -= tellOthersReceipt(member, at: now)
        }
    }

    /// How many were told.
    private func tellOwnReceipt(_ member: Member, at now: Moment) -> Int {
        member.isOwnReceiptDirty = false
        guard isCurrent(member), !member.user.sessions.isEmpty else { return 0 }
        let key = Owed.receipt(member.conversation.number, member.user.number)
        let frame = receiptFrame(member, isOwn: true)
        for session in member.user.sessions { deliver(frame, key, to: session, at: now) }
        return member.user.sessions.count
    }

    /// How many were told.
    private func tellOthersReceipt(_ member: Member, at now: Moment) -> Int {
        guard isCurrent(member) else { return 0 }
        counters.receiptsGathered += 1
        let conversation = member.conversation
        guard conversation.members.count <= limits.receiptMembersMax else { return 0 }
        let key = Owed.receipt(conversation.number, member.user.number)
        let frame = receiptFrame(member, isOwn: false)
        var told = 0
        for other in conversation.members where other !== member {
            for session in other.user.sessions {
                deliver(frame, key, to: session, at: now)
                told += 1
            }
        }
        conversation.receiptBudget.spend(told, of: limits.receiptsPerSecond, at: now.monotonic)
        return told
    }

    /// False for who has left since, or is a member anew.
    func isCurrent(_ member: Member) -> Bool { member.conversation.member(member.user.number) === member }

    func receiptFrame(_ member: Member, isOwn: Bool) -> Frame {
        builder.begin("receipt")
        builder.member("conversation", plain: member.conversation.id)
        builder.member("user", plain: member.user.name)
        write(member.watermark)
        if isOwn { builder.member("unread", member.unread) }
        return builder.finish()
    }

    func write(_ watermark: Watermark) {
        builder.member("delivered", watermark.delivered.value)
        if watermark.deliveredAt != .never { builder.member("deliveredAt", watermark.deliveredAt.milliseconds) }
        builder.member("read", watermark.read.value)
        if watermark.readAt != .never { builder.member("readAt", watermark.readAt.milliseconds) }
    }
}
