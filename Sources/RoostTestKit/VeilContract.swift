import RoostCore
import RoostWire

/// The promises of both stores about events withheld from the one of two users who has blocked the other. It keeps
/// nothing.
enum VeilContract {
    private static let direct = ConversationNumber(1)
    private static let (blocker, blocked) = (UserNumber(1), UserNumber(2))

    private static func open(_ store: StoreDriver, by user: Int32, _ change: ConversationChange) -> Append {
        var event = store.change(1, by: user, change)
        event.purpose = .opening
        return event
    }

    private static func creation(_ store: StoreDriver, by user: Int32) -> Append {
        let both = [NewMember(blocker, .member), NewMember(blocked, .member)]
        return open(store, by: user, .create(id: "d1", kind: .direct, name: "", members: both))
    }

    private static func withheld(_ event: Append) -> Append {
        var event = event
        event.withheldFrom = blocker
        return event
    }

    /// The conversation ends for the blocker before the first event that is withheld, until one comes that isn't; what
    /// was withheld isn't unread and can't be named by the blocker, and an edit is judged like a message.
    @Sendable static func veils(_ store: inout StoreDriver) throws {
        _ = try store.commit([creation(store, by: 1), store.message(1, by: 2, "before")])
        try store.goOn()
        let before = try store.load().conversations[0]
        var edit = store.event(.edit, 1, by: 2, of: 1, "worse")
        edit.reference = SequenceNumber(1)
        _ = try store.commit([
            withheld(store.event(.react, 1, by: 2, of: 1, "x")), withheld(store.message(1, by: 2, "one")),
            withheld(store.message(1, by: 2, "two")),
            withheld(store.change(1, by: 2, .pin(SequenceNumber(2)))), withheld(edit),
        ])
        let veil = Veil(blocker, after: SequenceNumber(1), before.lastPosition, before.lastTime)
        try StoreContract.expect(try store.load().conversations[0].veil, veil)
        try store.goOn()
        try StoreContract.expect(try store.load().conversations[0].veil, veil)
        try StoreContract.expect(
            try store.history(1).map { $0.isWithheld(from: blocker) }, [true, true, true])
        try StoreContract.expect(try store.history(1).map { $0.isWithheld(from: blocked) }, [false, false, false])
        try StoreContract.expect(try store.load().conversations[0].pins.map(\.hiddenFrom), [blocker])
        let missing = Outcome.refused(.notFound)
        try StoreContract.expect(
            try store.commit([
                store.reply(1, by: 1, to: 2), store.event(.react, 1, by: 1, of: 3, "x"),
                store.change(1, by: 1, .pin(SequenceNumber(3))),
            ]), [missing, missing, missing])
        // An edit that comes after the block shows its message.
        var again = store.event(.edit, 1, by: 2, of: 1, "better")
        again.reference = SequenceNumber(1)
        _ = try store.commit([again, store.message(1, by: 2, "after")])
        try store.goOn()
        try StoreContract.expect(try store.load().conversations[0].veil, nil)
        try StoreContract.expect(
            try store.history(1).map { $0.isWithheld(from: blocker) }, [false, true, true, false])
        let mark = try store.load().members.first { $0.user == blocker }?.watermark
        try StoreContract.expect(mark?.own.text ?? "", "2-3")
        // The same text again is no change, whether or not there is a block.
        try StoreContract.expect(try store.commit([withheld(again)]), [.unchanged])
    }

    /// A conversation that a blocked user opens begins for the blocker with the first event that isn't withheld.
    @Sendable static func hiddenConversations(_ store: inout StoreDriver) throws {
        _ = try store.commit([withheld(creation(store, by: 2)), withheld(store.message(1, by: 2, "one"))])
        try store.goOn()
        let snapshot = try store.load()
        let member = snapshot.members.first { $0.user == blocker }
        try StoreContract.expect(
            snapshot.conversations[0].veil?.hidesAll(since: member?.joinedAt ?? .start) ?? false, true)
        // The blocker opens it, which the other one doesn't see.
        var opening = open(store, by: 1, .add([NewMember(blocker, .member, since: NewMember.fromNow)]))
        opening.withheldFrom = blocked
        let outcomes = try store.commit([opening, opening])
        guard case .stored(let position, _, _) = outcomes.first else {
            throw StoreContract.Violation(description: "the blocker could not open the conversation: \(outcomes)")
        }
        try StoreContract.expect(outcomes[1], .unchanged)
        try store.goOn()
        let joined = try store.load().members.first { $0.user == blocker }
        try StoreContract.expect(joined?.joinedAt, position)
        try StoreContract.expect(joined.map { [$0.since.value, $0.joinedAfter.value] }, [1, 1])
        try StoreContract.expect(try store.load().conversations[0].veil?.user, blocked)
        _ = try store.commit([store.message(1, by: 1, "two")])
        try StoreContract.expect(try store.load().conversations[0].veil, nil)
    }

    /// Reactions, pins and unpins of the blocked user never reach the blocker, then or later, and each of the two keeps
    /// its own pins.
    @Sendable static func keptApart(_ store: inout StoreDriver) throws {
        func event(_ event: Append) -> Append {
            var event = event
            event.peer = event.sender == blocker ? blocked : blocker
            return event
        }
        func react(by user: Int32, _ text: String, to sequence: Int64 = 1, takesBack: Bool = false) -> Append {
            var react = event(store.event(.react, 1, by: user, of: sequence, text))
            react.flag = takesBack
            return react
        }
        func pin(_ sequence: Int64, by user: Int32) -> Append {
            event(store.change(1, by: user, .pin(SequenceNumber(sequence))))
        }
        func unpin(_ sequence: Int64, by user: Int32) -> Append {
            event(store.change(1, by: user, .unpin(SequenceNumber(sequence))))
        }
        func isWithheld(_ outcomes: [Outcome]) -> [Bool] { outcomes.map(\.isWithheld) }
        func reply(by user: Int32) -> Append {
            var reply = store.message(1, by: user, "reply")
            reply.extras = Extras(thread: SequenceNumber(1))
            return reply
        }
        _ = try store.commit([creation(store, by: 1)] + (1...3).map { store.message(1, by: 1, "m\($0)") })
        _ = try store.commit([pin(1, by: 1), react(by: 2, "seen"), reply(by: 2)])
        _ = try store.commit([
            withheld(react(by: 2, "x")), withheld(pin(2, by: 2)), withheld(unpin(1, by: 2)), withheld(reply(by: 2)),
        ])
        try store.goOn()
        for (reader, reactions, replies) in [(blocker, ["seen"], 1), (blocked, ["seen", "x"], 2)] {
            let request = HistoryRequest(
                conversation: direct, reader: reader, after: .none, before: SequenceNumber(2), isNewest: false, rows: 9,
                bytes: 1 << 20)
            let first = try store.history(request).events.first
            try StoreContract.expect(first?.reactions.map(\.reaction).sorted() ?? [], reactions)
            try StoreContract.expect(first?.replies?.count, replies)
        }
        func pins(of user: UserNumber) throws -> [Int64] {
            try store.load().conversations[0].pins.filter { $0.hiddenFrom != user }.map(\.sequence.value).sorted()
        }
        try StoreContract.expect([try pins(of: blocker), try pins(of: blocked)], [[1], [2]])
        // After the block: pins of one of them alone are withheld from the other.
        try StoreContract.expect(
            isWithheld(try store.commit([pin(2, by: 1), pin(2, by: 1), unpin(1, by: 1), unpin(1, by: 1)])),
            [true, false, true, false])
        try StoreContract.expect([try pins(of: blocker), try pins(of: blocked)], [[2], [2]])
        try StoreContract.expect(
            isWithheld(
                try store.commit([
                    pin(5, by: 2), react(by: 2, "y", to: 5), react(by: 2, "x", takesBack: true), react(by: 2, "x"),
                ])), [true, true, true, false])
        try store.goOn()
        try StoreContract.expect([try pins(of: blocker), try pins(of: blocked)], [[2], [2, 5]])
        // A reaction taken back meanwhile is gone for both.
        _ = try store.commit([withheld(react(by: 2, "seen", takesBack: true))])
        let page = HistoryRequest(
            conversation: direct, reader: blocker, after: .none, before: SequenceNumber(2), isNewest: false, rows: 9,
            bytes: 1 << 20)
        try StoreContract.expect(try store.history(page).events.first?.reactions.map(\.reaction) ?? [], ["x"])
    }

    /// A full list of one of them is none of the other's, and together they have a bound.
    @Sendable static func boundOfPins(_ store: inout StoreDriver) throws {
        let most = Int64(Limits().pinsPerConversation)
        func change(_ change: ConversationChange, by user: Int32) -> Append {
            var event = store.change(1, by: user, change)
            event.peer = user == blocker.value ? blocked : blocker
            return event
        }
        _ = try store.commit([creation(store, by: 1)])
        _ = try store.commit((1...3 * most).map { store.message(1, by: 1, "m\($0)") })
        let pin = { (sequence: Int64) in ConversationChange.pin(SequenceNumber(sequence)) }
        let unpin = { (sequence: Int64) in ConversationChange.unpin(SequenceNumber(sequence)) }
        _ = try store.commit((1...most).map { withheld(change(pin($0), by: 2)) })
        try StoreContract.expect(
            try store.commit([withheld(change(pin(most + 1), by: 2)), change(pin(most + 1), by: 1)]).map {
                $0 == .refused(.tooLarge)
            }, [true, false])
        _ = try store.commit((1...most).map { change(unpin($0), by: 2) })
        // Pins that the blocked one takes back stay for the blocker, up to the bound.
        _ = try store.commit((most + 2...2 * most).map { change(pin($0), by: 1) })
        _ = try store.commit((most + 1...2 * most).map { withheld(change(unpin($0), by: 2)) })
        try StoreContract.expect(try store.load().conversations[0].pins.count, Int(most))
        _ = try store.commit((2 * most + 1...3 * most).map { change(pin($0), by: 2) })
        _ = try store.commit((2 * most + 1...3 * most).map { withheld(change(unpin($0), by: 2)) })
        try store.goOn()
        let pins = try store.load().conversations[0].pins
        try StoreContract.expect(pins.map(\.hiddenFrom), Array(repeating: blocked, count: Int(most)))
    }
}
