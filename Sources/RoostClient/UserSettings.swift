public import RoostWire

/// The settings that follow the user from device to device (Docs/Protocol.md, section 6). Changes of other devices come
/// as `RoostEvent.state`.
public struct UserSettings: Sendable {
    let client: ChatClient

    /// Returns these settings; those that aren't there are left out. At most 500 keys.
    public func get(_ keys: [String]) async throws(RoostFailure) -> StatePage {
        try await client.request(.getState) {
            $0.list("keys", keys)
        } _: {
            StatePage(reading: $0)
        }
    }

    /// Returns the settings whose keys begin so, in the order of their keys. `next` of one page is `after` of the
    /// following one.
    public func get(
        prefix: String? = nil, after: String? = nil, limit: Int? = nil
    ) async throws(RoostFailure) -> StatePage {
        try await client.request(.getState) { command in
            if let prefix { command.member("prefix", prefix) }
            if let after { command.member("after", after) }
            if let limit { command.member("limit", Int64(limit)) }
        } _: {
            StatePage(reading: $0)
        }
    }

    /// Sets a setting, or removes it. Calling it again changes nothing.
    /// - Parameters:
    ///   - key: 1–128 bytes of printable ASCII.
    ///   - json: any JSON value but `null`, of at most 4,096 bytes; nil to remove the setting.
    ///   - version: the version that it has to have, 0 if it must not be there; nil for any.
    /// - Returns: the version that it has now; nil if there was nothing to remove.
    /// - Throws: `RoostFailure.refused` with `conflict` if it has another version, `too_large` if there are too many.
    @discardableResult
    public func set(
        _ key: String, json: [UInt8]?, ifVersion version: Int64? = nil
    ) async throws(RoostFailure) -> StoredState? {
        guard json.map(JSONValue.isValid) ?? true else { throw .invalid("the value isn't JSON") }
        return try await client.request(.setState) { command in
            command.member("key", key)
            if let json { command.member("value", raw: json) }
            if let version { command.member("ifVersion", version) }
        } _: {
            .some(StoredState(reading: $0))
        }
    }
}

extension ChatClient {
    /// The settings that follow the user.
    public nonisolated var settings: UserSettings { UserSettings(client: self) }
}
