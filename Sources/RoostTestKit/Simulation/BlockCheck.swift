import RoostCore
import RoostWire

/// Since when there is a block between two users, and when there was one last, in monotonic milliseconds. It makes no
/// difference which of the two has blocked the other.
struct BlockTruth {
    var since: Int64?
    var endedAt = Int64.min / 2
}

extension People {
    /// What the user shows others, or they it, may be another thing from now on.
    func noteBlocks(of user: SimulatedUser) {
        for other in users where other !== user {
            let isBlocked =
                user.secrecy.exceptions[other.index] == .blocked || other.secrecy.exceptions[user.index] == .blocked
            var truth = block(user.index, other.index)
            guard isBlocked != (truth.since != nil) else { continue }
            truth.since = isBlocked ? world.time : nil
            if !isBlocked { truth.endedAt = world.time }
            blocks[Self.pair(user.index, other.index)] = truth
        }
    }

    private static func pair(_ one: Int, _ other: Int) -> Ledger.Pair { .init(min(one, other), max(one, other)) }

    private func block(_ one: Int, _ other: Int) -> BlockTruth { blocks[Self.pair(one, other)] ?? BlockTruth() }

    func isBlocked(_ one: Int, _ other: Int) -> Bool { block(one, other).since != nil }

    /// Whether there was a block all the time, from before `time` until now.
    func wasBlocked(_ one: Int, _ other: Int, from time: Int64) -> Bool {
        block(one, other).since.map { $0 < time } ?? false
    }

    /// Whether there was a block at some time from `time` until now.
    func mayHaveBeenBlocked(_ one: Int, _ other: Int, from time: Int64) -> Bool {
        let block = block(one, other)
        return block.since != nil || block.endedAt >= time
    }

    /// Whether the user had a block with anybody at some time from `time` until now.
    func mayHaveBeenBlocked(_ user: SimulatedUser, from time: Int64) -> Bool {
        users.contains { $0 !== user && mayHaveBeenBlocked(user.index, $0.index, from: time) }
    }
}

/// Checks that nothing passes between two users with a block, and that everything does without one. A frame was written
/// some time before it is read: after its event was stored, and on its connection. Only what was so all the time since
/// then can be checked.
final class BlockCheck {
    private let world: World
    private let ledger: Ledger
    private let people: People

    init(_ world: World, _ ledger: Ledger, _ people: People) {
        self.world = world
        self.ledger = ledger
        self.people = people
    }

    /// Whether the relay tells only the place of something.
    static func isHidden(_ told: JSONValue?) -> Bool { told?["hidden"]?.bool == true }

    /// A client reads an event of the log.
    func take(_ event: WireEvent, _ stored: Ledger.Event, on connection: SimulatedConnection) {
        checkStored(stored)
        let place = "an event at \(event.position ?? 0)"
        let isHideable = stored.kind.isAboutMessage
        check(
            event.json, of: place, by: stored.sender, in: ledger.conversations[stored.conversation], isHideable,
            since: max(time(of: stored), connection.belief.begunAt), on: connection)
    }

    /// A client reads a message in an answer.
    /// - Parameter askedAt: when it asked.
    func take(
        _ message: JSONValue, of sequence: Int64, in conversation: ConversationTruth, askedAt: Int64,
        on connection: SimulatedConnection
    ) {
        guard sequence >= 1, sequence <= conversation.messages.count else { return }
        check(
            message, of: "message \(sequence)", by: conversation.messages[Int(sequence) - 1].sender, in: conversation,
            true, since: askedAt, on: connection)
    }

    private func check(
        _ told: JSONValue?, of what: String, by sender: Int, in conversation: ConversationTruth, _ isHideable: Bool,
        since: Int64, on connection: SimulatedConnection
    ) {
        let reader = connection.device.user.index
        let mayHide = isHideable && conversation.kind == .group && sender != reader
        guard BlockCheck.isHidden(told) else {
            if mayHide, people.wasBlocked(reader, sender, from: since) {
                world.fail("\(connection.label) is shown \(what) by u\(sender), with whom its user has a block")
            }
            return
        }
        let names = Set(told?.members?.map(\.name) ?? []).subtracting(["type"])
        if names != ["conversation", "sequence", "position", "time", "hidden"] {
            world.fail("\(connection.label) is told \(names) of \(what), which is hidden")
        }
        if !mayHide || !people.mayHaveBeenBlocked(reader, sender, from: since) {
            world.fail("\(connection.label) isn't shown \(what) by u\(sender)")
        }
    }

    /// What the ledger has was taken from its author although there was a block.
    func checkStored(_ stored: Ledger.Event) {
        guard !stored.isErasing else { return }
        let conversation = ledger.conversations[stored.conversation]
        var others: [Int] = []
        switch (stored.kind, stored.change) {
        case (.message, _), (.edit, _), (.react, _), (_, .accept): break
        case (_, .create(_, _, _, let members)), (_, .add(let members)):
            others = members.compactMap { ledger.users[$0.user.value] }
        default: return
        }
        if conversation.kind == .direct { others = Array(conversation.generations.keys) }
        for other in others where other != stored.sender {
            if people.wasBlocked(stored.sender, other, from: time(of: stored)) {
                world.fail("u\(stored.sender) got through to u\(other), with whom it has a block")
            }
        }
    }

    /// When the relay took the command, in monotonic milliseconds.
    private func time(of stored: Ledger.Event) -> Int64 {
        stored.time.milliseconds - (world.now.wall.milliseconds - world.time)
    }

    /// A client gets a signal.
    func takeSignal(by sender: SimulatedUser, on connection: SimulatedConnection) {
        let own = connection.device.user
        guard connection.isUpToDate(at: world.time), !people.isUnsettled(sender, own) else { return }
        if people.isBlocked(own.index, sender.index) {
            world.fail("\(connection.label) gets a signal of \(sender.name), with whom its user has a block")
        }
    }
}
