/// Fixed moments of the monotonic clock at which changes are sent. If the first change started a timer instead, the
/// tick of one user's change would depend on the changes of others, also of users who are hidden from the receiver.
enum TickGrid {
    /// The first multiple of the interval that is later than this moment. Milliseconds.
    static func next(after now: Int64, every interval: Int64) -> Int64 {
        let interval = max(1, interval)
        return (now / interval + 1) * interval
    }
}
