import RoostLock
import RoostTestClient
import RoostWire
import Testing

@testable import RoostClient

/// A client whose application keeps its own position, and takes events in batches.
@Suite(.timeLimit(.minutes(3))) struct ResumeTests {
    private let connector = FakeConnector()
    private let clock = ManualClock()
    private let client: ChatClient
    private let place = Place()

    private final class Place: Sendable {
        let position = Locked<String?>(nil)
    }

    init() {
        client = ChatClient(
            url: "ws://relay/v1/socket", device: "phone", connector: connector, clock: clock, generator: Greatest(),
            resume: { [place] in place.position.withLock { $0 } }, token: { "token" })
    }

    @Test func eachHelloNamesThePositionOfThatMoment() async {
        place.position.withLock { $0 = "e-5" }
        await client.connect()
        let socket = await connector.next()
        #expect(await socket.welcome()["resume"] == "e-5")
        guard case .connected(_, let isResumed) = await client.nextEvent() else {
            Issue.record("no session")
            return
        }
        #expect(isResumed)
        place.position.withLock { $0 = "e-7" }
        socket.close(1006)
        _ = await client.nextEvent()
        await clock.pass(.milliseconds(500))
        #expect(await connector.next().welcome()["resume"] == "e-7")
    }

    @Test func aPositionThatTheLogNeverGaveIsLeftOut() async {
        place.position.withLock { $0 = "old-5" }
        await client.connect()
        let socket = await connector.next()
        socket.open()
        let hello = await socket.next()
        #expect(hello["resume"] == "old-5")
        socket.deliver(
            #"{"type":"error","re":\#(hello.id ?? -1),"code":"bad_position","reason":"no","retry":false}"#)
        let second = await socket.welcome()
        #expect(second.json?["resume"] == nil)
        #expect(second["token"] == "token")
        guard case .connected(_, let isResumed) = await client.nextEvent() else {
            Issue.record("no session")
            return
        }
        #expect(!isResumed)
    }

    @Test func aBatchIsAckedWhenTheNextOneIsAskedFor() async {
        await client.connect()
        let socket = await connector.next()
        await socket.welcome()
        _ = await client.nextEvent()
        for sequence in 1...5 { socket.deliver(messageJSON(sequence)) }
        socket.deliver(#"{"type":"live","position":"105"}"#)
        // The events pass through the inbox, so the first batch may have some of them only.
        var batch: [RoostEvent] = []
        while batch.count < 6 { batch += await client.nextEvents(atMost: 6 - batch.count) }
        #expect(batch.compactMap(\.sequence) == [1, 2, 3, 4, 5])
        #expect(batch.last == .live(position: "105"))
        let next = Task { await client.nextEvents(atMost: 9) }
        await clock.pass(.milliseconds(100))
        let ack = await socket.next()
        #expect(ack.type == "ack")
        #expect(ack["position"] == "105")
        socket.deliver(messageJSON(6))
        #expect(await next.value.compactMap(\.sequence) == [6])
    }

    @Test func wakingCutsTheWaitShort() async {
        await client.connect()
        await connector.next().fail("refused")
        _ = await client.nextEvent()
        await client.wake()
        // No time has passed.
        #expect(await connector.next().welcome().type == "hello")
    }
}
