/// The spent part of an allowance that grows back at a steady rate. The allowance is full at the beginning and needs no
/// clock until then, so that a user who spends nothing costs two plain numbers.
struct Spending {
    /// The rate at which an allowance grows back, and its maximum.
    struct Rate {
        /// Units in each period.
        let amount: Int64
        /// The period.
        let milliseconds: Int64
        /// The full allowance.
        let burst: Int64
    }

    /// In parts: a unit has as many as its period has milliseconds, so that a low rate loses nothing.
    private var spent: Int64 = 0
    private var at: Int64 = 0

    /// Spends a price, or nothing of it. No price is higher than a full allowance.
    /// - Parameter now: monotonic milliseconds.
    /// - Returns: nil if it is paid; otherwise how many milliseconds to wait until it can be.
    mutating func spend(_ price: Int64, of rate: Rate, at now: Int64) -> Int64? {
        recover(rate, at: now)
        let parts = min(price, rate.burst) * rate.milliseconds
        let missing = spent + parts - rate.burst * rate.milliseconds
        guard missing <= 0 else { return max(1, (missing + rate.amount - 1) / rate.amount) }
        spent += parts
        return nil
    }

    /// Takes a cost that is known only afterwards. The part beyond the allowance delays later spending, for as long as
    /// a full allowance takes at most.
    mutating func charge(_ price: Int64, of rate: Rate, at now: Int64) {
        recover(rate, at: now)
        spent = min(spent + min(price, rate.burst) * rate.milliseconds, 2 * rate.burst * rate.milliseconds)
    }

    /// Gives back what was spent too much.
    mutating func refund(_ price: Int64, of rate: Rate) {
        spent = max(0, spent - min(max(0, price), rate.burst) * rate.milliseconds)
    }

    private mutating func recover(_ rate: Rate, at now: Int64) {
        let grown = max(0, now - at).multipliedReportingOverflow(by: rate.amount)
        spent = grown.overflow ? 0 : max(0, spent - grown.partialValue)
        at = now
    }
}
