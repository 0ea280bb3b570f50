import DequeModule
import RoostWire

/// How far members and devices have got: who is still to be told of it, and what is still to be stored. Receipts tell
/// states of which only the newest matters, so they are gathered for a tick, and what is too much for one turn or one
/// conversation waits. It says whom to tell; telling them is the caller's. Loop thread only.
final class Receipts {
    /// What is known of one member. Lies in the member and is changed here only.
    struct Progress {
        fileprivate(set) var watermark: Watermark
        /// The other members are still to be told.
        fileprivate var isUntold = false
        /// The user's own devices are.
        fileprivate var isOwnUntold = false
        fileprivate var isUnstored = false

        init(_ watermark: Watermark) { self.watermark = watermark }
    }

    /// How far a device has acked. Lies in the device and is changed here only.
    struct Cursor {
        fileprivate(set) var position: Position
        fileprivate var isUnstored = false

        init(_ position: Position) { self.position = position }
    }

    /// What a conversation may still be told. Lies in the conversation and is changed here only.
    struct Pace {
        fileprivate var budget = ReceiptBudget()
    }

    /// A member of whose progress somebody is to be told now.
    struct Telling {
        let member: Member
        let toOwnDevices: Bool
        let toOthers: Bool
    }

    /// What this part takes from `Limits`.
    struct Bounds {
        let gatherMilliseconds: Int64
        let storeMilliseconds: Int64
        let perSecond: Int
        let perMillisecond: Int
        let membersMax: Int

        init(_ limits: Limits) {
            gatherMilliseconds = limits.gatherMilliseconds
            storeMilliseconds = limits.watermarkMilliseconds
            perSecond = limits.receiptsPerSecond
            perMillisecond = limits.receiptsPerMillisecond
            membersMax = limits.receiptMembersMax
        }
    }

    private let bounds: Bounds

    // Telling: those that changed, told at the next tick, and those whose tick has come.
    private var changed: [Member] = []
    private var gatherAt: Int64?
    private var due = Deque<Member>()
    /// When some were told last, in monotonic milliseconds, and how many more may be told in that millisecond.
    private var toldAt = Int64.min
    private var left = 0

    // Storing.
    private var unstoredMembers: [Member] = []
    private var unstoredDevices: [Device] = []
    private var storeAt: Int64?
    /// Whether what changed is to go into the next batches.
    private(set) var isStoreDue = false

    init(_ bounds: Bounds) { self.bounds = bounds }

    // MARK: Progress

    /// The device has acked everything up to `position`, or asked to go back there.
    func move(_ device: Device, to position: Position, at now: Moment) {
        device.progress.position = position
        guard !device.progress.isUnstored else { return }
        device.progress.isUnstored = true
        unstoredDevices.append(device)
        expectStore(at: now)
    }

    /// The device is forgotten, and its cursor with it.
    func forget(_ device: Device) {
        if device.progress.isUnstored { unstoredDevices.removeAll { $0 === device } }
    }

    /// Some device of the member has acked this message.
    func advanceDelivered(_ member: Member, to sequence: SequenceNumber, at now: Moment) {
        guard sequence > member.progress.watermark.delivered else { return }
        member.progress.watermark.delivered = sequence
        member.progress.watermark.deliveredAt = now.wall
        note(member, at: now)
    }

    /// The member has read up to this message.
    func advanceRead(_ member: Member, to sequence: SequenceNumber, at now: Moment) {
        guard sequence > member.progress.watermark.read else { return }
        member.progress.watermark.read = sequence
        member.progress.watermark.readAt = now.wall
        if sequence > member.progress.watermark.delivered {
            member.progress.watermark.delivered = sequence
            member.progress.watermark.deliveredAt = now.wall
        }
        note(member, at: now)
    }

    /// The member wrote this message at `time`, and so has read what came before.
    func advanceOwn(_ member: Member, to sequence: SequenceNumber, writtenAt time: Timestamp, at now: Moment) {
        member.progress.watermark.read = max(member.progress.watermark.read, sequence)
        member.progress.watermark.readAt = time
        member.progress.watermark.delivered = max(member.progress.watermark.delivered, sequence)
        member.progress.watermark.deliveredAt = time
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

    /// What was gathered until now is due.
    func tick(at now: Int64) {
        if let gatherAt, gatherAt <= now {
            self.gatherAt = nil
            due.append(contentsOf: changed)
            changed.removeAll(keepingCapacity: true)
        }
        if let storeAt, storeAt <= now { storeNow() }
    }

    private func expectTick(of member: Member, at now: Moment) {
        changed.append(member)
        if gatherAt == nil { gatherAt = now.monotonic + bounds.gatherMilliseconds }
    }

    private func expectStore(at now: Moment) {
        if storeAt == nil, !isStoreDue { storeAt = now.monotonic + bounds.storeMilliseconds }
    }

    // MARK: Telling

    /// Whether a tick has come for somebody of whom nobody was told yet.
    var hasMoreToTell: Bool { !due.isEmpty }

    /// Begins what may be told in this millisecond. False if that was begun before, or nothing is due.
    /// - Parameter isBusy: somebody waits to be written to. All receipts at once would keep messages waiting, in the
    ///   same line for their turn, and in the log for the core; so only a quarter is told.
    func beginTelling(isBusy: Bool, at now: Moment) -> Bool {
        guard hasMoreToTell, now.monotonic > toldAt else { return false }
        toldAt = now.monotonic
        left = isBusy ? max(1, bounds.perMillisecond / 4) : bounds.perMillisecond
        return true
    }

    /// Of whom to tell next; nil when it is enough for now. Own devices are always told. Others wait for a later tick,
    /// in line, while their conversation has used up what it may tell; what is told then is the newest state.
    /// `told` says how many that came to.
    func next(at now: Moment) -> Telling? {
        while left > 0, let member = due.popFirst() {
            // Looking costs, too.
            left -= 1
            let isMember = member.isCurrent
            let toOwn = member.progress.isOwnUntold && isMember
            member.progress.isOwnUntold = false
            let mustWait = member.conversation.receiptPace.budget.isSpent(at: now.monotonic)
            if mustWait { expectTick(of: member, at: now) } else { member.progress.isUntold = false }
            let toOthers = !mustWait && isMember
            if toOwn || toOthers {
                return Telling(
                    member: member, toOwnDevices: toOwn,
                    toOthers: toOthers && member.conversation.members.count <= bounds.membersMax)
            }
        }
        return nil
    }

    /// So many sessions were told of the member.
    func told(_ telling: Telling, own: Int, others: Int, at now: Moment) {
        left -= own + others
        telling.member.conversation.receiptPace.budget.spend(others, of: bounds.perSecond, at: now.monotonic)
    }

    // MARK: Storing

    /// Has everything that changed stored with the next batches, without waiting for its time.
    func storeNow() {
        storeAt = nil
        isStoreDue = true
    }

    /// Takes what is due to be stored, the oldest first, at most so many of each kind. Called only when a batch is
    /// about to go: until then, who is a member isn't settled. Watermarks go ahead of the batch, so that who leaves and
    /// comes back by it begins anew; cursors go behind it, so that a new device is there.
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
            // Gone since, or another membership of the same user by now.
            guard member.isCurrent else { continue }
            watermarks.append(.watermark(member.conversation.number, member.user.number, member.watermark))
        }
        unstoredMembers.removeFirst(min(count, unstoredMembers.count))
        isStoreDue = !unstoredDevices.isEmpty || !unstoredMembers.isEmpty
        return (watermarks, cursors)
    }
}
