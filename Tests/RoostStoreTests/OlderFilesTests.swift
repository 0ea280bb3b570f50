import RoostWire
import Testing

@testable import RoostStore

/// The relay's files were put back under the same epoch: what it gives a second time is noticed.
@Suite struct OlderFilesTests {
    private let file = OutboxFile()

    // A device that has got so far in an earlier session, and has something waiting.
    private func store(isResumed: Bool = true) throws -> LocalStore {
        do {
            let store = try LocalStore(path: file.path, device: "phone")
            try store.begin(Told.welcome(user: "alice"), isResumed: false)
            _ = try store.take([Told.message(1), Told.message(2, from: "alice", key: "k2")], position: "e-2")
            _ = try store.outbox.add(
                .send(kind: nil, body: Array("1".utf8), replyTo: nil), to: "c1", key: "waits")
        }
        let store = try LocalStore(path: file.path, device: "phone")
        try store.begin(Told.welcome(user: "alice"), isResumed: isResumed)
        return store
    }

    private func expect(_ store: LocalStore, rewinds: Int) throws {
        #expect(store.rewinds == rewinds)
        #expect(try store.messages(of: "c1", limit: 10).isEmpty == (rewinds > 0))
        #expect((store.identity.position == nil) == (rewinds > 0))
        #expect(store.outbox.items.map(\.key) == ["waits"], "nothing unsent is lost")
    }

    private static let others = [
        #""sequence":1,"from":"carol","time":1001,"body":"x""#, #""sequence":1,"from":"bob","time":1002,"body":"x""#,
        #""sequence":2,"from":"alice","time":1002,"body":"x","key":"other""#,
    ]

    @Test(arguments: others) func anotherMessageUnderASequenceIsNoticed(_ members: String) throws {
        let json = #"{"type":"message","conversation":"c1","position":"e-3",\#(members)}"#
        let store = try store()
        let event = try Told.event(json)
        _ = try store.take([event], position: "e-3")
        try expect(store, rewinds: 1)
        // On the next connection it is simply new.
        try store.begin(Told.welcome(user: "alice"), isResumed: false)
        _ = try store.take([event], position: "e-3")
        #expect(store.rewinds == 1 && store.identity.position == "e-3")
    }

    @Test(arguments: others) func aPageShowsItToo(_ members: String) throws {
        let store = try store()
        let message = #"{"conversation":"c1","position":"e-3",\#(members)}"#
        let json = #"{"type":"ok","re":1,"conversation":"c1","messages":[\#(message)],"more":false}"#
        let page = try #require(HistoryPage(reading: Told.members(json)))
        try store.take(page, before: SequenceNumber(3))
        try expect(store, rewinds: 1)
    }

    /// Messages that only look like it.
    @Test(arguments: [
        #""sequence":1,"from":"bob","time":1001,"body":"edited since","version":2,"edited":5"#,
        #""sequence":1,"from":"bob","time":1001,"deleted":7"#, #""sequence":1,"from":"","time":9,"hidden":true"#,
        #""sequence":2,"from":"alice","time":1002,"body":"x""#,
    ])
    func theSameMessageIsARepetition(_ members: String) throws {
        let store = try store()
        _ = try store.take(
            [Told.event(#"{"type":"message","conversation":"c1","position":"e-2",\#(members)}"#)], position: "e-2")
        try expect(store, rewinds: 0)
    }

    /// Within a session nothing is put back: a relay that contradicts itself isn't asked in a loop.
    @Test func aRelayThatContradictsItselfIsLeftAlone() throws {
        let store = try LocalStore(path: file.path, device: "phone")
        try store.begin(Told.welcome(user: "alice"), isResumed: false)
        _ = try store.take([Told.message(1), Told.message(1, from: "carol")], position: "e-2")
        #expect(store.rewinds == 0)
        #expect(try store.messages(of: "c1", limit: 10).map(\.from) == ["bob"])
    }

    @Test func aPositionThatTheLogNeverGaveIsNoticed() throws {
        try expect(store(isResumed: false), rewinds: 1)
    }

    @Test func theNewestMessageIsKept() throws {
        let store = try store()
        let newest = try #require(store.identity.newest)
        #expect(newest.sequence == SequenceNumber(2) && newest.key == "k2" && newest.from == "alice")
        #expect(try newest.isThere(in: Told.page(1...2, hasMore: false)) == false, "bob's is another one")
        #expect(try newest.isThere(in: Told.page(1...1, hasMore: false)) == nil)
        let gap = try #require(
            HistoryPage(
                reading: Told.members(
                    #"{"type":"ok","re":1,"conversation":"c1","messages":[],"more":false,"gaps":[{"from":2,"to":2}]}"#))
        )
        #expect(newest.isThere(in: gap) == true)
        try store.noteOlderFiles()
        #expect(store.rewinds == 1 && store.identity.newest == nil)
        #expect(try LocalStore(path: file.path, device: "phone").identity.newest == nil)
    }
}
