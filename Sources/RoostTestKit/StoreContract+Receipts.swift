import RoostCore
import RoostWire

// MARK: Receipts

extension StoreContract {
    /// The last steps of a watermark have the times at which it reached each message, and earlier times are forgotten.
    @Sendable static func receipts(_ store: inout StoreDriver) throws {
        try store.create(1, members: [1, 2])
        let (one, two, group) = (UserNumber(1), UserNumber(2), ConversationNumber(1))
        func step(_ isRead: Bool, _ after: Int64, _ sequence: Int64, _ at: Int64) -> ReceiptStep {
            ReceiptStep(
                isRead: isRead, after: SequenceNumber(after), to: SequenceNumber(sequence), at: time(at))
        }
        func times(_ sequence: Int64, of user: UserNumber = one) throws -> ReceiptTimes? {
            try store.receipts(1, sequence, of: [user.value]).first
        }
        try expect(try store.receipts(1, 1, of: [1, 2]), [])
        try store.apply([.steps(group, one, [step(false, 0, 3, 100), step(true, 0, 2, 110), step(false, 3, 9, 120)])])
        // One that is known already, as after an answer of the store was lost.
        try store.apply([.steps(group, one, [step(false, 3, 9, 125), step(true, 2, 4, 130)])])
        try store.goOn()
        try expect(try times(1), ReceiptTimes(one, delivered: .at(time(100)), read: .at(time(110))))
        try expect(try times(3), ReceiptTimes(one, delivered: .at(time(100)), read: .at(time(130))))
        try expect(try times(4), ReceiptTimes(one, delivered: .at(time(120)), read: .at(time(130))))
        try expect(try times(9), ReceiptTimes(one, delivered: .at(time(120)), read: .notYet))
        try expect(try times(10), ReceiptTimes(one, delivered: .notYet, read: .notYet))
        try expect(try store.receipts(1, 1, of: [2, 1]).map(\.user), [one])
        // Messages between two steps that don't follow each other have no known time.
        try store.apply([.steps(group, one, [step(true, 7, 8, 140)])])
        try expect(try times(4)?.read, .forgotten)
        try expect(try times(7)?.read, .forgotten)
        try expect(try times(8)?.read, .at(time(140)))
        // Only so many are kept. Steps of one moment are one.
        let most = Int64(Limits().receiptSteps)
        var steps = (1...most + 5).map { step(false, $0 * 1_000, ($0 + 1) * 1_000, 1_000 + $0) }
        steps.append(step(false, (most + 6) * 1_000, (most + 6) * 1_000 + 7, 1_005 + most))
        try store.apply([.steps(group, two, steps)])
        try store.goOn()
        try expect(try times(6_000, of: two)?.delivered, .forgotten)
        try expect(try times(6_001, of: two)?.delivered, .at(time(1_006)))
        try expect(try times(7_001, of: two)?.delivered, .at(time(1_007)))
        try expect(try times((most + 6) * 1_000 + 7, of: two)?.delivered, .at(time(1_005 + most)))
        // Two bytes of a sequence are stored: a long absence is known all the same.
        let absence = step(false, (most + 6) * 1_000 + 7, 9_000_000, 9_000)
        try store.apply([.steps(group, two, [absence, step(false, 9_000_000, 9_000_003, 9_001)])])
        try store.goOn()
        try expect(try times(8_999_999, of: two)?.delivered, .at(time(9_000)))
        try expect(try times(9_000_001, of: two)?.delivered, .at(time(9_001)))
        // A member who joins again begins anew, and other users have no marks.
        _ = try store.commit([
            store.change(1, by: 1, .remove([two])), store.change(1, by: 1, .add([NewMember(two, .member)])),
        ])
        try store.apply([.steps(group, UserNumber(3), [step(false, 0, 1, 5)])])
        try store.goOn()
        try expect(try store.receipts(1, 1, of: [2, 3]), [])
    }
}
