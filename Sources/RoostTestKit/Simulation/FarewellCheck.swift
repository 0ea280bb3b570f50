import RoostCore
import RoostFraming
import RoostWire

/// The last thing on some days: a user's account is deleted, and the process dies in the middle. The user is out of
/// every conversation in the end, heirs own the groups, and no user reaches the deleted one any more.
final class FarewellCheck {
    private let world: World
    private let ledger: Ledger
    private let people: People
    private let host: SimulatedHost
    private let clients: SimulatedClients
    private let outages: Outages
    private let rest: Rest
    private var crashes = 0

    init(
        _ world: World, _ ledger: Ledger, _ people: People, _ host: SimulatedHost, _ clients: SimulatedClients,
        _ outages: Outages, _ rest: Rest
    ) {
        self.world = world
        self.ledger = ledger
        self.people = people
        self.host = host
        self.clients = clients
        self.outages = outages
        self.rest = rest
    }

    /// Deletes an account, and checks what comes of it.
    func run() {
        let user = people.users[world.random.below(people.users.count)]
        world.isCalm = false
        people.noteDeletion(of: user)
        for _ in 0..<400 where !isOut(user) && world.violations.isEmpty { goOn(with: user) }
        host.closeGuest()
        world.isCalm = true
        if !isOut(user) { world.fail("\(user.name) was deleted and isn't out") }
        rest.goOn("after a deletion")
        guard world.violations.isEmpty else { return }
        askOthers(about: user)
        host.advance(500)
        guard world.violations.isEmpty else { return }
        checkOthers()
    }

    private func goOn(with user: SimulatedUser) {
        let isDeleted = ledger.deleted.contains(user.index)
        if host.guest?.isReady != true {
            if host.guest == nil { host.openGuest() }
            say(#""type":"hello","token":"service:mill","operator":true"#)
        } else if !isDeleted {
            say("\"type\":\"admin.profile\",\"user\":\"\(user.name)\",\"deleted\":true")
        }
        host.advance(Int64(world.random.within(0...40)))
        guard let guest = host.guest else { return }
        while guest.outbox.pop() != nil {}
        host.relay.wrote(to: guest)
        if guest.closing != nil { host.closeGuest() }
        guard crashes < 3, world.random.chance(isDeleted ? 50 : 10) else { return }
        crashes += 1
        outages.crash()
    }

    private func say(_ members: String) {
        guard let session = host.guest else { return }
        let text = Array("{\"id\":1,\(members)}".utf8)
        text.withUnsafeBytes { bytes in
            world.trace.note(world.time, "service", "says", bytes)
            host.relay.receive(bytes, from: session, at: world.now)
        }
    }

    private func isOut(_ user: SimulatedUser) -> Bool {
        ledger.deleted.contains(user.index) && ledger.conversations.allSatisfy { $0.members[user.index] == nil }
            && !ledger.contacts.keys.contains { $0.one == user.index || $0.other == user.index }
            && !ledger.exceptions.contains {
                $0.key.one == user.index || $0.key.other == user.index && !$0.value.isBlock
            }
    }

    /// Everybody else asks who is in what, and writes to the user.
    private func askOthers(about user: SimulatedUser) {
        for connection in host.connections where connection.isReady && connection.device.user !== user {
            connection.belief.rosters.removeAll()
            let own = connection.device.user.index
            for conversation in ledger.conversations where conversation.members[own] != nil {
                clients.say(
                    "conversation.members", "\"conversation\":\"\(conversation.id)\"",
                    .members(conversation: conversation.index), on: connection)
            }
            clients.say(
                "send", "\"to\":\"@\(user.name)\",\"key\":\"farewell\",\"body\":\"x\"", .sendToDeleted, on: connection)
        }
    }

    private func checkOthers() {
        for connection in host.connections where connection.isReady {
            for (index, told) in connection.belief.rosters.sorted(by: { $0.key < $1.key }) where told["next"] == nil {
                let conversation = ledger.conversations[index]
                let roles = told["members"]?.elements?.map {
                    "\($0["user"]?.string ?? "") \($0["role"]?.string ?? "")"
                }
                let wanted = conversation.order.map {
                    "\(people.users[$0].name) \(conversation.members[$0]?.role.word ?? "")"
                }
                if roles ?? [] != wanted {
                    world.fail(
                        "\(connection.label) is told that \(roles ?? []) are in \(conversation.id), not \(wanted)")
                }
            }
        }
    }
}

extension People {
    /// The user's account is being deleted: what it kept may be gone from now on.
    func noteDeletion(of user: SimulatedUser) {
        deleted = user.index
        user.unanswered.removeAll()
        forgetPromises(of: user)
        note(user.choice, "", of: user)
        for other in users where other !== user {
            note(nil, for: other.index, of: user)
            if !other.secrecy.hasBlocked(user.index) { note(nil, for: user.index, of: other) }
            acquaintances.forget(user.index, other.index, at: world.now.wall.milliseconds)
        }
    }
}
