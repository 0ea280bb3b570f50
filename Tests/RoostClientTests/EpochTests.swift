import RoostTestClient
import RoostWire
import Testing

@testable import RoostClient

/// A log that was started anew or restored: positions and sequences of the log before it mean nothing here.
@Suite struct EpochTests {
    /// The next connection, whose `welcome` names this epoch.
    private func reconnect(_ fixture: Fixture, _ old: FakeSocket, epoch: String) async -> FakeSocket {
        old.close(1006)
        #expect(await fixture.client.nextEvent()?.disconnection != nil)
        let new = await fixture.connector.next()
        await new.welcome("\"epoch\":\"\(epoch)\"")
        guard case .connected(let welcome, _) = await fixture.client.nextEvent() else {
            Issue.record("not connected")
            return new
        }
        #expect(welcome.epoch == epoch)
        return new
    }

    @Test func theSameLogRepeats() async {
        let fixture = Fixture()
        let old = await fixture.connected()
        old.deliver(messageJSON(1))
        #expect(await fixture.client.nextEvent()?.sequence == 1)
        let new = await reconnect(fixture, old, epoch: "one")
        new.deliver(messageJSON(1))
        new.deliver(messageJSON(2))
        #expect(await fixture.client.nextEvent()?.sequence == 2)
    }

    @Test func anotherLogDoesNot() async {
        let fixture = Fixture()
        let old = await fixture.connected()
        old.deliver(messageJSON(1))
        #expect(await fixture.client.nextEvent()?.sequence == 1)
        let new = await reconnect(fixture, old, epoch: "two")
        new.deliver(messageJSON(1))
        #expect(await fixture.client.nextEvent()?.sequence == 1)
        // The client acks it with a position of that log.
        async let event = fixture.client.nextEvent()
        await fixture.clock.pass(.milliseconds(100))
        let ack = await new.next()
        #expect(ack.type == "ack")
        #expect(ack["position"] == "101")
        new.deliver(messageJSON(2))
        #expect(await event?.sequence == 2)
    }

    @Test func marksOfAnotherLogAreNotTold() async {
        let fixture = Fixture()
        let old = await fixture.connected()
        old.close(1006)
        #expect(await fixture.client.nextEvent()?.disconnection != nil)
        await fixture.client.read("c1", upTo: SequenceNumber(9))
        let new = await fixture.connector.next()
        await new.welcome("\"epoch\":\"two\"")
        #expect(await fixture.client.nextEvent()?.isConnected == true)
        #expect(new.isQuiet)
        // The first message of the new log may be read again.
        await fixture.client.read("c1", upTo: SequenceNumber(1))
        let read = await new.next()
        #expect(read.type == "read")
        #expect(read.json?["sequence"]?.integer == 1)
    }

    @Test func waitingCommandsStay() async throws {
        let fixture = Fixture()
        let old = await fixture.connected()
        async let receipt = fixture.client.send("hi", to: "@bob", key: "k1")
        #expect(await old.next()["key"] == "k1")
        let new = await reconnect(fixture, old, epoch: "two")
        let again = await new.next()
        #expect(again["key"] == "k1")
        new.ok(again, SendTests.stored)
        #expect(try await receipt.sequence == SequenceNumber(1))
    }
}
