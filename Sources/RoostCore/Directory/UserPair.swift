/// A pair of users without order: whose direct conversation it is.
struct UserPair: Hashable {
    let low: UserNumber
    let high: UserNumber

    init(_ one: UserNumber, _ other: UserNumber) {
        (low, high) = one.value < other.value ? (one, other) : (other, one)
    }
}
