/// The text of an operators' warning, in the user's language.
struct ModeratorLetter: Sendable {
    /// The author of the text. It can't be signed in to.
    static let sender = "roost-moderators"
    /// The author's display name.
    static let name = "Moderators"

    private let isGerman: Bool

    init(_ language: String) { isGerman = language == "de" }

    /// - Parameters:
    ///   - group: what the message's group is called; nil if it was in a direct conversation.
    ///   - isMessage: whether a message was reported, and not the user alone.
    ///   - reason: a word of `ReportReason`.
    ///   - words: what the operator adds; may be empty.
    func warning(group: String?, isMessage: Bool, reason: String, words: String) -> String {
        let place = group.map { isGerman ? " in „\($0)“" : " in “\($0)”" } ?? ""
        let what =
            switch (isGerman, isMessage) {
            case (false, true): "A message of yours\(place) was reported: \(word(reason))."
            case (false, false): "You were reported: \(word(reason))."
            case (true, true): "Eine deiner Nachrichten\(place) wurde gemeldet: \(word(reason))."
            case (true, false): "Du wurdest gemeldet: \(word(reason))."
            }
        let rest =
            isGerman
            ? "Die Moderation hat das geprüft und verwarnt dich. Wenn es wieder vorkommt, kann dein Konto gesperrt "
                + "werden. Antworten hierauf werden nicht gelesen."
            : "The moderators have looked at it, and this is a warning. If it happens again, your account may be "
                + "suspended. Replies to this message are not read."
        return [what, words, rest].filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private func word(_ reason: String) -> String {
        switch (reason, isGerman) {
        case ("spam", _): "Spam"
        case ("harassment", false): "Harassment"
        case ("harassment", true): "Belästigung"
        case ("impersonation", false): "Impersonation"
        case ("impersonation", true): "Falsche Identität"
        case ("illegal", false): "Illegal content"
        case ("illegal", true): "Verbotener Inhalt"
        case (_, false): "Other reasons"
        case (_, true): "Andere Gründe"
        }
    }
}
