/// The hash of a sender and key, and the position of its row.
struct KeyEntry: Equatable {
    var hash: UInt64
    var position: Int64

    /// In SQLite's form, with a sign.
    var storedHash: Int64 { Int64(bitPattern: hash) }
}

/// The keys, by hash, of rows that the key index doesn't hold yet. Only the writer looks up keys, so this is confined
/// to its thread. A look-up gives candidates; the log tells whether the key really is there.
struct KeyTail {
    /// The keys of one part of the tail, in a hash table with open addressing. The hashes are secret and evenly
    /// distributed, so their low bits select the slot. A hash that occurs twice takes two slots.
    struct Part {
        /// Position 0, which no row has, marks a free slot. At most half of the slots are taken.
        private var slots = [KeyEntry](repeating: KeyEntry(hash: 0, position: 0), count: 1_024)
        private(set) var count = 0

        /// All keys, in no order.
        var entries: [KeyEntry] { slots.filter { $0.position != 0 } }

        mutating func add(_ entry: KeyEntry) {
            if count * 2 >= slots.count { grow() }
            count += 1
            place(entry)
        }

        /// Tries each candidate until one is accepted.
        func first<Value>(_ hash: UInt64, _ accept: (Int64) throws -> Value?) rethrows -> Value? {
            var slot = home(hash)
            while slots[slot].position != 0 {
                if slots[slot].hash == hash, let found = try accept(slots[slot].position) { return found }
                slot = (slot + 1) & (slots.count - 1)
            }
            return nil
        }

        private mutating func place(_ entry: KeyEntry) {
            var slot = home(entry.hash)
            while slots[slot].position != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = entry
        }

        private mutating func grow() {
            let all = entries
            slots = [KeyEntry](repeating: KeyEntry(hash: 0, position: 0), count: slots.count * 2)
            for entry in all { place(entry) }
        }

        // The number of slots is a power of two.
        private func home(_ hash: UInt64) -> Int {
            Int(truncatingIfNeeded: hash) & (slots.count - 1)
        }
    }

    /// The part that is being written to the index.
    private(set) var frozen: Part?
    private(set) var active = Part()

    mutating func add(_ entry: KeyEntry) {
        active.add(entry)
    }

    /// Begins a new part and returns the old one.
    mutating func freeze() -> Part {
        let part = active
        frozen = part
        active = Part()
        return part
    }

    mutating func dropFrozen() {
        frozen = nil
    }

    func first<Value>(_ hash: UInt64, _ accept: (Int64) throws -> Value?) rethrows -> Value? {
        if let found = try active.first(hash, accept) { return found }
        return try frozen?.first(hash, accept)
    }
}
