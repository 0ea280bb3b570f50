import RoostWire

/// From one connection to the next.
extension Device: ClientSocketOwner {
    /// Begins to connect; `due` is when it was decided.
    func connect(due: UInt64) {
        // Who left again meanwhile isn't waiting any more.
        guard phase == .waiting else { return }
        session += 1
        connectDue = due
        phase = .connecting
        crowd.attendance.beganDialing()
        let now = SocketLoop.now()
        socket = crowd.loop.connect(
            to: crowd.target, from: SourceAddresses.address(ofConnection: index), owner: self)
        crowd.course.timers.add(
            .giveUpConnecting(self, attempt: session), at: now + UInt64(HarnessLimits.connectSeconds * 1e9))
    }

    func opened(_ socket: ClientSocket) {
        phase = .greeting
        crowd.books.presence.isComing(user, at: SocketLoop.now())
        let id = expectReply(.hello)
        send("hello") { frame in
            frame.member("id", Int64(id))
            frame.member("token", crowd.tokens[user])
            frame.member("device", name)
        }
    }

    /// The relay has let it in.
    func welcomed(_ resumption: Resumption, at now: UInt64) {
        phase = .behind
        readyAt = now
        if isExcused { measuresFrom = now }
        isExcused = isStalled
        failures = 0
        for place in places.all { crowd.cast.places[Int(place)].answered = Place.nothingAnswered }
        crowd.attendance.becameReady(self, resumption, at: now)
        emptyOutbox(at: now)
    }

    /// Sends what has waited: first what was sent before, then what became due since, in its order.
    func emptyOutbox(at now: UInt64) {
        let waited = outbox
        outbox = Outbox()
        for message in waited.unanswered {
            crowd.traffic.noteResent(message)
            send(message)
        }
        for draft in waited.drafts { sendMessage(draft, at: now) }
    }

    func ended(_ socket: ClientSocket, _ ending: SocketEnding) {
        guard socket === self.socket else { return }
        let wasReady = isReady
        forgetConnection()
        crowd.attendance.lost(self, ending, wasReady: wasReady)
    }

    /// The try with this number has taken too long.
    func giveUpConnecting(attempt: Int) {
        guard attempt == session, phase == .connecting || phase == .greeting else { return }
        socket?.drop()
        forgetConnection()
        crowd.attendance.lost(self, .failed("no welcome in time"), wasReady: false)
    }

    /// The relay doesn't let it in now, and may have said when it will.
    func helloRefused(backIn wait: Double?) {
        guard let wait, phase == .greeting else { return }
        askedBackIn = wait
        socket?.drop()
        forgetConnection()
        crowd.attendance.lost(self, .failed("hello refused"), wasReady: false)
    }

    /// Leaves: with `bye`, so that the relay closes, or without a word.
    func leave(cleanly: Bool, at now: UInt64) {
        guard phase != .away else { return }
        let wasReady = isReady
        if cleanly, wasReady {
            flushAck()
            send("bye") { _ in }
        }
        if let socket {
            if cleanly { socket.close(code: 1000) } else { socket.drop() }
        }
        forgetConnection()
        if wasReady { crowd.attendance.left(self, cleanly: cleanly, at: now) }
    }

    /// Forgets what ends with a connection, and keeps the rest for the next one.
    private func forgetConnection() {
        if phase == .connecting || phase == .greeting { crowd.attendance.endedDialing() }
        // Its `hello` may have come, and then the relay counts it as present for a while.
        if phase == .greeting { crowd.books.presence.unsure(of: user) }
        let wasReady = isReady
        let wasBehind = phase == .behind
        phase = .away
        if wasReady { crowd.attendance.endedSession(wasBehind: wasBehind) }
        session += 1
        socket = nil
        outbox.unanswered += pending.messages
        pending.removeAll()
        isStalled = false
        missed = 0
    }
}
