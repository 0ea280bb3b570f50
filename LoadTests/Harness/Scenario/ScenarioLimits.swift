/// Bounds of scenario files, beside those of `HarnessLimits` that the keys' ranges name. Constants; no state.
enum ScenarioLimits {
    /// Bytes of a file; the longest that is shipped takes 2,000.
    static let fileBytes = 262_144
    /// Characters of `about`: one sentence, that fits the list of scenarios.
    static let aboutCharacters = 200
    /// Bytes of a message's text. The harness stamps the first 63; no relay can be told to take more than 80,000.
    static let textBytes = 64...80_000
    /// Kinds of users; each is told apart in the report.
    static let personas = 32
    /// Sizes of rooms.
    static let rooms = 64
    /// Storms of one run: each needs some seconds to blow over.
    static let storms = 64
    /// Places of users in conversations, all counted; the harness keeps some 16 bytes for each.
    static let memberships = 2_000_000
    /// Devices of one user: the relay's bound.
    static let devices = 64
}
