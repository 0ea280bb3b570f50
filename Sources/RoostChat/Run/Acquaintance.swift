import RoostClient
import RoostKit
import RoostStore
import RoostWire

/// What the user does about other people and about being disturbed, in words.
@MainActor
struct Acquaintance {
    let roost: Roost
    /// The conversation that is open.
    let timeline: ConversationTimeline?

    var names: Names { Names(profiles: roost.people.profiles) }

    func carryOut(_ act: Act) async throws -> ChatSession.Answer {
        switch act {
        case .contacts: return try await contacts
        case .invite(let user):
            try await roost.contacts.invite(user)
            return .line("\(names.long(user)) is invited, or a contact already")
        case .requests: return requests
        case .accept(let user): return try await accept(user)
        case .drop(let user): return try await drop(user)
        case .decline(let user):
            try await roost.contacts.decline(user)
            return .line("declined")
        case .forget(let user):
            try await roost.contacts.remove(user)
            return .line("\(names.long(user)) is no contact any more")
        case .block(let user):
            try await roost.contacts.block(user)
            return .line("\(names.long(user)) is blocked")
        case .unblock(let user):
            try await roost.contacts.unblock(user)
            return .line("\(names.long(user)) is unblocked")
        case .report(let user, let reason, let text):
            try await roost.contacts.report(user, reason, text: text)
            return .line("the operators are told; /block \(TerminalText.printable(user)) hides the two from each other")
        case .find(let prefix): return try await find(prefix)
        case .name(let name):
            try await roost.people.setProfile(name: name)
            return .line("others see you as \(TerminalText.printable(name))")
        case .username(let username):
            try await roost.people.setProfile(username: username)
            return .line(username.isEmpty ? "you have no username" : "others find you as \(username)")
        case .mute(let isOn): return try await mute(isOn)
        default: return .nothing
        }
    }

    private var contacts: ChatSession.Answer {
        get async throws {
            try await roost.contacts.load()
            let now = roost.contacts.snapshot
            let lines = now.contacts.map { PersonLine.contact($0, names) }
            return lines.isEmpty ? .line("you have no contacts; /invite USER asks one") : .lines("Contacts", lines)
        }
    }

    private var requests: ChatSession.Answer {
        let rows = roost.requests.rows
        if rows.isEmpty { return .line("no stranger asks to write to you") }
        return .choices(
            "Requests; /accept USER or /drop USER",
            rows.map { ChatSession.Choice(line: RequestLine.text($0, names), act: .open($0.id)) })
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
            return .line("\(names.long(request.peer)) may write to you now")
        }
        guard let user else { return .line("this is no request; /accept USER accepts an invitation") }
        try await roost.contacts.accept(user)
        return .line("\(names.long(user)) is a contact now")
    }

    private func drop(_ user: String?) async throws -> ChatSession.Answer {
        guard let request = request(of: user) else {
            return .line(user.map { "\(names.long($0)) doesn't ask to write to you" } ?? "this is no request")
        }
        try await roost.dropRequest(request.conversation)
        let line = "the request of \(names.long(request.peer)) is dropped"
        return timeline?.conversation?.id == request.conversation ? .left(line) : .line(line)
    }

    private func find(_ prefix: String) async throws -> ChatSession.Answer {
        let page = try await roost.people.find(prefix, limit: 20)
        var lines = page.profiles.map(PersonLine.found)
        if lines.isEmpty { return .line("nobody is found by \(TerminalText.printable(prefix))") }
        if page.next != nil || page.isPartial { lines.append("  … and more: write more of the name") }
        return .lines("Found", lines)
    }

    private func mute(_ isOn: Bool) async throws -> ChatSession.Answer {
        guard let id = timeline?.conversation?.id else { return .line("there is no conversation yet") }
        try await roost.settings.setMute(isOn ? .always : nil, of: id)
        return .line(isOn ? "muted on all your devices; /unmute ends it" : "no longer muted")
    }
}
