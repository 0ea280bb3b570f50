import RoostCore
import RoostWire

/// Writes a file's users, conversations, members and devices. The conversations come first, without members, so that no
/// client sees half an import; members and devices come when all rows are there. On the writer's thread.
struct ImportDirectory {
    private let writer: SQLiteWriter
    private let plan: ImportPlan
    private let setMember: Statement
    private let addConversation: Statement
    private let rename: Statement
    private let setTimes: Statement
    private let forgetSteps: Statement

    init(_ writer: SQLiteWriter, _ plan: ImportPlan) throws {
        self.writer = writer
        self.plan = plan
        // The file goes as far as the store or further, so its roles count; watermarks only rise.
        setMember = try writer.database.prepare(
            """
            INSERT INTO member (conversation, user, role, since, joined_at, ordinal, left_at, answered,
                delivered, delivered_at, read, read_at, joined_after, own, marked)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
            ON CONFLICT DO UPDATE SET role = excluded.role, since = excluded.since,
                joined_after = excluded.joined_after,
                joined_at = excluded.joined_at, ordinal = excluded.ordinal, left_at = excluded.left_at,
                delivered_at = iif(excluded.delivered > delivered, excluded.delivered_at, delivered_at),
                delivered = max(delivered, excluded.delivered),
                read_at = iif(excluded.read > read, excluded.read_at, read_at),
                read = max(read, excluded.read), own = excluded.own,
                marked = excluded.marked
            """)
        addConversation = try writer.database.prepare(
            """
            INSERT INTO conversation (number, id, kind, name, photo, description, created_at, opener, request,
                last_sequence, last_position, last_time, expiry, slow, joining, gone)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, nullif(?9, 0), 0, 0, 0, 0, ?8, ?10, ?11, '')
            """)
        forgetSteps = try writer.database.prepare(
            """
            DELETE FROM receipt WHERE conversation = ?1 AND user = ?2 AND (delivered_to, read_to) IS NOT (
                SELECT delivered, read FROM member WHERE conversation = ?1 AND user = ?2)
            """)
        setTimes = try writer.database.prepare(
            "UPDATE conversation SET expiry = ?2, slow = ?3, joining = ?4 WHERE number = ?1")
        rename = try writer.database.prepare(
            "UPDATE conversation SET name = ?2, photo = ?3, description = ?4 WHERE number = ?1")
    }

    func writeUsers() throws {
        try writer.transactions.run {
            let lastSeen = try writer.database.prepare(
                "UPDATE user SET last_seen = max(last_seen, ?2), state = 0, is_here = 0 WHERE number = ?1")
            for (name, user) in plan.users.sorted(by: { $0.value.number < $1.value.number }) {
                if user.isNew { try writer.directory.add(user: UserNumber(user.number), name: name) }
                lastSeen.bind(1, user.number)
                lastSeen.bind(2, user.lastSeen)
                try lastSeen.run()
                guard user.isNew else { continue }
                try writer.directory.setStatus(of: UserNumber(user.number), to: user.status)
                try writer.directory.setPrivacy(of: UserNumber(user.number), to: user.privacy)
            }
            try writeExceptions()
            try writeProfiles()
            try writeContacts()
            try writeReports()
            for conversation in plan.conversations.values.sorted(by: { $0.number < $1.number }) {
                try write(conversation)
            }
        }
    }

    /// Those that the store has count before those of the file.
    private func writeExceptions() throws {
        let add = try writer.database.prepare("INSERT OR IGNORE INTO exception (user, other, kind) VALUES (?1, ?2, ?3)")
        for exception in plan.exceptions {
            guard let user = plan.users[exception.user], let other = plan.users[exception.other] else { continue }
            add.bind(1, user.number)
            add.bind(2, other.number)
            add.bind(3, Int32(exception.kind.rawValue))
            try add.run()
        }
    }

    /// Writes profiles of users without one in the store. A username that another user has in the store stays there.
    private func writeProfiles() throws {
        let find = try writer.database.prepare("SELECT 1 FROM profile WHERE user = ?1")
        // The table has no index by username, so a look-up in it for each profile would read all of it each time.
        var usernames = try usernamesOfStore()
        for one in plan.profiles {
            guard let user = plan.users[one.user] else { continue }
            find.bind(1, user.number)
            guard try find.first({ _ in true }) == nil else { continue }
            var profile = one.profile
            if !profile.username.isEmpty, !usernames.insert(profile.username).inserted { profile.username = "" }
            try writer.profiles.set(profile, of: UserNumber(user.number))
        }
    }

    private func usernamesOfStore() throws -> Set<String> {
        let rows = try writer.database.prepare("SELECT username FROM profile WHERE username <> ''")
        var found: Set<String> = []
        while try rows.step() { found.insert(rows.text(0)) }
        return found
    }

    /// Writes contacts and prospects by the rule for exceptions. A prospect in the store may have been changed since.
    private func writeContacts() throws {
        let isKnown = try writer.database.prepare("SELECT 1 FROM contact WHERE low = ?1 AND high = ?2")
        for contact in plan.contacts {
            guard let one = plan.users[contact.one.user], let other = plan.users[contact.other.user] else { continue }
            let pair = UserPair(UserNumber(one.number), UserNumber(other.number))
            isKnown.bind(1, pair.low.value)
            isKnown.bind(2, pair.high.value)
            guard try isKnown.first({ _ in true }) == nil else { continue }
            let sides = [contact.one, contact.other].map { StoredContact.Side(kind: $0.kind, label: $0.label) }
            let isOrdered = pair.low.value == one.number
            let inviter = contact.inviter.isEmpty ? nil : contact.inviter == contact.one.user ? one : other
            try writer.directory.contacts.set(
                pair,
                to: StoredContact(
                    inviter: inviter.map { UserNumber($0.number) }, low: sides[isOrdered ? 0 : 1],
                    high: sides[isOrdered ? 1 : 0], since: Timestamp(milliseconds: contact.since),
                    isWithheld: contact.isWithheld, isByLink: contact.isByLink))
        }
        let add = try writer.database.prepare(
            "INSERT OR IGNORE INTO prospect (user, id, name, note) VALUES (?1, ?2, ?3, ?4)")
        for prospect in plan.prospects {
            guard let user = plan.users[prospect.user] else { continue }
            add.bind(1, user.number)
            try add.bind(2, copying: prospect.id)
            try add.bind(3, copying: prospect.name)
            try add.bind(4, copying: prospect.note)
            try add.run()
        }
        try writeInvites()
    }

    /// One that the store has may have been opened since. One to a group that the file doesn't have is left out.
    private func writeInvites() throws {
        let stored = try InviteTable.read(writer.database)
        let known = Set(stored.filter { !$0.stored.isRequest }.map(\.stored.hash))
        let waiting = Set(stored.filter(\.stored.isRequest).map { [$0.user.value, $0.stored.conversation.value] })
        for line in plan.invites {
            let group = line.conversation.isEmpty ? nil : plan.conversations[line.conversation]
            guard let user = plan.users[line.user], let hash = line.bytes,
                line.conversation.isEmpty || group != nil
            else { continue }
            let isRequest = group != nil && line.kind == StoredInvite.asking
            guard isRequest ? !waiting.contains([user.number, group?.number ?? 0]) : !known.contains(hash) else {
                continue
            }
            try writer.directory.invites.set(
                line.id, of: UserNumber(user.number),
                to: StoredInvite(
                    hash: hash, conversation: ConversationNumber(group?.number ?? 0), kind: line.kind,
                    uses: Int(clamping: line.uses), used: Int(clamping: line.used),
                    created: Timestamp(milliseconds: line.createdAt), expires: Timestamp(milliseconds: line.expires)))
        }
    }

    /// Writes reports. Those that the store has already, by reporter, subject and time, aren't added again. More than a
    /// relay keeps are left out.
    private func writeReports() throws {
        let stored = try ReportTable.read(writer.database)
        var known = Set(stored.map(ReportIdentity.init))
        var (count, number) = (stored.count, stored.last?.number ?? 0)
        for line in plan.reports where count < Limits().reportsMax {
            guard let reporter = plan.users[line.reporter] else { continue }
            number += 1
            var report = StoredReport(
                number, by: UserNumber(reporter.number), of: UserNumber(plan.users[line.user]?.number ?? 0),
                line.reason, at: Timestamp(milliseconds: line.time))
            report.conversation = line.conversation
            report.sequence = SequenceNumber(line.sequence)
            report.text = line.text
            if line.closedAt != 0 {
                report.closing = .init(
                    by: line.closedBy, note: line.note, at: Timestamp(milliseconds: line.closedAt))
            }
            guard known.insert(ReportIdentity(report)).inserted else { continue }
            try writer.directory.reports.set(report)
            count += 1
        }
    }

    private func write(_ conversation: ImportPlan.Conversation) throws {
        guard conversation.stored == nil else {
            guard conversation.adds else { return }
            // A continued conversation may have been accepted since. It never becomes a request again.
            if conversation.line.request.isEmpty { try setRequest(of: conversation) }
            setTimes.bind(1, conversation.number)
            setTimes.bind(2, conversation.line.expiry)
            setTimes.bind(3, conversation.line.slow)
            setTimes.bind(4, Int64(conversation.line.joining.rawValue))
            try setTimes.run()
            guard conversation.line.kind == .group else { return }
            rename.bind(1, conversation.number)
            try rename.bind(2, copying: conversation.line.name)
            try rename.bind(3, copying: conversation.line.photo)
            try rename.bind(4, copying: conversation.line.description)
            return try rename.run()
        }
        addConversation.bind(1, conversation.number)
        try addConversation.bind(2, copying: conversation.line.id)
        addConversation.bind(3, Int32(conversation.line.kind.rawValue))
        try addConversation.bind(4, copying: conversation.line.name)
        try addConversation.bind(5, copying: conversation.line.photo)
        try addConversation.bind(6, copying: conversation.line.description)
        addConversation.bind(7, conversation.line.createdAt)
        addConversation.bind(8, conversation.line.expiry)
        addConversation.bind(9, plan.users[conversation.line.opener]?.number ?? 0)
        addConversation.bind(10, conversation.line.slow)
        addConversation.bind(11, Int64(conversation.line.joining.rawValue))
        try addConversation.run()
        writer.directory.begin(Directory.Conversation(), ConversationNumber(conversation.number))
        try setRequest(of: conversation)
    }

    private func setRequest(of conversation: ImportPlan.Conversation) throws {
        let receiver = plan.users[conversation.line.request].map { UserNumber($0.number) }
        let request = receiver.map { StoredRequest(to: $0, isDropped: conversation.line.isDropped) }
        try writer.directory.set(request, of: ConversationNumber(conversation.number))
    }

    /// The members of every conversation that the file brings or continues.
    func writeMembers(_ positions: PositionMap) throws {
        try writer.transactions.run {
            for conversation in plan.conversations.values where conversation.writesMembers {
                for (ordinal, member) in conversation.members.enumerated() {
                    guard let user = plan.users[member.user] else { continue }
                    setMember.bind(1, conversation.number)
                    setMember.bind(2, user.number)
                    if let role = member.role {
                        setMember.bind(3, Int32(role.rawValue))
                    } else {
                        setMember.bindNull(3)
                    }
                    let last = conversation.sequence
                    setMember.bind(4, min(member.since, last))
                    setMember.bind(5, positions.position(member.joined))
                    setMember.bind(6, Int64(ordinal))
                    setMember.bind(7, positions.position(member.left))
                    setMember.bind(8, min(member.delivered, last))
                    setMember.bind(9, member.deliveredAt)
                    setMember.bind(10, min(member.read, last))
                    setMember.bind(11, member.readAt)
                    setMember.bind(12, min(member.joinedAfter, last))
                    var (own, marked) = (member.own, member.marked)
                    own.keep(above: .none, upTo: SequenceNumber(last))
                    marked.keep(above: .none, upTo: SequenceNumber(last))
                    try setMember.bind(13, copying: own.text)
                    try setMember.bind(14, copying: marked.text)
                    try setMember.run()
                    // Watermarks raised by the file have no steps.
                    forgetSteps.bind(1, conversation.number)
                    forgetSteps.bind(2, user.number)
                    try forgetSteps.run()
                }
            }
        }
    }

    /// Writes the ends of these conversations for users who don't get the rest.
    func writeVeils(_ positions: PositionMap) throws {
        try writer.transactions.run {
            for conversation in plan.conversations.values where conversation.writesMembers {
                let number = ConversationNumber(conversation.number)
                guard let user = plan.users[conversation.line.veiled] else { continue }
                let veil = Veil(
                    UserNumber(user.number), after: SequenceNumber(conversation.line.shownTo),
                    Position(positions.position(conversation.line.shownAt)),
                    Timestamp(milliseconds: conversation.line.shownTime))
                writer.directory.conversation(conversation.number)?.veil = veil
                try writer.directory.veils.add(veil, of: number)
            }
        }
    }

    /// The pinned messages of these conversations, as far as they are there. A file of one user has only that user's.
    func writePins(_ positions: PositionMap) throws {
        try writer.transactions.run {
            for conversation in plan.conversations.values where conversation.writesMembers {
                let number = ConversationNumber(conversation.number)
                if !plan.isOfOneUser { try writer.directory.pins.removeAll(of: number) }
                for line in conversation.pins {
                    guard let user = plan.users[line.by] else { continue }
                    var pin = StoredPin(
                        SequenceNumber(line.sequence), of: .none, by: UserNumber(user.number),
                        at: Timestamp(milliseconds: line.time), Position(positions.position(line.position)),
                        hiddenFrom: UserNumber(plan.users[line.hiddenFrom]?.number ?? UserNumber.none.value))
                    let event = Append(.conversation, in: number, by: pin.user, device: "", at: pin.time)
                    guard let author = try MessageChanges(writer).author(ofPinned: pin.sequence, event) else {
                        continue
                    }
                    pin.author = author
                    try writer.directory.pins.add(pin, in: number)
                }
            }
        }
    }

    /// Writes bans and time-outs in these groups. A file of one user has none.
    func writeRestrictions() throws {
        guard !plan.isOfOneUser else { return }
        try writer.transactions.run {
            for conversation in plan.conversations.values where conversation.writesMembers {
                let number = ConversationNumber(conversation.number)
                try writer.directory.restrictions.removeAll(of: number)
                for line in conversation.restrictions {
                    guard let by = plan.users[line.by] else { continue }
                    let user = UserNumber(plan.users[line.user]?.number ?? UserNumber.none.value)
                    guard user != .none || line.user.isEmpty else { continue }
                    let restriction = StoredRestriction(
                        of: user, until: Timestamp(milliseconds: line.until), line.reason,
                        by: UserNumber(by.number), at: Timestamp(milliseconds: line.time))
                    try writer.directory.restrictions.add(restriction, in: number)
                }
            }
        }
    }

    /// Devices that the store doesn't know begin where they were.
    func writeDevices(_ positions: PositionMap, above number: Int32) throws {
        try writer.transactions.run {
            // The table has no index by user either.
            let rows = try writer.database.prepare("SELECT user, name FROM device")
            var known: Set<DeviceIdentity> = []
            while try rows.step() { known.insert(DeviceIdentity(user: rows.int32(0), name: rows.text(1))) }
            var number = number
            for device in plan.devices {
                guard let user = plan.users[device.user], number < .max else { continue }
                let identity = DeviceIdentity(user: user.number, name: device.name)
                guard known.insert(identity).inserted else { continue }
                number += 1
                try writer.directory.add(
                    device: DeviceNumber(number), of: UserNumber(user.number), name: device.name,
                    cursor: Position(positions.position(device.acked)))
            }
        }
    }
}

/// The identity of a report: its reporter, subject and time.
private struct ReportIdentity: Hashable {
    private let reporter: Int32
    private let user: Int32
    private let time: Int64
    private let conversation: String
    private let sequence: Int64

    init(_ report: StoredReport) {
        (reporter, user) = (report.reporter.value, report.user.value)
        (time, conversation, sequence) = (report.time.milliseconds, report.conversation, report.sequence.value)
    }
}

private struct DeviceIdentity: Hashable {
    let user: Int32
    let name: String
}
