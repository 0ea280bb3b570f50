public import RoostWire

/// Messages that the user has read and marks as unread again (Docs/Protocol.md, section 7).
public struct UnreadMarks: Sendable {
    let client: ChatClient

    /// Marks others' messages as unread, from this one on, on the user's own devices; other users don't see it.
    /// `ChatClient.read(_:upTo:)` removes the mark.
    /// - Throws: `RoostFailure.refused` with `too_large` if the message is more than 100 back, `not_found` if it isn't
    ///   there.
    public func mark(_ sequence: SequenceNumber, in conversation: String) async throws(RoostFailure) {
        try await client.request(.unread) { command in
            command.member("conversation", conversation)
            command.member("sequence", sequence.value)
        }
    }
}

extension ChatClient {
    /// Marks messages as unread.
    public nonisolated var unreadMarks: UnreadMarks { UnreadMarks(client: self) }
}
