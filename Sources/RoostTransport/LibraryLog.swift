internal import CLibwebsockets
internal import Glibc
import Synchronization

/// Writes the log of libwebsockets to standard error. Errors only: at NOTICE the libev plugin logs each change of a
/// watcher, and clients can cause some of the warnings. Lines at this level contain no tokens or bodies. There is one
/// sink in the process, because the library has only one.
enum LibraryLog {
    // Most lines in a second, so that a client that causes errors can't fill the disk.
    private static let linesPerSecond = 10

    private struct Window {
        var second: Int = 0
        var lines = 0
    }

    private static let window = Mutex(Window())
    private static let installed: Void = lws_set_log_level(LLL_ERR) { _, line in LibraryLog.emit(line) }

    static func install() { _ = installed }

    private static func emit(_ line: UnsafePointer<CChar>?) {
        guard let line else { return }
        let second = time(nil)
        let mayWrite = window.withLock { window in
            if window.second != second { window = Window(second: second) }
            window.lines += 1
            return window.lines <= linesPerSecond
        }
        if mayWrite { _ = write(STDERR_FILENO, line, strlen(line)) }
    }
}
