import RoostWire

/// The present time of both clocks. Every input takes it as an argument, so that nothing in this module reads a clock.
public struct Moment: Sendable {
    /// Milliseconds of a clock that never jumps. All deadlines use it.
    public let monotonic: Int64
    /// The time of day, as shown to people.
    public let wall: Timestamp

    /// Creates a moment. A clock before 1970 counts as 1970, and not as zero, which stands for never.
    public init(monotonic: Int64, wall: Timestamp) {
        self.monotonic = monotonic
        self.wall = max(wall, Timestamp(milliseconds: 1))
    }
}
