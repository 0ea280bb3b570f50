/// The bounds of an `AccountClient`, each with its reason.
public struct AccountLimits: Sendable, Equatable {
    /// Longest time for a request. Hashing a password waits for others for two seconds at most.
    public var requestTimeout = Duration.seconds(15)
    /// Longest time for the exchange of a refresh token, before its answer counts as lost. A new access token is needed
    /// soon, and there must be time for a second try.
    public var renewalTimeout = Duration.seconds(4)
    /// Pause before the second try.
    public var renewalPause = Duration.milliseconds(500)
    /// A token is renewed this long before it ends, or in the last quarter of its life if that is later. `ChatClient`
    /// asks for one 60 seconds before, or in the last fifth, and must then get a new one.
    public var renewalMargin = Duration.seconds(120)
    /// Most bytes of an answer. The export of a user with a hundred sessions has 25,000.
    public var answerBytes = 1_048_576
    /// Events that a reader may leave waiting; older ones are dropped. Only the last one says how things are.
    public var eventsMax = 16

    /// The bounds that are in force.
    public init() {}
}
