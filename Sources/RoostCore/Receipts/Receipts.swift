import DequeModule
import RoostWire

/// The positions of members and devices, the receipts to send, and the ones to store. Only the newest state of a
/// receipt matters. So receipts collect until a tick, and those that exceed a bound of the turn or the conversation
/// wait. This type decides which sessions get them; the caller sends them. Loop thread only.
final class Receipts {
    /// The state of one member. It is stored in the member, but only this type changes it.
    struct Progress {
        fileprivate(set) var watermark: Watermark
        /// Whether a receipt has to be sent.
        fileprivate var isUntold = false
        /// Whether the other members must be sent that more was read. Members without delivery receipts get nothing
        /// else.
        fileprivate var isReadUntold = false
        /// Whether the other members must be sent that more was delivered.
        fileprivate var isDeliveryUntold = false
        /// Whether the user's own devices must get it.
        fileprivate var isOwnUntold = false
        fileprivate var isUnstored = false
        /// Counts the changes of read and marked messages. Results from before a change are outdated.
        fileprivate(set) var turn: UInt64 = 0
        /// When it got where it is, as far as that isn't durable.
        fileprivate var steps = StepPool.Chain()

        init(_ watermark: Watermark) { self.watermark = watermark }
    }

    /// The position that a device has acked. It is stored in the device, but only this type changes it.
    struct Cursor {
        fileprivate(set) var position: Position
        fileprivate(set) var isNew: Bool
        fileprivate var isUnstored = false

        init(_ position: Position, isNew: Bool) {
            self.position = position
            self.isNew = isNew
        }
    }

    /// The receipt budget of a conversation. It is stored in the conversation, but only this type changes it.
    struct Pace {
        fileprivate var budget = ReceiptBudget()
    }

    /// A member whose progress must be sent now, and its recipients.
    struct Telling {
        let member: Member
        let toOwnDevices: Bool
        let toOthers: Bool
        /// Whether more was read since the last receipt for others.
        let isReading: Bool
    }

    /// The limits of this part.
    struct Bounds {
        let gatherMilliseconds: Int64
        let storeMilliseconds: Int64
        let perSecond: Int
        let perMillisecond: Int
        let membersMax: Int
        let steps: Int

        init(_ limits: Limits) {
            gatherMilliseconds = limits.gatherMilliseconds
            storeMilliseconds = limits.watermarkMilliseconds
            perSecond = limits.receiptsPerSecond
            perMillisecond = limits.receiptsPerMillisecond
            membersMax = limits.receiptMembersMax
            steps = 2 * limits.receiptSteps
        }
    }

    private let bounds: Bounds

    // For sending: members that have changed and are sent at the next tick, and members whose tick has come.
    private var changed: [Member] = []
    private var gatherAt: Int64?
    private var due = Deque<Member>()
    /// When receipts were sent last, in monotonic milliseconds, and how many more may be sent in that millisecond.
    private var toldAt = Int64.min
    private var left = 0

    // For storing: members and devices whose progress isn't stored yet.
    private var unstoredMembers: [Member] = []
    private var unstoredDevices: [Device] = []
    private var storeAt: Int64?
    private var steps: StepPool
    /// Members some of whose steps the writer has.
    private var committing: [Member] = []
    /// Whether the changes must go into the next batches.
    private(set) var isStoreDue = false
    /// Whether any change isn't stored.
    var hasUnstored: Bool { !unstoredDevices.isEmpty || !unstoredMembers.isEmpty }

    init(_ bounds: Bounds) {
        self.bounds = bounds
        steps = StepPool(perMember: bounds.steps)
    }

    // MARK: Progress

    /// The device has acked everything up to `position`, or asked to go back there.
    func move(_ device: Device, to position: Position, at now: Moment) {
        device.progress.position = position
        device.progress.isNew = false
        guard !device.progress.isUnstored else { return }
        device.progress.isUnstored = true
        unstoredDevices.append(device)
        expectStore(at: now)
    }

    /// Forgets a device with its cursor.
    func forget(_ device: Device) {
        if device.progress.isUnstored { unstoredDevices.removeAll { $0 === device } }
    }

    /// The last message that some device of the member has acked. While the user is invisible, the watermark stays: its
    /// time would show that a device is connected. A later ack raises it past those messages, with its own time.
    func advanceDelivered(_ member: Member, to sequence: SequenceNumber, at now: Moment) {
        guard !member.user.presence.isInvisible else { return }
        // A device may ack on this membership what it was sent on an earlier one.
        guard sequence > max(member.progress.watermark.delivered, member.joinedAfter) else { return }
        deliver(sequence, to: member, at: now.wall)
        note(member, at: now)
    }

    private func deliver(_ sequence: SequenceNumber, to member: Member, at time: Timestamp) {
        let before = member.progress.watermark.delivered
        steps.add(
            ReceiptStep(isRead: false, after: before, to: sequence, at: time), to: &member.progress.steps)
        member.progress.watermark.delivered = sequence
        member.progress.watermark.deliveredAt = time
        member.progress.isDeliveryUntold = true
    }

    private func raiseRead(of member: Member, to sequence: SequenceNumber, at time: Timestamp) {
        member.progress.turn &+= 1
        let before = member.progress.watermark.read
        steps.add(ReceiptStep(isRead: true, after: before, to: sequence, at: time), to: &member.progress.steps)
        member.progress.watermark.read = sequence
        member.progress.watermark.readAt = time
        member.progress.watermark.own.keep(above: sequence)
        member.progress.watermark.marked.keep(above: sequence)
        member.progress.isReadUntold = true
    }

    /// Whether the other members get a receipt when this one has read up to this message.
    func isTold(_ member: Member, to sequence: SequenceNumber) -> Bool {
        sequence > member.progress.watermark.read && member.conversation.members.count <= bounds.membersMax
    }

    /// The member has read everything up to this message.
    func advanceRead(_ member: Member, to sequence: SequenceNumber, at now: Moment) {
        member.progress.turn &+= 1
        guard sequence > member.progress.watermark.read else { return unmark(member, upTo: sequence, at: now) }
        raiseRead(of: member, to: sequence, at: now.wall)
        if sequence > member.progress.watermark.delivered { deliver(sequence, to: member, at: now.wall) }
        note(member, at: now)
    }

    /// The member wants these messages, which it has read, to be unread again. That is stored with the next batch.
    /// - Returns: whether anything changes.
    func mark(_ sequences: SequenceRanges, of member: Member, at now: Moment) -> Bool {
        member.progress.turn &+= 1
        guard sequences != member.progress.watermark.marked else { return false }
        member.progress.watermark.marked = sequences
        note(member, at: now)
        // Before those that can wait. If it waits as well, it is stored twice, as it is then.
        unstoredMembers.insert(member, at: 0)
        storeNow()
        return true
    }

    private func unmark(_ member: Member, upTo sequence: SequenceNumber, at now: Moment) {
        let before = member.progress.watermark.marked
        member.progress.watermark.marked.keep(above: sequence)
        if member.progress.watermark.marked != before { note(member, at: now) }
    }

    /// The member wrote this message at `time`, and has therefore read everything before it.
    func advanceOwn(_ member: Member, to sequence: SequenceNumber, writtenAt time: Timestamp, at now: Moment) {
        if sequence > member.progress.watermark.read { raiseRead(of: member, to: sequence, at: time) }
        if sequence > member.progress.watermark.delivered { deliver(sequence, to: member, at: time) }
        note(member, at: now)
    }

    /// The member wrote this message at `time` without reading what came before. Of too many such messages with those
    /// of others between them, the oldest counts as read.
    func noteOwn(_ member: Member, _ sequence: SequenceNumber, writtenAt time: Timestamp, at now: Moment) {
        guard sequence > member.progress.watermark.read else { return }
        if let oldest = member.progress.watermark.own.insert(sequence) {
            return advanceOwn(member, to: oldest, writtenAt: time, at: now)
        }
        note(member, at: now)
    }

    /// These messages were withheld from the member, so they don't count as unread.
    func pass(_ member: Member, _ messages: ClosedRange<Int64>, at now: Moment) {
        guard messages.upperBound > member.readFloor.value else { return }
        member.progress.watermark.pass(messages)
        note(member, at: now)
    }

    private func note(_ member: Member, at now: Moment) {
        member.progress.isOwnUntold = true
        if !member.progress.isUntold {
            member.progress.isUntold = true
            expectTick(of: member, at: now)
        }
        if !member.progress.isUnstored {
            member.progress.isUnstored = true
            unstoredMembers.append(member)
            expectStore(at: now)
        }
    }

    // MARK: Time

    /// When to call `tick` or `beginTelling` next, in monotonic milliseconds.
    var nextDeadline: Int64? {
        var next = min(gatherAt ?? .max, storeAt ?? .max)
        if hasMoreToTell { next = min(next, toldAt + 1) }
        return next == .max ? nil : next
    }

    /// Everything collected so far is due.
    func tick(at now: Int64) {
        if let gatherAt, gatherAt <= now {
            self.gatherAt = nil
            due.append(contentsOf: changed)
            changed.removeAll(keepingCapacity: true)
        }
        if let storeAt, storeAt <= now { storeNow() }
    }

    private func expectTick(of member: Member, at now: Moment) {
        // Receipts from before a due tick don't wait for those that come at it.
        tick(at: now.monotonic)
        changed.append(member)
        if gatherAt == nil { gatherAt = TickGrid.next(after: now.monotonic, every: bounds.gatherMilliseconds) }
    }

    private func expectStore(at now: Moment) {
        if storeAt == nil, !isStoreDue { storeAt = now.monotonic + bounds.storeMilliseconds }
    }

    // MARK: Telling

    /// Whether members whose tick has come must still be sent.
    var hasMoreToTell: Bool { !due.isEmpty }

    /// Begins the receipts of this millisecond. Returns false if that was done already or nothing is due.
    /// - Parameter isBusy: messages wait to be written. Receipts sent all at once would delay messages twice, in the
    ///   queue for writes and by taking CPU from the writer's thread. So only a quarter is sent.
    func beginTelling(isBusy: Bool, at now: Moment) -> Bool {
        guard hasMoreToTell, now.monotonic > toldAt else { return false }
        toldAt = now.monotonic
        left = isBusy ? max(1, bounds.perMillisecond / 4) : bounds.perMillisecond
        return true
    }

    /// Returns the member to send next, or nil when it is enough for now. Own devices always get it. Others wait in a
    /// queue for a later tick while their conversation has used up its budget; then they get the newest state. `told`
    /// must report the number of receipts that were sent.
    func next(at now: Moment) -> Telling? {
        while left > 0, let member = due.popFirst() {
            // Skipped members count too, because looking at them takes time.
            left -= 1
            let isMember = member.isCurrent
            let toOwn = member.progress.isOwnUntold && isMember
            member.progress.isOwnUntold = false
            let isReading = member.progress.isReadUntold
            let isNews = isReading || member.progress.isDeliveryUntold
            let mustWait = isNews && member.conversation.receiptPace.budget.isSpent(at: now.monotonic)
            if mustWait {
                expectTick(of: member, at: now)
            } else {
                member.progress.isUntold = false
                member.progress.isReadUntold = false
                member.progress.isDeliveryUntold = false
            }
            let toOthers = isNews && !mustWait && isMember
            if toOwn || toOthers {
                return Telling(
                    member: member, toOwnDevices: toOwn,
                    toOthers: toOthers && member.conversation.members.count <= bounds.membersMax,
                    isReading: isReading)
            }
        }
        return nil
    }

    /// Records the number of sessions that got the member's receipt.
    func told(_ telling: Telling, own: Int, others: Int, at now: Moment) {
        left -= own + others
        telling.member.conversation.receiptPace.budget.spend(others, of: bounds.perSecond, at: now.monotonic)
    }

    // MARK: Steps

    /// When the member got a message, or read it, if that may not be durable yet.
    func time(of sequence: SequenceNumber, isRead: Bool, _ member: Member) -> Timestamp? {
        steps.time(of: sequence, isRead: isRead, in: member.progress.steps)
    }

    /// The writer's steps are durable.
    func batchIsDurable() {
        for member in committing { steps.removeTaken(of: &member.progress.steps) }
        committing.removeAll(keepingCapacity: true)
    }

    // MARK: Storing

    /// Stores all changes with the next batches without waiting for their time.
    func storeNow() {
        storeAt = nil
        isStoreDue = true
    }

    /// Takes the changes that must be stored, the oldest first, at most `most` of each kind. Called only when a batch
    /// is about to go, because it isn't settled before who is a member. Watermarks go before the batch, so that a
    /// member who leaves and returns in it begins anew. Cursors go behind it, so that a new device exists.
    func takeUnstored(atMost count: Int) -> (watermarks: [Mutation], cursors: [Mutation]) {
        guard isStoreDue else { return ([], []) }
        var cursors: [Mutation] = []
        for device in unstoredDevices.prefix(count) {
            device.progress.isUnstored = false
            cursors.append(.cursor(device.number, device.cursor))
        }
        unstoredDevices.removeFirst(min(count, unstoredDevices.count))
        var watermarks: [Mutation] = []
        for member in unstoredMembers.prefix(count) {
            member.progress.isUnstored = false
            // The member has left since, or this is another membership of the same user by now.
            guard member.isCurrent else {
                steps.removeAll(of: &member.progress.steps)
                continue
            }
            let (conversation, user) = (member.conversation.number, member.user.number)
            watermarks.append(.watermark(conversation, user, member.watermark))
            watermarks.append(.steps(conversation, user, steps.take(&member.progress.steps)))
            committing.append(member)
        }
        unstoredMembers.removeFirst(min(count, unstoredMembers.count))
        isStoreDue = !unstoredDevices.isEmpty || !unstoredMembers.isEmpty
        return (watermarks, cursors)
    }
}
