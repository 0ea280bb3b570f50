import RoostWire

/// The users' reports, in the order of numbers. It is bounded: closed reports make room for new ones, the oldest first.
/// It changes nothing but itself: the caller stores changes. Loop thread only.
struct Reports {
    private var all: [StoredReport]
    private var nextNumber: Int64
    private let most: Int
    /// Number of open reports.
    private(set) var open: Int

    init(_ stored: [StoredReport], atMost most: Int) {
        all = stored
        self.most = most
        nextNumber = (stored.last?.number ?? 0) &+ 1
        open = stored.count { $0.closing == nil }
    }

    /// Checks that another one may be kept.
    /// - Throws: `too_large` if too many are open.
    func checkRoom() throws(Refusal) {
        guard open < most else {
            throw Refusal(.tooLarge, "\(most) reports wait for an operator; no other one is taken")
        }
    }

    /// Adds an open report, which gets a number. Called after `checkRoom`.
    /// - Returns: the report, and the numbers of closed ones that made room.
    mutating func add(_ report: StoredReport) -> (added: StoredReport, forgotten: [Int64]) {
        var forgotten: [Int64] = []
        while all.count >= most, let place = all.firstIndex(where: { $0.closing != nil }) {
            forgotten.append(all.remove(at: place).number)
        }
        var report = report
        report.number = nextNumber
        nextNumber &+= 1
        all.append(report)
        open += 1
        return (report, forgotten)
    }

    static let unknown = Refusal(.notFound, "report: there is no such report")

    /// The report of this number; nil if there is none.
    subscript(_ number: Int64) -> StoredReport? {
        let place = place(above: number - 1)
        return place < all.count && all[place].number == number ? all[place] : nil
    }

    /// Closes an open report.
    /// - Throws: `not_found`, or `conflict` if it was closed before.
    mutating func close(_ number: Int64, _ closing: StoredReport.Closing) throws(Refusal) -> StoredReport {
        let place = place(above: number - 1)
        guard place < all.count, all[place].number == number else {
            throw Reports.unknown
        }
        guard all[place].closing == nil else { throw Refusal(.conflict, "report: it was closed before") }
        all[place].closing = closing
        open -= 1
        return all[place]
    }

    /// The reports above a number, the lowest first.
    func above(_ number: Int64) -> ArraySlice<StoredReport> { all[place(above: number)...] }

    private func place(above number: Int64) -> Int {
        var (low, high) = (0, all.count)
        while low < high {
            let middle = (low + high) / 2
            if all[middle].number <= number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
