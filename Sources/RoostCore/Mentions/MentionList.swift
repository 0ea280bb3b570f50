import RoostWire

/// Messages that mention a user who may not have read them yet: the newest ones, in order. Loop thread only.
struct MentionList {
    private(set) var mentions: [Mention] = []

    init() {}

    /// Those that were stored, in order.
    init(_ mentions: [Mention]) { self.mentions = mentions }

    /// Notes a message. An edit may add an older one. Beyond the bound, the oldest is dropped: a member who reads on
    /// must not miss later ones.
    mutating func note(_ mention: Mention, atMost most: Int) {
        let place = mentions.lastIndex { $0.sequence <= mention.sequence }
        if let place, mentions[place].sequence == mention.sequence { return }
        mentions.insert(mention, at: place.map { $0 + 1 } ?? 0)
        if mentions.count > most { mentions.removeFirst() }
    }

    /// Forgets messages up to this one, and the memory if none is left.
    mutating func forget(upTo sequence: SequenceNumber) {
        guard let first = mentions.first, first.sequence <= sequence else { return }
        mentions.removeAll { $0.sequence <= sequence }
        if mentions.isEmpty { mentions = [] }
    }

    /// Number of messages for which `isShown` is true in this list or the other one, and the first of them.
    func unread(
        with other: MentionList, isShown: (Mention) -> Bool
    ) -> (count: Int, first: SequenceNumber)? {
        guard !mentions.isEmpty || !other.mentions.isEmpty else { return nil }
        func left(_ list: MentionList) -> ArraySlice<SequenceNumber> {
            list.mentions.filter(isShown).map(\.sequence)[...]
        }
        var (own, others) = (left(self), left(other))
        guard let first = [own.first, others.first].compactMap({ $0 }).min() else { return nil }
        var count = 0
        while let next = [own.first, others.first].compactMap({ $0 }).min() {
            if own.first == next { own.removeFirst() }
            if others.first == next { others.removeFirst() }
            count += 1
        }
        return (count, first)
    }
}
