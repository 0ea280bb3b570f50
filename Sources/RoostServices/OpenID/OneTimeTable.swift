/// Values of one-time secrets, kept for a while. Only the secrets' hashes are kept. Pure: the time is handed in.
struct OneTimeTable<Value: Sendable>: Sendable {
    private let life: Int64
    private let most: Int
    private var entries: [[UInt8]: (value: Value, expires: Int64)] = [:]

    /// Each for `seconds`, and at most `most` of them; more forget the oldest.
    init(seconds: Int64, most: Int) {
        life = seconds * 1_000
        self.most = most
    }

    /// Number of entries.
    var count: Int { entries.count }

    /// Keeps something under the hash of a secret.
    /// - Parameter expires: when it ends, if it was here before: coming back doesn't make it last longer.
    mutating func insert(_ value: Value, _ hash: [UInt8], now: Int64, expires: Int64? = nil) {
        if entries.count >= most { deleteOld(now: now) }
        if entries.count >= most, let oldest = entries.min(by: { $0.value.expires < $1.value.expires }) {
            entries[oldest.key] = nil
        }
        entries[hash] = (value, expires ?? now + life)
    }

    /// Takes out what belongs to a secret; nil if it was taken before, or is too old.
    mutating func take(_ hash: [UInt8], now: Int64) -> Value? {
        guard let entry = entries.removeValue(forKey: hash), entry.expires > now, entry.expires <= now + life else {
            return nil
        }
        return entry.value
    }

    /// Forgets what is too old.
    mutating func deleteOld(now: Int64) { entries = entries.filter { $0.value.expires > now } }
}
