import RoostCore
import RoostWire

/// The indexes follow behind the log: see DESIGN, section 3.
extension SQLiteWriter {
    /// Part of every commit: moves keys between runs, and when the tail is too long, merges some of it, both in
    /// proportion to the commit's own rows. Returns whether the merge is complete once this transaction is committed.
    func mergeDebt(rows: Int) throws -> Bool {
        guard rows > 0 else { return false }
        try index.move(keys: rows * bounds.movedKeysPerRow)
        guard merge != nil || tail.newRows > bounds.tailRows else { return false }
        // What is erased waits for the index.
        if merge == nil { try startMerge(isStage: erasures.isEmpty && tail.olderParts < bounds.stages) }
        return try mergeSome(entries: rows * bounds.entriesPerRow)
    }

    /// An idle writer's share, in a transaction of its own. Returns whether there was anything to do. `isForced`: even
    /// if it is little.
    func mergeWhenIdle(isForced: Bool = false) throws -> Bool {
        guard merge != nil || tail.rows >= max(1, isForced ? 1 : bounds.idleRows) else { return false }
        let isComplete = try transact {
            if merge == nil { try startMerge(isStage: false) }
            return try mergeSome(entries: bounds.idleEntries)
        }
        if isComplete { finishMerge() }
        return true
    }

    private func startMerge(isStage: Bool) throws {
        let new = keys.freeze().entries
        merge = IndexMerge(tail.freeze(), isStage: isStage, try index.begin(new), count: new.count, upTo: head)
    }

    private func mergeSome(entries: Int) throws -> Bool {
        var left = entries
        while left > 0 {
            switch merge?.takeNext() {
            case .keys(let keys, let block):
                for key in keys { filter.add(key.hash) }
                try index.write(keys, to: block)
                left -= max(1, keys.count)
            case .events(let block):
                try write(block, stage: merge?.isStage == true ? merge?.upTo : nil)
                left -= block.rows
            case .last(let number):
                left -= 1
                guard let conversation = conversations[number] else { continue }
                statements.updateLast.bind(1, number)
                statements.updateLast.bind(2, conversation.lastSequence)
                statements.updateLast.bind(3, conversation.lastPosition)
                statements.updateLast.bind(4, conversation.lastTime)
                try statements.updateLast.run()
            case nil:
                guard let merge else { return false }
                try index.finish(merge.keys.blocks.lowerBound, keys: merge.keyCount)
                try setMeta("indexed_to", merge.upTo)
                if !merge.isStage {
                    try setMeta("events_to", merge.upTo)
                    try statements.clearStages.run()
                }
                return true
            }
        }
        return false
    }

    /// `stage`: the last position of the stage that it belongs to; nil: it belongs to the event index.
    private func write(_ block: EventBlock, stage: Int64?) throws {
        let statement = stage == nil ? statements.indexEvents : statements.stageEvents
        statement.bind(1, block.conversation)
        statement.bind(2, block.before)
        statement.bind(3, block.position)
        if let stage { statement.bind(5, stage) }
        try block.bytes.withUnsafeBytes { bytes in
            try statement.bind(4, borrowedBlob: bytes)
            try statement.run()
        }
    }

    /// The last slice is committed: readers and look-ups use the indexes from now on.
    func finishMerge() {
        guard let merge else { return }
        if !merge.isStage { tail.dropOlder(upTo: merge.upTo) }
        keys.dropFrozen()
        self.merge = nil
    }
}
