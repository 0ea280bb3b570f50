import Glibc

/// A POSIX thread that runs one closure and is joined once. Foundation's class would require Foundation.
final class Thread {
    private final class Start {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private var handle = pthread_t()
    private var isRunning: Bool

    /// Starts the thread. Throws if the system can't create one.
    init(_ body: @escaping @Sendable () -> Void) throws {
        let start = Unmanaged.passRetained(Start(body))
        let code = pthread_create(
            &handle, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }, start.toOpaque())
        isRunning = code == 0
        guard isRunning else {
            start.release()
            throw StorageFailure.failed(
                operation: "starting a thread", code: code, message: String(cString: strerror(code)))
        }
    }

    /// Waits for the end of the closure.
    func join() {
        guard isRunning else { return }
        isRunning = false
        pthread_join(handle, nil)
    }
}
