/// An address of mail that can stand in a command of SMTP and in a header as it is. Whatever could end a line, an
/// address or a header isn't taken. A value.
package struct MailAddress: Sendable, Equatable {
    /// RFC 5321, section 4.5.3.1.3: a path of 256 with its angle brackets.
    static let bytesMax = 254
    /// Section 4.5.3.1.1.
    static let localBytesMax = 64

    /// The whole of it, the domain in A-labels.
    package let text: String
    /// The part before the `@`.
    let local: String
    /// The part behind it, in A-labels: mail servers needn't know others (RFC 6531).
    let domain: String

    /// Nil if it can't be used. Quoted local parts aren't accepted, because they aren't in use.
    package init?(_ text: String) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...MailAddress.localBytesMax).contains(parts[0].utf8.count),
            MailAddress.isDotted(parts[0], also: "!#$%&'*+-/=?^_`{|}~"), let domain = MailDomain.ascii(parts[1])
        else { return nil }
        local = String(parts[0])
        self.domain = domain
        self.text = local + "@" + domain
        guard self.text.utf8.count <= MailAddress.bytesMax else { return nil }
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
