/// A kind of fault. The raw value is its word in reports and thresholds. A value; no state.
public enum Fault: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
    /// A message never reached a device that was connected to the end.
    case lost
    /// A message came twice, or was stored twice.
    case duplicated
    /// A message came or was stored out of order, or two devices disagree about the order.
    case reordered
    /// A message came to a device whose user isn't a member.
    case nonMember = "non_member"
    /// A message arrived that differs from what was sent, was never sent, or was refused.
    case altered
    /// A user who has gone is shown as present.
    case ghost
    /// A user who is present is shown as gone.
    case absent
    /// A user is shown as typing long after having stopped.
    case stuckTyping = "stuck_typing"
    /// An unread count is wrong.
    case wrongUnread = "wrong_unread"
    /// An own message came as an event on the connection on which it had been answered.
    case ownReturned = "own_returned"
    /// A session got `welcome` and never `live`.
    case stuckBehind = "stuck_behind"
    /// A device that lost its connection wasn't let in again.
    case neverBack = "never_back"
    /// The relay said that it left messages out. That is no silent loss.
    case gap

    /// Whether one such fault makes a run fail.
    public var isFailure: Bool { self != .gap }
}
