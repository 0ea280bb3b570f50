import RoostWire

/// Delivery times of events: until they are durable, and until devices that were connected ack them. It keeps the
/// arrival times of the newest events. Loop thread only.
final class DeliveryTimes {
    /// Events whose arrival is kept, a power of two: those of six seconds at 5,000 a second, in half a mebibyte. An ack
    /// later than that counts as having taken as long as the oldest of them.
    static let kept = 32_768

    private struct Arrival {
        var position: Int64 = -1
        var time: Int64 = 0
    }

    /// From the arrival of a command until its event is durable and handed to the sessions, in milliseconds.
    private(set) var stored = BucketHistogram(bounds: BucketHistogram.waits)
    /// From there on until a device acks it, or a later one, if it was connected when the event came. In milliseconds,
    /// from the arrival of the command.
    private(set) var acked = BucketHistogram(bounds: BucketHistogram.waits)
    private var arrivals = [Arrival](repeating: Arrival(), count: DeliveryTimes.kept)
    private var newest: Int64 = -1
    private let startedAt: Int64

    init(at now: Moment) { startedAt = now.wall.milliseconds }

    /// The event of a command has become durable.
    func noteStored(_ event: borrowing StoredEvent, at now: Moment) {
        stored.record(now.wall.milliseconds - event.time.milliseconds)
        newest = event.position.value
        arrivals[place(of: newest)] = Arrival(position: newest, time: event.time.milliseconds)
    }

    /// A device has acked everything up to this position.
    /// - Parameter since: what is older was delivered late because the device wasn't there, and counts nowhere.
    func noteAcked(_ position: Position, since: Position, at now: Moment) {
        guard position > since else { return }
        acked.record(now.wall.milliseconds - arrival(of: position).milliseconds)
    }

    /// When the event at this position arrived, or a time somewhat later if that isn't known any more.
    func arrival(of position: Position) -> Timestamp {
        let kept = arrivals[place(of: position.value)]
        if kept.position == position.value { return Timestamp(milliseconds: kept.time) }
        let oldest = arrivals[place(of: newest + 1)]
        return Timestamp(milliseconds: oldest.position >= 0 ? oldest.time : startedAt)
    }

    private func place(of position: Int64) -> Int { Int(truncatingIfNeeded: position & Int64(DeliveryTimes.kept - 1)) }
}
