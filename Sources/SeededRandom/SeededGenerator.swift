/// Random numbers that a seed determines: SplitMix64 (Steele, Lea, Flood 2014). Tests, the simulation and the load
/// tester draw everything from it that they leave to chance, so that a run can be repeated. Not for secrets.
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

    /// A number from 0 up to, not including, `bound`; 0 if `bound` is 0. `bound` has to fit 32 bits: the multiply-shift
    /// of Lemire 2019 without its rejection step is biased by `bound` / 2^32, which doesn't matter here.
    public mutating func below(_ bound: Int) -> Int {
        precondition(bound >= 0 && bound <= Int(UInt32.max), "a bound of \(bound) doesn't fit 32 bits")
        return Int(((next() >> 32) &* UInt64(bound)) >> 32)
    }

    /// A number of the range. The range may not be wider than 2^32.
    public mutating func within(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + below(range.upperBound - range.lowerBound + 1)
    }

    /// True in `percent` of a hundred cases.
    public mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}
