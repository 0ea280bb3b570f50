import RoostWire

/// Makes batches durable. Called on one thread only.
public protocol LogWriter: AnyObject {
    /// Applies the batch in one transaction and returns when it is durable, with one outcome per `.append`, in order,
    /// and behind them one per `.lease`.
    /// After a throw nothing of the batch may be assumed; the relay stops acking and drains (an fsync that failed
    /// once can't be trusted again).
    func commit(_ batch: [Mutation]) throws -> [Outcome]
}

/// Answers questions. Called on one thread only, another than the writer's.
public protocol LogReader: AnyObject {
    /// Answers from committed rows only.
    func answer(_ read: Read) throws -> ReadResult
}

/// Everything the Relay keeps in memory, as stored.
public struct Snapshot: Sendable {
    /// A row of the directory of users.
    public struct User: Sendable {
        /// Its number.
        public var number: UserNumber
        /// As in tokens.
        public var name: String
        /// When last here; `.never` if never.
        public var lastSeen: Timestamp
        /// Was online when the store was last written; after a crash, last seen at `aliveAt`.
        public var isOnline: Bool
        /// Puts a user together.
        public init(_ number: UserNumber, name: String, lastSeen: Timestamp = .never, isOnline: Bool = false) {
            self.number = number
            self.name = name
            self.lastSeen = lastSeen
            self.isOnline = isOnline
        }
    }

    /// A device that keeps a cursor.
    public struct Device: Sendable {
        /// Its number.
        public var number: DeviceNumber
        /// Whose it is.
        public var user: UserNumber
        /// As in `hello`.
        public var name: String
        /// Everything up to here is acked.
        public var cursor: Position
        /// Puts a device together.
        public init(_ number: DeviceNumber, user: UserNumber, name: String, cursor: Position) {
            self.number = number
            self.user = user
            self.name = name
            self.cursor = cursor
        }
    }

    /// A row of the directory of conversations.
    public struct Conversation: Sendable {
        /// Its number.
        public var number: ConversationNumber
        /// As on the wire.
        public var id: String
        /// Direct or group.
        public var kind: ConversationKind
        /// Of a group; else empty.
        public var name: String
        /// Sequence of the last message.
        public var lastSequence: SequenceNumber
        /// Position and time of the last durable event.
        public var lastPosition: Position
        /// Time of the last durable event.
        public var lastTime: Timestamp
        /// A conversation without events.
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

    /// A membership, or one that ended.
    public struct Member: Sendable {
        /// Where.
        public var conversation: ConversationNumber
        /// Who.
        public var user: UserNumber
        /// nil: was a member until `leftAt`.
        public var role: Role?
        /// Messages up to this one are not shown to it.
        public var since: SequenceNumber
        /// Position of the event by which it joined.
        public var joinedAt: Position
        /// Position of the event by which it left.
        public var leftAt: Position
        /// How far it has got.
        public var watermark: Watermark
        /// A membership from the beginning.
        public init(_ conversation: ConversationNumber, _ user: UserNumber, role: Role?) {
            self.conversation = conversation
            self.user = user
            self.role = role
            since = .none
            joinedAt = .start
            leftAt = .start
            watermark = Watermark()
        }
    }

    /// Position of the newest durable event.
    public var head = Position.start
    /// When the relay last noted that it was alive.
    public var aliveAt = Timestamp.never
    /// Numbers that this relay may give out: none that is in use, or that another relay was given.
    public var leases = NumberLeases.all
    /// All users.
    public var users: [User] = []
    /// All devices.
    public var devices: [Device] = []
    /// Direct conversations keep both pair members here, as members or former members.
    public var conversations: [Conversation] = []
    /// In the order in which they joined.
    public var members: [Member] = []

    /// An empty store.
    public init() {}
}
