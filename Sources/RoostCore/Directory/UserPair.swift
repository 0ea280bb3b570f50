/// Two users in no particular order, as the key of their direct conversation.
struct UserPair: Hashable {
    let low: UserNumber
    let high: UserNumber

    init(_ one: UserNumber, _ other: UserNumber) {
        (low, high) = one.value < other.value ? (one, other) : (other, one)
    }
}
