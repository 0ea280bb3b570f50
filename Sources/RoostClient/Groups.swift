public import RoostWire

/// The profiles of groups: what they show besides their names.
public struct Groups: Sendable {
    let client: ChatClient

    /// Sets the photo and the description of a group; nil leaves one as it is, an empty text removes it. With a `key`,
    /// it is safe to call again.
    /// - Parameters:
    ///   - photo: what the apps understand by it, such as an address, of at most 256 bytes.
    ///   - description: at most 1,024 bytes.
    /// - Throws: `RoostFailure.refused` with `forbidden` for members who are neither owner nor admin.
    @discardableResult
    public func describe(
        _ conversation: String, photo: String? = nil, description: String? = nil, key: String? = nil
    ) async throws(RoostFailure) -> Answer {
        try await client.request(.describe) { command in
            command.member("conversation", conversation)
            if let photo { command.member("photo", photo) }
            if let description { command.member("description", description) }
            if let key { command.member("key", key) }
        } _: {
            Answer(reading: $0)
        }
    }
}

extension ChatClient {
    /// The profiles of groups.
    public nonisolated var groups: Groups { Groups(client: self) }
}
