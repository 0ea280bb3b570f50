public import RoostWire

/// The messages that a conversation points out to all of its members (Docs/Protocol.md, section 5). Calling one of
/// these again changes nothing.
public struct Pins: Sendable {
    let client: ChatClient

    /// Pins a message.
    /// - Returns: the place and the time of that; without them if it was pinned already.
    /// - Throws: `RoostFailure.refused` with `forbidden` in a group whose owner or admin the user isn't, `too_large` if
    ///   there are 50, `not_found` or `gone` if the message isn't there.
    @discardableResult
    public func pin(_ sequence: SequenceNumber, in conversation: String) async throws(RoostFailure) -> Answer {
        try await change(.pin, sequence, in: conversation)
    }

    /// Pins a message no longer.
    /// - Returns: the place and the time of that; without them if it wasn't pinned.
    @discardableResult
    public func unpin(_ sequence: SequenceNumber, in conversation: String) async throws(RoostFailure) -> Answer {
        try await change(.unpin, sequence, in: conversation)
    }

    private func change(
        _ type: CommandType, _ sequence: SequenceNumber, in conversation: String
    ) async throws(RoostFailure) -> Answer {
        try await client.request(type) { command in
            command.member("conversation", conversation)
            command.member("sequence", sequence.value)
        } _: { members in
            Answer(reading: members)
        }
    }

    /// Returns a page of pinned messages, the one that was pinned last first. `next` of one page is `before` of the
    /// following one.
    public func page(
        of conversation: String, before: String? = nil, limit: Int? = nil
    ) async throws(RoostFailure) -> PinPage {
        try await client.request(.pins) { command in
            command.member("conversation", conversation)
            if let before { command.member("before", before) }
            if let limit { command.member("limit", Int64(limit)) }
        } _: {
            PinPage(reading: $0)
        }
    }
}

extension ChatClient {
    /// The messages that conversations point out.
    public nonisolated var pins: Pins { Pins(client: self) }
}
