public import RoostWire

/// First messages of strangers that wait for the user, where the relay's operator lets them wait (Docs/Protocol.md,
/// section 5). Whatever the user writes into such a conversation accepts it, too.
public struct MessageRequests: Sendable {
    let client: ChatClient

    /// Returns the conversations that wait for the user, newest first; those that it has dropped are left out. `next`
    /// of one page is `before` of the following one.
    /// - Parameter limit: 1 to 100 conversations; nil for the relay's usual page.
    public func list(before: String? = nil, limit: Int? = nil) async throws(RoostFailure) -> ConversationPage {
        try await client.request(.list) { command in
            command.member("requests", true)
            if let before { command.member("before", before) }
            if let limit { command.member("limit", Int64(limit)) }
        } _: {
            ConversationPage(reading: $0)
        }
    }

    /// Turns a request into an ordinary conversation. The server notifies both users.
    /// - Throws: `RoostFailure.refused` with `conflict` if it isn't a request to the user.
    public func accept(_ conversation: String) async throws(RoostFailure) {
        try await client.request(.acceptRequest) { $0.member("conversation", conversation) }
    }

    /// Removes a request from the user's list. The stranger isn't notified.
    /// - Throws: `RoostFailure.refused` with `conflict` if it isn't a request to the user.
    public func drop(_ conversation: String) async throws(RoostFailure) {
        try await client.request(.dropRequest) { $0.member("conversation", conversation) }
    }
}

extension ChatClient {
    /// First messages of strangers that wait for the user.
    public nonisolated var messageRequests: MessageRequests { MessageRequests(client: self) }
}
