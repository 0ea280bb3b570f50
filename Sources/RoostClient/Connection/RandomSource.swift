/// The client's random numbers, drawn from the given generator. Confined to the client.
final class RandomSource {
    private var generator: any RandomNumberGenerator & Sendable

    init(_ generator: any RandomNumberGenerator & Sendable) { self.generator = generator }

    /// The next time to wait.
    func wait(_ backoff: inout Backoff) -> Duration { backoff.next(&generator) }

    /// A key that no other message has: 128 random bits.
    func key() -> String {
        (0..<2).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
