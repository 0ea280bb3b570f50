import DequeModule

/// A bounded queue from any thread to several, in which lanes take turns: a lane with much to do doesn't keep others
/// waiting. The work of one lane is done in order, one piece at a time. `add` never waits; it refuses when the queue is
/// full.
///
/// `@unchecked Sendable`: everything is read and written under the lock of `changed`.
final class FairQueue<Lane: Hashable & Sendable, Work: Sendable>: @unchecked Sendable {
    private let bound: Int
    private let changed = Condition()
    /// Waiting work of each lane that has any. A lane whose only piece is being done is here, too, and empty.
    private var lanes: [Lane: Deque<Work>] = [:]
    /// Lanes with something that waits and nothing that is being done, in the order of their turns.
    private var turns = Deque<Lane>()
    private var waiting = 0
    private var isStopped = false

    init(bound: Int) {
        self.bound = bound
    }

    /// Adds work. Returns false if the queue is full or stopped.
    func add(_ work: Work, to lane: Lane) -> Bool {
        changed.locked {
            guard !isStopped, waiting < bound else { return false }
            if lanes[lane] == nil { turns.append(lane) }
            lanes[lane, default: []].append(work)
            waiting += 1
            changed.wakeOne()
            return true
        }
    }

    /// Waits for work and takes the first piece of the lane whose turn it is. `done(with:)` ends it. Returns nil if the
    /// queue is stopped and nothing is left to take.
    func take() -> (lane: Lane, work: Work)? {
        changed.locked {
            // Work behind a piece that is being done is left to the thread that does it.
            changed.wait { turns.isEmpty && !isStopped }
            guard let lane = turns.popFirst(), let work = lanes[lane]?.popFirst() else { return nil }
            waiting -= 1
            return (lane, work)
        }
    }

    /// The piece that was taken from this lane is done. Its next one waits for its turn.
    func done(with lane: Lane) {
        changed.locked {
            guard lanes[lane]?.isEmpty == false else {
                lanes[lane] = nil
                return
            }
            turns.append(lane)
            changed.wakeOne()
        }
    }

    /// Refuses further work; waiting work can still be taken.
    func stop() {
        changed.locked {
            isStopped = true
            changed.wakeAll()
        }
    }
}
