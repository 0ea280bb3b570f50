import RoostWire
import Testing

@testable import RoostClient

/// The commands about pinned messages and threads.
@Suite struct PinCommandTests {
    let fixture = Fixture()

    @Test func pinsAndListsMessages() async throws {
        let socket = await fixture.connected()
        let pins = fixture.client.pins
        async let pinned = pins.pin(SequenceNumber(3), in: "c-1")
        let pin = await socket.next()
        #expect(pin.type == "conversation.pin" && pin["conversation"] == "c-1" && pin.json?["sequence"]?.integer == 3)
        socket.ok(pin, #""position":"e-1","time":5"#)
        #expect(try await pinned.time == Timestamp(milliseconds: 5))
        async let unpinned = pins.unpin(SequenceNumber(3), in: "c-1")
        let unpin = await socket.next()
        #expect(unpin.type == "conversation.unpin")
        socket.ok(unpin, #""duplicate":true"#)
        #expect(try await unpinned.time == nil, "it changed nothing")
        async let page = pins.page(of: "c-1", before: "x", limit: 2)
        let list = await socket.next()
        #expect(list.type == "conversation.pins" && list["before"] == "x" && list.json?["limit"]?.integer == 2)
        socket.ok(list, #""conversation":"c-1","pins":[{"sequence":3,"by":"bob","time":5}],"next":"y""#)
        #expect(try await page.pins.map(\.by) == ["bob"])
    }

    @Test func readsTheMessagesOfAThread() async throws {
        let socket = await fixture.connected()
        async let page = fixture.client.history(of: "c-1", thread: SequenceNumber(4), before: SequenceNumber(9))
        let command = await socket.next()
        #expect(command.json?["thread"]?.integer == 4 && command.json?["before"]?.integer == 9)
        socket.ok(command, #""conversation":"c-1","messages":[],"more":false"#)
        #expect(try await page.messages.isEmpty)
    }
}
