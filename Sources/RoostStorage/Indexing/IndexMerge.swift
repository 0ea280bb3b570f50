/// Writes one part of the newest rows into the indexes, in slices, so that no commit waits long. Keys are written by
/// hash and rows by conversation, so that neighbours share a page. The watermark moves with the last slice; slices left
/// by a crash are written again. A value.
struct IndexMerge {
    /// The last row of the part.
    let upTo: Int64
    /// nil if keys stay in memory this time.
    let keys: KeyIndex.Part?
    private let part: EventTail.Part
    private let conversations: [Int32]
    private var nextKey = 0
    private var nextConversation = 0
    private var nextRow = 0
    private var nextEnd = 0

    init(_ part: EventTail.Part, keys: KeyIndex.Part?, upTo: Int64) {
        self.part = part
        self.keys = keys
        self.upTo = upTo
        conversations = part.entries.keys.sorted()
    }

    /// The next part to write.
    enum Item {
        case keys(ArraySlice<KeyEntry>, part: Int64)
        case events(EventBlock)
        /// Where a conversation ends.
        case end(conversation: Int32)
    }

    /// Takes the next item; nil when everything is written.
    mutating func takeNext() -> Item? {
        if let keys, nextKey < keys.entries.count {
            let end = min(nextKey + KeyBlock.keysMax, keys.entries.count)
            defer { nextKey = end }
            return .keys(keys.entries[nextKey..<end], part: keys.number)
        }
        while nextConversation < conversations.count {
            let conversation = conversations[nextConversation]
            let rows = part.entries[conversation] ?? []
            if let block = EventBlock(rows[nextRow...], of: conversation) {
                nextRow += block.rows
                return .events(block)
            }
            nextConversation += 1
            nextRow = 0
        }
        guard nextEnd < conversations.count else { return nil }
        defer { nextEnd += 1 }
        return .end(conversation: conversations[nextEnd])
    }
}
