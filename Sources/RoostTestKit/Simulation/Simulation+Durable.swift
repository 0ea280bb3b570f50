import RoostCore
import RoostWire

/// What is left after the process died: what the ledger has, and nothing else.
extension Simulation {
    /// How far a last-seen time may be off after a crash: the relay notes every 5 s that it is alive.
    private var seenTolerance: Int64 { 5_000 + Simulation.lateness + 2 * Int64(scenario.commitDelay) }

    /// A batch became durable: whoever wrote has read, whoever joined begins anew.
    func noteOwnMessages(_ batch: [Mutation], _ outcomes: [Outcome]) {
        var next = 0
        for case .append(let append) in batch {
            guard next < outcomes.count else { return }
            let outcome = outcomes[next]
            next += 1
            guard case .stored(_, let sequence, _) = outcome,
                let index = ledger.conversationsByNumber[append.conversation.value],
                let sender = ledger.users[append.sender.value]
            else { continue }
            // Of an event that isn't a message it is the last message before.
            let last = sequence.value
            switch append.change {
            case .create(_, _, _, let members), .add(let members):
                for member in members {
                    guard let user = ledger.users[member.user.value] else { continue }
                    users[user].read[index] = last...last
                    users[user].delivered[index] = last
                }
            case .remove(let gone): note(gone, leftFrom: index)
            case .leave(let gone, _): note([gone], leftFrom: index)
            case .erase: note([append.sender], leftFrom: index)
            default: break
            }
            guard append.kind == .message else { continue }
            let range = users[sender].read[index] ?? 0...0
            users[sender].read[index] =
                max(range.lowerBound, sequence.value)...max(range.upperBound, sequence.value)
        }
    }

    private func note(_ gone: [UserNumber], leftFrom conversation: Int) {
        for number in gone {
            guard let user = ledger.users[number.value] else { continue }
            users[user].left[conversation] = time
            // Who shares no conversation any more has stopped to watch.
            for connection in connections {
                let watcher = connection.device.user.index
                if watcher == user {
                    connection.watching = connection.watching.filter { ledger.share(user, $0) }
                } else if !ledger.share(watcher, user) {
                    connection.watching.remove(user)
                }
            }
        }
    }

    /// Every message for which a client got an `ok` is there.
    func checkLog() {
        for user in users {
            for intent in user.answered {
                guard let stored = intent.stored, let event = ledger.events[stored.position] else { continue }
                let conversation = ledger.conversations[event.conversation]
                guard !conversation.isErased else { continue }
                let number = ConversationNumber(conversation.number)
                let question = LatestRequest(messages: [(number, SequenceNumber(stored.sequence))])
                let found = log.answer(Read(ticket: 0, .latest(question))).events.first
                if found?.key != intent.key || found?.position.value != stored.position {
                    fail("\(intent.key) got ok at \(stored.position) and isn't in the log")
                }
            }
        }
    }

    /// A new relay knows what is durable.
    func forgetWhatWasNotDurable() {
        let durable = Set(ledger.devices.values.map { "\(users[$0.user].name)/\($0.name)" })
        for user in users {
            for device in user.devices {
                device.connection = nil
                device.current = nil
                device.linger = nil
                if !durable.contains(device.label) { device.base = nil }
            }
            forgetMarks(of: user)
            checkSeen(user)
            noteTruth(of: user)
        }
    }

    private func forgetMarks(of user: SimulatedUser) {
        for (conversation, range) in user.read {
            let mark = ledger.marks[Ledger.Pair(conversation, user.index)]
            user.read[conversation] = min(mark?.read ?? 0, range.upperBound)...range.upperBound
            user.delivered[conversation] = mark?.delivered ?? 0
        }
    }

    private func checkSeen(_ user: SimulatedUser) {
        let truth = user.truth == .offline ? user.lastSeen?.lowerBound : now.wall.milliseconds
        let grace = user.truth == .offline ? 0 : scenario.limits.graceMilliseconds
        guard let stored = ledger.lastSeen[user.index] else {
            user.lastSeen = nil
            if user.truth != .offline, time - user.truthSince > seenTolerance {
                fail("\(user.name) was online at the crash, and nothing of it is stored")
            }
            return
        }
        let told = stored.isOnline ? max(stored.time, ledger.aliveAt) : stored.time
        user.lastSeen = told == 0 ? nil : told...told
        guard let truth, time - user.truthSince > seenTolerance else { return }
        if told < truth - seenTolerance - grace || told > truth + seenTolerance + grace {
            fail("\(user.name) was seen \(truth) and will be told to have been seen \(told)")
        }
    }

    /// After a stop as it should be: cursors, watermarks and last-seen times are stored.
    func checkNothingLost() {
        for user in users {
            for (conversation, range) in user.read.sorted(by: { $0.key < $1.key }) {
                guard ledger.conversations[conversation].members[user.index] != nil, range.lowerBound > 0 else {
                    continue
                }
                let mark = ledger.marks[Ledger.Pair(conversation, user.index)]
                if mark?.read ?? 0 < range.lowerBound {
                    fail(
                        "\(user.name) has read \(range.lowerBound) of \(conversation), and \(mark?.read ?? 0) is stored"
                    )
                }
            }
            if ledger.lastSeen[user.index]?.isOnline == true { fail("\(user.name) is stored as online after a drain") }
        }
    }
}
