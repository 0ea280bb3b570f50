/// What became of the users of an import. A value.
package struct FirebaseReport: Sendable, Equatable {
    /// What became of one.
    enum Outcome {
        case new, known, renewed, deleted
        case refused(FirebaseUser.Refusal)
    }

    /// Who has an account now, and hadn't.
    package var new = 0
    /// Who had one from an import before.
    package var known = 0
    /// Of these, whose password was another in Firebase by now, and who hasn't signed in here.
    package var renewed = 0
    /// Who came before, and deleted the account since.
    package var deleted = 0
    package var refused = 0
    /// Of the new ones, who has no password, no name, an identity elsewhere or another id, and who is kept out.
    package var withoutPassword = 0
    package var withoutName = 0
    package var identities = 0
    package var withOtherID = 0
    package var suspended = 0
    /// Of the new ones, who had a telephone number or a second factor, which aren't taken over.
    package var phones = 0
    package var secondFactors = 0

    mutating func count(_ outcome: Outcome, _ user: FirebaseUser, _ account: Account) {
        switch outcome {
        case .known: known += 1
        case .deleted: deleted += 1
        case .refused: refused += 1
        case .renewed:
            known += 1
            renewed += 1
        case .new:
            new += 1
            if account.hash == nil { withoutPassword += 1 }
            if !user.identities.isEmpty { identities += 1 }
            if account.name.isEmpty { withoutName += 1 }
            if account.isSuspended { suspended += 1 }
            if !user.keepsID { withOtherID += 1 }
            if user.hasPhone { phones += 1 }
            if user.hasSecondFactor { secondFactors += 1 }
        }
    }

    /// What the command prints.
    package var text: String {
        """
        new \(new), known \(known), deleted here before \(deleted), refused \(refused)
        of the new: \(withoutPassword) without a password, \(withoutName) without a name, \
        \(identities) with an identity, \(withOtherID) with another id, \(suspended) suspended
        of the known: \(renewed) with a newer password
        left out: \(phones) telephone numbers, \(secondFactors) second factors
        """
    }
}
