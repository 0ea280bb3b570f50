import RoostCore
import RoostWire

extension SQLiteLog {
    /// Loads everything the Relay keeps in memory. Call it before the writer is handed to its thread.
    ///
    /// Compares everything in the store that shows the end of the log. If its newest rows are lost, gives it a new
    /// epoch, so that clients don't take new events for repetitions of those they have seen, and continues after them.
    /// - Throws: `StorageFailure`, such as `importUnderWay`.
    public func load() throws -> Snapshot {
        if let sentence = try UnfinishedImports.read(writer.database).first {
            throw StorageFailure.importUnderWay(sentence)
        }
        do { try storeWriter.unlessFull { try writer.raiseWatermarks() } } catch is NoRoom {
            reporter.note(.fullDisk, "the disk is full: what members had read before a crash isn't made good")
        }
        let database = writer.database
        var snapshot = Snapshot()
        snapshot.aliveAt = Timestamp(milliseconds: try writer.meta.number("alive_at"))
        snapshot.leases = try writer.numbers.leases(database)
        snapshot.users = try users(database)
        snapshot.exceptions = try exceptions(database)
        try Profiles.read(database) { snapshot.profiles.append(Snapshot.Profile($0, $1)) }
        snapshot.contacts = try ContactTables.contacts(database)
        snapshot.prospects = try ContactTables.prospects(database)
        snapshot.invites = try InviteTable.read(database)
        snapshot.revocations = try revocations(database)
        snapshot.endedSignIns = try endedSignIns(database)
        snapshot.feedCursors = try feedCursors(database)
        snapshot.settings = try settings(database)
        snapshot.reports = try ReportTable.read(database)
        snapshot.devices = try devices(database)
        snapshot.conversations = try conversations(database)
        snapshot.members = try members(database)
        try addMentions(to: &snapshot, database)
        let pins = try PinTable.read(database)
        let restrictions = try RestrictionTable.read(database)
        for (index, conversation) in snapshot.conversations.enumerated() {
            snapshot.conversations[index].pins = pins[conversation.number] ?? []
            snapshot.conversations[index].restrictions = restrictions[conversation.number] ?? []
        }
        snapshot.nextExpiry = try writer.directory.expiring.next()
        noteStrangers(in: snapshot)
        try settleEnd(of: &snapshot)
        snapshot.head = Position(writer.head)
        snapshot.epoch = try writer.meta.text("epoch")
        let content = LogNote.Content(
            epoch: snapshot.epoch, position: writer.head, isOpen: true, isSynced: durability == .full,
            boot: LogNote.currentBoot())
        if let note, !note.begin(content) { reporter.noteUnwritten() }
        return snapshot
    }

    /// Rows have no checksum in these tables, but they refer to each other. The Relay leaves out a row that refers to a
    /// missing one.
    private func noteStrangers(in snapshot: Snapshot) {
        let users = Set(snapshot.users.map(\.number))
        let conversations = Set(snapshot.conversations.map(\.number))
        for member in snapshot.members
        where !users.contains(member.user) || !conversations.contains(member.conversation) {
            let (user, conversation) = (member.user.value, member.conversation.value)
            reporter.note(
                .damagedRow, "user \(user) is a member of conversation \(conversation), but one of them isn't there")
        }
        for device in snapshot.devices where !users.contains(device.user) {
            reporter.note(
                .damagedRow, "device \(device.number.value) is of user \(device.user.value), who isn't there")
        }
    }

    private func settleEnd(of snapshot: inout Snapshot) throws {
        let last = try writer.log.end()
        var end = LogEnd(known: max(last, try writer.meta.number("head_floor")))
        end.take(writer.head, "the indexes have")
        for device in snapshot.devices { end.take(device.cursor.value, "device \(device.number.value) has acked") }
        for cursor in snapshot.feedCursors {
            end.take(cursor.position.value, "consumer \(cursor.consumer) of the feed has acked")
        }
        for settings in snapshot.settings {
            end.take(settings.lastPosition.value, "user \(settings.user.value) has set something at")
        }
        for conversation in snapshot.conversations {
            end.take(conversation.lastPosition.value, "conversation \(conversation.number.value) ends at")
            if let pin = conversation.pins.last {
                end.take(pin.position.value, "a message of conversation \(conversation.number.value) was pinned at")
            }
        }
        for member in snapshot.members {
            end.take(
                max(member.joinedAt, member.leftAt).value,
                "user \(member.user.value) joined or left conversation \(member.conversation.value) at")
        }
        try compareNote(with: &end)
        if writer.unplaced.last > max(try writer.meta.number("renewed_to"), 0) {
            end.note("rows are damaged of which it isn't known where they belong, up to \(writer.unplaced.last)")
        }
        let sequences = settleSequences(of: &snapshot, lost: end.lost + writer.unplaced.count)
        guard !end.findings.isEmpty else { return }
        reporter.note(
            .lostEnd,
            "the newest rows of the log are lost: \(end.findings.joined(separator: "; ")); clients get a new epoch")
        try writer.renew(upTo: end.head, sequences: sequences)
    }

    private func compareNote(with end: inout LogEnd) throws {
        defer {
            isWALCut = false
            lastNote = nil
        }
        if isWALCut {
            end.note("the write-ahead log is damaged in its middle, so that SQLite drops the commits behind that place")
        }
        guard let lastNote, try isWALCut || lastNote.epoch == writer.meta.text("epoch") else { return }
        end.take(lastNote.position, "the note beside the store has")
        let boot = LogNote.currentBoot()
        guard lastNote.isOpen, !lastNote.isSynced, !boot.isEmpty, boot != lastNote.boot else { return }
        end.note("the machine stopped while the relay ran with durability normal")
    }

    /// Members who have read further than their conversation goes have seen messages that are lost, at most as many as
    /// there are lost rows. The conversation goes on after them. Anything further is damaged itself. Returns the ends
    /// of conversations that have changed.
    private func settleSequences(of snapshot: inout Snapshot, lost: Int64) -> [Int32: Int64] {
        var ends: [Int32: Int64] = [:]
        for (index, member) in snapshot.members.enumerated() {
            let number = member.conversation.value
            let last = writer.directory.conversation(number)?.lastSequence ?? 0
            let written = member.watermark.own.ranges.last?.upperBound ?? 0
            let seen = max(member.since.value, member.watermark.delivered.value, member.watermark.read.value, written)
            guard seen > last else { continue }
            if seen - last <= lost {
                ends[number] = max(ends[number] ?? 0, seen)
            } else {
                reporter.note(
                    .damagedRow,
                    "user \(member.user.value) has read beyond the last message of conversation \(number), \(last)")
                let last = SequenceNumber(last)
                snapshot.members[index].since = min(member.since, last)
                snapshot.members[index].watermark.delivered = min(member.watermark.delivered, last)
                snapshot.members[index].watermark.read = min(member.watermark.read, last)
                snapshot.members[index].watermark.own.keep(above: .none, upTo: last)
                snapshot.members[index].watermark.marked.keep(above: .none, upTo: last)
            }
        }
        for (index, conversation) in snapshot.conversations.enumerated() {
            guard let end = ends[conversation.number.value] else { continue }
            snapshot.conversations[index].lastSequence = SequenceNumber(end)
        }
        return ends
    }

    /// A watermark may have been raised since a mention was stored.
    private func addMentions(to snapshot: inout Snapshot, _ database: Database) throws {
        let mentions = try MentionTable.load(database)
        guard !mentions.isEmpty else { return }
        for (index, conversation) in snapshot.conversations.enumerated() {
            snapshot.conversations[index].mentionsOfAll =
                mentions[conversation.number]?[MentionTable.everybody] ?? []
        }
        for (index, member) in snapshot.members.enumerated() where member.role != nil {
            let read = max(member.watermark.read, member.joinedAfter, member.since)
            snapshot.members[index].mentions =
                mentions[member.conversation]?[member.user]?.filter { $0.sequence > read } ?? []
        }
    }

    private func users(_ database: Database) throws -> [Snapshot.User] {
        let query = try database.prepare(
            """
            SELECT number, name, last_seen, state, is_here, choice, status, told_status, shown_to, seen_as, read_to,
                status_until
            FROM user ORDER BY number
            """)
        var users: [Snapshot.User] = []
        while try query.step() {
            let presence = StoredPresence(
                UInt8(exactly: query.int32(3)).flatMap(PresenceState.init(rawValue:)) ?? .offline,
                isHere: query.int32(4) != 0, lastSeen: Timestamp(milliseconds: query.int64(2)))
            let status = StoredStatus(
                number: query.int32(5), text: query.text(6), toldText: query.text(7), until: query.int64(11))
            let privacy = PrivacySettings(
                shownTo: query.int32(8), seenAs: query.int32(9), readTo: query.int32(10))
            users.append(Snapshot.User(UserNumber(query.int32(0)), name: query.text(1), presence, status, privacy))
        }
        return users
    }

    private func revocations(_ database: Database) throws -> [Snapshot.Revocation] {
        let query = try database.prepare("SELECT user, device, time FROM revocation ORDER BY user, device")
        var revocations: [Snapshot.Revocation] = []
        while try query.step() {
            let device = query.text(1)
            revocations.append(
                Snapshot.Revocation(
                    UserNumber(query.int32(0)), device: device.isEmpty ? nil : device,
                    Timestamp(milliseconds: query.int64(2))))
        }
        return revocations
    }

    private func endedSignIns(_ database: Database) throws -> [Snapshot.EndedSignIn] {
        let query = try database.prepare("SELECT name, until FROM ended_sign_in ORDER BY name")
        var ended: [Snapshot.EndedSignIn] = []
        while try query.step() {
            ended.append(Snapshot.EndedSignIn(query.text(0), until: Timestamp(milliseconds: query.int64(1))))
        }
        return ended
    }

    private func feedCursors(_ database: Database) throws -> [Snapshot.FeedCursor] {
        let query = try database.prepare("SELECT consumer, position FROM feed_cursor ORDER BY consumer")
        var cursors: [Snapshot.FeedCursor] = []
        while try query.step() { cursors.append(Snapshot.FeedCursor(query.text(0), Position(query.int64(1)))) }
        return cursors
    }

    private func settings(_ database: Database) throws -> [Snapshot.Settings] {
        // SQLite takes the other columns from the row with the greatest position.
        let query = try database.prepare("SELECT user, max(position), time FROM state GROUP BY user ORDER BY user")
        var settings: [Snapshot.Settings] = []
        while try query.step() {
            settings.append(
                Snapshot.Settings(
                    UserNumber(query.int32(0)), lastPosition: Position(query.int64(1)),
                    lastTime: Timestamp(milliseconds: query.int64(2))))
        }
        let mutes = try mutes(database)
        for (index, known) in settings.enumerated() { settings[index].mutes = mutes[known.user] ?? [] }
        return settings
    }

    private func mutes(_ database: Database) throws -> [UserNumber: [Snapshot.Setting]] {
        // As in the index, which has no other settings: all of them would be a hundred times as many.
        let query = try database.prepare(
            """
            SELECT user, key, value FROM state WHERE key >= 'mute/' AND key < 'mute0' AND value IS NOT NULL
            ORDER BY user, key
            """)
        var mutes: [UserNumber: [Snapshot.Setting]] = [:]
        while try query.step() {
            mutes[UserNumber(query.int32(0)), default: []].append(
                Snapshot.Setting(key: query.text(1), value: Array(query.text(2).utf8)))
        }
        return mutes
    }

    private func exceptions(_ database: Database) throws -> [Snapshot.Exception] {
        let query = try database.prepare("SELECT user, other, kind FROM exception ORDER BY user, other")
        var exceptions: [Snapshot.Exception] = []
        while try query.step() {
            exceptions.append(
                Snapshot.Exception(
                    UserNumber(query.int32(0)), of: UserNumber(query.int32(1)),
                    PrivacyException(number: query.int32(2))))
        }
        return exceptions
    }

    private func devices(_ database: Database) throws -> [Snapshot.Device] {
        let query = try database.prepare(
            "SELECT number, user, name, cursor, is_new, ended, ended_at FROM device ORDER BY number")
        var devices: [Snapshot.Device] = []
        while try query.step() {
            let reason = UInt8(exactly: query.int32(5)).flatMap(EndReason.init(rawValue:))
            devices.append(
                Snapshot.Device(
                    DeviceNumber(query.int32(0)), user: UserNumber(query.int32(1)), name: query.text(2),
                    cursor: Position(query.int64(3)), isNew: query.int32(4) != 0,
                    ended: reason.map { StoredEnd($0, at: Timestamp(milliseconds: query.int64(6))) }))
        }
        return devices
    }

    private func conversations(_ database: Database) throws -> [Snapshot.Conversation] {
        let query = try database.prepare(
            """
            SELECT number, id, kind, name, opener, photo, description, created_at FROM conversation ORDER BY number
            """)
        var conversations: [Snapshot.Conversation] = []
        while try query.step() {
            guard let kind = ConversationKind(rawValue: UInt8(truncatingIfNeeded: query.int32(2))) else {
                throw StorageFailure.inconsistent("conversation \(query.int32(0)) is of no known kind")
            }
            var conversation = Snapshot.Conversation(
                ConversationNumber(query.int32(0)), id: query.text(1), kind: kind, name: query.text(3))
            conversation.opener = query.isNull(4) ? nil : UserNumber(query.int32(4))
            (conversation.photo, conversation.description) = (query.text(5), query.text(6))
            conversation.createdAt = Timestamp(milliseconds: query.int64(7))
            if let last = writer.directory.conversation(query.int32(0)) {
                conversation.lastSequence = SequenceNumber(last.lastSequence)
                conversation.lastPosition = Position(last.lastPosition)
                conversation.lastTime = Timestamp(milliseconds: last.lastTime)
                (conversation.expiry, conversation.slow, conversation.gone) = (last.expiry, last.slow, last.gone)
                conversation.joining = last.joining
                (conversation.request, conversation.veil) = (last.request, last.veil)
            }
            conversations.append(conversation)
        }
        return conversations
    }

    private func members(_ database: Database) throws -> [Snapshot.Member] {
        let query = try database.prepare(
            """
            SELECT conversation, user, role, since, joined_at, left_at, delivered, delivered_at, read, read_at, own,
                marked, joined_after, answered
            FROM member ORDER BY joined_at, ordinal
            """)
        var members: [Snapshot.Member] = []
        while try query.step() {
            let role = query.isNull(2) ? nil : MemberRole(rawValue: UInt8(truncatingIfNeeded: query.int32(2)))
            var member = Snapshot.Member(ConversationNumber(query.int32(0)), UserNumber(query.int32(1)), role: role)
            member.since = SequenceNumber(query.int64(3))
            member.joinedAfter = SequenceNumber(query.int64(12))
            member.joinedAt = Position(query.int64(4))
            member.leftAt = Position(query.int64(5))
            member.hasAnswered = query.int32(13) != 0
            member.watermark = ReceiptTable.watermark(query, at: 6)
            members.append(member)
        }
        return members
    }
}
