import RoostCore
import RoostWire

/// Numbers of users, devices and conversations that were leased to the relay. Only one relay has this store open, so
/// nothing of a lease is stored: after a start everything above the highest number in use is free again. Writer's
/// thread only.
struct NumberLeasing {
    /// Numbers of one lease: more than any batch uses up, and little enough that two thousand fit.
    static let size: Int32 = 1_048_576

    private var highest: [NumberKind: Int32] = [:]

    init(_ database: Database) throws { try lookUp(database) }

    /// Looks up the highest numbers in use. A conversation whose rows are still being erased counts.
    private mutating func lookUp(_ database: Database) throws {
        let conversations = "(SELECT number FROM conversation UNION ALL SELECT conversation FROM erasure)"
        try raise(.user, to: database.value("SELECT max(number) FROM user"))
        try raise(.device, to: database.value("SELECT max(number) FROM device"))
        try raise(.conversation, to: database.value("SELECT max(number) FROM \(conversations)"))
    }

    private mutating func raise(_ kind: NumberKind, to used: String?) {
        highest[kind] = max(highest[kind] ?? 0, Int32(clamping: Int64(used ?? "") ?? 0))
    }

    /// Numbers that no lease has given yet.
    mutating func lease(_ kind: NumberKind) -> Range<Int32> {
        let numbers = NumberLeases.range(above: highest[kind] ?? 0, count: Self.size)
        if let last = numbers.last { highest[kind] = last }
        return numbers
    }

    /// A first lease of each kind, for a relay that starts.
    mutating func leases(_ database: Database) throws -> NumberLeases {
        try lookUp(database)
        return NumberLeases(users: lease(.user), devices: lease(.device), conversations: lease(.conversation))
    }
}
