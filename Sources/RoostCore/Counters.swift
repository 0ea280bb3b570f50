import RoostWire

/// What the operator sees of the Relay: plain integers that the parts count up, read by the host when somebody asks
/// for metrics. Loop thread only.
public final class Counters {
    /// Users known.
    public internal(set) var users = 0
    /// Conversations known.
    public internal(set) var conversations = 0
    /// Sessions welcomed.
    public internal(set) var sessionsOpened = 0
    /// Of them, those that ended.
    public internal(set) var sessionsEnded = 0
    /// Sessions replaced by a newer one of the same device.
    public internal(set) var takeovers = 0
    /// Frames received.
    public internal(set) var commands = 0
    /// Messages stored.
    public internal(set) var messages = 0
    /// Retries that got their first answer.
    public internal(set) var duplicates = 0
    /// Durable events put into outboxes, from the loop and from pages.
    public internal(set) var deliveries = 0
    /// Signals accepted.
    public internal(set) var signals = 0
    /// Signals put into outboxes.
    public internal(set) var signalDeliveries = 0
    /// Signals not sent to slow sessions.
    public internal(set) var signalsDropped = 0
    /// Typing, presence and receipt events put into outboxes, and those held back for slow sessions.
    public internal(set) var ephemeralDeliveries = 0
    /// Of them, those held back and conflated.
    public internal(set) var ephemeralOwed = 0
    /// Watermarks told.
    public internal(set) var receiptsGathered = 0
    /// Changes of a user's presence.
    public internal(set) var presenceChanges = 0
    /// Sessions that fell behind because they read too slowly.
    public internal(set) var spills = 0
    /// Pages read for sessions that catch up.
    public internal(set) var pages = 0
    /// Gaps told.
    public internal(set) var gaps = 0
    /// Users whose watchers were told "online" last.
    public internal(set) var usersOnline = 0
    /// Users whose watchers were told "away" last.
    public internal(set) var usersAway = 0
    /// By `ErrorCode`.
    public internal(set) var errors = [Int](repeating: 0, count: ErrorCode.allCases.count)
    /// By place of the code in `CloseCode.allCases`.
    public internal(set) var closes = [Int](repeating: 0, count: CloseCode.allCases.count)

    init() {}

    func count(_ code: CloseCode) {
        if let place = CloseCode.allCases.firstIndex(of: code) { closes[place] += 1 }
    }
}
