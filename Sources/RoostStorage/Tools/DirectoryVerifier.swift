/// Checks that the tables of users, devices, conversations and members name what is there, and that nobody is further
/// than the log. In the transaction of the connection. A value.
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
        try verifyContacts(&report)
        try verifyReports(&report)
        try verifyPins(&report)
        try tell(
            "SELECT number, user FROM device WHERE user NOT IN (SELECT number FROM user)", "device",
            "belongs to a user, number %, that isn't there", &report)
        for (user, other) in [("user", "other"), ("other", "user")] {
            try tell(
                "SELECT \(user), \(other) FROM exception WHERE \(other) NOT IN (SELECT number FROM user)", "exception",
                "is about a user, number %, that isn't there", &report)
        }
        try tell(
            "SELECT user, user FROM profile WHERE user NOT IN (SELECT number FROM user)", "profile",
            "is of a user, number %, that isn't there", &report)
        try tell(
            "SELECT min(user), count(*) FROM profile WHERE username <> '' GROUP BY username HAVING count(*) > 1",
            "profile", "% users have the same username", &report)
        try tell(
            "SELECT user, user FROM revocation WHERE user NOT IN (SELECT number FROM user)", "revocation",
            "is of a user, number %, that isn't there", &report)
        try tell(
            """
            SELECT conversation, user FROM receipt
            WHERE (conversation, user) NOT IN (SELECT conversation, user FROM member)
            """, "receipt", "is of a user, number %, who isn't and wasn't a member", &report)
        try tell(
            "SELECT user, user FROM state WHERE user NOT IN (SELECT number FROM user) GROUP BY user", "state",
            "is of a user, number %, that isn't there", &report)
        try tell(
            "SELECT user, max(position) FROM state GROUP BY user HAVING max(position) > \(summary.head)", "state",
            "was set at position %, which the log hasn't reached", &report)
        try tell(
            """
            SELECT user, count(*) FROM state WHERE value IS NOT NULL AND NOT json_valid(value) GROUP BY user
            """, "state", "% values of this user can't be read", &report)
        try tell(
            """
            SELECT conversation, user FROM mention WHERE conversation NOT IN (SELECT number FROM conversation)
                AND conversation NOT IN (SELECT conversation FROM erasure)
            """, "mention", "is of user number % in a conversation that isn't there", &report)
        try tell(
            "SELECT number, cursor FROM device WHERE cursor > \(summary.head)", "device",
            "has acked position %, which the log hasn't reached", &report)
        try tell(
            "SELECT min(number), count(*) FROM user GROUP BY name HAVING count(*) > 1", "user",
            "% users have the same name", &report)
        try tell(
            "SELECT min(number), count(*) FROM conversation GROUP BY id HAVING count(*) > 1", "conversation",
            "% conversations have the same id", &report)
        try tell(
            """
            SELECT conversation.number, count(member.user) FROM conversation LEFT JOIN member
                ON member.conversation = conversation.number
            WHERE conversation.kind = 1 GROUP BY conversation.number HAVING count(member.user) <> 2
            """, "member", "% users are in this direct conversation, not two", &report)
        if summary.epoch.isEmpty {
            report.add("meta", "epoch", "is missing", .restore)
        }
    }

    private func verifyContacts(_ report: inout VerifyReport) throws {
        for (low, high) in [("low", "high"), ("high", "low")] {
            try tell(
                "SELECT \(low), \(high) FROM contact WHERE \(high) NOT IN (SELECT number FROM user)", "contact",
                "is of a user, number %, that isn't there", &report)
        }
        try tell(
            "SELECT low, inviter FROM contact WHERE inviter NOT IN (low, high) OR low >= high", "contact",
            "isn't a pair of users of whom one is the inviter", &report)
        try tell(
            "SELECT user, user FROM prospect WHERE user NOT IN (SELECT number FROM user)", "prospect",
            "is of a user, number %, that isn't there", &report)
    }

    private func verifyReports(_ report: inout VerifyReport) throws {
        try tell(
            "SELECT number, reporter FROM report WHERE reporter NOT IN (SELECT number FROM user)", "report",
            "is by a user, number %, that isn't there", &report)
    }

    private func verifyPins(_ report: inout VerifyReport) throws {
        guard try database.value("SELECT 1 FROM pin LIMIT 1") != nil else { return }
        try tell(
            """
            SELECT conversation, sequence FROM pin
            EXCEPT SELECT conversation, sequence FROM log WHERE kind = 1 AND deleted_at IS NULL
            """, "pin", "is of message %, which isn't there or was deleted", &report)
        try tell(
            "SELECT conversation, user FROM pin WHERE user NOT IN (SELECT number FROM user)", "pin",
            "is by a user, number %, that isn't there", &report)
    }

    private func verifyMembers(_ report: inout VerifyReport) throws {
        let rows = try database.prepare("SELECT conversation, user, delivered, read FROM member")
        while try rows.step() {
            let place = "\(names.place(rows.int32(0))), user \(names.users[rows.int32(1)] ?? "number \(rows.int32(1))")"
            if names.conversations[rows.int32(0)] == nil {
                report.add("member", place, "the conversation isn't there", .restore)
            } else if max(rows.int64(2), rows.int64(3)) > log.sequence(of: rows.int32(0)) {
                report.add("member", place, "has got or read more than there is", .restore)
            }
            if names.users[rows.int32(1)] == nil { report.add("member", place, "the user isn't there", .restore) }
        }
    }

    /// A finding for each row of a query of two numbers: of which row, and what goes into the text.
    private func tell(_ sql: String, _ table: String, _ text: String, _ report: inout VerifyReport) throws {
        let rows = try database.prepare(sql)
        while try rows.step() {
            let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
            report.add(
                table, "number \(rows.int64(0))", parts.joined(separator: rows.int64(1).description), .restore)
        }
    }
}
