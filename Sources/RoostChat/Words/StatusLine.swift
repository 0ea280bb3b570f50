import RoostWire

/// How the user wants to be shown, as typed and as shown.
struct StatusLine: Equatable {
    static let help = "· /status auto, away, busy or invisible, or a text, or both; - for no text"

    let state: StatusChoice?
    let text: String?

    /// Reads `busy`, `busy In a meeting`, or only a text. A dash takes the text away.
    init(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 1)
        state = words.first.flatMap { StatusChoice(word: String($0)) }
        let said = state == nil ? line : words.count > 1 ? String(words[1]) : ""
        text = said == "-" ? "" : said.isEmpty ? nil : said
    }

    /// Whether there is anything to change.
    var saysSomething: Bool { state != nil || text != nil }

    /// Tells the user of a change, on this device or another.
    static func news(_ status: OwnStatus) -> String {
        let state =
            switch status.state {
            case .auto: "as your devices say"
            case .away: "as away"
            case .busy: "as busy"
            case .invisible: "as offline"
            }
        let text = status.text.isEmpty ? "" : ": " + TerminalText.printable(status.text)
        return "· you are shown \(state)\(text)"
    }
}
