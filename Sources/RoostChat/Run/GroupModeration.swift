import RoostClient
import RoostKit
import RoostStore
import RoostWire

/// Who may be in the open group and write in it, in words.
@MainActor
struct GroupModeration {
    /// Pages of banned users that are looked through: more than anybody reads.
    private static let pagesMax = 10

    let roost: Roost
    let group: LocalConversation

    private var names: Names { Names(profiles: roost.people.profiles) }
    private let clock = WallClock()

    init(roost: Roost, group: LocalConversation) { (self.roost, self.group) = (roost, group) }

    func carryOut(_ act: Act) async throws -> ChatSession.Answer {
        guard group.kind == .group else { return .line("this is no group; /block hides you from somebody") }
        switch act {
        case .ban(let name, let reason):
            let user = try member(name)
            try await roost.ban(user, from: group.id, reason: reason)
            return .line("\(names.long(user)) is banned; /unban \(TerminalText.printable(name)) ends that")
        case .unban(let name):
            let user = try await banned(name)
            try await roost.unban(user, from: group.id)
            return .line("\(names.long(user)) can be added again")
        case .timeOut(let name, let milliseconds, let reason):
            let user = try member(name)
            try await roost.timeOut(user, in: group.id, for: .milliseconds(milliseconds), reason: reason)
            return .line(
                milliseconds == 0
                    ? "\(names.long(user)) can write again"
                    : "\(names.long(user)) has a timeout; /timeout \(TerminalText.printable(name)) off ends it")
        case .bans:
            let bans = try await bans()
            return bans.isEmpty ? .line("nobody is banned here") : .lines("Banned", bans.map(line))
        case .announce(let isOn):
            try await roost.setPosting(isOn ? .admins : .all, in: group.id)
            return .line(isOn ? "only the owner and admins can write here now" : "everybody can write here now")
        default: return .nothing
        }
    }

    private func line(_ ban: Ban) -> String {
        let why = ban.reason.map { ": \($0.word)" } ?? ""
        return "  \(names.long(ban.user)), by \(names.short(ban.by)), \(clock.time(ban.time))\(why)"
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

    /// Who of the members is meant: by the id, the username or the display name. Whoever isn't among the members that
    /// are known here is named by the id or the username, which the relay knows.
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
            throw ChatFailure(
                "several people are called \(TerminalText.printable(name)); name one by the id: "
                    + fitting.map(TerminalText.printable).joined(separator: ", "))
        }
        if let user = fitting.first { return user }
        guard !name.contains(where: \.isWhitespace) else {
            throw ChatFailure("nobody here is called \(TerminalText.printable(name)); /who lists the members")
        }
        return name
    }
}
