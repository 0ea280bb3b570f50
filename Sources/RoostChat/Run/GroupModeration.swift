import RoostClient
import RoostKit
import RoostStore
import RoostWire

/// Carries out commands about membership of the open group and writing in it, in words.
@MainActor
struct GroupModeration {
    /// Pages of banned users that are looked through: more than anybody reads.
    private static let pagesMax = 10

    let roost: Roost
    let group: LocalConversation

    private var names: Names { Names(profiles: roost.people.profiles) }
    private let words: Words

    init(roost: Roost, group: LocalConversation, _ words: Words) {
        (self.roost, self.group, self.words) = (roost, group, words)
    }

    func carryOut(_ act: Act) async throws -> ChatSession.Answer {
        guard group.kind == .group else { return .line(words(GroupPhrase.noGroup)) }
        switch act {
        case .ban(let name, let reason):
            let user = try member(name)
            try await roost.ban(user, from: group.id, reason: reason)
            return .line(words(.banned(names.long(user), name: name)))
        case .unban(let name):
            let user = try await banned(name)
            try await roost.unban(user, from: group.id)
            return .line(words(.unbanned(names.long(user))))
        case .timeOut(let name, let milliseconds, let reason):
            let user = try member(name)
            try await roost.timeOut(user, in: group.id, for: .milliseconds(milliseconds), reason: reason)
            let who = names.long(user)
            return .line(words(milliseconds == 0 ? GroupPhrase.timeoutEnded(who) : .timedOut(who, name: name)))
        case .bans:
            let bans = try await bans()
            return bans.isEmpty ? .line(words(.noBans)) : .lines(words(.bans), bans.map(line))
        case .announce(let isOn):
            try await roost.setPosting(isOn ? .admins : .all, in: group.id)
            return .line(words(.posting(isOn ? .admins : .all)))
        default: return .nothing
        }
    }

    private func line(_ ban: Ban) -> String {
        let (user, by) = (names.long(ban.user), names.short(ban.by))
        return "  " + words(.ban(user, by: by, time: words.time(ban.time), reason: ban.reason))
    }

    private func bans() async throws -> [Ban] {
        var (found, next): ([Ban], String?) = ([], nil)
        for _ in 0..<GroupModeration.pagesMax {
            let page = try await roost.bans(of: group.id, after: next)
            found += page.bans
            next = page.next
            guard next != nil else { break }
        }
        return found
    }

    /// The member that is meant: by the id, the username or the display name. A user who isn't among the members known
    /// here is named by the id or the username, which the relay knows.
    private func member(_ name: String) throws -> String { try one(of: group.members, called: name) }

    private func banned(_ name: String) async throws -> String {
        try one(of: try await bans().map(\.user), called: name)
    }

    private func one(of users: [String], called text: String) throws -> String {
        let name = text.first == "@" ? String(text.dropFirst()) : text
        if users.contains(name) { return name }
        let fitting = users.filter { user in
            let profile = roost.people.profiles[user]
            return profile?.username?.lowercased() == name.lowercased()
                || profile?.name?.lowercased() == name.lowercased()
        }
        guard fitting.count < 2 else {
            throw ChatFailure(words(.severalPeople(name, ids: fitting)))
        }
        if let user = fitting.first { return user }
        guard !name.contains(where: \.isWhitespace) else {
            throw ChatFailure(words(.nobodyCalled(name)))
        }
        return name
    }
}
