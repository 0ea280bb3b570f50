import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// `receipts`: the members who got and read a message, with times.
@Suite struct ReceiptTimesTests {
    private func receipts(
        _ client: HarnessClient, _ group: String, _ sequence: Int64
    ) -> [String: (delivered: Int64?, isRead: Bool, read: Int64?)] {
        var found: [String: (delivered: Int64?, isRead: Bool, read: Int64?)] = [:]
        var after = ""
        while true {
            let page = client.ask(
                #"{"type":"receipts","id":9,"conversation":"\#(group)","sequence":\#(sequence),"limit":100\#(after)}"#)
            for one in page?.list("receipts") ?? [] {
                found[one.text("user") ?? ""] = (
                    one.number("deliveredAt"), one.flag("read") ?? false, one.number("readAt")
                )
            }
            guard let next = page?.text("next") else { return found }
            after = ",\"after\":\"\(next)\""
        }
    }

    /// 256 members ack and read at random, in two lives of the relay. Each time that is sent is the true one, and those
    /// of the last messages are all sent.
    @Test(arguments: [1, 2] as [UInt64])
    func eachTimeIsTheTrueOne(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let relay = RelayHarness(limits: .with { $0.pingMilliseconds = 10_000_000 })
        let names = (0..<255).map { "u\($0)" }
        var alice = relay.connect("alice")
        let group = alice.makeGroup(names)
        var clients = names.map { relay.connect($0) }
        var truth = names.map { _ in (delivered: [Int64](), read: [Int64]()) }
        var positions: [String] = []
        func note(_ times: inout [Int64], upTo sequence: Int) {
            while times.count < sequence { times.append(relay.now.wall.milliseconds) }
        }
        for round in 0..<40 {
            positions.append(alice.post("m\(round)", to: group)?.text("position") ?? "")
            relay.advance(Int64(random.within(1...400)))
            for _ in 0..<60 {
                let index = random.below(names.count)
                let sequence = random.chance(70) ? positions.count : random.within(1...positions.count)
                if random.chance(50) {
                    clients[index].tell("ack", ["position": "\(positions[sequence - 1])"])
                } else {
                    clients[index].tell(
                        "read", ["conversation": "\(group)", "sequence": Value(integerLiteral: Int64(sequence))])
                    note(&truth[index].read, upTo: sequence)
                }
                note(&truth[index].delivered, upTo: sequence)
                if random.chance(10) { relay.advance(Int64(random.within(1...60))) }
            }
            guard round == 20 else { continue }
            // All of it is stored by now.
            relay.pause()
            relay.crash()
            alice = relay.connect("alice")
            clients = names.map { relay.connect($0) }
            relay.pause()
            for index in names.indices {
                // A client that connects again gets what it hasn't acked, and acks only by its commands.
                #expect(clients[index].codes.isEmpty)
            }
        }
        for sequence in 1...positions.count {
            let told = receipts(alice, group, Int64(sequence))
            for (index, name) in names.enumerated() {
                let (delivered, read) = truth[index]
                let one = told[name]
                #expect(one?.delivered == (delivered.count >= sequence ? delivered[sequence - 1] : nil))
                #expect((one?.isRead ?? false) == (read.count >= sequence))
                #expect(one?.read == (read.count >= sequence ? read[sequence - 1] : nil))
            }
        }
    }

    @Test func timesThatAreNotStoredYetAreListed() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        alice.post("one", to: group)
        relay.holdsCommits = true
        bob.tell("read", ["conversation": "\(group)", "sequence": 1])
        let time = relay.now.wall.milliseconds
        relay.advance(1_000)
        // The writer has it, and hasn't said that it is durable.
        #expect(relay.heldBatch != nil)
        #expect(receipts(alice, group, 1)["bob"]?.read == time)
        relay.holdsCommits = false
        relay.advance(1_000)
        #expect(receipts(alice, group, 1)["bob"]?.read == time)
        #expect(receipts(alice, group, 1)["bob"]?.delivered == time)
        relay.crash()
        #expect(receipts(relay.connect("alice"), group, 1)["bob"]?.read == time)
    }

    @Test func ownMessagesAreReadWhenTheyWereWritten() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        alice.post("one", to: group)
        relay.advance(5_000)
        let time = relay.now.wall.milliseconds
        bob.post("two", to: group)
        #expect(receipts(alice, group, 1)["bob"]?.read == time)
        #expect(receipts(alice, group, 2)["bob"]?.read == time)
        // The step isn't stored, but the message is.
        relay.crash()
        #expect(receipts(relay.connect("alice"), group, 2)["bob"]?.read == time)
    }

    /// The author has read a message when it was sent, however long the store took for it.
    @Test func aSlowStoreDoesNotMakeTheAuthorLate() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        relay.holdsCommits = true
        bob.start("send", ["to": "\(group)", "key": "k", "body": "b"])
        let time = relay.now.wall.milliseconds
        relay.advance(1_500)
        relay.holdsCommits = false
        relay.settle()
        #expect(alice.frames("message").last?.number("time") == time)
        let told = receipts(alice, group, 1)["bob"]
        #expect(told?.delivered == time && told?.read == time)
    }

    @Test func olderOnesAreReadWithoutATime() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        let most = Limits().receiptSteps
        for number in 1...most + 10 {
            alice.post("m\(number)", to: group)
            relay.advance(10)
            bob.tell("read", ["conversation": "\(group)", "sequence": Value(integerLiteral: Int64(number))])
        }
        relay.pause()
        let old = receipts(alice, group, 10)["bob"]
        #expect(old?.isRead == true && old?.read == nil && old?.delivered == nil)
        #expect(receipts(alice, group, 11)["bob"]?.read != nil)
    }

    @Test func privacyIsObeyed() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob("carol")
        let carol = relay.connect("carol")
        alice.post("one", to: group)
        for client in [bob, carol] { client.tell("read", ["conversation": "\(group)", "sequence": 1]) }
        _ = bob.request("privacy", ["presence": "nobody"])
        _ = carol.request("contact.block", ["users": ["alice"]])
        relay.pause()
        let told = receipts(alice, group, 1)
        #expect(Set(told.keys) == ["bob"])
        #expect(told["bob"]?.delivered == nil && told["bob"]?.isRead == true && told["bob"]?.read != nil)
        _ = bob.request("privacy", ["presence": "shared", "read": "nobody"])
        #expect(receipts(alice, group, 1).isEmpty)
        #expect(alice.outcome("receipts", ["conversation": "\(group)", "sequence": 2]) == "not_found")
        let stranger = relay.connect("dave")
        #expect(stranger.outcome("receipts", ["conversation": "\(group)", "sequence": 1]) == "not_found")
    }

    @Test func aReturnBeginsAnew() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        alice.post("one", to: group)
        bob.tell("read", ["conversation": "\(group)", "sequence": 1])
        relay.pause()
        _ = alice.request("conversation.remove", ["conversation": "\(group)", "users": ["bob"]])
        _ = alice.request("conversation.add", ["conversation": "\(group)", "users": ["bob"]])
        #expect(receipts(alice, group, 1).isEmpty)
        relay.advance(1_000)
        alice.post("two", to: group)
        bob.tell("read", ["conversation": "\(group)", "sequence": 2])
        #expect(receipts(alice, group, 2)["bob"]?.read == relay.now.wall.milliseconds)
    }
}
