import RoostCore
import RoostWire

/// The effect of a file of lines on a store: built by reading all of it before anything is written, so that a malformed
/// line, or a conversation that the store has with other content, is refused while nothing is half done. A value that
/// holds the directory of the file, but none of its rows.
struct ImportPlan {
    /// A conversation of the file.
    struct Conversation {
        var line: ExportedConversation
        /// Where the line stands, for messages.
        var lineNumber: Int64
        /// The present or future number in the store.
        var number: Int32
        /// Positions of its rows in the store, in order; nil if the store doesn't have the conversation.
        var stored: [Int64]?
        /// Whether the store has members of it. An import that was cut short left none.
        var hasMembers = false
        /// Rows and messages of the file so far, and the position of the last.
        var rows = 0
        var sequence: Int64 = 0
        var position: Int64 = 0
        var members: [ExportedMember] = []
        var pins: [ExportedPin] = []
        var restrictions: [ExportedRestriction] = []
        /// Messages of the file so far that are in a thread.
        var inThreads = MessageBits()

        /// Whether the file has rows that the store doesn't.
        var adds: Bool { rows > (stored?.count ?? 0) }
        /// Whether the members are to be written: those of the store are newer if it has more than the file. If both go
        /// equally far, an import may have been cut short before it wrote them.
        var writesMembers: Bool { rows >= (stored?.count ?? 0) || !hasMembers }
    }

    /// A user of the file.
    struct User {
        var number: Int32
        var isNew: Bool
        var lastSeen: Int64 = 0
        /// The user's status and privacy settings in the file. The store's own take precedence.
        var status = StoredStatus()
        var privacy = PrivacySettings()
    }

    /// The user that withheld messages come from. No token can name it, since no user begins with "@".
    static let withheldUser = "@withheld"

    private(set) var header: ExportHeader?
    private(set) var isEnded = false
    private(set) var users: [String: User] = [:]
    private(set) var conversations: [String: Conversation] = [:]
    private(set) var devices: [ExportedDevice] = []
    private(set) var exceptions: [ExportedException] = []
    private(set) var profiles: [ExportedProfile] = []
    private(set) var contacts: [ExportedContact] = []
    private(set) var prospects: [ExportedProspect] = []
    private(set) var invites: [ExportedInvite] = []
    private(set) var reports: [ExportedReport] = []
    /// Messages that the store has as they were before a later edit or deletion: position there, by the line.
    private(set) var refreshed: [Int64: Int64] = [:]
    /// Rows that will be added.
    private(set) var newRows: Int64 = 0
    private var nextUser: Int32
    private var nextConversation: Int32
    private let store: ImportTarget

    init(_ store: ImportTarget) {
        self.store = store
        nextUser = store.userMax
        nextConversation = store.conversationMax
    }

    /// Whether the file has one user's part of a store.
    var isOfOneUser: Bool {
        if case .user = header?.scope { true } else { false }
    }

    /// The positions in the file that the directory names, in order, without repetitions.
    var marks: [Int64] {
        var marks: Set<Int64> = []
        for device in devices { marks.insert(device.acked) }
        for conversation in conversations.values {
            for member in conversation.members { marks.formUnion([member.joined, member.left]) }
            marks.formUnion(conversation.pins.map(\.position))
            if !conversation.line.veiled.isEmpty { marks.insert(conversation.line.shownAt) }
        }
        return marks.sorted()
    }

    /// Whether the store says that the user has left for good.
    func hasLeft(_ user: String) -> Bool { store.users[user].map(store.departed.contains) ?? false }

    /// The numbers of mentioned users, as far as the file or the store has them; 0 stands for all.
    func numbers(of names: [String]) -> [UserNumber] {
        names.compactMap { name in
            name == Extras.everybody ? MentionTable.everybody : users[name].map { UserNumber($0.number) }
        }
    }

    /// Takes the next line.
    mutating func take(_ line: ExportLine, number: Int64) throws {
        guard !isEnded else { throw ExportLineFailure("comes after the end line") }
        switch line {
        case .header(let header):
            guard number == 1 else { throw ExportLineFailure("type: the export line is the first") }
            self.header = header
        case .end(let lines):
            guard lines == number - 1 else { throw ExportLineFailure("lines: \(number - 1) stand before this one") }
            isEnded = true
        default:
            guard header != nil else { throw ExportLineFailure("type: the first line must be of type export") }
            try takeContent(line, number: number)
        }
    }

    private mutating func takeContent(_ line: ExportLine, number: Int64) throws {
        switch line {
        case .header, .end: break
        case .user(let user):
            try know(user.name)
            let before = users[user.name]?.lastSeen ?? 0
            users[user.name]?.lastSeen = max(before, user.lastSeen)
            users[user.name]?.status = user.status
            users[user.name]?.privacy = user.privacy
        case .conversation(let conversation): try take(conversation, number: number)
        case .member(let member):
            try know(member.user)
            guard conversations[member.conversation] != nil else { throw ImportPlan.unknownConversation }
            conversations[member.conversation]?.members.append(member)
        case .pin(let pin):
            try know(pin.by)
            if !pin.hiddenFrom.isEmpty { try know(pin.hiddenFrom) }
            guard conversations[pin.conversation] != nil else { throw ImportPlan.unknownConversation }
            // In a direct conversation, some may be pinned for one of the two alone.
            let pins = conversations[pin.conversation]?.pins.filter { $0.hiddenFrom == pin.hiddenFrom } ?? []
            guard pins.count < Limits().pinsPerConversation else {
                throw ExportLineFailure("sequence: more pinned messages than a conversation has")
            }
            conversations[pin.conversation]?.pins.append(pin)
        case .restriction(let restriction): try take(restriction)
        case .device(let device):
            try know(device.user)
            if !hasLeft(device.user) { devices.append(device) }
        case .exception(let exception):
            try know(exception.user)
            try know(exception.other)
            if !hasLeft(exception.user) { exceptions.append(exception) }
        case .profile(let profile):
            try know(profile.user)
            profiles.append(profile)
        case .setting(let setting): try know(setting.user)
        case .contact(let contact):
            try know(contact.one.user)
            try know(contact.other.user)
            if !hasLeft(contact.one.user), !hasLeft(contact.other.user) { contacts.append(contact) }
        case .prospect(let prospect):
            try know(prospect.user)
            if !hasLeft(prospect.user) { prospects.append(prospect) }
        case .invite(let invite):
            try know(invite.user)
            if !hasLeft(invite.user) { invites.append(invite) }
        case .report(let report):
            try know(report.reporter)
            if !report.user.isEmpty { try know(report.user) }
            if !hasLeft(report.reporter) { reports.append(report) }
        case .event(let event): try take(event, number: number)
        case .withheld(let messages): try take(messages)
        }
    }

    /// Checks that need all lines.
    func finish() throws {
        guard isEnded else { throw ExportLineFailure("the file ends without its end line: it was cut short") }
        var pairs = store.directPairs
        for (id, conversation) in conversations where conversation.line.kind == .direct {
            let pair = Set(conversation.members.map(\.user))
            guard pair.count == 2, conversation.members.count == 2 else {
                throw ToolFailure.line(
                    path: store.source, number: conversation.lineNumber,
                    reason: "a direct conversation has two members, this one \(conversation.members.count)")
            }
            if let other = pairs[pair], other != id {
                throw ToolFailure.line(
                    path: store.source, number: conversation.lineNumber,
                    reason: "its two users have a direct conversation already, \(other)")
            }
            pairs[pair] = id
        }
    }

    // MARK: Lines

    private static let unknownConversation = ExportLineFailure("conversation: no line before describes it")

    private mutating func know(_ name: String) throws {
        guard users[name] == nil else { return }
        if let known = store.users[name] {
            users[name] = User(number: known, isNew: false)
            return
        }
        guard nextUser < .max else { throw ExportLineFailure("user: the store has no more numbers") }
        nextUser += 1
        users[name] = User(number: nextUser, isNew: true)
    }

    private mutating func take(_ restriction: ExportedRestriction) throws {
        try know(restriction.by)
        if !restriction.user.isEmpty { try know(restriction.user) }
        guard let conversation = conversations[restriction.conversation] else { throw ImportPlan.unknownConversation }
        guard conversation.line.kind == .group else { throw ExportLineFailure("conversation: not a group") }
        // One is for all members.
        guard conversation.restrictions.count <= Limits().restrictionsPerGroup else {
            throw ExportLineFailure("user: more restrictions than a group has")
        }
        guard restriction.user.isEmpty || conversation.members.contains(where: { $0.user == restriction.user }) else {
            throw ExportLineFailure("user: is not and was not a member")
        }
        conversations[restriction.conversation]?.restrictions.append(restriction)
    }

    private mutating func take(_ line: ExportedConversation, number: Int64) throws {
        guard conversations[line.id] == nil else { throw ExportLineFailure("conversation: described twice") }
        if let known = store.conversations[line.id] {
            guard known.kind == line.kind else { throw ExportLineFailure("kind: the store has it as another kind") }
            conversations[line.id] = Conversation(
                line: line, lineNumber: number, number: known.number, stored: try store.positions(of: known.number),
                hasMembers: known.hasMembers)
            return
        }
        guard nextConversation < .max else { throw ExportLineFailure("conversation: the store has no more numbers") }
        nextConversation += 1
        conversations[line.id] = Conversation(line: line, lineNumber: number, number: nextConversation)
    }

    private mutating func take(_ event: ExportedEvent, number: Int64) throws {
        try know(event.from)
        guard var conversation = conversations[event.conversation] else { throw ImportPlan.unknownConversation }
        guard event.position > conversation.position else {
            throw ExportLineFailure("position: not above the one before in the conversation")
        }
        conversation.position = event.position
        if event.kind == .message {
            guard event.sequence == conversation.sequence + 1 else {
                throw ExportLineFailure("sequence: \(event.sequence) comes after \(conversation.sequence)")
            }
            conversation.sequence = event.sequence
            // In its place: a copy would copy the bits of all messages before, for each message.
            try conversations[event.conversation]?.noteThread(of: event)
        } else {
            guard event.sequence <= conversation.sequence else {
                throw ExportLineFailure("sequence: there is no message \(event.sequence) before")
            }
        }
        if let stored = conversation.stored, conversation.rows < stored.count {
            let position = stored[conversation.rows]
            let sender = users[event.from]?.number ?? 0
            if try store.compare(event, sender: sender, at: position) == .older { refreshed[number] = position }
        } else {
            newRows += 1
        }
        conversation.rows += 1
        conversations[event.conversation]?.move(to: conversation)
    }

    private mutating func take(_ messages: WithheldMessages) throws {
        guard var conversation = conversations[messages.conversation] else { throw ImportPlan.unknownConversation }
        guard messages.first == conversation.sequence + 1 else {
            throw ExportLineFailure("first: \(messages.first) comes after \(conversation.sequence)")
        }
        guard messages.position >= conversation.position else {
            throw ExportLineFailure("position: below the one before in the conversation")
        }
        try know(ImportPlan.withheldUser)
        conversation.position = messages.position
        for sequence in messages.first...messages.last {
            if let stored = conversation.stored, conversation.rows < stored.count {
                try store.compareWithheld(
                    sequence, sender: users[ImportPlan.withheldUser]?.number ?? 0, at: stored[conversation.rows])
            } else {
                newRows += 1
            }
            conversation.rows += 1
        }
        conversation.sequence = messages.last
        conversations[messages.conversation] = conversation
    }
}

extension ImportPlan.Conversation {
    /// Takes the place in the file from a later state.
    fileprivate mutating func move(to other: Self) {
        (rows, sequence, position) = (other.rows, other.sequence, other.position)
    }

    /// A thread begins with a message that is in none.
    fileprivate mutating func noteThread(of message: ExportedEvent) throws {
        let root = message.extras.withUnsafeBytes { Extras(parsing: $0) }.thread.value
        guard root > 0 else { return }
        guard !inThreads.contains(root) else {
            throw ExportLineFailure("extras: the thread began with a message that is itself in a thread")
        }
        inThreads.insert(message.sequence)
    }
}
