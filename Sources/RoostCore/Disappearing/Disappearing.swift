import RoostWire

/// Messages that disappear: has the store erase those whose time has come, and forgets them wherever they are in
/// memory. No event is sent, because every device knows the time. Loop thread only.
final class Disappearing {
    /// The limits of this part.
    struct Bounds {
        /// Shortest time between an answer of the store and the next question, and the longest between two looks while
        /// something is to disappear.
        let pauseMilliseconds, lookMilliseconds: Int64

        init(_ limits: Limits) {
            pauseMilliseconds = limits.disappearPauseMilliseconds
            lookMilliseconds = limits.disappearLookMilliseconds
        }
    }

    private let bounds: Bounds
    private let directory: Directory
    private let journal: Journal
    private let delivery: Delivery
    private let catchUp: CatchUp
    private let counters: Counters
    /// When the next message disappears, by the wall clock; `.never` if none will.
    private var next: Timestamp
    /// The store has been asked and hasn't answered.
    private var isAsked = false
    /// When the store may be asked next, in monotonic milliseconds, so that one transaction takes many.
    private var askableAt = Int64.min
    /// The first to disappear of those that were stored since, which the answer may not know; `.never` for none.
    private var stored = Timestamp.never
    /// When to look at the wall clock next, in monotonic milliseconds. It may be set meanwhile.
    private(set) var nextDeadline = Int64.max

    init(
        _ limits: Limits, _ directory: Directory, _ journal: Journal, _ delivery: Delivery, _ catchUp: CatchUp,
        _ counters: Counters, next: Timestamp, at now: Moment
    ) {
        bounds = Bounds(limits)
        self.directory = directory
        self.journal = journal
        self.delivery = delivery
        self.catchUp = catchUp
        self.counters = counters
        self.next = next
        if next != .never { nextDeadline = now.monotonic }
    }

    /// A message was stored that disappears.
    func note(_ expires: Timestamp, at now: Moment) {
        guard !isAsked else {
            stored = first(stored, expires)
            return
        }
        guard next == .never || expires < next else { return }
        next = expires
        nextDeadline = min(nextDeadline, now.monotonic + wait(at: now))
    }

    /// Looks at the clock if it is time.
    func tick(at now: Moment) {
        guard nextDeadline <= now.monotonic, !isAsked, next != .never else { return }
        guard next <= now.wall else {
            nextDeadline = now.monotonic + wait(at: now)
            return
        }
        isAsked = true
        nextDeadline = .max
        journal.store(.expire(upTo: now.wall))
    }

    private func wait(at now: Moment) -> Int64 {
        let pause = max(askableAt, now.monotonic) - now.monotonic
        return min(max(pause, next.milliseconds - now.wall.milliseconds), bounds.lookMilliseconds)
    }

    /// The store has erased these messages.
    /// - Parameter next: when the next one disappears; `.never` if none will.
    func settle(_ messages: [ExpiredMessage], next: Timestamp, at now: Moment) {
        isAsked = false
        counters.disappeared += messages.count
        for message in messages {
            let conversation = directory.conversation(message.conversation)
            conversation?.lifetime.gone.insert(message.sequence)
            conversation?.highlights.pins.remove(message.sequence)
            delivery.window.erase(message.sequence, of: message.conversation, at: message.expires)
            catchUp.erase(message.sequence, of: message.conversation, at: message.expires)
        }
        // A message of the same batch may have come behind the question.
        self.next = first(next, stored)
        stored = .never
        // More than one answer may name waits for nothing.
        let isMoreDue = self.next != .never && self.next <= now.wall
        askableAt = now.monotonic + (isMoreDue ? 0 : bounds.pauseMilliseconds)
        if self.next != .never { nextDeadline = now.monotonic + wait(at: now) }
    }

    private func first(_ one: Timestamp, _ other: Timestamp) -> Timestamp {
        one == .never ? other : other == .never ? one : min(one, other)
    }
}
