/// The tail's newest part on its way into the indexes, in slices, so that no commit waits long: keys by block, rows by
/// conversation, so that neighbours share a page. The rows are only staged, or all parts go into the event index. The
/// watermarks move with the last slice; slices that a crash leaves without it are removed or written again.
struct IndexMerge {
    /// The last row of the part.
    let upTo: Int64
    let keys: KeySpread
    let keyCount: Int
    /// Whether the rows stay in memory, and are written down for the next start only.
    let isStage: Bool
    private let runs: [Tail.Run]
    private let conversations: [Int32]
    private var nextBlock: Int64
    private var nextConversation = 0
    /// Of the next conversation: the rows of all parts.
    private var rows: [Tail.Entry]?
    private var nextRow = 0
    private var nextLast = 0

    /// `parts`: oldest first; the keys are those of the last.
    init(_ parts: [Tail.Run], isStage: Bool, _ keys: KeySpread, count: Int, upTo: Int64) {
        runs = isStage ? parts.suffix(1) : parts
        self.isStage = isStage
        self.keys = keys
        keyCount = count
        self.upTo = upTo
        conversations = runs.reduce(into: Set()) { $0.formUnion($1.entries.keys) }.sorted()
        nextBlock = keys.blocks.lowerBound
    }

    /// What to write next.
    enum Item {
        case keys(ArraySlice<KeyEntry>, block: Int64)
        case events(EventBlock)
        /// The directory's note of a conversation's last row.
        case last(conversation: Int32)
    }

    /// Takes the next item; nil when everything is written.
    mutating func takeNext() -> Item? {
        if nextBlock < keys.blocks.upperBound {
            defer { nextBlock += 1 }
            return .keys(keys.entries(of: nextBlock), block: nextBlock)
        }
        while nextConversation < conversations.count {
            let conversation = conversations[nextConversation]
            let rows = self.rows ?? runs.flatMap { $0.entries[conversation] ?? [] }
            self.rows = rows
            let end = min(nextRow + EventBlock.rowsMax, rows.count)
            if let block = EventBlock(rows[nextRow..<end], of: conversation) {
                nextRow = end
                return .events(block)
            }
            nextConversation += 1
            self.rows = nil
            nextRow = 0
        }
        guard nextLast < conversations.count else { return nil }
        defer { nextLast += 1 }
        return .last(conversation: conversations[nextLast])
    }
}
