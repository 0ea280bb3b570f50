import Dispatch
import Foundation
import Synchronization

/// The process's terminal: its mode, its size, the bytes that come and go. It is one per process, because the terminal
/// belongs to the process. Whatever ends the process, except SIGKILL, the terminal gets its old mode back.
package enum Terminal {
    private static let saved = Mutex<termios?>(nil)

    // For a crash, where no lock may be taken: written before the mode changes, and read by signal handlers.
    private nonisolated(unsafe) static let crashMode = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    private nonisolated(unsafe) static var isTaken = false

    /// Whether both input and output are a terminal.
    package static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Whether it can move its cursor.
    static var canDraw: Bool {
        let name = ProcessInfo.processInfo.environment["TERM"] ?? ""
        return isInteractive && !name.isEmpty && name != "dumb"
    }

    /// Whether colours are wanted (no-color.org).
    static var hasColours: Bool { (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty }

    /// Whether it stands in a window with a title. The console of Linux and what only draws text have none.
    static var hasTitle: Bool {
        let name = ProcessInfo.processInfo.environment["TERM"] ?? ""
        return canDraw && !name.hasPrefix("linux") && !name.hasPrefix("vt")
    }

    /// The size of the window, or 24 rows of 80 if unknown.
    static var size: TerminalSize {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return TerminalSize(rows: 24, columns: 80)
        }
        return TerminalSize(rows: Int(size.ws_row), columns: Int(size.ws_col))
    }

    // MARK: Mode

    // The window's title kept, the other screen, a paste in brackets, no line break by itself at the right edge.
    private static let enter = (hasTitle ? WindowTitle.keep : "") + "\u{1B}[?1049h\u{1B}[?2004h\u{1B}[?7l\u{1B}[2J"
    private static let leave =
        "\u{1B}[0m\u{1B}[?7h\u{1B}[?2004l\u{1B}[?25h\u{1B}[?1049l"
        + (hasTitle ? WindowTitle.bringBack : "")
    // The same, for where nothing may be allocated.
    private nonisolated(unsafe) static let leaveBytes = strdup(leave)

    /// Takes the terminal for drawing: keys arrive one by one without an echo, and what was on the screen comes back
    /// at the end. Keys that would send signals arrive as bytes.
    static func takeOver() {
        var mode = termios()
        guard tcgetattr(STDIN_FILENO, &mode) == 0 else { return }
        crashMode.initialize(to: mode)
        _ = leaveBytes
        saved.withLock { $0 = mode }
        isTaken = true
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        mode.c_iflag &= ~tcflag_t(IXON | ICRNL)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
        write(enter)
    }

    /// Gives the terminal back. May be called at any time, from any thread.
    static func restore() {
        let mode = saved.withLock { saved -> termios? in
            defer { saved = nil }
            return saved
        }
        isTaken = false
        guard var mode else { return }
        write(leave)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
    }

    /// Ends the process as an unhandled Ctrl-C would.
    static func interrupt() -> Never {
        restore()
        exit(128 + SIGINT)
    }

    /// Stops the process, as Ctrl-Z does, until the user lets it continue.
    static func suspend() {
        restore()
        raise(SIGSTOP)
        takeOver()
    }

    // MARK: Signals

    /// From now on these signals give the terminal back before they end the process, and crashes do.
    static func guardSignals() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            on(number) {
                restore()
                // The exit code that a shell reports for a process ended by this signal.
                exit(128 + number)
            }
        }
        for number in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE] {
            signal(number) { number in
                // Only what POSIX allows in a handler: write, tcsetattr, signal and raise.
                if Terminal.isTaken, let bytes = Terminal.leaveBytes {
                    _ = Foundation.write(STDOUT_FILENO, bytes, strlen(bytes))
                    tcsetattr(STDIN_FILENO, TCSANOW, Terminal.crashMode)
                }
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    /// Calls `body` whenever the size of the window has changed.
    static func onResize(_ body: @escaping @Sendable () -> Void) { on(SIGWINCH, body) }

    /// Calls `body` whenever the process goes on after it was stopped.
    static func onContinue(_ body: @escaping @Sendable () -> Void) { on(SIGCONT, body) }

    private static func on(_ number: Int32, _ body: @escaping @Sendable () -> Void) {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler {
            // Keeps the source alive as long as its handler, which is for ever.
            withExtendedLifetime(source) { body() }
        }
        source.resume()
    }

    // MARK: Bytes

    /// Standard input. It is read on demand, and ends with the input.
    package static var input: AsyncStream<[UInt8]> {
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

    /// Writes to standard output, in one call if the system takes it. A closed output isn't a failure: the reader may
    /// have ended.
    package static func write(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }

    /// Lets nothing else write to standard error while `body` runs: libraries do, and it would stand on the screen.
    static func withoutErrors<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        let kept = dup(STDERR_FILENO)
        let nowhere = open("/dev/null", O_WRONLY)
        if kept >= 0, nowhere >= 0 { dup2(nowhere, STDERR_FILENO) }
        if nowhere >= 0 { close(nowhere) }
        defer {
            if kept >= 0 {
                dup2(kept, STDERR_FILENO)
                close(kept)
            }
        }
        return try await body()
    }
}
