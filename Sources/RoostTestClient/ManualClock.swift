import RoostLock

/// A clock that moves only when a test moves it, and knows which waits have begun. The relay's time is separate:
/// `TestRelay.advance`.
public final class ManualClock: Clock, Sendable {
    /// A moment of this clock.
    public struct Instant: InstantProtocol {
        /// Time since the clock was made.
        public var offset: Duration

        /// The moment after a while.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// Returns the time until another moment.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Earlier moments come first.
        public static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private struct Sleeper {
        var number: Int
        var until: Instant
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var number = 0
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
        var awaited: [(number: Int, duration: Duration, continuation: CheckedContinuation<Void, Never>)] = []

        mutating func nextNumber() -> Int {
            number += 1
            return number
        }
    }

    private let state = Locked(State())

    /// A clock at its beginning.
    public init() {}

    /// The present moment.
    public var now: Instant { state.withLock { $0.now } }
    /// The shortest time that the clock can distinguish.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Waits until the test has moved the clock that far.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { $0.nextNumber() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                begin(Sleeper(number: number, until: deadline, continuation: continuation))
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    private func begin(_ sleeper: Sleeper) {
        let (isCancelled, isDue, awaited) = state.withLock { state in
            let isCancelled = state.cancelled.remove(sleeper.number) != nil
            let isDue = sleeper.until <= state.now
            guard !isCancelled, !isDue else { return (isCancelled, isDue, [CheckedContinuation<Void, Never>]()) }
            state.sleepers.append(sleeper)
            let duration = state.now.duration(to: sleeper.until)
            let met = state.awaited.filter { $0.duration == duration }.map(\.continuation)
            state.awaited.removeAll { $0.duration == duration }
            return (false, false, met)
        }
        if isCancelled {
            sleeper.continuation.resume(throwing: CancellationError())
        } else if isDue {
            sleeper.continuation.resume()
        }
        for continuation in awaited { continuation.resume() }
    }

    /// Returns once a task waits for exactly this long, counted from now, or when the calling task is cancelled.
    public func sleeper(for duration: Duration) async {
        let number = state.withLock { $0.nextNumber() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    let until = state.now.advanced(by: duration)
                    if state.sleepers.contains(where: { $0.until == until }) { return true }
                    // Cancelled before it began.
                    if state.cancelled.remove(number) != nil { return true }
                    state.awaited.append((number, duration, continuation))
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let awaited = state.withLock { state in
                guard let index = state.awaited.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil as CheckedContinuation<Void, Never>?
                }
                return state.awaited.remove(at: index).continuation
            }
            awaited?.resume()
        }
    }

    /// Advances the clock once a task waits for exactly that long.
    public func pass(_ duration: Duration) async {
        await sleeper(for: duration)
        advance(by: duration)
    }

    /// Advances the clock without waiting for a sleeper. A wait that begins afterwards counts from the new moment.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.until <= state.now }
            state.sleepers.removeAll { $0.until <= state.now }
            return due
        }
        for sleeper in due.sorted(by: { $0.until < $1.until }) { sleeper.continuation.resume() }
    }
}
