import RoostCore
import RoostWire

/// What both stores promise of what is withheld from the one of two users who has blocked the other. It keeps nothing.
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
        try StoreContract.expect(try store.load().conversations[0].pins.map(\.isWithheld), [true])
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

    /// What a blocked user opens begins for the blocker with the first event that isn't withheld.
    @Sendable static func hiddenConversations(_ store: inout StoreDriver) throws {
        _ = try store.commit([withheld(creation(store, by: 2)), withheld(store.message(1, by: 2, "one"))])
        try store.goOn()
        let snapshot = try store.load()
        let member = snapshot.members.first { $0.user == blocker }
        try StoreContract.expect(
            snapshot.conversations[0].veil?.hidesAll(since: member?.joinedAt ?? .start) ?? false, true)
        // The blocker opens it, which the other one isn't told.
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
}
