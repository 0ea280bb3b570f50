import RoostCore
import RoostWire

/// When a member read the messages of a conversation since it joined, as far as its clients know: from what the relay
/// took without an error, and from what it wrote. Times are milliseconds by the wall clock.
struct ReadTimes {
    private struct Step {
        var sequence: Int64
        var time: Int64
    }

    private var steps: [Step] = []
    /// The monotonic time at which the member joined.
    private(set) var since: Int64
    /// After a crash, messages up to here may have one of several times.
    private(set) var unsureTo: Int64 = 0
    /// After a crash, messages up to here may have any time: receipts of the user's last messages may not have been
    /// sent.
    private var unknownTo: Int64 = 0

    init(since: Int64 = .min / 2) { self.since = since }

    /// The member has read everything up to a message.
    mutating func note(_ sequence: Int64, at time: Int64) {
        if sequence > steps.last?.sequence ?? 0 { steps.append(Step(sequence: sequence, time: time)) }
    }

    /// Another relay starts from what is stored.
    mutating func restart(from stored: Int64) {
        steps.removeAll { $0.sequence > stored }
        unsureTo = max(unsureTo, stored)
        if steps.last?.sequence ?? 0 < stored { unknownTo = stored }
    }

    /// Whether the member may be said to have read a message at this time.
    func allows(_ time: Int64, for sequence: Int64) -> Bool {
        if sequence <= unknownTo { return true }
        if sequence <= unsureTo { return steps.contains { $0.time == time } }
        return steps.first { $0.sequence >= sequence }?.time == time
    }
}

/// Checks who is said to have read a message, and when.
final class ReceiptCheck {
    private let world: World
    private let ledger: Ledger
    private let people: People

    init(_ world: World, _ ledger: Ledger, _ people: People) {
        self.world = world
        self.ledger = ledger
        self.people = people
    }

    /// A client reads the answer to `receipts`.
    /// - Parameter askedAt: when it asked.
    func take(
        _ event: WireEvent, _ index: Int, _ sequence: Int64, askedAt: Int64, on connection: SimulatedConnection
    ) {
        guard event.json?["sequence"]?.integer == sequence, let list = event.json?["receipts"]?.elements else {
            return world.fail("\(connection.label) is told the receipts of another message")
        }
        for element in list {
            guard let user = SimulatedUser.index(element["user"]?.string), people.users.indices.contains(user),
                user != connection.device.user.index
            else {
                world.fail("\(connection.label) gets a receipt that can't be")
                continue
            }
            checkShown(element, of: people.users[user], askedAt: askedAt, on: connection)
            checkTime(element, of: user, sequence, in: ledger.conversations[index], askedAt: askedAt, on: connection)
        }
    }

    /// Fails if the client gets receipts of a user who has hidden them from it, from before it asked until now.
    private func checkShown(
        _ element: JSONValue, of user: SimulatedUser, askedAt: Int64, on connection: SimulatedConnection
    ) {
        let viewer = connection.device.user
        guard max(user.secrecy.since, viewer.secrecy.since) < askedAt else { return }
        let isTold =
            element["read"] == nil ? people.tellsDelivery(user, to: viewer) : people.tellsRead(user, to: viewer)
        if !isTold { world.fail("\(connection.label) is told a receipt of \(user.name) that is hidden from it") }
    }

    private func checkTime(
        _ element: JSONValue, of user: Int, _ sequence: Int64, in conversation: ConversationTruth, askedAt: Int64,
        on connection: SimulatedConnection
    ) {
        let times = people.readTimes[Ledger.Pair(conversation.index, user)] ?? ReadTimes()
        guard conversation.members[user] != nil, times.since < askedAt, element["read"] != nil else { return }
        world.tally.receipts += 1
        guard let told = element["readAt"]?.integer else {
            let isKept = sequence > Int64(conversation.messages.count) - Int64(world.day.limits.receiptSteps)
            if isKept, sequence > times.unsureTo {
                world.fail("\(connection.label) isn't told when u\(user) read \(sequence) of \(conversation.id)")
            }
            return
        }
        if !times.allows(told, for: sequence) {
            world.fail("\(connection.label) is told that u\(user) read \(sequence) of \(conversation.id) at \(told)")
        }
    }
}
