import RoostWire

/// Counts for the operator. The parts of the Relay increase these plain integers, and the host reads them when somebody
/// asks for metrics. Loop thread only.
public final class Counters {
    /// Known users.
    public internal(set) var users = 0
    /// Known conversations.
    public internal(set) var conversations = 0
    /// How sessions began and ended.
    public internal(set) var sessions = Sessions()
    /// Frames received.
    public internal(set) var commands = 0
    /// Messages stored.
    public internal(set) var messages = 0
    /// Messages that have disappeared.
    public internal(set) var disappeared = 0
    /// Retries answered with the first answer.
    public internal(set) var duplicates = 0
    /// Durable events put into outboxes, live and from pages.
    public internal(set) var deliveries = 0
    /// To how many sessions each durable event was to go at once.
    public internal(set) var fanOut = BucketHistogram(bounds: BucketHistogram.numbers)
    /// Signals accepted.
    public internal(set) var signals = 0
    /// Signals put into outboxes.
    public internal(set) var signalDeliveries = 0
    /// Signals not sent to slow sessions.
    public internal(set) var signalsDropped = 0
    /// Typing, presence and receipt events put into outboxes or held back for slow sessions.
    public internal(set) var ephemeralDeliveries = 0
    /// Typing, presence and receipt events held back for slow sessions, of which only the newest state is sent.
    public internal(set) var ephemeralOwed = 0
    /// Changed watermarks that others are told about.
    public internal(set) var receiptsGathered = 0
    /// What has been told of users' presence.
    public internal(set) var presence = Told()
    /// Pages read for sessions that catch up.
    public internal(set) var pages = 0
    /// Sessions that are behind.
    public internal(set) var behind = Behind()
    /// Gaps sent.
    public internal(set) var gaps = 0
    /// What the gate has refused.
    public internal(set) var gate = Gate()
    /// Events that consumers of the feed were told.
    public internal(set) var feedEvents = 0
    /// What users have reported.
    public internal(set) var reports = Reported()
    /// Conversations, members and watches looked at one by one, users named by commands that may name many, members who
    /// came or left, users whose presence may have changed and those who may have to be told. Sixteen members who are
    /// only searched for their sessions count as one.
    public internal(set) var steps = 0
    /// Refused commands, by `ErrorCode`.
    public internal(set) var errors = [Int](repeating: 0, count: ErrorCode.allCases.count)
    /// Connections closed by the relay, by index in `CloseCode.allCases`.
    public internal(set) var closes = [Int](repeating: 0, count: CloseCode.allCases.count)

    /// What users have reported.
    public struct Reported: Sendable {
        /// Reports since the start.
        public internal(set) var made = 0
        /// Reports that no operator has closed.
        public internal(set) var open = 0
    }

    /// What has been told of users' presence.
    public struct Told: Sendable {
        /// Users whose watchers were last told "online", "away" or "busy".
        public internal(set) var online = 0, away = 0, busy = 0
        /// Sessions by what they say about their use.
        public internal(set) var active = 0, idle = 0, background = 0
        /// Changes of a user.
        public internal(set) var changes = 0
        /// Users who came.
        public internal(set) var joins = 0
        /// Users who left, by how their last connection ended: at the raw values of `EndReason`.
        public internal(set) var leaves = [Int](repeating: 0, count: EndReason.places)
        /// Users who left because their last device went to the background, or because they became invisible.
        public internal(set) var leftForBackground = 0, becameInvisible = 0
        /// Devices that came back before their grace ended, so that nobody saw them leave.
        public internal(set) var returned = 0
        /// From the first change of a user to the round that tells it, in milliseconds.
        public internal(set) var delay = BucketHistogram(bounds: BucketHistogram.waits)
        /// Rounds of changes that were told later than usual, because much had been told before.
        public internal(set) var lateRounds = 0
    }

    /// Commands of users who don't know each other, by the raw values of `GateDeed`.
    public struct Gate: Sendable {
        /// Those that were refused.
        public internal(set) var refused = [Int](repeating: 0, count: GateDeed.allCases.count)
        /// Those that would have been refused with the gate on.
        public internal(set) var logged = [Int](repeating: 0, count: GateDeed.allCases.count)
        /// What has become of those that it lets wait.
        public internal(set) var requests = Requests()

        mutating func note(_ deed: GateDeed, isRefused: Bool) {
            if isRefused { refused[Int(deed.rawValue)] += 1 } else { logged[Int(deed.rawValue)] += 1 }
        }
    }

    /// What has become of the first messages of strangers.
    public struct Requests: Sendable {
        /// Those that had to wait.
        public internal(set) var made = 0
        /// Those whose receivers have answered or accepted them, or have become contacts.
        public internal(set) var accepted = 0
        /// Those that their receivers have dropped; they may still be accepted.
        public internal(set) var dropped = 0
    }

    /// How sessions began and ended.
    public struct Sessions: Sendable {
        /// Sessions welcomed, those of operators included.
        public internal(set) var opened = 0
        /// Open sessions of operators that belong to no user.
        public internal(set) var operators = 0
        /// Of those welcomed: sessions of operators that belong to no user.
        public internal(set) var openedByOperators = 0
        /// Sessions that were welcomed and have ended.
        public internal(set) var ended = 0
        /// Sessions replaced by a newer one of the same device.
        public internal(set) var takeovers = 0
        /// Of those welcomed: devices that had never acked anything; that went on where the relay knew them to be; that
        /// named a position of their own; that named one below what they had acked.
        public internal(set) var new = 0, known = 0, resumed = 0, rewound = 0
        /// How sessions ended that had been welcomed, at the raw values of `EndReason`.
        public internal(set) var ends = [Int](repeating: 0, count: EndReason.places)
        /// How others did.
        public internal(set) var strangersEnds = [Int](repeating: 0, count: EndReason.places)
    }

    /// What all sessions together look like to one who has just looked at each. Ages are in milliseconds.
    public struct Census: Sendable, Equatable {
        /// How old the oldest event is that some connected device hasn't been sent.
        public internal(set) var oldestUnsent: Int64 = 0
        /// How old the oldest message is that was sent to some connected device and that it hasn't acked.
        public internal(set) var oldestUnacked: Int64 = 0
        /// How many events were stored since the oldest that some connected device hasn't been sent.
        public internal(set) var furthestBehind: Int64 = 0
        /// Bytes that wait for the connection for which most wait.
        public internal(set) var largestOutbox = 0
    }

    /// Devices that are not connected: those that lack nothing, and those for which events wait, by how long they have
    /// been away.
    public struct Backlog: Sendable, Equatable {
        /// Nothing waits for them.
        public internal(set) var nothing = 0
        /// Away for less than an hour.
        public internal(set) var hour = 0
        /// Away for less than a day.
        public internal(set) var day = 0
        /// Away for less than a week.
        public internal(set) var week = 0
        /// Away for longer.
        public internal(set) var longer = 0
    }

    /// Sessions that are behind, and what that costs.
    public struct Behind: Sendable {
        /// Sessions that have been welcomed and are not live.
        public internal(set) var sessions = 0
        /// What was found when all sessions were last looked at.
        public internal(set) var census = Census()
        /// What was found when all devices were last looked at; nil before that.
        public internal(set) var backlog: Backlog?
        /// Times a session fell behind because it read too slowly.
        public internal(set) var spills = 0
        /// Times such a session got events from the window.
        public internal(set) var windowPieces = 0
        /// Commands that read, refused because too much waits for slow sessions.
        public internal(set) var readsShed = 0
    }

    init() {}

    /// Users whose watchers were last told that they are online or busy.
    public var usersOnline: Int { presence.online + presence.busy }
    /// Users whose watchers were last told that they are away.
    public var usersAway: Int { presence.away }

    func count(_ code: CloseCode) {
        if let place = CloseCode.allCases.firstIndex(of: code) { closes[place] += 1 }
    }
}
