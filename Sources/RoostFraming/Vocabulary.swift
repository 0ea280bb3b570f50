import RoostWire

/// A fixed set of words, such as member names or command types, found by their bytes without allocating. Never changes
/// after it is built, so any thread may look words up.
struct Vocabulary<Word: CaseIterable & Sendable>: Sendable {
    private struct Entry: Sendable {
        var word: Word
        var spelling: StaticString
        var ends: Ends
    }

    // The first and the last eight bytes: enough to compare words of up to sixteen bytes.
    private struct Ends: Equatable, Sendable {
        var first: UInt64
        var last: UInt64

        @inline(__always)
        init(_ start: UnsafeRawPointer, _ count: Int) {
            first = start.loadUnaligned(as: UInt64.self)
            if count < 8 {
                first = UInt64(littleEndian: first) & ((1 << (8 * UInt64(count))) &- 1)
                last = 0
            } else {
                last = (start + (count - 8)).loadUnaligned(as: UInt64.self)
            }
        }

        // The multiplier is 2^64 divided by the golden ratio.
        @inline(__always) var hash: Int {
            Int(truncatingIfNeeded: ((first ^ (last &* 3)) &* 0x9E37_79B9_7F4A_7C15) >> 32)
        }
    }

    // Open addressing. The size is a power of two and at least four times the number of words, so most searches end at
    // the first place.
    private let entries: [Entry?]
    private let mask: Int

    init(_ spelling: (Word) -> StaticString) {
        var capacity = 16
        while capacity < Word.allCases.count * 4 { capacity *= 2 }
        mask = capacity - 1
        var entries = [Entry?](repeating: nil, count: capacity)
        for word in Word.allCases {
            let literal = spelling(word)
            let count = literal.utf8CodeUnitCount
            var padded = [UInt8](repeating: 0, count: count + JSONReader.readableBytes)
            for index in 0..<count { padded[index] = literal.utf8Start[index] }
            padded.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else { return }
                let ends = Ends(start, count)
                var slot = ends.hash & (capacity - 1)
                while entries[slot] != nil { slot = (slot + 1) & (capacity - 1) }
                entries[slot] = Entry(word: word, spelling: literal, ends: ends)
            }
        }
        self.entries = entries
    }

    /// The word spelled by `count` bytes at `start`. `JSONReader.readableBytes` bytes must be readable there.
    @inline(__always)
    func find(_ start: UnsafeRawPointer, _ count: Int) -> Word? {
        let ends = Ends(start, count)
        var slot = ends.hash & mask
        while let entry = entries[slot] {
            if entry.ends == ends, entry.spelling.utf8CodeUnitCount == count,
                count <= 16 || Vocabulary.isEqual(start, entry.spelling)
            {
                return entry.word
            }
            slot = (slot + 1) & mask
        }
        return nil
    }

    private static func isEqual(_ start: UnsafeRawPointer, _ literal: StaticString) -> Bool {
        Text(UnsafeRawBufferPointer(start: start, count: literal.utf8CodeUnitCount)) == literal
    }
}

extension CommandType {
    static let vocabulary = Vocabulary<CommandType> { $0.word }
}
