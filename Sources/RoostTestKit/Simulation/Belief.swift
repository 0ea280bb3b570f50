import RoostWire

/// What a client was told last of others and of its conversations. Users and conversations are indices of the
/// simulation.
struct Belief {
    /// The word for how a user is.
    var presence: [Int: String] = [:]
    var watching: Set<Int> = []
    var typing: Set<Ledger.Pair> = []
    var receipts: [Ledger.Pair: Ledger.Mark] = [:]
    var objects: [Int: (unread: Int64, read: Int64, count: Int64, sequence: Int64)] = [:]
    var rosters: [Int: JSONValue] = [:]

    /// The client's user is no longer in a conversation: nobody types there any more, and how far others have read is
    /// forgotten.
    mutating func forget(_ conversation: Int) {
        typing = typing.filter { $0.one != conversation }
        receipts = receipts.filter { $0.key.one != conversation }
    }
}
