import RoostCore
import RoostWire

/// Since when one user has blocked another, and when it had done so last, in monotonic milliseconds.
struct BlockTruth {
    var since: Int64?
    var endedAt = Int64.min / 2
}

extension People {
    /// Notes that the user's blocks may change from now on.
    func noteBlocks(of user: SimulatedUser) {
        for other in users where other !== user {
            let isBlocked = user.secrecy.hasBlocked(other.index)
            var truth = block(by: user.index, of: other.index)
            guard isBlocked != (truth.since != nil) else { continue }
            truth.since = isBlocked ? world.time : nil
            if !isBlocked { truth.endedAt = world.time }
            blocks[.init(user.index, other.index)] = truth
        }
    }

    private func block(by user: Int, of other: Int) -> BlockTruth { blocks[.init(user, other)] ?? BlockTruth() }

    /// Whether the user has blocked the other one.
    func hasBlocked(_ user: Int, _ other: Int) -> Bool { block(by: user, of: other).since != nil }

    /// Whether one of the two has blocked the other.
    func isBlocked(_ one: Int, _ other: Int) -> Bool { hasBlocked(one, other) || hasBlocked(other, one) }

    /// Whether the user had blocked the other one all the time, from before `time` until now.
    func hadBlocked(_ user: Int, _ other: Int, from time: Int64) -> Bool {
        block(by: user, of: other).since.map { $0 < time } ?? false
    }

    /// Whether the user had blocked the other one at some time from `time` until now.
    func mayHaveBlocked(_ user: Int, _ other: Int, from time: Int64) -> Bool {
        let block = block(by: user, of: other)
        return block.since != nil || block.endedAt >= time
    }

    /// Whether the user may have blocked another at some time from `time` until now.
    func mayHaveBlocked(_ user: SimulatedUser, from time: Int64) -> Bool {
        users.contains { $0 !== user && mayHaveBlocked(user.index, $0.index, from: time) }
    }

    /// Whether the user has ever blocked one of these.
    func hasEverBlocked(_ user: Int, _ others: some Sequence<Int>) -> Bool {
        others.contains { $0 != user && mayHaveBlocked(user, $0, from: .min / 4) }
    }

    /// Whether the user isn't shown that a message is pinned.
    func hidesPin(_ sequence: Int64, in conversation: ConversationTruth, from user: Int) -> Bool {
        guard conversation.kind == .group else {
            return conversation.hiddenPins[user]?.contains(sequence) ?? false
        }
        return hasBlocked(user, conversation.messages[Int(sequence) - 1].sender)
    }
}

extension Ledger {
    /// Whether something was ever withheld from the user.
    func hasWithheld(from user: Int) -> Bool { conversations.contains { $0.hasWithheld(from: user) } }
}

/// Checks that nothing of a blocked user reaches the blocker, then or later, and that everything does without a block.
/// A frame was written some time before it is read: after its event was stored, and on its connection. Only what was so
/// all the time since then can be checked.
final class BlockCheck {
    private let world: World
    private let ledger: Ledger
    private let people: People

    init(_ world: World, _ ledger: Ledger, _ people: People) {
        self.world = world
        self.ledger = ledger
        self.people = people
        ledger.mayHaveBlocked = { [unowned people] in people.hasEverBlocked($0, [$1]) }
    }

    /// Whether the relay sends only a placeholder.
    static func isHidden(_ told: JSONValue?) -> Bool { told?["hidden"]?.bool == true }

    /// A client reads an event of the log.
    func take(_ event: WireEvent, _ stored: Ledger.Event, on connection: SimulatedConnection) {
        checkStored(stored)
        let reader = connection.device.user.index
        let conversation = ledger.conversations[stored.conversation]
        let place = "the \(stored.kind) at \(event.position ?? 0)"
        if conversation.kind == .direct {
            let isText = stored.kind == .message || stored.kind == .edit
            let isOwn = stored.withheldFrom == reader
            let since = isText ? conversation.withheld[reader]?[stored.sequence] : nil
            let isWithheld =
                since?.isSure(at: event.position ?? 0, writtenAfter: connection.belief.begunAt) ?? (!isText && isOwn)
            let mayHide =
                isText ? conversation.everWithheld[reader]?.contains(stored.sequence) ?? false : isOwn
            return checkDirect(
                event.json, of: place, isWithheld, mayHide, isLeft: isText && hasLeft(conversation, reader),
                on: connection)
        }
        if BlockCheck.isHidden(event.json), stored.kind == .message || stored.kind == .edit,
            hasLeft(conversation, reader)
        {
            return checkPlace(event.json, of: place, on: connection)
        }
        let since = max(time(of: stored), connection.belief.begunAt)
        checkPin(stored.change, in: conversation, since: since, on: connection)
        checkGroup(
            event.json, of: place, by: stored.sender, in: conversation, stored.kind.isAboutMessage, since: since,
            on: connection)
    }

    /// Whether the user has ever left: what became of messages since isn't shown.
    private func hasLeft(_ conversation: ConversationTruth, _ user: Int) -> Bool {
        conversation.members[user] == nil || conversation.generations[user] ?? 0 > 1
    }

    /// A pin of a blocked user's message in a group isn't sent.
    private func checkPin(
        _ change: ConversationChange?, in conversation: ConversationTruth, since: Int64,
        on connection: SimulatedConnection
    ) {
        let pinned: Int64
        switch change {
        case .pin(let sequence), .unpin(let sequence): pinned = sequence.value
        default: return
        }
        guard pinned >= 1, pinned <= conversation.messages.count else { return }
        let (reader, author) = (connection.device.user.index, conversation.messages[Int(pinned) - 1].sender)
        if author != reader, people.hadBlocked(reader, author, from: since) {
            world.fail("\(connection.label) is told of a pin of a message by u\(author), whom its user has blocked")
        }
    }

    /// A client reads a message in an answer.
    /// - Parameter askedAt: when it asked.
    func take(
        _ message: JSONValue, of sequence: Int64, in conversation: ConversationTruth, askedAt: Int64,
        on connection: SimulatedConnection
    ) {
        guard sequence >= 1, sequence <= conversation.messages.count else { return }
        if conversation.kind == .direct {
            let reader = connection.device.user.index
            let isWithheld =
                conversation.withheld[reader]?[sequence]?.isSure(at: 0, writtenAfter: askedAt) ?? false
            let mayHide = conversation.everWithheld[reader]?.contains(sequence) ?? false
            return checkDirect(message, of: "message \(sequence)", isWithheld, mayHide, on: connection)
        }
        checkGroup(
            message, of: "message \(sequence)", by: conversation.messages[Int(sequence) - 1].sender, in: conversation,
            true, since: askedAt, on: connection)
    }

    /// Withheld content stays withheld. An edit after the block may have shown a text since the frame was written: a
    /// placeholder is wrong only if the message was never withheld.
    private func checkDirect(
        _ told: JSONValue?, of what: String, _ isWithheld: Bool, _ mayHide: Bool, isLeft: Bool = false,
        on connection: SimulatedConnection
    ) {
        guard BlockCheck.isHidden(told) else {
            if isWithheld {
                world.fail("\(connection.label) is shown \(what), which was written while its sender was blocked")
            }
            return
        }
        checkPlace(told, of: what, on: connection)
        if !mayHide, !isLeft { world.fail("\(connection.label) isn't shown \(what), which isn't withheld") }
    }

    private func checkPlace(_ told: JSONValue?, of what: String, on connection: SimulatedConnection) {
        let names = Set(told?.members?.map(\.name) ?? []).subtracting(["type"])
        if names != ["conversation", "sequence", "position", "time", "hidden"] {
            world.fail("\(connection.label) is told \(names) of \(what), which is hidden")
        }
    }

    private func checkGroup(
        _ told: JSONValue?, of what: String, by sender: Int, in conversation: ConversationTruth, _ isHideable: Bool,
        since: Int64, on connection: SimulatedConnection
    ) {
        let reader = connection.device.user.index
        let mayHide = isHideable && sender != reader
        guard BlockCheck.isHidden(told) else {
            if mayHide, people.hadBlocked(reader, sender, from: since) {
                world.fail("\(connection.label) is shown \(what) by u\(sender), whom its user has blocked")
            }
            return
        }
        checkPlace(told, of: what, on: connection)
        if !mayHide || !people.mayHaveBlocked(reader, sender, from: since) {
            world.fail("\(connection.label) isn't shown \(what) by u\(sender)")
        }
    }

    /// Fails if a stored event was accepted from a blocker to the user it had blocked, or isn't withheld from a
    /// blocker.
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
        let time = time(of: stored)
        for other in others where other != stored.sender {
            if people.hadBlocked(stored.sender, other, from: time), stored.withheldFrom == nil {
                world.fail("u\(stored.sender) writes to u\(other), whom it has blocked")
            }
            guard conversation.kind == .direct else { continue }
            if people.hadBlocked(other, stored.sender, from: time), stored.withheldFrom != other {
                world.fail("u\(stored.sender) got through to u\(other), who has blocked it")
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
        if people.hasBlocked(own.index, sender.index) {
            world.fail("\(connection.label) gets a signal of \(sender.name), whom its user has blocked")
        }
    }
}
