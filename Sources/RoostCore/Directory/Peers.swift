import RoostWire

/// The other users of direct conversations in which a user and they are members. It is stored in the user. Loop thread
/// only.
struct Peers {
    private var users = OrderedTable<UserNumber, User>()
    /// Peers whose conversation isn't there for the user, because they have opened it while the user had blocked them.
    /// They get the user's presence, and the user doesn't get theirs.
    private var veiled: Set<UserNumber> = []

    var count: Int { users.count }
    var values: [User] { users.values }

    /// Whether the user sees all of them.
    @inline(__always)
    var areAllSeen: Bool { veiled.isEmpty }

    subscript(_ number: UserNumber) -> User? {
        get { users[number] }
        set {
            users[number] = newValue
            if newValue == nil { veiled.remove(number) }
        }
    }

    mutating func veil(_ number: UserNumber, _ isVeiled: Bool) {
        if isVeiled { veiled.insert(number) } else { veiled.remove(number) }
    }

    /// Whether the user sees this one.
    @inline(__always)
    func sees(_ number: UserNumber) -> Bool { users[number] != nil && !veiled.contains(number) }
}
