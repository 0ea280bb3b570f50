import Logging
import RoostStore
import Testing

@testable import RoostServices

/// Profiles for the relay, with every kind of change, also if the relay is away meanwhile.
@Suite(.timeLimit(.minutes(10)))
struct ProfileQueueTests {
    private let folder = TestFolder()

    private func database() async throws -> ServicesDatabase {
        try await ServicesDatabase(path: folder.path + "/services.db", log: Logger(label: "test"))
    }

    private func account(_ user: String, name: String = "Ann", role: String? = nil, tier: String? = nil) -> Account {
        var account = Account(user: user, email: "\(user)@example.org", name: name, language: "en", created: 1)
        (account.role, account.tier) = (role, tier)
        return account
    }

    private func insert(_ account: Account, _ database: ServicesDatabase) async throws {
        try await database.write { database throws(LocalFailure) in _ = try AccountTable.insert(account, database) }
    }

    /// Runs until nothing is left to tell.
    private func tell(_ relay: TestRelay, _ database: ServicesDatabase) async throws {
        let queue = ProfileQueue(database: database, relay: relay, log: Logger(label: "test"), due: .hasty)
        let task = Task { await queue.run() }
        defer { task.cancel() }
        while try await database.read({ database throws(LocalFailure) in try ProfileTable.count(database) }) > 0 {
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    private func answers(_ count: Int) -> [Result<String, ServiceFault>] {
        Array(repeating: .success(#"{"type":"ok","re":1,"version":1}"#), count: count)
    }

    @Test func anAccountIsTold() async throws {
        let (database, relay) = (try await database(), TestRelay(answers(1)))
        try await insert(account("u1", name: "Ann \"A\"", role: "trainer"), database)
        try await tell(relay, database)
        let all = #""user":"u1","deleted":false,"name":"Ann \"A\"","role":"trainer","tier":"""#
        #expect(relay.asked == [#"{"type":"admin.profile",\#(all)}"#])
    }

    /// People rename themselves in the relay: a new tier doesn't take that back.
    @Test func onlyWhatHasChangedIsTold() async throws {
        let database = try await database()
        try await insert(account("u1"), database)
        try await tell(TestRelay(answers(1)), database)
        let relay = TestRelay(answers(3))
        try await database.write { database throws(LocalFailure) in try AccountTable.setTier("u1", "gold", database) }
        try await tell(relay, database)
        try await database.write { database throws(LocalFailure) in
            try AccountTable.rename("u1", "ann", database)
            try AccountTable.setRole("u1", "client", database)
        }
        try await tell(relay, database)
        // Neither changes what others see.
        try await database.write { database throws(LocalFailure) in
            try AccountTable.verify("u1", database)
            try AccountTable.setTier("u1", "gold", database)
        }
        try await tell(relay, database)
        #expect(
            relay.asked == [
                #"{"type":"admin.profile","user":"u1","tier":"gold"}"#,
                #"{"type":"admin.profile","user":"u1","name":"ann","role":"client"}"#,
            ])
    }

    @Test func deletedAccountsAreSentAsDeleted() async throws {
        let database = try await database()
        for user in ["u1", "u2"] { try await insert(account(user), database) }
        let relay = TestRelay([.failure(ServiceFault(.notFound, "nobody has this name"))] + answers(1))
        try await database.write { database throws(LocalFailure) in
            for user in ["u1", "u2"] { try AccountTable.delete(user, database) }
        }
        try await tell(relay, database)
        #expect(
            relay.asked == ["u1", "u2"].map { #"{"type":"admin.profile","user":"\#($0)","deleted":true}"# })
    }

    @Test func aRelayThatIsAwayLearnsItLater() async throws {
        let database = try await database()
        try await insert(account("u1"), database)
        let away = ServiceFault(.unavailable, "the relay is away", retryAfter: 1)
        let relay = TestRelay([.failure(away), .failure(away)] + answers(1))
        try await tell(relay, database)
        #expect(relay.asked.count == 3)
        #expect(Set(relay.asked).count == 1)
    }

    /// It is refused for good, and holds nothing else up. The relay knows the account all the same.
    @Test func refusedProfilesAreDropped() async throws {
        let database = try await database()
        for user in ["u1", "u2"] { try await insert(account(user), database) }
        let relay = TestRelay([.failure(ServiceFault(.badRequest, "name must not be empty"))] + answers(2))
        try await tell(relay, database)
        #expect(relay.asked.count == 3)
        #expect(relay.asked.dropFirst().first == #"{"type":"admin.profile","user":"u1","deleted":false}"#)
        #expect(relay.asked.last?.contains(#""user":"u2""#) == true)
    }

    /// A user who came by a friend's link waits for the owner, and meets the owner once the relay knows both by name.
    @Test func aUserWhoCameByALinkIsIntroducedToTheOwner() async throws {
        let database = try await database()
        try await insert(account("u1"), database)
        try await database.write { database throws(LocalFailure) in try IntroductionTable.insert("u1", database) }
        let early = TestRelay(answers(1))
        try await tell(early, database)
        #expect(early.asked.count == 1)
        var owner = account("u2")
        owner.isOperator = true
        try await insert(owner, database)
        let away = ServiceFault(.unavailable, "the relay is away", retryAfter: 1)
        let relay = TestRelay(answers(1) + [.failure(away)] + answers(1))
        let queue = ProfileQueue(database: database, relay: relay, log: Logger(label: "test"), due: .hasty)
        let task = Task { await queue.run() }
        defer { task.cancel() }
        while try await database.read({ database throws(LocalFailure) in try IntroductionTable.count(database) }) > 0 {
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(relay.asked.first?.contains(#""user":"u2""#) == true)
        #expect(
            relay.asked.dropFirst()
                == Array(
                    repeating: #"{"type":"admin.introduce","user":"u1","inviter":"u2"}"#, count: 2)[...])
    }

    /// It changes while it is being sent: it is sent again.
    @Test func profilesChangedMeanwhileAreSentAgain() async throws {
        let database = try await database()
        try await insert(account("u1"), database)
        let due = try await database.read { database throws(LocalFailure) in
            try ProfileTable.next(after: 0, database)
        }
        let first = try #require(due)
        try await database.write { database throws(LocalFailure) in
            try AccountTable.rename("u1", "Anna", database)
            try ProfileTable.delete(first, database)
        }
        let relay = TestRelay(answers(1))
        try await tell(relay, database)
        #expect(relay.asked.first?.contains(#""name":"Anna""#) == true)
        #expect(relay.asked.first?.contains(#""tier""#) == true)
    }
}
