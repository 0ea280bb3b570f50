import Foundation
import RoostWire
import Testing

@testable import RoostStore

/// Two programs on one file, as an app and its share extension: each sees what the other does, and neither loses what
/// was typed. Two stores of one process have as little in common as those of two.
@Suite struct TwoProgramsTests {
    private let file = OutboxFile()

    private func open() throws -> LocalStore { try LocalStore(path: file.path, device: "phone") }

    private func write(_ text: String, _ store: LocalStore) throws -> OutboxItem {
        try store.outbox.add(.send(kind: nil, body: MessageBody(text: text).json, replyTo: nil), to: "@bob", key: text)
    }

    private func keys(_ store: LocalStore) -> [String] { store.outbox.items.map(\.key) }

    @Test func eitherProgramSendsTheOthersItems() throws {
        let app = try open()
        try app.begin(Told.welcome(user: "alice"), isResumed: false)
        let share = try open()
        #expect(share.repair == nil && share.identity.user == "alice")
        _ = try write("from the app", app)
        _ = try write("from the extension", share)
        #expect(keys(share) == ["from the app", "from the extension"], "a change sees what the other did")
        #expect(try app.catchUp())
        #expect(try !app.catchUp(), "nothing new")
        #expect(keys(app) == ["from the app", "from the extension"])
        let first = try #require(app.outbox.takeNext())
        try app.accepted(
            first.id, at: Timestamp(milliseconds: 1),
            as: StoredMessage(
                conversation: "c1", sequence: SequenceNumber(1), position: "e-1", time: Timestamp(milliseconds: 1),
                isDuplicate: false))
        #expect(try share.catchUp())
        #expect(keys(share) == ["from the extension"])
        #expect(share.outbox.items.first?.destination == "c1")
        #expect(try share.messages(of: "c1", limit: 10).map(\.key) == ["from the app"])
    }

    /// The bounds hold for both together.
    @Test func itemsOfTheOtherProgramCount() throws {
        var limits = StoreLimits()
        limits.outbox.itemsMax = 2
        let (one, other) = (
            try LocalStore(path: file.path, device: "phone", limits: limits),
            try LocalStore(path: file.path, device: "phone", limits: limits)
        )
        _ = try write("a", one)
        _ = try write("b", other)
        #expect(throws: OutboxFailure.full) { try write("c", one) }
        #expect(throws: OutboxFailure.full) { try write("c", other) }
    }

    /// An item that the app may have sent can't be taken back by its extension as if it had never been.
    @Test func itemsThatMayBeSentElsewhereAreNotChanged() throws {
        let (app, share) = (try open(), try open())
        try app.begin(Told.welcome(user: "alice"), isResumed: false)
        let item = try write("typed", share)
        #expect(share.outbox.mayChange(item.id))
        #expect(try app.catchUp())
        #expect(app.outbox.takeNext()?.key == "typed")
        #expect(throws: OutboxFailure.noSuchItem) {
            try share.outbox.replace(item.id, body: MessageBody(text: "other").json)
        }
        #expect(throws: OutboxFailure.noSuchItem) { try share.outbox.discard(item.id) }
    }

    /// A program that still has the damaged file gets an error before it keeps anything there.
    @Test func aFileThatWasMadeAnewIsLeft() throws {
        let one = try open()
        _ = try write("a", one)
        DamagedFile(path: file.path).leaveMark()
        let other = try open()
        #expect(other.repair == LocalRepair(itemsSaved: 1))
        let failure = #expect(throws: LocalFailure.self) { try write("b", one) }
        #expect(failure?.wasReplaced == true && failure?.mayPass == false)
        #expect(throws: LocalFailure.self) { try one.catchUp() }
        #expect(keys(other) == ["a"])
    }

    @Test func anotherUserIsTold() throws {
        let one = try open()
        try one.signIn("alice")
        let other = try open()
        try other.signIn("ben")
        let failure = #expect(throws: LocalFailure.self) { try write("from alice", one) }
        #expect(failure?.wasReplaced == true && one.identity.user == "alice")
        #expect(throws: LocalFailure.self) { try one.catchUp() }
        try other.signIn("alice")
        #expect(keys(other).isEmpty)
    }

    /// Two that open a damaged file at once make one file, and have all that waits.
    @Test func twoStartsOfADamagedFileAgree() async throws {
        do { _ = try write("a", open()) }
        DamagedFile(path: file.path).leaveMark()
        let path = file.path
        let found = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<4 {
                group.addTask { try LocalStore(path: path, device: "phone").outbox.items.map(\.key) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(found == Array(repeating: ["a"], count: 4))
    }

    @Test func waitingTooLongForTheFileIsAnError() throws {
        let first = try FileTurn(path: file.path)
        try first.have(alone: false) { () throws(LocalFailure) in
            // Several may write; SQLite gives them their turns.
            try FileTurn(path: file.path).have(alone: false) { () throws(LocalFailure) in }
            do throws(LocalFailure) {
                let other = try FileTurn(path: file.path, waitMax: 1)
                let had = try other.have(alone: true) { () throws(LocalFailure) in true }
                #expect(!had, "nobody else writes")
            } catch { #expect(error.mayPass) }
        }
        try FileTurn(path: file.path, waitMax: 1).have(alone: true) { () throws(LocalFailure) in }
    }
}
