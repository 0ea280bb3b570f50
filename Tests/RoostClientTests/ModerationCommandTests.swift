import RoostWire
import Testing

@testable import RoostClient

/// The commands about who may be in a group and write in it.
@Suite struct ModerationCommandTests {
    let fixture = Fixture()

    @Test func bansAndListsUsers() async throws {
        let socket = await fixture.connected()
        let moderation = fixture.client.moderation
        async let banned = moderation.ban("bob", from: "c-1", reason: .spam)
        let ban = await socket.next()
        #expect(ban.type == "conversation.ban" && ban["user"] == "bob" && ban["reason"] == "spam")
        socket.ok(ban, #""position":"e-1","time":5"#)
        _ = try await banned
        async let page = moderation.bans(of: "c-1", after: "ann", limit: 2)
        let list = await socket.next()
        #expect(list.type == "conversation.bans" && list["after"] == "ann" && list.json?["limit"]?.integer == 2)
        socket.ok(
            list, #""conversation":"c-1","bans":[{"user":"bob","by":"al","time":5,"reason":"spam"}],"next":"bob""#)
        let bans = try await page
        #expect(bans.next == "bob" && bans.bans.map(\.reason) == [.spam] && bans.bans.map(\.by) == ["al"])
        async let unbanned = moderation.unban("bob", from: "c-1")
        let unban = await socket.next()
        #expect(unban.type == "conversation.unban" && unban["user"] == "bob")
        socket.ok(unban, #""position":"e-2","time":6"#)
        _ = try await unbanned
    }

    @Test func timesOutAndSaysWhoMayWrite() async throws {
        let socket = await fixture.connected()
        let moderation = fixture.client.moderation
        async let timedOut = moderation.timeOut("bob", in: "c-1", milliseconds: 60_000)
        let timeout = await socket.next()
        #expect(timeout.type == "conversation.timeout" && timeout.json?["after"]?.integer == 60_000)
        socket.ok(timeout, #""position":"e-1","time":5"#)
        _ = try await timedOut
        async let ended = moderation.endTimeout(of: "bob", in: "c-1")
        let end = await socket.next()
        #expect(end.json?["after"]?.integer == 0)
        socket.ok(end, #""duplicate":true"#)
        _ = try await ended
        async let set = moderation.setPosting(.admins, in: "c-1")
        let posting = await socket.next()
        #expect(posting.type == "conversation.posting" && posting["posting"] == "admins")
        socket.ok(posting, #""position":"e-2","time":6"#)
        _ = try await set
        async let slowed = moderation.setSlow(to: 30_000, in: "c-1")
        let slow = await socket.next()
        #expect(slow.type == "conversation.slow" && slow.json?["after"]?.integer == 30_000)
        socket.ok(slow, #""position":"e-3","time":7"#)
        _ = try await slowed
    }
}
