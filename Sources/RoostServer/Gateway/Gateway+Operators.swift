import Logging
import RoostCore
import RoostStorage
import RoostTransport

/// The process as operators see it, and their actions on it.
extension Gateway: Surroundings {
    func address(of attachment: AnyObject) -> String? { (attachment as? Connection)?.clientAddress.description }

    func figures(at now: Moment) -> HostFigures {
        guard let loop else { return HostFigures(commits: commits.microseconds, turns: commits.microseconds) }
        let transport = loop.counters
        var figures = HostFigures(commits: commits.microseconds, turns: transport.turnMicroseconds)
        figures.strangers = loop.strangerCount
        figures.refusedRequests =
            transport.refusedRate + transport.refusedFull + transport.refusedAddress + transport.refusedDescriptor
            + transport.refusedUpgrade + transport.refusedByHandler
        if let statistics = workers?.storeStatistics() {
            figures.storeBytes = statistics.storedBytes
            figures.freeBytes = statistics.freeBytes.map { Int(clamping: $0) }
        }
        figures.memoryBytes = ProcessUsage.memory().resident
        figures.processorMilliseconds = Int64(ProcessUsage.processorSeconds() * 1_000)
        return figures
    }

    /// Writes what operators had done to the log, and does what is left to do.
    func note(_ deeds: [OperatorDeed]) {
        for deed in deeds {
            connectionLog.note(deed)
            if case .drain = deed.kind { beginDrain() }
        }
    }
}
