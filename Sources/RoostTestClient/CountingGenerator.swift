/// Random numbers for tests of apps: they count up from a random start, so that keys differ, also those of several
/// devices and starts, and they are small, so that every random wait is zero. The remaining waits are those of a policy
/// or the relay, which a `ManualClock` measures.
public struct CountingGenerator: RandomNumberGenerator, Sendable {
    private var last: UInt64

    /// Begins at a random number below 2 to the power of 48, which is little among all 64 bits.
    public init() { last = UInt64(UInt32.random(in: .min ... .max)) << 16 }

    /// The next number.
    public mutating func next() -> UInt64 {
        last += 1
        return last
    }
}
