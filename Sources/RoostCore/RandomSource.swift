/// The one source of random numbers, shared by the parts that need some: conversation ids, come-back times. Not for
/// secrets. Seeded in a simulation. Loop thread only.
final class RandomSource {
    private var generator: any RandomNumberGenerator

    init(_ generator: any RandomNumberGenerator) { self.generator = generator }

    /// From zero up to, but not including, `bound`; zero if that is zero.
    func number(below bound: UInt64) -> UInt64 { generator.next(upperBound: max(1, bound)) }
}
