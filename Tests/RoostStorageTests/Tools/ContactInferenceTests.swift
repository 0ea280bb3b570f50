import RoostCore
import RoostWire
import Testing

@testable import RoostStorage

/// Contacts that are made of conversations: only where exactly one is a trainer and the other a client.
@Suite struct ContactInferenceTests {
    private static let kind = ContactKind("trainer/client")
    private static let roles = ["trainer", "client", ""]

    /// All nine pairs of roles, each with a direct conversation: users 1 and 2, 3 and 4, and so on.
    private static let pairs = roles.flatMap { one in roles.map { other in (one, other) } }

    private func fill(_ path: String) throws {
        let log = try SQLiteLog(path: path, durability: .full)
        defer { log.close() }
        _ = try log.load()
        for (index, pair) in Self.pairs.enumerated() {
            let users = [Int32(2 * index + 1), Int32(2 * index + 2)]
            _ = try log.writer.commit(users.map { .user(UserNumber($0), name: "u\($0)") })
            for (user, role) in zip(users, [pair.0, pair.1]) where !role.isEmpty { try setRole(role, of: user, log) }
            _ = try log.writer.commit([.append(opening(of: Int32(index + 1), users, .direct, at: Int64(100 + index)))])
        }
        while try log.writer.maintain() {}
    }

    private func setRole(_ role: String, of user: Int32, _ log: SQLiteLog) throws {
        var profile = StoredProfile(version: 1)
        profile.role = role
        _ = try log.writer.commit([.profile(UserNumber(user), profile)])
    }

    private func opening(
        of number: Int32, _ users: [Int32], _ kind: ConversationKind, at time: Int64
    ) -> Append {
        var event = Append(
            .conversation, in: ConversationNumber(number), by: UserNumber(users[0]), device: "d",
            at: Timestamp(milliseconds: time))
        event.change = .create(
            id: "c\(number)", kind: kind, name: "", members: users.map { NewMember(UserNumber($0), .member) })
        return event
    }

    private func apply(_ path: String) throws -> ContactInference.Result {
        try ContactInference.apply(path, kind: Self.kind, durability: .full) { _ in }
    }

    private func tryOut(_ path: String) throws -> ContactInference.Result {
        try ContactInference.tryOut(path, kind: Self.kind) { _ in }
    }

    private func contacts(_ path: String) throws -> [Snapshot.Contact] {
        let log = try SQLiteLog(path: path, durability: .full)
        defer { log.close() }
        return try log.load().contacts
    }

    @Test func twoOfNinePairsOfRolesMakeAContact() throws {
        let scratch = try Scratch()
        try fill(scratch.path())
        let result = try apply(scratch.path())
        #expect(result == ContactInference.Result(conversations: 9, contacts: 2, skipped: [.roles: 7]))
        let found = try contacts(scratch.path())
        let made = found.map { contact in
            [contact.pair.low, contact.pair.high].map { Self.pairs[Int($0.value - 1) / 2] }
                .map { "\($0.0)-\($0.1)" } + [contact.stored.low.kind, contact.stored.high.kind]
        }
        #expect(
            made == [
                ["trainer-client", "trainer-client", "trainer", "client"],
                ["client-trainer", "client-trainer", "client", "trainer"],
            ])
        #expect(found.allSatisfy { $0.stored.inviter == nil && $0.stored.low.label.isEmpty })
        #expect(found.map(\.stored.since.milliseconds) == [101, 103])
    }

    @Test func twiceIsOnceAndATrialWritesNothing() throws {
        let scratch = try Scratch()
        try fill(scratch.path())
        let trial = try tryOut(scratch.path())
        #expect(trial.contacts == 2 && trial.skipped == [.roles: 7])
        #expect(try contacts(scratch.path()).isEmpty)
        #expect(try apply(scratch.path()) == trial)
        let made = try contacts(scratch.path())
        #expect(try apply(scratch.path()).skipped == [.roles: 7, .known: 2])
        #expect(try tryOut(scratch.path()).contacts == 0)
        #expect(try contacts(scratch.path()) == made)
    }

    @Test func existingContactsStay() throws {
        let scratch = try Scratch()
        try fill(scratch.path())
        let pair = UserPair(UserNumber(3), UserNumber(4))
        let invited = StoredContact(
            inviter: pair.high, low: .init(kind: "friend"), high: .init(kind: "friend", label: "x"), since: .never)
        do {
            let log = try SQLiteLog(path: scratch.path(), durability: .full)
            defer { log.close() }
            _ = try log.load()
            _ = try log.writer.commit([.contact(pair, invited)])
        }
        #expect(try apply(scratch.path()).skipped == [.roles: 7, .known: 1])
        #expect(try contacts(scratch.path()).first == Snapshot.Contact(pair, invited))
    }

    /// Groups count for nothing, nor does a conversation that one of the two has left.
    @Test func onlyTwoWhoAreInADirectConversationMakeAContact() throws {
        let scratch = try Scratch()
        try fill(scratch.path())
        do {
            let log = try SQLiteLog(path: scratch.path(), durability: .full)
            defer { log.close() }
            _ = try log.load()
            var leave = Append(
                .conversation, in: ConversationNumber(2), by: UserNumber(3), device: "d",
                at: Timestamp(milliseconds: 500))
            leave.change = .leave(UserNumber(3), heir: nil)
            _ = try log.writer.commit([
                .append(opening(of: 20, [1, 4], .group, at: 400)),
                .append(opening(of: 21, [3, 4, 7], .group, at: 401)),
                .append(leave),
            ])
        }
        let result = try apply(scratch.path())
        #expect(
            result == ContactInference.Result(conversations: 9, contacts: 1, skipped: [.roles: 7, .members: 1]))
    }

    /// A user who has not answered a stranger doesn't become a contact.
    @Test func aRequestMakesNoContactBeforeItIsAccepted() throws {
        let scratch = try Scratch()
        try fill(scratch.path())
        func commit(_ event: Append) throws {
            let log = try SQLiteLog(path: scratch.path(), durability: .full)
            defer { log.close() }
            _ = try log.load()
            _ = try log.writer.commit([.append(event)])
        }
        // A client who is unknown to the trainer.
        var request = opening(of: 20, [4, 1], .direct, at: 400)
        request.flag = true
        try commit(request)
        #expect(try tryOut(scratch.path()).skipped == [.roles: 7, .request: 1])
        let result = try apply(scratch.path())
        #expect(
            result == ContactInference.Result(conversations: 10, contacts: 2, skipped: [.roles: 7, .request: 1]))
        var accept = Append(
            .conversation, in: ConversationNumber(20), by: UserNumber(1), device: "d",
            at: Timestamp(milliseconds: 500))
        accept.change = .accept
        try commit(accept)
        #expect(try apply(scratch.path()).contacts == 1)
    }

    private func undo(_ path: String) throws -> Int {
        let trial = try ContactInference.tryUndo(path, kind: Self.kind).contacts
        let done = try ContactInference.undo(path, kind: Self.kind, durability: .full).contacts
        #expect(trial == done)
        return done
    }

    private func commit(_ mutations: [Mutation], _ path: String) throws {
        let log = try SQLiteLog(path: path, durability: .full)
        defer { log.close() }
        _ = try log.load()
        _ = try log.writer.commit(mutations)
    }

    /// Users 1, 3 and 7 are trainers, 4, 5 and 8 clients; 3 and 4, and 7 and 8, have a direct conversation.
    @Test func inGroupsEachTrainerGetsEachClient() throws {
        let scratch = try Scratch()
        try fill(scratch.path())
        for (user, role) in [(Int32(1), "trainer"), (4, "client"), (5, "client")] {
            var profile = StoredProfile(version: 2)
            profile.role = role
            try commit([.profile(UserNumber(user), profile)], scratch.path())
        }
        let groups: [Mutation] = [
            .append(opening(of: 20, [1, 4, 5], .group, at: 400)), .append(opening(of: 21, [3, 4], .group, at: 401)),
            .append(opening(of: 22, [1, 3], .group, at: 402)),
        ]
        try commit(groups, scratch.path())
        let direct = try tryOut(scratch.path())
        #expect(direct.conversations == 9 && direct.contacts == 2)
        func run(_ isTrial: Bool) throws -> ContactInference.Result {
            isTrial
                ? try ContactInference.tryOut(scratch.path(), kind: Self.kind, groups: true) { _ in }
                : try ContactInference.apply(scratch.path(), kind: Self.kind, groups: true, durability: .full) { _ in }
        }
        let trial = try run(true)
        #expect(trial.contacts == 4 && trial.conversations == 12 && trial.skipped[.known] == 1)
        #expect(try contacts(scratch.path()).isEmpty)
        #expect(try run(false) == trial)
        let pairs = try contacts(scratch.path()).map { [$0.pair.low.value, $0.pair.high.value] }
        #expect(pairs == [[1, 4], [1, 5], [3, 4], [7, 8]])
        #expect(try contacts(scratch.path()).first?.stored.since.milliseconds == 400)
        #expect(try run(false).contacts == 0)
    }

    /// Contacts that either user has changed since, and earlier ones, aren't taken back.
    @Test func anUndoRemovesWhatWasInferredAndNothingElse() throws {
        let scratch = try Scratch()
        try fill(scratch.path())
        let own = UserPair(UserNumber(1), UserNumber(2))
        let contact = StoredContact(
            inviter: nil, low: .init(kind: "trainer"), high: .init(kind: "client"), since: Timestamp(milliseconds: 9))
        try commit([.contact(own, contact)], scratch.path())
        #expect(try undo(scratch.path()) == 0)
        #expect(try apply(scratch.path()).contacts == 2)
        #expect(try undo(scratch.path()) == 2)
        #expect(try contacts(scratch.path()).map(\.pair) == [own])
        // It can be done again.
        #expect(try apply(scratch.path()).contacts == 2)
        var labelled = try #require(try contacts(scratch.path()).first { $0.pair.low.value == 3 })
        labelled.stored.low.label = "knee"
        try commit([.contact(labelled.pair, labelled.stored)], scratch.path())
        #expect(try ContactInference.tryUndo(scratch.path(), kind: ContactKind("boss/clerk")).contacts == 0)
        #expect(try undo(scratch.path()) == 1)
        #expect(try contacts(scratch.path()).map(\.pair) == [own, labelled.pair])
    }

    @Test func aRunThatWasCutShortIsFinishedByTheNext() throws {
        let (whole, cut) = (try Scratch(), try Scratch())
        for scratch in [whole, cut] { try fill(scratch.path()) }
        _ = try apply(whole.path())
        // As if the process had died behind the first batch.
        do {
            let log = try SQLiteLog(path: cut.path(), durability: .full)
            defer { log.close() }
            _ = try log.load()
            let first = try #require(try contacts(whole.path()).first)
            _ = try log.writer.commit([.contact(first.pair, first.stored)])
        }
        #expect(try apply(cut.path()).contacts == 1)
        #expect(try contacts(cut.path()) == contacts(whole.path()))
    }
}
