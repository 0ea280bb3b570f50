/// A bounded queue from any thread to one. `add` never waits; it refuses when the queue is full.
///
/// `@unchecked Sendable`: everything is read and written under the lock of `changed`.
final class WorkQueue<Work: Sendable>: @unchecked Sendable {
    /// The time to wait for work.
    enum Patience {
        case none
        case milliseconds(Int)
        case endless
    }

    private let bound: Int
    private let changed = Condition()
    private var waiting: [Work] = []
    private var isStopped = false

    init(bound: Int) {
        self.bound = bound
    }

    /// Adds work. Returns false if the queue is full or stopped.
    func add(_ work: Work) -> Bool {
        changed.locked {
            guard !isStopped, waiting.count < bound else { return false }
            waiting.append(work)
            changed.wakeOne()
            return true
        }
    }

    /// Takes everything that waits, in order; first waits for work as long as `patience` allows. Returns an empty array
    /// if none came in that time, nil if the queue is stopped and empty.
    func takeAll(_ patience: Patience) -> [Work]? {
        changed.locked {
            switch patience {
            case .none: break
            case .milliseconds(let count): changed.wait(milliseconds: count) { waiting.isEmpty && !isStopped }
            case .endless: changed.wait { waiting.isEmpty && !isStopped }
            }
            guard !waiting.isEmpty || !isStopped else { return nil }
            defer { waiting.removeAll(keepingCapacity: false) }
            return waiting
        }
    }

    /// Refuses further work; waiting work can still be taken.
    func stop() {
        changed.locked {
            isStopped = true
            changed.wakeOne()
        }
    }
}
