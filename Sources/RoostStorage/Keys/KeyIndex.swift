import RoostCore
import RoostWire

/// Finds the row with a sender's key. The newest keys are in memory, the others in a table ordered by generation and
/// hash. Hashes are random: in a table ordered by hash alone, each new key would be on another page, and there would be
/// more and more pages. A generation has a limited size, which limits the pages that a merge dirties. Generations are
/// never merged with each other. A look-up asks the filter of each generation, newest first, and reads a page only if
/// the filter doesn't rule the key out.
///
/// On the writer's thread, in its transactions. After a failed transaction its memory, like the rest of the writer's,
/// must not be used.
final class KeyIndex {
    /// Keys that weren't in the table when the merge began, in the order in which they are merged.
    typealias Part = [KeyEntry]

    private let hash: @Sendable (Int32, UnsafeRawBufferPointer) -> UInt64
    private let statements: KeyStatements
    private let keysPerGeneration: Int
    private let reporter: StorageReporter
    private var tail = KeyTail()
    /// Oldest first. The last generation is being filled.
    private var generations: [KeyGeneration] = []
    /// Look-ups in the table so far.
    private(set) var tableReads = 0

    /// Loads the filters of full generations, and the keys of the newest generation to build its filter again.
    init(
        _ database: Database, lookUps: Database, keysPerGeneration: Int, reporter: StorageReporter,
        hash: @escaping @Sendable (Int32, UnsafeRawBufferPointer) -> UInt64
    ) throws {
        statements = try KeyStatements(database, lookUps: lookUps)
        self.keysPerGeneration = keysPerGeneration
        self.reporter = reporter
        self.hash = hash
        try load()
    }

    /// Keys in the table.
    var storedKeys: Int { generations.reduce(0) { $0 + $1.keys } }

    /// What the filters take in memory.
    var filterBytes: Int { generations.reduce(0) { $0 + $1.filter.byteCount } }

    func hash(of key: UnsafeRawBufferPointer, by sender: Int32) -> UInt64 { hash(sender, key) }

    /// Tries each position stored for this hash until one is accepted.
    func first<Value>(_ hash: UInt64, _ accept: (Int64) throws -> Value?) throws -> Value? {
        if let found = try tail.first(hash, accept) { return found }
        var next = generations.count
        while next > 0 {
            next -= 1
            guard generations[next].filter.mayHold(hash) else { continue }
            for position in try positions(of: hash, in: generations[next].number) {
                if let value = try accept(position) { return value }
            }
        }
        return nil
    }

    /// Notes the key of a row that is being written.
    func add(_ hash: UInt64, at position: Int64) {
        tail.add(KeyEntry(hash: hash, position: position))
    }

    /// Removes the key of a row that the table holds.
    func remove(_ hash: UInt64, at position: Int64) throws {
        for generation in generations where position <= generation.upTo {
            statements.remove.bind(1, generation.number)
            statements.remove.bind(2, Int64(bitPattern: hash))
            statements.remove.bind(3, position)
            return try statements.remove.run()
        }
    }

    // MARK: Merging

    /// Begins a merge of all keys added so far. They are sorted, so that neighbours share a page.
    func freeze() -> Part {
        tail.freeze().entries.sorted { $0.storedHash < $1.storedHash }
    }

    func write(_ entries: ArraySlice<KeyEntry>) throws {
        let last = generations.count - 1
        let insert = statements.insert
        insert.bind(1, generations[last].number)
        for entry in entries {
            generations[last].filter.add(entry.hash)
            insert.bind(2, entry.storedHash)
            insert.bind(3, entry.position)
            try insert.run()
        }
    }

    /// All entries of the part have been written; `upTo` is its last row.
    func finish(_ part: Part, upTo: Int64) throws {
        let last = generations.count - 1
        generations[last].keys += part.count
        generations[last].upTo = upTo
        let isFull = generations[last].keys >= keysPerGeneration
        try save(generations[last], isFull: isFull)
        if isFull { try begin(after: generations[last].number) }
    }

    /// The transaction that finished the part is committed: look-ups now find its keys in the table.
    func dropFrozen() { tail.dropFrozen() }

    // MARK: The table

    private func positions(of hash: UInt64, in generation: Int64) throws -> [Int64] {
        tableReads &+= 1
        statements.find.bind(1, generation)
        statements.find.bind(2, Int64(bitPattern: hash))
        var found: [Int64] = []
        while try statements.find.step() { found.append(statements.find.int64(0)) }
        return found
    }

    private func load() throws {
        let rows = statements.generations
        while try rows.step() {
            let bytes = rows.bytes(3)
            let isWhole = !rows.isNull(4) && rows.int64(4) == Int64(Checksum.of(bytes))
            let stored = isWhole ? KeyFilter(bytes: bytes) : nil
            var generation = KeyGeneration(
                number: rows.int64(0), keys: Int(clamping: rows.int64(1)), upTo: rows.int64(2),
                filter: stored ?? KeyFilter(keys: max(keysPerGeneration, Int(clamping: rows.int64(1)))))
            if stored == nil {
                if !rows.isNull(4) {
                    reporter.note(.damagedIndex, "the key filter of generation \(generation.number) is made again")
                }
                try fill(&generation)
            }
            generations.append(generation)
        }
        if generations.isEmpty { try begin(after: 0) }
    }

    private func fill(_ generation: inout KeyGeneration) throws {
        statements.scan.bind(1, generation.number)
        while try statements.scan.step() {
            generation.filter.add(UInt64(bitPattern: statements.scan.int64(0)))
        }
    }

    private func begin(after number: Int64) throws {
        let upTo = generations.last?.upTo ?? 0
        // A merge may exceed the size, because a part isn't divided.
        let filter = KeyFilter(keys: keysPerGeneration)
        generations.append(KeyGeneration(number: number + 1, keys: 0, upTo: upTo, filter: filter))
        try save(generations[generations.count - 1], isFull: false)
    }

    /// The filter of a full generation is stored; that of the newest is built again at each start.
    private func save(_ generation: KeyGeneration, isFull: Bool) throws {
        let row = statements.save
        row.bind(1, generation.number)
        row.bind(2, Int64(generation.keys))
        row.bind(3, generation.upTo)
        guard isFull else {
            row.bindNull(4)
            row.bindNull(5)
            return try row.run()
        }
        try generation.filter.withBytes { bytes in
            try row.bind(4, borrowedBlob: bytes)
            row.bind(5, Int64(Checksum.of(bytes)))
            try row.run()
        }
    }
}
