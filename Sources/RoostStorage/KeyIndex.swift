/// Where the row of a key is, for all rows but the newest: runs on disk, in which a look-up finds candidates by hash.
/// What leaves the tail becomes a small run of its own, so that nothing is written to random pages; `KeyIndex+Move`
/// merges small runs into larger ones. Used inside the writer's transactions only, on its thread; what is in memory is
/// good until one fails, as all that the writer has.
struct KeyIndex {
    let statements: KeyStatements
    /// Keys of a block at most, as it is planned; hashes spread evenly, but not exactly.
    let keysPerBlock: Int
    /// Smallest first: what is new is in small runs, and most look-ups that find something are of what is new.
    var runs: [KeyRun] = []
    /// The first number that no block has or will have.
    var nextBlock: Int64 = 1
    /// Keys that commits still owe the merges of runs.
    var debt = 0

    init(_ database: Database, keysPerBlock: Int) throws {
        statements = try KeyStatements(database)
        self.keysPerBlock = keysPerBlock
        let rows = statements.runs
        while try rows.step() {
            var run = KeyRun(firstBlock: rows.int64(0), bits: Int(rows.int64(1)), keys: Int(rows.int64(2)))
            run.target = rows.isNull(3) ? nil : rows.int64(3)
            run.moved = rows.isNull(4) ? nil : rows.int64(4)
            add(run)
            nextBlock = max(nextBlock, run.blocks.upperBound)
        }
    }

    /// Keys in all runs.
    var keys: Int { runs.reduce(0) { $0 + $1.keys } }

    /// Tries each position that this hash has until one is accepted.
    func first<Value>(_ hash: UInt64, _ accept: (Int64) throws -> Value?) throws -> Value? {
        for run in runs {
            statements.block.bind(1, run.block(of: hash))
            let found = try statements.block.first { row in
                KeyBlock(row.bytes(0)).compactMap { $0.hash == hash ? $0.position : nil }
            }
            for position in found ?? [] {
                if let value = try accept(position) { return value }
            }
        }
        return nil
    }

    /// Every key whose hash has this beginning of `width` bits.
    func entries(of prefix: UInt64, width: Int) throws -> [KeyEntry] {
        var found: [KeyEntry] = []
        for run in runs {
            try read(run.blocks(of: prefix, width: width)) { if $0.hash.leading(width) == prefix { found.append($0) } }
        }
        return found
    }

    func read(_ blocks: Range<Int64>, _ body: (KeyEntry) -> Void) throws {
        statements.blocks.bind(1, blocks.lowerBound)
        statements.blocks.bind(2, blocks.upperBound)
        while try statements.blocks.step() { KeyBlock(statements.blocks.bytes(0)).forEach(body) }
    }

    // MARK: Making and removing

    /// Begins a run of these keys. A kill before `finish` leaves a part of it, which `dropUnfinished` removes.
    mutating func begin(_ entries: [KeyEntry]) throws -> KeySpread {
        let run = try newRun(bits: KeyRun.bits(keys: entries.count, perBlock: keysPerBlock))
        return KeySpread(entries, over: run.blocks, of: run)
    }

    func write(_ entries: ArraySlice<KeyEntry>, to block: Int64) throws {
        guard !entries.isEmpty else { return }
        statements.insertBlock.bind(1, block)
        try entries.withUnsafeBytes { bytes in
            try statements.insertBlock.bind(2, borrowedBlob: bytes)
            try statements.insertBlock.run()
        }
    }

    /// All keys of the run are written.
    mutating func finish(_ firstBlock: Int64, keys: Int) throws {
        guard let index = runs.firstIndex(where: { $0.firstBlock == firstBlock }) else { return }
        runs[index].keys = keys
        runs[index].moved = nil
        try save(runs[index])
        try planMerges()
    }

    /// Takes one key out of whatever run has it.
    func remove(_ entry: KeyEntry) throws {
        for run in runs {
            let block = run.block(of: entry.hash)
            var kept: [KeyEntry] = []
            var isThere = false
            try read(block..<block + 1) { if $0 == entry { isThere = true } else { kept.append($0) } }
            guard isThere else { continue }
            try deleteBlocks(block..<block + 1)
            return try write(kept[...], to: block)
        }
    }

    mutating func newRun(bits: Int) throws -> KeyRun {
        var run = KeyRun(firstBlock: nextBlock, bits: bits)
        run.moved = 0
        nextBlock = run.blocks.upperBound
        add(run)
        try save(run)
        return run
    }

    private mutating func add(_ run: KeyRun) {
        runs.insert(run, at: runs.firstIndex { $0.bits > run.bits } ?? runs.count)
    }
}
