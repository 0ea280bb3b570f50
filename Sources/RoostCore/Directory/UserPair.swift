/// Two users in no particular order, as the key of what they have together.
public struct UserPair: Hashable, Sendable {
    /// The user with the lower number, and the other.
    public let low, high: UserNumber

    /// The pair of two users.
    public init(_ one: UserNumber, _ other: UserNumber) {
        (low, high) = one.value < other.value ? (one, other) : (other, one)
    }

    /// Both, the lower number first.
    var users: [UserNumber] { [low, high] }

    /// The one who isn't this user.
    func other(than user: UserNumber) -> UserNumber { user == low ? high : low }
}
