public import RoostWire

/// The user's own entries for people who aren't users yet. Other users never see them.
public struct Prospects: Sendable {
    let client: ChatClient

    /// Stores a prospect, or changes one.
    /// - Parameters:
    ///   - id: the prospect to change; nil for a new one.
    ///   - name: at most 256 bytes.
    ///   - note: at most 512 bytes; nil to leave it as it is, empty to remove it.
    /// - Throws: `RoostFailure.refused` with `not_found` if there is no such prospect, `too_large` if there are 1,000.
    @discardableResult
    public func set(_ id: String? = nil, name: String, note: String? = nil) async throws(RoostFailure) -> Prospect {
        try await client.request(.setProspect) { command in
            if let id { command.member("prospect", id) }
            command.member("name", name)
            if let note { command.member("note", note) }
        } _: { members in
            members.object("prospect").flatMap(Prospect.init(reading:))
        }
    }

    /// Removes a prospect. Removing one that isn't there is no failure.
    public func remove(_ id: String) async throws(RoostFailure) {
        try await client.request(.removeProspect) { $0.member("prospect", id) }
    }

    /// Returns a page of prospects. `next` of one page is `after` of the following one.
    public func list(after: String? = nil, limit: Int? = nil) async throws(RoostFailure) -> ProspectPage {
        try await client.request(.prospects) { command in
            if let after { command.member("after", after) }
            if let limit { command.member("limit", Int64(limit)) }
        } _: {
            ProspectPage(reading: $0)
        }
    }
}

extension ChatClient {
    /// People who aren't users yet.
    public nonisolated var prospects: Prospects { Prospects(client: self) }
}
