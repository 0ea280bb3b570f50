import RoostFraming
import RoostWire

/// `admin.find`: users, groups and invitations by what an operator knows of them. It changes nothing. Loop thread only.
struct FindReport {
    /// The limits of a page.
    struct Bounds {
        /// Users, and groups, of a page whose command names no limit.
        let rows: Int
        /// Conversations whose names are looked at for one page.
        let looks: Int

        init(_ limits: Limits) {
            rows = limits.historyDefault
            looks = limits.groupsLookedAt
        }
    }

    private let bounds: Bounds
    private let directory: Directory
    private let profiles: ProfileCommands
    private let invites: InviteCommands
    private let builder: FrameBuilder

    init(
        _ bounds: Bounds, _ directory: Directory, _ profiles: ProfileCommands, _ invites: InviteCommands,
        _ builder: FrameBuilder
    ) {
        self.bounds = bounds
        self.directory = directory
        self.profiles = profiles
        self.invites = invites
        self.builder = builder
    }

    /// Where the page behind this one begins.
    /// - Parameter after: `next` of the page before.
    func place(after: Text?) throws(Refusal) -> ConversationNumber? {
        guard let after else { return nil }
        guard let last = directory.conversation(named: after) else { throw Directory.notANext }
        return last.number
    }

    /// Writes a page. The first one has the users, the conversation of this id and the invitation of this code, too;
    /// groups come page by page.
    /// - Parameter last: the last conversation that was looked at for the page before; nil for the first page.
    func write(_ prefix: Text, behind last: ConversationNumber?, limit: Int?, at now: Moment) {
        let folded = FoldedName(prefix.string)
        // Users named in groups and links.
        var named: [User] = []
        builder.beginArray("people")
        if last == nil { writePeople(folded, named: prefix, atMost: limit ?? bounds.rows) }
        builder.endArray()
        builder.beginArray("groups")
        let next = writeGroups(
            folded, exact: last == nil ? directory.conversation(named: prefix) : nil, behind: last ?? .none,
            atMost: limit ?? bounds.rows, &named)
        builder.endArray()
        builder.beginArray("links")
        if last == nil, let maker = invites.writeLink(of: prefix, at: now) { named.append(maker) }
        builder.endArray()
        writeNames(named)
        if let next { builder.member("next", plain: next.id) }
    }

    /// Returns the last conversation that was looked at, if there may be more.
    private func writeGroups(
        _ prefix: FoldedName, exact: Conversation?, behind last: ConversationNumber, atMost rows: Int,
        _ named: inout [User]
    ) -> Conversation? {
        if let exact { write(exact, &named) }
        var (place, written, looked) = (last, 0, 0)
        var reached: Conversation?
        while let conversation = directory.conversationsByNumber.next(after: place.value) {
            guard looked < bounds.looks, written < rows else { return reached }
            (place, reached, looked) = (conversation.number, conversation, looked + 1)
            guard conversation.kind == .group, conversation !== exact, isCalled(conversation, prefix) else { continue }
            write(conversation, &named)
            written += 1
        }
        return nil
    }

    private func isCalled(_ group: Conversation, _ prefix: FoldedName) -> Bool {
        FoldedName.keys(of: group.appearance.name).contains { $0.begins(with: prefix) }
    }

    /// The user of exactly this id or username first.
    private func writePeople(_ prefix: FoldedName, named name: Text, atMost rows: Int) {
        var known: Set<UserNumber> = []
        if let user = directory.naming.person(named: name) {
            known.insert(user.number)
            write(user)
        }
        let index = profiles.index
        var place = index.start(at: prefix)
        while let entry = index[place], entry.name.begins(with: prefix), known.count < rows {
            if known.insert(entry.user).inserted, let user = directory.user(entry.user) { write(user) }
            place = index.place(after: place)
        }
    }

    private func write(_ user: User) {
        builder.beginObject()
        builder.outline(of: user)
        if let name = user.profile?.stored.username, !name.isEmpty { builder.member("username", plain: name) }
        builder.endObject()
    }

    private func write(_ conversation: Conversation, _ named: inout [User]) {
        let members = conversation.members.prefix(FindReport.membersNamed).map(\.user)
        named += members
        builder.beginObject()
        builder.member("conversation", plain: conversation.id)
        if conversation.kind == .group { builder.member("name", conversation.appearance.name) }
        builder.member("count", Int64(conversation.members.count))
        builder.member("sequence", conversation.lastSequence.value)
        builder.member("position", conversation.lastPosition)
        builder.names("members", members.map(\.name))
        builder.endObject()
    }

    /// Most members named of a conversation, to distinguish it from others of the same name.
    private static let membersNamed = 5

    /// Writes the names of these users, each once.
    private func writeNames(_ users: [User]) {
        var known: Set<UserNumber> = []
        builder.beginArray("names")
        for user in users where known.insert(user.number).inserted { write(user) }
        builder.endArray()
    }
}
