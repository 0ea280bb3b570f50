import RoostProtocol

/// What the operator sees of the Relay: plain integers, read by the host when somebody asks for metrics.
public struct Counters: Sendable {
    public var users = 0
    public var conversations = 0
    public var sessionsOpened = 0
    public var sessionsEnded = 0
    public var takeovers = 0
    public var commands = 0
    public var messages = 0
    public var duplicates = 0
    /// Durable events put into outboxes, from the loop and from pages.
    public var deliveries = 0
    public var signals = 0
    public var signalDeliveries = 0
    public var signalsDropped = 0
    /// Typing, presence and receipt events put into outboxes, and those held back for slow sessions.
    public var ephemeralDeliveries = 0
    public var ephemeralOwed = 0
    public var receiptsGathered = 0
    public var presenceChanges = 0
    /// Sessions that fell behind because they read too slowly.
    public var spills = 0
    public var pages = 0
    public var gaps = 0
    public var usersOnline = 0
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
