import DequeModule
import RoostWire

/// Sign-ins as the issuer of the tokens names them (claim `sid`): which sessions belong to each, and which are over
/// although their tokens may still be good. Loop thread only.
final class SignIns {
    /// The limits of this part.
    struct Bounds {
        /// Sessions of one sign-in at once.
        let sessions: Int
        /// Sign-ins that are over and not forgotten.
        let ended: Int
        /// Time for which tokens are refused by default, and at most.
        let usual, longest: Int64
        /// Interval of the check for what can be forgotten.
        let look: Int64
        /// The wait that a refused client is asked for.
        let retry: Int64

        init(_ limits: Limits) {
            sessions = limits.sessionsPerSignIn
            ended = limits.endedSignIns
            (usual, longest) = (limits.signInEndMilliseconds, limits.signInEndMaxMilliseconds)
            look = limits.signInLookMilliseconds
            retry = limits.busyRetryMilliseconds
        }
    }

    private struct End {
        let until: Timestamp
        let name: String
    }

    /// Most that one look forgets: some 0.3 ms.
    private static let forgottenAtOnce = 1_024

    private let bounds: Bounds
    private var sessions: [String: [Session]] = [:]
    /// Until when tokens of each are refused.
    private var ended: [String: Timestamp] = [:]
    /// The same in the order of time.
    private var ends = Deque<End>()
    /// When to call `tick` next, in monotonic milliseconds.
    private(set) var nextDeadline = Int64.max

    /// Takes over the state of the store.
    init(_ bounds: Bounds, _ stored: [Snapshot.EndedSignIn], at now: Int64) {
        self.bounds = bounds
        for one in stored { end(one.name, until: one.until, at: now) }
        // Sign-ins that ended while the relay was down can go at once.
        if !ends.isEmpty { nextDeadline = now }
    }

    /// Number of sign-ins that are over and not forgotten.
    var endedCount: Int { ended.count }

    // MARK: Sessions

    /// Checks that the token's sign-in isn't over, and may have one more session.
    /// - Throws: `unauthorized` or `too_large`.
    func check(_ grant: Grant, for session: Session, at now: Moment) throws(Refusal) {
        guard let name = grant.signIn else { return }
        if let until = ended[name], until > now.wall { throw Refusal(.unauthorized, "the token was revoked") }
        guard session.permit.signIn == name || sessions[name]?.count ?? 0 < bounds.sessions else {
            throw Refusal(.tooLarge, "the token's sid has \(bounds.sessions) connections already")
        }
    }

    /// The session gets another token, or its first one. `permit` follows.
    func move(_ session: Session, to name: String?) {
        guard session.permit.signIn != name else { return }
        remove(session)
        if let name { sessions[name, default: []].append(session) }
    }

    /// The session has ended.
    func remove(_ session: Session) {
        guard let name = session.permit.signIn, let place = sessions[name]?.firstIndex(where: { $0 === session })
        else { return }
        sessions[name]?.remove(at: place)
        if sessions[name]?.isEmpty == true { sessions[name] = nil }
    }

    /// The sessions of a sign-in, in the order in which they came.
    func sessions(of name: String) -> [Session] { sessions[name] ?? [] }

    // MARK: Ends

    /// Until when tokens of a sign-in are to be refused.
    /// - Parameter wanted: what the command says.
    /// - Throws: `too_large`, or `busy` if there are too many. Then nothing is forgotten before its time.
    func end(of name: String, wanted: Timestamp?, at now: Moment) throws(Refusal) -> Timestamp {
        let longest = now.wall.milliseconds + bounds.longest
        let until = wanted ?? Timestamp(milliseconds: now.wall.milliseconds + bounds.usual)
        guard until.milliseconds <= longest else {
            throw Refusal(
                .tooLarge, "until is more than \(bounds.longest / 3_600_000) hours from now; revoke the user or device")
        }
        guard ended[name] != nil || ended.count < bounds.ended else {
            throw Refusal(
                .busy, "\(bounds.ended) sign-ins are revoked already", retryAfterMilliseconds: bounds.retry)
        }
        return max(until, ended[name] ?? .never)
    }

    /// Refuses the tokens of a sign-in until a time.
    /// - Parameter now: monotonic milliseconds.
    func end(_ name: String, until: Timestamp, at now: Int64) {
        if let earlier = ended[name] {
            guard earlier < until else { return }
            forget(End(until: earlier, name: name))
        }
        ended[name] = until
        ends.insert(End(until: until, name: name), at: place(after: until))
        if nextDeadline == .max { nextDeadline = now + bounds.look }
    }

    /// Forgets the sign-ins whose tokens have all expired.
    /// - Returns: up to when the store may forget them, too; nil if there is nothing to forget.
    func tick(at now: Moment) -> Timestamp? {
        guard nextDeadline <= now.monotonic else { return nil }
        var forgotten: Timestamp?
        var count = 0
        while count < SignIns.forgottenAtOnce, let first = ends.first, first.until <= now.wall {
            ends.removeFirst()
            ended[first.name] = nil
            forgotten = first.until
            count += 1
        }
        let wait = count == SignIns.forgottenAtOnce ? 1 : bounds.look
        nextDeadline = ends.isEmpty ? .max : now.monotonic + wait
        return forgotten
    }

    /// The place of the first one that ends later.
    private func place(after until: Timestamp) -> Int {
        var (low, high) = (0, ends.count)
        while low < high {
            let middle = (low + high) / 2
            if ends[middle].until <= until { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func forget(_ end: End) {
        var place = place(after: end.until)
        while place > 0 {
            place -= 1
            guard ends[place].until == end.until else { return }
            if ends[place].name == end.name {
                ends.remove(at: place)
                return
            }
        }
    }
}
