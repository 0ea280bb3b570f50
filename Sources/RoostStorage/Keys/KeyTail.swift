/// The hash of a sender and key, and the position of its row.
struct KeyEntry: Equatable {
    var hash: UInt64
    var position: Int64

    /// In SQLite's form, with a sign.
    var storedHash: Int64 { Int64(bitPattern: hash) }

    /// The order of the table.
    static func isBefore(_ one: KeyEntry, _ other: KeyEntry) -> Bool {
        one.hash == other.hash ? one.position < other.position : one.storedHash < other.storedHash
    }
}

/// The keys, by hash, of rows that the key index doesn't hold yet. Only the writer looks up keys, so this is confined
/// to its thread. A look-up gives candidates; the log shows whether the key really is there.
struct KeyTail {
    /// The keys of one part of the tail, in the order in which they were added, with a hash table of their indexes. The
    /// table has open addressing. The hashes are secret and evenly distributed, so their low bits select the slot. A
    /// hash that occurs twice takes two slots.
    struct Part {
        private(set) var entries: [KeyEntry] = []
        /// An index into `entries`, plus one; 0 marks a free slot. At most half of the slots are taken. Their number is
        /// a power of two.
        private var slots: [UInt32]

        /// A part with room for as many keys as another one had.
        init(like other: Part? = nil) {
            slots = [UInt32](repeating: 0, count: other?.slots.count ?? 1_024)
            entries.reserveCapacity(slots.count / 2)
        }

        mutating func add(_ entry: KeyEntry) {
            if entries.count * 2 >= slots.count { grow() }
            entries.append(entry)
            Part.place(entry.hash, UInt32(truncatingIfNeeded: entries.count), in: &slots)
        }

        /// Tries each candidate until one is accepted.
        func first<Value>(_ hash: UInt64, _ accept: (Int64) throws -> Value?) rethrows -> Value? {
            var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
            while slots[slot] != 0 {
                let entry = entries[Int(slots[slot]) - 1]
                if entry.hash == hash, let found = try accept(entry.position) { return found }
                slot = (slot + 1) & (slots.count - 1)
            }
            return nil
        }

        private mutating func grow() {
            slots = [UInt32](repeating: 0, count: slots.count * 2)
            for (index, entry) in entries.enumerated() {
                Part.place(entry.hash, UInt32(truncatingIfNeeded: index + 1), in: &slots)
            }
        }

        private static func place(_ hash: UInt64, _ index: UInt32, in slots: inout [UInt32]) {
            let mask = slots.count - 1
            var slot = Int(truncatingIfNeeded: hash) & mask
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = index
        }
    }

    /// The part that is being written to the index.
    private(set) var frozen: Part?
    private(set) var active = Part()

    mutating func add(_ entry: KeyEntry) {
        active.add(entry)
    }

    /// Begins a new part and returns the keys of the old one in the order of the table.
    mutating func freeze() -> [KeyEntry] {
        let part = active
        frozen = part
        active = Part(like: part)
        return KeyTail.sorted(part.entries)
    }

    mutating func dropFrozen() {
        frozen = nil
    }

    func first<Value>(_ hash: UInt64, _ accept: (Int64) throws -> Value?) rethrows -> Value? {
        if let found = try active.first(hash, accept) { return found }
        return try frozen?.first(hash, accept)
    }

    /// Deals the entries into buckets by the upper bits of their hashes, which are evenly distributed, and sorts each:
    /// a commit waits for it, and this takes a third of the time of sorting them all.
    private static func sorted(_ entries: [KeyEntry]) -> [KeyEntry] {
        let bits = max(0, 60 - entries.count.leadingZeroBitCount)
        // Flipping the sign bit makes the order of signed numbers that of unsigned ones.
        func bucket(_ entry: KeyEntry) -> Int { Int((entry.hash ^ 1 << 63) >> UInt64(64 - bits)) }
        var ends = [Int](repeating: 0, count: 1 << bits)
        for entry in entries { ends[bucket(entry)] += 1 }
        var sum = 0
        for index in ends.indices {
            sum += ends[index]
            ends[index] = sum
        }
        var dealt = entries
        var starts = ends
        for entry in entries.reversed() {
            starts[bucket(entry)] -= 1
            dealt[starts[bucket(entry)]] = entry
        }
        dealt.withUnsafeMutableBufferPointer { all in
            for (start, end) in zip(starts, ends) where end - start > 1 {
                var some = UnsafeMutableBufferPointer(rebasing: all[start..<end])
                some.sort(by: KeyEntry.isBefore)
            }
        }
        return dealt
    }
}
