import Foundation
import RoostWire
import Testing

@testable import RoostStore

/// Messages that disappear, and those that mention the user (Docs/Protocol.md, section 5).
@Suite struct DisappearingTests {
    private let file = OutboxFile()

    private func begun() throws -> LocalStore {
        let store = try LocalStore(path: file.path, device: "phone")
        try store.begin(Told.welcome(), isResumed: false)
        try store.take(Told.summary(#""sequence":0,"unread":0,"read":0,"time":1,"expiry":86400000"#))
        return store
    }

    private func message(_ sequence: Int64, _ rest: String, from: String = "bob") throws -> Event {
        try Told.event(
            """
            {"type":"message","conversation":"c1","sequence":\(sequence),"position":"e-\(sequence)","from":"\(from)",
             "time":\(1_000 + sequence),"body":"disappearing \(sequence)"\(rest)}
            """)
    }

    private func expire(_ store: LocalStore, by now: Int64) throws -> Set<String> {
        try store.expire(by: Timestamp(milliseconds: now))
    }

    // MARK: Time

    @Test func nothingOfADisappearedMessageIsLeft() throws {
        let store = try begun()
        _ = try store.take(
            [message(1, #","expires":5000"#), message(2, #","expires":6000,"mentions":["alice"]"#), message(3, "")],
            position: nil)
        #expect(try store.nextExpiry() == Timestamp(milliseconds: 5_000))
        #expect(try expire(store, by: 4_999) == [])
        #expect(try expire(store, by: 5_000) == ["c1"])
        var rows = try store.messages(of: "c1", limit: 9)
        #expect(rows.map(\.body?.text) == [nil, "disappearing 2", "disappearing 3"])
        #expect(rows.first?.deletedAt == Timestamp(milliseconds: 5_000))
        #expect(try store.conversation("c1")?.unread == 2)
        #expect(try store.conversation("c1")?.mentions == 1)
        #expect(try store.nextExpiry() == Timestamp(milliseconds: 6_000))
        #expect(try expire(store, by: 9_000) == ["c1"] && expire(store, by: 9_000) == [])
        #expect(try store.nextExpiry() == nil)
        rows = try store.messages(of: "c1", limit: 9)
        #expect(rows.map(\.deletedAt?.milliseconds) == [5_000, 6_000, nil] && rows[1].mentions == [])
        let one = try store.conversation("c1")
        #expect(one?.unread == 1 && one?.mentions == 0 && one?.firstMention == nil)
        #expect(try bytes().count { $0 } == 1, "only the third text is on the disk")
    }

    // Whether some file has each of the three texts.
    private func bytes() throws -> [Bool] {
        var all: [UInt8] = []
        for path in [file.path, file.path + "-wal"] {
            guard let stream = fopen(path, "r") else { continue }
            defer { fclose(stream) }
            var part = [UInt8](repeating: 0, count: 65_536)
            while case let count = fread(&part, 1, part.count, stream), count > 0 { all += part[..<count] }
        }
        let text = String(decoding: all, as: UTF8.self)
        return (1...3).map { text.contains("disappearing \($0)") }
    }

    @Test func anEditBringsNothingBack() throws {
        let store = try begun()
        _ = try store.take([message(1, #","expires":5000"#)], position: nil)
        _ = try expire(store, by: 5_000)
        _ = try store.take(
            [
                Told.event(
                    """
                    {"type":"edit","conversation":"c1","sequence":1,"position":"e-9","from":"bob","time":50,
                     "body":"again"}
                    """)
            ], position: nil)
        #expect(try store.messages(of: "c1", limit: 1).first?.body == nil)
    }

    @Test func ownMessagesDisappearAsTheirAnswersSay() throws {
        let store = try begun()
        func send(_ sequence: Int64, expires: Int64?) throws {
            let item = try store.outbox.add(
                .send(kind: nil, body: MessageBody(text: "x").json, replyTo: nil), to: "c1", key: "k\(sequence)")
            let stored = StoredMessage(
                conversation: "c1", sequence: SequenceNumber(sequence), position: "e-\(sequence)",
                time: Timestamp(milliseconds: 1_000 + sequence), isDuplicate: sequence == 3,
                expires: expires.map { Timestamp(milliseconds: $0) })
            try store.accepted(item.id, at: stored.time, as: stored)
        }
        func expires() throws -> [Int64?] {
            try store.messages(of: "c1", limit: 9).map(\.expires?.milliseconds)
        }
        try send(1, expires: 86_401_001)
        #expect(try expires() == [86_401_001])
        // The answers to these came ahead of the changes that were before them, the last one to a retry.
        try send(2, expires: 604_801_002)
        try send(3, expires: nil)
        _ = try store.take(
            [
                Told.change("expiry", #""after":604800000"#, sequence: 1),
                Told.change("expiry", #""after":0"#, sequence: 2),
            ], position: nil)
        #expect(try expires() == [86_401_001, 604_801_002, nil])
        #expect(try store.conversation("c1")?.expiry == 0)
    }

    @Test func expiryTimesFromTheRelayCannotOverflow() throws {
        let store = try begun()
        let item = try store.outbox.add(
            .send(kind: nil, body: MessageBody(text: "x").json, replyTo: nil), to: "c1", key: "k1")
        let stored = StoredMessage(
            conversation: "c1", sequence: SequenceNumber(1), position: "e-1", time: Timestamp(milliseconds: 1),
            isDuplicate: false)
        try store.accepted(item.id, at: stored.time, as: stored)
        for after in [Int64.max, Int64.min] {
            _ = try store.take([Told.change("expiry", #""after":\#(after)"#)], position: nil)
        }
        #expect(try store.conversation("c1")?.expiry == 0)
    }

    @Test func thePostingRuleIsKept() throws {
        let store = try begun()
        func told(_ event: String, _ members: String) throws {
            _ = try store.take([Told.change(event, members)], position: nil)
        }
        try told("role", #""user":"alice","role":"member""#)
        try told("posting", #""posting":"admins""#)
        try told("slow", #""after":30000"#)
        try told("timeout", #""user":"alice","until":9000,"reason":"spam""#)
        try told("timeout", #""user":"bob","until":7000"#)
        let kept = try LocalStore(path: file.path, device: "phone").conversation("c1")
        let timeout = MemberTimeout(until: Timestamp(milliseconds: 9_000), reason: .spam)
        #expect(kept?.posting == .admins && kept?.timeout == timeout && kept?.slow == 30_000)
        let last = Timestamp(milliseconds: 5_000)
        #expect(kept?.pause(after: last, at: last) == Timestamp(milliseconds: 35_000))
        #expect(kept?.pause(after: last, at: Timestamp(milliseconds: 35_000)) == nil)
        #expect(kept?.pause(after: nil, at: last) == nil)
        #expect(kept?.barrier(at: Timestamp(milliseconds: 8_999)) == .timedOut(timeout))
        #expect(kept?.barrier(at: Timestamp(milliseconds: 9_000)) == .announcements)
        try told("role", #""user":"alice","role":"admin""#)
        #expect(try store.conversation("c1")?.barrier(at: Timestamp(milliseconds: 9_000)) == nil)
        try told("timeout", #""user":"alice""#)
        try told("posting", #""posting":"all""#)
        let now = try store.conversation("c1")
        #expect(now?.timeout == nil && now?.posting == .all)
    }

    @Test func theClockOfTheRelayIsRemembered() throws {
        let store = try begun()
        try store.noteClock(ahead: -7_200_000)
        #expect(try LocalStore(path: file.path, device: "phone").identity.clockAhead == -7_200_000)
    }

    // MARK: Mentions

    @Test func unreadMentionsAreCountedUntilTheyAreRead() throws {
        let store = try begun()
        _ = try store.take(
            [
                message(1, #","mentions":["bob"]"#), message(2, #","mentions":["alice","bob"]"#),
                message(3, #","mentions":["@all"]"#), message(4, ""),
            ], position: nil)
        func mentions() throws -> [Int64] {
            let one = try store.conversation("c1")
            return [Int64(one?.mentions ?? -1), one?.firstMention?.value ?? 0]
        }
        #expect(try mentions() == [2, 2])
        #expect(try store.messages(of: "c1", limit: 9).map(\.mentions.count) == [1, 2, 1, 0])
        try store.read("c1", upTo: SequenceNumber(2), key: "k1")
        #expect(try mentions() == [1, 3])
        let edit = try Told.event(
            """
            {"type":"edit","conversation":"c1","sequence":4,"position":"e-9","from":"bob","time":50,"body":"@alice!",
             "mentions":["alice"]}
            """)
        _ = try store.take([edit, edit], position: nil)
        #expect(try mentions() == [2, 3], "an edit that comes again counts once")
        _ = try store.take(
            [
                Told.event(
                    """
                    {"type":"receipt","conversation":"c1","user":"alice","delivered":4,"read":3,"readAt":5,"unread":1,
                     "mentions":1,"firstMention":4}
                    """)
            ], position: nil)
        #expect(try mentions() == [1, 4])
        _ = try store.take([message(5, #","mentions":["@all"]"#, from: "alice")], position: nil)
        #expect(try mentions() == [0, 0], "whoever writes has read")
    }
}
