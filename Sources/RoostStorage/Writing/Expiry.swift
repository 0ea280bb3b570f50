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
        var old: [Int64] = []
        var (looked, place, left) = (0, reached, bytes)
        try log.walk(above: reached, upTo: log.head) { row in
            guard row.time < horizon(of: left) else { return false }
            (looked, place) = (looked + 1, row.position)
            guard row.kind == .message else { return looked < limit }
            old.append(row.position)
            left -= Int64(row.body.count)
            return looked < limit
        } damaged: { position in
            (looked, place) = (looked + 1, position)
            return looked < limit
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
        var (looked, place, found) = (0, countedTo, 0)
        try log.walk(above: countedTo, upTo: log.head) { row in
            (looked, place) = (looked + 1, row.position)
            if row.kind == .message { found += row.body.count }
            return looked < limit
        } damaged: { position in
            (looked, place) = (looked + 1, position)
            return looked < limit
        }
        bytes += Int64(found)
        countedTo = looked < limit ? log.head : place
        return true
    }
}
