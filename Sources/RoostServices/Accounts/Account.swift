/// What is kept of a person.
package struct Account: Sendable, Equatable {
    /// Random, and for ever.
    package var user: String
    /// In lower case. It leaves this process in mails to its owner only. Nil if they came by a link or by another
    /// issuer, which didn't tell one.
    package var email: String?
    package var name: String
    package var role: String?
    /// What an operator sorts people by, such as those who pay.
    package var tier: String?
    /// The language of mails.
    package var language: String
    /// A PHC string. Nil if they can't sign in by a password.
    package var hash: String?
    /// Whether its owner followed a link that was sent to the address.
    package var isVerified = false
    /// Whether who reads the mail of the address has taken the account: chose a password by a letter, or signed in by a
    /// provider that has seen the address. Until then its password, sessions and identities may be of somebody else,
    /// who signed up with the address and had its owner confirm it.
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
