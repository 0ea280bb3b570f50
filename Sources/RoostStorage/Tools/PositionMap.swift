/// Maps positions of a file to those in a store: for positions in its directory, the position of the last event at or
/// before them. A value; it gets the rows in the order of the file.
struct PositionMap {
    /// The positions that are asked for, in order, and what became of them.
    private let marks: [Int64]
    private var found: [Int64]
    private var next = 0
    private var last: (old: Int64, new: Int64) = (0, 0)

    init(_ marks: [Int64]) {
        self.marks = marks
        found = [Int64](repeating: 0, count: marks.count)
    }

    /// The row at `old` is now at `new`. A row that goes back, as withheld messages at the end of a file do, is
    /// ignored.
    mutating func note(_ old: Int64, is new: Int64) {
        guard old > last.old else { return }
        settle(below: old)
        last = (old, max(last.new, new))
    }

    /// The new position. Call it when all rows were noted.
    func position(_ old: Int64) -> Int64 {
        var low = 0
        var high = marks.count
        while low < high {
            let middle = (low + high) / 2
            if marks[middle] < old { low = middle + 1 } else { high = middle }
        }
        guard low < marks.count, marks[low] == old else { return 0 }
        return low < next ? found[low] : last.new
    }

    private mutating func settle(below old: Int64) {
        while next < marks.count, marks[next] < old {
            found[next] = last.new
            next += 1
        }
    }
}
