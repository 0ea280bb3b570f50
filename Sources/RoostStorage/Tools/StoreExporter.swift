import Glibc
import RoostCore
import RoostWire

/// Writes a store, one user's part of it, or one conversation as lines of JSON (Docs/Export.md), while a relay may be
/// running on it: it reads the directory in one transaction and the log behind it in short ones, up to the head of that
/// moment. A message that is edited or deleted meanwhile is written as it is then.
public struct StoreExporter {
    /// The part to export.
    public enum Scope: Sendable, Equatable {
        case all
        /// One user's content, and its places.
        case user(String)
        /// By its id.
        case conversation(String)
    }

    /// The written data.
    public struct Result: Sendable, Equatable {
        /// Lines, the first and the last included.
        public var lines: Int64
        /// Their bytes.
        public var bytes: Int64
        /// Rows that can't be trusted and are left out. Damaged messages are among the withheld ones.
        public var damaged: Int64
        /// Messages that stand as withheld.
        public var withheld: Int64
        /// A sentence for each import into the store that was cut short: the file isn't whole either.
        public var unfinished: [String] = []
    }

    /// Rows that are read in one transaction.
    private static let rowsPerTransaction = 8_192

    private let database: Database
    private let sink: LineSink
    private let scope: Scope
    private let progress: ToolProgress.Report
    private let names: DirectoryNames
    private let head: Int64
    /// The numbers of the conversations that are wanted, and of the user, if one is.
    private let wanted: Set<Int32>
    private let author: Int32?
    /// The events by which the user has left conversations in which it is no longer.
    private let left: [Int32: Int64]

    /// Writes to `target`, a new file, or to standard output if it is nil.
    /// - Throws: `ToolFailure` or `StorageFailure`. A file that wasn't finished doesn't stand at `target`.
    public static func run(
        _ path: String, scope: Scope, to target: String?, now: Int64, progress: @escaping ToolProgress.Report
    ) throws -> Result {
        let database = try StoreFile.openForReading(path)
        defer { database.close() }
        let file = try target.map { try NewFile(at: $0) }
        do {
            let sink = LineSink(file)
            try database.execute("BEGIN")
            let exporter = try StoreExporter(database, sink, scope, progress)
            try exporter.writeDirectory(now: now)
            database.rollBack()
            var result = try exporter.writeLog()
            result.unfinished = try UnfinishedImports.read(database)
            try file?.publish()
            return result
        } catch {
            file?.discard()
            throw error
        }
    }

    private init(
        _ database: Database, _ sink: LineSink, _ scope: Scope, _ progress: @escaping ToolProgress.Report
    ) throws {
        self.database = database
        self.sink = sink
        self.scope = scope
        self.progress = progress
        names = try DirectoryNames(database)
        head = try StoreFile.summary(of: database).head
        switch scope {
        case .all:
            (author, left) = (nil, [:])
            wanted = Set(names.conversations.keys)
        case .conversation(let id):
            guard let number = names.conversation(withID: id) else {
                throw ToolFailure.unknown(what: "conversation", name: id)
            }
            (author, left) = (nil, [:])
            wanted = [number]
        case .user(let name):
            guard let number = names.user(named: name) else { throw ToolFailure.unknown(what: "user", name: name) }
            author = number
            // Conversations that a user blocked by this one has opened are left out, because this user doesn't know of
            // them.
            let rows = try database.prepare(
                """
                SELECT member.conversation, member.role, member.left_at FROM member
                LEFT JOIN veil ON veil.conversation = member.conversation AND veil.user = member.user
                WHERE member.user = ?1 AND (veil.position IS NULL OR veil.position >= member.joined_at)
                """)
            rows.bind(1, number)
            var found: Set<Int32> = []
            var left: [Int32: Int64] = [:]
            while try rows.step() {
                found.insert(rows.int32(0))
                if rows.isNull(1) { left[rows.int32(0)] = rows.int64(2) }
            }
            self.left = left
            wanted = found.intersection(names.conversations.keys)
        }
    }

    // MARK: The directory

    private func writeDirectory(now: Int64) throws {
        let epoch = try StoreFile.summary(of: database).epoch
        let scope: ExportHeader.Scope =
            switch self.scope {
            case .all: .all
            case .user(let name): .user(name)
            case .conversation(let id): .conversation(id)
            }
        try sink.write(.header(ExportHeader(scope: scope, epoch: epoch, head: head, time: now)))
        let people = try peopleNamed()
        let users = try database.prepare(
            """
            SELECT number, name, last_seen, choice, status, told_status, shown_to, seen_as, read_to,
                status_until
            FROM user ORDER BY number
            """)
        while try users.step() {
            guard people?.contains(users.int32(0)) ?? true, users.text(1) != ImportPlan.withheldUser else { continue }
            let isOther = author.map { $0 != users.int32(0) } ?? false
            var user = ExportedUser(name: users.text(1))
            if !isOther {
                user.lastSeen = max(0, users.int64(2))
                user.status = StoredStatus(
                    number: users.int32(3), text: users.text(4), toldText: users.text(5), until: users.int64(9))
                user.privacy = PrivacySettings(
                    shownTo: users.int32(6), seenAs: users.int32(7), readTo: users.int32(8))
            }
            try sink.write(.user(user))
        }
        try writeProfiles(of: people)
        try writeConversations()
        try readMembers { try sink.write(.member($0)) }
        try writePins()
        try writeRestrictions()
        if case .conversation = self.scope { return }
        let devices = try database.prepare("SELECT user, name, cursor FROM device ORDER BY number")
        while try devices.step() {
            guard author.map({ $0 == devices.int32(0) }) ?? true, let user = names.users[devices.int32(0)] else {
                continue
            }
            try sink.write(
                .device(ExportedDevice(user: user, name: devices.text(1), acked: max(0, devices.int64(2)))))
        }
        let exceptions = try database.prepare("SELECT user, other, kind FROM exception ORDER BY user, other")
        while try exceptions.step() {
            guard author.map({ $0 == exceptions.int32(0) }) ?? true, let user = names.users[exceptions.int32(0)],
                let other = names.users[exceptions.int32(1)]
            else { continue }
            let kind = PrivacyException(number: exceptions.int32(2))
            try sink.write(.exception(ExportedException(user: user, other: other, kind: kind)))
        }
        try writeSettings()
        try writeReports()
    }

    private func writeConversations() throws {
        // The file of one user doesn't say who has blocked that one.
        let veils = author == nil ? try VeilTable.read(database) : [:]
        for number in wanted.sorted() {
            guard let found = names.conversations[number] else { continue }
            let kind = UInt8(exactly: found.kind).flatMap { ConversationKind(rawValue: $0) } ?? .group
            let request = StoredRequest(number: found.request)
            // The group's name since the user left, or its opener, isn't the user's.
            let isShown = left[number] == nil
            let isOpenerShown = kind == .direct || author.map { $0 == found.opener } ?? true
            try sink.write(
                .conversation(
                    ExportedConversation(
                        id: found.id, kind: kind, name: isShown ? found.name : "", photo: isShown ? found.photo : "",
                        description: isShown ? found.description : "", createdAt: max(0, found.createdAt),
                        expiry: isShown ? max(0, found.expiry) : 0, slow: isShown ? max(0, found.slow) : 0,
                        joining: JoiningRule(rawValue: isShown ? UInt8(clamping: found.joining) : 0) ?? .open,
                        opener: isOpenerShown ? names.users[found.opener] ?? "" : "",
                        request: request.flatMap { names.users[$0.receiver.value] } ?? "",
                        isDropped: request?.isDropped ?? false, veil: veils[ConversationNumber(number)],
                        veiled: veils[ConversationNumber(number)].flatMap { names.users[$0.user.value] })))
        }
    }

    /// Writes pins; in one user's export, only that user's.
    private func writePins() throws {
        for (number, pins) in try PinTable.read(database).sorted(by: { $0.key.value < $1.key.value }) {
            guard wanted.contains(number.value), let conversation = names.conversations[number.value] else { continue }
            for pin in pins
            where author.map({ $0 == pin.user.value && $0 != pin.hiddenFrom.value }) ?? true {
                guard let by = names.users[pin.user.value] else { continue }
                try sink.write(
                    .pin(
                        ExportedPin(
                            conversation: conversation.id, sequence: pin.sequence.value, by: by,
                            time: max(1, pin.time.milliseconds), position: max(1, pin.position.value),
                            hiddenFrom: author == nil ? names.users[pin.hiddenFrom.value] ?? "" : "")))
            }
        }
    }

    /// An export of one user has none: who else can't write is no business of it, and neither is who set it.
    private func writeRestrictions() throws {
        guard author == nil else { return }
        for (number, all) in try RestrictionTable.read(database).sorted(by: { $0.key.value < $1.key.value }) {
            guard wanted.contains(number.value), let conversation = names.conversations[number.value] else { continue }
            for one in all {
                guard let by = names.users[one.by.value] else { continue }
                try sink.write(
                    .restriction(
                        ExportedRestriction(
                            conversation: conversation.id,
                            user: one.user == .none ? "" : names.users[one.user.value] ?? "", by: by,
                            time: max(1, one.time.milliseconds), until: max(0, one.until.milliseconds),
                            reason: one.reason)))
            }
        }
    }

    /// Those that were removed aren't written.
    private func writeSettings() throws {
        let rows = try database.prepare(
            "SELECT user, key, time, device, value FROM state WHERE value IS NOT NULL ORDER BY user, key")
        while try rows.step() {
            guard author.map({ $0 == rows.int32(0) }) ?? true, let user = names.users[rows.int32(0)] else { continue }
            let setting = ExportedSetting(
                user: user, key: rows.text(1), time: rows.int64(2), device: rows.text(3), value: [UInt8](rows.bytes(4)))
            try sink.write(.setting(setting))
        }
        try writeContacts()
    }

    /// In an export of one user, what others have written about that one isn't there.
    private func writeContacts() throws {
        for contact in try ContactTables.contacts(database) {
            let (pair, stored) = (contact.pair, contact.stored)
            guard author.map({ [pair.low.value, pair.high.value].contains($0) }) ?? true,
                let low = names.users[pair.low.value], let high = names.users[pair.high.value],
                author == nil || !stored.isWithheld || author == stored.inviter?.value
            else { continue }
            func label(_ side: StoredContact.Side, by user: UserNumber) -> String {
                author.map { $0 == user.value } ?? true ? side.label : ""
            }
            var exported = ExportedContact(
                one: .init(user: low, kind: stored.low.kind, label: label(stored.low, by: pair.low)),
                other: .init(user: high, kind: stored.high.kind, label: label(stored.high, by: pair.high)))
            // To its owner, one that came of a link is accepted.
            exported.isByLink = author == nil && stored.isByLink
            let isShown = author == nil || !stored.isByLink || author != stored.inviter?.value
            exported.inviter = isShown ? stored.inviter.flatMap { names.users[$0.value] } ?? "" : ""
            exported.since = max(0, stored.since.milliseconds)
            // Users who hide from the user aren't in a file for that user.
            exported.isWithheld = author == nil && stored.isWithheld
            try sink.write(.contact(exported))
        }
        for prospect in try ContactTables.prospects(database) {
            guard author.map({ $0 == prospect.user.value }) ?? true, let user = names.users[prospect.user.value]
            else { continue }
            try sink.write(
                .prospect(
                    ExportedProspect(
                        user: user, id: prospect.id, name: prospect.stored.name, note: prospect.stored.note)))
        }
        try writeInvites()
    }

    /// Those to a group that was erased aren't written.
    private func writeInvites() throws {
        for invite in try InviteTable.read(database) {
            let stored = invite.stored
            let conversation = names.conversations[stored.conversation.value]?.id
            guard author.map({ $0 == invite.user.value }) ?? true, let user = names.users[invite.user.value],
                stored.conversation == .none || conversation != nil
            else { continue }
            try sink.write(
                .invite(
                    ExportedInvite(
                        user: user, id: invite.id, hash: ExportedInvite.hexadecimal(stored.hash),
                        conversation: conversation ?? "", kind: stored.kind, uses: Int64(stored.uses),
                        used: Int64(stored.used), createdAt: max(1, stored.created.milliseconds),
                        expires: max(1, stored.expires.milliseconds))))
        }
    }

    private func writeProfiles(of people: Set<Int32>?) throws {
        try Profiles.read(database) { number, profile in
            guard author.map({ $0 == number.value }) ?? people?.contains(number.value) ?? true,
                let user = names.users[number.value]
            else { return }
            try sink.write(.profile(ExportedProfile(user: user, profile: profile)))
        }
    }

    /// Writes reports; in one user's export, only that user's.
    private func writeReports() throws {
        for report in try ReportTable.read(database) {
            guard author.map({ $0 == report.reporter.value }) ?? true,
                let reporter = names.users[report.reporter.value]
            else { continue }
            var line = ExportedReport(
                reporter: reporter, reason: report.reason, time: report.time.milliseconds)
            // Messages that an earlier export left out have no user.
            line.user = names.users[report.user.value].flatMap { $0.hasPrefix("@") ? nil : $0 } ?? ""
            line.conversation = report.conversation
            line.sequence = report.sequence.value
            line.text = report.text
            if let closing = report.closing, author == nil {
                (line.closedBy, line.closedAt, line.note) = (closing.by, closing.time.milliseconds, closing.note)
            }
            try sink.write(.report(line))
        }
    }

    /// The users that lines may name; nil if all.
    private func peopleNamed() throws -> Set<Int32>? {
        if case .all = scope { return nil }
        var people: Set<Int32> = author.map { [$0] } ?? []
        try readMembers { _ in
        } numbers: {
            people.insert($0)
        }
        return people
    }

    /// Reads the members of the requested conversations, in the order in which they joined. One user's export names
    /// only that user of a group, but both of a direct conversation, since they identify it.
    private func readMembers(
        _ body: (ExportedMember) throws -> Void, numbers: (Int32) -> Void = { _ in }
    ) throws {
        let rows = try database.prepare(
            """
            SELECT conversation, user, role, since, joined_at, left_at, delivered, delivered_at, read, read_at, own,
                marked, joined_after
            FROM member ORDER BY joined_at, conversation, ordinal
            """)
        while try rows.step() {
            let (number, user) = (rows.int32(0), rows.int32(1))
            guard wanted.contains(number), let conversation = names.conversations[number],
                let name = names.users[user]
            else { continue }
            let isOther = author.map { $0 != user } ?? false
            guard !isOther || conversation.kind == Int32(ConversationKind.direct.rawValue) else { continue }
            numbers(user)
            var member = ExportedMember(conversation: conversation.id, user: name)
            member.role = rows.isNull(2) ? nil : UInt8(exactly: rows.int32(2)).flatMap { MemberRole(rawValue: $0) }
            member.since = rows.int64(3)
            member.joinedAfter = rows.int64(12)
            member.joined = rows.int64(4)
            member.left = rows.int64(5)
            if !isOther {
                let mark = ReceiptTable.watermark(rows, at: 6)
                (member.delivered, member.deliveredAt) = (mark.delivered.value, mark.deliveredAt.milliseconds)
                (member.read, member.readAt, member.own) = (mark.read.value, mark.readAt.milliseconds, mark.own)
                member.marked = mark.marked
            }
            try body(member)
        }
    }

    // MARK: The log

    private func writeLog() throws -> Result {
        let table = try LogTable(database)
        var selection = ExportSelection(names: names, wanted: wanted, author: author, left: left)
        var position: Int64 = 0
        while position < head {
            progress(ToolProgress("exporting", position, of: head))
            var left = StoreExporter.rowsPerTransaction
            let start = position
            try table.walk(above: start, upTo: head) { row in
                position = row.position
                try selection.take(row) { try sink.write($0) }
                left -= 1
                return left > 0
            } damaged: { damaged in
                position = damaged
                selection.skipDamaged()
                left -= 1
                return left > 0
            }
            if left > 0 { position = head }
        }
        try selection.finish { try sink.write($0) }
        try sink.finish()
        return Result(
            lines: sink.lines, bytes: sink.byteCount, damaged: selection.damaged, withheld: selection.withheld)
    }
}

extension ExportedConversation {
    /// - Parameter veiled: the name of the user who has the veil.
    fileprivate init(
        id: String, kind: ConversationKind, name: String, photo: String, description: String, createdAt: Int64,
        expiry: Int64, slow: Int64, joining: JoiningRule, opener: String, request: String, isDropped: Bool, veil: Veil?,
        veiled: String?
    ) {
        self.init(
            id: id, kind: kind, name: name, photo: photo, description: description, createdAt: createdAt,
            expiry: expiry, slow: slow, joining: joining, opener: opener, request: request, isDropped: isDropped)
        guard let veil, let veiled else { return }
        self.veiled = veiled
        (shownTo, shownAt) = (veil.sequence.value, veil.position.value)
        shownTime = max(0, veil.time.milliseconds)
    }
}
