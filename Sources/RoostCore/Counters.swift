import RoostWire

/// Counts for the operator. The parts of the Relay increase these plain integers, and the host reads them when somebody
/// asks for metrics. Loop thread only.
public final class Counters {
    /// Known users.
    public internal(set) var users = 0
    /// Known conversations.
    public internal(set) var conversations = 0
    /// Sessions welcomed.
    public internal(set) var sessionsOpened = 0
    /// Sessions that were welcomed and have ended.
    public internal(set) var sessionsEnded = 0
    /// Sessions replaced by a newer one of the same device.
    public internal(set) var takeovers = 0
    /// Frames received.
    public internal(set) var commands = 0
    /// Messages stored.
    public internal(set) var messages = 0
    /// Retries answered with the first answer.
    public internal(set) var duplicates = 0
    /// Durable events put into outboxes, live and from pages.
    public internal(set) var deliveries = 0
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
    /// Times a session fell behind because it read too slowly.
    public internal(set) var spills = 0
    /// Pages read for sessions that catch up.
    public internal(set) var pages = 0
    /// Sessions that are behind.
    public internal(set) var behind = Behind()
    /// Gaps sent.
    public internal(set) var gaps = 0
    /// Conversations, members and watches looked at one by one, users named by commands that may name many, members who
    /// came or left, users whose presence may have changed and those who may have to be told. Sixteen members who are
    /// only searched for their sessions count as one.
    public internal(set) var steps = 0
    /// Users whose watchers were last told "online".
    public internal(set) var usersOnline = 0
    /// Users whose watchers were last told "away".
    public internal(set) var usersAway = 0
    /// Refused commands, by `ErrorCode`.
    public internal(set) var errors = [Int](repeating: 0, count: ErrorCode.allCases.count)
    /// Connections closed by the relay, by index in `CloseCode.allCases`.
    public internal(set) var closes = [Int](repeating: 0, count: CloseCode.allCases.count)

    /// What has been told of users' presence.
    public struct Told: Sendable {
        /// Changes of a user.
        public internal(set) var changes = 0
        /// Rounds of changes that were told later than usual, because much had been told before.
        public internal(set) var lateRounds = 0
    }

    /// Sessions that are behind, and what that costs.
    public struct Behind: Sendable {
        /// Sessions that have been welcomed and are not live.
        public internal(set) var sessions = 0
        /// Times such a session got events from the window.
        public internal(set) var windowPieces = 0
        /// Commands that read, refused because too much waits for slow sessions.
        public internal(set) var readsShed = 0
    }

    init() {}

    func count(_ code: CloseCode) {
        if let place = CloseCode.allCases.firstIndex(of: code) { closes[place] += 1 }
    }
}
