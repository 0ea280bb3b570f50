import RoostCore
import RoostWire

/// Finds the row with a sender's key. The newest keys are in memory, the others in a table. Hashes are random: in a
/// table ordered by hash, each new key would be on another page. So each merge writes a part of its own, in blocks,
/// ordered by hash, behind all others; parts are never merged with each other. Some twenty parts make a generation,
/// which has a filter. A look-up asks the filter of each generation, newest first, and reads its parts only if the
/// filter doesn't rule the key out.
///
/// Keys of erased rows stay: a look-up asks the log, which has no row there any more.
///
/// On the writer's thread, in its transactions. After a failed transaction its memory, like the rest of the writer's,
/// must not be used.
final class KeyIndex {
    /// Keys that weren't in the table when the merge began, in the order in which they are written.
    struct Part {
        let number: Int64
        let entries: [KeyEntry]
    }

    private let hash: @Sendable (Int32, UnsafeRawBufferPointer) -> UInt64
    private let statements: KeyStatements
    private let bounds: StorageBounds
    private let reporter: StorageReporter
    private var tail = KeyTail()
    /// Oldest first.
    private var full: [KeyGeneration] = []
    private var newest: KeyGeneration
    /// Generations whose parts were read so far.
    private(set) var tableReads = 0

    /// Loads the filters of full generations, and the keys of the newest generation to build its filter again.
    init(
        _ database: Database, lookUps: Database, bounds: StorageBounds, reporter: StorageReporter,
        hash: @escaping @Sendable (Int32, UnsafeRawBufferPointer) -> UInt64
    ) throws {
        statements = try KeyStatements(database, lookUps: lookUps)
        self.bounds = bounds
        self.reporter = reporter
        self.hash = hash
        newest = KeyGeneration(number: 1, upTo: 0, filter: KeyFilter(keys: bounds.keysPerGeneration))
        try load()
    }

    /// Keys in the table.
    var storedKeys: Int { full.reduce(newest.keys) { $0 + $1.keys } }

    /// The table has the keys of all rows up to this position.
    var floor: Int64 { newest.upTo }

    /// Bytes of the filters in memory.
    var filterBytes: Int { full.reduce(newest.filter.byteCount) { $0 + $1.filter.byteCount } }

    func hash(of key: UnsafeRawBufferPointer, by sender: Int32) -> UInt64 {
        ErasedKey.hash(of: key) ?? hash(sender, key)
    }

    func hash(of key: String, by sender: Int32) -> UInt64 {
        var key = key
        return key.withUTF8 { hash(of: UnsafeRawBufferPointer($0), by: sender) }
    }

    /// Sets the answer for each hash that a filter doesn't rule out.
    func mark(_ hashes: [UInt64], in answers: inout [Bool]) {
        newest.mark(hashes, in: &answers)
        for generation in full { generation.mark(hashes, in: &answers) }
    }

    /// Whether a key is certainly new. `mayBeOld` is the answer of `mark`.
    func isNew(_ hash: UInt64, mayBeOld: Bool) -> Bool { !mayBeOld && !newest.mayHold(hash) }

    /// Tries each position noted for this hash until one is accepted. A new key costs a look at one filter for each
    /// generation; `mayBeOld` is the answer of `mark`, after which only newer keys are asked for.
    func first<Value>(_ hash: UInt64, mayBeOld: Bool = true, _ accept: (Int64) throws -> Value?) throws -> Value? {
        if newest.mayHold(hash) {
            if let found = try tail.first(hash, accept) { return found }
            if let found = try first(hash, in: newest, accept) { return found }
        }
        guard mayBeOld else { return nil }
        var next = full.count
        while next > 0 {
            next -= 1
            guard full[next].mayHold(hash) else { continue }
            if let found = try first(hash, in: full[next], accept) { return found }
        }
        return nil
    }

    /// Notes the key of a row that is being written.
    func add(_ hash: UInt64, at position: Int64) {
        tail.add(KeyEntry(hash: hash, position: position))
        newest.filter.add(hash)
    }

    // MARK: Merging

    /// Begins a part of all keys added so far, up to position `head`, in a transaction. nil if there are so few that
    /// they can stay in memory: small parts would make look-ups slow.
    func freeze(upTo head: Int64) throws -> Part? {
        guard tail.active.entries.count >= bounds.keysPerPart || head - floor >= bounds.rowsPerPart else { return nil }
        let number = newest.parts + 1
        // The rest of a merge that was cut short.
        statements.removePart.bind(1, newest.number)
        statements.removePart.bind(2, number)
        try statements.removePart.run()
        return Part(number: number, entries: tail.freeze())
    }

    /// Writes one block, of at most `KeyBlock.keysMax` keys.
    func write(_ entries: ArraySlice<KeyEntry>, of part: Int64) throws {
        guard let first = entries.first else { return }
        let insert = statements.insert
        insert.bind(1, newest.number)
        insert.bind(2, part)
        insert.bind(3, first.storedHash)
        insert.bind(4, first.position)
        try entries.withUnsafeBytes { bytes in
            insert.bind(5, KeyBlock.checksum(generation: newest.number, part: part, bytes: bytes))
            try insert.bind(6, borrowedBlob: bytes)
            try insert.run()
        }
    }

    /// All entries of the part have been written; `upTo` is its last row.
    func finish(_ part: Part, upTo: Int64) throws {
        if !part.entries.isEmpty { newest.parts = part.number }
        newest.keys += part.entries.count
        newest.upTo = upTo
        let isFull = newest.keys >= bounds.keysPerGeneration || newest.parts >= bounds.partsPerGeneration
        try save(newest, withFilter: isFull)
        if isFull { try beginGeneration() }
    }

    /// The transaction that finished the part is committed: look-ups now find its keys in the table.
    func dropFrozen() { tail.dropFrozen() }

    // MARK: The table

    private func first<Value>(
        _ hash: UInt64, in generation: KeyGeneration, _ accept: (Int64) throws -> Value?
    ) throws -> Value? {
        tableReads &+= 1
        var positions: [Int64] = []
        var part = generation.parts
        while part > 0 {
            try find(hash, generation: generation.number, part: part, into: &positions)
            part -= 1
        }
        for position in positions {
            if let value = try accept(position) { return value }
        }
        return nil
    }

    /// Reads backwards from the last block that begins at or below the hash. A hash may occur in several blocks.
    private func find(_ hash: UInt64, generation: Int64, part: Int64, into found: inout [Int64]) throws {
        let wanted = Int64(bitPattern: hash)
        let block = statements.find
        block.bind(1, generation)
        block.bind(2, part)
        block.bind(3, wanted)
        while try block.step() {
            let bytes = block.bytes(2)
            guard block.int64(1) == KeyBlock.checksum(generation: generation, part: part, bytes: bytes) else {
                block.reset()
                throw StorageFailure.damagedIndex("keys of generation \(generation), part \(part)")
            }
            for entry in KeyEntries(bytes) where entry.hash == hash { found.append(entry.position) }
            guard block.int64(0) == wanted else { return block.reset() }
        }
    }

    private func load() throws {
        let rows = statements.generations
        while try rows.step() {
            let bytes = rows.bytes(4)
            let isWhole = !rows.isNull(5) && rows.int64(5) == Int64(Checksum.of(bytes))
            let stored = isWhole ? KeyFilter(bytes: bytes) : nil
            let keys = Int(clamping: rows.int64(2))
            guard (0...KeyGeneration.partsMax).contains(rows.int64(1)) else {
                throw StorageFailure.damagedIndex("generation \(rows.int64(0)) can't have so many parts")
            }
            var generation = KeyGeneration(
                number: rows.int64(0), parts: rows.int64(1), keys: keys, upTo: rows.int64(3),
                filter: stored ?? KeyFilter(keys: max(bounds.keysPerGeneration, keys)))
            if stored == nil {
                if !rows.isNull(5) {
                    reporter.note(.damagedIndex, "the key filter of generation \(generation.number) is made again")
                }
                try fill(&generation)
            }
            full.append(generation)
        }
        if let last = full.popLast() { newest = last } else { try save(newest, withFilter: false) }
    }

    /// Makes the filter from the blocks. If one is damaged, its keys are unknown: then look-ups read the generation's
    /// parts without asking the filter, and fail at that block.
    private func fill(_ generation: inout KeyGeneration) throws {
        let blocks = statements.scan
        blocks.bind(1, generation.number)
        blocks.bind(2, generation.parts)
        while try blocks.step() {
            guard let entries = KeyBlock.entries(of: blocks, generation: generation.number) else {
                if !generation.isDoubtful {
                    let part = blocks.int64(0)
                    reporter.note(.damagedIndex, "keys of generation \(generation.number), part \(part), are damaged")
                }
                generation.isDoubtful = true
                continue
            }
            for entry in entries { generation.filter.add(entry.hash) }
        }
    }

    private func beginGeneration() throws {
        full.append(newest)
        // A merge may exceed the size, because a part isn't divided.
        var filter = KeyFilter(keys: bounds.keysPerGeneration)
        for entry in tail.active.entries { filter.add(entry.hash) }
        newest = KeyGeneration(number: newest.number + 1, upTo: newest.upTo, filter: filter)
        try save(newest, withFilter: false)
    }

    /// The filter of a full generation is stored; that of the newest or a damaged one is built again at each start.
    private func save(_ generation: KeyGeneration, withFilter: Bool) throws {
        let row = statements.save
        row.bind(1, generation.number)
        row.bind(2, generation.parts)
        row.bind(3, Int64(generation.keys))
        row.bind(4, generation.upTo)
        guard withFilter, !generation.isDoubtful else {
            row.bindNull(5)
            row.bindNull(6)
            return try row.run()
        }
        try generation.filter.withBytes { bytes in
            try row.bind(5, borrowedBlob: bytes)
            row.bind(6, Int64(Checksum.of(bytes)))
            try row.run()
        }
    }
}

/// The hashes of a batch's keys, and which of them certainly are new. All filters are asked for the whole batch before
/// its first row is written: the processor then waits for many places in memory at once. A value, used again for each
/// batch.
struct BatchKeys {
    /// One for each event that is to be appended, in order; 0 for an event without a key.
    private var hashes: [UInt64] = []
    private var mayBeOld: [Bool] = []

    mutating func load(_ batch: [Mutation], from index: KeyIndex) {
        hashes.removeAll(keepingCapacity: true)
        for mutation in batch {
            guard case .append(let event) = mutation else { continue }
            let key = event.key
            hashes.append(key.isEmpty ? 0 : index.hash(of: key, by: event.sender.value))
        }
        mayBeOld.removeAll(keepingCapacity: true)
        mayBeOld.append(contentsOf: repeatElement(false, count: hashes.count))
        index.mark(hashes, in: &mayBeOld)
    }

    /// The hash of the event's key, and whether the index may have had it before the batch.
    subscript(event: Int) -> (hash: UInt64, mayBeOld: Bool) { (hashes[event], mayBeOld[event]) }
}
