import RoostCore
import RoostWire

/// The users' reports. On the writer's thread.
struct ReportTable {
    private let insert: Statement
    private let delete: Statement

    init(_ database: Database) throws {
        insert = try database.prepare(
            """
            REPLACE INTO report (number, reporter, user, conversation, sequence, reason, text, time, closed_by, note,
                closed_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            """)
        delete = try database.prepare("DELETE FROM report WHERE number = ?1")
    }

    /// Puts the report in place of what was stored under its number.
    func set(_ report: StoredReport) throws {
        let statement = insert
        statement.bind(1, report.number)
        statement.bind(2, report.reporter.value)
        statement.bind(3, report.user.value)
        try statement.bind(4, copying: report.conversation)
        statement.bind(5, report.sequence.value)
        statement.bind(6, Int32(report.reason.rawValue))
        try statement.bind(7, copying: report.text)
        statement.bind(8, report.time.milliseconds)
        if let closing = report.closing {
            try statement.bind(9, copying: closing.by)
            try statement.bind(10, copying: closing.note)
            statement.bind(11, closing.time.milliseconds)
        } else {
            for place in Int32(9)...11 { statement.bindNull(place) }
        }
        try statement.run()
    }

    func forget(_ number: Int64) throws {
        delete.bind(1, number)
        try delete.run()
    }

    /// All reports, in the order of numbers.
    static func read(_ database: Database) throws -> [StoredReport] {
        let query = try database.prepare(
            """
            SELECT number, reporter, user, conversation, sequence, reason, text, time, closed_by, note, closed_at
            FROM report ORDER BY number
            """)
        var reports: [StoredReport] = []
        while try query.step() {
            var report = StoredReport(
                query.int64(0), by: UserNumber(query.int32(1)), of: UserNumber(query.int32(2)),
                UInt8(exactly: query.int32(5)).flatMap(ReportReason.init(rawValue:)) ?? .other,
                at: Timestamp(milliseconds: query.int64(7)))
            report.conversation = query.text(3)
            report.sequence = SequenceNumber(query.int64(4))
            report.text = query.text(6)
            if !query.isNull(8) {
                report.closing = StoredReport.Closing(
                    by: query.text(8), note: query.text(9), at: Timestamp(milliseconds: query.int64(10)))
            }
            reports.append(report)
        }
        return reports
    }
}
