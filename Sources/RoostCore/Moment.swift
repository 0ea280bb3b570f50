import RoostWire

/// Now, as both clocks see it; an argument of every input, so that nothing in this module reads a clock.
public struct Moment: Sendable {
    /// Milliseconds of a clock that never jumps; all deadlines use it.
    public var monotonic: Int64
    /// What people are shown.
    public var wall: Timestamp

    /// Puts a moment together.
    public init(monotonic: Int64, wall: Timestamp) {
        self.monotonic = monotonic
        self.wall = wall
    }
}
