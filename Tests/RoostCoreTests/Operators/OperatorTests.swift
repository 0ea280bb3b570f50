import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// Sessions of operators, what they may see, and what they may end.
@Suite struct OperatorTests {
    private func olga(at relay: RelayHarness) -> HarnessClient {
        let olga = relay.open()
        olga.send(#"{"type":"hello","id":0,"token":"admin:olga","operator":true}"#)
        return olga
    }

    @Test func nothingOfAnOperatorsSessionIsStoredOrTold() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        relay.pause()
        alice.forget()
        let users = relay.log.load().users.count
        let olga = olga(at: relay)
        #expect(olga.frames.first?.text("operator") == "olga")
        #expect(relay.relay.counters.users == 1)
        #expect(relay.relay.readySessions == 2)
        olga.drop()
        relay.pause()
        #expect(relay.relay.readySessions == 1)
        #expect(relay.relay.counters.sessions.operators == 0)
        #expect(alice.frames.isEmpty)
        #expect(relay.log.load().users.count == users)
    }

    @Test func anOperatorsSessionEndsLikeOthers() {
        let relay = RelayHarness(limits: .with { $0.refreshGraceMilliseconds = 1_000 })
        let silent = olga(at: relay)
        let short = relay.open()
        short.send(#"{"type":"hello","id":0,"token":"admin:olga+5000","operator":true}"#)
        relay.advance(6_500)
        #expect(short.closeCode == .tokenExpired)
        relay.advance(60_000)
        #expect(silent.closeCode == .pingTimeout)
        let late = olga(at: relay)
        relay.relay.beginDrain(spreadMilliseconds: 1_000, at: relay.now)
        relay.settle()
        #expect(late.frames("drain").count == 1)
        relay.relay.closeAll(at: relay.now)
        relay.settle()
        #expect(late.closeCode == .drain)
    }

    @Test func aPageOfPeopleLooksAtSoManyAndNoMore() {
        let relay = RelayHarness(limits: .with { $0.peopleLookedAt = 3 })
        for number in 0..<8 {
            let user = relay.connect("user\(number)")
            if number != 7 { user.tell("bye") }
        }
        relay.advance(100)
        let olga = olga(at: relay)
        var after = ""
        var pages: [[String]] = []
        while pages.count < 9 {
            let page: Members = after.isEmpty ? [:] : ["after": "\(after)"]
            let answer = olga.request("admin.people", page)
            pages.append(answer?["people"]?.list("users").compactMap { $0.text("user") } ?? [])
            guard let next = answer?["people"]?.text("next") else { break }
            after = next
        }
        #expect(pages == [[], [], ["user7"]])
    }

    @Test func aServiceDoesNotEndItsOwnSession() {
        let relay = RelayHarness()
        let mill = relay.open()
        mill.send(#"{"type":"hello","id":0,"token":"service:mill","operator":true}"#)
        let user = relay.connect("mill")
        #expect(mill.outcome("admin.revoke", ["user": "mill"]) == "forbidden")
        #expect(mill.outcome("admin.disconnect", ["user": "mill"]) == "forbidden")
        #expect(mill.closeCode == nil && user.closeCode == nil)
        // Operators do, also their own.
        #expect(olga(at: relay).request("admin.revoke", ["user": "mill"])?.number("closed") == 2)
        #expect(mill.closeCode == .revoked)
    }

    @Test func aNameThatBeginsWithAnAtBelongsToNoUser() {
        let relay = RelayHarness()
        let mill = relay.open()
        mill.send(#"{"type":"hello","id":0,"token":"service:@mill"}"#)
        #expect(mill.frames.last?.text("code") == "forbidden")
        let other = relay.open()
        other.send(#"{"type":"hello","id":0,"token":"service:@mill","operator":true}"#)
        #expect(other.frames.last?.text("operator") == "@mill")
        #expect(relay.relay.counters.users == 0)
        for type in ["admin.revoke", "admin.disconnect", "admin.user"] {
            #expect(other.outcome(type, ["user": "@mill"]) == "bad_request")
        }
        #expect(other.outcome("send", ["as": "@mill", "to": "@bob", "key": "k", "body": "x"]) == "bad_request")
    }

    @Test func revocationsOutliveACrash() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let tablet = relay.connect("alice", "tablet")
        let olga = olga(at: relay)
        #expect(olga.request("admin.revoke", ["user": "alice", "device": "phone"])?.number("closed") == 1)
        #expect(alice.closeCode == .revoked)
        #expect(tablet.closeCode == nil)
        // Tokens of the test are issued when they are checked: the same millisecond is still refused.
        #expect(relay.connect("alice").frames.last?.text("code") == "unauthorized")
        relay.crash()
        #expect(relay.connect("alice").frames.last?.text("code") == "unauthorized")
        #expect(relay.connect("alice", "tablet").frames.first?.text("type") == "welcome")
        relay.advance(1)
        #expect(relay.connect("alice").frames.first?.text("type") == "welcome")
    }

    /// It takes effect at once, and the operator's answer says that it isn't stored.
    @Test func aRevocationOnAFullDiskIsStoredWhenThereIsRoom() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let olga = olga(at: relay)
        relay.fillDisk()
        #expect(olga.request("admin.revoke", ["user": "alice"])?["unstored"]?.bool == true)
        #expect(alice.closeCode == .revoked)
        relay.makeRoom()
        relay.settle()
        #expect(olga.request("admin.revoke", ["user": "alice"])?["unstored"] == nil)
        relay.crash()
        #expect(relay.connect("alice").frames.last?.text("code") == "unauthorized")
    }

    @Test func aRevocationAfterTheStoreFailedIsNotStored() {
        let relay = RelayHarness()
        let olga = olga(at: relay)
        let alice = relay.connect("alice")
        relay.failCommit()
        #expect(olga.request("admin.revoke", ["user": "alice"])?["unstored"]?.bool == true)
        #expect(alice.closeCode != nil)
    }

    @Test func aUserWithRevokedTokensIsNotForgotten() {
        let relay = RelayHarness()
        let olga = olga(at: relay)
        _ = olga.request("admin.revoke", ["user": "nobody"])
        relay.crash()
        relay.crash()
        #expect(relay.relay.counters.users == 1)
        #expect(relay.connect("nobody").frames.last?.text("code") == "unauthorized")
    }

    @Test func revokedTokensDoNotRefresh() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let tablet = relay.connect("alice", "tablet")
        let olga = olga(at: relay)
        alice.say(#"{"type":"refresh","id":7,"token":"alice"}"#)
        _ = olga.request("admin.revoke", ["user": "alice", "device": "tablet"])
        #expect(tablet.closeCode == .revoked)
        #expect(alice.frames.last?.text("type") == "ok")
    }

    @Test func anOperatorCanBeRevoked() {
        let relay = RelayHarness()
        let olga = olga(at: relay)
        let mallory = relay.open()
        mallory.send(#"{"type":"hello","id":0,"token":"admin:mallory","operator":true}"#)
        #expect(olga.request("admin.revoke", ["user": "mallory"])?.number("closed") == 1)
        #expect(mallory.closeCode == .revoked)
        let again = relay.open()
        again.send(#"{"type":"hello","id":0,"token":"admin:mallory","operator":true}"#)
        #expect(again.codes == ["unauthorized"])
        #expect(olga.outcome("admin.people") == "ok")
    }

    @Test func disconnectedIsSeenAsALossAndMayReturn() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        _ = bob.makeDirect("alice")
        _ = bob.request("watch", ["users": ["alice"]])
        relay.advance(100)
        bob.forget()
        let olga = olga(at: relay)
        _ = olga.request("admin.disconnect", ["user": "alice"])
        #expect(alice.closeCode == .disconnected)
        relay.advance(1_000)
        _ = relay.connect("alice")
        relay.advance(20_000)
        #expect(bob.states(of: "alice").isEmpty)
    }

    @Test func commandsCostAndAreRefusedBeyond() {
        let relay = RelayHarness(limits: .with { $0.commandsPerSecond = 20 })
        let olga = olga(at: relay)
        let outcomes = (0..<6).map { _ in olga.outcome("admin.people") }
        #expect(outcomes.prefix(3).allSatisfy { $0 == "ok" })
        #expect(outcomes.last == "rate_limited")
    }

    @Test func revokingTokensClosesConnectionsAtOnce() {
        let relay = RelayHarness()
        _ = relay.connect("alice")
        let bob = relay.connect("bob")
        _ = bob.makeDirect("alice")
        _ = bob.request("watch", ["users": ["alice"]])
        relay.advance(100)
        bob.forget()
        _ = olga(at: relay).request("admin.revoke", ["user": "alice"])
        relay.advance(100)
        #expect(bob.states(of: "alice") == ["offline"])
    }

    @Test func theReasonIsTrueAfterARestart() {
        let relay = RelayHarness()
        _ = relay.connect("alice")
        relay.pause()
        relay.crash()
        let olga = olga(at: relay)
        let reason = olga.request("admin.user", ["user": "alice"])?["person"]?.text("reason") ?? ""
        #expect(reason.hasPrefix("online: the relay was restarted"))
    }

    @Test func hiddenMembersDevicesAreNotListed() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let group = alice.makeGroup("bob")
        alice.post("before", to: group)
        _ = relay.connect("carol")
        _ = alice.request("conversation.add", ["conversation": "\(group)", "users": ["carol"]])
        let answer = olga(at: relay).request("admin.message", ["conversation": "\(group)", "sequence": 1])
        let carol = answer?["whereabouts"]?.list("members").last
        #expect(carol?.text("user") == "carol")
        #expect(carol?.flag("hidden") == true)
        #expect(carol?["devices"] == nil)
    }

    @Test func aStoreThatCanNotBeReadIsSaidSo() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let group = alice.makeGroup("bob")
        alice.post("one", to: group)
        let olga = olga(at: relay)
        relay.holdsReads = true
        olga.start("admin.message", ["conversation": "\(group)", "sequence": 1])
        relay.settle()
        for read in relay.heldReads {
            relay.relay.answered(ReadResult(ticket: read.ticket, isFailed: true), at: relay.now)
        }
        relay.holdsReads = false
        relay.settle()
        #expect(olga.codes == ["unavailable"])
    }
}
