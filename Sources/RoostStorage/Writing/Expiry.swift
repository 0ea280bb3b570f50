import RoostCore

/// Finds the messages that are older or more than the operator wants to keep, from the oldest on: how far they have
/// been erased, and how many bytes of bodies are left. On the writer's thread.
struct Expiry {
    private let retention: Retention
    private let log: CommittedLog
    private let meta: Meta
    /// Milliseconds since 1970.
    private let time: () -> Int64
    /// Monotonic milliseconds.
    private let clock: () -> Int64
    private let restMilliseconds: Int64
    /// What is up to this position, if it is a message, has been erased.
    private(set) var reached: Int64
    /// Bodies are counted up to this position.
    private var countedTo: Int64
    /// Bytes of the bodies between both.
    private var bytes: Int64 = 0
    /// When to look again, in monotonic milliseconds, after the oldest message was too young.
    private var restUntil = Int64.min

    init(
        _ retention: Retention, of log: CommittedLog, _ meta: Meta, time: @escaping () -> Int64,
        clock: @escaping () -> Int64, bounds: StorageBounds
    ) throws {
        self.retention = retention
        self.log = log
        self.meta = meta
        self.time = time
        self.clock = clock
        restMilliseconds = bounds.expiryMilliseconds
        reached = try meta.number("expired_to")
        countedTo = reached
    }

    /// Milliseconds since 1970.
    var now: Int64 { time() }

    /// Whether there may be something to erase.
    var isDue: Bool { retention.isOn && clock() >= restUntil && !needsCount }

    /// Bytes say nothing before all bodies are counted.
    private var needsCount: Bool { retention.bytes != nil && countedTo < log.head }

    /// The positions of the next messages to erase, all of which have to be erased in the transaction under way. Looks
    /// at no more than `limit` rows. Nil if there is nothing to do for a while.
    mutating func next(rows limit: Int) throws -> [Int64]? {
        var (old, left): ([Int64], Int64) = ([], bytes)
        let (looked, place) = try walk(above: reached, rows: limit) { row in
            guard row.time < horizon(of: left) else { return false }
            guard row.kind == .message else { return true }
            old.append(row.position)
            left -= Int64(row.body.count)
            return true
        }
        if looked < limit { restUntil = clock() + restMilliseconds }
        guard looked > 0 else { return nil }
        try meta.set("expired_to", to: place)
        reached = place
        countedTo = max(countedTo, place)
        return old
    }

    /// Messages before this time are to be erased if bodies have so many bytes.
    private func horizon(of bytes: Int64) -> Int64 {
        var age = retention.milliseconds ?? .max
        if let most = retention.bytes, bytes > most { age = min(age, Retention.sparedMilliseconds) }
        let now = time()
        return age > now ? 0 : now - age
    }

    /// A message's body has another length now.
    mutating func changed(at position: Int64, by bytes: Int) {
        if position <= countedTo { self.bytes += Int64(bytes) }
    }

    /// Counts bodies that were committed since the last call, if only so many bytes are kept. Looks at no more than
    /// `limit` rows. Outside transactions. Returns whether there may be more.
    mutating func count(rows limit: Int) throws -> Bool {
        guard needsCount else { return false }
        var found = 0
        let (looked, place) = try walk(above: countedTo, rows: limit) { row in
            if row.kind == .message { found += row.body.count }
            return true
        }
        bytes += Int64(found)
        countedTo = looked < limit ? log.head : place
        return true
    }

    /// Walks over committed rows until `isTaken` doesn't take one, and takes at most `limit`; a damaged page counts as
    /// one. Returns how many it took, and the last.
    private func walk(
        above position: Int64, rows limit: Int, _ isTaken: (LogColumns) -> Bool
    ) throws -> (looked: Int, place: Int64) {
        var (looked, place) = (0, position)
        try log.walk(above: position, upTo: log.head) { row in
            guard isTaken(row) else { return false }
            (looked, place) = (looked + 1, row.position)
            return looked < limit
        } damaged: { position in
            (looked, place) = (looked + 1, position)
            return looked < limit
        }
        return (looked, place)
    }
}
