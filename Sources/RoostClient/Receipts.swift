public import RoostWire

/// Times when members received and read a message (Docs/Protocol.md, section 7).
public struct Receipts: Sendable {
    let client: ChatClient

    /// Returns a page of the members other than the user who have got a message, if they share receipts. `next` of one
    /// page is `after` of the following one; a page may be empty all the same.
    public func page(
        of sequence: SequenceNumber, in conversation: String, after: String? = nil, limit: Int? = nil
    ) async throws(RoostFailure) -> ReceiptPage {
        try await client.request(.receipts) { command in
            command.member("conversation", conversation)
            command.member("sequence", sequence.value)
            if let after { command.member("after", after) }
            if let limit { command.member("limit", Int64(limit)) }
        } _: {
            ReceiptPage(reading: $0)
        }
    }
}

extension ChatClient {
    /// Times when members received and read a message.
    public nonisolated var receipts: Receipts { Receipts(client: self) }
}
