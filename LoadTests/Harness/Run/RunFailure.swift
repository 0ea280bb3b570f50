/// Why a run wasn't possible, in one line for the operator.
public struct RunFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line.
    public let description: String

    /// `description` is one line.
    public init(_ description: String) { self.description = description }
}
