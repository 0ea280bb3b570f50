import Foundation
import Synchronization

/// One line on the terminal with a command's progress, written over again and again. Prints nothing if standard error
/// isn't a terminal. Any thread may update it.
final class ProgressLine: Sendable {
    private struct State {
        var shownAt: Double = 0
        var isShown = false
    }

    /// Seconds between two lines: faster can't be read.
    private static let interval = 0.1

    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let state = Mutex(State())

    /// Shows the step, and a share from 0 to 1 if it is known.
    func show(_ step: String, share: Double?) {
        guard isTerminal else { return }
        let now = ProcessInfo.processInfo.systemUptime
        state.withLock { state in
            guard now - state.shownAt >= ProgressLine.interval else { return }
            state.shownAt = now
            state.isShown = true
            let percent = share.map { " \(Int(($0 * 100).rounded(.down).clamped(to: 0...100))) %" } ?? ""
            ProgressLine.write("\r\(step)\(percent)\u{1B}[K")
        }
    }

    /// Removes the line.
    func clear() {
        state.withLock { state in
            if state.isShown { ProgressLine.write("\r\u{1B}[K") }
            state.isShown = false
        }
    }

    private static func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}

extension Double {
    fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
