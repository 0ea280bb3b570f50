/// What is timed. The raw value is its name in reports and thresholds.
public enum LatencyKind: String, CaseIterable, Codable, Sendable {
    /// From the moment a message was due to its arrival at one device.
    case delivery
    /// From the moment a message was due to the sender's `ok`.
    case ack
    /// From a device's `read` to the other members' `receipt`.
    case receipt
    /// From the moment a user's state had to change to a watcher's seeing it.
    case presence
    /// From `typing` to another member's seeing it.
    case typing
    /// From the decision to connect to `welcome`.
    case connect
    /// From `welcome` to the last message that was missed.
    case catchUp = "catch_up"
}
