import RoostCore
import RoostTestKit
import RoostWire
import Testing

@testable import RoostStorage

/// The store contract, in every way in which this store can run.
@Suite struct ContractTests {
    enum Setting: CaseIterable {
        /// The store's own settings. Such a short check indexes nothing.
        case full, normal, memory
        /// It is closed and opened again whenever the check allows.
        case reopened
        /// Everything is merged into the indexes whenever the check allows.
        case indexed, indexedInMemory
        /// Commits merge after a few rows, in slices.
        case merging
        /// Both at once.
        case mergingAndReopened
    }

    @Test(arguments: Setting.allCases, StoreContract.checks.map(\.name))
    func holds(setting: Setting, name: String) throws {
        let check = try #require(StoreContract.checks.first { $0.name == name })
        let scratch = try Scratch()
        let durability: Durability =
            switch setting {
            case .memory, .indexedInMemory: .memory
            case .normal: .normal
            default: .full
            }
        let bounds: StorageBounds =
            switch setting {
            case .full, .normal, .memory, .reopened: StorageBounds()
            default: .tiny
            }
        var log = try SQLiteLog(scratch.path(), durability, bounds)
        defer { log.close() }
        try StoreContract.run(check) {
            log.store
        } reopen: { _ in
            switch setting {
            case .reopened, .mergingAndReopened:
                log.close()
                log = try SQLiteLog(scratch.path(), durability, bounds)
            case .indexed, .indexedInMemory:
                try log.writer.maintainAll()
            default: break
            }
            return log.store
        }
    }

    /// The log in memory, with which the model tests compare this store, keeps the contract too.
    @Test(arguments: StoreContract.checks.map(\.name))
    func theLogInMemoryKeepsTheContract(name: String) throws {
        let check = try #require(StoreContract.checks.first { $0.name == name })
        try StoreContract.run(check) {
            let log = MemoryLog()
            return StoreContract.Store(writer: log, reader: log, load: { log.load() })
        }
    }
}
