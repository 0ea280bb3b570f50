/// Counts attempts by key in a window of time, and refuses when there were too many. Pure: the time is handed in. An
/// attempt counts before its outcome is known, so that several at once can't get past the limit.
package struct AttemptLimit: Sendable {
    private struct Entry {
        /// When each attempt of the window was made, in order.
        var times: [Int64]
        /// Distinguishes the valid place in `order` from older ones.
        var stamp: UInt64
    }

    private let attemptsMax: Int
    private let window: Int64
    private let keysMax: Int
    private var entries: [[UInt8]: Entry] = [:]
    // Keys in the order of their last attempts, with places that no longer count.
    private var order: [(stamp: UInt64, key: [UInt8])] = []
    private var first = 0
    private var lastStamp: UInt64 = 0

    /// At most `attemptsMax` in `seconds`, for at most `keysMax` keys; more forget the oldest.
    package init(attemptsMax: Int, seconds: Int64, keysMax: Int) {
        self.attemptsMax = attemptsMax
        window = seconds * 1_000
        self.keysMax = keysMax
    }

    /// Keys that are remembered.
    package var count: Int { entries.count }

    /// Counts an attempt, or returns the number of seconds until the next one is allowed. Refused ones don't count:
    /// otherwise an attacker could keep a user out for ever.
    package mutating func admit(_ key: [UInt8], now: Int64) -> Int64? {
        forgetOld(now: now)
        var entry = entries[key] ?? Entry(times: [], stamp: 0)
        entry.times.removeAll { $0 <= now - window || $0 > now + window }
        if entry.times.count >= attemptsMax, let oldest = entry.times.first {
            return max(1, (oldest + window - now + 999) / 1_000)
        }
        entry.times.append(now)
        lastStamp += 1
        entry.stamp = lastStamp
        entries[key] = entry
        order.append((lastStamp, key))
        if entries.count > keysMax { dropOldest() }
        return nil
    }

    /// Attempts of a key in the window.
    package func attempts(of key: [UInt8], now: Int64) -> Int {
        entries[key]?.times.count { $0 > now - window && $0 <= now + window } ?? 0
    }

    /// The last attempt wasn't one: it succeeded, or wasn't carried out.
    package mutating func giveBack(_ key: [UInt8]) {
        guard var entry = entries[key] else { return }
        _ = entry.times.popLast()
        entries[key] = entry.times.isEmpty ? nil : entry
    }

    /// Forgets all attempts of a key.
    package mutating func forget(_ key: [UInt8]) { entries[key] = nil }

    private mutating func forgetOld(now: Int64) {
        while first < order.count {
            let place = order[first]
            if let entry = entries[place.key], entry.stamp == place.stamp {
                guard let last = entry.times.last, last <= now - window else { break }
                entries[place.key] = nil
            }
            first += 1
        }
        compact()
    }

    private mutating func dropOldest() {
        while first < order.count {
            let place = order[first]
            first += 1
            guard let entry = entries[place.key], entry.stamp == place.stamp else { continue }
            entries[place.key] = nil
            return
        }
    }

    // Keeps the list in proportion to the keys.
    private mutating func compact() {
        let isMostlyDone = first > 1_024 && first * 2 > order.count
        // Frequent sign-ins leave places that no longer count.
        let isMostlyOld = order.count - first > 1_024 + entries.count * 4
        guard isMostlyDone || isMostlyOld else { return }
        order = order[first...].filter { entries[$0.key]?.stamp == $0.stamp }
        first = 0
    }
}
