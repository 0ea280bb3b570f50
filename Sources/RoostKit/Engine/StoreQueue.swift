import Dispatch

/// The one thread at a time that opens the store. It is never the main one, because each change waits for the disk.
final class StoreQueue: SerialExecutor {
    private let queue = DispatchQueue(label: "roost.store")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
