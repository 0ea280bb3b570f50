import RoostCore
import RoostProtocol

/// The indexes follow behind the log: see DESIGN, section 3.
extension SQLiteWriter {
    /// Part of every commit: when the tail is too long, merges an amount in proportion to the commit's own rows.
    /// Returns whether the merge is complete once this transaction is committed.
    func mergeDebt(rows: Int) throws -> Bool {
        guard rows > 0, tail.rows > bounds.tailRows else { return false }
        if merge == nil { startMerge() }
        return try mergeSome(entries: rows * bounds.entriesPerRow)
    }

    /// An idle writer's share, in a transaction of its own. Returns whether there was anything to do. `isForced`: even
    /// if it is little.
    func mergeWhenIdle(isForced: Bool = false) throws -> Bool {
        if merge == nil {
            guard tail.rows >= max(1, isForced ? 1 : bounds.idleRows) else { return false }
            startMerge()
        }
        if try transact({ try mergeSome(entries: bounds.idleEntries) }) { finishMerge() }
        return true
    }

    /// Only called when nothing is uncommitted, or inside a commit that fails as a whole.
    private func startMerge() {
        merge = IndexMerge(tail.freeze(), keys.freeze(), upTo: head)
    }

    private func mergeSome(entries: Int) throws -> Bool {
        for _ in 0..<entries {
            switch merge?.takeNext() {
            case .key(let hash, let position):
                filter.add(UInt64(bitPattern: hash))
                statements.indexKey.bind(1, hash)
                statements.indexKey.bind(2, position)
                try statements.indexKey.run()
            case .event(let event):
                statements.indexEvent.bind(1, event.conversation)
                statements.indexEvent.bind(2, event.sequence)
                statements.indexEvent.bind(3, event.position)
                try statements.indexEvent.run()
            case .last(let number):
                guard let conversation = conversations[number] else { continue }
                statements.updateLast.bind(1, number)
                statements.updateLast.bind(2, conversation.lastSequence)
                statements.updateLast.bind(3, conversation.lastPosition)
                statements.updateLast.bind(4, conversation.lastTime)
                try statements.updateLast.run()
            case nil:
                guard let merge else { return false }
                try setMeta("indexed_to", merge.upTo)
                return true
            }
        }
        return false
    }

    /// The last slice is committed: readers and look-ups use the index from now on.
    func finishMerge() {
        guard let merge else { return }
        tail.dropFrozen(upTo: merge.upTo)
        keys.dropFrozen()
        self.merge = nil
    }
}
