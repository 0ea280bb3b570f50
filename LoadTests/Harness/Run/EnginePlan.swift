/// All that an engine needs to know before it begins. A value.
public struct EnginePlan: Sendable {
    /// The scenario to run.
    public var scenario: Scenario
    /// `ws://host:port/v1/socket`, or `wss://`.
    public var url: String
    /// The certificates that may sign the relay's; nil for those of the system.
    public var caFile: String?
    /// One for each user, outsiders included; user i is called `userName(i)`.
    public var tokens: [String]
    /// Eight hexadecimal digits that no other run of the same relay has: users and keys carry them.
    public var runName: String
    /// The loop never sleeps, which takes a whole core and no time to wake up.
    public var polls = false
    /// Monotonic time at which the warm-up begins, so that several workers begin together; nil: when set up.
    public var startAt: UInt64?

    /// Sets the members; nothing is checked.
    public init(scenario: Scenario, url: String, tokens: [String], runName: String, startAt: UInt64? = nil) {
        self.scenario = scenario
        self.url = url
        self.tokens = tokens
        self.runName = runName
        self.startAt = startAt
    }

    /// The name of user `index`, outsiders counted after the others.
    public static func userName(_ index: Int, run: String) -> String { "rl\(run)-\(index)" }
}

/// Progress of an engine; reported as it happens, on its thread.
public enum EngineMoment: Sendable {
    case settingUp(done: Int, of: Int)
    /// All sessions are there and nothing is sent.
    case connected
    case warmup
    case measuring
    /// The load is over; what is on its way arrives.
    case settling
    case checking
    /// A second has passed.
    case second(LiveFigures)
}

/// An engine that can't begin, or whose relay doesn't do what every run needs.
public struct EngineFailure: Error, CustomStringConvertible {
    /// One sentence.
    public let description: String

    /// With what went wrong, in one sentence.
    public init(_ description: String) { self.description = description }
}
