import RoostCore
import RoostTestKit
import RoostWire

/// An operator who asks for everything, in a process that has figures.
final class WireOperators: Surroundings {
    private let relay: RelayHarness

    init(_ relay: RelayHarness) { self.relay = relay }

    func address(of attachment: AnyObject) -> String? { "192.0.2.1" }

    func figures(at now: Moment) -> HostFigures {
        var times = BucketHistogram(bounds: BucketHistogram.works)
        times.record(100)
        var figures = HostFigures(commits: times, turns: times)
        figures.freeBytes = 1_000
        return figures
    }

    /// A service reads the whole log. The store can't read the first event of one page.
    private func follow() {
        let mill = relay.open()
        mill.send(#"{"type":"hello","id":0,"token":"service:mill","operator":true}"#)
        _ = mill.request("admin.introduce", ["user": "ivy", "inviter": "alice"])
        _ = mill.request("feed", ["consumer": "all", "limit": 256])
        relay.holdsReads = true
        mill.start("feed", ["consumer": "all"])
        relay.settle()
        for read in relay.heldReads {
            var result = relay.log.answer(read)
            result.damaged.append(result.events.removeFirst().position)
            relay.relay.answered(result, at: relay.now)
        }
        mill.start("admin.erase", ["user": "lost"], id: 2)
        relay.settle()
        for read in relay.heldReads {
            var result = relay.log.answer(read)
            result.damaged.append(Position(1))
            relay.relay.answered(result, at: relay.now)
        }
        relay.holdsReads = false
        relay.settle()
        _ = mill.request("admin.presence", ["users": ["alice", "lost"]])
        _ = mill.request("feed.ack", ["consumer": "all", "position": "memory-1"])
    }

    func lookAround(_ alice: HarnessClient, at group: String) {
        relay.relay.host = self
        defer { relay.relay.host = nil }
        relay.advance(10)
        let olga = relay.open()
        olga.send(#"{"type":"hello","id":0,"token":"admin:olga","operator":true}"#)
        // Bob has been deleted.
        let dave = relay.connect("dave")
        _ = alice.request("conversation.add", ["conversation": "\(group)", "users": ["dave"]])
        let sequence = Value(integerLiteral: alice.post("reported", to: group)?.number("sequence") ?? 0)
        _ = dave.request(
            "contact.report", ["conversation": "\(group)", "sequence": sequence, "reason": "spam", "text": "Again"])
        _ = alice.request("contact.report", ["user": "carol", "reason": "other"])
        _ = olga.request("admin.report.show", ["report": 1])
        _ = olga.request("admin.report.remove", ["report": 1])
        _ = olga.request("admin.report.close", ["report": 1, "note": "Warned"])
        _ = olga.request("admin.reports", ["limit": 1])
        _ = dave.request("contact.report", ["user": "bob", "reason": "other"])
        let named: Members = ["name": "Dave", "username": "dave.d", "photo": "p-1"]
        _ = dave.request("profile.set", named)
        let made = dave.request("conversation.create", ["kind": "group", "name": "Gone", "members": ["alice"]])
        if let gone = made?["conversation"]?.text("conversation") {
            alice.post("x", to: gone)
            _ = dave.request("contact.report", ["conversation": "\(gone)", "sequence": 1, "reason": "spam"])
            let mill = relay.open()
            mill.send(#"{"type":"hello","id":0,"token":"service:mill","operator":true}"#)
            _ = mill.request("admin.erase", ["conversation": "\(gone)"])
        }
        _ = olga.request("admin.reports")
        let link = alice.request("invite.create")?["invite"]?.text("code") ?? ""
        _ = olga.request("admin.find", ["prefix": "\(link)"])
        for name in ["Find one", "Find two"] {
            _ = alice.request("conversation.create", ["kind": "group", "name": "\(name)", "members": ["dave"]])
        }
        _ = olga.request("admin.find", ["prefix": "find", "limit": 1])
        _ = olga.request("admin.find", ["prefix": "dave"])
        _ = olga.request("admin.people")
        _ = olga.request("admin.people", ["limit": 1])
        relay.connect("lost").drop()
        _ = olga.request("admin.user", ["user": "lost"])
        _ = olga.request("admin.revoke", ["user": "lost"])
        _ = olga.request("admin.user", ["user": "lost"])
        _ = olga.request("admin.user", ["user": "alice"])
        _ = olga.request("admin.user", ["user": "carol"])
        _ = alice.request("conversation.add", ["conversation": "\(group)", "users": ["lost"]])
        for sequence in Int64(1)...3 {
            let message: Members = ["conversation": "\(group)", "sequence": Value(integerLiteral: sequence)]
            _ = olga.request("admin.message", message)
        }
        _ = olga.request("admin.message", ["conversation": "\(group)", "sequence": 1, "limit": 1])
        _ = olga.request("admin.statistics")
        // A command is refused, and stored, and a change of presence is sent.
        _ = olga.request("admin.user", ["user": "nobody"])
        alice.post("late", to: group)
        alice.ackAll()
        _ = alice.request("status", ["state": "away"])
        relay.advance(3_000)
        _ = olga.request("admin.disconnect", ["user": "nobody"])
        follow()
        relay.fillDisk()
        _ = olga.request("admin.revoke", ["user": "lost"])
        relay.makeRoom()
    }
}
