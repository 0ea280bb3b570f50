import RoostWire

/// A client's latest knowledge of others and of its conversations. Users and conversations are indices of the
/// simulation.
struct Belief {
    /// The monotonic time at which its connection was opened. All frames were written after it.
    var begunAt = Int64.min / 2
    /// The word for how a user is.
    var presence: [Int: String] = [:]
    var texts: [Int: String] = [:]
    var watching: Set<Int> = []
    /// The newest version of each user's profile.
    var profiles: [Int: Int64] = [:]
    /// Number of online members of a conversation, their total, and the membership of its own user in which the client
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
    /// The unread count of its user; nil if it never came.
    var badge: Int64?

    /// The members of a conversation object.
    struct ConversationObject {
        let unread: Int64
        let read: Int64
        let count: Int64
        let sequence: Int64
        /// Number of unread messages that mention the user, and the first of them.
        let mentions: [Int64]
        /// The newest pin first.
        let pins: [Int64]
        /// Whether only the owner and the admins write.
        let isForAnnouncements: Bool
        /// Milliseconds between two messages of a member; 0 for none.
        let slow: Int64
        /// Whether its admins approve users who come by a link, and the number of those who wait.
        let asks: Bool
        let waiting: Int64
        /// When the user's time-out ends; 0 if it has none.
        let timeout: Int64
    }

    /// The client's user is no longer in a conversation: typing there and others' receipts are forgotten.
    mutating func forget(_ conversation: Int) {
        forgetTyping(in: conversation)
        receipts = receipts.filter { $0.key.one != conversation }
        counts[conversation] = nil
    }

    /// The client's user left the conversation or comes into it. The relay doesn't send the end of typing from before.
    mutating func forgetTyping(in conversation: Int) {
        typing = typing.filter { $0.key.one != conversation }
        several.remove(conversation)
    }

    /// The device is in the background, where it gets no typing.
    mutating func goToBackground() {
        isInBackground = true
        typing.removeAll()
        several.removeAll()
    }
}
