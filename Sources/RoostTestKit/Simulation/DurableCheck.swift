import RoostCore
import RoostWire

/// Checks what outlives the process: what was acked is in the log, and a new relay knows what is durable. It brings
/// what people believe back to what the ledger has when the rest was lost.
final class DurableCheck {
    private let world: World
    private let ledger: Ledger
    private let people: People
    private let host: SimulatedHost

    init(_ world: World, _ ledger: Ledger, _ people: People, _ host: SimulatedHost) {
        self.world = world
        self.ledger = ledger
        self.people = people
        self.host = host
    }

    /// Largest error of a last-seen time after a crash: the relay notes every 5 s that it is alive. After a failure of
    /// the store, nothing is noted any more.
    private var seenTolerance: Int64 {
        let failing = world.failedAt.map { world.time - $0 } ?? 0
        return 5_000 + World.lateness + 2 * Int64(world.day.commitDelay) + failing
    }

    /// A batch became durable: authors have read their own messages, and new members begin anew.
    func noteCommitted(_ batch: [Mutation], _ outcomes: [Outcome]) {
        for violation in host.store.takeViolations() + ledger.takeViolations() { world.fail(violation) }
        var next = 0
        for case .append(let append) in batch {
            guard next < outcomes.count else { return }
            let outcome = outcomes[next]
            next += 1
            guard case .stored(_, let sequence, _) = outcome,
                let index = ledger.conversationsByNumber[append.conversation.value],
                let sender = ledger.users[append.sender.value]
            else { continue }
            checkGate(append, in: index, by: sender)
            if world.hasGate { noteMeeting(in: ledger.conversations[index]) }
            switch append.change {
            case .create(_, _, _, let members), .add(let members):
                for member in members {
                    guard let user = ledger.users[member.user.value] else { continue }
                    people.users[user].read[index] = 0...0
                    people.users[user].delivered[index] = 0
                    people.readTimes[Ledger.Pair(index, user)] = ReadTimes(since: world.time)
                }
            case .remove(let gone): note(gone, leftFrom: index)
            case .leave(let gone, _): note([gone], leftFrom: index)
            case .erase: note([append.sender], leftFrom: index)
            default: break
            }
            guard append.kind == .message, !append.flag else { continue }
            people.readTimes[Ledger.Pair(index, sender), default: ReadTimes()].note(
                sequence.value, at: append.time.milliseconds)
            let range = people.users[sender].read[index] ?? 0...0
            people.users[sender].read[index] =
                max(range.lowerBound, sequence.value)...max(range.upperBound, sequence.value)
        }
    }

    /// The two of a direct conversation know each other from now on, unless one waits for the other to accept it.
    private func noteMeeting(in conversation: ConversationTruth) {
        let pair = Array(conversation.generations.keys)
        guard conversation.kind == .direct, pair.count == 2, !conversation.isWaiting else { return }
        people.acquaintances.noteConversation(pair[0], pair[1])
    }

    /// Fails if a user has reached an unknown user: by a direct conversation that doesn't wait to be accepted, or by a
    /// group.
    private func checkGate(_ append: Append, in conversation: Int, by sender: Int) {
        guard world.hasGate else { return }
        if append.kind == .conversation, append.flag { return checkRequest(append, by: sender) }
        let reached: [NewMember] =
            switch append.change {
            case .create(_, _, _, let members): members
            case .add(let members) where ledger.conversations[conversation].kind == .group: members
            default: []
            }
        for member in reached {
            guard let user = ledger.users[member.user.value], user != sender else { continue }
            let delay = World.lateness + 2 * Int64(world.day.commitDelay)
            // A user who opens a contact's link meets the gate's condition.
            if people.acquaintances.hasFollowed(sender, user) { continue }
            if !people.acquaintances.knewEachOther(user, sender, at: append.time.milliseconds, within: delay) {
                world.fail("u\(sender) reaches u\(user), whom it doesn't know")
            }
        }
    }

    /// Fails if a conversation waits to be accepted that the gate lets pass, or if its sender has sent too many.
    private func checkRequest(_ append: Append, by sender: Int) {
        guard world.takesRequests, case .create(_, _, _, let members) = append.change else {
            return world.fail("u\(sender) waits for somebody where nobody has to")
        }
        for user in members.compactMap({ ledger.users[$0.user.value] }) where user != sender {
            let time = append.time.milliseconds
            if people.acquaintances.wereContacts(user, sender, at: time, for: World.lateness) {
                world.fail("u\(sender) waits for u\(user), who is a contact")
            }
        }
        if ledger.requestsSent(by: sender) > world.day.limits.requestsPerUser {
            world.fail("u\(sender) waits for \(ledger.requestsSent(by: sender)) strangers")
        }
    }

    private func note(_ gone: [UserNumber], leftFrom conversation: Int) {
        for number in gone {
            guard let user = ledger.users[number.value] else { continue }
            people.users[user].left[conversation] = world.time
            // Users who share no conversation any more no longer watch each other.
            for connection in host.connections {
                let watcher = connection.device.user.index
                if watcher == user {
                    connection.belief.watching = connection.belief.watching.filter { ledger.share(user, $0) }
                } else if !ledger.share(watcher, user) {
                    connection.belief.watching.remove(user)
                }
            }
        }
    }

    /// Fails if a message that got an `ok` isn't in the log.
    func checkLog() {
        for user in people.users {
            for intent in user.answered {
                guard let stored = intent.stored, let event = ledger.events[stored.position] else { continue }
                let conversation = ledger.conversations[event.conversation]
                guard !conversation.isErased else { continue }
                let number = ConversationNumber(conversation.number)
                let question = LatestRequest(messages: [(number, SequenceNumber(stored.sequence))])
                let found = host.store.answer(Read(ticket: 0, .latest(question))).events.first
                // The store keeps no key of a deleted user.
                let isWithoutKey = found?.key != intent.key && !ledger.deleted.contains(user.index)
                if isWithoutKey || found?.position.value != stored.position {
                    world.fail("\(intent.key) got ok at \(stored.position) and isn't in the log")
                }
            }
        }
    }

    /// Sets people back to what is durable, as a new relay knows it.
    /// - Parameter isComplete: the old relay stored everything before it ended.
    func forgetWhatWasNotDurable(isComplete: Bool) {
        let durable = Set(ledger.devices.values.map { "\(people.users[$0.user].name)/\($0.name)" })
        for user in people.users {
            people.noteTruth(of: user)
            let seen = user.isHere ? world.now.wall.milliseconds : user.lastSeen?.lowerBound
            for device in user.devices {
                forget(device, isDurable: durable.contains(device.label), isComplete: isComplete)
            }
            forgetMarks(of: user)
            checkSeen(user, seen)
            user.ghost = nil
            checkStatus(user)
            checkPrivacy(user)
        }
        for mistake in people.checkPromises(ledger) { world.fail(mistake) }
        people.acquaintances.restart(
            with: ledger.contacts, withheld: ledger.hiddenContacts.withheld, linked: ledger.hiddenContacts.linked,
            at: world.now.wall.milliseconds)
        // Also by one that became durable in the crash.
        for conversation in ledger.conversations { noteMeeting(in: conversation) }
    }

    private func forget(_ device: SimulatedDevice, isDurable: Bool, isComplete: Bool) {
        let since = isComplete ? world.fullAt : max(world.fullAt, world.startedAt, device.changedAt)
        if !isDurable {
            device.base = nil
            device.end = nil
            device.isEndKnown = true
        } else if world.time - since <= seenTolerance {
            device.isEndKnown = false
        } else if device.connection != nil {
            device.end = StoredEnd(.restart, at: .never)
            device.isEndKnown = true
        }
        device.connection = nil
        device.current = nil
        device.linger = nil
    }

    private func forgetMarks(of user: SimulatedUser) {
        for conversation in ledger.conversations {
            let index = conversation.index
            guard user.read[index] != nil || conversation.members[user.index] != nil else { continue }
            let mark = ledger.marks[Ledger.Pair(index, user.index)]
            // The author of a message has read up to it, also if it became durable in the crash.
            let own = conversation.messages.lastIndex { $0.sender == user.index && $0.isReading } ?? -1
            let most = max(user.read[index]?.upperBound ?? 0, Int64(own) + 1)
            user.read[index] = min(mark?.read ?? 0, most)...most
            user.delivered[index] = mark?.delivered ?? 0
            people.readTimes[Ledger.Pair(index, user.index), default: ReadTimes()].restart(from: mark?.read ?? 0)
        }
    }

    /// Fails if it isn't stored when the user was last here, or how the user is.
    private func checkSeen(_ user: SimulatedUser, _ truth: Int64?) {
        let isCurrent = world.time - max(world.fullAt, world.startedAt, user.truthSince) > seenTolerance
        guard let stored = ledger.presence[user.index] else {
            user.lastSeen = nil
            if user.truth != .offline, isCurrent {
                world.fail("\(user.name) was \(user.truth) at the crash, and nothing of it is stored")
            }
            return
        }
        let seen = stored.lastSeen.milliseconds
        let told = stored.isHere ? max(seen, ledger.aliveAt) : seen
        user.lastSeen = told == 0 ? nil : told...told
        guard !people.isForgetting(user), isCurrent else { return }
        let isSame =
            user.choice == .auto
            ? "\(stored.state.word)" == user.truth.rawValue : (stored.state == .offline) == (user.truth == .offline)
        if !isSame {
            world.fail("\(user.name) was \(user.truth), and is stored as \(stored.state)")
        }
        guard world.time - user.hereSince > seenTolerance else { return }
        if let truth, abs(told - truth) > seenTolerance {
            world.fail("\(user.name) was seen \(truth) and will be told to have been seen \(told)")
        }
    }

    /// Fails if it isn't stored how the user wants to be shown, and goes back to what is.
    private func checkStatus(_ user: SimulatedUser) {
        let stored = ledger.status[user.index] ?? StoredStatus()
        let truth = StoredStatus(user.choice, text: user.text, toldText: user.toldText)
        let since = max(world.fullAt, user.statusSince, user.textSince)
        if stored != truth, user.index != people.deleted, world.time - since > seenTolerance {
            world.fail("\(user.name) wants to be shown as \(truth), and \(stored) is stored")
        }
        if user.choice != stored.choice { user.statusSince = world.time }
        people.noteVisible(user, stored.choice)
        user.choice = stored.choice
        user.text = stored.text
        people.noteTold(stored.toldText, of: user)
    }

    /// Fails if the user's privacy settings aren't stored, and returns to the stored ones.
    private func checkPrivacy(_ user: SimulatedUser) {
        var stored = Secrecy()
        stored.settings = ledger.privacy[user.index] ?? PrivacySettings()
        for (pair, exception) in ledger.exceptions where pair.one == user.index {
            stored.exceptions[pair.other] = exception
        }
        stored.since = user.secrecy.since
        let isSame = stored.settings == user.secrecy.settings && stored.exceptions == user.secrecy.exceptions
        let isNew = world.time - max(world.fullAt, user.secrecy.since) <= seenTolerance
        if !isSame, !isNew, people.deleted == nil {
            world.fail("\(user.name) tells \(user.secrecy), and \(stored) is stored")
        }
        if !isSame { stored.since = world.time }
        user.secrecy = stored
        people.noteBlocks(of: user)
    }

    /// A new relay shows all users as before, for the grace. Users who haven't been seen for too long are offline.
    func raiseGhosts() {
        world.startedAt = world.time
        world.failedAt = nil
        for user in people.users {
            let oldest = world.now.wall.milliseconds - world.day.limits.downMilliseconds
            let isRecent = user.lastSeen.map { $0.lowerBound >= oldest } ?? false
            people.haunt(user, as: isRecent ? ledger.presence[user.index]?.state ?? .offline : .offline)
        }
    }

    /// Fails if a clean stop didn't store watermarks and last-seen times.
    func checkNothingLost() {
        for user in people.users {
            for (conversation, range) in user.read.sorted(by: { $0.key < $1.key }) {
                guard ledger.conversations[conversation].members[user.index] != nil, range.lowerBound > 0 else {
                    continue
                }
                let mark = ledger.marks[Ledger.Pair(conversation, user.index)]
                if mark?.read ?? 0 < range.lowerBound {
                    world.fail(
                        "\(user.name) has read \(range.lowerBound) of \(conversation), and \(mark?.read ?? 0) is stored"
                    )
                }
            }
        }
    }
}
