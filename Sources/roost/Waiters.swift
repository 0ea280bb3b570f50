/// Tasks that wait until enough of something has happened. Part of an actor, which wakes them.
struct Waiters {
    private var waiting: [(isEnough: () -> Bool, continuation: CheckedContinuation<Void, Never>)] = []

    /// Resumes the task once `isEnough` holds, or when there is no more point in waiting.
    mutating func add(_ continuation: CheckedContinuation<Void, Never>, until isEnough: @escaping () -> Bool) {
        waiting.append((isEnough, continuation))
    }

    /// Something has happened: wakes those for whom it is enough.
    mutating func wake() {
        for waiter in waiting where waiter.isEnough() { waiter.continuation.resume() }
        waiting.removeAll { $0.isEnough() }
    }

    /// Wakes everybody.
    mutating func giveUp() {
        for waiter in waiting { waiter.continuation.resume() }
        waiting.removeAll()
    }
}
