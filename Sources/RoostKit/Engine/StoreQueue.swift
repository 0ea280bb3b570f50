import Dispatch
import RoostStore

/// The one thread at a time that opens the store. It is never the main one, because each change waits for the disk.
final class StoreQueue: SerialExecutor {
    private let queue = DispatchQueue(label: "roost.store")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Closes the store on this queue, after everything that was enqueued before.
    func close(_ holder: Holder) { queue.async { holder.store.database.close() } }

    /// A store that may be passed to its queue from any thread. Nothing but the queue uses what is in it.
    struct Holder: @unchecked Sendable {
        fileprivate let store: LocalStore

        init(_ store: LocalStore) { self.store = store }
    }
}
