import RoostCore
import RoostFraming
import RoostTestKit
import RoostWire
import Testing

/// Events of one batch are put into the outboxes in runs. Clients must not notice the runs.
@Suite struct FanOutRunTests {
    let relay = RelayHarness()

    /// Commits all commands that `say` sends in one batch.
    private func inOneBatch(_ say: () -> Void) {
        relay.holdsCommits = true
        say()
        relay.holdsCommits = false
        relay.settle()
    }

    /// The positions of all durable events and answers, in the order of arrival.
    private func positions(_ client: HarnessClient) -> [Int64] {
        client.frames.compactMap { $0["position"]?.string.flatMap { Position($0, epoch: "memory")?.value } }
    }

    @Test func moreThanARunHoldsArrivesInOrder() {
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let group = alice.makeGroup("bob")
        inOneBatch {
            for index in 0..<200 {
                alice.start("send", ["to": "\(group)", "key": "k\(index)", "body": "b"], id: index)
            }
        }
        #expect(bob.frames("message").compactMap { $0["sequence"]?.integer } == Array(1...200))
        #expect(alice.frames("ok").compactMap { $0["sequence"]?.integer } == Array(1...200))
    }

    @Test func catchUpOfSeveralConversationsKeepsTheOrderOfTheLog() {
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let groups = [alice.makeGroup("bob"), alice.makeGroup("bob")]
        bob.forget()
        inOneBatch {
            for index in 0..<60 {
                let author = index % 3 == 0 ? bob : alice
                let group = groups[index / 4 % 2]
                author.start("send", ["to": "\(group)", "key": "k\(index)", "body": "b"], id: index)
            }
        }
        for client in [alice, bob] { #expect(positions(client) == positions(client).sorted()) }
        #expect(bob.frames("message").count == 40)
        #expect(bob.frames("ok").count == 20)
    }

    @Test func theReplyComesInThePlaceOfTheEvent() {
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let group = alice.makeGroup("bob")
        alice.forget()
        inOneBatch {
            for (index, author) in [bob, alice, bob, bob, alice].enumerated() {
                author.start("send", ["to": "\(group)", "key": "k\(index)", "body": "b"], id: index)
            }
        }
        #expect(
            alice.frames.filter { $0["sequence"] != nil }.compactMap { $0["type"]?.string }
                == ["message", "ok", "message", "message", "ok"])
    }

    @Test func aMemberAddedInTheSameBatchDoesNotGetEarlierMessages() {
        let alice = relay.connect("alice")
        _ = relay.connect("bob")
        let carol = relay.connect("carol")
        let group = alice.makeGroup("bob")
        alice.post("hi", to: group)
        inOneBatch {
            alice.start("react", ["conversation": "\(group)", "sequence": 1, "reaction": "+"], id: 1)
            alice.start("conversation.rename", ["conversation": "\(group)", "name": "New"], id: 2)
            alice.start("conversation.add", ["conversation": "\(group)", "users": ["carol"]], id: 3)
            alice.start("send", ["to": "\(group)", "key": "k", "body": "welcome"], id: 4)
        }
        #expect(carol.frames("react").isEmpty)
        #expect(carol.frames("conversation").compactMap { $0["event"]?.string } == ["added"])
        #expect(carol.bodies == ["welcome"])
    }

    @Test func aMemberWhoLeavesInTheSameBatchGetsEarlierMessages() {
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let group = alice.makeGroup("bob", "carol")
        inOneBatch {
            alice.start("send", ["to": "\(group)", "key": "k1", "body": "before"], id: 1)
            bob.start("conversation.leave", ["conversation": "\(group)"], id: 2)
            alice.start("send", ["to": "\(group)", "key": "k2", "body": "after"], id: 3)
        }
        #expect(bob.bodies == ["before"])
    }

    @Test func aMessageIsStoredEvenIfItsConnectionEndsBeforeTheCommit() {
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let group = alice.makeGroup("bob")
        relay.holdsCommits = true
        alice.start("send", ["to": "\(group)", "key": "k1", "body": "1"], id: 1)
        bob.start("send", ["to": "\(group)", "key": "k2", "body": "2"], id: 2)
        alice.drop()
        relay.holdsCommits = false
        relay.settle()
        #expect(bob.bodies == ["1"])
        #expect(bob.frames("ok").compactMap { $0["sequence"]?.integer } == [2])
        #expect(relay.connect("alice").bodies == ["1", "2"])
    }

    @Test func aSessionThatFallsBehindWithinARunReadsTheRestFromTheLog() {
        let relay = RelayHarness(limits: .with { $0.outboxSpillBytes = 20_000 })
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let group = alice.makeGroup("bob")
        bob.isReading = false
        let body = String(repeating: "m", count: 900)
        relay.holdsCommits = true
        for index in 0..<30 {
            alice.start("send", ["to": "\(group)", "key": "k\(index)", "body": "\(body)"], id: index)
        }
        relay.holdsCommits = false
        relay.settle()
        #expect(relay.relay.counters.behind.spills == 1)
        #expect(bob.session.outbox.bytes <= 20_000)
        bob.isReading = true
        relay.settle()
        #expect(bob.frames("message").compactMap { $0["sequence"]?.integer } == Array(1...30))
    }

    @Test func signalsOfOneTurnReachEverybodyButTheirSendersInOrder() {
        let clients = ["alice", "bob", "carol"].map { relay.connect($0) }
        let group = clients[0].makeGroup("bob", "carol")
        for index in 0..<150 {
            clients[index % 2].say(#"{"type":"signal","to":"\#(group)","body":\#(index)}"#)
        }
        relay.settle()
        func bodies(_ client: HarnessClient) -> [Int64] { client.frames("signal").compactMap { $0["body"]?.integer } }
        #expect(bodies(clients[0]) == (0..<150).filter { $0 % 2 == 1 })
        #expect(bodies(clients[1]) == (0..<150).filter { $0 % 2 == 0 })
        #expect(bodies(clients[2]) == Array(0..<150))
        #expect(relay.relay.counters.signalDeliveries == 300)
    }

    @Test func aSignalComesBeforeWhatItsSenderDoesNext() {
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let group = alice.makeGroup("bob")
        bob.forget()
        alice.say(#"{"type":"signal","to":"\#(group)","body":1}"#)
        alice.say(#"{"type":"typing","to":"\#(group)"}"#)
        alice.say(#"{"type":"signal","to":"\#(group)","body":2}"#)
        relay.settle()
        #expect(bob.frames.compactMap { $0["type"]?.string } == ["signal", "typing", "signal"])
    }
}
