public import RoostWire

/// Profiles, and the search for users (Docs/Protocol.md, section 14).
public struct People: Sendable {
    let client: ChatClient

    /// Returns the profiles of up to 100 users, in their order; of one that isn't shown there is nothing but the user.
    public func get(_ users: [String]) async throws(RoostFailure) -> [UserProfile] {
        try await client.request(.getUsers) {
            $0.list("users", users)
        } _: {
            ProfilePage(reading: $0)?.profiles
        }
    }

    /// Returns users whose username begins so, or whose name does from some word on, as far as the relay's policy lets
    /// this user find them. `next` of one page is `after` of the following one.
    public func find(
        _ prefix: String, after: String? = nil, limit: Int? = nil
    ) async throws(RoostFailure) -> ProfilePage {
        try await client.request(.findUsers) { command in
            command.member("prefix", prefix)
            if let after { command.member("after", after) }
            if let limit { command.member("limit", Int64(limit)) }
        } _: {
            ProfilePage(reading: $0)
        }
    }

    /// Changes the user's own profile. Nil leaves a member unchanged, and an empty text removes it; the name can't be
    /// removed.
    /// - Parameter version: the version that the profile has to have, 0 for none; nil for any.
    /// - Returns: the new version.
    /// - Throws: `RoostFailure.refused` with `username_taken` if another user has the username, `conflict` if the
    ///   profile has another version.
    @discardableResult
    public func setProfile(
        name: String? = nil, username: String? = nil, photo: String? = nil, bio: String? = nil,
        ifVersion version: Int64? = nil
    ) async throws(RoostFailure) -> Int64 {
        try await client.request(.setProfile) { command in
            if let name { command.member("name", name) }
            if let username { command.member("username", username) }
            if let photo { command.member("photo", photo) }
            if let bio { command.member("bio", bio) }
            if let version { command.member("ifVersion", version) }
        } _: {
            Answer(reading: $0).version
        }
    }
}

extension ChatClient {
    /// Profiles, and the search for users.
    public nonisolated var people: People { People(client: self) }
}
