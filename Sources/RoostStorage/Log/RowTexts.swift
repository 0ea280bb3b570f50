import RoostCore

/// The short texts of the row that is being written, side by side in reused memory. SQLite reads them there, so that a
/// row needs no allocation. Valid until the next `load`.
struct RowTexts {
    private var bytes: [UInt8] = []
    private var keyStart = 0
    private var labelStart = 0

    init() { bytes.reserveCapacity(256) }

    mutating func load(_ append: borrowing Append) {
        bytes.removeAll(keepingCapacity: true)
        add(append.device)
        keyStart = bytes.count
        add(append.key)
        labelStart = bytes.count
        add(append.label)
    }

    private mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    /// Lends device, key and label.
    func lend<Value>(
        _ body: (_ device: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer, _ label: UnsafeRawBufferPointer)
            throws
            -> Value
    ) rethrows -> Value {
        try bytes.withUnsafeBytes { all in
            try body(
                UnsafeRawBufferPointer(rebasing: all[..<keyStart]),
                UnsafeRawBufferPointer(rebasing: all[keyStart..<labelStart]),
                UnsafeRawBufferPointer(rebasing: all[labelStart...]))
        }
    }
}
