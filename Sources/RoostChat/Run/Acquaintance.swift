import RoostClient
import RoostKit
import RoostStore
import RoostWire

/// Carries out what the user does about other people and about being disturbed, in words.
@MainActor
struct Acquaintance {
    let roost: Roost
    /// The conversation that is open.
    let timeline: ConversationTimeline?
    let words: Words

    var names: Names { Names(profiles: roost.people.profiles) }

    func carryOut(_ act: Act) async throws -> ChatSession.Answer {
        switch act {
        case .contacts: return try await contacts
        case .invite(let user):
            try await roost.contacts.invite(user)
            return .line(words(.isInvited(names.long(user))))
        case .requests: return requests
        case .accept(let user): return try await accept(user)
        case .drop(let user): return try await drop(user)
        case .decline(let user):
            try await roost.contacts.decline(user)
            return .line(words(.declined))
        case .forget(let user):
            try await roost.contacts.remove(user)
            return .line(words(.noContactAnyMore(names.long(user))))
        case .block(let user):
            try await roost.contacts.block(user)
            return .line(words(PeoplePhrase.blocked(names.long(user))))
        case .unblock(let user):
            try await roost.contacts.unblock(user)
            return .line(words(.unblocked(names.long(user))))
        case .report(let user, let reason, let text):
            try await roost.contacts.report(user, reason, text: text)
            return .line(words(PeoplePhrase.reported(user)))
        case .find(let prefix): return try await find(prefix)
        case .name(let name):
            try await roost.people.setProfile(name: name)
            return .line(words(.nameSet(name)))
        case .username(let username):
            try await roost.people.setProfile(username: username)
            return .line(words(username.isEmpty ? .usernameRemoved : .usernameSet(username)))
        case .mute(let isOn): return try await mute(isOn)
        default: return .nothing
        }
    }

    private var contacts: ChatSession.Answer {
        get async throws {
            try await roost.contacts.load()
            let now = roost.contacts.snapshot
            let lines = now.contacts.map { PersonLine.contact($0, names, words) }
            return lines.isEmpty ? .line(words(.noContacts)) : .lines(words(.contacts), lines)
        }
    }

    private var requests: ChatSession.Answer {
        let rows = roost.requests.rows
        if rows.isEmpty { return .line(words(.noRequests)) }
        return .choices(
            words(.requests),
            rows.map { ChatSession.Choice(line: RequestLine.text($0, names, words), act: .open($0.id)) })
    }

    // The request of a stranger, or of the open conversation.
    private func request(of user: String?) -> (conversation: String, peer: String)? {
        if let user {
            if let row = roost.requests.rows.first(where: { $0.peer == user }) { return (row.id, user) }
            guard let open = request(of: nil), open.peer == user else { return nil }
            return open
        }
        guard let open = timeline?.conversation, open.isAside, let me = roost.snapshot.user,
            let peer = open.peer(of: me)
        else { return nil }
        return (open.id, peer)
    }

    private func accept(_ user: String?) async throws -> ChatSession.Answer {
        if let request = request(of: user) {
            try await roost.acceptRequest(request.conversation)
            return .line(words(.mayWrite(names.long(request.peer))))
        }
        guard let user else { return .line(words(.noRequestHere)) }
        try await roost.contacts.accept(user)
        return .line(words(.isContact(names.long(user))))
    }

    private func drop(_ user: String?) async throws -> ChatSession.Answer {
        guard let request = request(of: user) else {
            return .line(words(user.map { .noRequestOf(names.long($0)) } ?? .noRequest))
        }
        try await roost.dropRequest(request.conversation)
        let line = words(.dropped(names.long(request.peer)))
        return timeline?.conversation?.id == request.conversation ? .left(line) : .line(line)
    }

    private func find(_ prefix: String) async throws -> ChatSession.Answer {
        let page = try await roost.people.find(prefix, limit: 20)
        var lines = page.profiles.map(PersonLine.found)
        if lines.isEmpty { return .line(words(.noneFound(prefix))) }
        if page.next != nil || page.isPartial { lines.append("  " + words(.moreFound)) }
        return .lines(words(PeoplePhrase.found), lines)
    }

    private func mute(_ isOn: Bool) async throws -> ChatSession.Answer {
        guard let id = timeline?.conversation?.id else { return .line(words(.noneYet)) }
        try await roost.settings.setMute(isOn ? .always : nil, of: id)
        return .line(words(isOn ? .muted : .unmuted))
    }
}
