import RoostFraming
import RoostWire

/// Events in, to the application one by one, and acks back once it has taken them.
extension RoostClient {
    /// The next event, as soon as there is one; nil once the session is over for good and everything was taken, or if
    /// another reader waits already, or the task is cancelled.
    public func nextEvent() async -> RoostEvent? {
        if let mark = taken {
            taken = nil
            processed(mark)
        }
        if let event = takeEvent() { return event }
        if case .ended = phase { return nil }
        guard reader == nil, !Task.isCancelled else { return nil }
        readers += 1
        let number = readers
        return await withTaskCancellationHandler {
            await withCheckedContinuation { reader = $0 }
        } onCancel: {
            Task { await self.dismissReader(number) }
        }
    }

    private func takeEvent() -> RoostEvent? {
        while let entry = buffer.next() {
            if phase == .behind, buffer.count == 0 { begin() }
            guard let event = entry.event else {
                if let mark = entry.mark { processed(mark) }
                continue
            }
            taken = entry.mark
            return event
        }
        return nil
    }

    // Another one may wait by now.
    private func dismissReader(_ number: Int) {
        if number == readers { dismissReader() }
    }

    private func dismissReader() {
        reader?.resume(returning: nil)
        reader = nil
    }

    private func serveReader() {
        guard let reader, let event = takeEvent() else { return }
        self.reader = nil
        reader.resume(returning: event)
    }

    /// Something that the client itself has to tell.
    func tell(_ event: RoostEvent) {
        buffer.addOwn(event)
        serveReader()
        if case .ended = phase, buffer.count == 0 { dismissReader() }
    }

    /// An event of the server's.
    func receive(_ type: String, _ members: EventMembers) {
        guard let event = members.event(type) else { return }
        if case .drain(let wait) = event { askedWait = wait }
        guard let position = members.string("position"), let time = members.time("time") else {
            return add(event, nil)
        }
        let mark = EventBuffer.Mark(position: position, connection: connection)
        if buffer.isFull { return fallBehind() }
        guard recent.insert(position, time) else { return acknowledgeLater(mark) }
        if case .message(let message) = event, isOwn(message) {
            acknowledgeLater(mark)
            return settle(message)
        }
        add(event, mark)
    }

    private func add(_ event: RoostEvent, _ mark: EventBuffer.Mark?) {
        guard buffer.add(event, mark) else { return fallBehind() }
        serveReader()
    }

    private func fallBehind() {
        lose(code: nil, "events aren't taken as fast as they come")
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

    // MARK: Acks

    /// To be acked as soon as everything before it was taken.
    private func acknowledgeLater(_ mark: EventBuffer.Mark) {
        buffer.add(mark)
        // A reader that waits has taken everything.
        guard reader != nil else { return }
        serveReader()
    }

    private func processed(_ mark: EventBuffer.Mark) {
        guard mark.connection == connection, phase == .ready else { return }
        unacked = mark
        unackedCount += 1
        if unackedCount >= limits.ackEvents {
            sendAck()
        } else if alarms[.acks] == nil {
            set(.acks, after: limits.ackDelay)
        }
    }

    /// Tells the server how far the application has got: one number for all.
    func sendAck() {
        cancel(.acks)
        guard let mark = unacked, phase == .ready else { return }
        unacked = nil
        unackedCount = 0
        // A lost ack costs a repetition, which is known as one.
        _ = transmit("ack", id: nil) { $0.member("position", mark.position) }
    }
}
