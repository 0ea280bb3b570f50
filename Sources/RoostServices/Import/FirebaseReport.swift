/// Counts of an import's users, by outcome. A value.
package struct FirebaseReport: Sendable, Equatable {
    /// The outcome for one user.
    enum Outcome {
        case new, known, renewed, deleted
        case refused(FirebaseUser.Refusal)
    }

    /// Users with a new account.
    package var new = 0
    /// Users with an account from an earlier import.
    package var known = 0
    /// Among these, users with a changed password in Firebase who haven't signed in here.
    package var renewed = 0
    /// Users of an earlier import who have deleted the account since.
    package var deleted = 0
    package var refused = 0
    /// Among the new ones: users without a password or a name, with identities elsewhere, with another id, and
    /// suspended ones.
    package var withoutPassword = 0
    package var withoutName = 0
    package var identities = 0
    package var withOtherID = 0
    package var suspended = 0
    /// Among the new ones: users with a telephone number or a second factor, which aren't imported.
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

    /// The text that the command prints.
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
