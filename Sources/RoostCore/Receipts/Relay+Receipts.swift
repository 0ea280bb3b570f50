import RoostWire

/// Tells members, and the user's own devices, how far a member has got.
extension Relay {
    /// Whether receipts whose tick has come must still be sent.
    public var hasReceiptsToTell: Bool { receipts.hasMoreToTell }

    /// Sends some of the receipts that are due. Part of `doWork`.
    func tellReceipts(at now: Moment) {
        guard receipts.beginTelling(isBusy: hasTouched, at: now) else { return }
        deliverRun()
        while let telling = receipts.next(at: now) {
            let own = telling.toOwnDevices ? tellOwnDevices(of: telling.member, at: now) : 0
            let others = telling.toOthers ? tellOthers(of: telling.member, at: now) : 0
            receipts.told(telling, own: own, others: others, at: now)
        }
    }

    /// Returns how many sessions were told.
    private func tellOwnDevices(of member: Member, at now: Moment) -> Int {
        guard !member.user.sessions.isEmpty else { return 0 }
        let key = Owed.receipt(member.conversation.number, member.user.number)
        let frame = receiptFrame(member, isOwn: true)
        for session in member.user.sessions { deliver(frame, key, to: session, at: now) }
        return member.user.sessions.count
    }

    /// Returns how many sessions were told.
    private func tellOthers(of member: Member, at now: Moment) -> Int {
        counters.receiptsGathered += 1
        let key = Owed.receipt(member.conversation.number, member.user.number)
        let frame = receiptFrame(member, isOwn: false)
        var told = 0
        for other in member.conversation.members where other !== member {
            for session in other.user.sessions {
                deliver(frame, key, to: session, at: now)
                told += 1
            }
        }
        return told
    }

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
