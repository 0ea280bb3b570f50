/// Bounds of scenario files, in addition to those of `HarnessLimits`. Constants; no state.
enum ScenarioLimits {
    /// Most bytes of a file. The longest of ours has 2,000.
    static let fileBytes = 262_144
    /// Most characters of `about`: one sentence that fits the list of scenarios.
    static let aboutCharacters = 200
    /// Bytes of a message's text. The harness uses the first 63 for its stamp, and no relay can be set to accept more
    /// than 80,000.
    static let textBytes = 64...80_000
    /// Most personas. The report shows each one.
    static let personas = 32
    /// Most sizes of rooms.
    static let rooms = 64
    /// Most storms in a run. Each takes some seconds.
    static let storms = 64
    /// Most stages of the rate.
    static let stages = 64
    /// Most memberships in all conversations. The harness stores some 16 bytes for each.
    static let memberships = 2_000_000
    /// Most devices of one user: the relay's default limit.
    static let devices = 64
}
