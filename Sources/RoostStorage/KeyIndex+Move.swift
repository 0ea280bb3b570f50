/// Merging runs: eight of one level become one of the next, so there are few runs to look into, and each key is written
/// again once a level. It goes by the beginnings of hashes: the keys with one beginning leave all the sources and enter
/// the target in one transaction, so at every commit each key is in exactly one run, and a kill leaves nothing to mend.
extension KeyIndex {
    /// As many as the levels differ by: see `KeyRun.level`.
    private static let fanIn = 8
    private static let blocksAtOnce = 64

    /// Whether runs are being merged.
    var isMoving: Bool { runs.contains { $0.target != nil } }

    /// Moves about so many keys, but some tens of blocks at least or nothing yet: every piece writes the pages at its
    /// ends and some of SQLite's own once more. What is moved too much, is less the next time.
    mutating func move(keys: Int) throws {
        debt = isMoving ? debt + keys : 0
        guard debt >= KeyIndex.blocksAtOnce * keysPerBlock else { return }
        // The smallest first: it is soon done, and keeps the number of runs low.
        while debt > 0, let target = runs.firstIndex(where: { run in runs.contains { $0.target == run.firstBlock } }) {
            debt -= max(1, try moveNext(to: target))
        }
    }

    /// Removes the run that was being made of the tail when the relay was killed: its keys are in the tail again.
    mutating func dropUnfinished() throws {
        for run in runs where run.moved != nil && !runs.contains(where: { $0.target == run.firstBlock }) {
            try deleteBlocks(run.blocks)
            try delete(run)
        }
    }

    /// Begins what is due, when a run is whole.
    mutating func planMerges() throws {
        for level in Set(runs.map(\.level)) {
            let sources = runs.indices.filter {
                runs[$0].level == level && runs[$0].moved == nil && runs[$0].target == nil
            }
            guard sources.count >= KeyIndex.fanIn else { continue }
            let keys = sources.reduce(0) { $0 + runs[$1].keys }
            // Not fewer bits than the sources have, even if most of their keys were removed.
            let bits = max(
                KeyRun.bits(keys: keys, perBlock: keysPerBlock), sources.reduce(0) { max($0, runs[$1].bits) })
            let names = sources.map { runs[$0].firstBlock }
            let target = try newRun(bits: bits)
            for index in runs.indices where names.contains(runs[index].firstBlock) {
                runs[index].target = target.firstBlock
                try save(runs[index])
            }
        }
    }

    /// Moves the next beginning of hashes. Returns how many keys it has.
    private mutating func moveNext(to index: Int) throws -> Int {
        let target = runs[index]
        let sources = runs.filter { $0.target == target.firstBlock }
        let width = sources.reduce(target.bits) { min($0, $1.bits) }
        let prefix = UInt64(truncatingIfNeeded: target.moved ?? 0)
        var entries: [KeyEntry] = []
        for source in sources {
            let blocks = source.blocks(of: prefix, width: width)
            try read(blocks) { entries.append($0) }
            try deleteBlocks(blocks)
        }
        guard entries.allSatisfy({ $0.hash.leading(width) == prefix }) else {
            throw StorageFailure.inconsistent("a key is in the wrong block")
        }
        let spread = KeySpread(entries, over: target.blocks(of: prefix, width: width), of: target)
        for block in spread.blocks { try write(spread.entries(of: block), to: block) }
        runs[index].keys += entries.count
        runs[index].moved = Int64(truncatingIfNeeded: prefix) + 1
        if prefix + 1 < 1 << UInt64(width) {
            try save(runs[index])
        } else {
            for source in sources { try delete(source) }
            try finish(target.firstBlock, keys: target.keys + entries.count)
        }
        return entries.count
    }

    func deleteBlocks(_ blocks: Range<Int64>) throws {
        statements.deleteBlocks.bind(1, blocks.lowerBound)
        statements.deleteBlocks.bind(2, blocks.upperBound)
        try statements.deleteBlocks.run()
    }

    func save(_ run: KeyRun) throws {
        let row = statements.saveRun
        row.bind(1, run.firstBlock)
        row.bind(2, Int64(run.bits))
        row.bind(3, Int64(run.keys))
        if let target = run.target { row.bind(4, target) } else { row.bindNull(4) }
        if let moved = run.moved { row.bind(5, moved) } else { row.bindNull(5) }
        try row.run()
    }

    private mutating func delete(_ run: KeyRun) throws {
        statements.deleteRun.bind(1, run.firstBlock)
        try statements.deleteRun.run()
        runs.removeAll { $0.firstBlock == run.firstBlock }
    }
}
