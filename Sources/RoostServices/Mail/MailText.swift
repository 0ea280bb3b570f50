import Glibc

/// The text of a mail, with placeholders: `{displayName}`, `{email}`, `{link}`, `{minutes}` and `{time}`. Its file
/// begins with `Subject: ` and an empty line. A value.
struct MailText: Sendable, Equatable {
    /// Why a file can't be used.
    struct Fault: Error, Sendable, Equatable, CustomStringConvertible {
        let description: String
    }

    enum Place: String, CaseIterable {
        case displayName, email, link, minutes, time
    }

    private enum Part: Sendable, Equatable {
        case text(String)
        case place(Place)
    }

    private let subjectParts: [Part]
    private let bodyParts: [Part]

    /// - Parameters:
    ///   - file: the file's contents.
    ///   - needsLink: whether the mail would be of no use without it.
    init(_ file: String, needsLink: Bool) throws(Fault) {
        let lines = file.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard let first = lines.first, first.hasPrefix("Subject: "), first.count > 9, lines.count > 2, lines[1].isEmpty
        else { throw Fault(description: "it has to begin with \"Subject: …\" and an empty line") }
        subjectParts = try MailText.parts(first.dropFirst(9))
        bodyParts = try MailText.parts(lines[2...].joined(separator: "\n")[...])
        if needsLink, !bodyParts.contains(.place(.link)) { throw Fault(description: "it needs {link}") }
    }

    func subject(_ values: [Place: String]) -> String { MailText.filled(subjectParts, values) }
    func body(_ values: [Place: String]) -> String { MailText.filled(bodyParts, values) }

    /// Fills in the values without looking for placeholders in them: a name may be "{link}". A reader without a name is
    /// greeted as "Hello,".
    private static func filled(_ parts: [Part], _ values: [Place: String]) -> String {
        var filled = ""
        for part in parts {
            switch part {
            case .text(let text): filled += text
            case .place(let place):
                let value = values[place] ?? ""
                if value.isEmpty, filled.hasSuffix(" ") { filled.removeLast() }
                filled += value
            }
        }
        return filled
    }

    private static func parts(_ text: Substring) throws(Fault) -> [Part] {
        var parts: [Part] = []
        var rest = text
        while let open = rest.firstIndex(of: "{") {
            let inside = rest[rest.index(after: open)...]
            guard let close = inside.firstIndex(of: "}") else {
                throw Fault(description: "a \"{\" has no \"}\"")
            }
            let name = inside[..<close]
            guard let place = Place(rawValue: String(name)) else {
                let known = Place.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
                throw Fault(description: "there is no {\(name.prefix(40))}; there are \(known)")
            }
            parts += [.text(String(rest[..<open])), .place(place)]
            rest = inside[inside.index(after: close)...]
        }
        return parts + [.text(String(rest))]
    }

    /// A point in time, in seconds since 1970, as it stands in a mail: in UTC, because the reader's time zone isn't
    /// known.
    static func time(_ seconds: Int) -> String {
        var (moment, parts, text) = (time_t(seconds), tm(), [CChar](repeating: 0, count: 32))
        gmtime_r(&moment, &parts)
        let count = strftime(&text, text.count, "%Y-%m-%d %H:%M UTC", &parts)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A name as it stands in a mail: letters, digits, spaces, hyphens and apostrophes. Someone who signs up with
    /// another person's address chooses it, and could otherwise have us send an advertisement, with a link, to any
    /// address.
    static func harmless(_ name: String) -> String {
        let kept = name.unicodeScalars.map { scalar in
            MailAddress.isWordScalar(scalar) || "-'’".unicodeScalars.contains(scalar) ? scalar : " "
        }
        let words = String(String.UnicodeScalarView(kept)).split(separator: " ")
        return String(words.joined(separator: " ").prefix(64))
    }
}
