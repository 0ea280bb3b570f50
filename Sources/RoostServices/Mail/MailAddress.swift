/// An address of mail that can stand in a command of SMTP and in a header as it is. Whatever could end a line, an
/// address or a header isn't taken. A value.
package struct MailAddress: Sendable, Equatable {
    /// RFC 5321, section 4.5.3.1.3: a path of 256 with its angle brackets.
    static let bytesMax = 254

    /// The whole of it.
    package let text: String
    /// What is behind the `@`.
    let domain: String

    /// Nil if it can't be used. Quoted local parts aren't taken, because nobody has one.
    package init?(_ text: String) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard text.utf8.count <= MailAddress.bytesMax, parts.count == 2,
            MailAddress.isDotted(parts[0], also: "!#$%&'*+-/=?^_`{|}~"), MailAddress.isDotted(parts[1], also: "-")
        else { return nil }
        self.text = text
        domain = String(parts[1])
    }

    /// Words with dots between them, of letters, digits and a few other characters.
    private static func isDotted(_ text: Substring, also others: String) -> Bool {
        let words = text.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false)
        return words.allSatisfy { word in
            !word.isEmpty && word.allSatisfy { isWordScalar($0) || others.unicodeScalars.contains($0) }
        }
    }

    /// Letters, with their marks, and digits of any script.
    static func isWordScalar(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .decimalNumber:
            true
        default: false
        }
    }
}

/// An address with the name of whose it is: `Roost <no-reply@example.org>`. A value.
package struct Mailbox: Sendable, Equatable {
    /// Empty for none.
    package let name: String
    package let address: MailAddress

    package init(name: String, address: MailAddress) {
        self.name = name
        self.address = address
    }

    /// Reads both, or an address alone; nil if the address can't be used.
    package init?(_ text: String) {
        guard let open = text.lastIndex(of: "<") else {
            guard let address = MailAddress(text) else { return nil }
            self.init(name: "", address: address)
            return
        }
        guard text.hasSuffix(">"), let address = MailAddress(String(text[text.index(after: open)...].dropLast())) else {
            return nil
        }
        let name = text[..<open].drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
        self.init(name: String(name), address: address)
    }
}
