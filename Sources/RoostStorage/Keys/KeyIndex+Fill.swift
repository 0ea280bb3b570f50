import RoostCore
import RoostWire

/// Fills a key index to a size that would take hours to reach by appending. For measurements only.
extension SQLiteLog {
    /// Fills the key index of an empty store with random keys, as if their rows had been appended
    /// and erased. Later positions follow them.
    package func fillKeys(_ count: Int) throws {
        guard writer.head == 0 else { throw StorageFailure.inconsistent("only an empty store is filled") }
        try writer.fillKeys(count)
    }

    /// Looks up random keys that don't exist. Returns how many times a table was read because a filter was wrong.
    package func lookForNewKeys(_ count: Int) throws -> Int {
        var random = SystemRandomNumberGenerator()
        let keys = writer.indexer.keys
        let before = keys.tableReads
        for _ in 0..<count { _ = try keys.first(random.next()) { _ -> Bool? in nil } }
        return keys.tableReads - before
    }
}

extension SQLiteWriter {
    fileprivate func fillKeys(_ count: Int) throws {
        var random = SystemRandomNumberGenerator()
        while head < count {
            for _ in 0..<min(bounds.tailRows, count - Int(head)) {
                head += 1
                indexer.keys.add(random.next(), at: head)
            }
            try transactions.run {
                if let part = try indexer.keys.freeze(upTo: head) {
                    var rest = part.entries[...]
                    while !rest.isEmpty {
                        try indexer.keys.write(rest.prefix(KeyBlock.keysMax), of: part.number)
                        rest = rest.dropFirst(KeyBlock.keysMax)
                    }
                    try indexer.keys.finish(part, upTo: head)
                }
                try meta.set("head_floor", to: head)
                try meta.set("indexed_to", to: head)
            }
            indexer.keys.dropFrozen()
            try checkpoints.beforeCommit()
        }
        indexer.tail.publish(head)
        indexer.tail.dropFrozen(upTo: head)
    }
}
