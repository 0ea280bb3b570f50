import RoostWire

/// The present time of both clocks. Every input takes it as an argument, so that nothing in this module reads a clock.
public struct Moment: Sendable {
    /// Milliseconds of a clock that never jumps. All deadlines use it.
    public var monotonic: Int64
    /// The time of day, as shown to people.
    public var wall: Timestamp

    /// Creates a moment.
    public init(monotonic: Int64, wall: Timestamp) {
        self.monotonic = monotonic
        self.wall = wall
    }
}
