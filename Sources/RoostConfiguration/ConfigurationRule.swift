/// The form of a text in a configuration.
package struct ConfigurationRule: Sendable {
    /// The allowed values, worded to follow "expected".
    package let allowed: String
    /// Whether a text has this form.
    package let allows: @Sendable (String) -> Bool

    /// - Parameter allowed: a few words that follow "expected".
    package init(_ allowed: String, _ allows: @escaping @Sendable (String) -> Bool) {
        self.allowed = allowed
        self.allows = allows
    }

    /// A token that clients have to send.
    // RFC 6750, section 2.1 allows fewer characters. This only ensures that the token fits a header and is hard to
    // guess.
    package static let bearer = ConfigurationRule("nothing, or 16 to 256 printable ASCII characters without spaces") {
        text in
        text.isEmpty
            || (16...256).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// The path of a file or a folder.
    package static let path = ConfigurationRule("a path of 1 to 4096 bytes") { text in
        (1...4_096).contains(text.utf8.count) && hasNoControls(text)
    }

    /// The path of a file that needn't be there.
    package static let file = ConfigurationRule("nothing, or a path of up to 4096 bytes") { text in
        text.isEmpty || path.allows(text)
    }

    /// Anything that fits in one line.
    package static let line = ConfigurationRule("a line of at most 1024 bytes") { text in
        text.utf8.count <= 1_024 && hasNoControls(text)
    }

    /// Origin of a page that may send requests.
    package static let origin = ConfigurationRule(
        "an origin such as https://chat.example.org or capacitor://localhost, in lower case and without a path, or "
            + "http://localhost:*, http://127.0.0.1:* and http://[::1]:* for any port"
    ) { WebOrigin.isWritten($0) }

    private static func hasNoControls(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
}
