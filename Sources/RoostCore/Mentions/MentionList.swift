import RoostWire

/// Messages that mention somebody who may not have read them yet: the newest ones, in order. Loop thread only.
struct MentionList {
    private(set) var sequences: [SequenceNumber] = []

    init() {}

    /// Those that were stored, in order.
    init(_ sequences: [SequenceNumber]) { self.sequences = sequences }

    /// Notes a message. An edit may add an older one. Of too many, the oldest goes: whoever reads on must not miss what
    /// is still to come.
    mutating func note(_ sequence: SequenceNumber, atMost most: Int) {
        let place = sequences.lastIndex { $0 <= sequence }
        if let place, sequences[place] == sequence { return }
        sequences.insert(sequence, at: place.map { $0 + 1 } ?? 0)
        if sequences.count > most { sequences.removeFirst() }
    }

    /// Forgets messages up to this one, and the memory if none is left.
    mutating func forget(upTo sequence: SequenceNumber) {
        guard let first = sequences.first, first <= sequence else { return }
        sequences.removeAll { $0 <= sequence }
        if sequences.isEmpty { sequences = [] }
    }

    /// How many messages above `floor` that haven't disappeared are in this list or the other one, and the first of
    /// them.
    func unread(
        with other: MentionList, above floor: SequenceNumber, without gone: SequenceRanges
    ) -> (count: Int, first: SequenceNumber)? {
        guard !sequences.isEmpty || !other.sequences.isEmpty else { return nil }
        func left(_ list: MentionList) -> ArraySlice<SequenceNumber> {
            list.sequences.filter { $0 > floor && !gone.contains($0) }[...]
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
