/// HTML or SVG that is safe to put into a page: the literals of the source as they stand, every interpolated string
/// escaped. Only other `Markup` goes in unescaped, so what a scenario, a relay or a fault says can't become a tag.
struct Markup: ExpressibleByStringInterpolation, Sendable {
    private(set) var text: String

    init(stringLiteral value: String) { text = value }
    init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    static func += (left: inout Markup, right: Markup) { left.text += right.text }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity * 2) }

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ string: String) { text += Markup.escaped(string) }
        mutating func appendInterpolation(_ number: Int) { text += String(number) }
        /// A place in a drawing, to a tenth of a pixel.
        mutating func appendInterpolation(_ place: Double) {
            let tenths = place.isFinite ? (place * 10).rounded() / 10 : 0
            text += tenths.rounded() == tenths && abs(tenths) < 1e9 ? String(Int(tenths)) : String(tenths)
        }
        mutating func appendInterpolation(_ markup: Markup) { text += markup.text }
        mutating func appendInterpolation(_ list: [Markup]) { for markup in list { text += markup.text } }
    }

    /// For text and for attributes in quotes. Control characters, which XML forbids, become U+FFFD.
    static func escaped(_ string: String) -> String {
        var escaped = ""
        for character in Readable.harmless(string).unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            // Noncharacters, which XML forbids too.
            case "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
