import RoostTestClient
import RoostWire
import Testing

@testable import RoostClient

@Suite(.timeLimit(.minutes(3))) struct SendTests {
    static let stored = #""conversation":"c1","sequence":1,"position":"101","time":10"#

    @Test func returnsTheStoredMessage() async throws {
        let fixture = Fixture()
        let socket = await fixture.connected()
        async let receipt = fixture.client.send("a \"b\"\n", to: "@bob", replyTo: SequenceNumber(3), key: "k")
        let send = await socket.next()
        #expect(send.type == "send")
        #expect(send["to"] == "@bob")
        #expect(send["key"] == "k")
        #expect(send["body"] == "a \"b\"\n")
        #expect(send.json?["kind"] == nil)
        #expect(send.json?["replyTo"]?.integer == 3)
        socket.ok(send, Self.stored)
        #expect(
            try await receipt
                == StoredMessage(
                    conversation: "c1", sequence: SequenceNumber(1), position: "101", time: Timestamp(milliseconds: 10),
                    isDuplicate: false))
    }

    @Test func sendsAgainWithTheSameKeyUntilItIsAcked() async throws {
        let fixture = Fixture()
        var socket = await fixture.connected()
        async let receipt = fixture.client.send("hi", to: "@bob")
        let first = await socket.next()
        for _ in 0..<3 {
            socket.close(1006)
            socket = await fixture.connector.next()
            await socket.welcome()
            let again = await socket.next()
            #expect(again.type == "send")
            #expect(again["key"] == first["key"])
            #expect(again.id != first.id)
        }
        let again = await retry(of: first, on: fixture, after: &socket)
        socket.ok(again, Self.stored + #","duplicate":true"#)
        #expect(try await receipt.isDuplicate)
        #expect(socket.isQuiet)
    }

    private func retry(
        of first: FakeSocket.Sent, on fixture: Fixture, after socket: inout FakeSocket
    ) async -> FakeSocket.Sent {
        socket.close(4001)
        socket = await fixture.connector.next()
        await socket.welcome()
        return await socket.next()
    }

    @Test func keysDiffer() async {
        let fixture = Fixture()
        let socket = await fixture.connected()
        async let one = fixture.client.send("1", to: "a")
        let first = await socket.next()
        async let other = fixture.client.send("2", to: "b")
        let second = await socket.next()
        #expect(first["key"] != second["key"])
        #expect(first["key"].utf8.count == 32)
        socket.close(4500)
        _ = try? await (one, other)
    }

    @Test func waitsAsTheServerSaidWhenItIsBusy() async throws {
        let fixture = Fixture(generator: Greatest())
        let socket = await fixture.connected()
        async let receipt = fixture.client.send("hi", to: "@bob", key: "k")
        socket.refuse(await socket.next(), "busy", retry: true, after: 250)
        await fixture.clock.pass(.milliseconds(750))
        let second = await socket.next()
        #expect(second["key"] == "k")
        socket.refuse(second, "rate_limited", retry: true, after: 1)
        await fixture.clock.pass(.milliseconds(1_001))
        socket.ok(await socket.next(), Self.stored)
        #expect(try await receipt.sequence == SequenceNumber(1))
    }

    @Test func waitsForASlowGroupAndSendsToOthers() async throws {
        let fixture = Fixture(generator: Greatest())
        let socket = await fixture.connected()
        async let receipt = fixture.client.send("hi", to: "c-1", key: "k")
        socket.refuse(await socket.next(), "rate_limited", retry: true, after: 30_000, in: "c-1")
        async let other = fixture.client.send("hi", to: "@bob", key: "o")
        let next = await socket.next()
        #expect(next["key"] == "o")
        socket.ok(next, Self.stored)
        _ = try await other
        await fixture.clock.pass(.milliseconds(30_500))
        let again = await socket.next()
        #expect(again["key"] == "k")
        socket.ok(again, Self.stored)
        #expect(try await receipt.sequence == SequenceNumber(1))
    }

    @Test func throwsFinalRefusals() async {
        let fixture = Fixture()
        let socket = await fixture.connected()
        async let receipt = fixture.client.send("hi", to: "nowhere")
        socket.refuse(await socket.next(), "not_found")
        do {
            _ = try await receipt
            Issue.record("it was sent")
        } catch {
            guard case .refused(let refusal)? = error as? RoostFailure else {
                Issue.record("\(error)")
                return
            }
            #expect(refusal.is(.notFound))
        }
    }

    @Test func renewsTheTokenAndSendsAgain() async throws {
        let fixture = Fixture()
        let socket = await fixture.connected()
        async let receipt = fixture.client.send("hi", to: "@bob", key: "k")
        socket.refuse(await socket.next(), "token_expired")
        let refresh = await socket.next()
        #expect(refresh.type == "refresh")
        socket.ok(refresh, #""expires":9000000"#)
        let again = await socket.next()
        #expect(again["key"] == "k")
        socket.ok(again, Self.stored)
        _ = try await receipt
    }

    @Test func anyCommandThatFindsTheTokenExpiredHasItRenewed() async throws {
        let fixture = Fixture()
        let socket = await fixture.connected()
        async let page = fixture.client.history(of: "c1")
        socket.refuse(await socket.next(), "token_expired")
        #expect(await socket.next().type == "refresh")
        do {
            _ = try await page
            Issue.record("it was refused")
        } catch {}
    }

    @Test func aMissingReplyMakesItSendAgain() async throws {
        let fixture = Fixture()
        let socket = await fixture.connected()
        async let receipt = fixture.client.send("hi", to: "@bob", key: "k")
        _ = await socket.next()
        // The server answers, so the connection is kept.
        socket.deliver(messageJSON(5))
        #expect(await fixture.client.nextEvent()?.sequence == 5)
        await fixture.clock.pass(.seconds(10))
        let again = await socket.next()
        #expect(again["key"] == "k")
        socket.ok(again, Self.stored)
        _ = try await receipt
        #expect(socket.closeCodes.isEmpty)
    }

    @Test func keepsTheOrderOnlyWithinADestination() async throws {
        let fixture = Fixture()
        let socket = await fixture.connected()
        async let one = fixture.client.send("1", to: "c1")
        let first = await socket.next()
        async let two = fixture.client.send("2", to: "c1")
        async let three = fixture.client.send("3", to: "c2")
        let third = await socket.next()
        #expect(third["body"] == "3")
        #expect(socket.isQuiet)
        socket.ok(first, Self.stored)
        let second = await socket.next()
        #expect(second["body"] == "2")
        socket.ok(second, #""conversation":"c1","sequence":2,"position":"102","time":11"#)
        socket.ok(third, #""conversation":"c2","sequence":1,"position":"103","time":12"#)
        _ = try await (one, two, three)
    }

    @Test func keepsMessagesSentWithoutASession() async throws {
        let fixture = Fixture()
        await fixture.client.connect()
        async let receipt = fixture.client.send("hi", to: "@bob")
        let socket = await fixture.connector.next()
        await socket.welcome()
        socket.ok(await socket.next(), Self.stored)
        _ = try await receipt
    }

    @Test func aSocketThatIsFullIsTriedAgain() async throws {
        let fixture = Fixture(generator: Greatest())
        let socket = await fixture.connected()
        socket.fill(true)
        async let receipt = fixture.client.send("hi", to: "@bob")
        await fixture.clock.sleeper(for: .milliseconds(500))
        socket.fill(false)
        await fixture.clock.pass(.milliseconds(500))
        socket.ok(await socket.next(), Self.stored)
        _ = try await receipt
    }

    // MARK: Limits

    @Test func refusesMessagesBeyondItsQueue() async {
        var limits = ClientLimits()
        limits.outgoingMax = 1
        let fixture = Fixture(limits)
        let socket = await fixture.connected()
        async let first = fixture.client.send("1", to: "a")
        _ = await socket.next()
        await #expect(throws: RoostFailure.queueFull) { try await fixture.client.send("2", to: "b") }
        socket.close(4500)
        _ = try? await first
    }

    @Test func neverSendsACommandThatWouldEndTheSession() async {
        let fixture = Fixture()
        let socket = await fixture.connected()
        let text = String(repeating: "x", count: 4_096)
        do {
            _ = try await fixture.client.send(text, to: "@bob")
            Issue.record("it was sent")
        } catch {
            guard case .tooLarge(_, atMost: 4_096) = error else {
                Issue.record("\(error)")
                return
            }
        }
        #expect(socket.isQuiet)
    }

    @Test func refusesTheSameKeyTwiceAtOnce() async {
        let fixture = Fixture()
        let socket = await fixture.connected()
        async let first = fixture.client.send("1", to: "a", key: "k")
        _ = await socket.next()
        do {
            _ = try await fixture.client.send("2", to: "b", key: "k")
            Issue.record("it was sent")
        } catch {
            #expect(error == .invalid("a message with this key waits to be sent"))
        }
        socket.close(4500)
        _ = try? await first
    }

    @Test func refusesABodyThatIsNotJSON() async {
        let fixture = Fixture()
        let socket = await fixture.connected()
        for body in ["", "{", "1}", "1,\"key\":\"x\"", "1 2"] {
            await #expect(throws: RoostFailure.invalid("the body isn't JSON")) {
                try await fixture.client.send("x", json: Array(body.utf8), to: "@bob")
            }
        }
        #expect(socket.isQuiet)
    }

    @Test func aCancelledSendIsForgotten() async {
        let fixture = Fixture()
        let client = fixture.client
        let task = Task { try await client.send("hi", to: "@bob", key: "k") }
        task.cancel()
        await #expect(throws: RoostFailure.cancelled) { try await task.value }
        let socket = await fixture.connected()
        #expect(socket.isQuiet)
    }

    @Test func refusesMoreCommandsThanMayWait() async {
        var limits = ClientLimits()
        limits.commandsMax = 1
        let fixture = Fixture(limits)
        let socket = await fixture.connected()
        async let page = fixture.client.history(of: "c1")
        let history = await socket.next()
        await #expect(throws: RoostFailure.tooManyCommands) { try await fixture.client.leave("c1") }
        socket.ok(history, #""conversation":"c1","messages":[],"more":false"#)
        _ = try? await page
        async let left: Void = fixture.client.leave("c1")
        socket.ok(await socket.next())
        _ = try? await left
    }

    /// A page may begin and end with messages that the server can't read; the next page begins beyond them.
    @Test func aPageOfHistoryNamesItsGaps() async throws {
        let fixture = Fixture()
        let socket = await fixture.connected()
        async let page = fixture.client.history(of: "@bob", limit: 5)
        let message = #"{"conversation":"c1","sequence":4,"position":"p-9","from":"bob","time":1,"body":"x"}"#
        socket.ok(
            await socket.next(),
            #""conversation":"c1","messages":[\#(message)],"gaps":[{"from":2,"to":3},{"from":5,"to":5}],"more":true"#)
        let found = try await page
        #expect(found.messages.map(\.sequence.value) == [4])
        #expect(found.gaps.map(\.conversation) == ["c1", "c1"])
        #expect(found.gaps.map(\.from.value) == [2, 5] && found.gaps.map(\.to.value) == [3, 5])
        #expect(found.first?.value == 2 && found.last?.value == 5)
    }

    @Test func aCommandDoesNotWaitForASession() async {
        let fixture = Fixture()
        await #expect(throws: RoostFailure.notConnected) { try await fixture.client.leave("c1") }
    }

    @Test func aCommandThatLosesItsConnectionSaysSo() async {
        let fixture = Fixture()
        let socket = await fixture.connected()
        let client = fixture.client
        let task = Task { try await client.history(of: "c1") }
        _ = await socket.next()
        socket.close(1006)
        await #expect(throws: RoostFailure.connectionLost) { try await task.value }
    }

    // MARK: The queue

    private func message(_ key: String, to: String, bytes: Int = 1) -> OutgoingMessage {
        OutgoingMessage(to: to, key: key, body: [UInt8](repeating: 0x31, count: bytes))
    }

    @Test func theQueueCountsBytes() {
        var queue = OutgoingQueue(most: 10, bytesMost: 100, atOnce: 4)
        var failures: [RoostFailure?] = []
        failures.append(queue.add(message("a", to: "x", bytes: 60), finish: { _ in }))
        failures.append(queue.add(message("b", to: "x", bytes: 41), finish: { _ in }))
        _ = queue.remove("a")
        failures.append(queue.add(message("b", to: "x", bytes: 100), finish: { _ in }))
        #expect(failures == [nil, .queueFull, nil])
    }

    @Test func theQueueKeepsTheOrderOfRepeatedMessages() {
        var queue = OutgoingQueue(most: 10, bytesMost: 100, atOnce: 2)
        for (key, to) in [("a", "x"), ("b", "x"), ("c", "y"), ("d", "z")] {
            _ = queue.add(message(key, to: to), finish: { _ in })
        }
        var taken = [queue.takeNext()?.key, queue.takeNext()?.key, queue.takeNext()?.key]
        #expect(taken == ["a", "c", nil])
        queue.putBack("a")
        taken = [queue.takeNext()?.key]
        _ = queue.remove("c")
        taken.append(queue.takeNext()?.key)
        queue.putBack("a")
        queue.putBack("d")
        taken.append(queue.takeNext()?.key)
        _ = queue.remove("a")
        taken.append(queue.takeNext()?.key)
        #expect(taken == ["a", "d", "a", "b"])
    }
}
