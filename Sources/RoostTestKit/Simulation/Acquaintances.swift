/// Who is whose contact in a simulation, as its clients know from what the relay took without an error. It asks neither
/// the relay nor the ledger. Times are milliseconds by the wall clock.
struct Acquaintances {
    /// What a client does about another user.
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
    /// Whose invitations the invited user doesn't hear of, because it had blocked the inviter.
    private var withheld: Set<Ledger.Pair> = []
    /// When the two were contacts.
    private var spans: [Ledger.Pair: [Span]] = [:]

    private var talked: Set<Ledger.Pair> = []
    /// Conversations that strangers have begun, and that were dropped, whether that is durable or not.
    private(set) var dropped: Set<Int> = []

    private func key(_ one: Int, _ other: Int) -> Ledger.Pair { Ledger.Pair(min(one, other), max(one, other)) }

    private func areContacts(_ pair: Ledger.Pair) -> Bool { spans[pair]?.last?.until == .max }

    /// The relay took the command without an error.
    /// - Parameter isBlocked: whether the other user has blocked this one.
    mutating func note(_ deed: Deed, by user: Int, _ other: Int, isBlocked: Bool, at time: Int64) {
        let pair = key(user, other)
        // What the invited user doesn't hear of isn't there for it, unless it invites the other one itself.
        let isUnheard = inviters[pair] == other && withheld.contains(pair)
        switch deed {
        case .invite where inviters[pair] == nil && !areContacts(pair):
            inviters[pair] = user
            if isBlocked { withheld.insert(pair) }
        case .invite where inviters[pair] == user:
            if !isBlocked { withheld.remove(pair) }
        case .invite, .accept:
            if inviters[pair] == other, deed == .invite || !isUnheard { begin(pair, at: time) }
        case .end:
            if !isUnheard { end(pair, at: time) }
        }
    }

    /// The account of one of the two was deleted.
    mutating func forget(_ user: Int, _ other: Int, at time: Int64) { end(key(user, other), at: time) }

    /// What the two are to each other, for `Promises`.
    func word(_ one: Int, _ other: Int) -> String {
        let pair = key(one, other)
        return inviters[pair].map { "invited by \($0)" } ?? (areContacts(pair) ? "contacts" : "none")
    }

    private mutating func begin(_ pair: Ledger.Pair, at time: Int64) {
        inviters[pair] = nil
        withheld.remove(pair)
        spans[pair, default: []].append(Span(since: time))
    }

    private mutating func end(_ pair: Ledger.Pair, at time: Int64) {
        inviters[pair] = nil
        withheld.remove(pair)
        guard areContacts(pair), let last = spans[pair]?.indices.last else { return }
        spans[pair]?[last].until = time
    }

    /// Another relay starts with what is stored: who has invited, or nobody for contacts, and which invitations are
    /// withheld.
    mutating func restart(with stored: [Ledger.Pair: Int?], withheld: Set<Ledger.Pair>, at time: Int64) {
        for pair in spans.keys.sorted(by: { ($0.one, $0.other) < ($1.one, $1.other) }) where areContacts(pair) {
            if stored[pair] != .some(.none) { end(pair, at: time) }
        }
        inviters.removeAll()
        self.withheld = withheld
        for (pair, inviter) in stored {
            if let inviter { inviters[pair] = inviter } else if !areContacts(pair) { begin(pair, at: time) }
        }
    }

    /// The relay took it that somebody drops the request which this conversation is.
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
