import Dispatch
import Foundation
import Synchronization

/// The terminal's mode while a chat runs: keys arrive one by one without an echo. The old mode is restored however the
/// process ends, except by SIGKILL. It is one per process, because the terminal belongs to the process.
enum Terminal {
    private static let saved = Mutex<termios?>(nil)

    /// Whether both input and output are a terminal.
    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Columns of the window, or 80 if unknown.
    static var columns: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Switches the terminal's line editing off. Keys that would send signals arrive as bytes. Output is not changed.
    static func takeOver() {
        var mode = termios()
        guard tcgetattr(STDIN_FILENO, &mode) == 0 else { return }
        saved.withLock { $0 = mode }
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        mode.c_iflag &= ~tcflag_t(IXON | ICRNL)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                // Keeps the source alive as long as its handler, which is for ever.
                withExtendedLifetime(source) { restore() }
                // The exit code that a shell reports for a process ended by this signal.
                exit(128 + number)
            }
            source.resume()
        }
    }

    /// Restores the old mode. May be called at any time, from any thread.
    static func restore() {
        let mode = saved.withLock { saved -> termios? in
            defer { saved = nil }
            return saved
        }
        guard var mode else { return }
        tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
    }

    /// Ends the process as an unhandled Ctrl-C would.
    static func interrupt() -> Never {
        restore()
        exit(128 + SIGINT)
    }

    /// Standard input. It is read on demand, and ends with the input.
    static var input: AsyncStream<[UInt8]> {
        let queue = DispatchQueue(label: "standard input")
        return AsyncStream {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: readInput()) }
            }
        }
    }

    private static func readInput() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            if count < 0 && errno == EINTR { continue }
            return count > 0 ? Array(bytes.prefix(count)) : nil
        }
    }

    /// Writes to standard output. It isn't a failure if nobody reads it any more.
    static func write(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }
}
