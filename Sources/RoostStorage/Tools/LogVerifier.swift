import RoostCore
import RoostWire

/// Reads the log from its beginning and checks each row: its checksum, its references, and that it is the next in its
/// conversation. Keeps its place, so that it can continue later. Belongs to the thread of its connection.
final class LogVerifier {
    /// Damaged positions that are remembered. Above, what the indexes say of such rows counts as damage too.
    private static let damagedMax = 1_000_000

    private let table: LogTable
    private var names: DirectoryNames
    /// Everything up to here was read.
    private(set) var position: Int64 = 0
    private(set) var audit: LogAudit
    /// Rows that can't be trusted, and positions that can't be read.
    private(set) var damagedPositions: Set<Int64> = []
    /// Messages in threads, by conversation.
    private var inThreads: [Int32: MessageBits] = [:]
    /// Positions next to each other that can't be read.
    private var unreadable: ClosedRange<Int64>?

    init(_ database: Database) throws {
        table = try LogTable(database)
        names = try DirectoryNames(database)
        audit = LogAudit(hash: try StoreFile.keyHash(of: database))
    }

    /// Takes the directory as it is now.
    func update(_ names: DirectoryNames) { self.names = names }

    /// Reads at most this number of rows up to a position. Returns whether there are no more.
    func read(upTo last: Int64, rows: Int, _ report: inout VerifyReport) throws -> Bool {
        var left = rows
        try table.walk(above: position, upTo: last) { row in
            self.position = row.position
            take(row, &report)
            left -= 1
            return left > 0
        } damaged: { position in
            self.position = position
            noteUnreadable(position, &report)
            left -= 1
            return left > 0
        }
        if left > 0 { self.position = last }
        return left > 0
    }

    /// Nothing comes any more.
    func finish(_ report: inout VerifyReport) {
        guard let range = unreadable else { return }
        unreadable = nil
        let place =
            range.count == 1 ? "position \(range.lowerBound)" : "positions \(range.lowerBound) to \(range.upperBound)"
        report.add("log", place, "can't be read; whatever stood there is lost", .restore)
    }

    private func noteUnreadable(_ position: Int64, _ report: inout VerifyReport) {
        remember(position)
        if let range = unreadable, range.upperBound == position - 1 {
            unreadable = range.lowerBound...position
        } else {
            finish(&report)
            unreadable = position...position
        }
    }

    private func remember(_ position: Int64) {
        if damagedPositions.count < LogVerifier.damagedMax { damagedPositions.insert(position) }
    }

    private func take(_ row: LogColumns, _ report: inout VerifyReport) {
        let isIntact = row.isIntact
        if !isIntact {
            remember(row.position)
            audit.miss(in: row.conversation)
            report.add(
                "log", place(of: row),
                "\(what(row)) isn't what was written; it is left out of what clients get, and nobody can change it",
                .restore)
        }
        audit.takeKey(of: row, isIntact: isIntact)
        // The key of a row of an erased conversation stays.
        if row.conversation == ConversationNumber.none.value { return }
        // Rows of an erased conversation are on their way out.
        if names.conversations[row.conversation] == nil {
            if let upTo = names.erased[row.conversation], row.position <= upTo { return }
            if isIntact {
                report.add("log", place(of: row), "belongs to a conversation that isn't in the directory", .restore)
            }
            return
        }
        if fits(row, isIntact: isIntact, &report) { audit.take(row, isIntact: isIntact) }
    }

    /// Whether the row continues its conversation. A damaged row is believed if it does.
    private func fits(_ row: LogColumns, isIntact: Bool, _ report: inout VerifyReport) -> Bool {
        let before = audit.sequence(of: row.conversation)
        let isMessage = row.kind == .message
        let expected = isMessage ? before + 1 : before
        guard row.sequence != expected else {
            if isIntact { checkNames(row, &report) }
            return true
        }
        guard isIntact else { return false }
        audit.miss(in: row.conversation)
        let conversation = names.place(row.conversation)
        if row.sequence > expected {
            let last = isMessage ? row.sequence - 1 : row.sequence
            let lost = before + 1 == last ? "message \(last) is" : "messages \(before + 1) to \(last) are"
            report.add(
                "log", "\(conversation), before position \(row.position)", "\(lost) missing; clients get a gap",
                .restore)
        } else {
            report.add(
                "log", place(of: row), "comes after message \(before) but is numbered \(row.sequence)", .restore)
        }
        return row.sequence > expected
    }

    private func checkNames(_ row: LogColumns, _ report: inout VerifyReport) {
        if names.users[row.sender] == nil {
            report.add("log", place(of: row), "the sender, number \(row.sender), isn't in the directory", .restore)
        }
        let mayRefer = row.kind == .message ? row.sequence - 1 : row.sequence
        if row.reference < 0 || row.reference > mayRefer {
            report.add("log", place(of: row), "refers to message \(row.reference), which isn't there", .restore)
        }
        if row.kind == .message, !row.extras.isEmpty { checkThread(of: row, &report) }
    }

    /// A thread begins with an earlier message that is in none.
    private func checkThread(of row: LogColumns, _ report: inout VerifyReport) {
        let root = Extras(parsing: row.extras).thread.value
        guard root != 0 else { return }
        if root < 0 || root >= row.sequence {
            report.add("log", place(of: row), "is in the thread of message \(root), which isn't there", .restore)
        } else if inThreads[row.conversation]?.contains(root) == true {
            report.add("log", place(of: row), "is in the thread of message \(root), which is in a thread", .restore)
        }
        inThreads[row.conversation, default: MessageBits()].insert(row.sequence)
    }

    private func place(of row: LogColumns) -> String {
        "position \(row.position), \(names.place(row.conversation))"
    }

    private func what(_ row: LogColumns) -> String {
        row.kind == .message ? "message \(row.sequence)" : "the event"
    }
}
