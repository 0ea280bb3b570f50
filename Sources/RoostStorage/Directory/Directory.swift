import RoostCore
import RoostWire

/// Users, devices, conversations, members, and the end of each conversation. The rows are small and are written in the
/// batch's transaction. The ends are kept in memory and written later, together with the indexes. On the writer's
/// thread.
final class Directory {
    /// The end of a conversation. A class, so that a row needs one look-up.
    final class Conversation {
        var lastSequence: Int64 = 0
        var lastPosition: Int64 = 0
        var lastTime: Int64 = 0
        /// Milliseconds after which messages disappear; 0 if they stay.
        var expiry: Int64 = 0
        var slow: Int64 = 0
        var joining = JoiningRule.open
        /// Whether it is a direct one.
        var isDirect = false
        /// The end of the conversation for a user who doesn't get anything behind it.
        var veil: Veil?
        /// The request that waits for a user to accept it.
        var request: StoredRequest?
        /// Messages that have disappeared or were deleted.
        var gone = SequenceRanges()

        /// Notes a row.
        func note(sequence: Int64, position: Int64, time: Int64) {
            // Never lower: after rows were lost, sequences go on after them.
            lastSequence = max(lastSequence, sequence)
            lastPosition = max(lastPosition, position)
            lastTime = time
        }

        /// Whether a damaged row is a message, if its sequence can be the next one; otherwise nil.
        func place(of sequence: Int64) -> Bool? {
            switch sequence {
            case lastSequence: false
            case lastSequence + 1: true
            default: nil
            }
        }
    }

    /// A higher position or sequence can only be damage: at a million events a second it takes 285 years.
    static let numberMax: Int64 = 1 << 53

    private let statements: DirectoryStatements
    private let database: Database
    let receipts: ReceiptTable
    let settings: SettingTable
    let mentions: MentionTable
    let contacts: ContactTables
    let invites: InviteTable
    let reports: ReportTable
    let expiring: ExpiringTable
    let pins: PinTable
    let restrictions: RestrictionTable
    let threads: ThreadTable
    var departures: Departures
    let veils: VeilTable
    private var conversations: [Int32: Conversation] = [:]

    /// Loads the ends of all conversations.
    init(_ database: Database) throws {
        self.database = database
        receipts = try ReceiptTable(database)
        statements = try DirectoryStatements(database)
        settings = try SettingTable(database)
        mentions = try MentionTable(database)
        contacts = try ContactTables(database)
        invites = try InviteTable(database)
        reports = try ReportTable(database)
        expiring = try ExpiringTable(database)
        pins = try PinTable(database)
        restrictions = try RestrictionTable(database)
        threads = try ThreadTable(database)
        departures = try Departures(database)
        veils = try VeilTable(database)
        let known = try VeilTable.read(database)
        let query = try database.prepare(
            """
            SELECT number, last_sequence, last_position, last_time, expiry, gone, request, kind, slow, joining
            FROM conversation
            """)
        while try query.step() {
            guard (0...Directory.numberMax).contains(query.int64(1)) else {
                throw StorageFailure.inconsistent("conversation \(query.int32(0)) can't have so many messages")
            }
            let conversation = Conversation()
            conversation.note(sequence: query.int64(1), position: query.int64(2), time: query.int64(3))
            conversation.expiry = max(0, query.int64(4))
            conversation.slow = max(0, query.int64(8))
            conversation.joining = JoiningRule(rawValue: UInt8(clamping: query.int32(9))) ?? .open
            conversation.gone = SequenceRanges(text: query.text(5)) ?? SequenceRanges()
            conversation.request = StoredRequest(number: query.int32(6))
            conversation.isDirect = query.int32(7) == Int32(ConversationKind.direct.rawValue)
            conversation.veil = known[ConversationNumber(query.int32(0))]
            conversations[query.int32(0)] = conversation
        }
    }

    /// nil if there is no such conversation.
    func conversation(_ number: Int32) -> Conversation? { conversations[number] }

    // MARK: Users and devices

    func add(user: UserNumber, name: String) throws {
        statements.insertUser.bind(1, user.value)
        try statements.insertUser.bind(2, copying: name)
        try insert(statements.insertUser, as: "user number \(user.value)")
    }

    func remove(user: UserNumber) throws {
        statements.deleteUser.bind(1, user.value)
        try statements.deleteUser.run()
    }

    func add(device: DeviceNumber, of user: UserNumber, name: String, cursor: Position) throws {
        statements.insertDevice.bind(1, device.value)
        statements.insertDevice.bind(2, user.value)
        try statements.insertDevice.bind(3, copying: name)
        statements.insertDevice.bind(4, cursor.value)
        try insert(statements.insertDevice, as: "device number \(device.value)")
    }

    /// Inserts a row under a number that the relay has leased, and that is therefore free. Another row there means that
    /// the store is damaged; it must not be replaced.
    private func insert(_ statement: Statement, as number: @autoclosure () -> String) throws {
        do {
            try statement.run()
        } catch let failure as StorageFailure where failure.isConflict {
            throw StorageFailure.inconsistent("\(number()) is taken already")
        }
    }

    func remove(device: DeviceNumber) throws {
        statements.deleteDevice.bind(1, device.value)
        try statements.deleteDevice.run()
    }

    func setCursor(of device: DeviceNumber, to position: Position) throws {
        statements.setCursor.bind(1, device.value)
        statements.setCursor.bind(2, position.value)
        try statements.setCursor.run()
    }

    func setEnd(of device: DeviceNumber, to end: StoredEnd?) throws {
        statements.setEnd.bind(1, device.value)
        if let end {
            statements.setEnd.bind(2, Int32(end.reason.rawValue))
            statements.setEnd.bind(3, end.time.milliseconds)
        } else {
            statements.setEnd.bindNull(2)
            statements.setEnd.bindNull(3)
        }
        try statements.setEnd.run()
    }

    func setStatus(of user: UserNumber, to status: StoredStatus) throws {
        statements.setStatus.bind(1, user.value)
        statements.setStatus.bind(2, Int32(status.choice.rawValue))
        try statements.setStatus.bind(3, copying: status.text)
        try statements.setStatus.bind(4, copying: status.toldText)
        statements.setStatus.bind(5, status.until.milliseconds)
        try statements.setStatus.run()
    }

    func setPrivacy(of user: UserNumber, to settings: PrivacySettings) throws {
        statements.setPrivacy.bind(1, user.value)
        statements.setPrivacy.bind(2, Int32(settings.presence.rawValue))
        statements.setPrivacy.bind(3, Int32(settings.lastSeen.rawValue))
        statements.setPrivacy.bind(4, Int32(settings.read.rawValue))
        try statements.setPrivacy.run()
    }

    func setException(of user: UserNumber, for other: UserNumber, to exception: PrivacyException?) throws {
        let statement = exception == nil ? statements.deleteException : statements.setException
        statement.bind(1, user.value)
        statement.bind(2, other.value)
        if let exception { statement.bind(3, Int32(exception.rawValue)) }
        try statement.run()
    }

    /// Sets the revocation of a device, or of all of the user's.
    func setRevocation(of user: UserNumber, _ device: String?, to time: Timestamp) throws {
        statements.setRevocation.bind(1, user.value)
        try statements.setRevocation.bind(2, copying: device ?? "")
        statements.setRevocation.bind(3, time.milliseconds)
        try statements.setRevocation.run()
    }

    /// The user has left for good, or is there. A user who has left has no settings, and its devices have no names: a
    /// revocation of one device becomes one of all.
    func note(_ user: UserNumber, hasLeft: Bool) throws {
        departures.note(user.value, hasLeft: hasLeft)
        guard hasLeft else { return }
        try settings.removeAll(of: user)
        for statement in [statements.widenRevocation, statements.forgetDevicesRevoked] {
            statement.bind(1, user.value)
            try statement.run()
        }
    }

    func endSignIn(_ name: String, until: Timestamp) throws {
        try statements.endSignIn.bind(1, copying: name)
        statements.endSignIn.bind(2, until.milliseconds)
        try statements.endSignIn.run()
    }

    func forgetSignIns(upTo time: Timestamp) throws {
        statements.forgetSignIns.bind(1, time.milliseconds)
        try statements.forgetSignIns.run()
    }

    func setFeedCursor(of consumer: String, to position: Position?) throws {
        let statement = position == nil ? statements.forgetFeedCursor : statements.setFeedCursor
        try statement.bind(1, copying: consumer)
        if let position { statement.bind(2, position.value) }
        try statement.run()
    }

    func setPresence(of user: UserNumber, to presence: StoredPresence) throws {
        statements.setPresence.bind(1, user.value)
        statements.setPresence.bind(2, Int32(presence.state.rawValue))
        statements.setPresence.bind(3, Int32(presence.isHere ? 1 : 0))
        statements.setPresence.bind(4, presence.lastSeen.milliseconds)
        try statements.setPresence.run()
    }

    func setWatermark(of user: UserNumber, in conversation: ConversationNumber, to mark: Watermark) throws {
        let update = statements.setWatermark
        update.bind(1, conversation.value)
        update.bind(2, user.value)
        update.bind(3, mark.delivered.value)
        update.bind(4, mark.deliveredAt.milliseconds)
        update.bind(5, mark.read.value)
        update.bind(6, mark.readAt.milliseconds)
        try update.bind(7, copying: mark.own.text)
        try update.bind(8, copying: mark.marked.text)
        try update.run()
        try mentions.remove(of: user, in: conversation, upTo: mark.read)
    }

    func setAnswered(_ user: UserNumber, in conversation: ConversationNumber) throws {
        statements.setAnswered.bind(1, conversation.value)
        statements.setAnswered.bind(2, user.value)
        try statements.setAnswered.run()
    }

    /// The name of a user; nil if there is none with this number.
    func name(of user: UserNumber) throws -> String? {
        statements.nameOfUser.bind(1, user.value)
        return try statements.nameOfUser.first { $0.text(0) }
    }

    // MARK: Conversations

    /// Notes a new conversation. The change that creates it is applied when its first row is stored.
    func begin(_ conversation: Conversation, _ number: ConversationNumber) {
        conversations[number.value] = conversation
    }

    /// Applies the change of an event, stored at `position`. Erasing is done by `remove(conversation:)`.
    /// - Parameter author: of the message that is pinned.
    func apply(
        _ change: ConversationChange, of event: Append, at position: Int64, author: UserNumber = .none
    ) throws {
        let (sender, conversation, time, isRequest) = (event.sender, event.conversation, event.time, event.flag)
        switch change {
        case .create(let id, let kind, let name, let members):
            let insert = statements.insertConversation
            insert.bind(1, conversation.value)
            try insert.bind(2, copying: id)
            insert.bind(3, Int32(kind.rawValue))
            try insert.bind(4, copying: name)
            insert.bind(5, sender.value)
            insert.bind(6, time.milliseconds)
            let receiver = isRequest ? members.first { $0.user != sender } : nil
            let request = receiver.map { StoredRequest(to: $0.user) }
            conversations[conversation.value]?.request = request
            insert.bind(7, request.number)
            try insert.run()
            try add(members, to: conversation, at: position)
        case .rename(let name): try show(conversation, name, nil, nil)
        case .describe(let photo, let description): try show(conversation, nil, photo, description)
        case .add(let members):
            try add(members, to: conversation, at: position)
        case .expiry(let time):
            conversations[conversation.value]?.expiry = time
            statements.setExpiry.bind(1, conversation.value)
            statements.setExpiry.bind(2, time)
            try statements.setExpiry.run()
        case .slow(let time):
            conversations[conversation.value]?.slow = time
            statements.setSlow.bind(1, conversation.value)
            statements.setSlow.bind(2, time)
            try statements.setSlow.run()
        case .joining(let rule):
            conversations[conversation.value]?.joining = rule
            statements.setJoining.bind(1, conversation.value)
            statements.setJoining.bind(2, Int64(rule.rawValue))
            try statements.setJoining.run()
        case .pin(let sequence):
            try pins.pin(
                StoredPin(
                    sequence, of: author, by: sender, at: time, Position(position),
                    hiddenFrom: event.withheldFrom), in: conversation)
        case .unpin(let sequence):
            try pins.unpin(
                sequence, of: conversation, by: sender, isWithheld: event.withheldFrom != .none)
        case .restrict(let user, let restriction):
            try restrictions.set(restriction, of: user, in: conversation, at: time)
            if let banned = change.banned { try dismiss(banned, from: conversation, at: position) }
        case .remove(let users):
            for user in users { try dismiss(user, from: conversation, at: position) }
        case .leave(let user, let heir):
            try dismiss(user, from: conversation, at: position)
            if let heir { try setRole(.owner, of: heir, in: conversation) }
        case .roles(let members):
            for member in members { try setRole(member.role, of: member.user, in: conversation) }
        case .accept, .erase:
            break
        }
    }

    /// Changes what a group shows of itself. Nil leaves a member unchanged.
    private func show(
        _ conversation: ConversationNumber, _ name: String?, _ photo: String?, _ description: String?
    ) throws {
        let update = statements.showConversation
        update.bind(1, conversation.value)
        for (index, text) in [(Int32(2), name), (3, photo), (4, description)] {
            if let text { try update.bind(index, copying: text) } else { update.bindNull(index) }
        }
        try update.run()
    }

    /// Whether an opening changes anything: the direct conversation isn't there, or not with all these users.
    func isChanged(by opening: Append) throws -> Bool {
        switch opening.change {
        case .create: return conversation(opening.conversation.value) == nil
        case .add(let members):
            // If all was withheld from the user, it isn't there either.
            if let veil = conversation(opening.conversation.value)?.veil, veil.user == opening.sender,
                let joinedAt = try veils.joinedAt(veil.user, in: opening.conversation), veil.hidesAll(since: joinedAt)
            {
                return true
            }
            return try !members.allSatisfy { member in
                statements.findMember.bind(1, opening.conversation.value)
                statements.findMember.bind(2, member.user.value)
                return try statements.findMember.first { _ in true } ?? false
            }
        case .rename, .describe, .remove, .leave, .erase, .roles, .expiry, .pin, .unpin, .restrict, .slow,
            .joining, .accept, nil:
            return false
        }
    }

    /// Forgets a conversation and its members. From now on its rows are not read.
    func remove(conversation: ConversationNumber) throws {
        conversations[conversation.value] = nil
        statements.deleteConversation.bind(1, conversation.value)
        try statements.deleteConversation.run()
        statements.deleteMembers.bind(1, conversation.value)
        try statements.deleteMembers.run()
        try receipts.removeAll(of: conversation)
        try pins.removeAll(of: conversation)
        try restrictions.removeAll(of: conversation)
        try veils.remove(of: conversation)
    }

    /// The conversation is a request, or none any more.
    func set(_ request: StoredRequest?, of number: ConversationNumber) throws {
        guard let conversation = conversations[number.value] else { return }
        conversation.request = request
        statements.setRequest.bind(1, number.value)
        statements.setRequest.bind(2, request.number)
        try statements.setRequest.run()
    }

    /// Its receiver doesn't want to see a request.
    func dropRequest(_ number: ConversationNumber) throws {
        guard var request = conversations[number.value]?.request else { return }
        request.isDropped = true
        try set(request, of: number)
    }

    /// Notes that a message was deleted.
    func noteGone(_ message: SequenceNumber, in number: Int32) throws {
        guard let conversation = conversations[number], !conversation.gone.contains(message) else { return }
        conversation.gone.insert(message)
        try saveGone(of: number)
    }

    /// Writes which messages of a conversation are gone.
    func saveGone(of number: Int32) throws {
        guard let conversation = conversations[number] else { return }
        statements.setGone.bind(1, number)
        try statements.setGone.bind(2, copying: conversation.gone.text)
        try statements.setGone.run()
    }

    /// Writes the end of a conversation.
    func saveEnd(of number: Int32) throws {
        guard let conversation = conversations[number] else { return }
        statements.updateLast.bind(1, number)
        statements.updateLast.bind(2, conversation.lastSequence)
        statements.updateLast.bind(3, conversation.lastPosition)
        statements.updateLast.bind(4, conversation.lastTime)
        try statements.updateLast.run()
    }

    // MARK: Members

    private func add(_ members: [NewMember], to conversation: ConversationNumber, at position: Int64) throws {
        let insert = statements.addMember
        let last = conversations[conversation.value]?.lastSequence ?? 0
        for (ordinal, member) in members.enumerated() {
            insert.bind(1, conversation.value)
            insert.bind(2, member.user.value)
            insert.bind(3, Int32(member.role.rawValue))
            insert.bind(4, member.since(after: SequenceNumber(last)).value)
            insert.bind(5, position)
            insert.bind(6, Int64(ordinal))
            insert.bind(7, last)
            try insert.run()
            // Of an earlier membership.
            if database.changes > 0 { try receipts.remove(of: member.user, in: conversation) }
        }
    }

    private func dismiss(_ user: UserNumber, from conversation: ConversationNumber, at position: Int64) throws {
        statements.removeMember.bind(1, conversation.value)
        statements.removeMember.bind(2, user.value)
        statements.removeMember.bind(3, position)
        try statements.removeMember.run()
        try mentions.remove(of: user, in: conversation, upTo: SequenceNumber(.max))
    }

    private func setRole(_ role: MemberRole, of user: UserNumber, in conversation: ConversationNumber) throws {
        statements.setRole.bind(1, conversation.value)
        statements.setRole.bind(2, user.value)
        statements.setRole.bind(3, Int32(role.rawValue))
        try statements.setRole.run()
    }
}
