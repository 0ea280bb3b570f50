import RoostClient
import RoostKit
import RoostStore
import RoostWire

/// The links by which others become the user's contacts, or join a group, in words.
@MainActor
struct InviteLinks {
    let roost: Roost
    /// The conversation that is open.
    let timeline: ConversationTimeline?
    /// The address of the chat page, without what follows the host.
    let page: String
    let words: Words

    func carryOut(_ act: Act) async throws -> ChatSession.Answer {
        switch act {
        case .makeLink(let uses): return try await make(uses)
        case .links:
            let links = try await roost.invitations.list()
            return links.isEmpty
                ? .line(words(.noLinks)) : .lines(words(.links), links.map(line))
        case .revokeLink(let id):
            guard try await roost.invitations.list().contains(where: { $0.id == id }) else {
                return .line(words(.noLink(id)))
            }
            try await roost.invitations.revoke(id)
            return .line(words(.linkRevoked))
        case .followLink(let link): return try await follow(link)
        case .waiting, .approve, .admit, .turnAway: return try await decide(act)
        default: return .nothing
        }
    }

    /// A link to the open group, if there is one in which the user may do that.
    private func make(_ uses: Int) async throws -> ChatSession.Answer {
        let open = timeline?.conversation
        let group = open.flatMap { $0.kind == .group && $0.role >= .admin ? $0.id : nil }
        let made = try await roost.invitations.create(conversation: group, uses: uses)
        let what = words(group == nil ? .linkToChat : .linkToJoin(open?.name ?? words(.aGroup)))
        return .line("\(page)/#invite=\(made.code ?? "")  \(what); \(line(made))")
    }

    private func line(_ invite: Invite) -> String {
        let title = invite.conversation.map { id in
            roost.conversations.rows.first { $0.id == id }.map { "#" + $0.title } ?? words(.aGroup)
        }
        let until = words.time(invite.expires)
        return words(.link(id: invite.id, group: title, used: invite.used, uses: invite.uses, until: until))
    }

    /// Carries out what admins of the open group do about waiting users.
    private func decide(_ act: Act) async throws -> ChatSession.Answer {
        guard let open = timeline?.conversation, open.kind == .group else {
            return act == .waiting ? try await awaited() : .line(words(LinkPhrase.openGroupFirst))
        }
        switch act {
        case .approve(let asks):
            try await roost.setJoining(asks ? .ask : .open, in: open.id)
            return .line(words(LinkPhrase.joining(asks ? .ask : .open)))
        case .admit(let name): return try await answer(name, in: open.id, isAccepted: true)
        case .turnAway(let name): return try await answer(name, in: open.id, isAccepted: false)
        default:
            guard open.role >= .admin else { return try await awaited() }
            let waiting = try await roost.invitations.waiting(for: open.id)
            if waiting.isEmpty { return .line(words(LinkPhrase.noneWaiting)) }
            return .lines(words(LinkPhrase.waiting), waiting.map(line))
        }
    }

    private func line(_ request: JoinRequest) -> String {
        TerminalText.printable(request.name.map { "\($0) (\(request.user))" } ?? request.user)
    }

    /// Finds the waiting user by the name that the list shows.
    private func answer(_ name: String, in group: String, isAccepted: Bool) async throws -> ChatSession.Answer {
        let called = name.hasPrefix("@") ? String(name.dropFirst()) : name
        let waiting = try await roost.invitations.waiting(for: group)
        let found = waiting.filter { $0.user == called || $0.name?.lowercased() == called.lowercased() }
        guard let one = found.first else { return .line(words(LinkPhrase.noneCalled)) }
        guard found.count == 1 else { return .lines(words(LinkPhrase.severalCalled), found.map(line)) }
        try await roost.invitations.answer(one.user, in: group, isAccepted: isAccepted)
        return .line(words(isAccepted ? LinkPhrase.accepted(line(one)) : .declined(line(one))))
    }

    private func awaited() async throws -> ChatSession.Answer {
        let groups = try await roost.invitations.awaited().map { TerminalText.printable($0.group) }
        return groups.isEmpty ? .line(words(LinkPhrase.noneAwaited)) : .lines(words(LinkPhrase.awaited), groups)
    }

    private func follow(_ link: String) async throws -> ChatSession.Answer {
        let code = link.split(separator: "=").last.map(String.init) ?? link
        do {
            guard let id = try await roost.invitations.open(code) else {
                return .line(words(LinkPhrase.requestSent))
            }
            return .open(id)
        } catch RoostFailure.refused(let refusal) where refusal.is(.notFound) {
            return .line(words(.linkGone))
        }
    }
}
