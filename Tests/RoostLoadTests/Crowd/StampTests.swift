import Testing

@testable import RoostLoad

/// The stamp in a text can be read back, and any changed byte is noticed.
@Suite struct StampTests {
    private func text(_ stamp: Stamp) -> [UInt8] {
        var text = [UInt8](repeating: 0, count: stamp.length)
        text.withUnsafeMutableBytes { stamp.write(to: $0) }
        return text
    }

    private func read(_ text: [UInt8]) -> Stamp? { text.withUnsafeBytes { Stamp($0) } }

    @Test(arguments: [64, 65, 71, 72, 200, 80_000])
    func aStampCanBeReadBack(length: Int) {
        let stamp = Stamp(run: .max, place: 12_345, number: 678, due: .max - 1, sent: 42, length: length)
        #expect(read(text(stamp)) == stamp)
    }

    @Test func everyChangedByteIsDetected() {
        let stamp = Stamp(run: 7, place: 1, number: 2, due: 3, sent: 4, length: 150)
        let right = text(stamp)
        for index in right.indices {
            var wrong = right
            wrong[index] = UInt8(ascii: "#")
            #expect(read(wrong) == nil, "byte \(index)")
        }
        #expect(read(right.dropLast()) == nil)
        #expect(read(right + [right[149]]) == nil)
    }

    @Test func otherTextsHaveNoStamp() {
        for other in ["", "RL", "hello", String(repeating: "x", count: 100)] { #expect(read(Array(other.utf8)) == nil) }
    }

    private func read(_ text: ArraySlice<UInt8>) -> Stamp? { read(Array(text)) }
}
