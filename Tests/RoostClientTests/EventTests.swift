import RoostTestClient
import Testing

@testable import RoostClient
@testable import RoostWire

@Suite(.timeLimit(.minutes(3))) struct EventTests {
    @Test func readsEveryKindOfEvent() async {
        let fixture = Fixture()
        let socket = await fixture.connected()
        let common = #""conversation":"c1","position":"9","time":5"#
        let target = MessageTarget(
            conversation: "c1", sequence: SequenceNumber(2), position: "9", from: "bob",
            time: Timestamp(milliseconds: 5))
        let pairs: [(String, RoostEvent)] = [
            (
                #"{"type":"delete",\#(common),"sequence":2,"from":"bob"}"#,
                .deleted(MessageDeletion(target: target))
            ),
            (
                #"{"type":"gap","conversation":"c1","from":1,"to":960,"reset":true}"#,
                .gap(
                    MessageGap(
                        conversation: "c1", from: SequenceNumber(1), to: SequenceNumber(960), isReset: true))
            ),
            (#"{"type":"live","position":"9"}"#, .live(position: "9")),
            (
                #"{"type":"receipt","conversation":"c1","user":"bob","delivered":7,"deliveredAt":3,"read":6}"#,
                .receipt(
                    Receipt(
                        conversation: "c1", user: "bob", delivered: SequenceNumber(7),
                        deliveredAt: Timestamp(milliseconds: 3), read: SequenceNumber(6)))
            ),
            (
                #"{"type":"typing","conversation":"c1","user":"bob","active":true}"#,
                .typing(TypingChange(conversation: "c1", who: .user("bob"), isActive: true))
            ),
            (
                #"{"type":"presence","users":[{"user":"bob","state":"offline","lastSeen":4},{"state":"?"}]}"#,
                .presence([UserPresence(user: "bob", state: .offline, lastSeen: Timestamp(milliseconds: 4))])
            ),
            (#"{"type":"presence","users":[],"late":250}"#, .presence([], late: .milliseconds(250))),
            (#"{"type":"drain","after":1200}"#, .drain(.milliseconds(1_200))),
        ]
        for (json, event) in pairs {
            socket.deliver(json)
            #expect(await fixture.client.nextEvent() == event)
        }
        socket.deliver(
            #"{"type":"react","conversation":"c1","position":"10","time":5,"sequence":2,"from":"bob","reaction":"👍"}"#)
        guard case .reacted(let reaction) = await fixture.client.nextEvent() else {
            Issue.record("no reaction")
            return
        }
        #expect(reaction.reaction == "👍" && !reaction.isRemoved)
        socket.deliver(
            #"{"type":"conversation","event":"left",\#(common.replacing("9", with: "11")),"sequence":3,"#
                + #""by":"bob","owner":"eve"}"#
        )
        guard case .conversation(let change) = await fixture.client.nextEvent() else {
            Issue.record("no change")
            return
        }
        #expect(change.change == .left(owner: "eve"))
        socket.deliver(
            #"{"type":"signal","conversation":"c1","from":"bob","device":"d","time":5,"kind":"k","body":null}"#)
        guard case .signal(let signal) = await fixture.client.nextEvent() else {
            Issue.record("no signal")
            return
        }
        #expect(signal.body.json == Array("null".utf8))
    }

    @Test(arguments: [
        (#""user":"bob","replyTo":7,"active":false"#, TypingChange.Who.user("bob"), Int64(7) as Int64?, false),
        (#""user":"bob","several":false,"active":true"#, .user("bob"), nil, true),
        (#""several":true,"active":true"#, .several, nil, true),
    ])
    func readsWhereSomebodyTypesAndThatSeveralDo(
        members: String, who: TypingChange.Who, replyTo: Int64?, isActive: Bool
    ) async {
        let fixture = Fixture()
        let socket = await fixture.connected()
        socket.deliver("{\"type\":\"typing\",\"conversation\":\"c1\",\(members)}")
        let change = TypingChange(
            conversation: "c1", who: who, replyTo: replyTo.map { SequenceNumber($0) }, isActive: isActive)
        #expect(await fixture.client.nextEvent() == .typing(change))
    }

    @Test func ignoresUnknownEventsAndMembers() async {
        let fixture = Fixture()
        let socket = await fixture.connected()
        for text in [
            "", "[]", "{}", #"{"type":7}"#, #"{"type":"novelty"}"#, #"{"type":"message","sequence":"1"}"#,
            #"{"type":"ok","re":999}"#, #"{"type":"error","code":"bad_json"}"#, #"{"type":"typing"}"#,
        ] {
            socket.deliver(text)
        }
        socket.deliver(messageJSON(1))
        #expect(await fixture.client.nextEvent()?.sequence == 1)
    }

    @Test func reportsEachEventOnce() async {
        let fixture = Fixture()
        let old = await fixture.connected()
        for sequence in 1...3 { old.deliver(messageJSON(sequence)) }
        #expect(await fixture.client.nextEvent()?.sequence == 1)
        old.close(1006)
        let new = await fixture.connector.next()
        await new.welcome()
        // The application had not taken the second and third when the connection was lost. It still gets them.
        for sequence in 1...4 { new.deliver(messageJSON(sequence)) }
        var sequences: [Int64] = []
        while sequences.last != 4 {
            if let sequence = await fixture.client.nextEvent()?.sequence { sequences.append(sequence) }
        }
        #expect(sequences == [2, 3, 4])
    }

    @Test func aServerThatStartsOverIsNotTakenForARepetition() async {
        let fixture = Fixture()
        let socket = await fixture.connected()
        socket.deliver(messageJSON(1))
        #expect(await fixture.client.nextEvent()?.sequence == 1)
        socket.deliver(messageJSON(1).replacing("\"time\":10", with: "\"time\":11"))
        #expect(await fixture.client.nextEvent()?.sequence == 1)
    }

    // MARK: Acks

    @Test func acksOnceForAllProcessedEvents() async {
        let fixture = Fixture()
        let socket = await fixture.connected()
        for sequence in 1...4 { socket.deliver(messageJSON(sequence)) }
        for sequence in 1...4 { #expect(await fixture.client.nextEvent()?.sequence == Int64(sequence)) }
        // The fourth is still being worked on.
        await fixture.clock.pass(.milliseconds(100))
        let ack = await socket.next()
        #expect(ack.type == "ack")
        #expect(ack["position"] == "103")
        #expect(socket.isQuiet)
    }

    @Test func acksAtOnceAfterManyEvents() async {
        var limits = ClientLimits()
        limits.ackEvents = 2
        let fixture = Fixture(limits)
        let socket = await fixture.connected()
        for sequence in 1...5 { socket.deliver(messageJSON(sequence)) }
        for _ in 1...5 { _ = await fixture.client.nextEvent() }
        #expect(await socket.next()["position"] == "102")
        #expect(await socket.next()["position"] == "104")
        #expect(socket.isQuiet)
    }

    @Test func acksRepetitionsOnTheNewConnection() async {
        let fixture = Fixture()
        let old = await fixture.connected()
        old.deliver(messageJSON(1))
        #expect(await fixture.client.nextEvent()?.sequence == 1)
        old.close(1006)
        #expect(await fixture.client.nextEvent()?.disconnection != nil)
        let new = await fixture.connector.next()
        await new.welcome()
        #expect(await fixture.client.nextEvent()?.isConnected == true)
        // The application took the event, but no ack was sent on this connection.
        #expect(new.isQuiet)
        new.deliver(messageJSON(1))
        async let event = fixture.client.nextEvent()
        await fixture.clock.pass(.milliseconds(100))
        #expect(await new.next()["position"] == "101")
        new.deliver(messageJSON(2))
        #expect(await event?.sequence == 2)
    }

    @Test func aPositionIsValidOnlyOnItsOwnConnection() async {
        var limits = ClientLimits()
        limits.ackEvents = 1
        let fixture = Fixture(limits)
        let old = await fixture.connected()
        old.deliver(messageJSON(1))
        old.close(1006)
        let new = await fixture.connector.next()
        await new.welcome("\"expires\":4600000")
        await fixture.clock.sleeper(for: .seconds(3_540))
        #expect(await fixture.client.nextEvent()?.sequence == 1)
        #expect(await fixture.client.nextEvent()?.disconnection != nil)
        #expect(await fixture.client.nextEvent()?.isConnected == true)
        new.deliver(messageJSON(2))
        #expect(await fixture.client.nextEvent()?.sequence == 2)
        new.deliver(messageJSON(3))
        #expect(await fixture.client.nextEvent()?.sequence == 3)
        #expect(await new.next()["position"] == "102")
    }

    @Test func aMessageStoredByAnEarlierTryIsNotAcked() async throws {
        let fixture = Fixture()
        let socket = await fixture.connected()
        socket.deliver(messageJSON(1))
        #expect(await fixture.client.nextEvent()?.sequence == 1)
        async let receipt = fixture.client.send("hi", to: "c1")
        socket.ok(
            await socket.next(), #""conversation":"c1","sequence":1,"position":"50","time":1,"duplicate":true"#)
        _ = try await receipt
        async let event = fixture.client.nextEvent()
        await fixture.clock.pass(.milliseconds(100))
        #expect(await socket.next()["position"] == "101")
        socket.deliver(messageJSON(2))
        #expect(await event?.sequence == 2)
    }

    @Test func whileItCatchesUpItsOwnMessagesAreNotAcked() async throws {
        let fixture = Fixture()
        let socket = await fixture.connected()
        socket.deliver(messageJSON(1))
        #expect(await fixture.client.nextEvent()?.sequence == 1)
        async let receipt = fixture.client.send("hi", to: "c1")
        socket.ok(await socket.next(), #""conversation":"c1","sequence":3,"position":"103","time":30"#)
        _ = try await receipt
        async let event = fixture.client.nextEvent()
        await fixture.clock.pass(.milliseconds(100))
        #expect(await socket.next()["position"] == "101")
        socket.deliver(messageJSON(2))
        #expect(await event?.sequence == 2)
    }

    @Test func acksItsOwnMessagesInTheirPlace() async throws {
        let fixture = Fixture()
        let socket = await fixture.connected()
        socket.deliver(#"{"type":"live","position":"100"}"#)
        _ = await fixture.client.nextEvent()
        socket.deliver(messageJSON(1))
        async let receipt = fixture.client.send("hi", to: "c1")
        socket.ok(await socket.next(), #""conversation":"c1","sequence":2,"position":"102","time":20"#)
        _ = try await receipt
        // It is not acked before the events that came before it were taken.
        #expect(socket.isQuiet)
        #expect(await fixture.client.nextEvent()?.sequence == 1)
        async let event = fixture.client.nextEvent()
        await fixture.clock.pass(.milliseconds(100))
        #expect(await socket.next()["position"] == "102")
        // During catch-up the server also sends the user's own message.
        socket.deliver(messageJSON(2, from: "alice", device: "phone"))
        socket.deliver(messageJSON(3))
        #expect(await event?.sequence == 3)
    }

    @Test func anOwnMessageThatComesBackIsItsReceipt() async throws {
        let fixture = Fixture()
        let old = await fixture.connected()
        async let receipt = fixture.client.send("hi", to: "@bob", key: "mine")
        _ = await old.next()
        old.close(1006)
        #expect(await fixture.client.nextEvent()?.disconnection != nil)
        let new = await fixture.connector.next()
        await new.welcome()
        #expect(await fixture.client.nextEvent()?.isConnected == true)
        let again = await new.next()
        new.deliver(messageJSON(1, from: "alice", device: "phone", key: "mine"))
        #expect(try await receipt.sequence == SequenceNumber(1))
        new.ok(again, #""conversation":"c1","sequence":1,"position":"101","time":10,"duplicate":true"#)
        new.deliver(messageJSON(2))
        #expect(await fixture.client.nextEvent()?.sequence == 2)
    }

    // MARK: Limits

    @Test func aSlowApplicationLosesNothing() async {
        var limits = ClientLimits()
        limits.eventsMax = 3
        let fixture = Fixture(limits)
        let old = await fixture.connected()
        for sequence in 1...5 { old.deliver(messageJSON(sequence)) }
        await old.closed()
        for sequence in 1...3 { #expect(await fixture.client.nextEvent()?.sequence == Int64(sequence)) }
        #expect(fixture.connector.isIdle)
        let disconnection = await fixture.client.nextEvent()?.disconnection
        #expect(disconnection?.willRetryIn == nil)
        #expect(disconnection?.isFinal == false)
        let new = await fixture.connector.next()
        await new.welcome()
        #expect(await fixture.client.nextEvent()?.isConnected == true)
        for sequence in 1...5 {
            new.deliver(messageJSON(sequence))
            if sequence > 3 { #expect(await fixture.client.nextEvent()?.sequence == Int64(sequence)) }
        }
    }

    @Test func failedTriesDoNotPileUp() {
        var buffer = EventBuffer(most: 2)
        for number in 0..<10 {
            buffer.addOwn(
                .disconnected(
                    Disconnection(code: nil, reason: "\(number)", willRetryIn: .seconds(1), isFinal: false)))
        }
        for number in 0..<10 { buffer.add(EventBuffer.Mark(position: "\(number)", connection: 1)) }
        #expect(buffer.count == 2)
        let entries = [buffer.next(), buffer.next(), buffer.next()]
        #expect(entries[0]?.event?.disconnection?.reason == "9")
        #expect(entries[1]?.mark?.position == "9")
        #expect(entries[2] == nil)
    }

    @Test func theInboxClosesWhenTooMuchWaits() async {
        let inbox = Inbox(eventsMax: 2, bytesMax: 100)
        for _ in 0..<4 { inbox.post(.text([1])) }
        let events = await inbox.take()
        #expect(events.count == 3)
        #expect(events.last == .closed(code: 1006, reason: "more arrived than could be read"))
        #expect(await inbox.take().isEmpty)
        let narrow = Inbox(eventsMax: 10, bytesMax: 100)
        narrow.post(.text([UInt8](repeating: 1, count: 101)))
        #expect(await narrow.take() == [.closed(code: 1006, reason: "more arrived than could be read")])
    }

    @Test func theOldestEventIsForgottenFirst() {
        var recent = RecentEvents(most: 2)
        var isNew: [Bool] = []
        for position in ["1", "1", "2", "3", "2", "1"] { isNew.append(recent.insert(position, .never)) }
        #expect(isNew == [true, false, true, true, false, true])
    }

    @Test func hasOneReader() async {
        let fixture = Fixture()
        let socket = await fixture.connected()
        async let first = fixture.client.nextEvent()
        async let second = fixture.client.nextEvent()
        socket.deliver(messageJSON(1))
        // A reader that comes after the end sees the end.
        socket.close(4500)
        let sequences = await [first?.sequence, second?.sequence]
        #expect(sequences.contains(1))
    }

    @Test func aReaderThatIsCancelledStops() async {
        let fixture = Fixture()
        _ = await fixture.connected()
        let client = fixture.client
        let task = Task {
            for await _ in client.events {}
            return true
        }
        task.cancel()
        #expect(await task.value)
    }

    @Test func remembersNoMoreReadMarksAndWatchesThanItMay() async throws {
        var limits = ClientLimits()
        limits.readsMax = 1
        limits.watchCallsMax = 1
        let fixture = Fixture(limits)
        await fixture.client.read("c1", upTo: SequenceNumber(1))
        await fixture.client.read("c2", upTo: SequenceNumber(1))
        await fixture.client.read("c1", upTo: SequenceNumber(2))
        let socket = await fixture.connected()
        let read = await socket.next()
        #expect(read["conversation"] == "c1")
        #expect(read.json?["sequence"]?.integer == 2)
        #expect(socket.isQuiet)
        async let watched = fixture.client.watch(["bob"])
        socket.ok(await socket.next(), #""users":[]"#)
        _ = try await watched
        await #expect(throws: RoostFailure.invalid("at most 1000 users, in 1 calls")) {
            try await fixture.client.watch(["eve"])
        }
    }

    // MARK: Data that the server forgets

    @Test func repeatsStateThatTheServerForgets() async throws {
        let fixture = Fixture()
        let old = await fixture.connected()
        async let watched = fixture.client.watch(["bob"])
        old.ok(await old.next(), #""users":[{"user":"bob","state":"online"}]"#)
        #expect(try await watched.first?.state == .online)
        async let idle: Void = fixture.client.setActivity(.idle)
        old.ok(await old.next())
        try await idle
        await fixture.client.read("c1", upTo: SequenceNumber(4))
        #expect(await old.next().json?["sequence"]?.integer == 4)
        await fixture.client.read("c1", upTo: SequenceNumber(6))
        await fixture.client.read("c1", upTo: SequenceNumber(5))
        #expect(old.isQuiet)
        old.close(1006)
        #expect(await fixture.client.nextEvent()?.disconnection != nil)
        let new = await fixture.connector.next()
        await new.welcome()
        #expect(await fixture.client.nextEvent()?.isConnected == true)
        #expect(await new.next()["state"] == "idle")
        let watch = await new.next()
        new.ok(watch, #""users":[{"user":"bob","state":"away"}]"#)
        guard case .presence(let presences, _) = await fixture.client.nextEvent() else {
            Issue.record("no presence")
            return
        }
        #expect(presences.first?.state == .away)
        let read = await new.next()
        #expect(read.json?["sequence"]?.integer == 6)
        new.ok(read)
    }

    @Test func waitsUseTheWholeRange() {
        var backoff = Backoff(first: .seconds(1), most: .seconds(4))
        var counting = Counting()
        var greatest = Greatest()
        var waits = [backoff.next(&counting)]
        for _ in 0..<3 { waits.append(backoff.next(&greatest)) }
        #expect(waits == [.zero, .seconds(2), .seconds(4), .seconds(4)])
        backoff.reset()
        #expect(backoff.range == .seconds(1))
    }
}
