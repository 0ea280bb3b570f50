import RoostProtocol

/// Makes batches durable. Called on one thread only.
public protocol LogWriter: AnyObject {
    /// Applies the batch in one transaction and returns when it is durable, with one outcome per `.append`, in order.
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
    public struct User: Sendable {
        public var number: UserNumber
        public var name: String
        public var lastSeen: Timestamp
        /// Was online when the store was last written; after a crash, last seen at `aliveAt`.
        public var isOnline: Bool
        public init(_ number: UserNumber, name: String, lastSeen: Timestamp = .never, isOnline: Bool = false) {
            self.number = number
            self.name = name
            self.lastSeen = lastSeen
            self.isOnline = isOnline
        }
    }

    public struct Device: Sendable {
        public var number: DeviceNumber
        public var user: UserNumber
        public var name: String
        public var cursor: Position
        public init(_ number: DeviceNumber, user: UserNumber, name: String, cursor: Position) {
            self.number = number
            self.user = user
            self.name = name
            self.cursor = cursor
        }
    }

    public struct Conversation: Sendable {
        public var number: ConversationNumber
        public var id: String
        public var kind: ConversationKind
        public var name: String
        /// Sequence of the last message.
        public var lastSequence: Sequence
        /// Position and time of the last durable event.
        public var lastPosition: Position
        public var lastTime: Timestamp
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

    public struct Member: Sendable {
        public var conversation: ConversationNumber
        public var user: UserNumber
        /// nil: was a member until `leftAt`.
        public var role: Role?
        public var since: Sequence
        public var joinedAt: Position
        public var leftAt: Position
        public var watermark: Watermark
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

    public var head = Position.start
    public var aliveAt = Timestamp.never
    public var users: [User] = []
    public var devices: [Device] = []
    /// Direct conversations keep both pair members here, as members or former members.
    public var conversations: [Conversation] = []
    /// In the order in which they joined.
    public var members: [Member] = []

    public init() {}
}
