import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// Receipts of a large or busy conversation: those above the budget wait, and then tell the newest state.
@Suite struct ReceiptBudgetTests {
    let relay: RelayHarness
    let alice, bob, carol: HarnessClient
    let group: String

    /// A changed watermark of one of the three members goes to the two others. That uses up the receipts of a second.
    init() {
        (relay, alice, bob, group) = RelayHarness.withAliceAndBob(
            "carol", limits: .with { $0.receiptsPerSecond = 2 })
        carol = relay.connect("carol")
        for number in 1...5 { alice.post("m\(number)", to: group) }
        // The budget for the receipts of her own messages is available again.
        relay.advance(10_000)
        for client in [alice, bob, carol] { client.forget() }
    }

    private func read(_ client: HarnessClient, _ sequence: Int64, in conversation: String? = nil) {
        client.tell(
            "read", ["conversation": "\(conversation ?? group)", "sequence": .init(integerLiteral: sequence)])
    }

    private func reads(_ client: HarnessClient, of user: String = "bob") -> [Int64?] {
        client.frames("receipt").filter { $0.text("user") == user }.map { $0.number("read") }
    }

    @Test func deferredReceiptsCarryTheNewestState() {
        for sequence in 1...4 {
            read(bob, Int64(sequence))
            relay.advance(200)
        }
        #expect(reads(alice) == [1])
        relay.advance(1_000)
        #expect(reads(alice) == [1, 4])
        #expect(reads(carol) == [1, 4])
    }

    @Test func ownDevicesAreToldAtOnce() {
        let tablet = relay.connect("bob", "tablet")
        for sequence in 1...3 {
            read(bob, Int64(sequence))
            relay.advance(50)
        }
        #expect(tablet.frames("receipt").map { $0.number("unread") } == [4, 3, 2])
        relay.advance(5_000)
        #expect(tablet.frames("receipt").count == 3)
    }

    @Test func theLongestWaitingReceiptComesFirst() {
        read(bob, 1)
        read(carol, 1)
        relay.advance(50)
        read(bob, 2)
        relay.advance(1_000)
        #expect(alice.frames("receipt").map { $0.text("user") } == ["bob", "carol"])
        relay.advance(1_000)
        #expect(alice.frames("receipt").map { $0.text("user") } == ["bob", "carol", "bob"])
    }

    @Test func anotherConversationDoesNotWait() {
        let other = alice.makeGroup("bob")
        alice.post("x", to: other)
        read(bob, 1)
        relay.advance(100)
        alice.forget()
        read(bob, 2)
        read(bob, 1, in: other)
        relay.advance(50)
        #expect(alice.frames("receipt").map { $0.text("conversation") } == [other])
    }

    @Test func aMemberWhoLeftMeanwhileIsNotToldAbout() {
        read(bob, 1)
        relay.advance(50)
        read(bob, 2)
        relay.advance(50)
        _ = bob.request("conversation.leave", ["conversation": "\(group)"])
        relay.advance(5_000)
        #expect(reads(alice) == [1])
    }

    /// Without a bound, thirty users who read all the time cause 17,400 receipts a second.
    @Test func aBusyConversationKeepsToItsBudget() {
        let relay = RelayHarness(limits: .with { $0.receiptsPerSecond = 1_000 })
        let people = (0..<30).map { relay.connect("user-\($0)") }
        let names = people.indices.dropFirst().map { "user-\($0)" }
        let made = people[0].request("conversation.create", ["kind": "group", "name": "Many", "members": .list(names)])
        let group = made?["conversation"]?.text("conversation") ?? "none"
        for number in 1...100 { people[0].post("m\(number)", to: group) }
        relay.advance(10_000)
        for person in people { person.forget() }
        for sequence in 1...100 {
            for person in people {
                person.tell("read", ["conversation": "\(group)", "sequence": .init(integerLiteral: Int64(sequence))])
            }
            relay.advance(50)
        }
        let others = people.flatMap { $0.frames("receipt") }.filter { $0["unread"] == nil }
        // The budget of five seconds, and the burst that the first one allows.
        #expect(others.count > 3_000 && others.count < 6_000 + 30)
        relay.advance(2_000)
        let newest = people[0].frames("receipt").filter { $0.number("read") == 100 }.compactMap { $0.text("user") }
        // Everyone but the author, who had read it before.
        #expect(Set(newest).count == 29)
    }
}
