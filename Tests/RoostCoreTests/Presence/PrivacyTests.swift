import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// A user hides something from another completely: it shows neither as a change, nor when asking, nor by typing,
/// receipts or counts; and in return the user doesn't see the same of the other.
@Suite struct PrivacyTests {
    /// Clients may be silent for long.
    let relay = RelayHarness(
        limits: .with {
            $0.pingMilliseconds = 100_000_000
            $0.exceptNames = 3
            $0.exceptionsPerUser = 4
        })
    let watcher: HarnessClient
    let bob: HarnessClient
    let group: String

    /// The watcher and Carol share a group with Bob, and the watcher and Bob watch each other. All are online.
    init() {
        watcher = relay.connect("watcher")
        group = watcher.makeGroup("bob", "carol")
        bob = relay.connect("bob")
        _ = relay.connect("carol")
        relay.pause()
        _ = watcher.request("watch", ["users": ["bob"]])
        _ = bob.request("watch", ["users": ["watcher"]])
        relay.pause()
        watcher.forget()
        bob.forget()
    }

    private func shown(_ client: HarnessClient, _ user: String) -> [String] {
        client.frames("presence").flatMap { $0.list("users") }.filter { $0.text("user") == user }.map(describe)
    }

    private func describe(_ user: JSONValue) -> String {
        let lastSeen = user.number("lastSeen") == nil ? nil : "exact"
        return [user.text("state"), user.text("text"), lastSeen, user.text("seen")].compactMap { $0 }
            .joined(separator: " ")
    }

    private func found(_ client: HarnessClient, _ user: String) -> String? {
        client.request("watch", ["users": .list([user])])?.list("users").first.map(describe)
    }

    private func want(_ client: HarnessClient, _ settings: (String, String)...) {
        let members = settings.map { ",\"\($0)\":\"\($1)\"" }.joined()
        client.send(#"{"type":"privacy","id":1\#(members)}"#)
        #expect(client.codes.isEmpty)
        relay.pause()
    }

    private func except(_ client: HarnessClient, _ users: String..., as kind: String) {
        let outcome =
            switch kind {
            case "blocked": client.outcome("contact.block", ["users": .list(users)])
            case "unblocked": client.outcome("contact.unblock", ["users": .list(users)])
            default: client.outcome("except", ["users": .list(users), "as": "\(kind)"])
            }
        #expect(outcome == "ok")
        relay.pause()
    }

    // MARK: Presence

    @Test func hidingFromEveryoneWorksAtOnceAndBothWays() {
        want(bob, ("presence", "nobody"))
        #expect(shown(watcher, "bob") == ["offline recently"])
        #expect(shown(bob, "watcher") == ["offline recently"])
        _ = bob.outcome("status", ["state": "busy", "text": "x"])
        bob.tell("bye")
        relay.pause()
        #expect(shown(watcher, "bob") == ["offline recently"])
        #expect(found(watcher, "bob") == "offline recently")
    }

    @Test func showingAgainShowsThePresentState() {
        want(bob, ("presence", "nobody"))
        _ = bob.outcome("status", ["state": "busy", "text": "x"])
        relay.pause()
        want(bob, ("presence", "shared"))
        #expect(shown(watcher, "bob") == ["offline recently", "busy x"])
        #expect(shown(bob, "watcher").last == "online")
    }

    @Test(arguments: ["never", "blocked"])
    func anExceptionHidesBothWays(kind: String) {
        except(bob, "watcher", as: kind)
        #expect(shown(watcher, "bob") == ["offline"])
        #expect(shown(bob, "watcher") == ["offline"])
        _ = bob.outcome("status", ["text": "x"])
        watcher.tell("bye")
        relay.pause()
        #expect(shown(watcher, "bob") == ["offline"])
        #expect(shown(bob, "watcher") == ["offline"])
        #expect(found(bob, "watcher") == "offline")
        except(bob, "watcher", as: kind == "blocked" ? "unblocked" : "none")
        #expect(shown(bob, "watcher").last == "offline exact")
    }

    @Test func someMayAlwaysSee() {
        except(bob, "watcher", as: "always")
        watcher.forget()
        want(bob, ("presence", "nobody"), ("lastSeen", "nobody"))
        #expect(shown(watcher, "bob").isEmpty)
        #expect(found(watcher, "bob") == "online")
        // The watcher's settings are as before.
        #expect(found(bob, "watcher") == "online")
        let carol = relay.connect("carol", "tablet")
        #expect(found(carol, "bob") == "offline")
    }

    @Test func changesWhileHiddenAreSentLaterEvenIfAskedInBetween() {
        except(bob, "watcher", as: "blocked")
        bob.tell("bye")
        #expect(found(watcher, "bob") == "offline")
        let again = relay.connect("bob")
        _ = again.outcome("contact.unblock", ["users": ["watcher"]])
        relay.pause()
        #expect(shown(watcher, "bob").last == "online")
    }

    /// A client that asked between a change and its tick has newer data than those with an update before the tick.
    @Test func repeatedStatesAreNotOlderThanAnswers() {
        let relay = RelayHarness(limits: .with { $0.stepsPerTurn = 1 })
        let watcher = relay.connect("watcher")
        _ = watcher.makeGroup("bob")
        let bob = relay.connect("bob")
        relay.pause()
        #expect(found(watcher, "bob") == "online")
        watcher.forget()
        bob.start("except", ["users": ["watcher"], "as": "always"])
        bob.start("status", ["state": "busy"], id: 2)
        watcher.start("watch", ["users": ["bob"]])
        relay.pause()
        #expect(shown(watcher, "bob").last ?? "busy" == "busy")
        #expect(found(watcher, "bob") == "busy")
    }

    @Test func privacyOutlivesARestart() {
        want(bob, ("presence", "nobody"), ("lastSeen", "nobody"), ("read", "nobody"))
        except(bob, "carol", as: "always")
        relay.crash()
        let (watcher, carol, bob) = (relay.connect("watcher"), relay.connect("carol"), relay.connect("bob"))
        relay.pause()
        #expect(found(watcher, "bob") == "offline")
        #expect(found(carol, "bob") == "online")
        let answer = bob.request("privacy")
        let settings = answer?["privacy"]
        #expect(["presence", "lastSeen", "read"].map { settings?.text($0) } == ["nobody", "nobody", "nobody"])
        #expect(answer?.list("exceptions").map { $0.text("user") } == ["carol"])
        #expect(answer?.list("exceptions").map { $0.text("as") } == ["always"])
    }

    // MARK: Last seen

    @Test(arguments: [(3, "recently", "week"), (7, "week", "month"), (30, "month", "long")])
    func coarseTimes(days: Int64, before: String, after: String) {
        #expect("\(SeenRange(age: days * 86_400_000 - 1).word)" == before)
        #expect("\(SeenRange(age: days * 86_400_000).word)" == after)
    }

    @Test func coarseTimesSayRecently() {
        want(bob, ("lastSeen", "coarse"))
        bob.tell("bye")
        relay.pause()
        #expect(shown(watcher, "bob") == ["offline recently"])
        #expect(found(watcher, "bob") == "offline recently")
    }

    @Test func theCoarserOfTwoCounts() {
        want(watcher, ("lastSeen", "nobody"))
        bob.tell("bye")
        relay.pause()
        #expect(shown(watcher, "bob").last == "offline")
        want(watcher, ("lastSeen", "exact"))
        #expect(found(watcher, "bob") == "offline exact")
    }

    // MARK: Before the first message

    @Test func strangersMayWatchAUserVisibleToEveryone() {
        let stranger = relay.connect("stranger")
        #expect(found(stranger, "bob") == nil)
        want(bob, ("presence", "everyone"))
        #expect(found(stranger, "bob") == "online")
        _ = bob.outcome("status", ["state": "busy"])
        relay.pause()
        #expect(shown(stranger, "bob") == ["busy"])
        want(bob, ("presence", "shared"))
        stranger.forget()
        _ = bob.outcome("status", ["state": "away"])
        relay.pause()
        #expect(shown(stranger, "bob").isEmpty)
        #expect(found(stranger, "bob") == nil)
    }

    // MARK: Typing

    @Test func whoIsHiddenTypesUnseen() {
        except(bob, "watcher", as: "blocked")
        bob.tell("typing", ["to": "\(group)"])
        watcher.tell("typing", ["to": "\(group)"])
        relay.pause()
        #expect(watcher.frames("typing").isEmpty && bob.frames("typing").isEmpty)
        bob.tell("typing", ["to": "\(group)", "active": false])
        relay.pause()
        #expect(watcher.frames("typing").isEmpty)
    }

    @Test func typingEndsWhenTheUserHides() {
        bob.tell("typing", ["to": "\(group)"])
        watcher.tell("typing", ["to": "\(group)"])
        relay.pause()
        except(bob, "watcher", as: "never")
        #expect(watcher.frames("typing").map { $0["active"]?.bool } == [true, false])
        #expect(bob.frames("typing").map { $0["active"]?.bool } == [true, false])
    }

    // MARK: Receipts

    private func receipts(_ client: HarnessClient, of user: String) -> [String] {
        client.frames("receipt").filter { $0.text("user") == user }.map {
            "\($0.number("delivered") ?? -1) \($0.number("read") ?? -1)"
        }
    }

    private func sendAndRead() {
        _ = watcher.request("send", ["to": "\(group)", "key": "k", "body": "x"])
        relay.pause()
        let position = bob.frames("message").last?.text("position") ?? ""
        bob.tell("ack", ["position": "\(position)"])
        relay.pause()
        bob.tell("read", ["conversation": "\(group)", "sequence": 1])
        relay.pause()
    }

    @Test func hidingReadReceiptsHidesDeliveriesToo() {
        want(bob, ("read", "nobody"))
        sendAndRead()
        #expect(receipts(watcher, of: "bob").isEmpty)
        let page = watcher.request(
            "conversation.members", ["conversation": "\(group)", "sequence": 1])
        #expect(page?.number("readCount") == 0 && page?.number("deliveredCount") == 0)
        let member = page?.list("members").first { $0.text("user") == "bob" }
        #expect(["delivered", "deliveredAt", "read", "readAt"].allSatisfy { member?[$0] == nil })
        // The watcher has read its own message, and Bob gets no receipt of that.
        #expect(receipts(bob, of: "watcher").isEmpty)
        #expect(receipts(bob, of: "bob").last == "1 1")
    }

    @Test func aBlockedUserGetsNothing() {
        except(bob, "watcher", as: "blocked")
        sendAndRead()
        #expect(receipts(watcher, of: "bob").isEmpty && receipts(bob, of: "watcher").isEmpty)
        let page = watcher.request(
            "conversation.members", ["conversation": "\(group)", "sequence": 1])
        #expect(page?.number("deliveredCount") == 0)
        let member = page?.list("members").first { $0.text("user") == "bob" }
        #expect(member?["delivered"] == nil && member?["deliveredAt"] == nil)
    }

    // MARK: Counts

    private func count(_ client: HarnessClient) -> Int64? {
        client.request("watch", ["conversations": .list([group])])?.list("conversations").first?.number("online")
    }

    @Test func countsAreThoseOfWhomOneIsTold() {
        let carol = relay.connect("carol", "tablet")
        #expect([watcher, bob, carol].map(count) == [3, 3, 3])
        for client in [watcher, bob, carol] { client.forget() }
        except(bob, "watcher", as: "blocked")
        #expect(watcher.frames("presence").flatMap { $0.list("conversations") }.last?.number("online") == 2)
        #expect([watcher, bob, carol].map(count) == [2, 2, 3])
        want(bob, ("presence", "nobody"))
        relay.advance(1_000)
        #expect([watcher, bob, carol].map(count) == [2, 1, 2])
        except(bob, "carol", as: "always")
        #expect([watcher, bob, carol].map(count) == [2, 2, 3])
    }

    @Test func listsOfMembersTellHowTheyAre() {
        _ = bob.outcome("status", ["state": "busy", "text": "x"])
        relay.pause()
        func listed(_ client: HarnessClient, presence: Value = true) -> [String]? {
            client.request("conversation.members", ["conversation": "\(group)", "presence": presence])?
                .list("members").map(describe)
        }
        #expect(listed(watcher) == ["online", "busy x", "online"])
        #expect(listed(watcher, presence: false) == ["", "", ""])
        except(bob, "watcher", as: "never")
        #expect(listed(watcher) == ["online", "offline", "online"])
        #expect(listed(bob) == ["offline", "busy x", "online"])
    }

    /// Most get nothing new then.
    @Test func aCountChangesForWhomOneIsShownTo() {
        except(bob, "watcher", as: "always")
        want(bob, ("presence", "nobody"))
        let carol = relay.connect("carol", "tablet")
        #expect([watcher, carol].map(count) == [3, 2])
        for client in [watcher, carol] { client.forget() }
        bob.tell("bye")
        relay.advance(1_000)
        let told = [watcher, carol].map { client in
            client.frames("presence").flatMap { $0.list("conversations") }.map { $0.number("online") }
        }
        #expect(told == [[2], []])
    }

    // MARK: Commands

    @Test func ownDevicesAreToldOfAChange() {
        let tablet = relay.connect("bob", "tablet")
        want(bob, ("presence", "nobody"))
        want(bob, ("presence", "nobody"))
        #expect(tablet.frames("privacy").map { $0.text("presence") } == ["nobody"])
        except(bob, "watcher", as: "never")
        except(bob, "watcher", as: "never")
        #expect(tablet.frames("privacy").count == 2)
        #expect(watcher.frames("privacy").isEmpty)
    }

    @Test func exceptionsAreBounded() {
        except(bob, "a", "b", "c", as: "never")
        #expect(bob.outcome("except", ["users": ["d", "e"], "as": "never"]) == "too_large")
        #expect(bob.outcome("except", ["users": ["a", "b", "c", "d"], "as": "never"]) == "too_large")
        // The same again isn't more.
        except(bob, "a", "b", "d", as: "blocked")
        #expect(bob.outcome("contact.block", ["users": ["d", "e"]]) == "too_large")
        // A user hidden before the block is hidden again.
        except(bob, "a", as: "unblocked")
        #expect(bob.outcome("except", ["users": ["e"], "as": "always"]) == "too_large")
        except(bob, "d", as: "unblocked")
        except(bob, "e", as: "always")
        #expect(bob.request("privacy")?.list("exceptions").count == 4)
        #expect(bob.outcome("except", ["users": ["bob"], "as": "never"]) == "bad_request")
    }

    @Test func aUserOnlyNamedInAnExceptionIsForgotten() {
        let before = relay.relay.directory.everybody.count
        except(bob, "nobody-yet", as: "blocked")
        #expect(relay.relay.directory.everybody.count == before + 1)
        relay.crash()
        #expect(relay.relay.directory.everybody.count == before + 1)
        let bob = relay.connect("bob")
        #expect(bob.outcome("contact.unblock", ["users": ["nobody-yet"]]) == "ok")
        #expect(relay.relay.directory.everybody.count == before)
        relay.crash()
        #expect(relay.relay.directory.everybody.count == before)
    }
}
