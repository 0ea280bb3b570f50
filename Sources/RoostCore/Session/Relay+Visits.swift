import DequeModule
import RoostWire

/// Who is to be written to: sessions in the order in which they were touched. A turn of the loop visits a part of a
/// large group only, so that what arrives meanwhile joins the round that is under way instead of waiting for its end.
/// On the loop thread; the writing is the host's.
extension Relay {
    /// So many sessions a turn visits at least: some 0.3 ms of writing, a hundred times what a turn costs itself. What
    /// arrives meanwhile waits no longer than that to be read.
    static var visitsMin: Int { 64 }

    /// Puts the session among those that the host visits. Comes before a push: see `push`.
    func touch(_ session: Session) {
        guard !session.isTouched else { return }
        session.isTouched = true
        session.isSlow = !session.outbox.isEmpty
        touched.append(session)
    }

    /// Whether a session has something to write or to close.
    var hasTouched: Bool { !touched.isEmpty || !run.isEmpty }

    /// The sessions with something to write or to close, each once. For hosts that keep them.
    /// - Parameter atMost: of them, those touched first.
    public func takeTouched(atMost: Int = .max) -> [Session] {
        var taken: [Session] = []
        visitTouched(atMost: atMost) { taken.append($0) }
        return taken
    }

    /// Calls `body` for the sessions with something to write or to close until there is none, the first touched first.
    /// `body` may touch further ones.
    /// - Parameter atMost: so many, and no more.
    public func visitTouched(atMost: Int = .max, _ body: (Session) -> Void) {
        deliverRun()
        var left = atMost
        while left > 0, let session = touched.popFirst() {
            session.isTouched = false
            body(session)
            left -= 1
            // What `body` did may go on in a run.
            if touched.isEmpty { deliverRun() }
        }
    }

    /// Calls `body` for as many of the sessions with something to write or to close as one turn may; `hasWork` says
    /// whether there are more. Each arrival makes up for one visit: where messages go to one person each, a turn then
    /// writes all it has read, and shares its writes as well as it shared its reads. And nobody waits for another turn
    /// when so much has gathered that sessions which keep up would seem slow.
    public func visitPart(_ body: (Session) -> Void) {
        deliverRun()
        let count = isBacklogged ? Int.max : max(Relay.visitsMin, arrivals)
        arrivals = 0
        isBacklogged = false
        visitTouched(atMost: count, body)
    }

    /// Notes when a session that had taken everything has much to take.
    @inline(__always)
    func noteBacklog(of session: Session) {
        if session.outbox.bytes > limits.outboxCalmBytes, !session.isSlow { isBacklogged = true }
    }
}
