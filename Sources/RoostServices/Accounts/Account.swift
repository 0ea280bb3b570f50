/// The stored data of a person.
package struct Account: Sendable, Equatable {
    /// Random, and for ever.
    package var user: String
    /// In lower case. It leaves this process in mails to its owner only. Nil if the user came by a link or by another
    /// issuer that sent no address.
    package var email: String?
    package var name: String
    package var role: String?
    /// An operator's label for people, such as those who pay.
    package var tier: String?
    /// The language of mails.
    package var language: String
    /// A PHC string. Nil if they can't sign in by a password.
    package var hash: String?
    /// Whether its owner followed a link that was sent to the address.
    package var isVerified = false
    /// Whether the reader of the address's mail controls the account: has chosen a password by a mailed link, or signed
    /// in by a provider that has verified the address. Until then its password, sessions and identities may belong to
    /// another person, who signed up with the address and had its owner confirm it.
    package var isProven = false
    /// Whether an operator keeps them out.
    package var isSuspended = false
    /// Whether their tokens have the scope `admin`, unless they need a second factor for that.
    package var isOperator = false
    /// Whether a second factor is asked for when they sign in. It has a table of its own, and isn't stored from here.
    package var hasFactor = false
    /// Milliseconds since 1970.
    package var created: Int64
}
