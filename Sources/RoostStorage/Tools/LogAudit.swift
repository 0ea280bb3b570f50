import RoostCore

/// Follows the log row by row and notes what the indexes have to say about it: for each conversation its last row, and
/// sums over its rows that don't depend on their order. Two sums are equal if the same rows are in them, but for one
/// chance in 2^64. A value; it holds some 100 bytes for each conversation, and a bit for each position.
struct LogAudit {
    /// The totals of a conversation's rows.
    struct Conversation: Equatable {
        var sequence: Int64 = 0
        var position: Int64 = 0
        var time: Int64 = 0
        /// Over position and sequence of each row, and over who reacted with what to which message.
        var events: UInt64 = 0
        var reactions: UInt64 = 0
        var rows: Int64 = 0
        /// No row of it is known to be damaged or missing.
        var isWhole = true
    }

    /// Positions that one sum over keys stands for, as a power of two: a million.
    static let keyRangeBits: Int64 = 20

    private(set) var conversations: [Int32: Conversation] = [:]
    /// Sums over hash and position of each key, by range of positions.
    private(set) var keys: [Int64: UInt64] = [:]
    /// The positions of those keys: a bit for each, by range.
    private var positions: [Int64: [UInt64]] = [:]
    private(set) var rows: Int64 = 0
    private let hash: KeyHash

    init(hash: KeyHash) { self.hash = hash }

    /// The next sequence in a conversation: a message gets the one after this, any other row has this one.
    func sequence(of conversation: Int32) -> Int64 { conversations[conversation]?.sequence ?? 0 }

    /// Takes a row whose place in its conversation is right. A damaged one only moves the conversation on: what the
    /// indexes say of it can't be judged.
    mutating func take(_ row: LogColumns, isIntact: Bool) {
        let isMessage = row.kind == .message
        var conversation = conversations[row.conversation] ?? Conversation()
        conversation.sequence = row.sequence
        conversation.position = row.position
        conversation.time = row.time
        if isIntact {
            conversation.events &+= LogAudit.sum(row.position, row.sequence, isMessage: isMessage)
            conversation.rows += 1
        }
        if isIntact, row.kind == .react {
            let reaction = LogAudit.sum(row.reference, row.sender, row.label)
            conversation.reactions = row.flag ? conversation.reactions &- reaction : conversation.reactions &+ reaction
        }
        conversations[row.conversation] = conversation
    }

    /// A row of the conversation is damaged or missing.
    mutating func miss(in conversation: Int32) {
        conversations[conversation, default: Conversation()].isWhole = false
    }

    /// Takes the key of a row, whatever its conversation.
    mutating func takeKey(of row: LogColumns, isIntact: Bool) {
        rows += 1
        guard isIntact, !row.key.isEmpty else { return }
        let entry = KeyEntry(hash: ErasedKey.hash(of: row.key) ?? hash(row.sender, row.key), position: row.position)
        let range = row.position >> LogAudit.keyRangeBits
        keys[range, default: 0] &+= LogAudit.sum(entry)
        let place = LogAudit.place(of: row.position)
        positions[range, default: [UInt64](repeating: 0, count: 1 << (LogAudit.keyRangeBits - 6))][place.word] |=
            place.bit
    }

    /// Whether the row at a position has a key.
    func hasKey(at position: Int64) -> Bool {
        let place = LogAudit.place(of: position)
        guard let words = positions[position >> LogAudit.keyRangeBits] else { return false }
        return words[place.word] & place.bit != 0
    }

    private static func place(of position: Int64) -> (word: Int, bit: UInt64) {
        let offset = position & (1 << keyRangeBits - 1)
        return (Int(offset >> 6), 1 << UInt64(offset & 63))
    }

    /// One row of the event index.
    static func sum(_ position: Int64, _ sequence: Int64, isMessage: Bool) -> UInt64 {
        mixed(UInt64(bitPattern: position) << 1 | (isMessage ? 1 : 0), UInt64(bitPattern: sequence))
    }

    /// One entry of the key index.
    static func sum(_ entry: KeyEntry) -> UInt64 {
        mixed(entry.hash, UInt64(bitPattern: entry.position))
    }

    /// One reaction.
    static func sum(_ sequence: Int64, _ user: Int32, _ reaction: UnsafeRawBufferPointer) -> UInt64 {
        mixed(mixed(UInt64(bitPattern: sequence), UInt64(UInt32(bitPattern: user))), UInt64(Checksum.of(reaction)))
    }

    /// The finalizer of SplitMix64 (Steele, Lea, Flood, 2014) over both.
    private static func mixed(_ one: UInt64, _ other: UInt64) -> UInt64 {
        var value = one &* 0x9E37_79B9_7F4A_7C15 &+ other
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
