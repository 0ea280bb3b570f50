import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// Profiles: the right to change them, the order of changes, and the recipients.
@Suite struct ProfileTests {
    let relay = RelayHarness(limits: .with { $0.pingMilliseconds = 100_000_000 })
    let alice: HarnessClient
    let bob: HarnessClient

    /// Alice and Bob have a direct conversation.
    init() {
        alice = relay.connect("alice")
        bob = relay.connect("bob")
        _ = alice.makeDirect("bob")
        relay.pause()
        alice.forget()
        bob.forget()
    }

    private func mill() -> HarnessClient {
        let mill = relay.open()
        mill.send(#"{"type":"hello","id":0,"token":"service:mill","operator":true}"#)
        return mill
    }

    private func told(_ client: HarnessClient) -> [String] { client.frames("profile").map(describe) }

    private func describe(_ profile: JSONValue) -> String {
        ["user", "name", "username", "photo", "bio", "role", "tier"].compactMap { profile.text($0) }
            .joined(separator: " ") + (profile.flag("deleted") == true ? " deleted" : "")
            + (profile.number("version").map { " \($0)" } ?? "")
    }

    private func shown(_ client: HarnessClient, _ users: String...) -> [String]? {
        client.request("user.get", ["users": .list(users)])?.list("profiles").map(describe)
    }

    // MARK: Changing

    @Test func aProfileIsShownAsItIsSet() {
        #expect(shown(bob, "alice", "nobody") == ["alice", "nobody"])
        let answer = alice.request("profile.set", ["name": "Alice A", "username": "Alice.A", "photo": "p/1"])
        #expect(answer?.number("version") == 1)
        #expect(shown(bob, "alice") == ["alice Alice A alice.a p/1 1"])
        #expect(shown(alice, "alice") == ["alice Alice A alice.a p/1 1"])
        #expect(alice.request("profile.set", ["photo": "", "bio": "Hello"])?.number("version") == 2)
        #expect(shown(bob, "alice") == ["alice Alice A alice.a Hello 2"])
    }

    @Test func unchangedProfilesKeepTheVersion() {
        for _ in 0..<2 { #expect(alice.request("profile.set", ["name": "Alice"])?.number("version") == 1) }
        relay.pause()
        #expect(told(bob).count == 1)
    }

    @Test func aChangeMayNameTheVersionThatItIsOf() {
        #expect(alice.outcome("profile.set", ["name": "A", "ifVersion": 1]) == "conflict")
        #expect(alice.outcome("profile.set", ["name": "A", "ifVersion": 0]) == "ok")
        #expect(alice.outcome("profile.set", ["name": "B", "ifVersion": 0]) == "conflict")
        #expect(alice.outcome("profile.set", ["name": "B", "ifVersion": 1]) == "ok")
    }

    @Test func usersCannotSetARole() {
        #expect(alice.outcome("profile.set", ["name": "A", "role": "trainer"]) == "forbidden")
        #expect(alice.outcome("profile.set", ["tier": "gold"]) == "forbidden")
        #expect(alice.outcome("admin.profile", ["user": "alice", "role": "trainer"]) == "forbidden")
        #expect(shown(alice, "alice") == ["alice"])
    }

    @Test func usernamesAreUnique() {
        #expect(alice.outcome("profile.set", ["username": "anna"]) == "ok")
        #expect(bob.outcome("profile.set", ["username": "ANNA"]) == "username_taken")
        #expect(alice.outcome("profile.set", ["username": "Anna"]) == "ok")
        #expect(alice.outcome("profile.set", ["username": "anna.2"]) == "ok")
        #expect(bob.outcome("profile.set", ["username": "anna"]) == "ok")
        #expect(bob.outcome("profile.set", ["username": ""]) == "ok")
        #expect(alice.outcome("profile.set", ["username": "anna"]) == "ok")
    }

    /// Both are judged while neither is stored.
    @Test func twoAtOnceDoNotGetTheSameUsername() {
        relay.holdsCommits = true
        alice.start("profile.set", ["username": "anna"])
        bob.start("profile.set", ["username": "anna"])
        relay.settle()
        relay.holdsCommits = false
        relay.settle()
        #expect(alice.codes.isEmpty)
        #expect(bob.codes == ["username_taken"])
    }

    // MARK: When it counts

    @Test func aChangeIsShownAndAnsweredOnceItIsStored() {
        relay.holdsCommits = true
        alice.start("profile.set", ["name": "Alice"])
        // It changes nothing more, and has to wait for the first as well.
        alice.start("profile.set", ["name": "Alice"], id: 2)
        relay.advance(1_000)
        #expect(alice.frames("ok").isEmpty)
        #expect(shown(bob, "alice") == ["alice"])
        #expect(told(bob).isEmpty)
        relay.holdsCommits = false
        relay.pause()
        #expect(alice.frames("ok").compactMap { $0.number("version") } == [1, 1])
        #expect(told(bob) == ["alice Alice 1"])
    }

    /// A crash takes back a version that no client got, so that a version never means two things.
    @Test func aCrashTakesBackOnlyWhatNobodyKnows() {
        _ = alice.request("profile.set", ["name": "Alice", "username": "alice"])
        relay.holdsCommits = true
        alice.start("profile.set", ["name": "Alina", "username": "alina"])
        relay.settle()
        relay.crash()
        relay.holdsCommits = false
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        #expect(shown(bob, "alice") == ["alice Alice alice 1"])
        #expect(bob.outcome("profile.set", ["username": "alice"]) == "username_taken")
        #expect(bob.outcome("profile.set", ["username": "alina"]) == "ok")
        #expect(alice.request("profile.set", ["name": "Alma"])?.number("version") == 2)
    }

    @Test func nothingIsTakenThatCannotBeStored() {
        relay.fillDisk()
        #expect(alice.outcome("profile.set", ["name": "Alice"]) == "unavailable")
        relay.makeRoom()
        #expect(alice.outcome("profile.set", ["name": "Alice"]) == "ok")
        relay.holdsCommits = true
        alice.forget()
        alice.start("profile.set", ["name": "Alina"])
        relay.settle()
        relay.failCommit()
        #expect(alice.codes == ["unavailable"])
    }

    /// The disk fills up while the store has it: others are sent it when there is room, and then it can be set again.
    @Test func changesThatWaitForRoomAreSentLater() {
        relay.holdsCommits = true
        alice.start("profile.set", ["name": "Alice"])
        relay.settle()
        relay.fillDisk()
        relay.holdsCommits = false
        relay.pause()
        #expect(told(bob).isEmpty)
        relay.makeRoom()
        relay.pause()
        #expect(told(bob) == ["alice Alice 1"])
        #expect(alice.codes == ["unavailable"] && alice.frames("ok").isEmpty)
        #expect(alice.request("profile.set", ["name": "Alice"])?.number("version") == 1)
    }

    @Test func soManyChangesWaitForTheStoreAndNoMore() {
        let relay = RelayHarness(limits: .with { $0.heldAnswers = 2 })
        let alice = relay.connect("alice")
        relay.holdsCommits = true
        for id in 1...3 { alice.start("profile.set", ["name": "A\(id)"], id: id) }
        relay.settle()
        #expect(alice.codes == ["busy"])
        relay.holdsCommits = false
        relay.settle()
        #expect(alice.request("profile.set", ["name": "A"])?.number("version") == 3)
    }

    // MARK: Recipients

    @Test func ownDevicesPeersAndWatchersAreToldOnce() {
        let tablet = relay.connect("alice", "tablet")
        let carol = relay.connect("carol")
        _ = alice.makeGroup("carol", "dave")
        let dave = relay.connect("dave")
        _ = carol.request("watch", ["users": ["alice"]])
        _ = bob.request("watch", ["users": ["alice"]])
        relay.pause()
        _ = alice.request("profile.set", ["name": "Alice"])
        relay.advance(100)
        for client in [alice, tablet, bob, carol] { #expect(told(client) == ["alice Alice 1"]) }
        #expect(told(dave).isEmpty)
    }

    @Test func onlyTheLastOfSeveralChangesIsSent() {
        for number in 1...5 { _ = alice.request("profile.set", ["name": "A\(number)"]) }
        relay.advance(100)
        #expect(told(bob) == ["alice A5 5"])
    }

    @Test func thosePresentAreToldEachOtherWhenTheyBeginToWrite() {
        let (carol, dave) = (relay.connect("carol"), relay.connect("dave"))
        _ = carol.request("profile.set", ["name": "Carol"])
        carol.post("hello", to: "@dave")
        #expect(told(dave) == ["carol Carol 1"])
    }

    @Test func slowReadersGetTheNewestProfileLater() {
        bob.isReading = false
        let body = String(repeating: "x", count: 1_000)
        for number in 1...100 {
            _ = alice.request("send", ["to": "@bob", "key": "\(number)", "body": "\(body)"])
        }
        for number in 1...3 {
            _ = alice.request("profile.set", ["name": "A\(number)"])
            relay.advance(100)
        }
        bob.isReading = true
        relay.pause()
        #expect(told(bob) == ["alice A3 3"])
    }

    /// The blocked one sees the blocker as before: a name that vanished would tell it.
    @Test func whoIsBlockedIsNotShownToTheBlocker() {
        _ = bob.request("contact.block", ["users": ["alice"]])
        _ = alice.request("profile.set", ["name": "Alice"])
        _ = bob.request("profile.set", ["name": "Bob"])
        relay.pause()
        #expect(told(bob) == ["bob Bob 1"])
        #expect(Set(told(alice)) == ["alice Alice 1", "bob Bob 1"])
        #expect(shown(bob, "alice") == ["alice"])
        #expect(shown(alice, "bob") != ["bob"])
    }

    // MARK: Services

    @Test func aServiceGivesANameBeforeTheFirstHello() {
        let mill = mill()
        let answer = mill.request("admin.profile", ["user": "zoe", "name": "Zoe", "role": "trainer"])
        #expect(answer?.number("version") == 1)
        relay.crash()
        let zoe = relay.connect("zoe")
        let alice = relay.connect("alice")
        relay.pause()
        zoe.post("hello", to: "@alice")
        #expect(told(alice) == ["zoe Zoe trainer 1"])
    }

    @Test func aRefusedServiceMakesNobody() {
        let mill = mill()
        let users = relay.relay.counters.users
        #expect(mill.outcome("admin.profile", ["user": "zoe", "name": " "]) == "bad_request")
        #expect(mill.outcome("admin.profile", ["user": "zoe", "name": "Zoe", "ifVersion": 3]) == "conflict")
        #expect(mill.outcome("admin.profile", ["user": "zoe", "deleted": true]) == "not_found")
        #expect(relay.relay.counters.users == users)
        // A user without any member is known all the same.
        let given = mill.request("admin.profile", ["user": "zoe"])
        #expect(given?.number("version") == 1 && given?["duplicate"] == nil)
        #expect(mill.request("admin.profile", ["user": "zoe"])?.flag("duplicate") == true)
        #expect(relay.relay.counters.users == users + 1)
    }

    @Test func onlyTheVersionOfAUserWhoHasLeftStays() {
        let mill = mill()
        _ = alice.request("profile.set", ["name": "Alice", "username": "alice.a", "bio": "x"])
        #expect(mill.outcome("admin.profile", ["user": "alice", "deleted": true, "name": "A"]) == "bad_request")
        for _ in 0..<2 {
            #expect(mill.request("admin.profile", ["user": "alice", "deleted": true])?.number("version") == 2)
        }
        relay.pause()
        #expect(told(bob).last == "alice deleted 2")
        #expect(shown(bob, "alice") == ["alice deleted 2"])
        #expect(alice.closeCode == .revoked && relay.connect("alice").codes == ["unauthorized"])
        #expect(mill.outcome("admin.profile", ["user": "alice", "tier": "gold"]) == "gone")
        #expect(bob.outcome("profile.set", ["username": "alice.a"]) == "ok")
        // The id stays what it was.
        #expect(bob.outcome("profile.set", ["username": "alice"]) == "username_taken")
        #expect(mill.outcome("admin.profile", ["user": "alice", "deleted": false, "name": "Alice"]) == "ok")
        #expect(shown(bob, "alice") == ["alice Alice 3"])
    }

    // MARK: Lists

    @Test func aListTellsWhatItsPeopleAreCalled() {
        _ = alice.request("profile.set", ["name": "Alice", "bio": "x"])
        _ = bob.request("profile.set", ["name": "Bob", "photo": "p/2"])
        let crew = bob.makeGroup("alice", "carol")
        let carol = relay.connect("carol")
        _ = carol.request("profile.set", ["name": "Carol"])
        carol.post("hi", to: crew)
        let list = alice.request("conversation.list")
        #expect(list?.list("people").map(describe) == ["carol Carol 1", "alice Alice 1", "bob Bob p/2 1"])
        let one = alice.request("conversation.get", ["conversation": "\(crew)"])
        #expect(one?.list("people").map(describe) == ["carol Carol 1", "bob Bob p/2 1", "alice Alice 1"])
    }

    @Test func aListTellsSoManyAndNoMore() {
        let relay = RelayHarness(limits: .with { $0.peopleShown = 2 })
        let alice = relay.connect("alice")
        let others = ["bob", "carol", "dave"].map { relay.connect($0) }
        for other in others { _ = other.request("profile.set", ["name": "x"]) }
        _ = alice.makeGroup("bob", "carol", "dave")
        _ = alice.makeDirect("dave")
        let people = alice.request("conversation.list")?.list("people").compactMap { $0.text("user") }
        #expect(people == ["dave", "bob"])
    }
}
