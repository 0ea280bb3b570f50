import RoostWire

/// The status that the user wants to show, as typed.
struct StatusLine: Equatable {
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
}
