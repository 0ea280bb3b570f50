import Dispatch
import Foundation
import Synchronization

/// The terminal's mode while a chat runs: keys come one by one and unseen. Whatever ends the process but SIGKILL gives
/// the terminal back as it was. It belongs to the process, so there is one.
enum Terminal {
    private static let saved = Mutex<termios?>(nil)

    /// Whether a person sits on both ends.
    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Columns of the window; 80 if it doesn't say.
    static var columns: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Takes the line editing over. Output is left as it is. Keys that would send signals come as bytes.
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
                // It lives as long as its handler: for good.
                withExtendedLifetime(source) { restore() }
                // What a shell reports for a process that this signal ended.
                exit(128 + number)
            }
            source.resume()
        }
    }

    /// Gives the terminal back. May be called at any time, from any thread.
    static func restore() {
        let mode = saved.withLock { saved -> termios? in
            defer { saved = nil }
            return saved
        }
        guard var mode else { return }
        tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
    }

    /// Ends the process as Ctrl-C does where nobody listens to it.
    static func interrupt() -> Never {
        restore()
        exit(128 + SIGINT)
    }

    /// What comes in on standard input, read when it is asked for; ends with the input.
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

    /// Writes to standard output. A reader that is gone is no reason to fail.
    static func write(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }
}
