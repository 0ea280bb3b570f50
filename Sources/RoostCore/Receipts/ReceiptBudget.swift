/// Number of receipts that one conversation may still send: n members who ack a message cause n² receipts. Up to a
/// second's worth is sent at once. After that none are sent until all of it is paid for, so that members of a busy
/// conversation get many receipts in few writes. It reads no clock and holds no receipts. Loop thread only.
struct ReceiptBudget {
    private static let secondMicroseconds: Int64 = 1_000_000

    /// Monotonic microseconds at which everything sent so far is paid for.
    private var paidTo: Int64 = 0
    private var isHeldTo: Int64 = 0

    /// Whether receipts must wait. `now` is in monotonic milliseconds.
    func isSpent(at now: Int64) -> Bool { now * 1_000 < isHeldTo }

    mutating func spend(_ receipts: Int, of perSecond: Int, at now: Int64) {
        let time = now * 1_000
        paidTo = max(paidTo, time) + Int64(receipts) * Self.secondMicroseconds / Int64(perSecond)
        if paidTo >= time + Self.secondMicroseconds { isHeldTo = paidTo }
    }
}
