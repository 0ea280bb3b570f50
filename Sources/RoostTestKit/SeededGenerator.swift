/// Random numbers that a seed fixes: SplitMix64 (Steele, Lea, Flood 2014). Everything that a test or the simulation
/// leaves to chance comes from here, so that a run can be repeated. Not for secrets.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// The same seed gives the same numbers.
    public init(seed: UInt64) { state = seed }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    // The multiply-shift of Lemire 2019 without its rejection step: a bias of 2^-32 doesn't matter here.
    mutating func below(_ bound: Int) -> Int {
        guard bound > 0 else { return 0 }
        return Int(((next() >> 32) &* UInt64(bound)) >> 32)
    }

    mutating func within(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + below(range.upperBound - range.lowerBound + 1)
    }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}
