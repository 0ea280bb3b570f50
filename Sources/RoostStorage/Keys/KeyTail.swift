/// The hash of a sender and key, and the position of its row.
struct KeyEntry: Equatable {
    var hash: UInt64
    var position: Int64

    /// As SQLite has it: with a sign.
    var storedHash: Int64 { Int64(bitPattern: hash) }
}

/// The keys of the rows that the key index doesn't hold yet, by hash. Only the writer looks for keys, so this is
/// confined to its thread. A look-up gives candidates; whether a key is really there, the log says.
struct KeyTail {
    /// The keys of one part of the tail: a hash table with open addresses. The hashes are secret and even, so their low
    /// bits are as good a slot as any; a hash that comes twice has two slots.
    struct Part {
        /// Position 0, which no row has, marks a free one. At most half of them are taken.
        private var slots = [KeyEntry](repeating: KeyEntry(hash: 0, position: 0), count: 1_024)
        private(set) var count = 0

        /// All of them, in no order.
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
