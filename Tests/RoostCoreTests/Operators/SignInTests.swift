import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// Sign-ins can be revoked by themselves, and services may do it.
@Suite struct SignInTests {
    private func hello(_ token: String, at relay: RelayHarness) -> HarnessClient {
        let client = relay.open()
        client.send(#"{"type":"hello","id":0,"token":"\#(token)","operator":true}"#)
        return client
    }

    private func mill(at relay: RelayHarness) -> HarnessClient { hello("service:mill", at: relay) }

    /// Whether a `hello` with this token is refused.
    private func isRefused(_ token: String, _ device: String = "phone", at relay: RelayHarness) -> Bool {
        let client = relay.open()
        client.send(#"{"type":"hello","id":0,"token":"\#(token)","device":"\#(device)"}"#)
        return client.codes == ["unauthorized"]
    }

    @Test func aServiceMayEndSessionsAndNothingElse() {
        let relay = RelayHarness()
        _ = relay.connect("alice")
        let mill = mill(at: relay)
        #expect(mill.frames.first?.text("operator") == "mill")
        for type in ["admin.people", "admin.drain", "admin.statistics"] {
            #expect(mill.outcome(type) == "forbidden", "\(type)")
        }
        #expect(mill.outcome("admin.message", ["position": "memory-1"]) == "forbidden")
        #expect(mill.outcome("send", ["to": "@bob", "key": "k", "body": "b"]) == "forbidden")
        #expect(mill.request("admin.user", ["user": "alice"])?["person"]?.text("state") == "online")
        #expect(mill.outcome("admin.disconnect", ["user": "alice"]) == "ok")
        #expect(mill.outcome("admin.revoke", ["user": "alice"]) == "ok")
        #expect(mill.outcome("refresh", ["token": "mill"]) == "forbidden")
        #expect(mill.outcome("refresh", ["token": "service:mill"]) == "ok")
    }

    @Test func allConnectionsOfASignInEndAtOnceAndStayOut() {
        let relay = RelayHarness()
        let phone = relay.connect("alice#s-1")
        let tablet = relay.connect("alice#s-1", "tablet")
        let watch = relay.connect("alice#s-2", "watch")
        let other = relay.connect("alice", "other")
        let mill = mill(at: relay)
        #expect(mill.request("admin.revoke", ["sid": "s-1"])?.number("closed") == 2)
        #expect([phone.closeCode, tablet.closeCode] == [.revoked, .revoked])
        #expect([watch.closeCode, other.closeCode] == [nil, nil])
        #expect(isRefused("alice#s-1", at: relay))
        #expect(!isRefused("alice#s-3", at: relay))
        relay.crash()
        #expect(isRefused("alice#s-1", at: relay))
        // It stays so until the longest token has expired, and is then forgotten.
        relay.advance(3_659_000)
        #expect(isRefused("alice#s-1", at: relay))
        relay.advance(62_000)
        #expect(!isRefused("alice#s-1", at: relay))
        #expect(relay.log.load().endedSignIns.isEmpty)
    }

    @Test func theCommandSaysUntilWhen() {
        let relay = RelayHarness()
        let mill = mill(at: relay)
        let now = relay.now.wall.milliseconds
        #expect(mill.request("admin.revoke", ["sid": "s-1", "until": Value(json: "\(now + 5_000)")]) != nil)
        // A shorter time takes nothing back.
        #expect(mill.outcome("admin.revoke", ["sid": "s-1", "until": Value(json: "\(now + 4_000)")]) == "ok")
        relay.advance(4_999)
        #expect(isRefused("alice#s-1", at: relay))
        relay.advance(1)
        #expect(!isRefused("alice#s-1", at: relay))
        let day = relay.now.wall.milliseconds + 86_400_000
        #expect(mill.outcome("admin.revoke", ["sid": "s-1", "until": Value(json: "\(day)")]) == "ok")
        #expect(mill.outcome("admin.revoke", ["sid": "s-1", "until": Value(json: "\(day + 1)")]) == "too_large")
        #expect(mill.outcome("admin.revoke", ["sid": "s-1", "until": Value(json: "\(Int64.max)")]) == "too_large")
        // A sign-in that is over by then only closes connections.
        let alice = relay.connect("alice#s-9")
        #expect(mill.request("admin.revoke", ["sid": "s-9", "until": 1])?.number("closed") == 1)
        #expect(alice.closeCode == .revoked)
        #expect(!isRefused("alice#s-9", at: relay))
    }

    @Test func aRefreshMovesTheSession() {
        let relay = RelayHarness()
        let alice = relay.connect("alice#s-1")
        let mill = mill(at: relay)
        #expect(alice.outcome("refresh", ["token": "alice#s-2"]) == "ok")
        #expect(mill.request("admin.revoke", ["sid": "s-1"])?.number("closed") == 0)
        #expect(alice.outcome("refresh", ["token": "alice#s-1"]) == "unauthorized")
        #expect(alice.outcome("refresh", ["token": "alice#s-2"]) == "ok")
        #expect(mill.request("admin.revoke", ["sid": "s-2"])?.number("closed") == 1)
        let bob = relay.connect("bob#s-3")
        #expect(bob.outcome("refresh", ["token": "bob"]) == "ok")
        #expect(mill.request("admin.revoke", ["sid": "s-3"])?.number("closed") == 0)
    }

    @Test func absentSessionsAreNotCounted() {
        let relay = RelayHarness()
        relay.connect("alice#s-1").drop()
        let again = relay.connect("alice#s-1")
        #expect(relay.connect("alice#s-1").closeCode == nil)
        #expect(again.closeCode == .takenOver)
        #expect(mill(at: relay).request("admin.revoke", ["sid": "s-1"])?.number("closed") == 1)
    }

    @Test func aTokenThatIsCheckedMeanwhileIsRefused() {
        let relay = RelayHarness()
        let mill = mill(at: relay)
        let alice = relay.open()
        alice.say(#"{"type":"hello","id":0,"token":"alice#s-1","device":"phone"}"#)
        mill.start("admin.revoke", ["sid": "s-1"])
        relay.settle()
        #expect(alice.codes == ["unauthorized"])
    }

    @Test func theNumberOfConnectionsIsBounded() {
        let relay = RelayHarness(limits: .with { $0.sessionsPerSignIn = 2 })
        _ = relay.connect("alice#s-1")
        let tablet = relay.connect("alice#s-1", "tablet")
        let watch = relay.open()
        watch.send(#"{"type":"hello","id":0,"token":"alice#s-1","device":"watch"}"#)
        #expect(watch.codes == ["too_large"])
        #expect(tablet.outcome("refresh", ["token": "alice#s-1"]) == "ok")
        let other = relay.connect("alice#s-2", "other")
        #expect(other.outcome("refresh", ["token": "alice#s-1"]) == "too_large")
        tablet.drop()
        watch.send(#"{"type":"hello","id":0,"token":"alice#s-1","device":"watch"}"#)
        #expect(watch.frames("welcome").count == 1)
    }

    /// None is dropped to make room: further ones are refused.
    @Test func theNumberOfRevokedSignInsIsBounded() {
        let relay = RelayHarness(limits: .with { $0.endedSignIns = 3 })
        let mill = mill(at: relay)
        let now = relay.now.wall.milliseconds
        for (index, life) in [3_000, 1_000, 2_000].enumerated() {
            let members: Members = ["sid": "s-\(index)", "until": Value(json: "\(now + Int64(life))")]
            #expect(mill.outcome("admin.revoke", members) == "ok")
        }
        let alice = relay.connect("alice#s-4")
        #expect(mill.outcome("admin.revoke", ["sid": "s-4"]) == "busy")
        #expect(alice.closeCode == nil)
        #expect(mill.outcome("admin.revoke", ["sid": "s-0", "until": Value(json: "\(now + 90_000)")]) == "ok")
        relay.advance(61_000)
        #expect(isRefused("alice#s-0", at: relay))
        let again = self.mill(at: relay)
        #expect(again.outcome("admin.revoke", ["sid": "s-4"]) == "ok")
        #expect(again.outcome("admin.revoke", ["sid": "s-5"]) == "ok")
        #expect(relay.log.load().endedSignIns.map(\.name) == ["s-0", "s-4", "s-5"])
    }

    /// An `ok` means that it is stored; the connections don't wait for that.
    @Test func theAnswerWaitsForTheStore() {
        let relay = RelayHarness()
        let alice = relay.connect("alice#s-1")
        let own = hello("admin:olga#s-1", at: relay)
        relay.settle()
        relay.holdsCommits = true
        own.start("admin.revoke", ["sid": "s-1"], id: 5)
        relay.settle()
        #expect(alice.closeCode == .revoked)
        #expect(own.closeCode == nil && own.frames.last?.text("type") == "welcome")
        relay.holdsCommits = false
        relay.settle()
        #expect(own.frames.last?.number("closed") == 2 && own.frames.last?["unstored"] == nil)
        #expect(own.closeCode == .revoked)
    }

    @Test func commandsThatWaitForTheStoreAreBounded() {
        let relay = RelayHarness(limits: .with { $0.heldAnswers = 2 })
        let mill = mill(at: relay)
        relay.holdsCommits = true
        for id in 1...3 { mill.start("admin.revoke", ["sid": "s-\(id)"], id: id) }
        mill.start("admin.revoke", ["user": "alice"], id: 4)
        relay.settle()
        #expect(mill.codes == ["busy", "busy"])
        relay.holdsCommits = false
        relay.settle()
        #expect(mill.frames("ok").map { $0.number("re") } == [1, 2])
    }

    @Test func aStoreThatIsFullOrStuckIsSaid() {
        let relay = RelayHarness()
        let mill = mill(at: relay)
        relay.fillDisk()
        #expect(mill.request("admin.revoke", ["sid": "s-1"])?["unstored"]?.bool == true)
        #expect(isRefused("alice#s-1", at: relay))
        relay.makeRoom()
        relay.settle()
        relay.crash()
        #expect(isRefused("alice#s-1", at: relay))
        let again = self.mill(at: relay)
        relay.holdsCommits = true
        again.start("admin.revoke", ["sid": "s-2"])
        relay.settle()
        #expect(again.frames("ok").isEmpty)
        relay.advance(2_500)
        #expect(again.frames("ok").last?.flag("unstored") == true)
        relay.holdsCommits = false
        relay.settle()
        #expect(again.frames("ok").count == 1)
    }
}
