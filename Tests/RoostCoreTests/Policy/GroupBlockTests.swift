import RoostFraming
import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// In a group a user sees only placeholders of messages by users that it has blocked: live, when it catches up from the
/// window or the log, in history and in lists, on each device the same. All others see everything, the blocked ones,
/// too.
@Suite struct GroupBlockTests {
    /// Pages of the log are small, so that there are several.
    let relay: RelayHarness
    let alice: HarnessClient
    let bob: HarnessClient
    let carol: HarnessClient
    let group: String

    init() { self.init(windowBytes: Limits().windowBytes) }

    private init(windowBytes: Int) {
        relay = RelayHarness(
            limits: .with {
                $0.windowBytes = windowBytes
                $0.pageMessages = 3
            })
        alice = relay.connect("alice")
        group = alice.makeGroup("bob", "carol")
        bob = relay.connect("bob")
        carol = relay.connect("carol")
    }

    private func block(_ client: HarnessClient, _ user: String) {
        #expect(client.outcome("contact.block", ["users": ["\(user)"]]) == "ok")
    }

    /// The messages that a client got: a body, `-` if it is hidden.
    private func shown(_ messages: [JSONValue]) -> [String] {
        messages.map { message in
            guard message.flag("hidden") == true else { return message.text("body") ?? "?" }
            let members = Set((message.members ?? []).map(\.name))
            #expect(members.subtracting(["type"]) == ["conversation", "sequence", "position", "time", "hidden"])
            return "-"
        }
    }

    private func shown(_ client: HarnessClient) -> [String] { shown(client.frames("message")) }

    private func history(_ client: HarnessClient) -> [String] {
        shown(client.request("history", ["conversation": "\(group)"])?.list("messages") ?? [])
    }

    private func talk() {
        alice.post("a", to: group)
        bob.post("b", to: group)
        carol.post("c", to: group)
    }

    // MARK: Messages

    @Test func messagesAreHiddenFromTheBlockerAndFromNobodyElse() {
        block(alice, "bob")
        let tablets = ["alice", "bob", "carol"].map { relay.connect($0, "tablet") }
        talk()
        #expect(tablets.map { shown($0) } == [["a", "-", "c"], ["a", "b", "c"], ["a", "b", "c"]])
        #expect([alice, bob, carol].map { shown($0) } == [["-", "c"], ["a", "c"], ["a", "b"]])
        for client in [alice] + tablets {
            let sequences = client.frames("message").map { $0.number("sequence") ?? 0 }
            #expect(sequences == sequences.sorted())
        }
        #expect([alice, bob, carol].map { history($0) } == [["a", "-", "c"], ["a", "b", "c"], ["a", "b", "c"]])
    }

    /// One run has events of several senders: each gets what concerns it.
    @Test func aRunOfSeveralSendersIsHiddenEventByEvent() {
        block(alice, "bob")
        block(carol, "bob")
        let tablets = ["alice", "bob", "carol"].map { relay.connect($0, "tablet") }
        relay.holdsCommits = true
        for (client, text) in [(alice, "a"), (bob, "b"), (carol, "c"), (bob, "d"), (alice, "e")] {
            client.start("send", ["to": "\(group)", "key": "\(text)", "body": "\(text)"])
        }
        relay.holdsCommits = false
        relay.settle()
        #expect(
            tablets.map { shown($0) } == [
                ["a", "-", "c", "-", "e"], ["a", "b", "c", "d", "e"], ["a", "-", "c", "-", "e"],
            ])
        #expect(shown(alice) == ["-", "c", "-"])
    }

    /// Members with the same hidden content share a frame.
    @Test func manyWhoHaveBlockedSomebodyGetOneFrame() {
        let names = (0..<20).map { "u\($0)" }
        _ = alice.outcome("conversation.add", ["conversation": "\(group)", "users": .list(names)])
        let clients = names.map { relay.connect($0) }
        for client in clients { block(client, "bob") }
        for client in clients { client.isReading = false }
        relay.settle()
        bob.post("x", to: group)
        let frames = Set(clients.compactMap { $0.session.outbox.pop() }.map(ObjectIdentifier.init))
        #expect(frames.count == 1)
    }

    @Test func absentMembersGetTheSameFromTheWindow() { catchUp(GroupBlockTests()) }

    @Test func absentMembersGetTheSameFromTheLog() { catchUp(GroupBlockTests(windowBytes: 0)) }

    /// The block came before, in the middle of and after the missed events: it counts when the user comes back.
    private func catchUp(_ test: GroupBlockTests) {
        let users = ["alice", "bob", "carol"]
        let away = users.map { test.relay.connect($0, "away") }
        for client in away { client.drop() }
        test.talk()
        test.block(test.alice, "bob")
        test.talk(again: "2")
        let all = ["a", "b", "c", "a2", "b2", "c2"]
        func expected(_ hidden: [Int]) -> [String] {
            all.enumerated().map { hidden.contains($0.offset) ? "-" : $0.element }
        }
        // Carol comes first, so that there are pages to share, and once more at the end.
        for index in [2, 0, 1, 2] {
            let hidden = [[1, 4], [], []][index]
            let back = test.relay.connect(users[index], index == 2 ? "new" : "away")
            #expect(test.shown(back) == expected(hidden), "\(users[index])")
            back.drop()
        }
        #expect(test.alice.outcome("contact.unblock", ["users": ["bob"]]) == "ok")
        #expect(test.shown(test.relay.connect("alice", "later")) == all)
    }

    private func talk(again: String) {
        alice.post("a" + again, to: group)
        bob.post("b" + again, to: group)
        carol.post("c" + again, to: group)
    }

    @Test func hiddenMessagesShowAgain() {
        block(alice, "bob")
        talk()
        #expect(alice.outcome("contact.unblock", ["users": ["bob"]]) == "ok")
        talk(again: "2")
        #expect(shown(alice) == ["-", "c", "b2", "c2"])
        #expect(history(alice) == ["a", "b", "c", "a2", "b2", "c2"])
    }

    @Test func listsShowTheLastMessageOrItsPlace() {
        block(alice, "bob")
        bob.post("b", to: group)
        func last(_ client: HarnessClient) -> [String] {
            let one = client.request("conversation.get", ["conversation": "\(group)"])?["conversation"]
            let listed = client.request("conversation.list")?.list("conversations").first
            return shown([one, listed].compactMap { $0?["message"] })
        }
        #expect([alice, bob, carol].map(last) == [["-", "-"], ["b", "b"], ["b", "b"]])
    }

    @Test func joiningAndLeavingIsNoticed() {
        block(alice, "dave")
        let dave = relay.connect("dave")
        alice.post("a", to: group)
        // Another member adds Dave.
        _ = alice.outcome("conversation.role", ["conversation": "\(group)", "user": "carol", "role": "admin"])
        #expect(carol.outcome("conversation.add", ["conversation": "\(group)", "users": ["dave"]]) == "ok")
        alice.post("b", to: group)
        dave.post("d", to: group)
        #expect(shown(dave) == ["b"] && shown(alice) == ["-"] && shown(bob) == ["a", "b", "d"])
        #expect(history(dave) == ["a", "b", "d"])
        _ = carol.outcome("conversation.remove", ["conversation": "\(group)", "users": ["dave"]])
        alice.post("c", to: group)
        #expect(shown(dave) == ["b"])
    }

    // MARK: Changes of messages

    @Test func changesByWhomOneDoesNotSeeAreHidden() {
        talk()
        block(alice, "bob")
        for client in [alice, bob, carol] { client.forget() }
        _ = bob.outcome("edit", ["conversation": "\(group)", "sequence": 2, "body": "new"])
        _ = bob.outcome("react", ["conversation": "\(group)", "sequence": 3, "reaction": "x"])
        _ = bob.outcome("delete", ["conversation": "\(group)", "sequence": 2])
        #expect(alice.events == ["edit", "react", "delete"] && carol.events == alice.events)
        for event in alice.frames {
            let members = Set((event.members ?? []).map(\.name))
            #expect(members == ["type", "conversation", "sequence", "position", "time", "hidden"])
        }
        #expect(carol.frames("edit").first?.text("body") == "new")
        #expect(history(alice) == ["a", "-", "c"])
    }

    /// It holds for a service's erasure of a former member's content, too.
    @Test func erasuresOfAHiddenUserNameNoUser() {
        talk()
        block(alice, "bob")
        _ = bob.outcome("conversation.leave", ["conversation": "\(group)"])
        let service = relay.open()
        service.send(#"{"type":"hello","id":0,"token":"service:mill","operator":true}"#)
        #expect(service.outcome("admin.erase", ["user": "bob"]) == "ok")
        #expect(alice.frames("delete").map { $0.flag("hidden") } == [true])
        #expect(carol.frames("delete").map { $0.text("from") } == ["bob"])
    }

    @Test func reactionsOfWhomOneDoesNotSeeDoNotCount() {
        talk()
        for client in [alice, bob, carol] {
            _ = client.outcome("react", ["conversation": "\(group)", "sequence": 3, "reaction": "x"])
        }
        _ = bob.outcome("react", ["conversation": "\(group)", "sequence": 3, "reaction": "y"])
        block(alice, "bob")
        func reactions(_ client: HarnessClient) -> [String] {
            let page = client.request("history", ["conversation": "\(group)", "after": 2])
            return page?.list("messages").first?.list("reactions").map {
                "\($0.text("reaction") ?? "")\($0.number("count") ?? 0)"
            } ?? []
        }
        #expect([alice, bob, carol].map(reactions) == [["x2"], ["x3", "y1"], ["x3", "y1"]])
        // Those who have left, too.
        _ = bob.outcome("conversation.leave", ["conversation": "\(group)"])
        #expect(reactions(alice) == ["x2"])
    }

    @Test func signalsAndTypingDoNotPass() {
        block(alice, "bob")
        for client in [alice, bob, carol] {
            _ = client.outcome("signal", ["to": "\(group)", "body": "x"])
            _ = client.outcome("typing", ["to": "\(group)"])
        }
        relay.pause()
        #expect(
            [alice, bob, carol].map { $0.frames("signal").compactMap { $0.text("from") } }
                == [["carol"], ["alice", "carol"], ["alice", "bob"]])
        // Presence is hidden both ways, as with `never`.
        #expect(
            [alice, bob, carol].map { $0.frames("typing").compactMap { $0.text("user") } }
                == [["carol"], ["carol"], ["alice", "bob"]])
    }

    /// With the place of a message nothing can be done, as if there were no message.
    @Test func placesCanNotBeNamed() {
        for client in [GroupBlockTests(), GroupBlockTests(windowBytes: 0)] { client.namePlaces() }
    }

    private func namePlaces() {
        talk()
        block(alice, "bob")
        for (type, members) in [
            ("react", ["conversation": "\(group)", "sequence": 2, "reaction": "x"]),
            ("send", ["to": "\(group)", "key": "r", "body": "x", "replyTo": 2]),
            ("send", ["to": "\(group)", "key": "t", "body": "x", "thread": 2]),
            (
                "send",
                [
                    "to": "\(group)", "key": "f",
                    "forward": Value(json: "{\"conversation\":\"\(group)\",\"sequence\":2}"),
                ]
            ),
            ("conversation.pin", ["conversation": "\(group)", "sequence": 2]),
            ("conversation.unpin", ["conversation": "\(group)", "sequence": 2]),
            ("contact.report", ["conversation": "\(group)", "sequence": 2, "reason": "spam"]),
            ("typing", ["to": "\(group)", "replyTo": 2]),
        ] as [(String, Members)] {
            let expected = type == "conversation.unpin" ? "ok" : "not_found"
            #expect(alice.outcome(type, members) == expected, "\(type)")
            #expect(carol.outcome("react", ["conversation": "\(group)", "sequence": 3, "reaction": "x"]) == "ok")
        }
    }

    /// A pin of a message that a member sees only as a placeholder isn't sent, listed or removed.
    @Test func pinsOfPlacesAreNotThere() {
        talk()
        block(alice, "bob")
        let role: Members = ["conversation": "\(group)", "user": "carol", "role": "admin"]
        #expect(alice.outcome("conversation.role", role) == "ok")
        let tablet = relay.connect("alice", "tablet")
        for client in [alice, bob, tablet] { client.forget() }
        for sequence in [1, 2] as [Value] {
            #expect(carol.outcome("conversation.pin", ["conversation": "\(group)", "sequence": sequence]) == "ok")
        }
        func pins(_ client: HarnessClient) -> [[Int64]] {
            let one = client.request("conversation.get", ["conversation": "\(group)"])?["conversation"]
            let page = client.request("conversation.pins", ["conversation": "\(group)"])
            return [
                client.frames("conversation").compactMap { $0.number("pin") },
                one?.list("pins").compactMap(\.integer) ?? [],
                page?.list("pins").compactMap { $0.number("sequence") } ?? [],
            ]
        }
        #expect(pins(alice) == [[1], [1], [1]] && pins(bob) == [[1, 2], [2, 1], [2, 1]])
        #expect(pins(relay.connect("alice", "late"))[1...] == [[1], [1]])
        #expect(alice.outcome("conversation.unpin", ["conversation": "\(group)", "sequence": 2]) == "not_found")
        #expect(carol.outcome("conversation.unpin", ["conversation": "\(group)", "sequence": 2]) == "ok")
        #expect(pins(alice)[0] == [1] && pins(bob)[0] == [1, 2, 2])
    }

    /// All members see the members and the name of a group.
    @Test func membershipsAreTold() {
        block(bob, "alice")
        bob.forget()
        _ = alice.outcome("conversation.rename", ["conversation": "\(group)", "name": "New"])
        #expect(bob.frames("conversation").first?.text("by") == "alice")
        let members = bob.request("conversation.members", ["conversation": "\(group)"])?.list("members")
        #expect(members?.compactMap { $0.text("user") } == ["alice", "bob", "carol"])
    }

    @Test func aServiceThatReadsTheFeedSeesAll() {
        block(alice, "bob")
        talk()
        let service = relay.open()
        service.send(#"{"type":"hello","id":0,"token":"service:mill","operator":true}"#)
        let events = service.request("feed", ["consumer": "index"])?["feed"]?.list("events") ?? []
        #expect(events.filter { $0.text("type") == "message" }.map { $0.text("body") } == ["a", "b", "c"])
    }
}
