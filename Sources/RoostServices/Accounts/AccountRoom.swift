import RoostStore
import Synchronization

/// The bound on the number of accounts. Counting reads an index from its beginning to its end, so the number is kept
/// between two counts. Its own additions are exact; what others do to the table, such as an import beside us, is seen
/// by the next count. It is used within transactions, one at a time.
final class AccountRoom: Sendable {
    /// The outcome of making an account.
    enum Outcome: Sendable {
        case made, addressTaken, full
    }

    private let most: Int
    // Nil if it has to be counted.
    private let known = Mutex<Int?>(nil)

    init(most: Int) { self.most = most }

    /// Adds an account, if its address is free and there is room. For who runs the server there always is.
    func insert(_ account: Account, _ database: LocalDatabase) throws(LocalFailure) -> Outcome {
        if !account.isOperator, try !hasRoom(database) { return .full }
        guard try AccountTable.insert(account, database) else { return .addressTaken }
        known.withLock { $0 = $0.map { $0 + 1 } }
        return .made
    }

    /// Whether there is room for one more.
    func hasRoom(_ database: LocalDatabase) throws(LocalFailure) -> Bool {
        if let count = known.withLock({ $0 }) { return count < most }
        let count = try AccountTable.count(database)
        known.withLock { $0 = count }
        return count < most
    }

    /// An account has gone.
    func free() { known.withLock { $0 = $0.map { $0 - 1 } } }

    /// Has the next account counted: a transaction may have failed after its account was counted.
    func recount() { known.withLock { $0 = nil } }
}
