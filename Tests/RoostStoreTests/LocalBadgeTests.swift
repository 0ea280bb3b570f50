import RoostWire
import Testing

@testable import RoostStore

/// The number of unread messages, as a device keeps it (Docs/Protocol.md, section 7).
@Suite struct LocalBadgeTests {
    private let file = OutboxFile()

    private func open() throws -> LocalStore { try LocalStore(path: file.path, device: "phone") }

    private func list(_ store: LocalStore) throws {
        let page = try #require(ConversationPage(reading: Told.members(#"{"type":"ok","re":1,"conversations":[]}"#)))
        try store.take(page, isLast: true)
    }

    private func live(_ store: LocalStore) throws {
        _ = try store.take([Told.event(#"{"type":"live","position":"e-9"}"#)], position: "e-9")
    }

    @Test func answersThatReadNothingLeaveTheRest() throws {
        let store = try open()
        try store.begin(Told.welcome(), isResumed: false)
        try store.take(Told.summary(#""sequence":0,"unread":0,"read":0,"time":1"#))
        let answers = try ["alice", "bob"].enumerated().map { number, name in
            try Told.event(
                """
                {"type":"message","conversation":"c1","sequence":\(number + 2),"position":"e-\(number + 2)",
                 "from":"\(name)","time":1,"body":"later","read":false}
                """)
        }
        _ = try store.take([Told.message(1)] + answers, position: "e-3")
        let one = try store.conversation("c1")
        #expect(one?.unread == 2 && one?.read.value == 0)
        #expect(try store.watermarks(of: "c1").map(\.read.value) == [1], "bob wrote the first one as usual")
    }

    @Test func theRelaysNumberCountsUntilNothingIsMissing() throws {
        let store = try open()
        #expect(try store.badge.told() == nil && store.badge.shown(own: 4) == 4, "there is nothing else yet")
        try store.begin(Told.welcome(badge: 7), isResumed: false)
        #expect(try store.badge.shown(own: 0) == 7)
        try live(store)
        #expect(try store.badge.shown(own: 3) == 7, "the conversations aren't here")
        try list(store)
        #expect(try store.badge.shown(own: 3) == 3, "what was read here is taken off")
        #expect(try store.badge.shown(own: 9) == 7, "and nothing is added")
        _ = try store.take([Told.event(#"{"type":"badge","unread":2}"#)], position: nil)
        #expect(try store.badge.shown(own: 9) == 2)
        #expect(try open().badge.shown(own: 9) == 2, "it is there at the next start")
    }

    @Test func leftOutMessagesAreAskedForFirst() throws {
        let store = try open()
        try store.begin(Told.welcome(badge: 7), isResumed: false)
        try list(store)
        try live(store)
        let gap = try Told.event(#"{"type":"gap","conversation":"c1","from":1,"to":900}"#)
        _ = try store.take([gap], position: nil)
        #expect(try store.badge.shown(own: 0) == 7)
        try store.take(Told.summary(#""sequence":900,"unread":5,"read":895,"time":1"#))
        #expect(try store.badge.shown(own: 5) == 5)
    }

    @Test func aSessionBeginsWithTheNumberThatItIsTold() throws {
        let store = try open()
        try store.begin(Told.welcome(badge: 7), isResumed: false)
        try list(store)
        try live(store)
        try store.begin(Told.welcome(badge: 9), isResumed: true)
        #expect(try store.badge.shown(own: 5) == 9, "what was missed hasn't come")
        // A busy relay sends it later.
        try store.begin(Told.welcome(), isResumed: true)
        #expect(try store.badge.shown(own: 5) == 5)
    }

    @Test func itIsOneUsersInOneLog() throws {
        let store = try open()
        try store.begin(Told.welcome(badge: 7), isResumed: false)
        try store.signIn("bob")
        #expect(try store.badge.told() == nil)
        try store.begin(Told.welcome(user: "bob", badge: 3), isResumed: false)
        try store.signOut()
        #expect(try store.badge.shown(own: 0) == 0)
    }
}
