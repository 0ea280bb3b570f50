/// A kind of latency. The raw value is its name in reports and thresholds.
public enum LatencyKind: String, CaseIterable, Codable, Sendable {
    /// From the moment a message was due to its arrival at one device.
    case delivery
    /// From the moment a message was due to the sender's `ok`.
    case ack
    /// From a device's `read` to the `receipt` of another member.
    case receipt
    /// From the moment a user's state had to change until a watcher saw it.
    case presence
    /// From `typing` until another member saw it.
    case typing
    /// From the decision to connect to `welcome`.
    case connect
    /// From `welcome` to `live`, of a device that had missed messages.
    case catchUp = "catch_up"
    /// A delivery in a storm, between users whose connections it didn't cut.
    case bystander
}
