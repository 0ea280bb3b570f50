import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// An `ok` means durable, whatever the command: it leaves after the commit. The change itself counts at once.
@Suite struct HeldAnswerTests {
    /// A command of alice's, and what she needs for it.
    struct Case: CustomTestStringConvertible {
        let type: String
        let members: Members
        /// Commands of bob's before it.
        var before: [(type: String, members: Members)] = []
        var testDescription: String { type }
    }

    static let cases: [Case] = [
        Case(type: "status", members: ["state": "invisible"]),
        Case(type: "privacy", members: ["presence": "nobody"]),
        Case(type: "except", members: ["users": ["bob"], "as": "never"]),
        Case(type: "contact.block", members: ["users": ["bob"]]),
        Case(type: "contact.report", members: ["user": "bob", "reason": "spam"]),
        Case(type: "contact.invite", members: ["user": "bob"]),
        Case(
            type: "contact.accept", members: ["user": "bob"], before: [("contact.invite", ["user": "alice"])]),
        Case(
            type: "contact.decline", members: ["user": "bob"], before: [("contact.invite", ["user": "alice"])]),
        Case(type: "contact.remove", members: ["user": "bob"], before: [("contact.invite", ["user": "alice"])]),
        Case(type: "prospect.set", members: ["name": "Carol"]),
        Case(type: "profile.set", members: ["name": "Alice"]),
        Case(type: "state.set", members: ["key": "theme", "value": "dark"]),
    ]

    private let relay = RelayHarness()
    private let alice, bob: HarnessClient

    init() {
        alice = relay.connect("alice")
        bob = relay.connect("bob")
    }

    private func prepare(_ tried: Case) {
        for command in tried.before { _ = bob.request(command.type, command.members) }
        alice.forget()
    }

    @Test("no command that stores something is answered before the commit", arguments: cases)
    func afterTheCommit(tried: Case) {
        prepare(tried)
        relay.holdsCommits = true
        alice.start(tried.type, tried.members)
        relay.settle()
        #expect(alice.frames("ok").isEmpty && alice.codes.isEmpty)
        relay.holdsCommits = false
        relay.settle()
        #expect(alice.frames("ok").count == 1)
    }

    @Test("a command said again, which changes nothing more, waits for the first one", arguments: cases)
    func again(tried: Case) {
        prepare(tried)
        relay.holdsCommits = true
        alice.start(tried.type, tried.members, id: 1)
        relay.settle()
        alice.start(tried.type, tried.members, id: 2)
        relay.settle()
        #expect(alice.frames("ok").isEmpty)
        relay.holdsCommits = false
        relay.settle()
        // An invitation that was accepted or declined is there no more.
        #expect(alice.frames("ok").first?.number("re") == 1)
    }

    @Test("if the store fails, the command gets unavailable", arguments: cases)
    func failure(tried: Case) {
        prepare(tried)
        relay.holdsCommits = true
        alice.start(tried.type, tried.members)
        relay.settle()
        relay.failCommit()
        #expect(alice.frames("ok").isEmpty && alice.codes == ["unavailable"])
    }

    @Test("on a full disk the command gets unavailable, and ok once there is room", arguments: cases)
    func fullDisk(tried: Case) {
        prepare(tried)
        relay.holdsCommits = true
        alice.start(tried.type, tried.members)
        relay.settle()
        relay.fillDisk()
        #expect(alice.frames("ok").isEmpty && alice.codes == ["unavailable"])
        #expect(alice.outcome(tried.type, tried.members) == "unavailable")
        relay.holdsCommits = false
        relay.makeRoom()
        #expect(alice.outcome(tried.type, tried.members) == "ok")
    }

    @Test("operators' commands wait as well")
    func operators() {
        let mill = relay.open()
        mill.send(#"{"type":"hello","id":0,"token":"admin:mill","operator":true}"#)
        _ = alice.request("contact.report", ["user": "bob", "reason": "spam"])
        relay.holdsCommits = true
        mill.start("admin.report.close", ["report": 1], id: 5)
        mill.start("admin.profile", ["user": "bob", "name": "Bob"], id: 6)
        relay.settle()
        #expect(mill.frames("ok").isEmpty && mill.codes.isEmpty)
        relay.holdsCommits = false
        relay.settle()
        #expect(mill.frames("ok").compactMap { $0.number("re") } == [5, 6])
    }

    @Test("a block counts from when it is said, before its answer")
    func atOnce() {
        let direct = alice.makeDirect("bob")
        relay.holdsCommits = true
        alice.start("contact.block", ["users": ["bob"]])
        relay.settle()
        #expect(alice.frames("ok").count == 1)
        bob.start("signal", ["to": "\(direct)", "body": "hi"])
        relay.settle()
        #expect(alice.frames("signal").isEmpty)
    }

    @Test("others see a change of contacts and settings once it is durable, also if the command's connection has ended")
    func announced() {
        let tablet = relay.connect("alice", "tablet")
        relay.holdsCommits = true
        alice.start("contact.invite", ["user": "bob"], id: 1)
        alice.start("status", ["state": "busy"], id: 2)
        alice.start("privacy", ["read": "nobody"], id: 3)
        alice.start("prospect.set", ["name": "Carol"], id: 4)
        relay.settle()
        alice.drop()
        for client in [tablet, bob] {
            #expect(["contact", "status", "privacy", "prospects"].allSatisfy { client.frames($0).isEmpty })
        }
        relay.holdsCommits = false
        relay.settle()
        #expect(bob.frames("contact").count == 1)
        #expect(["contact", "status", "privacy", "prospects"].allSatisfy { tablet.frames($0).count == 1 })
    }

    @Test("a crash before the commit takes back what nobody got an ok for")
    func crash() {
        relay.holdsCommits = true
        alice.start("contact.block", ["users": ["bob"]])
        relay.settle()
        #expect(alice.frames("ok").isEmpty)
        relay.holdsCommits = false
        relay.crash()
        let back = relay.connect("alice")
        #expect(back.request("privacy")?.list("exceptions").isEmpty == true)
        _ = back.request("contact.block", ["users": ["bob"]])
        relay.crash()
        #expect(relay.connect("alice").request("privacy")?.list("exceptions").count == 1)
    }

    @Test("answers come in the order of their commands, each with what its command made")
    func inOrder() {
        relay.holdsCommits = true
        alice.start("privacy", ["read": "nobody"], id: 1)
        alice.start("privacy", ["read": "shared"], id: 2)
        alice.start("contact.invite", ["user": "bob", "label": "B"], id: 3)
        alice.start("contact.invite", ["user": "bob", "label": "C"], id: 4)
        relay.settle()
        relay.holdsCommits = false
        relay.settle()
        let answers = alice.frames("ok")
        #expect(answers.compactMap { $0.number("re") } == [1, 2, 3, 4])
        #expect(answers.prefix(2).map { $0["privacy"]?.text("read") } == ["nobody", "shared"])
        #expect(answers.suffix(2).map { $0["contact"]?.text("label") } == ["B", "C"])
    }

    @Test("a question is answered at once")
    func questions() {
        relay.holdsCommits = true
        alice.start("status", ["state": "busy"], id: 1)
        relay.settle()
        alice.start("privacy", id: 2)
        alice.start("contact.list", id: 3)
        relay.settle()
        #expect(alice.frames("ok").compactMap { $0.number("re") } == [2, 3])
    }

    @Test("so many answers wait, and a further command changes nothing")
    func bound() {
        let relay = RelayHarness(limits: .with { $0.heldAnswers = 2 })
        let alice = relay.connect("alice")
        relay.holdsCommits = true
        alice.start("status", ["state": "busy"], id: 1)
        alice.start("privacy", ["read": "nobody"], id: 2)
        alice.start("privacy", ["presence": "nobody"], id: 3)
        relay.settle()
        #expect(alice.codes == ["busy"])
        relay.holdsCommits = false
        relay.settle()
        #expect(alice.frames("ok").count == 2)
        #expect(alice.request("privacy")?["privacy"]?.text("presence") == "shared")
    }

    @Test("what pends or passes is answered at once: ack, read, typing, signals, presence, watches")
    func exceptions() {
        let direct = alice.makeDirect("bob")
        bob.post("one", to: direct)
        alice.forget()
        relay.holdsCommits = true
        alice.start("status", ["state": "busy"], id: 1)
        relay.settle()
        alice.start("ack", ["position": "\(bob.frames("ok").last?.text("position") ?? "")"], id: 2)
        alice.start("read", ["conversation": "\(direct)", "sequence": 1], id: 3)
        alice.start("typing", ["to": "\(direct)"], id: 4)
        alice.start("signal", ["to": "\(direct)", "body": 1], id: 5)
        alice.start("presence", ["state": "idle"], id: 6)
        alice.start("watch", ["users": ["bob"]], id: 7)
        alice.start("unwatch", ["users": ["bob"]], id: 8)
        relay.settle()
        #expect(alice.frames("ok").compactMap { $0.number("re") }.sorted() == [2, 3, 4, 5, 6, 7, 8])
    }
}
