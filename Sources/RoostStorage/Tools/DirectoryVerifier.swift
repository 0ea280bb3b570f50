import RoostCore

/// Checks that the tables of users, devices, conversations and members refer to existing rows, and that no mark is
/// beyond the log. In the transaction of the connection. A value.
struct DirectoryVerifier {
    private let database: Database
    private let names: DirectoryNames
    private let log: LogAudit
    private let summary: StoreFile.Summary

    init(_ database: Database, _ names: DirectoryNames, _ log: LogAudit, _ summary: StoreFile.Summary) {
        self.database = database
        self.names = names
        self.log = log
        self.summary = summary
    }

    func verify(_ report: inout VerifyReport) throws {
        try verifyMembers(&report)
        let unfinished = try UnfinishedImports.read(database)
        for sentence in unfinished { report.add("meta", "", sentence, .importAgain) }
        for check in DirectoryVerifier.checks {
            // Members come last, so a conversation without any isn't damaged.
            let isOfMembers = check.table == "member" || check.table == "conversation"
            let filter = isOfMembers && !unfinished.isEmpty ? DirectoryVerifier.withMembers : ""
            try tell(check, filter, &report)
        }
        // Without pins, the log isn't read for them.
        if try database.value("SELECT 1 FROM pin LIMIT 1") != nil { try tell(DirectoryVerifier.pins, "", &report) }
        if summary.epoch.isEmpty { report.add("meta", "epoch", "is missing", .restore) }
    }

    /// A query of what can't be. Each of its rows is a finding: two numbers, of which row of the table, and what stands
    /// for % in the text. `?1` is the log's head.
    private struct Check {
        let table: String
        let text: String
        let sql: String

        init(_ table: String, _ text: String, _ sql: String) {
            self.table = table
            self.text = text
            self.sql = sql
        }

        /// Rows whose column names a user that isn't there.
        static func users(_ column: String, of table: String, by key: String, _ role: String = "of") -> Check {
            Check(
                table, "is \(role) a user, number %, that isn't there",
                "SELECT \(key), \(column) FROM \(table) WHERE \(column) NOT IN (SELECT number FROM user) GROUP BY 1, 2")
        }
    }

    private static let checks = [
        Check.users("user", of: "device", by: "number"),
        .users("other", of: "exception", by: "user", "about"), .users("user", of: "exception", by: "other", "about"),
        .users("user", of: "profile", by: "user"), .users("user", of: "revocation", by: "user"),
        .users("user", of: "state", by: "user"), .users("user", of: "prospect", by: "user"),
        .users("user", of: "invite", by: "user"),
        .users("high", of: "contact", by: "low"), .users("low", of: "contact", by: "high"),
        .users("reporter", of: "report", by: "number", "by"), .users("user", of: "pin", by: "conversation", "by"),
        Check(
            "restriction", "is of a user, number %, who isn't and wasn't a member",
            """
            SELECT conversation, user FROM restriction
            WHERE user <> 0 AND (conversation, user) NOT IN (SELECT conversation, user FROM member)
            """),
        Check(
            "contact", "isn't a pair of users of whom one is the inviter",
            "SELECT low, inviter FROM contact WHERE inviter NOT IN (low, high) OR low >= high"),
        Check(
            "profile", "% users have the same username",
            "SELECT min(user), count(*) FROM profile WHERE username <> '' GROUP BY username HAVING count(*) > 1"),
        Check(
            "receipt", "is of a user, number %, who isn't and wasn't a member",
            """
            SELECT conversation, user FROM receipt
            WHERE (conversation, user) NOT IN (SELECT conversation, user FROM member)
            """),
        Check(
            "state", "was set at position %, which the log hasn't reached",
            "SELECT user, max(position) FROM state GROUP BY user HAVING max(position) > ?1"),
        Check(
            "state", "% values of this user can't be read",
            "SELECT user, count(*) FROM state WHERE value IS NOT NULL AND NOT json_valid(value) GROUP BY user"),
        Check(
            "mention", "is of user number % in a conversation that isn't there",
            """
            SELECT conversation, user FROM mention WHERE conversation NOT IN (SELECT number FROM conversation)
                AND conversation NOT IN (SELECT conversation FROM erasure)
            """),
        Check(
            "device", "has acked position %, which the log hasn't reached",
            "SELECT number, cursor FROM device WHERE cursor > ?1"),
        Check(
            "user", "% users have the same name",
            "SELECT min(number), count(*) FROM user GROUP BY name HAVING count(*) > 1"),
        Check(
            "conversation", "% conversations have the same id",
            "SELECT min(number) AS number, count(*) FROM conversation GROUP BY id HAVING count(*) > 1"),
        Check(
            "conversation", "waits for a user, number %, who can't accept it",
            """
            SELECT number, abs(request) FROM conversation WHERE request <> 0
                AND (kind <> 1 OR abs(request) IS opener
                    OR (number, abs(request)) NOT IN (SELECT conversation, user FROM member))
            """),
        Check(
            "member", "% users are in this direct conversation, not two",
            """
            SELECT conversation.number AS number, count(member.user) FROM conversation LEFT JOIN member
                ON member.conversation = conversation.number
            WHERE conversation.kind = 1 GROUP BY conversation.number HAVING count(member.user) <> 2
            """),
    ]

    private static let pins = Check(
        "pin", "is of message %, which isn't there or was deleted",
        """
        SELECT conversation, sequence FROM pin
        EXCEPT SELECT conversation, sequence FROM log WHERE kind = 1 AND deleted_at IS NULL
        """)

    private func verifyMembers(_ report: inout VerifyReport) throws {
        let rows = try database.prepare("SELECT conversation, user, delivered, read, own, marked FROM member")
        while try rows.step() {
            let place = "\(names.place(rows.int32(0))), user \(names.users[rows.int32(1)] ?? "number \(rows.int32(1))")"
            if names.conversations[rows.int32(0)] == nil {
                report.add("member", place, "the conversation isn't there", .restore)
            } else if max(rows.int64(2), rows.int64(3)) > log.sequence(of: rows.int32(0)) {
                report.add("member", place, "has got or read more than there is", .restore)
            } else if !isThere(SequenceRanges(text: rows.text(4)), in: rows.int32(0)) {
                report.add("member", place, "has written more than there is", .restore)
            } else if !isThere(SequenceRanges(text: rows.text(5)), in: rows.int32(0)) {
                report.add("member", place, "has marked more as unread than there is", .restore)
            }
            if names.users[rows.int32(1)] == nil { report.add("member", place, "the user isn't there", .restore) }
        }
    }

    private func isThere(_ own: SequenceRanges?, in conversation: Int32) -> Bool {
        own.map { $0.ranges.last?.upperBound ?? 0 <= log.sequence(of: conversation) } ?? false
    }

    /// Selects rows with a conversation's number whose conversations have members.
    private static let withMembers = "WHERE number IN (SELECT conversation FROM member)"

    private func tell(_ check: Check, _ filter: String, _ report: inout VerifyReport) throws {
        let rows = try database.prepare(filter.isEmpty ? check.sql : "SELECT * FROM (\(check.sql)) \(filter)")
        if check.sql.contains("?1") { rows.bind(1, summary.head) }
        let parts = check.text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        while try rows.step() {
            report.add(
                check.table, "number \(rows.int64(0))", parts.joined(separator: rows.int64(1).description), .restore)
        }
    }
}
