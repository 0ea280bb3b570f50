/// One part of the tail on its way into the indexes, in slices, so that no commit waits long: keys by block, rows by
/// conversation, so that neighbours share a page. The watermark moves with the last slice; slices that a crash leaves
/// without it are written again, to the same effect.
struct IndexMerge {
    /// The last row of the part.
    let upTo: Int64
    let keys: KeySpread
    let keyCount: Int
    private let run: Tail.Run
    private let conversations: [Int32]
    private var nextBlock: Int64
    private var nextConversation = 0
    private var nextRow = 0
    private var nextLast = 0

    init(_ run: Tail.Run, _ keys: KeySpread, count: Int, upTo: Int64) {
        self.run = run
        self.keys = keys
        keyCount = count
        self.upTo = upTo
        conversations = run.entries.keys.sorted()
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
            let rows = run.entries[conversation] ?? []
            let end = min(nextRow + EventBlock.rowsMax, rows.count)
            if let block = EventBlock(rows[nextRow..<end], of: conversation) {
                nextRow = end
                return .events(block)
            }
            nextConversation += 1
            nextRow = 0
        }
        guard nextLast < conversations.count else { return nil }
        defer { nextLast += 1 }
        return .last(conversation: conversations[nextLast])
    }
}
