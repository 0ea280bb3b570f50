import RoostWire
import SeededRandom
import Testing

@testable import RoostFraming

/// Mutated commands, from a fixed seed. Three things hold for any input: nothing traps, the same bytes have the same
/// outcome whatever was decoded before, and a body that is passed on is valid JSON.
@Suite struct CommandFuzzTests {
    static let tokens = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud83d", "\\ude00", "null", "true", "fals", "-", "1e999",
        "9223372036854775808", "0", "1.5", "\u{0}", "\u{7f}", "é", "😀", "@", "\"id\":", "\"type\":", "\"body\":",
        "\"x\"",
        " ", "\n", "[[[[[[[[[[[[[[[[", "]]]]]]]]]]]]]]]]", "{}", "[]", "\"\"",
    ].map { Array($0.utf8) }

    private func mutate(_ bytes: [UInt8], with others: [[UInt8]], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let at = Int.random(in: 0...bytes.count, using: &random)
            let end = min(bytes.count, at + Int.random(in: 0...8, using: &random))
            switch Int.random(in: 0..<7, using: &random) {
            case 0 where at < bytes.count: bytes[at] = UInt8.random(in: 0...255, using: &random)
            case 1 where at < bytes.count: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2: bytes.removeSubrange(at..<end)
            case 3: bytes.insert(contentsOf: bytes[at..<end], at: at)
            case 4: bytes.replaceSubrange(at..<end, with: CommandFuzzTests.tokens.randomElement(using: &random) ?? [])
            case 5: bytes.insert(contentsOf: CommandFuzzTests.tokens.randomElement(using: &random) ?? [], at: at)
            default:
                let other = others.randomElement(using: &random) ?? []
                bytes = Array(bytes[..<at]) + other[min(at, other.count)...]
            }
        }
        return bytes
    }

    @Test("200,000 mutated commands", arguments: [1, 2, 3, 4] as [UInt64])
    func mutations(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let decode = Decoding()
        let fresh = Decoding()
        let seeds = CommandRefusalTests.shapes.map { Array($0.json(changing: "", to: nil).utf8) }
        let expected = seeds.map { decode($0) }
        var accepted = 0
        for round in 0..<50_000 {
            let pick = round % seeds.count
            let bytes = mutate(seeds[pick], with: seeds, &random)
            let outcome = decode(bytes)
            if outcome.code == nil { accepted += 1 }
            #expect(round % 16 != 0 || fresh(bytes) == outcome)
            #expect(round % 16 != 1 || decode(seeds[pick]) == expected[pick])
            #expect(outcome.code == .badJSON || isObject(bytes) || isObject(withoutSurrogates(bytes)))
        }
        // The test is only worth something if some mutations stay valid and others don't.
        #expect((1_000...40_000).contains(accepted))
    }

    /// Every escape of a surrogate becomes an `x`, because the client's reader doesn't take half a pair.
    private func withoutSurrogates(_ bytes: [UInt8]) -> [UInt8] {
        var left = bytes[...]
        var result: [UInt8] = []
        while let byte = left.first {
            let isEscape = byte == UInt8(ascii: "\\")
            let isSurrogate =
                isEscape && left.count >= 6 && String(decoding: left.prefix(3), as: UTF8.self).lowercased() == "\\ud"
                && left[left.startIndex + 3] > UInt8(ascii: "7")
            result += isSurrogate ? [UInt8(ascii: "x")] : Array(left.prefix(isEscape ? 2 : 1))
            left = left.dropFirst(isSurrogate ? 6 : isEscape ? 2 : 1)
        }
        return result
    }

    private func isObject(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { JSONValue(parsing: $0) } != nil }

    @Test(
        "values that the client's reader sees agree with their raw form, all the way down",
        arguments: [5] as [UInt64]
    )
    func trees(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let seeds = [#"{"a":[{"b":"x\u00e9","c":[1,2,[]]},null,"😀"],"d":{"e":{"f":-1.5e3}},"g":true}"#].map {
            Array($0.utf8)
        }
        var valid = 0
        for _ in 0..<20_000 {
            let bytes = mutate(seeds[0], with: seeds, &random)
            guard let value = bytes.withUnsafeBytes({ JSONValue(parsing: $0) }) else { continue }
            valid += 1
            var open = [value]
            while let next = open.popLast() {
                if next.kind == .object {
                    #expect(next.raw.withUnsafeBytes { JSONValue(parsing: $0) } != nil)
                }
                open += next.elements ?? []
                open += (next.members ?? []).map(\.value)
            }
        }
        #expect(valid > 500)
    }
}
