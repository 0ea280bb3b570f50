/// The only source of random numbers, for conversation ids and come-back times. Not for secrets. A simulation seeds it.
/// Loop thread only.
final class RandomSource {
    private var generator: any RandomNumberGenerator

    init(_ generator: any RandomNumberGenerator) { self.generator = generator }

    /// A number from zero up to, but not including, `bound`; zero if `bound` is zero.
    func number(below bound: UInt64) -> UInt64 { generator.next(upperBound: max(1, bound)) }
}
