import RoostWire

/// Counts for the operator. The parts of the Relay increase these plain integers, and the host reads them for the
/// metrics. Loop thread only.
public final class Counters {
    /// Known users.
    public internal(set) var users = 0
    /// Known conversations.
    public internal(set) var conversations = 0
    /// Counts of sessions' beginnings and ends.
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
    /// Changed watermarks that are sent to others.
    public internal(set) var receiptsGathered = 0
    /// Counts of announced presence.
    public internal(set) var presence = Told()
    /// Pages read for sessions that catch up.
    public internal(set) var pages = 0
    /// Sessions that are behind.
    public internal(set) var behind = Behind()
    /// Gaps sent.
    public internal(set) var gaps = 0
    /// Counts of the gate's refusals.
    public internal(set) var gate = Gate()
    /// Events sent to consumers of the feed.
    public internal(set) var feedEvents = 0
    /// Counts of users' reports.
    public internal(set) var reports = Reported()
    /// Conversations, members and watches looked at one by one, users named by commands that may name many, members who
    /// came or left, users whose presence may have changed and possible recipients of that. Sixteen members who are
    /// only searched for their sessions count as one.
    public internal(set) var steps = 0
    /// Refused commands, by `ErrorCode`.
    public internal(set) var errors = [Int](repeating: 0, count: ErrorCode.allCases.count)
    /// Connections closed by the relay, by index in `CloseCode.allCases`.
    public internal(set) var closes = [Int](repeating: 0, count: CloseCode.allCases.count)

    /// Counts of users' reports.
    public struct Reported: Sendable {
        /// Reports since the start.
        public internal(set) var made = 0
        /// Reports that no operator has closed.
        public internal(set) var open = 0
    }

    /// Counts of announced presence.
    public struct Told: Sendable {
        /// Users last announced to their watchers as "online", "away" or "busy".
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
        /// Devices that came back before their grace ended, so that no watcher saw them leave.
        public internal(set) var returned = 0
        /// Delay from the first change of a user to the round that sends it, in milliseconds.
        public internal(set) var delay = BucketHistogram(bounds: BucketHistogram.waits)
        /// Rounds of changes that were later than usual, because much had been sent before.
        public internal(set) var lateRounds = 0
    }

    /// Commands of users who don't know each other, by the raw values of `GateDeed`.
    public struct Gate: Sendable {
        /// Those that were refused.
        public internal(set) var refused = [Int](repeating: 0, count: GateDeed.allCases.count)
        /// Those that would have been refused with the gate on.
        public internal(set) var logged = [Int](repeating: 0, count: GateDeed.allCases.count)
        /// Counts of requests.
        public internal(set) var requests = Requests()

        mutating func note(_ deed: GateDeed, isRefused: Bool) {
            if isRefused { refused[Int(deed.rawValue)] += 1 } else { logged[Int(deed.rawValue)] += 1 }
        }
    }

    /// Outcomes of strangers' first messages.
    public struct Requests: Sendable {
        /// Those that had to wait.
        public internal(set) var made = 0
        /// Those whose receivers have answered or accepted them, or have become contacts.
        public internal(set) var accepted = 0
        /// Those that their receivers have dropped; they may still be accepted.
        public internal(set) var dropped = 0
    }

    /// Counts of sessions' beginnings and ends.
    public struct Sessions: Sendable {
        /// Sessions welcomed, those of operators included.
        public internal(set) var opened = 0
        /// Open sessions of operators that belong to no user.
        public internal(set) var operators = 0
        /// Among those welcomed: sessions of operators that belong to no user.
        public internal(set) var openedByOperators = 0
        /// Sessions that were welcomed and have ended.
        public internal(set) var ended = 0
        /// Sessions replaced by a newer one of the same device.
        public internal(set) var takeovers = 0
        /// Among those welcomed: devices without any ack; those that continued at the relay's position; those that
        /// named a position of their own; and those that named one below their last ack.
        public internal(set) var new = 0, known = 0, resumed = 0, rewound = 0
        /// Ends of welcomed sessions, at the raw values of `EndReason`.
        public internal(set) var ends = [Int](repeating: 0, count: EndReason.places)
        /// Ends of other sessions.
        public internal(set) var strangersEnds = [Int](repeating: 0, count: EndReason.places)
    }

    /// The results of a look at each session. Ages are in milliseconds.
    public struct Census: Sendable, Equatable {
        /// Age of the oldest event not yet sent to some connected device.
        public internal(set) var oldestUnsent: Int64 = 0
        /// Age of the oldest message that was sent to some connected device and that it hasn't acked.
        public internal(set) var oldestUnacked: Int64 = 0
        /// Number of events since the oldest one not yet sent to some connected device.
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
        /// The results of the last look at all sessions.
        public internal(set) var census = Census()
        /// The results of the last look at all devices; nil before that.
        public internal(set) var backlog: Backlog?
        /// Times a session fell behind because it read too slowly.
        public internal(set) var spills = 0
        /// Times such a session got events from the window.
        public internal(set) var windowPieces = 0
        /// Commands that read, refused because too much waits for slow sessions.
        public internal(set) var readsShed = 0
    }

    init() {}

    /// Users last announced to their watchers as online or busy.
    public var usersOnline: Int { presence.online + presence.busy }
    /// Users last announced to their watchers as away.
    public var usersAway: Int { presence.away }

    func count(_ code: CloseCode) {
        if let place = CloseCode.allCases.firstIndex(of: code) { closes[place] += 1 }
    }
}
