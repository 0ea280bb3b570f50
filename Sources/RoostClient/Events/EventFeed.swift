import RoostWire

/// Events on their way to the application, one by one and each once, and the acks that go back when it has taken them.
/// Confined to the client.
final class EventFeed {
    private let limits: ClientLimits
    private let requests: Requests
    private let alarms: Alarms
    private var buffer: EventBuffer
    private var recent: RecentEvents
    // What is acked when the application asks for the next event.
    private var taken: EventBuffer.Mark?
    private var reader: CheckedContinuation<RoostEvent?, Never>?
    private var readers = 0
    private var unacked: EventBuffer.Mark?
    private var unackedCount = 0
    private var connection = 0
    private var isOver = false
    /// The application has taken everything that waited. Set once.
    var drained: () -> Void = {}

    init(limits: ClientLimits, requests: Requests, alarms: Alarms) {
        self.limits = limits
        self.requests = requests
        self.alarms = alarms
        buffer = EventBuffer(most: limits.eventsMax)
        recent = RecentEvents(most: limits.recentMax)
    }

    /// No event of the server's is taken in any more until the application has taken some.
    var isFull: Bool { buffer.isFull }

    /// The events of another connection follow: nothing of an earlier one is acked on it.
    func begin(connection: Int) {
        self.connection = connection
        unacked = nil
        unackedCount = 0
    }

    /// The log is another one: what was seen of the one before says nothing about it.
    func forgetSeen() { recent = RecentEvents(most: limits.recentMax) }

    /// Nothing follows what is told next.
    func end() { isOver = true }

    // MARK: In

    /// Something that the client itself has to tell.
    func tell(_ event: RoostEvent) {
        buffer.addOwn(event)
        serveReader()
        if isOver, buffer.count == 0 { dismissReader() }
    }

    /// An event of the server's that isn't in the log. False if there is no room for it.
    func add(_ event: RoostEvent) -> Bool { add(event, nil) }

    /// An event of the log, of which the application is told unless it was before. False if there is no room for it.
    func add(_ event: RoostEvent, position: String, time: Timestamp, isTold: (RoostEvent) -> Bool) -> Bool {
        let mark = EventBuffer.Mark(position: position, connection: connection)
        guard !buffer.isFull else { return false }
        guard recent.insert(position, time), isTold(event) else {
            acknowledgeLater(mark)
            return true
        }
        return add(event, mark)
    }

    /// A reply told of an event in its place; it isn't reported again.
    func note(_ reply: EventMembers) {
        guard let position = reply.string("position"), let time = reply.time("time"),
            recent.insert(position, time)
        else { return }
        // What an earlier try stored may lie below what was acked since.
        guard reply["duplicate"]?.bool != true else { return }
        acknowledgeLater(EventBuffer.Mark(position: position, connection: connection))
    }

    private func add(_ event: RoostEvent, _ mark: EventBuffer.Mark?) -> Bool {
        guard buffer.add(event, mark) else { return false }
        serveReader()
        return true
    }

    // MARK: Out

    /// The next event if there is one. What was taken before counts as processed.
    func next() -> RoostEvent? {
        if let mark = taken {
            taken = nil
            processed(mark)
        }
        return take()
    }

    /// Whether nobody may wait for an event: another reader does, or none will come.
    var takesNoReader: Bool { isOver || reader != nil }

    /// A number for the reader that is about to wait.
    func nextReader() -> Int {
        readers += 1
        return readers
    }

    func wait(_ continuation: CheckedContinuation<RoostEvent?, Never>) { reader = continuation }

    /// The reader with this number doesn't want to wait any longer. Another one may wait by now.
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

    // To be acked as soon as everything before it was taken.
    private func acknowledgeLater(_ mark: EventBuffer.Mark) {
        buffer.add(mark)
        // A reader that waits has taken everything.
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

    /// Tells the server how far the application has got: one number for all.
    func sendAck() {
        alarms.cancel(.acks)
        guard let mark = unacked, requests.isReady else { return }
        unacked = nil
        unackedCount = 0
        // A lost ack costs a repetition, which is known as one.
        _ = requests.transmit("ack") { $0.member("position", mark.position) }
    }
}
