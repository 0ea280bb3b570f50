/// The server's answer to `hello` in an operator's session.
public struct OperatorWelcome: Sendable, Equatable {
    /// The id of the command.
    public var re: CommandID?
    /// The operator's name, from the token.
    public var name: String
    /// The newest position. Opaque.
    public var head: String
    /// Identifies the server's log.
    public var epoch: String
    /// The failures that an acked message survives; nil if this version doesn't know the word.
    public var durability: Durability?
    /// When the token expires, by the server's clock.
    public var expires: Timestamp?
    /// The server's time.
    public var time: Timestamp
    /// Name and version.
    public var server: String
    /// The server's limits.
    public var limits: ServerLimits
}

extension OperatorWelcome {
    /// Reads a welcome; nil if it isn't an operator's.
    public init?(reading members: JSONMembers) {
        guard members.type == .welcome, let name = members.string("operator"), let time = members.time("time")
        else { return nil }
        re = members.reply
        self.name = name
        head = members.string("head") ?? ""
        epoch = members.string("epoch") ?? ""
        durability = members.string("durability").flatMap(Durability.init(rawValue:))
        expires = members.time("expires")
        self.time = time
        server = members.string("server") ?? ""
        limits = ServerLimits(reading: members)
    }
}

/// The answer to `admin.people`: users who are here, a page of them.
public struct PeoplePage: Sendable, Equatable {
    /// A user who is here.
    public struct Person: Sendable, Equatable {
        /// The user.
        public var user: String
        /// The display name; nil if there is none.
        public var name: String?
        /// The state that others saw last.
        public var state: UserPresence.State
        /// Number of connected devices.
        public var devices: Int
    }

    /// Users by the state that others saw last: `online`, `away`, `busy`, `offline`.
    public var counts: [String: Int64]
    /// The users of this page. It may be empty although there are more.
    public var users: [Person]
    /// The value for `after` to get the next page; nil on the last page.
    public var next: String?
}

extension PeoplePage {
    /// Reads the answer; nil if it isn't one to this command.
    public init?(reading members: JSONMembers) {
        guard let page = members.object("people"), let list = page.objects("users") else { return nil }
        counts = page.integers
        users = list.compactMap { one in
            guard let user = one.string("user"),
                let state = one.string("state").flatMap(UserPresence.State.init(rawValue:))
            else { return nil }
            return Person(
                user: user, name: one.string("name"), state: state, devices: one.count("devices") ?? 0)
        }
        next = page.string("next")
    }
}

/// The answer to `admin.user`.
public struct PersonDetail: Sendable, Equatable {
    /// A device of the user.
    public struct Device: Sendable, Equatable {
        /// Its name, what it does, since when, and how its last connection ended.
        public var device: OwnDevice
        /// Its cursor: everything up to here is acked. Opaque.
        public var position: String
        /// The session's number in the log; nil if it isn't connected, as for the next five.
        public var session: Int64?
        /// Where it connects from.
        public var address: String?
        /// When something arrived from it last.
        public var heard: Timestamp?
        /// `live`, or `behind` while it catches up.
        public var feed: String?
        /// Messages sent to it that it hasn't acked.
        public var unacked: Int?
        /// Bytes that wait for it.
        public var waitingBytes: Int?
        /// Until when it counts as here although it isn't connected.
        public var until: Timestamp?
        /// Tokens issued up to here are no longer good.
        public var revoked: Timestamp?
    }

    /// The user.
    public var user: String
    /// The state that others see.
    public var state: UserPresence.State
    /// Why, as a sentence.
    public var reason: String
    /// The user's chosen status; nil if this version doesn't know the word.
    public var wants: StatusChoice?
    /// Time when the user was last online, as others may see it; nil if never.
    public var lastSeen: Timestamp?
    /// Sessions that watch the user.
    public var watchers: Int
    /// Conversations of the user.
    public var conversations: Int
    /// Users who are its contacts.
    public var contacts: Int
    /// Conversations of strangers that wait for the user to accept them, or that it has dropped.
    public var requests: Int
    /// Number of users blocked by it.
    public var blocks: Int
    /// The profile; nil if there is none.
    public var profile: UserProfile?
    /// Tokens issued up to here are no longer good; nil if all are.
    public var revoked: Timestamp?
    /// The user's devices.
    public var devices: [Device]
    /// The newest position of the log, for comparison with those of the devices. Opaque.
    public var head: String
}

extension PersonDetail {
    /// Reads the answer; nil if it isn't one to this command.
    public init?(reading members: JSONMembers) {
        guard let person = members.object("person"), let user = person.string("user"),
            let state = person.string("state").flatMap(UserPresence.State.init(rawValue:))
        else { return nil }
        self.user = user
        self.state = state
        reason = person.string("reason") ?? ""
        wants = person.word("wants")
        lastSeen = person.time("lastSeen")
        watchers = person.count("watchers") ?? 0
        conversations = person.count("conversations") ?? 0
        contacts = person.count("contacts") ?? 0
        requests = person.count("requests") ?? 0
        blocks = person.count("blocks") ?? 0
        profile = person.object("profile").flatMap(UserProfile.init(reading:))
        revoked = person.time("revoked")
        devices = (person.objects("devices") ?? []).compactMap(Device.init(reading:))
        head = person.string("head") ?? ""
    }
}

extension PersonDetail.Device {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    fileprivate init?(reading members: JSONMembers) {
        guard let device = OwnDevice(reading: members) else { return nil }
        self.device = device
        position = members.string("position") ?? ""
        session = members.integer("session")
        address = members.string("address")
        heard = members.time("heard")
        feed = members.string("feed")
        unacked = members.count("unacked")
        waitingBytes = members.count("waitingBytes")
        until = members.time("until")
        revoked = members.time("revoked")
    }
}

/// The answer to `admin.message`: where an event is.
public struct Whereabouts: Sendable, Equatable {
    /// A device, and whether it has the event.
    public struct Device: Sendable, Equatable {
        /// Its name.
        public var device: String
        /// `sender`, `delivered` (acked), `sent` (not acked yet) or `waiting`.
        public var state: String
        /// Whether it is connected.
        public var isOnline: Bool
        /// Since when it isn't; nil if it is, or if that isn't known.
        public var since: Timestamp?
    }

    /// A member, and who of its devices has the event.
    public struct Recipient: Sendable, Equatable {
        /// The user.
        public var user: String
        /// Whether the member isn't to see the event, because it joined later.
        public var isHidden: Bool
        /// The member's receipts; nil if the event isn't a message.
        public var receipt: Receipt?
        /// The member's devices.
        public var devices: [Device]
    }

    /// Where it stands in the order of all events. Opaque.
    public var position: String
    /// The conversation.
    public var conversation: String
    /// The number of the message, or of the one that it changes.
    public var sequence: SequenceNumber
    /// `message`, `edit`, `delete`, `react` or `conversation`.
    public var kind: String
    /// When it arrived.
    public var time: Timestamp
    /// The user and the device that caused it.
    public var user, device: String
    /// The client's key; nil if there is none.
    public var key: String?
    /// When the message was deleted; nil if it wasn't.
    public var deleted: Timestamp?
    /// Number of members.
    public var of: Int
    /// The members of this page.
    public var members: [Recipient]
    /// The value for `after` to get the next page; nil on the last page.
    public var next: String?
}

extension Whereabouts {
    /// Reads the answer; nil if it isn't one to this command.
    public init?(reading members: JSONMembers) {
        guard let event = members.object("whereabouts"), let position = event.string("position"),
            let conversation = event.string("conversation"), let time = event.time("time")
        else { return nil }
        self.position = position
        self.conversation = conversation
        sequence = event.sequence("sequence") ?? .none
        kind = event.string("kind") ?? ""
        self.time = time
        user = event.string("user") ?? ""
        device = event.string("device") ?? ""
        key = event.string("key")
        deleted = event.time("deleted")
        of = event.count("of") ?? 0
        self.members = (event.objects("members") ?? []).compactMap { member in
            guard let user = member.string("user") else { return nil }
            return Recipient(
                user: user, isHidden: member.flag("hidden") ?? false,
                receipt: Receipt(in: conversation, reading: member),
                devices: (member.objects("devices") ?? []).map { device in
                    Device(
                        device: device.string("device") ?? "", state: device.string("state") ?? "",
                        isOnline: device.flag("online") ?? false, since: device.time("since"))
                })
        }
        next = event.string("next")
    }
}

/// The relay's statistics, now or at a time. A figure that this version doesn't know is kept under its name, too.
public struct RelayStatistics: Sendable, Equatable {
    /// Durations since the sample before, in microseconds.
    public struct Timing: Sendable, Equatable {
        /// Number of times it happened.
        public var count: Int64
        /// Half of them took longer, and one of a hundred.
        public var median, high: Int64
    }

    /// When.
    public var time: Timestamp
    /// Whole numbers, by name.
    public var figures: [String: Int64]
    /// Times, by name; none where nothing happened.
    public var timings: [String: Timing]
    /// Commands refused since the start, by code. Empty in samples of the past.
    public var errors: [String: Int64]
    /// Sessions that ended since the start, by reason. Likewise.
    public var ends: [String: Int64]

    /// A figure; 0 if the server doesn't send it.
    public subscript(name: String) -> Int64 { figures[name] ?? 0 }
}

extension RelayStatistics {
    /// The names of the times.
    public static let timingNames = ["stored", "acked", "presence", "commit", "turn"]

    /// Reads a sample; nil if it has no time.
    public init?(reading members: JSONMembers) {
        guard let time = members.time("time") else { return nil }
        self.time = time
        figures = members.integers
        timings = [:]
        for name in RelayStatistics.timingNames {
            guard let timing = members.object(name) else { continue }
            timings[name] = Timing(
                count: timing.integer("count") ?? 0, median: timing.integer("p50") ?? 0,
                high: timing.integer("p99") ?? 0)
        }
        errors = members.integers("errors")
        ends = members.integers("ends")
    }
}

/// The answer to `admin.statistics`.
public struct KeptStatistics: Sendable, Equatable {
    /// Time from one sample to the next.
    public var every: Duration
    /// Samples of the past, oldest first.
    public var history: [RelayStatistics]
}

extension KeptStatistics {
    /// Reads the answer; nil if it isn't one to this command.
    public init?(reading members: JSONMembers) {
        guard let kept = members.object("statistics"), let every = kept.integer("every") else { return nil }
        self.every = .milliseconds(every)
        history = (kept.objects("history") ?? []).compactMap(RelayStatistics.init(reading:))
    }
}

/// The answer to `admin.erase` for a user: a page of the log.
public struct ErasurePage: Sendable, Equatable {
    /// Messages that were erased.
    public var erased: Int
    /// Rows of the log that the store can't read, of all users.
    public var damaged: Int
    /// Everything up to here was looked at: the next `after`. Opaque.
    public var position: String
    /// Whether there is more to look at.
    public var more: Bool
}

extension ErasurePage {
    /// Reads the answer; nil if it isn't one to this command.
    public init?(reading members: JSONMembers) {
        guard let page = members.object("erasure"), let position = page.string("position") else { return nil }
        erased = page.count("erased") ?? 0
        damaged = page.count("damaged") ?? 0
        self.position = position
        more = page.flag("more") ?? false
    }
}
