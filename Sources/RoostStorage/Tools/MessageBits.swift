/// Some of the messages of a conversation: a bit for each message up to the last of them. A value.
struct MessageBits {
    private var words: [UInt64] = []

    /// Adds a message. Sequences are dense, so memory follows the number of messages that were read.
    mutating func insert(_ sequence: Int64) {
        guard let (word, bit) = MessageBits.place(of: sequence) else { return }
        if word >= words.count { words.append(contentsOf: repeatElement(0, count: word + 1 - words.count)) }
        words[word] |= bit
    }

    /// Whether the message is one of them.
    func contains(_ sequence: Int64) -> Bool {
        guard let (word, bit) = MessageBits.place(of: sequence), word < words.count else { return false }
        return words[word] & bit != 0
    }

    private static func place(of sequence: Int64) -> (word: Int, bit: UInt64)? {
        sequence < 0 ? nil : (Int(sequence >> 6), 1 << UInt64(sequence & 63))
    }
}
