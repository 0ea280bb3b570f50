import RoostWire

/// What a client was told last of others and of its conversations. Users and conversations are indices of the
/// simulation.
struct Belief {
    /// The monotonic time at which its connection was opened. Nothing that it is told was written before.
    var begunAt = Int64.min / 2
    /// The word for how a user is.
    var presence: [Int: String] = [:]
    var texts: [Int: String] = [:]
    var watching: Set<Int> = []
    /// The newest version of each user's profile.
    var profiles: [Int: Int64] = [:]
    /// How many members of a conversation are online, of how many, and in which membership of its own user the client
    /// asked.
    var counts: [Int: (online: Int64, of: Int64, generation: Int)] = [:]
    /// By conversation and user: the message in whose thread the user types; 0 for the conversation itself.
    var typing: [Ledger.Pair: Int64] = [:]
    /// Conversations in which several others type.
    var several: Set<Int> = []
    /// The relay has answered that the device is in the background, and the device hasn't come back.
    var isInBackground = false
    var receipts: [Ledger.Pair: Ledger.Mark] = [:]
    /// By conversation: what its object said.
    var objects: [Int: ConversationObject] = [:]
    var rosters: [Int: JSONValue] = [:]
    /// How much its user hasn't read; nil if it was never told.
    var badge: Int64?

    /// What a conversation object says of a conversation.
    struct ConversationObject {
        let unread: Int64
        let read: Int64
        let count: Int64
        let sequence: Int64
        /// How many unread messages mention the user, and the first of them.
        let mentions: [Int64]
        /// The newest pin first.
        let pins: [Int64]
        /// Whether only the owner and the admins write.
        let isForAnnouncements: Bool
        /// Milliseconds between two messages of a member; 0 for none.
        let slow: Int64
        /// When the user's time-out ends; 0 if it has none.
        let timeout: Int64
    }

    /// The client's user is no longer in a conversation: nobody types there any more, and how far others have read is
    /// forgotten.
    mutating func forget(_ conversation: Int) {
        forgetTyping(in: conversation)
        receipts = receipts.filter { $0.key.one != conversation }
        counts[conversation] = nil
    }

    /// The client's user left the conversation or comes into it. Who typed there before isn't told any more.
    mutating func forgetTyping(in conversation: Int) {
        typing = typing.filter { $0.key.one != conversation }
        several.remove(conversation)
    }

    /// The device is in the background, where it isn't told who types.
    mutating func goToBackground() {
        isInBackground = true
        typing.removeAll()
        several.removeAll()
    }
}
