import RoostCore
import RoostWire

/// The last steps of members' watermarks: of each member one row, however many messages there are. On the thread of its
/// connection.
struct ReceiptTable {
    private let find: Statement
    private let put: Statement
    private let removeOne: Statement
    private let removeAll: Statement
    private let watermarks: Statement

    static let findSQL = """
        SELECT delivered_from, delivered_to, delivered, read_from, read_to, read FROM receipt
        WHERE conversation = ?1 AND user = ?2
        """

    init(_ database: Database) throws {
        find = try database.prepare(ReceiptTable.findSQL)
        put = try database.prepare(
            """
            INSERT INTO receipt (conversation, user, delivered_from, delivered_to, delivered, read_from, read_to, read)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE EXISTS (
                SELECT 1 FROM member WHERE conversation = ?1 AND user = ?2 AND role IS NOT NULL)
            ON CONFLICT DO UPDATE SET delivered_from = excluded.delivered_from, delivered_to = excluded.delivered_to,
                delivered = excluded.delivered, read_from = excluded.read_from, read_to = excluded.read_to,
                read = excluded.read
            """)
        removeOne = try database.prepare("DELETE FROM receipt WHERE conversation = ?1 AND user = ?2")
        removeAll = try database.prepare("DELETE FROM receipt WHERE conversation = ?1")
        watermarks = try database.prepare(
            """
            SELECT delivered, delivered_at, read, read_at, own, marked, joined_after FROM member
            WHERE conversation = ?1 AND user = ?2 AND role IS NOT NULL
            """)
    }

    /// The conversation is erased.
    func removeAll(of conversation: ConversationNumber) throws {
        removeAll.bind(1, conversation.value)
        try removeAll.run()
    }

    /// The member joins, perhaps again.
    func remove(of user: UserNumber, in conversation: ConversationNumber) throws {
        removeOne.bind(1, conversation.value)
        removeOne.bind(2, user.value)
        try removeOne.run()
    }

    /// A member's stored watermark, and where it joined; nil if the user isn't one.
    func watermark(
        of user: UserNumber, in conversation: ConversationNumber
    ) throws -> (mark: Watermark, joinedAfter: SequenceNumber)? {
        watermarks.bind(1, conversation.value)
        watermarks.bind(2, user.value)
        return try watermarks.first { (ReceiptTable.watermark($0, at: 0), SequenceNumber($0.int64(6))) }
    }

    /// Reads a watermark from the columns that begin with `delivered`, in the order of the table.
    static func watermark(_ row: Statement, at column: Int32) -> Watermark {
        var mark = Watermark()
        mark.delivered = SequenceNumber(row.int64(column))
        mark.deliveredAt = Timestamp(milliseconds: row.int64(column + 1))
        mark.read = SequenceNumber(row.int64(column + 2))
        mark.readAt = Timestamp(milliseconds: row.int64(column + 3))
        mark.own = SequenceRanges(text: row.text(column + 4)) ?? SequenceRanges()
        mark.own.keep(above: mark.read)
        mark.marked = SequenceRanges(text: row.text(column + 5)) ?? SequenceRanges()
        return mark
    }

    /// Both kinds of steps of a member.
    struct Marks: Equatable {
        var delivered = ReceiptSteps()
        var read = ReceiptSteps()
    }

    /// nil if nothing is stored.
    func marks(of user: UserNumber, in conversation: ConversationNumber) throws -> Marks? {
        find.bind(1, conversation.value)
        find.bind(2, user.value)
        return try find.first { row in
            Marks(
                delivered: ReceiptSteps(from: row.int64(0), to: row.int64(1), row.bytes(2)),
                read: ReceiptSteps(from: row.int64(3), to: row.int64(4), row.bytes(5)))
        }
    }

    /// Adds steps, of which some may be known. Ignored if the user is no member.
    func add(_ steps: [ReceiptStep], of user: UserNumber, in conversation: ConversationNumber) throws {
        guard !steps.isEmpty else { return }
        var marks = try marks(of: user, in: conversation) ?? Marks()
        for step in steps {
            if step.isRead { marks.read.add(step) } else { marks.delivered.add(step) }
        }
        put.bind(1, conversation.value)
        put.bind(2, user.value)
        try bind(marks.delivered, at: 3) {
            try bind(marks.read, at: 6) { try put.run() }
        }
    }

    private func bind(_ steps: ReceiptSteps, at index: Int32, _ body: () throws -> Void) throws {
        put.bind(index, steps.from.value)
        put.bind(index + 1, steps.to.value)
        try steps.encoded.withUnsafeBytes { bytes in
            try put.bind(index + 2, borrowedBlob: bytes)
            try body()
        }
    }
}

extension ReceiptSteps {
    // Two bytes of a step are the lowest ones of its sequence, six its time.
    private static let bytes = 8

    /// Reads them. The sequences are found from the last one backwards.
    fileprivate init(from: Int64, to: Int64, _ blob: UnsafeRawBufferPointer) {
        var steps: [Step] = []
        var sequence = to
        var end = blob.count
        while end >= Self.bytes {
            end -= Self.bytes
            let word = UInt64(littleEndian: blob.loadUnaligned(fromByteOffset: end, as: UInt64.self))
            let low = UInt16(truncatingIfNeeded: word)
            sequence = max(0, sequence &- Int64(UInt16(truncatingIfNeeded: sequence) &- low))
            steps.append(Step(SequenceNumber(sequence), at: Timestamp(milliseconds: Int64(word >> 16))))
        }
        self.init(from: SequenceNumber(min(from, to)), steps.reversed())
    }

    /// The steps that two bytes can hold: all, unless a watermark rose by too much.
    fileprivate var encoded: [UInt8] {
        var kept = steps[...]
        for (place, step) in steps.enumerated().dropFirst()
        where step.sequence.value - steps[place - 1].sequence.value > Int64(UInt16.max) {
            kept = steps[place...]
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(kept.count * Self.bytes)
        for step in kept {
            let time = UInt64(clamping: step.time.milliseconds) & (1 << 48 - 1)
            let word = time << 16 | UInt64(UInt16(truncatingIfNeeded: step.sequence.value))
            withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }
}
