import RoostWire

/// From one connection to the next: connect, lose, wait, come back; and the end.
extension RoostClient {
    /// Begins to keep a session up, until `disconnect` or until the server refuses for good. Returns at once; `events`
    /// tells how it goes. Called again it does nothing.
    public func connect() {
        guard phase == .idle else { return }
        begin()
    }

    /// Says `bye`, which makes the user offline at once if this was their last device, and ends the session for good.
    /// What waits to be sent is given up; wait for the calls of `send` before, if it matters.
    public func disconnect() async {
        switch phase {
        case .ended: return
        case .leaving: break
        case .ready:
            sendAck()
            phase = .leaving
            guard transmit("bye", id: nil, { _ in }) == nil else {
                return end(Ending(code: nil, reason: "left", isWanted: true))
            }
            set(.goodbye, after: limits.goodbyeTimeout)
        default: return end(Ending(code: nil, reason: "left", isWanted: true))
        }
        await withCheckedContinuation { leavers.append($0) }
    }

    /// A new try: a token first, so that the server's time for `hello` isn't spent on it.
    func begin() {
        if case .ended = phase { return }
        connection += 1
        phase = .fetchingToken
        let number = connection
        let token = token
        Task { [weak self] in
            do {
                let text = try await token()
                await self?.dial(with: text, number)
            } catch {
                await self?.noToken(number)
            }
        }
    }

    private func noToken(_ number: Int) {
        guard number == connection, phase == .fetchingToken else { return }
        lose(code: nil, "no token to connect with")
    }

    private func dial(with token: String, _ number: Int) {
        guard number == connection, phase == .fetchingToken else { return }
        currentToken = token
        phase = .connecting
        set(.welcome, after: limits.welcomeTimeout)
        let inbox = Inbox(eventsMax: limits.inboxMax, bytesMax: limits.inboxBytesMax)
        do throws(SocketFailure) {
            socket = try connector.connect(to: url) { inbox.post($0) }
        } catch {
            return end(Ending(code: nil, reason: error.reason, isWanted: false))
        }
        self.inbox = inbox
        Task { [weak self] in
            while true {
                let events = await inbox.take()
                guard !events.isEmpty, let self else { return }
                await self.receive(events, number)
            }
        }
    }

    private func receive(_ events: [SocketEvent], _ number: Int) {
        for event in events {
            // Handling one may have given the connection up.
            guard number == connection, socket != nil else { return }
            switch event {
            case .opened:
                guard phase == .connecting else { continue }
                phase = .greeting
                sayHello()
            case .text(let text):
                heardAt = elapsed()
                text.withUnsafeBytes { receive($0) }
            case .closed(let code, let reason): closed(code, reason)
            case .failed(let reason): lose(code: nil, reason)
            }
        }
    }

    // Docs/Protocol.md, section 10. What is neither named there nor in 4500–4999 is the network, or a proxy.
    private func closed(_ code: UInt16, _ reason: String) {
        if phase == .leaving { return end(Ending(code: code, reason: "left", isWanted: true)) }
        switch code {
        case CloseCode.unsupportedData.rawValue, CloseCode.invalidText.rawValue, CloseCode.tooBig.rawValue,
            4_500..<5_000:
            end(Ending(code: code, reason: reason, isWanted: false))
        default: lose(code: code, reason.isEmpty ? "connection lost" : reason)
        }
    }

    /// The connection is of no use any more: comes back after a while.
    func lose(code: UInt16?, _ reason: String) {
        if case .ended = phase { return }
        if phase == .leaving { return end(Ending(code: code, reason: "left", isWanted: true)) }
        if let readySince, elapsed() - readySince >= limits.backoffMax { backoff.reset() }
        letGo()
        guard !buffer.isFull else {
            phase = .behind
            return tell(.disconnected(Disconnection(code: code, reason: reason, willRetryIn: nil, isFinal: false)))
        }
        phase = .waiting
        let wait = askedWait.map { min($0, limits.askedWaitMax) } ?? backoff.next(&generator)
        askedWait = nil
        set(.reconnect, after: wait)
        tell(.disconnected(Disconnection(code: code, reason: reason, willRetryIn: wait, isFinal: false)))
    }

    /// The session is over for good.
    func end(_ ending: Ending) {
        if case .ended = phase { return }
        letGo()
        phase = .ended(ending)
        for entry in outgoing.entries { outgoing.remove(entry.message.key)?(.failure(.ended(ending))) }
        tell(
            .disconnected(
                Disconnection(code: ending.code, reason: ending.reason, willRetryIn: nil, isFinal: true)))
        let leavers = leavers
        self.leavers = []
        for leaver in leavers { leaver.resume() }
    }

    private func letGo() {
        // First, so that nobody who is told below takes it for a session still.
        phase = .waiting
        connection += 1
        cancelAllAlarms()
        inbox?.finish()
        inbox = nil
        socket?.close(code: CloseCode.normal.rawValue, reason: "")
        socket = nil
        readySince = nil
        currentToken = ""
        isRefreshing = false
        isSendingPaused = false
        unacked = nil
        unackedCount = 0
        let waiting = outstanding
        outstanding = [:]
        for command in waiting.values { command.complete(.failure(.connectionLost)) }
    }
}
