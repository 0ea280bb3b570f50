import RoostWire

/// What is looked at when the load is over: whether all has arrived, and whether the relay counts as the harness does.
extension Crowd {
    /// Whether everybody is connected and has all that was acked.
    var isSettled: Bool {
        readyCount == devices.count && acksDue.isEmpty && devices.allSatisfy { $0.pendingCount == 0 }
            && ledger.isComplete && signals.missedSignals == 0
    }

    /// What is still missing is lost.
    func judgeDeliveries() {
        for device in devices {
            if device.isReady { judgeUnanswered(device) }
        }
        ledger.finish()
        faults.merge(with: ledger.faults)
        faults.merge(with: signals.faults)
        counts.missedSignals = UInt64(signals.missedSignals)
    }

    /// A connection that lives owes a reply to every `send`.
    private func judgeUnanswered(_ device: Device) {
        for command in device.pending[device.pendingHead...] {
            guard case .message(let message) = command.purpose else { continue }
            note(.lost, "device \(device.index): message \(message.number) of its place was never answered")
        }
    }

    func judgePeople(at now: UInt64) {
        presence.sweep(now)
        typing.sweep(now)
        faults.merge(with: presence.faults)
        faults.merge(with: typing.faults)
        faults.merge(with: unread.faults)
    }

    // MARK: Unread counts

    /// Asks some users' first devices for their conversations.
    func askForUnread() {
        let step = max(1, scenario.users / HarnessLimits.unreadChecks)
        for user in stride(from: 0, to: scenario.users, by: step) {
            guard let device = devices(ofUser: user).first, device.isReady, !device.places.all.isEmpty else { continue }
            listsAwaited += 1
            let id = device.expectReply(.list)
            device.send("conversation.list") { frame in
                frame.member("id", Int64(id))
                frame.member("limit", 100)
            }
        }
    }

    /// Whether a message of the user's may be stored whose device has not been told so: by no answer, or not yet.
    private func hasOpenMessage(_ user: Int) -> Bool {
        devices(ofUser: user).contains { device in
            !device.unanswered.isEmpty
                || device.pending[device.pendingHead...].contains {
                    if case .message = $0.purpose { true } else { false }
                }
        }
    }

    /// One of the user's own devices is told by a receipt, while messages and reads are on their way.
    func sawUnread(_ count: Int, read: Int, by device: Device, at place: Int) {
        unread.shown(
            reader(at: place), unread: count, read: read, seen: places[place].newest,
            possible: ledger.attempts(in: Int(places[place].room)), isOpen: hasOpenMessage(device.user))
    }

    func listed(_ reply: JSONValue?, by device: Device) {
        listsAwaited -= 1
        for shown in reply?["conversations"]?.elements ?? [] {
            guard let name = shown["conversation"]?.string, let count = shown["unread"]?.integer,
                let last = shown["sequence"]?.integer,
                let place = device.places.place(Array(name.utf8).withUnsafeBytes(\.nameHash))
            else { continue }
            unread.settled(
                reader(at: place), unread: Int(count), last: Int(last), isOpen: hasOpenMessage(device.user))
        }
    }
}
