/// What one conversation may still tell of receipts: n members who ack a message cost n² of them. Up to a second's
/// worth goes out as it comes; then nothing until all of it is paid for, so that who gets many gets them in few writes.
/// It keeps no clock and no receipts: those wait in the Relay. Loop thread only.
struct ReceiptBudget {
    private static let secondMicroseconds: Int64 = 1_000_000

    /// Monotonic microseconds: what was told up to now is paid for by then.
    private var paidTo: Int64 = 0
    private var isHeldTo: Int64 = 0

    /// Whether receipts have to wait; `now` is in monotonic milliseconds.
    func isSpent(at now: Int64) -> Bool { now * 1_000 < isHeldTo }

    mutating func spend(_ receipts: Int, of perSecond: Int, at now: Int64) {
        let time = now * 1_000
        paidTo = max(paidTo, time) + Int64(receipts) * Self.secondMicroseconds / Int64(perSecond)
        if paidTo >= time + Self.secondMicroseconds { isHeldTo = paidTo }
    }
}
