/// What is kept of a person.
package struct Account: Sendable, Equatable {
    /// Random, and for ever.
    package var user: String
    /// In lower case. It leaves this process in mails to its owner only.
    package var email: String
    package var name: String
    package var role: String?
    /// The language of mails.
    package var language: String
    /// A PHC string.
    package var hash: String
    /// Whether its owner followed a link that was sent to the address.
    package var isVerified: Bool
    /// Milliseconds since 1970.
    package var created: Int64
}
