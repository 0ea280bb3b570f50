/// Why a key can't be used, in one line for the operator. It names the file and never shows its content.
public struct KeyFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// One line: the file, what is wrong and what to do.
    public let reason: String

    /// Same as `reason`.
    public var description: String { reason }

    /// `reason` is one line.
    public init(_ reason: String) { self.reason = reason }
}
