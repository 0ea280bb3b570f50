public import RoostWire

/// The messages of threads, as far as they are on this device (Docs/Protocol.md, section 5). It belongs to the thread
/// of its store.
public struct LocalThreads {
    let messages: MessageTable

    /// The message with which the thread began that a message belongs to, or could begin; nil if the message isn't
    /// here.
    public func root(of sequence: SequenceNumber, in conversation: String) throws(LocalFailure) -> SequenceNumber? {
        try messages.message(conversation, sequence).map { $0.thread ?? $0.sequence }
    }

    /// The newest messages of a thread from a sequence on, oldest first, without those that were deleted.
    public func messages(
        of root: SequenceNumber, in conversation: String, from: SequenceNumber = .none, limit: Int
    ) throws(LocalFailure) -> [LocalMessage] {
        try messages.page(ofThread: root, in: conversation, from: from, limit: limit)
    }

    /// One message; nil if it isn't here.
    public func message(_ sequence: SequenceNumber, in conversation: String) throws(LocalFailure) -> LocalMessage? {
        try messages.message(conversation, sequence)
    }
}
