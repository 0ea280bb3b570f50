import DequeModule
import RoostWire

/// Writes the device's commands to the relay.
extension Device {
    /// Writes one command and queues it. False: the socket's queue is full.
    @discardableResult
    func send(_ type: StaticString, _ members: (JSONWriter) -> Void) -> Bool {
        guard let socket else { return false }
        let writer = crowd.writer
        writer.begin(type)
        members(writer)
        writer.end()
        return socket.send(writer.written)
    }

    /// Sends a new message to the room of its place. Its latency counts from when it was due.
    func sendMessage(_ draft: Draft, at now: UInt64) {
        let message = Outgoing(
            place: draft.place, number: crowd.traffic.number(from: draft.place), due: draft.due, sent: now,
            length: draft.length)
        crowd.traffic.noteSent(message)
        switch crowd.course.scenario.messages?.mode ?? .send {
        case .send: send(message)
        case .signal: signal(message)
        }
    }

    /// The key of a message stays the same however often it is sent.
    func send(_ message: Outgoing) {
        let id = expectReply(.message(message))
        let isQueued = send("send") { frame in
            frame.member("id", Int64(id))
            frame.member("to", crowd.cast.rooms[Int(crowd.cast.places[message.place].room)].name)
            frame.member("key", "\(crowd.course.runName)-\(message.place)-\(message.number)")
            write("body", message, to: frame)
        }
        guard !isQueued else { return }
        _ = pending.take(id)
        sendAgain(message, in: HarnessLimits.retryNanoseconds)
    }

    /// Sends a message again after a while, or on the next connection if that comes first. Its wait counts.
    func sendAgain(_ message: Outgoing, in nanoseconds: UInt64) {
        outbox.unanswered.append(message)
        crowd.course.timers.add(
            .sendAgain(self, session: session),
            at: SocketLoop.now() + min(nanoseconds, HarnessLimits.retryNanosecondsMax))
    }

    private func signal(_ message: Outgoing) {
        send("signal") { frame in
            frame.member("to", crowd.cast.rooms[Int(crowd.cast.places[message.place].room)].name)
            write("body", message, to: frame)
        }
    }

    private func write(_ name: StaticString, _ message: Outgoing, to frame: JSONWriter) {
        let stamp = Stamp(
            run: crowd.course.runNumber, place: message.place, number: message.number, due: message.due,
            sent: message.sent,
            length: message.length)
        withUnsafeTemporaryAllocation(byteCount: message.length + 2, alignment: 1) { text in
            text[0] = UInt8(ascii: "\"")
            stamp.write(to: UnsafeMutableRawBufferPointer(rebasing: text[1...]))
            text[message.length + 1] = UInt8(ascii: "\"")
            frame.member(name, raw: UnsafeRawBufferPointer(text))
        }
    }

    func sendTyping(place: Int) {
        send("typing") { $0.member("to", crowd.cast.rooms[Int(crowd.cast.places[place].room)].name) }
    }

    /// Marks everything read that has come; false: it was already.
    func sendRead(place: Int, at now: UInt64) -> Bool {
        let newest = crowd.cast.places[place].newest
        guard newest > crowd.cast.places[place].readSequence else { return false }
        crowd.cast.places[place].readSequence = newest
        crowd.cast.places[place].readAt = now
        return send("read") { frame in
            frame.member("conversation", crowd.cast.rooms[Int(crowd.cast.places[place].room)].name)
            frame.member("sequence", Int64(newest))
        }
    }

    // MARK: Acks

    /// Notes that everything up to this position has been taken.
    func took(_ position: UnsafeRawBufferPointer, at now: UInt64) {
        takenPosition.removeAll(keepingCapacity: true)
        takenPosition.append(contentsOf: position)
        guard !isAckPlanned else { return }
        isAckPlanned = true
        crowd.planAck(of: self, at: now + HarnessLimits.ackNanoseconds)
    }

    /// It is time for the ack that was planned.
    func ackIsDue() {
        isAckPlanned = false
        flushAck()
    }

    /// Acks everything that was taken, unless it was already.
    func flushAck() {
        guard isReady, takenPosition != ackedPosition else { return }
        let text = [UInt8(ascii: "\"")] + takenPosition + [UInt8(ascii: "\"")]
        guard send("ack", { $0.member("position", raw: text) }) else { return }
        ackedPosition.removeAll(keepingCapacity: true)
        ackedPosition.append(contentsOf: takenPosition)
        crowd.traffic.acked(by: self)
    }
}
