import RoostWire

/// What the operator sees of the Relay: plain integers, read by the host when somebody asks for metrics.
public struct Counters: Sendable {
    /// Users known.
    public var users = 0
    /// Conversations known.
    public var conversations = 0
    /// Sessions welcomed.
    public var sessionsOpened = 0
    /// Of them, those that ended.
    public var sessionsEnded = 0
    /// Sessions replaced by a newer one of the same device.
    public var takeovers = 0
    /// Frames received.
    public var commands = 0
    /// Messages stored.
    public var messages = 0
    /// Retries that got their first answer.
    public var duplicates = 0
    /// Durable events put into outboxes, from the loop and from pages.
    public var deliveries = 0
    /// Signals accepted.
    public var signals = 0
    /// Signals put into outboxes.
    public var signalDeliveries = 0
    /// Signals not sent to slow sessions.
    public var signalsDropped = 0
    /// Typing, presence and receipt events put into outboxes, and those held back for slow sessions.
    public var ephemeralDeliveries = 0
    /// Of them, those held back and conflated.
    public var ephemeralOwed = 0
    /// Watermarks told.
    public var receiptsGathered = 0
    /// Changes of a user's presence.
    public var presenceChanges = 0
    /// Sessions that fell behind because they read too slowly.
    public var spills = 0
    /// Pages read for sessions that catch up.
    public var pages = 0
    /// Gaps told.
    public var gaps = 0
    /// Users whose watchers were told "online" last.
    public var usersOnline = 0
    /// Users whose watchers were told "away" last.
    public var usersAway = 0
    /// By `ErrorCode`.
    public var errors = [Int](repeating: 0, count: ErrorCode.allCases.count)
    /// By place of the code in `CloseCode.allCases`.
    public var closes = [Int](repeating: 0, count: CloseCode.allCases.count)

    init() {}

    mutating func count(_ code: CloseCode) {
        if let place = CloseCode.allCases.firstIndex(of: code) { closes[place] += 1 }
    }
}
