import RoostCore
import RoostWire

/// Leases numbers of users, devices and conversations to the relay. Only one relay has this store open, so leases
/// aren't stored: after a start every number above the highest one in use is free. Writer's thread only.
struct NumberLeasing {
    /// Numbers of one lease: more than any batch uses, and small enough for two thousand leases.
    static let size: Int32 = 1_048_576

    private var highest: [NumberKind: Int32] = [:]

    init(_ database: Database) throws { try lookUp(database) }

    /// Looks up the highest numbers in use. Conversations that are still being erased count.
    private mutating func lookUp(_ database: Database) throws {
        let conversations = "(SELECT number FROM conversation UNION ALL SELECT conversation FROM erasure)"
        try raise(.user, to: database.value("SELECT max(number) FROM user"))
        try raise(.device, to: database.value("SELECT max(number) FROM device"))
        try raise(.conversation, to: database.value("SELECT max(number) FROM \(conversations)"))
    }

    private mutating func raise(_ kind: NumberKind, to used: String?) {
        highest[kind] = max(highest[kind] ?? 0, Int32(clamping: Int64(used ?? "") ?? 0))
    }

    /// Leases numbers that have not been leased before.
    mutating func lease(_ kind: NumberKind) -> Range<Int32> {
        let numbers = NumberLeases.range(above: highest[kind] ?? 0, count: Self.size)
        if let last = numbers.last { highest[kind] = last }
        return numbers
    }

    /// The first lease of each kind, for a starting relay.
    mutating func leases(_ database: Database) throws -> NumberLeases {
        try lookUp(database)
        return NumberLeases(users: lease(.user), devices: lease(.device), conversations: lease(.conversation))
    }
}
