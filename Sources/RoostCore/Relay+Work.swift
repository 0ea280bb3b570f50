/// Work of which one turn does only so much, so that live traffic doesn't wait for it: pages of catch-up, receipts, and
/// visits to sessions. Every host drives it in this one way.
extension Relay {
    /// Whether more is left for another turn, which the host makes at once. Receipts wait for the next millisecond,
    /// which `nextDeadline` tells.
    public var hasWork: Bool { hasPagesToHandOut || hasTouched }

    /// Does as much as one turn may; the host calls it in every turn, and visits sessions then.
    public func doWork(at now: Moment) {
        handOutPages(at: now)
        tellReceipts(at: now)
    }
}
