import RoostChat
import RoostWire

/// The relay's answers as text for operators.
enum AdminText {
    static func counts(_ page: PeoplePage) -> String {
        ["online", "away", "busy", "offline"].map { "\(page.counts[$0] ?? 0) \($0)" }.joined(separator: ", ")
    }

    static func line(_ person: PeoplePage.Person) -> String {
        let user = TerminalText.printable(person.user)
        let who = person.name.map { "\(TerminalText.printable($0)) (\(user))" } ?? user
        return "  \(who)  \(person.state.rawValue), \(things(person.devices, "device"))"
    }

    private static func things(_ count: Int, _ what: String) -> String { "\(count) \(what)\(count == 1 ? "" : "s")" }

    static func closed(_ answer: Answer) -> String {
        things(answer.closed ?? 0, "connection") + " closed"
    }

    static func revoked(_ answer: Answer) -> [String] {
        let warning = "not stored yet, because the disk of the store is full: a restart forgets it"
        return ["revoked; " + closed(answer)] + (answer.isUnstored ? [warning] : [])
    }

    // MARK: A user

    static func lines(_ person: PersonDetail) -> [String] {
        var lines = ["\(TerminalText.printable(person.user)) is \(TerminalText.printable(person.reason))"]
        if let profile = person.profile { lines.append("  " + line(profile)) }
        var facts = [
            things(person.conversations, "conversation"), things(person.contacts, "contact"),
            "watched by \(things(person.watchers, "session"))",
        ]
        if person.requests > 0 { facts.append("\(things(person.requests, "request")) of strangers") }
        if person.blocks > 0 { facts.append("has blocked \(things(person.blocks, "user"))") }
        if let time = person.lastSeen, person.state == .offline { facts.append("last seen \(WallClock().time(time))") }
        if let time = person.revoked { facts.append("tokens revoked \(WallClock().time(time))") }
        lines.append("  " + facts.joined(separator: ", "))
        return lines + person.devices.map(line)
    }

    /// The user's profile, with the role and tier set by services.
    private static func line(_ profile: UserProfile) -> String {
        if profile.isDeleted { return "has left for good" }
        var facts: [String] = []
        if let name = profile.name { facts.append("is called \(TerminalText.printable(name))") }
        if let name = profile.username { facts.append("username \(TerminalText.printable(name))") }
        if let role = profile.role { facts.append("role \(TerminalText.printable(role))") }
        if let tier = profile.tier { facts.append("tier \(TerminalText.printable(tier))") }
        return (facts + ["version \(profile.version) of the profile"]).joined(separator: ", ")
    }

    private static func line(_ one: PersonDetail.Device) -> String {
        var facts: [String] = []
        if let address = one.address { facts.append("from \(TerminalText.printable(address))") }
        if let time = one.heard { facts.append("last heard \(WallClock().time(time))") }
        if let feed = one.feed { facts.append(TerminalText.printable(feed)) }
        if let count = one.unacked, count > 0 { facts.append("\(count) not acked") }
        if let bytes = one.waitingBytes, bytes > 0 { facts.append("\(bytes) bytes wait") }
        if let session = one.session { facts.append("session \(session)") }
        if let time = one.until { facts.append("counts as online until \(WallClock().time(time))") }
        if let time = one.revoked { facts.append("tokens revoked \(WallClock().time(time))") }
        facts.append("acked up to \(TerminalText.printable(one.position))")
        return DeviceLine.text(one.device) + "\n    " + facts.joined(separator: ", ")
    }

    // MARK: Reports

    static func lines(_ report: ReportPage.Report, _ names: ShownNames) -> [String] {
        var what = report.user.map { names.of($0) } ?? "an unknown user"
        if let conversation = report.conversation, let sequence = report.sequence {
            let id = TerminalText.printable(conversation)
            let place = report.group.map { "\(TerminalText.printable($0)) (\(id))" } ?? id
            what += ", message \(sequence.value) of \(place)"
            if report.isErased { what += ", which was erased" }
        }
        let reporter = report.reporter.map { names.of($0) } ?? "an unknown user"
        let reason = report.reason.map { "\($0.word)" } ?? "another reason"
        var lines = ["\(report.number)  \(WallClock().time(report.time))  \(reporter) reports \(what): \(reason)"]
        if let text = report.text { lines.append("    " + TerminalText.printable(text)) }
        if let closing = report.closing {
            let note = closing.note.map { ": " + TerminalText.printable($0) } ?? ""
            lines.append("    closed by \(TerminalText.printable(closing.by)) \(WallClock().time(closing.time))\(note)")
        }
        return lines
    }

    /// A report, and the messages. An arrow is before the reported one.
    static func lines(_ shown: ShownReport) -> [String] {
        let names = ShownNames(shown.people)
        let report = shown.report
        let messages = shown.messages ?? []
        var lines = self.lines(report, names)
        if report.isErased { lines.append("    The conversation has been erased since, and the message with it.") }
        if report.sequence != nil, !report.isErased, !messages.contains(where: { $0.sequence == report.sequence }) {
            lines.append("    The reported message can't be read any more.")
        }
        return lines
            + messages.map { message in
                let mark = message.sequence == report.sequence ? "  > " : "    "
                return mark + "\(message.sequence.value)  \(WallClock().time(message.time))  " + line(message, names)
            }
    }

    private static func line(_ message: Message, _ names: ShownNames) -> String {
        if message.isHidden { return "(a message that the reporter can't see)" }
        let author = names.of(message.from)
        if let deleted = message.deletedAt { return "\(author): (deleted or gone since \(WallClock().time(deleted)))" }
        let text =
            message.body?.text.map { TerminalText.printable($0) }
            ?? "(a message of the kind \(TerminalText.printable(message.kind)))"
        let expires = message.expires.map { " (disappears \(WallClock().time($0)))" } ?? ""
        return "\(author): \(text)\(expires)"
    }

    // MARK: A message

    static func line(_ event: Whereabouts) -> String {
        let sender = TerminalText.printable("\(event.user)/\(event.device)")
        let deleted = event.deleted.map { ", deleted \(WallClock().time($0))" } ?? ""
        return "\(TerminalText.printable(event.kind)) \(event.sequence.value) of "
            + TerminalText.printable(event.conversation) + " from \(sender), stored \(WallClock().time(event.time))"
            + " at \(TerminalText.printable(event.position))\(deleted)"
    }

    static func lines(_ member: Whereabouts.Recipient) -> [String] {
        let user = TerminalText.printable(member.user)
        if member.isHidden { return ["  \(user): joined later"] }
        if member.devices.isEmpty { return ["  \(user): has no device yet"] }
        return member.devices.map { device in
            "  \(user)/\(TerminalText.printable(device.device)): \(state(of: device))"
        }
    }

    private static func state(of device: Whereabouts.Device) -> String {
        let absence = device.since.map { "offline since \(WallClock().time($0))" } ?? "offline"
        let presence = device.isOnline ? "connected" : absence
        return switch device.state {
        case "sender": "sent it"
        case "delivered": "delivered"
        case "sent": "on its way, \(presence)"
        case "waiting": "waiting, \(device.isOnline ? "connected, catching up" : absence)"
        default: TerminalText.printable(device.state)
        }
    }
}

/// The names of users in an answer, for a terminal.
struct ShownNames {
    private let names: [String: String]

    init(_ people: [UserProfile]) {
        names = Dictionary(
            people.map { ($0.user, $0.isDeleted ? "deleted account" : $0.name ?? $0.username.map { "@" + $0 } ?? "") },
            uniquingKeysWith: { $1 })
    }

    /// The name with the id, or the id alone.
    func of(_ user: String) -> String {
        let id = TerminalText.printable(user)
        guard let name = names[user], !name.isEmpty else { return id }
        return "\(TerminalText.printable(name)) (\(id))"
    }
}
