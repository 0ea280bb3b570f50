import Dispatch
import Glibc
import Synchronization

/// Writes lines to standard error on a thread of its own: the reader of the log may be slow or stuck, and the relay
/// doesn't wait for it. When too many lines wait, further ones are left out, and a line says how many.
final class LogWriter: Sendable {
    /// Most lines that wait: a mebibyte, and more than the relay writes in a minute (`LogBudget`).
    static let linesMax = 4_096
    /// Longest time that the end of the process waits for what was written last.
    private static let goodbyeMilliseconds = 500

    private let put: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "roost.log")
    private let state = Mutex((waiting: 0, leftOut: 0))

    /// - Parameter put: writes one line; called on the queue only.
    init(put: @escaping @Sendable (String) -> Void = LogWriter.putToStandardError) { self.put = put }

    /// Writes a line soon. Returns at once.
    func write(_ line: String) {
        let hasRoom = state.withLock { state in
            guard state.waiting < LogWriter.linesMax else {
                state.leftOut += 1
                return false
            }
            state.waiting += 1
            return true
        }
        guard hasRoom else { return }
        queue.async { [self] in
            let leftOut = state.withLock { state in
                state.waiting -= 1
                defer { state.leftOut = 0 }
                return state.leftOut
            }
            put(line)
            if leftOut > 0 { put("roost: \(leftOut) lines of the log were left out, because nobody read it") }
        }
    }

    /// Waits until everything is written, but not for long.
    func finish() {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        _ = done.wait(timeout: .now() + .milliseconds(LogWriter.goodbyeMilliseconds))
    }

    @Sendable private static func putToStandardError(_ line: String) {
        var line = line + "\n"
        line.withUTF8 { bytes in
            var written = 0
            while written < bytes.count {
                let count = Glibc.write(STDERR_FILENO, bytes.baseAddress?.advanced(by: written), bytes.count - written)
                if count < 0, errno != EINTR { return }
                written += max(0, count)
            }
        }
    }
}
