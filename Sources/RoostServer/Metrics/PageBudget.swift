/// The page `/metrics` as it was last made. It is made anew for each request, until there are too many of them in a
/// short time: then the last one is given out again. So however many ask, making it takes a bounded share of the loop.
struct PageBudget {
    /// Pages made anew each second, sustained, and at once. Each takes some tenths of a millisecond, so this is at most
    /// a hundredth of the loop's time, and a page is never older than a fiftieth of a second.
    static let perSecond: Int64 = 50

    private(set) var page: [UInt8] = []
    // In thousandths of pages.
    private var left = PageBudget.perSecond * 1_000
    private var filledAt: Int64 = 0

    /// The page at a time in monotonic milliseconds.
    mutating func page(at now: Int64, make: () -> [UInt8]) -> [UInt8] {
        let full = PageBudget.perSecond * 1_000
        left = min(left + min(max(now - filledAt, 0), 1_000) * PageBudget.perSecond, full)
        filledAt = now
        if left >= 1_000 {
            left -= 1_000
            page = make()
        }
        return page
    }
}
