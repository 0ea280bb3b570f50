/// The client's timers: one of each kind, each a task that sleeps on the clock that was handed in.
extension RoostClient {
    enum Alarm: Hashable {
        /// The next try to connect.
        case reconnect
        /// No session came of a try.
        case welcome
        /// The token ends soon.
        case refresh
        /// The oldest command has waited long enough.
        case replies
        /// Acks have been gathered long enough.
        case acks
        /// Messages that were refused for now may be sent again.
        case outgoing
        /// Nothing came for a while.
        case quiet
        /// The server doesn't close after `bye`.
        case goodbye
    }

    /// A set alarm; the number tells it from an earlier one of its kind that rings late.
    struct Ring {
        var number: Int
        var task: Task<Void, Never>
    }

    /// Sets an alarm, in place of an earlier one of its kind.
    func set(_ alarm: Alarm, after wait: Duration) {
        rings += 1
        let number = rings
        let sleep = sleep
        let task = Task.detached { [weak self] in
            do { try await sleep(max(wait, .zero)) } catch { return }
            await self?.rang(alarm, number)
        }
        alarms.updateValue(Ring(number: number, task: task), forKey: alarm)?.task.cancel()
    }

    func cancel(_ alarm: Alarm) { alarms.removeValue(forKey: alarm)?.task.cancel() }

    func cancelAllAlarms() {
        for ring in alarms.values { ring.task.cancel() }
        alarms.removeAll()
    }

    private func rang(_ alarm: Alarm, _ number: Int) {
        guard alarms[alarm]?.number == number else { return }
        alarms[alarm] = nil
        switch alarm {
        case .reconnect: begin()
        case .welcome: lose(code: nil, "no welcome in time")
        case .refresh: refreshToken()
        case .replies: giveUpWaiting()
        case .acks: sendAck()
        case .outgoing: resumeSending()
        case .quiet: askForLife()
        case .goodbye: end(Ending(code: nil, reason: "left", isWanted: true))
        }
    }
}
