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

    func carryOut(_ act: Act) async throws -> ChatSession.Answer {
        switch act {
        case .makeLink(let uses): return try await make(uses)
        case .links:
            let links = try await roost.invitations.list()
            return links.isEmpty
                ? .line("you have no links; /link makes one") : .lines("Your links", links.map(line))
        case .revokeLink(let id):
            guard try await roost.invitations.list().contains(where: { $0.id == id }) else {
                return .line("you have no link \(TerminalText.printable(id)); /links shows them")
            }
            try await roost.invitations.revoke(id)
            return .line("the link is good no more")
        case .followLink(let link): return try await follow(link)
        default: return .nothing
        }
    }

    /// A link to the open group, if there is one in which the user may do that.
    private func make(_ uses: Int) async throws -> ChatSession.Answer {
        let open = timeline?.conversation
        let group = open.flatMap { $0.kind == .group && $0.role >= .admin ? $0.id : nil }
        let made = try await roost.invitations.create(conversation: group, uses: uses)
        let what = group == nil ? "to chat with you" : "to join \(TerminalText.printable(open?.name ?? "the group"))"
        return .line("\(page)/#invite=\(made.code ?? "")  \(what); \(line(made))")
    }

    private func line(_ invite: Invite) -> String {
        let title = invite.conversation.map { id in
            roost.conversations.rows.first { $0.id == id }.map { "#" + TerminalText.printable($0.title) } ?? "a group"
        }
        let until = WallClock().time(invite.expires)
        return "\(invite.id)  \(title ?? "contact"), used \(invite.used) of \(invite.uses), until \(until)"
    }

    private func follow(_ link: String) async throws -> ChatSession.Answer {
        let code = link.split(separator: "=").last.map(String.init) ?? link
        do {
            return .open(try await roost.invitations.open(code))
        } catch RoostFailure.refused(let refusal) where refusal.is(.notFound) {
            return .line("this link was used up, revoked, or has expired; ask for a new one")
        }
    }
}
