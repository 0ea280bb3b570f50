/// The amount of people's content that a store keeps. Beyond it the oldest messages are erased: their bodies go, as if
/// they had been deleted, and no event is sent. Their numbers and keys stay. A value.
public struct Retention: Sendable, Equatable {
    /// Milliseconds that a message is kept, counted from when the relay took it; nil for ever.
    public var milliseconds: Int64?
    /// Bytes of all bodies together; nil for as many as there are.
    public var bytes: Int64?

    /// Age below which messages are kept even if they have more bytes, so that a wrong number in the configuration
    /// doesn't erase what people are talking about.
    public static let sparedMilliseconds: Int64 = 86_400_000

    /// Keeps everything.
    public init() {}

    /// Whether anything is ever erased.
    public var isOn: Bool { milliseconds != nil || bytes != nil }

    /// Longest time for an event in memory; nil for no bound. No message is erased that young, but an edit may be
    /// younger than its message.
    public var memoryMilliseconds: Int64? {
        isOn ? min(milliseconds ?? .max, Retention.editMilliseconds) : nil
    }

    /// Time for which the text of an edit may be in memory after its message was erased.
    private static let editMilliseconds: Int64 = 3_600_000
}
