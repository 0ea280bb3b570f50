/// The contacts in a simulation, as its clients know them from commands that the relay accepted without an error. It
/// asks neither the relay nor the ledger. Times are milliseconds by the wall clock.
struct Acquaintances {
    /// A client's act on another user.
    enum Deed {
        case invite, accept
        /// A contact or an invitation ends.
        case end
    }

    private struct Span {
        var since: Int64
        var until = Int64.max
    }

    private var inviters: [Ledger.Pair: Int] = [:]
    /// Invitations hidden from the invited user, who had blocked the inviter.
    private var withheld: Set<Ledger.Pair> = []
    /// When the two were contacts.
    private var spans: [Ledger.Pair: [Span]] = [:]

    private var talked: Set<Ledger.Pair> = []
    /// Contacts that only the one sees who has opened a link of the other, who has blocked it; and since when.
    private var linked: [Ledger.Pair: Int64] = [:]
    /// Pairs of users where one has opened a link of the other.
    private var followed: Set<Ledger.Pair> = []
    /// Conversations that strangers have begun, and that were dropped, whether that is durable or not.
    private(set) var dropped: Set<Int> = []

    private func key(_ one: Int, _ other: Int) -> Ledger.Pair { Ledger.Pair(min(one, other), max(one, other)) }

    private func areContacts(_ pair: Ledger.Pair) -> Bool { spans[pair]?.last?.until == .max }

    /// The relay took the command without an error.
    /// - Parameter isBlocked: whether the other user has blocked this one.
    mutating func note(_ deed: Deed, by user: Int, _ other: Int, isBlocked: Bool, at time: Int64) {
        let pair = key(user, other)
        // A withheld invitation isn't there for the invited user, unless it invites the other one itself.
        let isUnheard = inviters[pair] == other && withheld.contains(pair)
        switch deed {
        case .invite where inviters[pair] == nil && !areContacts(pair):
            inviters[pair] = user
            if isBlocked { withheld.insert(pair) }
        case .invite where inviters[pair] == user:
            guard !isBlocked, withheld.contains(pair) else { return }
            if linked[pair] == nil { withheld.remove(pair) } else { begin(pair, at: time) }
        case .invite, .accept:
            if inviters[pair] == other, deed == .invite || !isUnheard { begin(pair, at: time) }
        case .end:
            if !isUnheard { end(pair, at: time) }
        }
    }

    /// The relay took it that the user opens a link of the maker's.
    /// - Parameter isBlocked: whether the maker has blocked the user, and so sees nothing of it.
    /// - Returns: whether it counts as a use.
    mutating func noteOpened(by user: Int, of maker: Int, isBlocked: Bool, at time: Int64) -> Bool {
        let pair = key(user, maker)
        followed.insert(Ledger.Pair(user, maker))
        let isSeen = inviters[pair] == user && linked[pair] != nil
        if areContacts(pair) || isSeen && isBlocked { return false }
        if isBlocked, inviters[pair] != maker {
            if inviters[pair] == nil { withheld.insert(pair) }
            inviters[pair] = user
            linked[pair] = time
        } else {
            begin(pair, at: time)
        }
        return !isSeen
    }

    /// Whether the user has opened a link of the other one, ever.
    func hasFollowed(_ user: Int, _ other: Int) -> Bool { followed.contains(Ledger.Pair(user, other)) }

    /// Whether what there is between the two is none of the maker's business: the user has opened a link before `time`,
    /// and the maker had blocked it.
    func isHidden(_ user: Int, from maker: Int, since time: Int64) -> Bool {
        let pair = key(user, maker)
        return inviters[pair] == user && withheld.contains(pair) && linked[pair].map { $0 < time } ?? false
    }

    /// The state of the other one in the user's list of contacts; nil if it isn't listed.
    func state(of other: Int, for user: Int) -> String? {
        let pair = key(user, other)
        guard let inviter = inviters[pair] else { return areContacts(pair) ? "accepted" : nil }
        guard inviter == user else { return withheld.contains(pair) ? nil : "received" }
        return linked[pair] == nil ? "sent" : "accepted"
    }

    /// The account of one of the two was deleted.
    mutating func forget(_ user: Int, _ other: Int, at time: Int64) { end(key(user, other), at: time) }

    /// The relation of the two, for `Promises`.
    func word(_ one: Int, _ other: Int) -> String {
        let pair = key(one, other)
        let way = linked[pair] == nil ? "" : " by link"
        return inviters[pair].map { "invited by \($0)" + way } ?? (areContacts(pair) ? "contacts" : "none")
    }

    private mutating func begin(_ pair: Ledger.Pair, at time: Int64) {
        inviters[pair] = nil
        withheld.remove(pair)
        linked[pair] = nil
        spans[pair, default: []].append(Span(since: time))
    }

    private mutating func end(_ pair: Ledger.Pair, at time: Int64) {
        inviters[pair] = nil
        withheld.remove(pair)
        linked[pair] = nil
        guard areContacts(pair), let last = spans[pair]?.indices.last else { return }
        spans[pair]?[last].until = time
    }

    /// Another relay starts with the stored state: the inviter of each pair, or nil for contacts, the withheld
    /// invitations, and those that came from a link.
    mutating func restart(
        with stored: [Ledger.Pair: Int?], withheld: Set<Ledger.Pair>, linked: Set<Ledger.Pair>, at time: Int64
    ) {
        for pair in spans.keys.sorted(by: { ($0.one, $0.other) < ($1.one, $1.other) }) where areContacts(pair) {
            if stored[pair] != .some(.none) { end(pair, at: time) }
        }
        inviters.removeAll()
        self.withheld = withheld
        let before = self.linked
        self.linked = [:]
        for pair in linked { self.linked[pair] = before[pair] ?? time }
        for (pair, inviter) in stored {
            if let inviter { inviters[pair] = inviter } else if !areContacts(pair) { begin(pair, at: time) }
        }
    }

    /// The relay accepted that the receiver drops the request in this conversation.
    mutating func noteDropped(_ conversation: Int) { dropped.insert(conversation) }

    /// The two have a direct conversation that both want, which is never closed, so they know each other from now on.
    mutating func noteConversation(_ one: Int, _ other: Int) { talked.insert(key(one, other)) }

    /// Whether the two were contacts then, and have been for a moment.
    func wereContacts(_ one: Int, _ other: Int, at time: Int64, for delay: Int64) -> Bool {
        spans[key(one, other)]?.contains { $0.since < time - delay && time < $0.until } ?? false
    }

    /// Whether the two were contacts then, or a moment before, or have ever talked.
    func knewEachOther(_ one: Int, _ other: Int, at time: Int64, within delay: Int64) -> Bool {
        let pair = key(one, other)
        return talked.contains(pair)
            || spans[pair]?.contains { $0.since <= time && time - delay <= $0.until } ?? false
    }
}
