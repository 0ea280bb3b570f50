/// The server's answer to `hello`.
public struct Welcome: Sendable, Equatable {
    /// The id of the command.
    public var re: CommandID?
    /// The user of this session.
    public var user: String
    /// The device.
    public var device: String
    /// Whether the server knows nothing of this device. Unless `hello` named a position, it begins where the user's
    /// other devices are, and what it keeps from before is out of date.
    public var isNew: Bool
    /// The device's cursor: everything up to here is acked. Opaque.
    public var position: String
    /// The newest position. Opaque.
    public var head: String
    /// Identifies the server's log. If it has changed, the log was started anew or restored from a backup, and
    /// positions and sequences that the application kept refer to other events.
    public var epoch: String
    /// The failures that an acked message survives; nil if this version doesn't know the word.
    public var durability: Durability?
    /// When the token expires, by the server's clock.
    public var expires: Timestamp?
    /// The server's time.
    public var time: Timestamp
    /// Name and version.
    public var server: String
    /// The user's own status; nil if this version doesn't know its state.
    public var status: OwnStatus?
    /// Number of unread messages in all conversations that aren't muted; nil if the server is still counting and sends
    /// it by an event.
    public var badge: Int?
    /// The server's limits.
    public var limits: ServerLimits

    /// Whether the device has missed nothing.
    public var isUpToDate: Bool { position == head }
}

extension Welcome {
    /// Reads a welcome; nil if it names no user, device or time.
    public init?(reading members: JSONMembers) {
        guard members.type == .welcome, let user = members.string("user"), let device = members.string("device"),
            let time = members.time("time")
        else { return nil }
        re = members.reply
        self.user = user
        self.device = device
        isNew = members.flag("new") ?? false
        position = members.string("position") ?? ""
        head = members.string("head") ?? ""
        epoch = members.string("epoch") ?? ""
        durability = members.string("durability").flatMap(Durability.init(rawValue:))
        expires = members.time("expires")
        self.time = time
        server = members.string("server") ?? ""
        status = members.object("status").flatMap(OwnStatus.init(reading:))
        badge = members.integer("badge").map(Int.init(clamping:))
        limits = ServerLimits(reading: members)
    }
}

/// The limits in `welcome`. A limit that the server doesn't name has this version's default.
public struct ServerLimits: Sendable, Equatable {
    /// Most bytes of a command.
    public var frameBytes: Int
    /// Most bytes of a body that isn't text.
    public var bodyBytes: Int
    /// Most Unicode scalars of a text.
    public var textScalars: Int
    /// Messages on a history page when the command names no limit.
    public var historyDefault: Int
    /// Most messages on a history page.
    public var historyMax: Int
    /// A device that missed more messages of a conversation than this gets only the newest page, and a gap.
    public var backlogMax: Int
    /// Durable events on a catch-up page.
    public var pageMessages: Int
    /// Most members of a group.
    public var membersMax: Int
    /// Duration of "is typing". Whole seconds, like the other times.
    public var typing: Duration
    /// Time in which a dropped device may come back before its user is shown as offline.
    public var grace: Duration
    /// Time from the expiry of a token to the close of its connection.
    public var refreshGrace: Duration
    /// Time between the server's pings on this connection.
    public var ping: Duration
    /// The connection is closed when nothing arrives for this long after a ping.
    public var pong: Duration
    /// Commands of one session per second, sustained.
    public var commandsPerSecond: Int

    /// The limits that a server with these settings sends.
    public init(_ limits: Limits) {
        frameBytes = limits.frameBytes
        bodyBytes = limits.bodyBytes
        textScalars = limits.textScalars
        historyDefault = limits.historyDefault
        historyMax = limits.historyMax
        backlogMax = limits.backlogMax
        pageMessages = limits.pageMessages
        membersMax = limits.membersMax
        typing = .seconds(limits.typingMilliseconds / 1_000)
        grace = .seconds(limits.graceMilliseconds / 1_000)
        refreshGrace = .seconds(limits.refreshGraceMilliseconds / 1_000)
        ping = .seconds(limits.pingMilliseconds / 1_000)
        pong = .seconds(limits.pongMilliseconds / 1_000)
        commandsPerSecond = limits.commandsPerSecond
    }

    /// Reads the member `limits`.
    init(reading members: JSONMembers) {
        self.init(Limits())
        if let told = members.object("limits") { read(told) }
    }

    // The one list of the names on the wire.
    private static let counts: [(StaticString, any WritableKeyPath<ServerLimits, Int> & Sendable)] = [
        ("frameBytes", \.frameBytes), ("bodyBytes", \.bodyBytes), ("textScalars", \.textScalars),
        ("historyDefault", \.historyDefault), ("historyMax", \.historyMax), ("backlogMax", \.backlogMax),
        ("pageMessages", \.pageMessages), ("membersMax", \.membersMax), ("commandsPerSecond", \.commandsPerSecond),
    ]
    private static let seconds: [(StaticString, any WritableKeyPath<ServerLimits, Duration> & Sendable)] = [
        ("typingSeconds", \.typing), ("graceSeconds", \.grace), ("refreshGraceSeconds", \.refreshGrace),
        ("pingSeconds", \.ping), ("pongSeconds", \.pong),
    ]

    /// Writes the members of `limits` into the object that has been begun.
    public func write(to writer: JSONWriter) {
        for (name, limit) in ServerLimits.counts { writer.member(name, Int64(self[keyPath: limit])) }
        for (name, limit) in ServerLimits.seconds { writer.member(name, self[keyPath: limit].components.seconds) }
    }

    fileprivate mutating func read(_ told: JSONMembers) {
        for (name, limit) in ServerLimits.counts {
            if let count = told.count("\(name)") { self[keyPath: limit] = count }
        }
        for (name, limit) in ServerLimits.seconds {
            if let seconds = told.integer("\(name)") { self[keyPath: limit] = .seconds(seconds) }
        }
    }
}
