import Glibc

/// Shows how the run goes, on standard error: on a terminal a block of lines that is drawn over once a second,
/// elsewhere a plain line every five. It belongs to the sampling thread alone; a terminal that doesn't take what is
/// written holds that thread up and no other.
///
/// The cursor always rests below the block and is never hidden, so there is nothing to put right when the process is
/// ended in the middle. Each picture is one `write` that overwrites what is there, which is why it doesn't flicker.
public final class LiveDisplay {
    private let descriptor: Int32
    private let isTerminal: Bool
    private let style: TerminalStyle
    // Number of lines of the last picture, all above the cursor.
    private var linesDrawn = 0
    private var lastPhase = ""
    private var lastLineAt = 0.0

    private static let secondsBetweenLines = 5.0
    // Used if the terminal doesn't tell its width.
    private static let widthUsual = 80

    /// A display on standard error.
    public convenience init() {
        self.init(
            descriptor: STDERR_FILENO, isTerminal: TerminalStyle.isTerminal(STDERR_FILENO),
            style: .of(descriptor: STDERR_FILENO))
    }

    init(descriptor: Int32, isTerminal: Bool, style: TerminalStyle) {
        self.descriptor = descriptor
        self.isTerminal = isTerminal
        self.style = style
    }

    /// Draws the state again, or writes a line if it is time for one.
    public func show(_ figures: LiveFigures) {
        guard isTerminal else { return showLine(figures) }
        // The last column stays empty, because some terminals go to the next line as soon as it is written.
        let width = (TerminalStyle.width(of: descriptor) ?? Self.widthUsual) - 1
        let lines = LiveLines(figures: figures, style: style).block(width: max(width, 1))
        write(above(lines.map { "\r\($0)\u{1B}[K\n" }.joined()))
        linesDrawn = lines.count
    }

    /// Writes a line that stays, above the block.
    public func note(_ text: String) {
        let line = Readable.harmless(text)
        write(isTerminal ? above("\r\(line)\u{1B}[K\n") : line + "\n")
        linesDrawn = 0
    }

    /// Removes the block. Later output begins in its place.
    public func finish() {
        guard isTerminal, linesDrawn > 0 else { return }
        write(above(""))
        linesDrawn = 0
    }

    // Moves up to the first line of the block, writes the text over it, and clears what is left below.
    private func above(_ text: String) -> String {
        (linesDrawn > 0 ? "\u{1B}[\(linesDrawn)A\r" : "\r") + text + "\u{1B}[J"
    }

    private func showLine(_ figures: LiveFigures) {
        let isNew = figures.phase != lastPhase
        // Half a second less, so that an early sample doesn't stretch it to six.
        guard isNew || figures.elapsed - lastLineAt >= Self.secondsBetweenLines - 0.5 else { return }
        lastPhase = figures.phase
        lastLineAt = figures.elapsed
        write(LiveLines(figures: figures, style: style).line + "\n")
    }

    // Drops what a closed or full standard error doesn't take: the run matters more than its display.
    private func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno != EINTR {
                return
            }
        }
    }
}
