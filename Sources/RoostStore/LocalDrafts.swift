/// What the user has begun to write. It belongs to the thread of its store.
public struct LocalDrafts {
    let store: LocalStore

    private var table: DraftTable { DraftTable(database: store.database) }

    /// What the user has begun to write to a conversation or `@name`; empty if nothing.
    public func draft(for destination: String) throws(LocalFailure) -> String {
        try table.draft(of: store.identity.user, for: try names(of: destination))
    }

    /// Keeps what the user has begun to write.
    public func keep(_ text: String, for destination: String) throws(LocalFailure) {
        guard try draft(for: destination) != text else { return }
        let names = try names(of: destination)
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

    // A direct conversation may be opened as `@name` and by its id, before and after the relay has told the id.
    private func names(of destination: String) throws(LocalFailure) -> [String] {
        guard let known = try store.conversation(destination) else { return [destination] }
        guard let peer = known.peer(of: store.identity.user ?? "") else { return [known.id] }
        return [known.id, "@\(peer)"]
    }
}
