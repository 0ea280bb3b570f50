import RoostCore
import RoostWire

/// The ledger's knowledge of one conversation: its members, its messages and their present state. Users are numbers of
/// the simulation, not of the relay.
final class ConversationTruth {
    let index: Int
    let number: Int32
    let id: String
    let kind: ConversationKind
    /// Its titles, photos and descriptions, oldest first.
    private(set) var appearances: [AppearanceTruth] = []
    /// Pinned messages, in the order in which they were pinned.
    var pins: [Int64] = []
    var members: [Int: Ledger.Membership] = [:]
    /// Members in the order in which they joined.
    var order: [Int] = []
    /// Number of times that each user has joined.
    var generations: [Int: Int] = [:]
    var messages: [Ledger.Message] = []
    /// Those that were deleted, as far as the relay knows so many stretches of them.
    var gone = SequenceRanges()
    var lastPosition: Int64 = 0
    /// Direct: the last time by the wall clock at which a user came into it or left.
    var changedAt: Int64 = 0
    var isErased = false
    var moderation = ModerationTruth()
    /// After how many milliseconds messages disappear; 0 if they stay.
    var expiry: Int64 = 0
    /// The end of a direct conversation for the user who doesn't get anything behind it.
    var veil: VeilTruth?
    /// Messages with a withheld present text, by the user it is withheld from.
    var withheld: [Int: [Int64: WithheldSince]] = [:]
    /// Messages that were withheld at some time, by the user they were withheld from.
    var everWithheld: [Int: Set<Int64>] = [:]
    /// Pinned messages that aren't pinned for one of the two users, by that user.
    var hiddenPins: [Int: Set<Int64>] = [:]
    /// Nil unless it began as a stranger's first message.
    var request: RequestTruth?

    init(_ index: Int, _ number: Int32, _ id: String, _ kind: ConversationKind) {
        self.index = index
        self.number = number
        self.id = id
        self.kind = kind
    }

    var name: String { appearances.last?.name ?? "" }
    var photo: String { appearances.last?.photo ?? "" }
    var description: String { appearances.last?.description ?? "" }

    /// It shows itself otherwise, if the event at this position has changed that.
    func show(_ change: ConversationChange?, at position: Int64) {
        var next = appearances.last ?? AppearanceTruth(position: 0)
        if next.apply(change, at: position) { appearances.append(next) }
    }

    /// Number of messages above a watermark by others than the user.
    func written(forUser user: Int, above floor: Int64) -> Int64 {
        Int64(counted(for: user, above: floor).count)
    }

    /// The indices of messages of others above a watermark that may count as unread: none that was ever withheld.
    private func counted(for user: Int, above floor: Int64) -> [Int] {
        let last = veil?.user == user ? Int(veil?.sequence ?? 0) : messages.count
        return messages.indices.prefix(last).dropFirst(Int(max(0, floor))).filter {
            messages[$0].sender != user && !messages[$0].wasWithheld
        }
    }

    /// Number of those that were not deleted.
    func unread(of user: Int, above floor: Int64) -> Int64 {
        Int64(counted(for: user, above: floor).count { !isGone($0) })
    }

    private func isGone(_ index: Int) -> Bool { gone.contains(SequenceNumber(Int64(index) + 1)) }

    /// Number of messages above a watermark that mention a user, by name or with all others, and the first of them;
    /// zeros if none does. Only the newest of each kind are known. The user's own and those with a block between author
    /// and user don't count.
    func mentions(of user: Int, above floor: Int64, isParted: (Int) -> Bool) -> [Int64] {
        func newest(_ name: Int) -> ArraySlice<Int> {
            messages.indices.filter { Int64($0) >= floor && messages[$0].mentioned.contains(name) }
                .suffix(Limits().mentionsKept)
        }
        let found = Set(newest(user)).union(newest(-1)).filter {
            messages[$0].sender != user && !isParted(messages[$0].sender) && !isGone($0)
        }
        return [Int64(found.count), found.min().map { Int64($0) + 1 } ?? 0]
    }
}
