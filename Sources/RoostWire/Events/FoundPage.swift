/// The answer to `admin.find`: users, groups and invitations, a page of them.
public struct FoundPage: Sendable, Equatable {
    /// A conversation. Without a name it is one of two.
    public struct Group: Sendable, Equatable {
        /// Its id.
        public var conversation: String
        /// The group's name.
        public var name: String?
        /// Number of members.
        public var count: Int
        /// The first members.
        public var members: [String]
        /// Its last message.
        public var sequence: SequenceNumber
        /// The position of its last event.
        public var position: String
    }

    /// An invitation.
    public struct Link: Sendable, Equatable {
        /// The maker.
        public var user: String
        /// The invitation.
        public var invite: Invite
    }

    /// Users: the one of this id or username first, then those of whose name a word begins so.
    public var people: [UserProfile]
    /// Groups, and the conversation of this id.
    public var groups: [Group]
    /// The invitation of this code.
    public var links: [Link]
    /// Profiles of users in groups and links.
    public var names: [UserProfile]
    /// The value for `after` to get the next page; nil on the last page.
    public var next: String?

    /// Reads the answer; nil if it isn't one to this command.
    public init?(reading members: JSONMembers) {
        guard let page = members.object("found"), let groups = page.objects("groups") else { return nil }
        people = UserProfile.people(reading: page)
        self.groups = groups.compactMap(Group.init(reading:))
        links = (page.objects("links") ?? []).compactMap { link in
            guard let user = link.string("user"), let invite = link.object("invite").flatMap(Invite.init(reading:))
            else { return nil }
            return Link(user: user, invite: invite)
        }
        names = (page.objects("names") ?? []).compactMap(UserProfile.init(reading:))
        next = page.string("next")
    }
}

extension FoundPage.Group {
    init?(reading members: JSONMembers) {
        guard let conversation = members.string("conversation"), let sequence = members.sequence("sequence"),
            let position = members.string("position")
        else { return nil }
        self.conversation = conversation
        name = members.string("name")
        count = Int(clamping: members.integer("count") ?? 0)
        self.members = members.strings("members")
        self.sequence = sequence
        self.position = position
    }
}
