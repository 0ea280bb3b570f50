import RoostWire

/// The user's privacy settings, as typed and as shown.
struct PrivacyLine: Equatable {
    let change: PrivacyChange

    /// Reads `presence` with an audience, or nothing, which asks what the settings are; nil if it is neither.
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

    /// The settings, and the users who see something else.
    static func lines(_ privacy: OwnPrivacy, _ words: Words) -> [String] {
        let settings = privacy.settings
        let lines = [
            words(.presenceAudience(settings.presence)), words(.lastSeenDetail(settings.lastSeen)),
            words(.readAudience(settings.read)),
        ]
        return (lines + privacy.exceptions.map { words(.exception($0.user, $0.kind)) }).map { "  " + $0 }
    }
}
