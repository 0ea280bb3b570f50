import SeededRandom

/// The rest of a file after a power cut: everything synced, and an arbitrary part of the other bytes, written in any
/// order. A sector is written completely or not at all, and bytes outside a write stay unchanged, as SQLite assumes
/// (sqlite.org/atomiccommit.html, section 2; sqlite.org/psow.html).
struct PowerCut {
    /// The bytes that a disk writes as one unit.
    static let sectorBytes = 512

    /// The fate of the unsynced changes of all files.
    private enum Fate: CaseIterable {
        case allLost
        case allKept
        /// Written in order up to some change, which is torn.
        case cutOff
        /// Each change separately: written, torn or lost.
        case scattered
    }

    private let fate: Fate

    init(_ random: inout SeededGenerator) {
        // The last case can go wrong in the most ways.
        let drawn = random.below(10)
        fate = drawn < 2 ? .allLost : drawn < 3 ? .allKept : drawn < 6 ? .cutOff : .scattered
    }

    /// The content that the next process finds.
    func content(of file: DiskFile, _ random: inout SeededGenerator) -> [UInt8] {
        var content = file.durable
        switch fate {
        case .allLost: break
        case .allKept: for change in file.unsynced { DiskFile.apply(change, to: &content) }
        case .cutOff:
            let kept = random.below(file.unsynced.count + 1)
            for change in file.unsynced[..<kept] { DiskFile.apply(change, to: &content) }
            if kept < file.unsynced.count { tear(file.unsynced[kept], in: &content, &random) }
        case .scattered:
            for change in file.unsynced {
                switch random.below(10) {
                case 0..<5: DiskFile.apply(change, to: &content)
                case 5..<7: tear(change, in: &content, &random)
                default: break
                }
            }
        }
        return content
    }

    /// Whether an unsynced change of a directory is kept.
    func keepsName(_ random: inout SeededGenerator) -> Bool {
        switch fate {
        case .allLost: false
        case .allKept: true
        case .cutOff, .scattered: random.chance(50)
        }
    }

    /// Some sectors of a write.
    private func tear(_ change: DiskFile.Change, in content: inout [UInt8], _ random: inout SeededGenerator) {
        guard case .write(let offset, let bytes) = change else { return }
        var begin = offset
        while begin < offset + bytes.count {
            let end = min((begin / PowerCut.sectorBytes + 1) * PowerCut.sectorBytes, offset + bytes.count)
            if random.chance(50) {
                let sector = Array(bytes[(begin - offset)..<(end - offset)])
                DiskFile.apply(.write(offset: begin, bytes: sector), to: &content)
            }
            begin = end
        }
    }
}
