/// The keys of the rows that the key index doesn't hold yet, by hash. Only the writer looks for keys, so this is
/// confined to its thread. A look-up gives candidates; whether a key is really there, the log says.
struct KeyTail {
    /// The keys of one part of the tail. Nearly every hash has one position; the few others stand aside.
    struct Run {
        private var positions: [UInt64: Int64] = [:]
        private var collisions: [(hash: UInt64, position: Int64)] = []

        var count: Int { positions.count + collisions.count }

        mutating func add(_ hash: UInt64, _ position: Int64) {
            if positions[hash] == nil {
                positions[hash] = position
            } else {
                collisions.append((hash, position))
            }
        }

        /// Tries each candidate until one is accepted.
        func first<Value>(_ hash: UInt64, _ accept: (Int64) throws -> Value?) rethrows -> Value? {
            guard let position = positions[hash] else { return nil }
            if let found = try accept(position) { return found }
            for collision in collisions where collision.hash == hash {
                if let found = try accept(collision.position) { return found }
            }
            return nil
        }

        /// Everything, in the order of the index.
        func sorted() -> [(hash: Int64, position: Int64)] {
            var all: [(hash: Int64, position: Int64)] = []
            all.reserveCapacity(count)
            for (hash, position) in positions { all.append((Int64(bitPattern: hash), position)) }
            for (hash, position) in collisions { all.append((Int64(bitPattern: hash), position)) }
            all.sort { $0.hash < $1.hash || ($0.hash == $1.hash && $0.position < $1.position) }
            return all
        }
    }

    private(set) var frozen: Run?
    private(set) var active = Run()

    mutating func add(_ hash: UInt64, _ position: Int64) {
        active.add(hash, position)
    }

    /// Begins a new part and returns the old one.
    mutating func freeze() -> Run {
        let run = active
        frozen = run
        active = Run()
        return run
    }

    mutating func dropFrozen() {
        frozen = nil
    }

    func first<Value>(_ hash: UInt64, _ accept: (Int64) throws -> Value?) rethrows -> Value? {
        if let found = try active.first(hash, accept) { return found }
        return try frozen?.first(hash, accept)
    }
}
