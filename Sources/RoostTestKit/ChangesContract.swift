import RoostCore
import RoostWire

/// The store contract for changes to a conversation beside its messages, in pages of history. The conversation has 25
/// messages, and was created and renamed.
enum ChangesContract {
    /// A page contains the changes behind its messages, the newest ones.
    static func standBetweenMessages(_ store: inout StoreDriver) throws {
        _ = try store.commit([store.change(1, by: 1, .rename("y")), store.change(1, by: 1, .rename("z"))])
        func places(
            _ after: Int64, _ before: Int64, isNewest: Bool = true, rows: Int, most: Int = 9, thread: Int64 = 0
        ) throws -> [Int64] {
            let request = HistoryRequest(
                conversation: ConversationNumber(1), thread: SequenceNumber(thread), reader: UserNumber(1),
                after: SequenceNumber(after), before: SequenceNumber(before), isNewest: isNewest, rows: rows,
                bytes: 1 << 20, events: most)
            let changes = try store.history(request).changes
            try StoreContract.expect(changes.map(\.position), changes.map(\.position).sorted())
            try StoreContract.expect(changes.filter { $0.kind != .conversation }.count, 0)
            return changes.map(\.sequence.value)
        }
        // It was created before its first message, and renamed behind the 20th and, twice, the 25th.
        try StoreContract.expect(try places(0, .max, rows: 100), [0, 20, 25, 25])
        try StoreContract.expect(try places(0, .max, rows: 100, most: 2), [25, 25])
        try StoreContract.expect(try places(0, .max, rows: 100, most: 0), [])
        try StoreContract.expect(try places(0, .max, rows: 100, thread: 1), [])
        try StoreContract.expect(try places(0, .max, rows: 6), [20, 25, 25])
        try StoreContract.expect(try places(0, .max, rows: 5), [25, 25])
        try StoreContract.expect(try places(0, 21, rows: 1), [20])
        try StoreContract.expect(try places(0, 20, rows: 5), [])
        try StoreContract.expect(try places(0, 20, rows: 30), [0])
        try StoreContract.expect(try places(0, 1, rows: 30), [0])
        try StoreContract.expect(try places(3, 21, rows: 30), [20])
        try StoreContract.expect(try places(0, .max, isNewest: false, rows: 19), [0])
        try StoreContract.expect(try places(19, .max, isNewest: false, rows: 1), [20])
        try StoreContract.expect(try places(20, .max, isNewest: false, rows: 1), [20])
        try StoreContract.expect(try places(21, .max, isNewest: false, rows: 9), [25, 25])
        try StoreContract.expect(try places(25, .max, isNewest: false, rows: 9), [25, 25])
        try StoreContract.expect(try places(.max, .max, isNewest: false, rows: 9), [])
    }
}
