/// The look of a piece of text. Only what every terminal knows: its own sixteen colours, so that they fit its
/// background.
struct Style: Equatable, Sendable {
    /// The terminal's own colours by their numbers (ECMA-48, SGR).
    enum Colour: Int, Sendable, CaseIterable {
        case plain = 39
        case red = 31
        case green = 32
        case yellow = 33
        case blue = 34
        case magenta = 35
        case cyan = 36
    }

    var colour = Colour.plain
    var isBold = false
    var isFaint = false
    var isReverse = false

    static let plain = Style()
    static let faint = Style(isFaint: true)
    static let bold = Style(isBold: true)
    static let bad = Style(colour: .red)
    static let good = Style(colour: .green)
    static let reverse = Style(isReverse: true)
    static let read = Style(colour: .cyan)
    static let waiting = Style(colour: .yellow)

    /// A calm colour for a user's name, always the same one.
    static func name(_ user: String, isOwn: Bool) -> Style {
        guard !isOwn else { return .bold }
        let colours: [Colour] = [.cyan, .green, .magenta, .blue, .yellow]
        // FNV-1a: `hashValue` differs from one start to the next.
        let hash = user.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return Style(colour: colours[Int(hash % UInt32(colours.count))])
    }

    /// The sequence that makes a terminal write like that. Without colours the words and signs have to say it.
    func sequence(colours: Bool) -> String {
        var codes = ["0"]
        if isBold { codes.append("1") }
        if isFaint { codes.append("2") }
        if isReverse { codes.append("7") }
        if colours, colour != .plain { codes.append(String(colour.rawValue)) }
        return "\u{1B}[\(codes.joined(separator: ";"))m"
    }
}

/// A piece of a line. Its text is safe to print.
struct Span: Equatable, Sendable {
    var text: String
    var style: Style

    init(_ text: String, _ style: Style = .plain) {
        self.text = text
        self.style = style
    }
}
