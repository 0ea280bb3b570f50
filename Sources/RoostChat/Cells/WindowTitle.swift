import RoostKit

/// The title of the terminal's window: the user, and before it how much is unread. Pure: it knows what was written, and
/// writes nothing.
struct WindowTitle {
    private var shown: String?

    /// Keeps the title that there is, and brings it back, where a terminal can (XTWINOPS).
    static let keep = "\u{1B}[22;2t"
    static let bringBack = "\u{1B}[23;2t"

    /// Forgets the title, so that the next one is written.
    mutating func forget() { shown = nil }

    /// The output that gives the window the title of a session; empty if it has it already.
    mutating func change(to session: RoostSnapshot) -> String {
        let user = session.user.map { " " + TerminalText.printable($0) } ?? ""
        let title = (session.badge > 0 ? "(\(session.badge)) " : "") + "Roost" + user
        guard title != shown else { return "" }
        shown = title
        return "\u{1B}]2;\(title)\u{07}"
    }
}
