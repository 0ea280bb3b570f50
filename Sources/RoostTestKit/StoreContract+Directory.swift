import RoostCore
import RoostWire

// MARK: Directory

extension StoreContract {
    private static let hidden = StoredStatus(.invisible, text: "In a café", toldText: "At work", until: time(9_000))

    @Sendable static func directory(_ store: inout StoreDriver) throws {
        try store.apply([
            .user(UserNumber(1), name: "alice"), .user(UserNumber(2), name: "bob"),
            .device(DeviceNumber(1), user: UserNumber(1), name: "phone", cursor: .start),
            .device(DeviceNumber(2), user: UserNumber(2), name: "tablet", cursor: at(4)),
            .device(DeviceNumber(3), user: UserNumber(2), name: "watch", cursor: at(4)),
            .end(DeviceNumber(1), StoredEnd(.cut, at: time(8))), .end(DeviceNumber(3), StoredEnd(.bye, at: time(9))),
        ])
        try store.goOn()
        try store.apply([
            .cursor(DeviceNumber(1), at(9)), .forgetDevice(DeviceNumber(2)), .end(DeviceNumber(1), nil),
            .presence(UserNumber(2), StoredPresence(.away, isHere: true, lastSeen: time(5))), .alive(time(77)),
            .status(UserNumber(2), hidden),
            .privacy(UserNumber(1), PrivacySettings(.everyone, .coarse, .nobody)),
            .exception(UserNumber(1), of: UserNumber(2), .never), .exception(UserNumber(2), of: UserNumber(1), .always),
            .exception(UserNumber(2), of: UserNumber(3), .never),
            .profile(UserNumber(1), profile(1, "Ann")), .profile(UserNumber(2), profile(1, "Bob")),
            .revoke(UserNumber(2), device: nil, time(70)),
            .revoke(UserNumber(1), device: "phone", time(60)),
            .revoke(UserNumber(1), device: "phone", time(80)),
            .revoke(UserNumber(1), device: nil, time(50)),
            .endSignIn("s-2", until: time(90)), .endSignIn("s-1", until: time(91)), .endSignIn("s-2", until: time(92)),
            .endSignIn("s-3", until: time(89)), .forgetSignIns(upTo: time(89)),
            .feedCursor("search", at(3)), .feedCursor("push", at(5)), .feedCursor("old", at(9)),
            .feedCursor("push", at(6)), .feedCursor("old", nil),
            .exception(UserNumber(2), of: UserNumber(1), .blockedOverAlways),
            .exception(UserNumber(1), of: UserNumber(2), nil),
            .profile(UserNumber(1), profile(2, "Änn")), .profile(UserNumber(2), .tombstone(version: 2)),
        ])
        try store.goOn()
        let snapshot = try store.load()
        try expect(snapshot.users.map(\.name), ["alice", "bob"])
        try expect(
            snapshot.users.map(\.privacy), [PrivacySettings(.everyone, .coarse, .nobody), PrivacySettings()])
        try expect(
            snapshot.exceptions,
            [
                Snapshot.Exception(UserNumber(2), of: UserNumber(1), .blockedOverAlways),
                Snapshot.Exception(UserNumber(2), of: UserNumber(3), .never),
            ])
        try expect(
            snapshot.profiles,
            [
                Snapshot.Profile(UserNumber(1), profile(2, "Änn")),
                Snapshot.Profile(UserNumber(2), .tombstone(version: 2)),
            ])
        try expect(
            snapshot.revocations,
            [
                Snapshot.Revocation(UserNumber(1), device: nil, time(50)),
                Snapshot.Revocation(UserNumber(1), device: "phone", time(80)),
                Snapshot.Revocation(UserNumber(2), device: nil, time(70)),
            ])
        try expect(
            snapshot.feedCursors, [Snapshot.FeedCursor("push", at(6)), Snapshot.FeedCursor("search", at(3))])
        try expect(
            snapshot.endedSignIns,
            [Snapshot.EndedSignIn("s-1", until: time(91)), Snapshot.EndedSignIn("s-2", until: time(92))])
        try expect(
            snapshot.users.map(\.status), [StoredStatus(), hidden])
        try expect(
            snapshot.users.map(\.presence), [StoredPresence(), StoredPresence(.away, isHere: true, lastSeen: time(5))])
        try expect(snapshot.devices.map(\.name), ["phone", "watch"])
        try expect(snapshot.devices.map(\.cursor), [at(9), at(4)])
        try expect(snapshot.devices.map(\.user), [UserNumber(1), UserNumber(2)])
        try expect(snapshot.devices.map(\.ended), [nil, StoredEnd(.bye, at: time(9))])
        try expect(snapshot.aliveAt, time(77))
    }

    private static func profile(_ version: Int64, _ name: String) -> StoredProfile {
        var profile = StoredProfile(version: version)
        (profile.name, profile.username, profile.photo) = (name, "ann_1", "photos/1?\(version)")
        (profile.bio, profile.role, profile.tier) = ("Line 1\nline 2", "trainer", "gold")
        return profile
    }

    /// A number that is in use or was leased before is never leased. Outcomes of leases come behind a batch's other
    /// outcomes.
    @Sendable static func leases(_ store: inout StoreDriver) throws {
        try store.apply([
            .user(UserNumber(7), name: "alice"),
            .device(DeviceNumber(3), user: UserNumber(7), name: "phone", cursor: .start),
        ])
        try store.create(5, members: [7])
        try store.goOn()
        let first = try store.load().leases
        let above = (first.users.lowerBound > 7, first.devices.lowerBound > 3, first.conversations.lowerBound > 5)
        try expect(above.0 && above.1 && above.2, true)
        let outcomes = try store.commit([
            .lease(.user), .append(store.message(5, by: 7, "a")), .lease(.conversation), .lease(.user),
        ])
        try expect(outcomes.count, 4)
        try expect(outcomes.first, .stored(at(2), SequenceNumber(1)))
        let kinds: [NumberKind] = [.user, .conversation, .user]
        var given = [NumberKind.user: [first.users], .conversation: [first.conversations]]
        for (kind, outcome) in zip(kinds, outcomes.dropFirst()) {
            guard case .leased(kind, let numbers) = outcome else {
                throw Violation(description: "a lease was answered by \(outcome)")
            }
            try expect(numbers.isEmpty, false)
            try expect(given[kind]?.contains { $0.overlaps(numbers) }, false)
            given[kind]?.append(numbers)
        }
        let used = first.users.lowerBound
        try store.apply([.user(UserNumber(used), name: "bob")])
        try store.goOn()
        try expect(try store.load().leases.users.contains(used), false)
    }

    /// A new member has read nothing, and earlier messages don't count as unread. The author of a message has read what
    /// was before.
    @Sendable static func joining(_ store: inout StoreDriver) throws {
        try store.create(1, members: [1])
        _ = try store.commit([
            store.message(1, by: 1, "a"), store.message(1, by: 1, "b"),
            store.change(1, by: 1, .add([NewMember(UserNumber(2), .member)])), store.message(1, by: 1, "c"),
        ])
        try store.goOn()
        let found = try store.load().members
        try expect(found.map(\.watermark.read.value), [3, 0])
        try expect(found.map(\.watermark.delivered.value), [3, 0])
        try expect(found.map(\.joinedAfter.value), [0, 2])
    }

    /// A group's title and the like, and the time of its creation.
    @Sendable static func appearance(_ store: inout StoreDriver) throws {
        let creation = store.creation(1, members: [1])
        _ = try store.commit([creation, store.message(1, by: 1, "a")])
        try expect(try store.load().conversations.map(\.photo), [""])
        _ = try store.commit([
            store.change(1, by: 1, .describe(photo: "p", description: "d")),
            store.change(1, by: 1, .describe(photo: nil, description: "e")),
        ])
        try store.goOn()
        var found = try store.load().conversations
        try expect(found.map(\.photo), ["p"])
        try expect(found.map(\.description), ["e"])
        try expect(found.map(\.createdAt), [creation.time])
        _ = try store.commit([store.change(1, by: 1, .describe(photo: "", description: nil))])
        try store.goOn()
        found = try store.load().conversations
        try expect(found.map(\.photo), [""])
        try expect(found.map(\.description), ["e"])
        try expect(found.map(\.name), ["g1"])
    }

    @Sendable static func members(_ store: inout StoreDriver) throws {
        try store.create(1, members: [3, 1, 2])
        var mark = Watermark()
        mark.delivered = SequenceNumber(4)
        mark.deliveredAt = time(1)
        mark.read = SequenceNumber(3)
        mark.readAt = time(2)
        for sequence in [1, 3] as [Int64] { mark.marked.insert(SequenceNumber(sequence)) }
        try store.apply([.watermark(ConversationNumber(1), UserNumber(1), mark)])
        _ = try store.commit([
            store.change(1, by: 3, .remove([UserNumber(2)])),
            store.change(1, by: 3, .roles([NewMember(UserNumber(1), .admin)])),
            store.change(1, by: 3, .add([NewMember(UserNumber(4), .member, since: SequenceNumber(7))])),
            store.change(1, by: 3, .leave(UserNumber(3), heir: UserNumber(1))),
        ])
        // Neither has an effect: one user has left, and the other's change depends on an event that isn't stored.
        try store.apply([.watermark(ConversationNumber(1), UserNumber(2), mark)])
        var unstored = store.reply(1, by: 1, to: 99)
        unstored.change = .remove([UserNumber(1)])
        try expect(try store.commit([unstored]), [.refused(.notFound)])
        // No mark is beyond the last message. The author of these is no member.
        _ = try store.commit((1...7).map { store.message(1, by: 9, "\($0)") })
        try store.goOn()
        var found = try store.load().members
        try expect(found.map(\.user.value), [3, 1, 2, 4])
        try expect(found.map(\.role), [nil, .owner, nil, .member])
        try expect(found.map(\.joinedAt.value), [1, 1, 1, 4])
        try expect(found.map(\.leftAt.value), [5, 0, 2, 0])
        try expect(found.map(\.since.value), [0, 0, 0, 7])
        try expect(found.map(\.watermark), [Watermark(), mark, Watermark(), Watermark()])
        _ = try store.commit([
            store.change(1, by: 1, .add([NewMember(UserNumber(2), .member, since: SequenceNumber(1))]))
        ])
        try store.goOn()
        found = try store.load().members
        try expect(found.map(\.user.value), [3, 1, 4, 2])
        try expect(found.map(\.role), [nil, .owner, .member, .member])
        try expect(found[3].joinedAt, at(13))
        try expect(found[3].leftAt, .start)
        try expect(found[3].since, SequenceNumber(1))
    }

    @Sendable static func erasing(_ store: inout StoreDriver) throws {
        try store.create(1, members: [1])
        try store.create(2, members: [1])
        _ = try store.commit([
            store.message(1, by: 1, "a", key: "k"), store.message(2, by: 1, "b"),
            store.event(.react, 1, by: 1, of: 1, "+"),
        ])
        try store.goOn()
        let outcomes = try store.commit([
            store.change(1, by: 1, .erase), store.message(1, by: 1, "late"), store.message(2, by: 1, "c"),
        ])
        try expect(
            outcomes, [.stored(at(6), SequenceNumber(1)), .refused(.notFound), .stored(at(7), SequenceNumber(2))])
        try expect(try store.history(1).count, 0)
        try expect(try store.page(1, after: 0).events.count, 0)
        try expect(try store.latest([(1, 1)]).count, 0)
        try expect(try store.history(2).map(\.text), ["\"b\"", "\"c\""])
        try store.goOn()
        let snapshot = try store.load()
        try expect(snapshot.head, at(7))
        try expect(snapshot.conversations.map(\.number.value), [2])
        try expect(snapshot.members.map(\.conversation.value), [2])
        // Its keys stay used.
        var probe = store.message(0, by: 1, "a", key: "k")
        probe.purpose = .probe
        try expect(
            try store.commit([store.message(2, by: 1, "again", key: "k"), probe]), [.refused(.gone), .refused(.gone)])
        try expect(try store.commit([store.message(2, by: 1, "d")]), [.stored(at(8), SequenceNumber(3))])
        try store.goOn()
        try expect(try store.commit([probe]), [.refused(.gone)])
        try store.create(3, members: [1])
        _ = try store.commit([store.change(3, by: 1, .erase)])
        try store.goOn()
        try expect(try store.load().head, at(10))
        try store.create(4, members: [1])
        try expect(try store.load().head, at(11))
        try expect(try store.page(4, after: 0).events.map(\.position.value), [11])
        try leaving(&store)
    }

    /// The last member's leaving can be repeated, although it erased the conversation.
    private static func leaving(_ store: inout StoreDriver) throws {
        var leave = store.change(4, by: 1, .erase)
        leave.key = "l"
        leave.body = StoredEvent.leavingBody
        try expect(try store.commit([leave]), [.stored(at(12), .none)])
        var again = leave
        again.conversation = .none
        again.change = nil
        again.purpose = .probe
        for _ in 0..<2 {
            try expect(try store.commit([again]), [.duplicate(at(12), .none, .none, leave.time)])
            try store.goOn()
        }
        try expect(try store.load().head, at(12))
        again.body = Array("\"event\":\"renamed\",\"name\":\"N\"".utf8)
        let message = store.message(2, by: 1, "l", key: "l")
        try expect(try store.commit([again, message]), [.refused(.gone), .refused(.gone)])
    }
}

extension StoreContract {
    @Sendable static func reports(_ store: inout StoreDriver) throws {
        try store.apply([
            .user(UserNumber(1), name: "alice"), .report(report(1)), .report(report(2, isClosed: true)),
            .report(report(3)), .report(report(4)),
        ])
        try store.goOn()
        try store.apply([.report(report(3, isClosed: true)), .forgetReport(1), .forgetReport(9)])
        try store.goOn()
        try expect(
            try store.load().reports, [report(2, isClosed: true), report(3, isClosed: true), report(4)])
    }
}

/// A report of a user, or of a message if the number is odd.
private func report(_ number: Int64, isClosed: Bool = false) -> StoredReport {
    var report = StoredReport(
        number, by: UserNumber(1), of: UserNumber(number % 2 == 0 ? 2 : 0), .harassment,
        at: Timestamp(milliseconds: 40 + number))
    if number % 2 == 1 { (report.conversation, report.sequence, report.text) = ("c1", SequenceNumber(4), "Grüße") }
    if isClosed { report.closing = .init(by: "olga", note: "", at: Timestamp(milliseconds: 50)) }
    return report
}
