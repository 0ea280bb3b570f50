/// Two users in no particular order, as the key of their direct conversation.
struct UserPair: Hashable {
    let low: UserNumber
    let high: UserNumber

    init(_ one: UserNumber, _ other: UserNumber) {
        (low, high) = one.value < other.value ? (one, other) : (other, one)
    }

    /// Both, the lower number first.
    var users: [UserNumber] { [low, high] }

    /// The one who isn't this user.
    func other(than user: UserNumber) -> UserNumber { user == low ? high : low }
}
