/// Why the chat can't go on, in one line. The exit code is 1.
package struct ChatFailure: Error, CustomStringConvertible {
    /// The line, safe to print.
    package let description: String

    /// Makes a line safe to print.
    package init(_ line: String) { description = TerminalText.printable(line) }
}
