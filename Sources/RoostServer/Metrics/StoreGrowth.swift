/// Growth rate of the store, to say when its disk will be full. It notes the size at most once a minute, and compares
/// with the oldest note, an hour or more ago once the relay has run that long.
struct StoreGrowth {
    private static let noteMilliseconds: Int64 = 60_000
    private static let notesMax = 61

    private var notes: [(time: Int64, bytes: Int64)] = []

    /// - Parameters:
    ///   - bytes: of the store now.
    ///   - now: monotonic milliseconds.
    mutating func note(_ bytes: Int64, at now: Int64) {
        if let last = notes.last, now - last.time < Self.noteMilliseconds { return }
        notes.append((now, bytes))
        if notes.count > Self.notesMax { notes.removeFirst() }
    }

    /// Bytes a second since the oldest note; nil as long as there is only one, or if the store hasn't grown.
    var bytesPerSecond: Double? {
        guard let first = notes.first, let last = notes.last, last.time > first.time, last.bytes > first.bytes else {
            return nil
        }
        return Double(last.bytes - first.bytes) * 1_000 / Double(last.time - first.time)
    }
}
