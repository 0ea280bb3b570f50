import RoostCore
import SeededRandom

/// The store under a simulated relay. It outlives the relay's process, and decides whether a batch survives whose
/// commit was under way when the process ended. Everything happens on the caller's thread.
public protocol SimulatedStore: AnyObject {
    /// The snapshot that a relay starts from.
    func load() -> Snapshot
    /// Makes the batch durable. Returns nil if there is no room, and nothing of it is stored.
    func commit(_ batch: [Mutation]) -> [Outcome]?
    /// Called now and then while there is no room. Returns whether there is room again. When everything comes to rest,
    /// there is.
    func makeRoom(isCalm: Bool) -> Bool
    /// The outcomes that `commit` would return, without changing anything; nil if the store can't predict them.
    func predict(_ batch: [Mutation]) -> [Outcome]?
    /// Answers from what is committed.
    func answer(_ read: Read) -> ReadResult
    /// Does a piece of work that can wait. Called when no commit is under way.
    func maintain()
    /// Lets the commit of this batch fail. Returns its outcomes if it is durable and visible all the same.
    func fail(_ batch: [Mutation], _ random: inout SeededGenerator) -> [Outcome]?
    /// The process has ended and another one opens the store. Returns the outcomes of the batch that was under way or
    /// failed if it turns out to be durable.
    func reopen(after end: ProcessEnd, _ random: inout SeededGenerator) -> [Outcome]?
    /// The faults found in the store itself since the last call.
    func takeViolations() -> [String]
}

/// The way in which the relay's process ended.
public enum ProcessEnd {
    /// After a drain: everything was committed.
    case stopped
    /// At any moment, with this batch under way, if there was one.
    case died([Mutation]?)
    /// After a commit failed. The batch is nil if it is known to be durable.
    case failed([Mutation]?)

    /// The batch that may or may not be durable.
    public var batch: [Mutation]? {
        switch self {
        case .stopped: nil
        case .died(let batch), .failed(let batch): batch
        }
    }
}
