import RoostStore
import RoostWire

/// Finds the users that a text mentions: an `@` before what a member is called. An id counts more than a username, and
/// that more than a display name, which several may have; of several names that fit, the longest one counts. Pure.
struct MentionReader {
    /// Each name in lower case, and its user; the longest first.
    private let called: [(name: String, users: [String])]

    /// Reads what a user writes in a conversation. A conversation of two has no other user to mention.
    /// - Parameter names: what the members are called; the first 50 are known.
    init(_ conversation: LocalConversation?, _ names: Names, user: String) {
        guard let conversation, conversation.kind == .group else {
            called = []
            return
        }
        var (ids, usernames, displayNames) = ([String: [String]](), [String: [String]](), [String: [String]]())
        if conversation.role != .member { ids["all"] = [MentionReader.all] }
        for member in conversation.members where member != user {
            let profile = names.profiles[member]
            ids[member.lowercased(), default: []].append(member)
            if let username = profile?.username { usernames[username.lowercased(), default: []].append(member) }
            if let name = profile?.name { displayNames[name.lowercased(), default: []].append(member) }
        }
        let all = ids.merging(usernames) { first, _ in first }.merging(displayNames) { first, _ in first }
        called = all.map { ($0.key, $0.value) }.sorted { ($1.name.count, $0.name) < ($0.name.count, $1.name) }
    }

    /// Stands for all members.
    static let all = "@all"

    /// The users that a text mentions, each once, in its order: as many as one message may.
    func users(in text: String) -> [String] {
        guard !called.isEmpty else { return [] }
        var rest = Substring(text.lowercased())
        var found: [String] = []
        var isInWord = false
        while let character = rest.popFirst() {
            if character == "@", !isInWord, let one = called.first(where: { MentionReader.begins(rest, with: $0.name) })
            {
                for user in one.users where !found.contains(user) { found.append(user) }
                rest = rest.dropFirst(one.name.count)
                isInWord = false
            } else {
                isInWord = MentionReader.isWord(character)
            }
        }
        return Array(found.prefix(Limits().mentionsPerMessage))
    }

    // Whether the name ends there: a dot or a dash ends it unless something follows, as in `bob.b`.
    private static func begins(_ text: Substring, with name: String) -> Bool {
        guard text.hasPrefix(name) else { return false }
        var after = text.dropFirst(name.count)
        if let next = after.first, next == "." || next == "-" { after = after.dropFirst() }
        return !(after.first.map(isWord) ?? false)
    }

    private static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }
}
