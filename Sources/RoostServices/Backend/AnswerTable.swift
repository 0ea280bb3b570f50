import RoostWire

/// The word that a key needs for each member of each answer: one table for all routes of backends. A member that isn't
/// here is never sent, whatever the relay answers, so that a new one stays hidden until it has a word. Docs/HTTP.md has
/// the same table, and a test compares both with what comes from a relay. A value.
package struct AnswerTable: Sendable {
    /// Members of one route that take one word. Those inside objects and arrays have their path, with dots.
    package struct Row: Sendable, Equatable {
        package let path: String
        package let word: APIKey.Word
        package let members: [String]
    }

    /// All rows, in the order of Docs/HTTP.md.
    package static let rows: [Row] =
        changes + conversations + [
            Row("invites", .conversations, "invite"), Row("invites/list", .conversations, "invites"),
            Row("invites/revoke", .conversations, ""),
            // Where it leads, and nothing of what is there.
            Row(
                "invites/open", .conversations, "conversation.conversation conversation.kind waiting expires duplicate"
            ), Row("joins/list", .conversations, "joins"),
            Row("joins/accept", .conversations, "position time"), Row("joins/refuse", .conversations, ""),
            Row("messages/history", .read, "conversation messages events more gaps people"),
            Row("presence", .presence, "users"),
            Row("users", .users, "users.user users.version users.code users.reason"),
            Row("users/{user}", .users, "user version"),
        ] + endings

    // Members of answers to changes. `origin` and the body that goes with it are another message's, and the time of a
    // deletion is later news. Whether an edit, a deletion or a reaction changed anything reveals what was there before:
    // without `read` a text could be guessed by it.
    private static let changes: [Row] =
        [
            Row("messages", .send, "conversation sequence position time expires duplicate"),
            Row("messages", .read, "origin kind body deletedAt"),
            Row("signals", .send, ""),
        ]
        + ["edit", "delete", "react"].flatMap {
            [
                Row("messages/\($0)", .send, ""),
                Row("messages/\($0)", .read, ($0 == "edit" ? "version " : "") + "position time duplicate"),
            ]
        }
        + ["rename", "add", "remove", "role", "leave", "ban", "unban", "timeout", "posting", "joining"].map {
            // The added users: the command named them.
            Row("conversations/\($0)", .conversations, ($0 == "add" ? "users " : "") + "position time duplicate")
        }

    // How many messages there are, which of them are read, and when the last one came, is for those who may read.
    private static let conversations: [Row] =
        conversation("conversations", "conversation", more: "position time duplicate")
        + conversation("conversations/get", "conversation") + conversation("conversations/list", "conversations")
        + [
            Row("conversations/list", .conversations, "next"),
            Row("conversations/members", .conversations, "conversation members.user members.role members.timeout next"),
            Row(
                "conversations/members", .read,
                "members.delivered members.deliveredAt members.read members.readAt sequence of deliveredCount readCount"
            ),
            Row("conversations/bans", .conversations, "conversation bans next"),
            Row("conversations/members", .presence, "members.state members.text members.lastSeen members.seen"),
        ]

    // Whether there was a connection to close reveals whether the user was online.
    private static let endings: [Row] =
        ["sessions/disconnect", "sessions/revoke"].flatMap {
            [Row($0, .sessions, "unstored"), Row($0, .presence, "closed")]
        }
        + ["erase/messages", "erase/messages/state"].map { Row($0, .erase, "user done") }

    private static func conversation(_ path: String, _ object: String, more: String = "") -> [Row] {
        let own =
            "conversation kind name photo description createdAt request role count members expiry posting slow "
            + "joining waiting timeout"
        let read = "sequence unread unreadFrom mentions firstMention read pins message time"
        let people = " people.user people.version people.name people.photo people.deleted " + more
        return [
            Row(path, .conversations, prefixed(own, object) + people), Row(path, .read, prefixed(read, object)),
        ]
    }

    private static func prefixed(_ names: String, _ object: String) -> String {
        names.split(separator: " ").map { "\(object).\($0)" }.joined(separator: " ")
    }

    private let allowed: Set<String>
    /// The objects and arrays that have some of these.
    private let containers: Set<String>
    private let mayRead: Bool
    private let path: String

    /// The members of this route that a key with these words gets.
    package init(_ path: String, words: Set<APIKey.Word>) {
        allowed = Set(AnswerTable.rows.filter { $0.path == path && words.contains($0.word) }.flatMap(\.members))
        containers = Set(
            allowed.flatMap { member -> [String] in
                let parts = member.split(separator: ".")
                return (1..<max(1, parts.count)).map { parts[..<$0].joined(separator: ".") }
            })
        mayRead = words.contains(.read)
        self.path = path
    }

    /// The members of an answer that the key may have, as JSON.
    package func filtered(_ reply: JSONMembers) -> [UInt8] {
        var members = reply.all
        if !mayRead, AnswerTable.isOfNewest(path), reply.flag("duplicate") == true {
            members.removeAll { $0.name == "position" || $0.name == "time" }
        }
        if !mayRead, let people = members.firstIndex(where: { $0.name == "people" }) {
            let named = AnswerTable.named(in: reply)
            let kept = AnswerTable.people(members[people].value, named)
            return object(members.enumerated().filter { $0.offset != people }.map(\.element), "", more: kept)
        }
        members.removeAll { $0.name == "type" || $0.name == "re" }
        return object(members, "", more: nil)
    }

    /// Whether a duplicate has position and time of the conversation's newest event, in place of those of what was done
    /// before: a direct conversation that is there already.
    private static func isOfNewest(_ path: String) -> Bool { path == "conversations" }

    private func object(_ members: [(name: String, value: JSONValue)], _ path: String, more: [JSONValue]?) -> [UInt8] {
        var text: [UInt8] = [UInt8(ascii: "{")]
        func add(_ name: String, _ value: [UInt8]) {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            text += Array("\"\(name)\":".utf8) + value
        }
        for (name, value) in members {
            // One of the relay's own words: nothing in it needs an escape.
            let member = path.isEmpty ? name : "\(path).\(name)"
            if let value = filtered(value, member) { add(name, value) }
        }
        if let more, !more.isEmpty { add("people", array(more, "people")) }
        text.append(UInt8(ascii: "}"))
        return text
    }

    private func array(_ elements: [JSONValue], _ path: String) -> [UInt8] {
        let written = elements.compactMap { filtered($0, path) }
        return [UInt8(ascii: "[")] + written.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    }

    private func filtered(_ value: JSONValue, _ path: String) -> [UInt8]? {
        if allowed.contains(path) { return value.raw }
        guard containers.contains(path) else { return nil }
        if let elements = value.elements { return array(elements, path) }
        return value.members.map { object($0, path, more: nil) }
    }

    // MARK: People

    // The author of the last message comes first there, even after leaving: for a key that may not read, only people
    // named by the objects are passed on, by their names.
    private static func people(_ value: JSONValue, _ named: Set<String>) -> [JSONValue] {
        (value.elements ?? []).compactMap { person in person["user"]?.string.map { ($0, person) } }
            .filter { named.contains($0.0) }.sorted { $0.0 < $1.0 }.map(\.1)
    }

    private static func named(in reply: JSONMembers) -> Set<String> {
        let objects = reply.objects("conversations") ?? [reply.object("conversation")].compactMap(\.self)
        return Set(objects.flatMap { $0.strings("members") })
    }
}

extension AnswerTable.Row {
    init(_ path: String, _ word: APIKey.Word, _ members: String) {
        self.init(path: path, word: word, members: members.split(separator: " ").map(String.init))
    }
}
