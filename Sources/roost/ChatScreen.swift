import Foundation
import RoostClient
import RoostWire

/// The output of a chat: lines that stay and, on a terminal, the line being typed below them. On a pipe it prints plain
/// lines only. Callers must remove control characters from the text first. Confined to the chat.
struct ChatScreen {
    enum Style: String {
        case plain = "0"
        case faint = "2"
        case read = "36"
        case name = "1"
    }

    let isInteractive: Bool
    private var prompt = ""
    // The name of the last line if that is a status: a newer status of the same name replaces it.
    private var lastStatus: String?
    // Whether any next line replaces the last one.
    private var isLastPassing = false

    init(isInteractive: Bool) { self.isInteractive = isInteractive }

    func styled(_ text: String, _ style: Style) -> String {
        isInteractive && style != .plain ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Prints a line that stays.
    mutating func line(_ text: String, _ style: Style = .plain) {
        put(styled(text, style), over: isLastPassing)
        lastStatus = nil
        isLastPassing = false
    }

    /// Prints a status line. It replaces the last line if that is a status of the same name. If `isPassing`, the next
    /// line replaces it, whatever that is.
    mutating func status(_ name: String, _ text: String, _ style: Style = .faint, isPassing: Bool = false) {
        // Only a part of a wrapped line could be replaced.
        let isShort = TerminalText.columns(text) < Terminal.columns
        put(styled(text, style), over: lastStatus == name || isLastPassing)
        lastStatus = isShort ? name : nil
        isLastPassing = isShort && isPassing
    }

    /// Shows the line being typed.
    mutating func type(_ text: String) {
        guard isInteractive else { return }
        prompt = text
        Terminal.write("\r\u{1B}[K" + promptLine)
    }

    /// Leaves the terminal on an empty line.
    func finish() {
        if isInteractive { Terminal.write("\r\u{1B}[K") }
    }

    private var promptLine: String {
        "> " + TerminalText.tail(TerminalText.printable(prompt), columns: Terminal.columns - 3)
    }

    private func put(_ text: String, over replaces: Bool) {
        guard isInteractive else { return Terminal.write(text + "\n") }
        // Clears the line being typed and, if it is replaced, the one above it. Then prints both again.
        Terminal.write("\r\u{1B}[K" + (replaces ? "\u{1B}[1A\u{1B}[2K" : "") + text + "\n" + promptLine)
    }

    /// The time of day in the local time zone, with the date unless it is today.
    static func time(_ time: Timestamp) -> String {
        let (shown, now) = (
            local(min(max(0, time.milliseconds / 1_000), secondsMax)), local(Int64(Date().timeIntervalSince1970))
        )
        let clock = two(shown.tm_hour) + ":" + two(shown.tm_min)
        guard shown.tm_year != now.tm_year || shown.tm_yday != now.tm_yday else { return clock }
        return "\(shown.tm_year + 1900)-\(two(shown.tm_mon + 1))-\(two(shown.tm_mday)) \(clock)"
    }

    // The end of the year 9999. A later time from the server is wrong and would overflow.
    private static let secondsMax: Int64 = 253_402_300_799

    private static func local(_ seconds: Int64) -> tm {
        var time = time_t(seconds)
        var parts = tm()
        localtime_r(&time, &parts)
        return parts
    }

    private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
