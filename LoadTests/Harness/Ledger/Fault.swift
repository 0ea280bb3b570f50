/// Kinds of fault. The raw value is the word in reports and thresholds. A value; no state.
public enum Fault: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
    /// A device that was there to the end never got it.
    case lost
    /// It came, or was stored, twice.
    case duplicated
    /// It came, or was stored, in another order than it had to, or two devices disagree about the order.
    case reordered
    /// It came to a device whose user isn't a member.
    case nonMember = "non_member"
    /// What arrived isn't what was sent, or was never sent, or was refused.
    case altered
    /// A user is shown as present who has gone.
    case ghost
    /// A user is shown as gone who is present.
    case absent
    /// Somebody is shown as typing long after they stopped.
    case stuckTyping = "stuck_typing"
    /// An unread count that can't be.
    case wrongUnread = "wrong_unread"
    /// The relay said that it leaves messages out: not a silent loss.
    case gap

    /// Whether a run with one of these has failed.
    public var isFailure: Bool { self != .gap }
}
