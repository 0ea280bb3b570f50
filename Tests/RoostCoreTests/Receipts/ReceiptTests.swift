import RoostFraming
import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// The watermarks delivered and read only rise, and changes are collected for one tick.
@Suite struct ReceiptTests {
    let relay: RelayHarness
    let alice, bob: HarnessClient
    let group: String

    /// Alice wrote messages 1 to 3.
    init() {
        (relay, alice, bob, group) = RelayHarness.withAliceAndBob(
            "carol",
            limits: .with {
                $0.receiptMembersMax = 3
                $0.outboxCalmBytes = 500
            })
        for number in 1...3 { alice.post("m\(number)", to: group) }
        relay.pause()
        for client in [alice, bob] { client.forget() }
    }

    private func read(_ client: HarnessClient, _ sequence: Int64) {
        client.tell("read", ["conversation": "\(group)", "sequence": .init(integerLiteral: sequence)])
    }

    private func members(_ client: HarnessClient, _ sequence: Int64) -> JSONValue? {
        client.request(
            "conversation.members", ["conversation": "\(group)", "sequence": .init(integerLiteral: sequence)])
    }

    @Test func aMessageAckedByOneDeviceIsDelivered() {
        let acked = relay.now.wall.milliseconds
        bob.tell("ack", ["position": "\(relay.relay.head.text(epoch: "memory"))"])
        relay.pause()
        let receipt = alice.frames("receipt").first
        #expect(receipt?.text("conversation") == group)
        #expect(receipt?.text("user") == "bob")
        #expect(receipt?.number("delivered") == 3)
        #expect(receipt?.number("deliveredAt") == acked)
        #expect(receipt?.number("read") == 0)
        #expect(receipt?["readAt"] == nil)
        #expect(receipt?["unread"] == nil)
    }

    /// A returning member begins with nothing delivered, whatever its device acks of earlier events.
    @Test func anAckOfAnEarlierMembershipSaysNothing() {
        for type in ["remove", "add"] {
            _ = alice.request("conversation.\(type)", ["conversation": "\(group)", "users": ["bob"]])
        }
        bob.tell("ack", ["position": "\(relay.relay.head.text(epoch: "memory"))"])
        relay.pause()
        let entry = members(alice, 3)?.list("members").first { $0.text("user") == "bob" }
        #expect(entry?.number("delivered") == 0 && entry?["deliveredAt"] == nil)
        #expect(alice.frames("receipt").allSatisfy { $0.text("user") != "bob" })
    }

    @Test func readImpliesDelivered() {
        read(bob, 2)
        relay.pause()
        #expect(alice.frames("receipt").first?.number("delivered") == 2)
        #expect(alice.frames("receipt").first?.number("read") == 2)
    }

    @Test func watermarksOnlyRise() {
        read(bob, 3)
        relay.pause()
        read(bob, 1)
        relay.pause()
        #expect(alice.frames("receipt").count == 1)
        #expect(members(alice, 3)?.number("readCount") == 1)
    }

    @Test func severalChangesOfOneTickMakeOneReceipt() {
        for sequence in 1...3 { read(bob, Int64(sequence)) }
        #expect(alice.frames("receipt").isEmpty)
        relay.advance(50)
        #expect(alice.frames("receipt").map { $0.number("read") } == [3])
    }

    @Test func readingBeyondTheLastMessageIsRefused() {
        #expect(bob.outcome("read", ["conversation": "\(group)", "sequence": 3]) == "ok")
        #expect(bob.outcome("read", ["conversation": "\(group)", "sequence": 4]) == "not_found")
        #expect(bob.outcome("read", ["conversation": "@nobody", "sequence": 1]) == "not_found")
    }

    @Test func ownDevicesAreToldWhatIsUnread() {
        let tablet = relay.connect("bob", "tablet")
        read(bob, 1)
        relay.pause()
        #expect(tablet.frames("receipt").last?.number("unread") == 2)
        read(bob, 3)
        relay.pause()
        #expect(tablet.frames("receipt").last?.number("unread") == 0)
    }

    @Test func sendingMarksEarlierMessagesAsRead() {
        bob.post("reply", to: group)
        relay.pause()
        #expect(alice.frames("receipt").last?.number("read") == 4)
    }

    @Test func inALargerGroupOnlyOwnDevicesAreTold() {
        let tablet = relay.connect("bob", "tablet")
        _ = alice.request("conversation.add", ["conversation": "\(group)", "users": ["dave"]])
        tablet.forget()
        read(bob, 1)
        relay.pause()
        #expect(alice.frames("receipt").isEmpty)
        #expect(tablet.frames("receipt").count == 1)
        // The group is at the limit again.
        _ = alice.request("conversation.remove", ["conversation": "\(group)", "users": ["dave"]])
        read(bob, 2)
        relay.pause()
        #expect(alice.frames("receipt").count == 1)
    }

    @Test func membersCountsTheOthers() {
        bob.tell("ack", ["position": "\(relay.relay.head.text(epoch: "memory"))"])
        read(bob, 2)
        let reply = members(alice, 3)
        #expect(reply?.number("of") == 2)
        #expect(reply?.number("deliveredCount") == 1)
        #expect(reply?.number("readCount") == 0)
        #expect(members(alice, 2)?.number("readCount") == 1)
        // Only Alice, the author, has read it of the members other than Bob.
        #expect(members(bob, 3)?.number("readCount") == 1)
        let entry = reply?.list("members").first { $0.text("user") == "bob" }
        #expect(entry?.number("delivered") == 3)
        #expect(entry?.number("read") == 2)
    }

    @Test func aSlowReaderGetsTheNewestStateOnceItHasCaughtUp() {
        alice.isReading = false
        bob.tell("signal", ["to": "\(group)", "body": "\(String(repeating: "s", count: 600))"])
        for sequence in 1...3 {
            read(bob, Int64(sequence))
            relay.pause()
        }
        alice.isReading = true
        relay.settle()
        #expect(alice.frames("receipt").map { $0.number("read") } == [3])
    }

    @Test func aMemberRemovedMeanwhileGetsNoHeldBackState() {
        bob.isReading = false
        alice.tell("signal", ["to": "\(group)", "body": "\(String(repeating: "s", count: 600))"])
        relay.connect("carol").tell("read", ["conversation": "\(group)", "sequence": 1])
        alice.tell("typing", ["to": "\(group)"])
        relay.pause()
        #expect(relay.relay.counters.ephemeralOwed > 1)
        _ = alice.request("conversation.remove", ["conversation": "\(group)", "users": ["bob"]])
        bob.isReading = true
        relay.settle()
        #expect(bob.frames("receipt").isEmpty)
        #expect(bob.frames("typing").isEmpty)
    }

    /// Each millisecond sends some of the receipts that are due, and fewer while sessions wait to be written to.
    @Test func oneTurnSendsSomeReceipts() {
        let relay = RelayHarness(limits: .with { $0.receiptsPerMillisecond = 8 })
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        for number in 1...8 { alice.post("hi\(number)", to: alice.makeGroup("bob")) }
        relay.pause()
        bob.ackAll()
        _ = relay.relay.nextDeadline(at: relay.now)
        let due = relay.now.monotonic + 50
        relay.relay.tick(at: Moment(monotonic: due, wall: relay.now.wall))
        // Each receipt costs three: one look, and one each for Bob and Alice. After the first one, sessions wait to be
        // written to.
        for (time, told) in [(due, 3), (due, 3), (due + 1, 4), (due + 2, 5)] {
            relay.relay.doWork(at: Moment(monotonic: time, wall: relay.now.wall))
            #expect(alice.session.outbox.count == told)
            #expect(bob.session.outbox.count == told)
            #expect(relay.relay.receipt.hasMoreToTell)
            #expect(relay.relay.nextDeadline(at: Moment(monotonic: time, wall: relay.now.wall)) == time + 1)
        }
        // No session waits any more, so the rest goes at once.
        #expect(relay.relay.takeTouched().count == 2)
        relay.relay.doWork(at: Moment(monotonic: due + 3, wall: relay.now.wall))
        #expect(alice.session.outbox.count == 8)
        #expect(!relay.relay.receipt.hasMoreToTell)
        #expect(relay.relay.nextDeadline(at: Moment(monotonic: due + 3, wall: relay.now.wall)) > due + 4)
    }

    @Test func watermarksOutliveACrash() {
        bob.tell("ack", ["position": "\(relay.relay.head.text(epoch: "memory"))"])
        read(bob, 2)
        relay.advance(250)
        relay.crash()
        let again = relay.connect("alice")
        #expect(members(again, 3)?.number("deliveredCount") == 1)
        #expect(members(again, 2)?.number("readCount") == 1)
        #expect(members(again, 3)?.number("readCount") == 0)
    }

    /// More messages than a session remembers one by one. The first one is in another conversation.
    @Test func aLateAckOfVeryManyMessagesTellsAllConversations() {
        let other = alice.makeGroup("bob")
        alice.post("first", to: other)
        let others = [alice.makeGroup("bob"), alice.makeGroup("bob")]
        for number in 0..<600 { alice.post("n\(number)", to: others[number % 2]) }
        relay.pause()
        alice.forget()
        bob.ackAll()
        relay.pause()
        let told = alice.frames("receipt").filter { $0.text("user") == "bob" }
        #expect(Set(told.compactMap { $0.text("conversation") }) == Set([group, other] + others))
        #expect(told.first { $0.text("conversation") == other }?.number("delivered") == 1)
    }
}
