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

    private func follow(_ link: String) async throws -> ChatSession.Answer {
        let code = link.split(separator: "=").last.map(String.init) ?? link
        do {
            return .open(try await roost.invitations.open(code))
        } catch RoostFailure.refused(let refusal) where refusal.is(.notFound) {
            return .line(words(.linkGone))
        }
    }
}
