/// The section `mail` of the configuration. A value.
package struct MailSettings: Sendable, Equatable {
    /// Where letters go.
    package enum Mode: String, Sendable, CaseIterable {
        /// To the terminal, for development.
        case print
        /// To a server.
        case smtp
        /// Nowhere.
        case off
    }

    /// Protection of the connection to the server.
    package enum Security: String, Sendable, CaseIterable {
        /// By STARTTLS, before anything else is said; else nothing is sent.
        case starttls
        /// From its first byte.
        case tls
        /// Not at all: only to this machine.
        case none
    }

    package var mode = Mode.print
    package var host = ""
    package var port = 587
    package var security = Security.starttls
    /// Empty for none.
    package var user = ""
    /// Empty for none. Never printed.
    package var password = ""
    /// `Roost <no-reply@example.org>`.
    package var from = ""
    /// Empty for none.
    package var replyTo = ""
    /// A folder with letters that replace ours; empty for none.
    package var texts = ""
    /// The language of mails to users whose own has no texts.
    package var language = "en"
    /// The certificates that the server's is checked by; empty for the system's.
    package var caFile = ""

    /// Letters to the terminal.
    package init() {}
}
