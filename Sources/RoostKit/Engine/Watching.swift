import RoostClient
import RoostWire

/// The users and groups whose presence this session watches. The relay forgets them with the session. Confined to the
/// engine.
final class Watching {
    /// Users or groups to watch, and to stop watching.
    typealias Change = (new: [String], gone: [String])

    /// Most conversations of which members are counted: the relay's bound (Docs/Protocol.md, section 9).
    static let conversationsMax = 64

    private var users: Set<String> = []
    private var conversations: Set<String> = []

    /// A session begins.
    func begin() { (users, conversations) = ([], []) }

    /// Watches the users shown in open views.
    func follow(
        _ desk: Desk, _ client: ChatClient, _ patience: Patience, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        let people = Watching.plan(
            users, for: try desk.peers(atMost: Notices.presencesMax), atMost: Notices.presencesMax)
        Watching.apply(people, to: &users)
        let groups = Watching.plan(
            conversations, for: desk.groups(atMost: Watching.conversationsMax), atMost: Watching.conversationsMax)
        Watching.apply(groups, to: &conversations)
        desk.notices.forget(users: people.gone, conversations: groups.gone)
        if !people.gone.isEmpty { try await Watching.stop("users", people.gone, client, patience) }
        if !groups.gone.isEmpty { try await Watching.stop("conversations", groups.gone, client, patience) }
        for presences in try await Watching.watch(people.new, client, patience) { desk.noticePresence(presences) }
        for counts in try await Watching.count(groups.new, client, patience) { desk.notice(counts) }
    }

    /// The changes needed to watch all of `wanted`. Users that are no longer shown stay watched as long as there is
    /// room, so scrolling back and forth asks once.
    static func plan(_ watched: Set<String>, for wanted: Set<String>, atMost most: Int) -> Change {
        let new = wanted.subtracting(watched)
        let tooMany = watched.count + new.count - most
        let gone = tooMany > 0 ? watched.subtracting(wanted).sorted().prefix(tooMany) : []
        return (new.sorted(), Array(gone))
    }

    static func apply(_ change: Change, to watched: inout Set<String>) {
        watched.subtract(change.gone)
        watched.formUnion(change.new)
    }

    // MARK: Commands

    // The relay refuses the whole command if the user may not watch one of the users, so halves are tried then.
    private static func watch(
        _ users: [String], _ client: ChatClient, _ patience: Patience
    ) async throws -> [[UserPresence]] {
        guard !users.isEmpty else { return [] }
        do {
            return [
                try await patience { () throws(RoostFailure) in
                    try await client.ask(.watch, { $0.list("users", users) }, { UserPresence.list(reading: $0) })
                }
            ]
        } catch RoostFailure.refused {
            guard users.count > 1 else { return [] }
            let half = users.count / 2
            return try await watch(Array(users[..<half]), client, patience)
                + watch(Array(users[half...]), client, patience)
        }
    }

    // One by one, because the user may have left some meanwhile.
    private static func count(
        _ conversations: [String], _ client: ChatClient, _ patience: Patience
    ) async throws -> [[OnlineCount]] {
        var counts: [[OnlineCount]] = []
        for conversation in conversations {
            do {
                counts.append(
                    try await patience { () throws(RoostFailure) in
                        try await client.ask(
                            .watch, { $0.list("conversations", [conversation]) }, { OnlineCount.list(reading: $0) })
                    })
            } catch RoostFailure.refused {}
        }
        return counts
    }

    private static func stop(
        _ name: StaticString, _ gone: [String], _ client: ChatClient, _ patience: Patience
    ) async throws {
        try await patience { () throws(RoostFailure) in
            try await client.ask(.unwatch, { $0.list(name, gone) }, { Answer(reading: $0) })
        }
    }
}
