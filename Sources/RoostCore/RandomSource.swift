/// The only source of random numbers, for ids, codes of invitations and come-back times. The relay gives it the
/// system's generator, which is fit for secrets; a simulation seeds it. Loop thread only.
final class RandomSource {
    private var generator: any RandomNumberGenerator

    init(_ generator: any RandomNumberGenerator) { self.generator = generator }

    /// A new id that begins with this letter. Its 65 random bits don't reveal how many there are. It need not be
    /// secret: only users with a right to it get access.
    func id(_ letter: Unicode.Scalar) -> String {
        String(decoding: [UInt8(ascii: letter)] + letters(13), as: UTF8.self)
    }

    /// An unguessable code: 130 random bits.
    func secret() -> String { String(decoding: letters(26), as: UTF8.self) }

    /// This number of letters of 5 bits each.
    private func letters(_ count: Int) -> [UInt8] {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
        return (0..<count).map { _ in alphabet[Int(number(below: 32))] }
    }

    /// A number from zero up to, but not including, `bound`; zero if `bound` is zero.
    func number(below bound: UInt64) -> UInt64 { generator.next(upperBound: max(1, bound)) }
}
