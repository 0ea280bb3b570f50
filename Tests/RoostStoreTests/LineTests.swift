import RoostWire
import Testing

@testable import RoostStore

/// Changes to conversations beside their messages, as a device keeps them.
@Suite struct LineTests {
    private let file = OutboxFile()

    private func begun() throws -> LocalStore {
        let store = try LocalStore(path: file.path, device: "phone")
        try store.begin(Told.welcome(), isResumed: false)
        try store.take(Told.summary(#""sequence":9,"unread":0,"read":0,"time":1"#))
        return store
    }

    private func change(_ position: Int, _ event: String, _ rest: String, sequence: Int64 = 3) throws -> Event {
        try Told.event(
            """
            {"type":"conversation","event":"\(event)","conversation":"c1","sequence":\(sequence),
             "position":"e-\(position)","by":"bob","time":\(2_000 + position)\(rest)}
            """)
    }

    private func lines(_ store: LocalStore, _ from: Int64 = 0, _ to: Int64 = 99) throws -> [ConversationLine] {
        try store.lines.lines(of: "c1", behind: SequenceNumber(from)...SequenceNumber(to))
    }

    @Test func eachEventIsKeptOnceAndAsItWas() throws {
        let store = try begun()
        let events = try [
            change(1, "renamed", #","name":"A \"B\"""#), change(2, "described", #","photo":"p""#),
            change(3, "added", #","users":["c","d","e","f","g","h"]"#), change(4, "removed", #","users":["c"]"#),
            change(5, "left", #","owner":"alice""#), change(6, "role", #","user":"d","role":"admin""#),
            change(7, "expiry", #","after":86400000"#), change(8, "pinned", #","pin":2"#),
            change(9, "unpinned", #","pin":2"#), change(10, "accepted", ""),
            change(11, "removed", #","users":["d"],"banned":true,"reason":"spam""#),
            change(12, "banned", #","user":"e""#), change(13, "unbanned", #","user":"e""#),
            change(14, "timeout", #","user":"f","until":99,"reason":"other""#), change(15, "timeout", #","user":"f""#),
            change(16, "posting", #","posting":"admins""#), change(17, "slow", #","after":30000"#),
            change(18, "joining", #","joining":"ask""#),
        ]
        for _ in 0..<2 { _ = try store.take(events, position: nil) }
        let expected: [ConversationLine.Event] = [
            .renamed(#"A "B""#), .described, .added(users: ["c", "d", "e", "f", "g"], count: 6),
            .removed(users: ["c"], count: 1), .left(owner: "alice"), .role(user: "d", .admin), .expiry(86_400_000),
            .pinned(SequenceNumber(2)), .banned(users: ["d"], count: 1, .spam),
            .banned(users: ["e"], count: 1, nil), .unbanned(user: "e"),
            .timeout(user: "f", MemberTimeout(until: Timestamp(milliseconds: 99), reason: .other)),
            .timeout(user: "f", nil), .posting(.admins), .slow(30_000), .joining(.ask),
        ]
        #expect(try lines(store).map(\.event) == expected)
        let first = try #require(try lines(store).first)
        #expect(first.id == "e-1" && first.by == "bob" && first.time == Timestamp(milliseconds: 2_001))
        #expect(try lines(store)[2].people == ["bob", "c", "d", "e", "f", "g"])
        // Also after a restart.
        #expect(try lines(LocalStore(path: file.path, device: "phone")).map(\.event) == expected)
    }

    @Test func aChatOfTwoBeginsWithoutALine() throws {
        let store = try begun()
        let two = #","count":2,"members":["alice","bob"]"#
        _ = try store.take([change(1, "created", #","kind":"direct""# + two)], position: nil)
        #expect(try lines(store).isEmpty)
        _ = try store.take([change(2, "created", #","kind":"group","name":"Crew""# + two)], position: nil)
        #expect(try lines(store).map(\.event) == [.created])
    }

    @Test func linesStandBehindTheirMessages() throws {
        let store = try begun()
        let events = try [3, 1, 2].map { try change($0, "described", #","photo":"p""#, sequence: Int64($0)) }
        _ = try store.take(events, position: nil)
        #expect(try lines(store).map(\.id) == ["e-1", "e-2", "e-3"])
        #expect(try lines(store, 2, 2).map(\.id) == ["e-2"])
    }

    @Test func theNewestAreKept() throws {
        let store = try begun()
        for number in 1...40 {
            _ = try store.take([change(number, "described", #","photo":"p""#, sequence: 3)], position: nil)
        }
        #expect(try lines(store).map(\.id) == (9...40).map { "e-\($0)" })
    }

    @Test func theyGoWithTheConversationAndWithTheCache() throws {
        let store = try begun()
        let event = try change(1, "described", #","photo":"p""#)
        _ = try store.take([event], position: nil)
        _ = try store.take([change(2, "removed", #","users":["alice"]"#)], position: nil)
        #expect(try lines(store).isEmpty)
        _ = try store.take([event], position: nil)
        try store.begin(Told.welcome(epoch: "f"), isResumed: false)
        #expect(try lines(store).isEmpty)
    }

    @Test func theUsersOwnChangesHaveLinesToo() throws {
        let store = try begun()
        try store.lines.note(.renamed("Crew"), by: "alice", in: "c1", at: "e-7", Timestamp(milliseconds: 5))
        // Its event comes on the next connection.
        _ = try store.take([change(7, "renamed", #","name":"Crew""#)], position: nil)
        #expect(try lines(store).map(\.by) == ["alice"])
        try store.lines.note(.described, by: "alice", in: "unknown", at: "e-8", Timestamp(milliseconds: 5))
        #expect(try store.lines.lines(of: "unknown", behind: SequenceNumber(0)...SequenceNumber(9)).isEmpty)
    }
}
