import RoostWire

/// Passes each event to the application once, in order, and sends the acks when the application has processed them.
/// Confined to the client.
final class EventFeed {
    private let limits: ClientLimits
    private let requests: Requests
    private let alarms: Alarms
    private var buffer: EventBuffer
    private var recent: RecentEvents
    // The mark to ack when the application asks for the next event.
    private var taken: EventBuffer.Mark?
    private var reader: CheckedContinuation<RoostEvent?, Never>?
    private var readers = 0
    private var unacked: EventBuffer.Mark?
    private var unackedCount = 0
    private var connection = 0
    // Whether everything that was missed has come on this connection.
    private var isLive = false
    private var isOver = false
    /// Whether the feed sends `live` again for each answer that advances this device's position: for an application
    /// that keeps its position itself.
    var tellsPlaces = false
    /// Called when the application has taken every waiting event. Set once.
    var drained: () -> Void = {}

    init(limits: ClientLimits, requests: Requests, alarms: Alarms) {
        self.limits = limits
        self.requests = requests
        self.alarms = alarms
        buffer = EventBuffer(most: limits.eventsMax)
        recent = RecentEvents(most: limits.recentMax)
    }

    /// Whether the buffer is full. No more server events are accepted until the application has taken some.
    var isFull: Bool { buffer.isFull }

    /// The events of a new connection follow. Nothing from an earlier connection is acked on it.
    func begin(connection: Int) {
        self.connection = connection
        isLive = false
        unacked = nil
        unackedCount = 0
    }

    /// The server has another log; events seen in the old one don't count for it.
    func forgetSeen() { recent = RecentEvents(most: limits.recentMax) }

    /// No events follow the ones that are waiting.
    func end() { isOver = true }

    // MARK: In

    /// Reports something of the client's own.
    func tell(_ event: RoostEvent) {
        buffer.addOwn(event)
        serveReader()
        if isOver, buffer.count == 0 { dismissReader() }
    }

    /// Adds a server event that isn't in the log. Returns false if there is no room for it.
    func add(_ event: RoostEvent) -> Bool { add(event, nil) }

    /// Everything that was missed has been added. The position is acked once all of it was processed. Returns false
    /// if there is no room.
    func addLive(at position: String) -> Bool {
        isLive = true
        return add(.live(position: position), EventBuffer.Mark(position: position, connection: connection))
    }

    /// Adds an event of the log, unless the application has had it before. Returns false if there is no room for it.
    func add(_ event: RoostEvent, position: String, time: Timestamp, isTold: (RoostEvent) -> Bool) -> Bool {
        let mark = EventBuffer.Mark(position: position, connection: connection)
        guard !buffer.isFull else { return false }
        guard recent.insert(position, time), isTold(event) else {
            acknowledgeLater(mark)
            return true
        }
        return add(event, mark)
    }

    /// A reply replaced an event, so the event must not be reported again.
    func note(_ reply: Answer) {
        guard let position = reply.position, let time = reply.time, recent.insert(position, time) else { return }
        // An earlier try may have been stored below what was acked since. While the device catches up, its own events
        // are ahead of what it missed (Docs/Protocol.md, section 6).
        guard !reply.isDuplicate, isLive else { return }
        let mark = EventBuffer.Mark(position: position, connection: connection)
        guard tellsPlaces, buffer.addPlace(position, mark) else { return acknowledgeLater(mark) }
        serveReader()
    }

    private func add(_ event: RoostEvent, _ mark: EventBuffer.Mark?) -> Bool {
        guard buffer.add(event, mark) else { return false }
        serveReader()
        return true
    }

    // MARK: Out

    /// The next event, if there is one. Everything taken before it counts as processed.
    func next() -> RoostEvent? {
        if let mark = taken {
            taken = nil
            processed(mark)
        }
        return take()
    }

    /// Up to `most` events, if there are any. Everything taken before them counts as processed.
    func next(atMost most: Int) -> [RoostEvent] {
        var events: [RoostEvent] = []
        guard let first = next() else { return events }
        events.append(first)
        // The marks of all of them are acked together, once they were processed.
        while events.count < most, let entry = buffer.next() {
            if let mark = entry.mark { taken = mark }
            if let event = entry.event { events.append(event) }
        }
        if buffer.count == 0 { drained() }
        return events
    }

    /// Whether a new reader can't wait for an event: another reader is waiting, or no event will come.
    var takesNoReader: Bool { isOver || reader != nil }

    /// A number for the next reader that waits.
    func nextReader() -> Int {
        readers += 1
        return readers
    }

    func wait(_ continuation: CheckedContinuation<RoostEvent?, Never>) { reader = continuation }

    /// The reader with this number no longer wants to wait. Another one may be waiting by now.
    func dismissReader(_ number: Int) {
        if number == readers { dismissReader() }
    }

    private func dismissReader() {
        reader?.resume(returning: nil)
        reader = nil
    }

    private func serveReader() {
        guard let reader, let event = take() else { return }
        self.reader = nil
        reader.resume(returning: event)
    }

    private func take() -> RoostEvent? {
        while let entry = buffer.next() {
            if buffer.count == 0 { drained() }
            guard let event = entry.event else {
                if let mark = entry.mark { processed(mark) }
                continue
            }
            taken = entry.mark
            return event
        }
        return nil
    }

    // MARK: Acks

    // Acks this once everything before it was processed.
    private func acknowledgeLater(_ mark: EventBuffer.Mark) {
        buffer.add(mark)
        // A waiting reader has processed everything.
        if reader != nil { serveReader() }
    }

    private func processed(_ mark: EventBuffer.Mark) {
        guard mark.connection == connection, requests.isReady else { return }
        unacked = mark
        unackedCount += 1
        if unackedCount >= limits.ackEvents {
            sendAck()
        } else if !alarms.isSet(.acks) {
            alarms.set(.acks, after: limits.ackDelay)
        }
    }

    /// Acks everything that the application has processed, with one number.
    func sendAck() {
        alarms.cancel(.acks)
        guard let mark = unacked, requests.isReady else { return }
        unacked = nil
        unackedCount = 0
        // If the ack is lost, the event comes again and is detected as a repetition.
        _ = requests.transmit(.ack) { $0.member("position", mark.position) }
    }
}
