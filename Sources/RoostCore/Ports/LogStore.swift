import RoostWire

/// Makes batches durable. Called on one thread only.
public protocol LogWriter: AnyObject {
    /// Applies the batch in one transaction and returns when it is durable: with one outcome for each `.append`, in
    /// order, and after those one for each `.lease`. If it throws `NoRoom`, nothing of the batch is stored. If it
    /// throws anything else, the batch may or may not be stored; the relay stops acking and drains, because a failed
    /// fsync can't be repeated safely.
    func commit(_ batch: [Mutation]) throws -> [Outcome]
}

/// Answers reads. Called on one thread only, which isn't the writer's.
public protocol LogReader: AnyObject {
    /// Answers from committed rows only.
    func answer(_ read: Read) throws -> ReadResult
}

/// Everything that the Relay keeps in memory, as it is stored.
public struct Snapshot: Sendable {
    /// A user.
    public struct User: Sendable {
        /// The user's number.
        public var number: UserNumber
        /// The user's name, as in tokens.
        public var name: String
        /// The user's presence when this was stored.
        public var presence: StoredPresence
        /// The user's chosen status.
        public var status: StoredStatus
        /// The user's privacy settings.
        public var privacy: PrivacySettings
        /// Creates a user.
        public init(
            _ number: UserNumber, name: String, _ presence: StoredPresence = StoredPresence(),
            _ status: StoredStatus = StoredStatus(), _ privacy: PrivacySettings = PrivacySettings()
        ) {
            self.number = number
            self.name = name
            self.presence = presence
            self.status = status
            self.privacy = privacy
        }
    }

    /// A user's exception for one other user from its settings.
    public struct Exception: Hashable, Sendable {
        /// The user with the exception.
        public var user: UserNumber
        /// The user that it is for.
        public var other: UserNumber
        /// The exception.
        public var kind: PrivacyException
        /// Creates an exception.
        public init(_ user: UserNumber, of other: UserNumber, _ kind: PrivacyException) {
            self.user = user
            self.other = other
            self.kind = kind
        }
    }

    /// A user's profile.
    public struct Profile: Hashable, Sendable {
        /// The user of the profile.
        public var user: UserNumber
        /// The profile.
        public var profile: StoredProfile
        /// Creates one.
        public init(_ user: UserNumber, _ profile: StoredProfile) {
            self.user = user
            self.profile = profile
        }
    }

    /// A contact, or an invitation, of two users.
    public struct Contact: Hashable, Sendable {
        /// The two.
        public var pair: UserPair
        /// Their relation.
        public var stored: StoredContact
        /// Creates a contact.
        public init(_ pair: UserPair, _ stored: StoredContact) {
            self.pair = pair
            self.stored = stored
        }
    }

    /// A person who isn't a user yet.
    public struct Prospect: Hashable, Sendable {
        /// The user who has written them down.
        public var user: UserNumber
        /// Its id.
        public var id: String
        /// The stored entry.
        public var stored: StoredProspect
        /// Creates a prospect.
        public init(_ user: UserNumber, id: String, _ stored: StoredProspect) {
            self.user = user
            self.id = id
            self.stored = stored
        }
    }

    /// An invitation.
    public struct Invite: Hashable, Sendable {
        /// The maker.
        public var user: UserNumber
        /// Its id.
        public var id: String
        /// The stored invitation.
        public var stored: StoredInvite
        /// Creates an invitation.
        public init(_ user: UserNumber, id: String, _ stored: StoredInvite) {
            self.user = user
            self.id = id
            self.stored = stored
        }
    }

    /// Tokens that are no longer good.
    public struct Revocation: Hashable, Sendable {
        /// The user of the tokens.
        public var user: UserNumber
        /// The device; nil for all of the user's.
        public var device: String?
        /// Those issued up to here.
        public var time: Timestamp
        /// Creates a revocation.
        public init(_ user: UserNumber, device: String?, _ time: Timestamp) {
            self.user = user
            self.device = device
            self.time = time
        }
    }

    /// A sign-in whose tokens are no longer good.
    public struct EndedSignIn: Hashable, Sendable {
        /// Its name, as in tokens.
        public var name: String
        /// When it can be forgotten.
        public var until: Timestamp
        /// Creates one.
        public init(_ name: String, until: Timestamp) {
            self.name = name
            self.until = until
        }
    }

    /// The position of a consumer of the feed.
    public struct FeedCursor: Hashable, Sendable {
        /// The consumer.
        public var consumer: String
        /// It has processed everything up to here.
        public var position: Position
        /// Creates a cursor.
        public init(_ consumer: String, _ position: Position) {
            self.consumer = consumer
            self.position = position
        }
    }

    /// The settings of a user.
    public struct Settings: Hashable, Sendable {
        /// The user of the settings.
        public var user: UserNumber
        /// Where the newest was set or removed.
        public var lastPosition: Position
        /// When that was.
        public var lastTime: Timestamp
        /// Those whose key begins with `mute/`, in the order of the keys.
        public var mutes: [Setting] = []
        /// Creates them.
        public init(_ user: UserNumber, lastPosition: Position, lastTime: Timestamp) {
            self.user = user
            self.lastPosition = lastPosition
            self.lastTime = lastTime
        }
    }

    /// A setting of a user.
    public struct Setting: Hashable, Sendable {
        /// Its key.
        public var key: String
        /// Its value, as JSON.
        public var value: [UInt8]
        /// Creates a setting.
        public init(key: String, value: [UInt8]) {
            self.key = key
            self.value = value
        }
    }

    /// A device that keeps a cursor.
    public struct Device: Sendable {
        /// The device's number.
        public var number: DeviceNumber
        /// The device's user.
        public var user: UserNumber
        /// The device's name, as in `hello`.
        public var name: String
        /// The device has acked everything up to here.
        public var cursor: Position
        /// Whether the device has never acked anything.
        public var isNew: Bool
        /// The end of its last connection; nil if it was connected when the relay ended.
        public var ended: StoredEnd?
        /// Creates a device.
        public init(
            _ number: DeviceNumber, user: UserNumber, name: String, cursor: Position, isNew: Bool = false,
            ended: StoredEnd? = nil
        ) {
            self.number = number
            self.user = user
            self.name = name
            self.cursor = cursor
            self.isNew = isNew
            self.ended = ended
        }
    }

    /// A conversation.
    public struct Conversation: Sendable {
        /// The conversation's number.
        public var number: ConversationNumber
        /// The conversation's id, as on the wire.
        public var id: String
        /// Direct or group.
        public var kind: ConversationKind
        /// The name of a group; empty for a direct conversation.
        public var name: String
        /// The identifier of a group's photo, and its description; empty if there is none.
        public var photo = "", description = ""
        /// When it was created; `.never` if that isn't known.
        public var createdAt = Timestamp.never
        /// The sender of the event that created it; nil if that isn't known.
        public var opener: UserNumber?
        /// Nil unless it waits to be accepted.
        public var request: StoredRequest?
        /// The end of the conversation for a user who doesn't get anything behind it.
        public var veil: Veil?
        /// Sequence of the last message.
        public var lastSequence: SequenceNumber
        /// Position of the last durable event.
        public var lastPosition: Position
        /// Time of the last durable event.
        public var lastTime: Timestamp
        /// The newest messages that mention all members, in order.
        public var mentionsOfAll: [Mention] = []
        /// Milliseconds after which messages disappear; 0 if they stay.
        public var expiry: Int64 = 0
        /// Milliseconds between two messages of a member; 0 for none.
        public var slow: Int64 = 0
        /// Rule for users who follow links to the group.
        public var joining = JoiningRule.open
        /// Messages that have disappeared or were deleted.
        public var gone = SequenceRanges()
        /// The pinned messages, in the order in which they were pinned.
        public var pins: [StoredPin] = []
        /// Bans and time-outs, in the order of the users.
        public var restrictions: [StoredRestriction] = []
        /// Creates a conversation without events.
        public init(_ number: ConversationNumber, id: String, kind: ConversationKind, name: String) {
            self.number = number
            self.id = id
            self.kind = kind
            self.name = name
            lastSequence = .none
            lastPosition = .start
            lastTime = .never
        }
    }

    /// A membership, present or former.
    public struct Member: Sendable {
        /// The conversation.
        public var conversation: ConversationNumber
        /// The member.
        public var user: UserNumber
        /// The member's role; nil for a former member, who left at `leftAt`.
        public var role: MemberRole?
        /// Messages up to this one are not shown to the member.
        public var since: SequenceNumber
        /// The last message when it joined. Messages up to it don't count as unread.
        public var joinedAfter: SequenceNumber
        /// Position of the event by which it joined.
        public var joinedAt: Position
        /// Position of the event by which it left.
        public var leftAt: Position
        /// Whether the member has written to the conversation, or changed something in it.
        public var hasAnswered = false
        /// The member's watermarks.
        public var watermark: Watermark
        /// The newest messages that mention the member and that it hasn't read, in order.
        public var mentions: [Mention] = []
        /// Creates a membership.
        public init(_ conversation: ConversationNumber, _ user: UserNumber, role: MemberRole?) {
            self.conversation = conversation
            self.user = user
            self.role = role
            since = .none
            joinedAfter = .none
            joinedAt = .start
            leftAt = .start
            watermark = Watermark()
        }
    }

    /// The identity of this log: 1 to 13 characters of `0-9a-z`. It stays as long as positions mean the same, and they
    /// mean nothing in another epoch.
    public var epoch = ""
    /// Position of the newest durable event.
    public var head = Position.start
    /// When the next message disappears; `.never` if none will.
    public var nextExpiry = Timestamp.never
    /// When the relay last stored that it was alive.
    public var aliveAt = Timestamp.never
    /// Numbers that this relay may assign: none is in use, and none is leased to another relay.
    public var leases = NumberLeases.all
    /// All users.
    public var users: [User] = []
    /// All exceptions, in the order of the users and the others.
    public var exceptions: [Exception] = []
    /// All profiles, in the order of the users.
    public var profiles: [Profile] = []
    /// All contacts and invitations, in the order of the users with the lower numbers and the others.
    public var contacts: [Contact] = []
    /// All prospects, in the order of their owners and ids.
    public var prospects: [Prospect] = []
    /// All invitations, in the order of their makers and ids.
    public var invites: [Invite] = []
    /// All revocations, in the order of the users and the devices.
    public var revocations: [Revocation] = []
    /// All sign-ins that are over and not forgotten, in the order of their names.
    public var endedSignIns: [EndedSignIn] = []
    /// All consumers of the feed, in the order of their names.
    public var feedCursors: [FeedCursor] = []
    /// The settings of all users that have set any, in the order of the users.
    public var settings: [Settings] = []
    /// Users' reports, in the order of numbers.
    public var reports: [StoredReport] = []
    /// All devices.
    public var devices: [Device] = []
    /// All conversations. A direct one has both its users in `members`, as members or former members.
    public var conversations: [Conversation] = []
    /// All members, in the order in which they joined.
    public var members: [Member] = []

    /// An empty store.
    public init() {}
}
