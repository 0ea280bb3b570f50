/// One part of the key index: the keys of some rows, spread by the leading bits of their hashes over 2^bits blocks. So
/// a look-up reads one block of a run, and runs are merged block by block, without sorting. The blocks of a run have
/// numbers in a row, so that writing it fills one page after the other. A value.
struct KeyRun {
    /// The number of the block of the lowest hashes; it names the run.
    let firstBlock: Int64
    let bits: Int
    var keys = 0
    /// The run that this one is being merged into.
    var target: Int64?
    /// Of a run that is being made: how far its sources have been moved. nil when it is whole.
    var moved: Int64?

    /// Runs of one level are of like size; eight of them make one of the next.
    var level: Int { bits / 3 }

    /// The numbers of all its blocks.
    var blocks: Range<Int64> { firstBlock..<firstBlock + 1 << bits }

    /// How many bits spread so many keys over blocks of about `perBlock`, or somewhat more than half of it.
    static func bits(keys: Int, perBlock: Int) -> Int {
        var bits = 0
        while keys > perBlock << bits { bits += 1 }
        return bits
    }

    func block(of hash: UInt64) -> Int64 {
        firstBlock + Int64(truncatingIfNeeded: hash.leading(bits))
    }

    /// The blocks that hold hashes with this beginning of `width` bits.
    func blocks(of prefix: UInt64, width: Int) -> Range<Int64> {
        let first = block(of: prefix << UInt64(64 - width))
        return first..<first + 1 << max(0, bits - width)
    }
}

extension UInt64 {
    /// The first bits, as a number.
    func leading(_ count: Int) -> UInt64 { self >> UInt64(64 - count) }
}

/// Keys on their way into blocks, ordered by block: by counting, which takes no comparison. A value.
struct KeySpread {
    let blocks: Range<Int64>
    private let entries: [KeyEntry]
    private let starts: [Int]

    /// Every entry belongs to one of the blocks.
    init(_ unordered: [KeyEntry], over blocks: Range<Int64>, of run: KeyRun) {
        func place(_ entry: KeyEntry) -> Int { Int(run.block(of: entry.hash) - blocks.lowerBound) }
        var starts = [Int](repeating: 0, count: blocks.count + 1)
        for entry in unordered { starts[place(entry) + 1] += 1 }
        for index in 1..<starts.count { starts[index] += starts[index - 1] }
        var next = starts
        var entries = unordered
        for entry in unordered {
            let place = place(entry)
            entries[next[place]] = entry
            next[place] += 1
        }
        self.blocks = blocks
        self.entries = entries
        self.starts = starts
    }

    func entries(of block: Int64) -> ArraySlice<KeyEntry> {
        let place = Int(block - blocks.lowerBound)
        return entries[starts[place]..<starts[place + 1]]
    }
}
