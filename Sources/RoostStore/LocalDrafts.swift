import RoostWire

/// The user's drafts. It belongs to the thread of its store.
public struct LocalDrafts {
    let store: LocalStore

    private var table: DraftTable { DraftTable(database: store.database) }

    /// The prefix of a setting's key that shares a draft with all devices (Docs/Protocol.md, section 6).
    public static let key = "draft/"

    /// Counts up whenever one of them may have changed.
    public var revision: Int { store.draftRevision }

    /// Where the user has begun to write something, as far as a session may share it.
    public func destinations() throws(LocalFailure) -> [String] {
        try table.destinations(of: store.identity.user)
    }

    /// The draft that the user's other devices have; empty if there is none.
    public func shared(in conversation: String) throws(LocalFailure) -> String {
        try store.settings.setting(LocalDrafts.key + conversation).flatMap { MessageBody(json: $0.value)?.text } ?? ""
    }

    /// The version of the draft that the user's other devices have; 0 if there never was one.
    public func sharedVersion(for destination: String) throws(LocalFailure) -> Int64 {
        guard let id = try store.conversation(destination)?.id else { return 0 }
        return try store.settings.version(of: LocalDrafts.key + id)
    }

    /// The draft in a setting: its conversation and text, empty if it was removed; nil if the setting isn't a draft.
    public static func told(by setting: LocalSetting) -> (conversation: String, text: String)? {
        guard setting.key.hasPrefix(key) else { return nil }
        let conversation = String(setting.key.dropFirst(key.count))
        if setting.value.isEmpty { return (conversation, "") }
        return MessageBody(json: setting.value)?.text.map { (conversation, $0) }
    }

    /// The user's draft to a conversation or `@name`; empty if there is none.
    public func draft(for destination: String) throws(LocalFailure) -> String {
        try table.draft(of: store.identity.user, for: try names(of: destination))
    }

    /// Keeps what the user has begun to write.
    public func keep(_ text: String, for destination: String) throws(LocalFailure) {
        guard try draft(for: destination) != text else { return }
        let names = try names(of: destination)
        store.draftRevision += 1
        try store.database.transaction { () throws(LocalFailure) in
            try table.keep(text, of: store.identity.user, for: names)
        }
    }

    /// A text was sent: it is no draft any more. Another one, that is still being written, stays.
    public func use(_ text: String, for destination: String) throws(LocalFailure) {
        guard LocalDrafts.isSame(try draft(for: destination), text) else { return }
        try keep("", for: destination)
    }

    /// Whether two texts are the same, but for spaces at their ends: an app sends a text without those.
    public static func isSame(_ one: String, _ other: String) -> Bool { trimmed(one) == trimmed(other) }

    private static func trimmed(_ text: String) -> Substring {
        let end = text.lastIndex { !$0.isWhitespace }.map { text.index(after: $0) } ?? text.startIndex
        return text[..<end].drop(while: \.isWhitespace)
    }

    // A direct conversation may be opened as `@name` and by its id, before and after the relay has sent the id.
    private func names(of destination: String) throws(LocalFailure) -> [String] {
        guard let known = try store.conversation(destination) else { return [destination] }
        guard let peer = known.peer(of: store.identity.user ?? "") else { return [known.id] }
        return [known.id, "@\(peer)"]
    }
}
