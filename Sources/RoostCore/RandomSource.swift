/// The only source of random numbers, for ids and come-back times. Not for secrets. A simulation seeds it.
/// Loop thread only.
final class RandomSource {
    private var generator: any RandomNumberGenerator

    init(_ generator: any RandomNumberGenerator) { self.generator = generator }

    /// A new id that begins with this letter. Its 65 random bits tell nobody how many there are. It need not be secret:
    /// only those whom it concerns get access.
    func id(_ letter: Unicode.Scalar) -> String {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
        var id = [UInt8(ascii: letter)]
        for _ in 0..<13 { id.append(alphabet[Int(number(below: 32))]) }
        return String(decoding: id, as: UTF8.self)
    }

    /// A number from zero up to, but not including, `bound`; zero if `bound` is zero.
    func number(below bound: UInt64) -> UInt64 { generator.next(upperBound: max(1, bound)) }
}
