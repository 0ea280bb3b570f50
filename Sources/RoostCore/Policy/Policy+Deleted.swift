import RoostWire

extension User {
    /// Whether the user's account was deleted, even if that isn't durable yet.
    var isDeleted: Bool { profile?.latest.isDeleted ?? false }
}

/// The effects of a deleted account on others: the user can't be reached any more.
extension Policy {
    /// Checks that all of these users can be written to, added and invited. A deletion is the same for all others,
    /// whatever their relation was.
    /// - Throws: `gone`.
    func checkThere(_ named: [NamedUser]) throws(Refusal) {
        guard named.allSatisfy({ $0.known?.isDeleted != true }) else {
            throw Refusal(.gone, "the user has left for good")
        }
    }
}
