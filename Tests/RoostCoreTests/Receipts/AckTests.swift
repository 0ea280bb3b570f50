import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// `ack` and `resume`: acked events don't come again, and all others do.
@Suite struct AckTests {
    let relay = RelayHarness(limits: .with { $0.windowBytes = 0 })
    let alice: HarnessClient
    let group: String

    init() {
        alice = relay.connect("alice")
        group = alice.makeGroup("bob")
    }

    private func post(_ texts: String...) { for text in texts { alice.post(text, to: group) } }

    /// Bob leaves and comes back with the same device.
    private func reconnect(_ bob: HarnessClient, resume: String? = nil) -> HarnessClient {
        bob.drop()
        return relay.connect("bob", resume: resume)
    }

    private func position(_ client: HarnessClient, _ text: String) -> String {
        client.frames("message").first { $0.text("body") == text }?.text("position") ?? "none"
    }

    @Test func unackedMessagesComeAgain() {
        let bob = relay.connect("bob")
        post("one", "two")
        #expect(reconnect(bob).bodies == ["one", "two"])
    }

    @Test func anAckCoversEverythingUpToIt() {
        let bob = relay.connect("bob")
        post("one", "two", "three")
        bob.tell("ack", ["position": "\(position(bob, "two"))"])
        #expect(reconnect(bob).bodies == ["three"])
    }

    @Test func anAckMayAskForAReply() {
        let bob = relay.connect("bob")
        post("one")
        bob.forget()
        bob.tell("ack", ["position": "memory-0"])
        #expect(bob.frames.isEmpty)
        #expect(bob.outcome("ack", ["position": "memory-0"]) == "ok")
    }

    @Test func anEarlierAckThatComesLaterChangesNothing() {
        let bob = relay.connect("bob")
        post("one", "two")
        bob.tell("ack", ["position": "\(position(bob, "two"))"])
        bob.tell("ack", ["position": "\(position(bob, "one"))"])
        #expect(reconnect(bob).bodies.isEmpty)
    }

    @Test func marksAreStoredAFewWithEachBatch() {
        let relay = RelayHarness(limits: .with { $0.watermarksPerBatch = 2 })
        let alice = relay.connect("alice")
        let users = ["bob", "carol", "dave", "erin", "frank"]
        let readers = users.map { relay.connect($0) }
        let group =
            alice.request(
                "conversation.create", ["kind": "group", "name": "Crew", "members": .list(users)])?["conversation"]?
            .text(
                "conversation") ?? "none"
        alice.post("hi", to: group)
        relay.advance(1_000)
        for reader in readers {
            reader.say(#"{"type":"ack","position":"\#(reader.frames("message")[0].text("position") ?? "")"}"#)
        }
        // Goes round the harness, which would commit one batch after the other.
        let later = Moment(monotonic: relay.now.monotonic + 1_000, wall: relay.now.wall)
        _ = relay.relay.nextDeadline(at: relay.now)
        relay.relay.tick(at: later)
        var cursors: [Int] = []
        var watermarks: [Int] = []
        while let batch = relay.relay.takeBatch(at: relay.now) {
            cursors.append(batch.count { if case .cursor = $0 { true } else { false } })
            watermarks.append(batch.count { if case .watermark = $0 { true } else { false } })
            relay.relay.committed([], at: later)
        }
        #expect(cursors == [2, 2, 1])
        #expect(watermarks == [2, 2, 1])
    }

    @Test func devicesAckForThemselves() {
        let phone = relay.connect("bob", "phone")
        let tablet = relay.connect("bob", "tablet")
        post("one")
        phone.ackAll()
        tablet.drop()
        #expect(relay.connect("bob", "tablet").bodies == ["one"])
    }

    @Test func aPositionThatWasNeverGivenIsRefused() {
        let bob = relay.connect("bob")
        post("one")
        let next = relay.relay.head.value + 1
        #expect(bob.outcome("ack", ["position": "memory-\(next)"]) == "bad_position")
        #expect(bob.outcome("ack", ["position": "memory-01"]) == "bad_position")
        #expect(bob.outcome("ack", ["position": "1"]) == "bad_position")
        #expect(bob.outcome("ack", ["position": "\(bob.latestPosition)"]) == "ok")
    }

    @Test func anAckIsStoredWithinAQuarterOfASecond() {
        let bob = relay.connect("bob")
        post("one")
        relay.pause()
        bob.ackAll()
        relay.crash()
        let again = relay.connect("bob")
        #expect(again.bodies == ["one"])
        again.ackAll()
        relay.advance(250)
        relay.crash()
        #expect(relay.connect("bob").bodies.isEmpty)
    }

    // MARK: While behind

    /// Bob missed a message. Before he gets it, he gets the position of his own later event.
    private func behind(_ act: (HarnessClient) -> Void) -> (bob: HarnessClient, own: String) {
        post("missed")
        relay.holdsReads = true
        let bob = relay.connect("bob")
        act(bob)
        return (bob, bob.frames("ok").first?.text("position") ?? "none")
    }

    @Test func ackingAnOkDoesNotCoverMissedEvents() {
        let (bob, own) = behind { $0.post("own", to: group) }
        #expect(bob.outcome("ack", ["position": "\(own)"]) == "ok")
        relay.holdsReads = false
        #expect(reconnect(bob).bodies == ["missed", "own"])
    }

    /// A page is on its way when the client acks a position that it got before.
    @Test(arguments: [true, false])
    func anAckThatCrossesAPageDoesNotCoverThePage(createsGroup: Bool) {
        let (bob, own) = behind {
            if createsGroup { _ = $0.makeGroup() } else { $0.post("own", to: group) }
        }
        bob.isReading = false
        relay.holdsReads = false
        relay.settle()
        bob.tell("ack", ["position": "\(own)"])
        #expect(reconnect(bob).bodies.first == "missed")
    }

    @Test func ackingMoreThanWasSentCoversWhatWasSent() {
        post("missed")
        relay.holdsReads = true
        let bob = relay.connect("bob")
        #expect(bob.outcome("ack", ["position": "\(bob.welcome("head")?.string ?? "")"]) == "ok")
        relay.holdsReads = false
        #expect(reconnect(bob).bodies == ["missed"])
    }

    /// A device may write more than is kept of it while it catches up. It only has to wait, and stays connected.
    @Test func aClientThatWritesFasterThanItCatchesUpHasToWait() {
        let relay = RelayHarness(
            limits: .with {
                $0.owedMax = 3
                $0.windowBytes = 0
            })
        let group = relay.connect("alice").makeGroup("bob")
        relay.holdsReads = true
        let bob = relay.connect("bob")
        for number in 1...3 { #expect(bob.post("m\(number)", to: group)?.text("type") == "ok") }
        let refused = bob.post("m4", to: group)
        #expect(refused?.text("code") == "busy")
        #expect(refused?.number("retryAfter") == Limits().aheadRetryMilliseconds)
        #expect(bob.outcome("edit", ["conversation": "\(group)", "sequence": 1, "body": "x"]) == "busy")
        #expect(bob.outcome("history", ["conversation": "\(group)"]) == "nothing")
        relay.holdsReads = false
        relay.settle()
        // It has caught up, and needn't ack positions of its own answers.
        for number in 4...9 { #expect(bob.post("m\(number)", to: group)?.number("sequence") == Int64(number)) }
        #expect(bob.isOpen)
    }

    // MARK: resume

    @Test func resumeIsAnAck() {
        let bob = relay.connect("bob")
        post("one", "two")
        let again = reconnect(bob, resume: position(bob, "one"))
        #expect(again.welcome("position")?.string == position(bob, "one"))
        #expect(again.bodies == ["two"])
        #expect(reconnect(again).bodies == ["two"])
    }

    @Test func resumingFromBelowTheCursorBeginsAgainFromThere() {
        let bob = relay.connect("bob")
        post("one", "two", "three")
        bob.ackAll()
        #expect(reconnect(bob, resume: position(bob, "one")).bodies == ["two", "three"])
    }

    @Test func resumingFromAPositionThatWasNeverGivenIsRefused() {
        let client = relay.connect("bob", resume: "memory-999")
        #expect(client.codes == ["bad_position"])
        #expect(client.outcome("hello", ["token": "bob", "device": "phone"]) == "welcome")
    }

    @Test func aPositionOfAnotherLogIsRefused() {
        let bob = relay.connect("bob")
        post("one")
        let foreign = bob.latestPosition.replacing("memory-", with: "other-")
        #expect(bob.outcome("ack", ["position": "\(foreign)"]) == "bad_position")
        let again = reconnect(bob, resume: foreign)
        #expect(again.codes == ["bad_position"])
        // The same connection may say hello again, and gets the events that were not acked.
        #expect(again.outcome("hello", ["token": "bob", "device": "phone"]) == "welcome")
        #expect(again.bodies == ["one"])
    }

    @Test func aRestoredLogTakesNoPositionOfTheOneBefore() {
        let bob = relay.connect("bob")
        post("one")
        let backup = relay.log.copy()
        post("two", "three")
        backup.epoch = "restored"
        let restored = RelayHarness(log: backup)
        let other = restored.connect("alice")
        for key in ["two", "three"] {
            #expect(other.outcome("send", ["to": "\(group)", "key": "\(key)", "body": "other \(key)"]) == "ok")
        }
        let head = bob.latestPosition
        #expect(restored.relay.head.text(epoch: "memory") == head)
        let again = restored.connect("bob", resume: head)
        #expect(again.codes == ["bad_position"])
        #expect(again.outcome("hello", ["token": "bob", "device": "phone"]) == "welcome")
        #expect(again.welcome("epoch")?.string == "restored")
        #expect(again.bodies == ["one", "other two", "other three"])
    }

    @Test func resumeTellsOthersThatItWasDelivered() {
        let bob = relay.connect("bob")
        post("one")
        relay.pause()
        #expect(alice.frames("receipt").allSatisfy { $0.text("user") == "alice" })
        _ = reconnect(bob, resume: position(bob, "one"))
        relay.pause()
        #expect(alice.frames("receipt").last?.text("user") == "bob")
        #expect(alice.frames("receipt").last?.number("delivered") == 1)
    }
}
