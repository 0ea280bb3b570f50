/// The end of the log, by everything in a store that shows it: its rows, what follows from them, devices' acks, and the
/// note beside the store. If anything shows more than the rows, the newest ones are lost. A value.
struct LogEnd {
    /// The last row, or a later position that is settled without one.
    let known: Int64
    /// The highest position that may have been given.
    private(set) var head: Int64
    /// Why the newest rows are known to be lost: clauses of a sentence for the operator.
    private(set) var findings: [String] = []

    init(known: Int64) {
        self.known = known
        head = known
    }

    /// Positions that were given, but have no row.
    var lost: Int64 { head - known }

    /// Something names a position of this log. One that can't have been given is damaged itself and counts for nothing.
    mutating func take(_ position: Int64, _ what: String) {
        guard position > head, position <= Directory.numberMax else { return }
        head = position
        note("\(what) position \(position), but the log ends at \(known)")
    }

    /// Something else shows the loss.
    mutating func note(_ finding: String) {
        if findings.count < LogEnd.findingsMax { findings.append(finding) }
    }

    /// Devices that are ahead may be many.
    private static let findingsMax = 8
}
