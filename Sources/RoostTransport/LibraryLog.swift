internal import CLibwebsockets
internal import Glibc
import Synchronization

/// What libwebsockets has to say, on standard error. Errors only: at NOTICE the libev plugin logs each change of a
/// watcher, and some warnings are in the hands of clients. Its lines carry no tokens or bodies at this level. One
/// sink for the process, because the library has only one.
enum LibraryLog {
    // Lines in a second; a client that makes the library complain can't fill the disk.
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
