import RoostCore

/// Compares with the log what is derived from it, in one transaction: the directory's note of each conversation's last
/// row, the event index, the key index, and the reactions. Reads every row of those tables. A value.
struct DerivedVerifier {
    let database: Database
    let names: DirectoryNames
    let summary: StoreFile.Summary
    /// The log as far as the key index has it, as far as the event index has it, and all of it.
    let keyed: LogAudit
    let indexed: LogAudit
    let now: LogAudit
    let damaged: Set<Int64>

    func verify(_ report: inout VerifyReport) throws {
        try readingAll("conversation", &report) { try verifyLastRows(&$0) }
        try readingAll("event_block", &report) { try verifyEvents(&$0) }
        try readingAll("key_block", &report) { try verifyKeys(&$0) }
        try readingAll("reaction", &report) { try verifyReactions(&$0) }
        try readingAll("expiring", &report) { try verifyExpiring(&$0) }
        try readingAll("thread", &report) { try verifyThreads(&$0) }
        try readingAll("member", &report) { try DirectoryVerifier(database, names, now, summary).verify(&$0) }
    }

    /// A page that can't be read ends the look at one table only.
    private func readingAll(
        _ table: String, _ report: inout VerifyReport, _ body: (inout VerifyReport) throws -> Void
    ) throws {
        do {
            try body(&report)
        } catch let failure as StorageFailure where failure.isDamage {
            report.add(table, "", "can't be read to its end", .restore)
        }
    }

    // MARK: Conversations

    /// The note may be newer than the indexes, since a merge writes it before it ends, but is one of the log's rows.
    private func verifyLastRows(_ report: inout VerifyReport) throws {
        let find = try database.prepare("SELECT \(LogColumns.names) FROM log WHERE position = ?1")
        for (number, noted) in names.conversations {
            let least = indexed.conversations[number] ?? LogAudit.Conversation()
            let most = now.conversations[number] ?? LogAudit.Conversation()
            // An import, or a merge, may have noted the row of a conversation that none of the indexes has yet.
            guard
                noted.lastPosition != least.position || noted.lastSequence != least.sequence
                    || noted.lastTime != least.time
            else { continue }
            guard noted.lastPosition >= least.position, noted.lastPosition <= most.position else {
                tellLastRow(number, noted, &report)
                continue
            }
            find.bind(1, noted.lastPosition)
            let isThere = try find.first { row in
                let columns = LogColumns(row)
                return columns.conversation == number && columns.sequence == noted.lastSequence
                    && columns.time == noted.lastTime
            }
            if isThere != true { tellLastRow(number, noted, &report) }
        }
    }

    private func tellLastRow(
        _ number: Int32, _ noted: DirectoryNames.Conversation, _ report: inout VerifyReport
    ) {
        report.add(
            "conversation", names.place(number),
            "notes message \(noted.lastSequence) at position \(noted.lastPosition) as its last, the log says otherwise",
            .reindex)
    }

    // MARK: Events

    private func verifyEvents(_ report: inout VerifyReport) throws {
        var found: [Int32: (sum: UInt64, rows: Int64)] = [:]
        let blocks = try database.prepare("SELECT conversation, position, before, checksum, rows FROM event_block")
        while try blocks.step() {
            let (number, position, before) = (blocks.int32(0), blocks.int64(1), blocks.int64(2))
            let bytes = blocks.bytes(4)
            if names.conversations[number] == nil {
                if names.erased[number] == nil {
                    report.add("event_block", "conversation number \(number)", "isn't in the directory", .reindex)
                }
                continue
            }
            guard blocks.int64(3) == EventBlock.checksum(number, position: position, before: before, bytes: bytes)
            else {
                report.add(
                    "event_block", "\(names.place(number)), position \(position)",
                    "isn't what was written; history and catch-up fail there", .reindex)
                continue
            }
            for row in EventRows(before: before, position: position, bytes: bytes)
            where row.position <= summary.indexedTo && !damaged.contains(row.position) {
                found[number, default: (0, 0)].sum &+= LogAudit.sum(
                    row.position, row.sequence, isMessage: row.isMessage)
                found[number, default: (0, 0)].rows += 1
            }
        }
        for number in names.conversations.keys.sorted() {
            let wanted = indexed.conversations[number] ?? LogAudit.Conversation()
            let got = found[number] ?? (0, 0)
            guard got.sum != wanted.events || got.rows != wanted.rows else { continue }
            report.add(
                "event_block", names.place(number),
                "has \(got.rows) rows, the log \(wanted.rows), or others; history and catch-up leave some out", .reindex
            )
        }
    }

    // MARK: Keys

    private func verifyKeys(_ report: inout VerifyReport) throws {
        var found: [Int64: UInt64] = [:]
        try readKeys(&report) { entry in
            // Keys of rows that were erased before the log was read stay in the index.
            guard keyed.hasKey(at: entry.position), !damaged.contains(entry.position) else { return }
            found[entry.position >> LogAudit.keyRangeBits, default: 0] &+= LogAudit.sum(entry)
        }
        for range in Set(found.keys).union(keyed.keys.keys).sorted() where found[range] != keyed.keys[range] {
            let first = range << LogAudit.keyRangeBits
            report.add(
                "key_block", "positions \(first) to \(first + 1 << LogAudit.keyRangeBits - 1)",
                "has other keys than the log; a repeated command may be stored twice", .reindex)
        }
    }

    /// Every key that look-ups can find, and whether its generation's filter lets them.
    private func readKeys(_ report: inout VerifyReport, _ body: (KeyEntry) -> Void) throws {
        let generations = try database.prepare(
            "SELECT number, parts, filter, checksum FROM key_generation ORDER BY number")
        let blocks = try database.prepare(KeyBlock.scanSQL)
        while try generations.step() {
            let number = generations.int64(0)
            let bytes = generations.bytes(2)
            var filter: KeyFilter?
            if !generations.isNull(3) {
                filter = generations.int64(3) == Int64(Checksum.of(bytes)) ? KeyFilter(bytes: bytes) : nil
                if filter == nil {
                    report.add("key_generation", "number \(number)", "its filter isn't what was written", .reindex)
                }
            }
            var denied = 0
            blocks.bind(1, number)
            blocks.bind(2, generations.int64(1))
            while try blocks.step() {
                guard let entries = KeyBlock.entries(of: blocks, generation: number) else {
                    report.add(
                        "key_block", "generation \(number), part \(blocks.int64(0))",
                        "isn't what was written; commands whose keys it may hold are refused, or stored twice",
                        .reindex)
                    continue
                }
                for entry in entries {
                    if let filter, !filter.mayHold(entry.hash) { denied += 1 }
                    body(entry)
                }
            }
            if denied > 0 {
                report.add(
                    "key_generation", "number \(number)",
                    "its filter denies \(denied) of its keys; a repeated command may be stored twice", .reindex)
            }
        }
        let lost = try database.value(
            "SELECT count(*) FROM key_block WHERE generation NOT IN (SELECT number FROM key_generation)")
        if let lost, lost != "0" {
            report.add("key_block", "", "\(lost) blocks belong to no generation and are never found", .reindex)
        }
    }

    // MARK: Disappearing messages

    /// More than there is does no harm.
    private func verifyExpiring(_ report: inout VerifyReport) throws {
        let lost = try database.prepare(
            """
            SELECT position FROM (
                \(Schema.findExpiring) AND deleted_at IS NULL EXCEPT SELECT expires, position FROM expiring)
            """)
        while try lost.step() {
            guard !damaged.contains(lost.int64(0)) else { continue }
            report.add("expiring", "position \(lost.int64(0))", "is missing; the message stays", .reindex)
        }
    }

    // MARK: Threads

    private func verifyThreads(_ report: inout VerifyReport) throws {
        let others = try database.prepare(
            """
            SELECT conversation, sequence FROM (
                \(Schema.findThreads) UNION ALL SELECT conversation, root, sequence, time, withheld_by FROM thread)
            GROUP BY conversation, root, sequence, time, withheld_by HAVING count(*) <> 2
            """)
        while try others.step() {
            // A row that is damaged or lost may have said so.
            guard now.conversations[others.int32(0)]?.isWhole == true else { continue }
            report.add(
                "thread", "\(names.place(others.int32(0))), message \(others.int64(1))",
                "isn't in the thread that the log says", .reindex)
        }
    }

    // MARK: Reactions

    private func verifyReactions(_ report: inout VerifyReport) throws {
        var found: [Int32: UInt64] = [:]
        let rows = try database.prepare("SELECT conversation, sequence, user, reaction FROM reaction")
        while try rows.step() {
            found[rows.int32(0), default: 0] &+= LogAudit.sum(rows.int64(1), rows.int32(2), rows.bytes(3))
        }
        for number in names.conversations.keys.sorted() {
            let wanted = now.conversations[number] ?? LogAudit.Conversation()
            // A row that is lost may have been a reaction.
            guard wanted.isWhole, wanted.reactions != found[number] ?? 0 else { continue }
            report.add("reaction", names.place(number), "has other reactions than the log", .restore)
        }
        let counts = try database.prepare(
            """
            SELECT conversation, sequence FROM (
                SELECT conversation, sequence, reaction, count(*) AS count FROM reaction GROUP BY 1, 2, 3
                UNION ALL SELECT conversation, sequence, reaction, count FROM reaction_count)
            GROUP BY conversation, sequence, reaction HAVING count(*) <> 2 OR min(count) <> max(count)
            """)
        while try counts.step() {
            let number = counts.int32(0)
            guard names.conversations[number] != nil else { continue }
            report.add(
                "reaction_count", "\(names.place(number)), message \(counts.int64(1))",
                "counts other reactions than there are", .reindex)
        }
    }
}
