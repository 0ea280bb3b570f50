import RoostWire

/// People and contacts, as lines.
enum PersonLine {
    /// One who was found: `  Alice Ardent (alice), @alice.a`.
    static func found(_ one: UserProfile) -> String {
        let name = one.name.map { TerminalText.printable($0) + " (\(TerminalText.printable(one.user)))" }
        let username = one.username.map { ", @" + TerminalText.printable($0) } ?? ""
        return "  \(name ?? TerminalText.printable(one.user))\(username)"
    }

    /// A contact: what it is to the user, and which side waits for the other.
    static func contact(_ one: Contact, _ names: Names, _ words: Words) -> String {
        let label = one.label.isEmpty ? "" : " – " + TerminalText.printable(one.label)
        let state =
            switch one.state {
            case .accepted: ""
            case .sent: ", " + words(.invited)
            case .received: ", " + words(.invitesYou(one.user))
            }
        return "  \(names.long(one.user)), \(words(.contact(kind: one.kind)))\(state)\(label)"
    }
}
