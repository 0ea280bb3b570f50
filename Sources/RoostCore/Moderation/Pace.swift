import RoostWire

/// Slow mode of a group: a member writes once in a time. Messages count from when they are handed to the writer, so
/// that two that follow each other at once aren't both accepted. The times aren't stored: after a start of the relay, a
/// member may write once without waiting. Loop thread only.
struct Pace {
    /// Number below which members whose wait is over aren't looked for.
    private static let fewest = 64

    /// Milliseconds between two messages of a member; 0 for none.
    private(set) var time: Int64 = 0
    /// Changes that were handed to the writer and are not committed yet, and what the newest of them says.
    private var changesUnderWay = 0
    private var newest: Int64 = 0
    /// When members wrote last who may have to wait. Those whose wait is over go when there are twice as many.
    private var lasts: [UserNumber: Timestamp] = [:]
    private var most = fewest
    /// Messages that were handed to the writer and are not committed yet.
    private var underWay: [UserNumber: Int] = [:]

    /// By what commands are judged: how it will be once all changes are committed.
    var expected: Int64 { changesUnderWay > 0 ? newest : time }

    var isSlow: Bool { changesUnderWay > 0 || time > 0 }

    /// A member's wait before its next message, in milliseconds.
    func wait(of user: UserNumber, at now: Timestamp) -> Int64 {
        if underWay[user] != nil { return expected }
        // A clock that was set back says nothing.
        guard let last = lasts[user], last <= now else { return 0 }
        return max(0, last.milliseconds + expected - now.milliseconds)
    }

    /// Number of members that are kept.
    var count: Int { lasts.count }

    /// A change was handed to the writer.
    mutating func expect(_ time: Int64) {
        changesUnderWay += 1
        newest = time
    }

    /// The outcome of a change is known.
    mutating func settleChange() { changesUnderWay -= 1 }

    /// A change was stored.
    mutating func set(_ time: Int64) {
        self.time = time
        guard !isSlow else { return }
        lasts = [:]
        underWay = [:]
        most = Pace.fewest
    }

    /// A message was handed to the writer.
    mutating func begin(_ user: UserNumber) {
        guard isSlow else { return }
        underWay[user, default: 0] += 1
    }

    /// The outcome of a message is known.
    mutating func settle(_ user: UserNumber) {
        guard !underWay.isEmpty, let count = underWay[user] else { return }
        underWay[user] = count > 1 ? count - 1 : nil
    }

    /// A message was stored.
    mutating func note(_ user: UserNumber, at now: Timestamp) {
        guard isSlow else { return }
        lasts[user] = now
        guard lasts.count > most else { return }
        let time = max(time, newest)
        lasts = lasts.filter { $0.value.milliseconds + time > now.milliseconds }
        most = max(Pace.fewest, 2 * lasts.count)
    }
}
