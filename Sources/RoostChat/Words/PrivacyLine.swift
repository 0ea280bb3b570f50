import RoostWire

/// What the user tells others, as typed and as shown.
struct PrivacyLine: Equatable {
    static let help =
        "· /privacy presence everyone, shared or nobody; or lastSeen exact, coarse or nobody; or read shared or nobody"

    let change: PrivacyChange

    /// Reads `presence nobody`, or nothing, which asks what the settings are; nil if it is neither.
    init?(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        guard !words.isEmpty else {
            change = PrivacyChange()
            return
        }
        guard words.count == 2 else { return nil }
        switch words[0] {
        case "presence": change = PrivacyChange(presence: PresenceAudience(word: words[1]))
        case "lastSeen": change = PrivacyChange(lastSeen: LastSeenDetail(word: words[1]))
        case "read": change = PrivacyChange(read: ReadAudience(word: words[1]))
        default: return nil
        }
        if change.isQuestion { return nil }
    }

    /// Tells the user what others are told.
    static func news(_ settings: PrivacySettings) -> String {
        "· others are told: presence \(settings.presence.word), lastSeen \(settings.lastSeen.word), "
            + "read \(settings.read.word)"
    }

    /// As above, and who is told something else.
    static func lines(_ privacy: OwnPrivacy) -> [String] {
        [news(privacy.settings)]
            + privacy.exceptions.map { "  \(TerminalText.printable($0.user)): \($0.kind.word)" }
    }
}
