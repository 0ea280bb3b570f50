import RoostCore

/// Finds the messages that are older or more than the operator wants to keep, from the oldest on, with the erased part
/// and the remaining bytes of bodies. On the writer's thread.
///
/// The log is in the order in which it was written, so a row whose time is in the future, because the clock was wrong,
/// is at least as old as the next one whose time isn't. A damaged row says nothing of its age and is passed over.
struct Expiry {
    private let retention: Retention
    private let log: CommittedLog
    private let meta: Meta
    /// Milliseconds since 1970.
    private let time: () -> Int64
    /// Monotonic milliseconds.
    private let clock: () -> Int64
    private let bounds: StorageBounds
    /// Messages up to this position have been erased.
    private(set) var reached: Int64
    /// Bodies are counted up to this position.
    private var countedTo: Int64
    /// Bytes of the bodies between both.
    private(set) var bytes: Int64 = 0
    /// When to look again, in monotonic milliseconds, after the oldest message was too young.
    private var restUntil = Int64.min
    /// A row before this position is at least as old as this time says.
    private var age = (position: Int64(0), time: Int64(0))
    /// Up to here no such row was found.
    private var searchedTo: Int64 = 0
    /// Messages that were erased since this was last taken for the statistics.
    var erased = 0

    init(
        _ retention: Retention, of log: CommittedLog, _ meta: Meta, time: @escaping () -> Int64,
        clock: @escaping () -> Int64, bounds: StorageBounds
    ) throws {
        self.retention = retention
        self.log = log
        self.meta = meta
        self.time = time
        self.clock = clock
        self.bounds = bounds
        reached = try meta.number("expired_to")
        countedTo = reached
    }

    /// Milliseconds since 1970.
    var now: Int64 { time() }

    /// Whether there may be something to erase.
    var isDue: Bool {
        retention.isOn && clock() >= restUntil && (retention.milliseconds != nil || !needsCount)
    }

    /// Bytes say nothing before all bodies are counted.
    private var needsCount: Bool { retention.bytes != nil && countedTo < log.head }

    /// Part of the log that one call may look at.
    struct Piece {
        fileprivate var rows: Int
        /// Bytes of bodies.
        fileprivate var bytes: Int

        fileprivate var isUsedUp: Bool { rows <= 0 || bytes <= 0 }
    }

    /// The part for an idle writer at once.
    var idlePiece: Piece { Piece(rows: bounds.expiredRowsWhenIdle, bytes: bounds.expiredBytes) }

    /// The part for a commit: more than it stores.
    func piece(beside batch: [Mutation]) -> Piece {
        var piece = Piece(rows: bounds.expiredRowsPerCommit + batch.count, bytes: bounds.expiredBytes)
        guard retention.isOn else { return piece }
        for case .append(let event) in batch { piece.bytes += event.body.count }
        return piece
    }

    /// A message to erase.
    struct Old {
        let position: Int64
        /// Bytes of its body that were counted.
        let bytes: Int?
    }

    /// The next messages to erase, all of which have to be erased in the transaction under way. Nil if there is nothing
    /// to do for a while.
    mutating func next(_ piece: Piece) throws -> [Old]? {
        var piece = piece
        var (old, left, isAgeKnown) = ([Old](), bytes, true)
        let (now, known, start, countedTo) = (time(), age, reached, countedTo)
        let isCounted = !needsCount
        let place = try walk(above: reached, &piece) { row in
            guard row.isIntact else { return true }
            if row.time > now, row.position >= known.position {
                isAgeKnown = false
                return false
            }
            let time = row.time > now ? known.time : row.time
            guard time < horizon(of: isCounted ? left : 0, at: now) else { return false }
            guard row.kind == .message else { return true }
            let bytes = row.position <= countedTo ? row.body.count : nil
            old.append(Old(position: row.position, bytes: bytes))
            left -= Int64(bytes ?? 0)
            return true
        }
        if place > reached {
            try meta.set("expired_to", to: place)
            (reached, bytes) = (place, left)
            self.countedTo = max(countedTo, place)
        }
        let isFound = try !isAgeKnown && findAge(&piece)
        let hasMore = isFound || piece.isUsedUp
        if !hasMore { restUntil = clock() + bounds.expiryMilliseconds }
        return hasMore || place > start ? old : nil
    }

    /// Messages before this time are to be erased if bodies have so many bytes.
    private func horizon(of bytes: Int64, at now: Int64) -> Int64 {
        var age = retention.milliseconds ?? .max
        if let most = retention.bytes, bytes > most { age = min(age, Retention.sparedMilliseconds) }
        return age > now ? 0 : now - age
    }

    /// Looks for a row that says how old those before it are, from where the last search ended. Returns whether one
    /// was found.
    private mutating func findAge(_ piece: inout Piece) throws -> Bool {
        let now = time()
        var found: (position: Int64, time: Int64)?
        searchedTo = try walk(above: max(searchedTo, reached), &piece) { row in
            if row.isIntact, row.time <= now { found = (row.position, row.time) }
            return found == nil
        }
        if let found { age = found }
        // At the end of the log: the time of some of them may come before there is another row.
        if found == nil, !piece.isUsedUp { searchedTo = 0 }
        return found != nil
    }

    /// A message to erase has a body of this length: the batch under way may have changed it, which is counted already.
    mutating func settle(_ message: Old, bytes: Int) {
        if let counted = message.bytes { self.bytes += Int64(counted - bytes) }
    }

    /// A message's body has another length now.
    mutating func changed(at position: Int64, by bytes: Int) {
        if position > reached, position <= countedTo { self.bytes += Int64(bytes) }
    }

    /// Counts bodies that were committed since the last call, if their bytes are bounded. Outside transactions. Returns
    /// whether there may be more.
    mutating func count(_ piece: Piece) throws -> Bool {
        guard needsCount else { return false }
        var piece = piece
        var found = 0
        let place = try walk(above: countedTo, &piece) { row in
            if row.kind == .message, row.isIntact { found += row.body.count }
            return true
        }
        bytes += Int64(found)
        countedTo = piece.isUsedUp ? place : log.head
        return true
    }

    /// Walks over committed rows until `isTaken` doesn't take one or the piece is used up; a damaged page counts as a
    /// row. Returns the position of the last that was taken.
    private func walk(
        above position: Int64, _ piece: inout Piece, _ isTaken: (LogColumns) -> Bool
    ) throws -> Int64 {
        var place = position
        try log.walk(above: position, upTo: log.head) { row in
            guard !piece.isUsedUp, isTaken(row) else { return false }
            place = row.position
            (piece.rows, piece.bytes) = (piece.rows - 1, piece.bytes - row.body.count)
            return !piece.isUsedUp
        } damaged: { position in
            place = position
            piece.rows -= 1
            return !piece.isUsedUp
        }
        return place
    }
}
