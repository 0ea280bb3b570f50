import RoostWire
import Testing

@testable import RoostClient

/// The commands about who is here and who may know it.
@Suite struct PresenceCommandTests {
    let fixture = Fixture()

    @Test func saysHowTheUserWantsToBeShown() async throws {
        let socket = await fixture.connected()
        async let both: Void = fixture.client.setStatus(.busy, text: "at lunch")
        let command = await socket.next()
        #expect(command.type == "status" && command["state"] == "busy" && command["text"] == "at lunch")
        socket.ok(command)
        try await both
        async let text: Void = fixture.client.setStatus(text: "")
        let second = await socket.next()
        #expect(second.json?["state"] == nil && second.json?["text"]?.string == "")
        socket.ok(second)
        try await text
    }

    @Test func changesPrivacyAndReturnsAllOfIt() async throws {
        let socket = await fixture.connected()
        async let own = fixture.client.setPrivacy(PrivacyChange(lastSeen: .coarse))
        let command = await socket.next()
        #expect(command.type == "privacy" && command["lastSeen"] == "coarse")
        #expect(command.json?["presence"] == nil && command.json?["read"] == nil)
        socket.ok(
            command,
            #""privacy":{"presence":"nobody","lastSeen":"coarse","read":"shared"},"#
                + #""exceptions":[{"user":"bob","as":"always"},{"user":"eve","as":"a later word"}]"#)
        let told = try await own
        #expect(told.settings.presence == .nobody && told.settings.lastSeen == .coarse && told.settings.read == .shared)
        #expect(told.exceptions.map(\.user) == ["bob"] && told.exceptions.map(\.kind) == [.always])
    }

    @Test func exceptsUsers() async throws {
        let socket = await fixture.connected()
        async let blocked: Void = fixture.client.contacts.block(["eve", "mallory"])
        let command = await socket.next()
        #expect(command.type == "contact.block")
        #expect(command.json?["users"]?.elements?.compactMap(\.string) == ["eve", "mallory"])
        socket.ok(command)
        try await blocked
        async let unblocked: Void = fixture.client.except(["eve"], nil)
        let second = await socket.next()
        #expect(second["as"] == "none")
        socket.refuse(second, "not_found")
        do {
            try await unblocked
            Issue.record("it wasn't refused")
        } catch {}
    }

    @Test func tellsOfTheOwnDevices() async throws {
        let socket = await fixture.connected()
        async let devices = fixture.client.devices()
        let command = await socket.next()
        #expect(command.type == "devices")
        socket.ok(
            command,
            #""devices":[{"device":"phone","state":"active","since":7},"#
                + #"{"device":"tv","state":"offline","ended":{"reason":"restart"}},"#
                + #"{"device":"watch","state":"offline","ended":{"reason":"a later word","time":5}}]"#)
        let told = try await devices
        #expect(told.map(\.device) == ["phone", "tv", "watch"])
        #expect(told.map(\.since) == [Timestamp(milliseconds: 7), nil, nil])
        #expect(told.map(\.ended?.reason) == [nil, .restart, nil])
        #expect(told.last?.ended?.time == Timestamp(milliseconds: 5))
    }

    // MARK: Counts

    @Test func watchesCountsOnLaterConnectionsToo() async throws {
        let old = await fixture.connected()
        async let counts = fixture.client.watch(conversations: ["c1", "c2"])
        let command = await old.next()
        #expect(command.json?["conversations"]?.elements?.compactMap(\.string) == ["c1", "c2"])
        old.ok(command, #""conversations":[{"conversation":"c1","online":2,"of":5}]"#)
        #expect(try await counts == [OnlineCount("c1", online: 2, of: 5)])
        old.close(1006)
        #expect(await fixture.client.nextEvent()?.disconnection != nil)
        let new = await fixture.connector.next()
        await new.welcome()
        #expect(await fixture.client.nextEvent()?.isConnected == true)
        let (first, second) = (await new.next(), await new.next())
        #expect(second.json?["conversations"]?.elements?.compactMap(\.string) == ["c2"])
        new.ok(first, #""conversations":[{"conversation":"c1","online":3,"of":5}]"#)
        guard case .onlineCounts(let told) = await fixture.client.nextEvent() else {
            Issue.record("no counts")
            return
        }
        #expect(told == [OnlineCount("c1", online: 3, of: 5)])
        // The user has left it meanwhile, so it isn't watched again.
        new.refuse(second, "not_found")
        async let unwatched: Void = fixture.client.unwatch(conversations: ["c1"])
        new.ok(await new.next())
        try await unwatched
        new.close(1006)
        #expect(await fixture.client.nextEvent()?.disconnection != nil)
        let last = await fixture.connector.next()
        await last.welcome()
        #expect(await fixture.client.nextEvent()?.isConnected == true)
        #expect(last.isQuiet)
    }

    @Test func watchesNoMoreCountsThanItMay() async throws {
        var limits = ClientLimits()
        limits.countsMax = 2
        let fixture = Fixture(limits)
        let socket = await fixture.connected()
        async let counts = fixture.client.watch(conversations: ["c1", "c2"])
        socket.ok(await socket.next(), #""conversations":[]"#)
        _ = try await counts
        await #expect(throws: RoostFailure.invalid("at most 2 conversations")) {
            try await fixture.client.watch(conversations: ["c3"])
        }
        // Those that are watched may be asked for again.
        async let again = fixture.client.watch(conversations: ["c2"])
        socket.ok(await socket.next(), #""conversations":[]"#)
        _ = try await again
    }
}
