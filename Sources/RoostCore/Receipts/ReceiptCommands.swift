import RoostFraming
import RoostWire

/// `ack`, `read` and `unread`: moves the marks of a device or a user, and sends receipts to the other members and the
/// user's other devices. Loop thread only.
final class ReceiptCommands {
    let listing: ReceiptListing
    let badges: Badges
    let marks: UnreadMarks
    private let receipts: Receipts
    private let prices: Prices
    private let chores: Chores
    private let directory: Directory
    private let journal: Journal
    private let delivery: Delivery
    private let replies: Replies
    private let builder: FrameBuilder
    private let counters: Counters
    private let times: DeliveryTimes
    /// Cursors, and watermarks, written with one batch.
    private let storedPerBatch: Int

    init(
        _ limits: Limits, _ listing: ReceiptListing, receipts: Receipts, prices: Prices, chores: Chores,
        directory: Directory, journal: Journal, delivery: Delivery, replies: Replies, builder: FrameBuilder,
        counters: Counters, times: DeliveryTimes, at now: Int64
    ) {
        self.listing = listing
        badges = Badges(.init(limits), chores, delivery, builder, counters, at: now)
        marks = UnreadMarks(limits, receipts, badges, directory, listing.reads, replies)
        self.receipts = receipts
        self.prices = prices
        self.chores = chores
        self.directory = directory
        self.journal = journal
        self.delivery = delivery
        self.replies = replies
        self.builder = builder
        self.counters = counters
        self.times = times
        storedPerBatch = limits.watermarksPerBatch
    }

    // MARK: Commands

    func ack(_ position: Position, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        let (user, device) = try session.speaker()
        guard position <= journal.head else { throw Refusal(.badPosition, "position: this log has not reached it") }
        if let covered = session.feed.acked(position), covered > device.cursor || device.isNew {
            if let since = session.feed.liveSince { times.noteAcked(covered, since: since, at: now) }
            receipts.move(device, to: max(covered, device.cursor), at: now)
            take(covered, of: session, user, at: now)
        }
        replies.accept(id, session)
    }

    func read(_ target: Command.Target, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        let (user, _) = try session.speaker()
        let conversation = try directory.destination(target.conversation, of: session, user)
        try conversation.check(target.sequence, for: user)
        if let member = conversation.member(user.number) {
            if receipts.isTold(member, to: target.sequence) {
                try prices.pay(deliveries: conversation.audienceCount, by: session, at: now)
            }
            receipts.advanceRead(member, to: target.sequence, at: now)
            member.mentions.forget(upTo: target.sequence)
            badges.note(member, at: now)
        }
        replies.accept(id, session)
    }

    func unread(_ target: Command.Target, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        let (user, _) = try session.speaker()
        try marks.mark(target, Asker(session: session, user: user, id: id), at: now)
    }

    /// The device continues from the position that it named in `hello`: either an ack or a wish to go back.
    func resume(_ device: Device, from position: Position, at now: Moment) {
        guard position != device.cursor || device.isNew else { return }
        if position > device.cursor { take(position, of: device.user, for: nil, at: now) }
        receipts.move(device, to: position, at: now)
    }

    private func take(_ position: Position, of session: Session, _ user: User, at now: Moment) {
        var member: Member?
        while let first = session.feed.unacked.first, first.position <= position {
            session.feed.unacked.removeFirst()
            if member?.conversation.number != first.conversation { member = user.conversations[first.conversation] }
            // nil if the user has left since. If the user came back, everything before counts as delivered already.
            if let member { receipts.advanceDelivered(member, to: first.sequence, at: now) }
        }
        if session.feed.unacked.hasForgotten, position >= session.feed.sentPosition {
            take(position, of: user, for: session, at: now)
            if position >= journal.head { session.feed.unacked.hasForgotten = false }
        }
    }

    /// An ack of something sent on an earlier connection, or of more messages than were noted. If a conversation has
    /// newer events, a later ack covers it.
    private func take(_ position: Position, of user: User, for session: Session?, at now: Moment) {
        if let acked = user.acked { return acked.goOn(upTo: position, at: now) }
        let acked = AckedConversations(of: user, upTo: position, receipts, at: now)
        user.acked = acked
        chores.begin(acked, for: session, at: now)
    }

    /// Forgets a device with its cursor.
    func forget(_ device: Device) { receipts.forget(device) }

    // MARK: Storing

    /// A batch is durable.
    func batchIsDurable() { receipts.batchIsDurable() }

    /// Whether cursors or watermarks wait to be stored.
    var isStoreDue: Bool { receipts.isStoreDue }

    /// Whether any change isn't stored.
    var hasUnstored: Bool { receipts.hasUnstored }

    /// Stores all changes with the next batches without waiting for their time.
    func storeNow() { receipts.storeNow() }

    /// Adds due cursors and watermarks to the batch that is about to be taken. Only a few go into each batch, so that
    /// messages don't wait for the marks of a thousand devices.
    func storeWhatIsDue() {
        let unstored = receipts.takeUnstored(atMost: journal.isDraining ? .max : storedPerBatch)
        journal.storeFirst(unstored.watermarks)
        for cursor in unstored.cursors { journal.store(cursor) }
    }

    // MARK: Time

    /// Time of the next `tick` or `tell`, in monotonic milliseconds.
    var nextDeadline: Int64 { min(receipts.nextDeadline ?? .max, badges.nextDeadline ?? .max) }

    /// Everything collected so far is due.
    func tick(at now: Moment) {
        receipts.tick(at: now.monotonic)
        badges.tick(at: now)
    }

    // MARK: Telling

    /// Whether receipts whose tick has come must still be sent.
    var hasMoreToTell: Bool { receipts.hasMoreToTell }

    /// Sends some of the receipts and badges that are due.
    func tell(at now: Moment) {
        tellReceipts(at: now)
        badges.tellDue(isBusy: delivery.hasVisits, at: now)
    }

    private func tellReceipts(at now: Moment) {
        guard receipts.beginTelling(isBusy: delivery.hasVisits, at: now) else { return }
        while let telling = receipts.next(at: now) {
            let own = telling.toOwnDevices ? tellOwnDevices(of: telling.member) : 0
            let others = telling.toOthers ? tellOthers(telling) : 0
            receipts.told(telling, own: own, others: others, at: now)
        }
    }

    /// Returns the number of sessions that got it.
    private func tellOwnDevices(of member: Member) -> Int {
        guard !member.user.sessions.isEmpty else { return 0 }
        let key = Owed.receipt(member.conversation.number, member.user.number)
        let frame = frame(member, .all, isOwn: true)
        for session in member.user.sessions { delivery.deliver(frame, key, to: session) }
        return member.user.sessions.count
    }

    /// Returns the number of sessions that got it.
    private func tellOthers(_ telling: Receipts.Telling) -> Int {
        counters.receiptsGathered += 1
        let member = telling.member
        let key = Owed.receipt(member.conversation.number, member.user.number)
        let full = frame(member, .all, isOwn: false)
        // Made only for members who don't get delivery receipts.
        var reading: Frame?
        var told = 0
        for other in member.conversation.members where other !== member {
            var frame = full
            switch directory.policy.receipts(of: member, to: other.user) {
            case .all: break
            case .reading where telling.isReading:
                frame = reading ?? self.frame(member, .reading, isOwn: false)
                reading = frame
            case .reading, .nothing: continue
            }
            for session in other.user.sessions {
                delivery.deliver(frame, key, to: session)
                told += 1
            }
        }
        return told
    }

    /// The member's present watermark, as this session sees it; nil if it sees none.
    func frame(_ member: Member, for session: Session) -> Frame? {
        guard let viewer = session.user else { return nil }
        let view = directory.policy.receipts(of: member, to: viewer)
        return view == .nothing ? nil : frame(member, view, isOwn: member.user === viewer)
    }

    /// - Parameter isOwn: whether it is for a device of the same member.
    private func frame(_ member: Member, _ view: ReceiptView, isOwn: Bool) -> Frame {
        builder.begin("receipt")
        builder.member("conversation", plain: member.conversation.id)
        builder.member("user", plain: member.user.name)
        builder.members(of: member.watermark, view)
        if isOwn { builder.unread(of: member) }
        return builder.finish()
    }
}
