import RoostCore
import RoostFraming
import RoostWire

/// Checks strangers' first messages at clients: which ones wait, in whose lists they are, and that until one is
/// accepted neither of its two users learns anything else of the other. Receivers answer some.
final class RequestCheck {
    private let world: World
    private let ledger: Ledger
    private let people: People
    private let clients: SimulatedClients
    private let settings: SettingCheck

    init(
        _ world: World, _ ledger: Ledger, _ people: People, _ clients: SimulatedClients, _ settings: SettingCheck
    ) {
        self.world = world
        self.ledger = ledger
        self.people = people
        self.clients = clients
        self.settings = settings
    }

    // MARK: Events

    /// A client reads an event of the log. Some who are asked answer at once.
    func take(_ event: WireEvent, _ stored: Ledger.Event, on connection: SimulatedConnection) {
        guard case .create = stored.change else { return }
        let conversation = ledger.conversations[stored.conversation]
        if event.json?["request"]?.bool ?? false != stored.isRequest {
            world.fail("\(connection.label) is told wrongly whether \(conversation.id) waits to be accepted")
        }
        guard conversation.waits(for: connection.device.user.index), connection.device.current === connection else {
            return
        }
        switch world.random.below(10) {
        case 0: answer(conversation, isAccepted: true, on: connection)
        case 1..<4: answer(conversation, isAccepted: false, on: connection)
        case 4: clients.answer(connection, "conversation.list", "\"requests\":true", .listRequests)
        default: return
        }
    }

    private func answer(_ conversation: ConversationTruth, isAccepted: Bool, on connection: SimulatedConnection) {
        clients.answer(
            connection, isAccepted ? "request.accept" : "request.drop", "\"conversation\":\"\(conversation.id)\"",
            .answerRequest(conversation.index, isAccepted: isAccepted))
    }

    /// A client gets a transient event of another user: typing, a receipt, or a signal.
    func takeSign(
        _ what: String, by user: Int?, in conversation: ConversationTruth, on connection: SimulatedConnection
    ) {
        guard conversation.isWaiting, user != connection.device.user.index else { return }
        world.fail("\(connection.label) is told \(what) in \(conversation.id), which isn't accepted")
    }

    // MARK: Replies

    /// A client reads that its answer to a request is stored.
    func takeAnswered(_ event: WireEvent, _ index: Int, isAccepted: Bool, on connection: SimulatedConnection) {
        let conversation = ledger.conversations[index]
        guard let request = conversation.request, request.receiver == connection.device.user.index else {
            return world.fail("\(connection.label) answers \(conversation.id), which never waited for it")
        }
        guard isAccepted else {
            if request.droppedAt == nil, request.endedAt == nil {
                world.fail("\(connection.label) gets ok for dropping \(conversation.id), and that isn't durable")
            }
            return settings.takeSet(event, "@requests", on: connection)
        }
        if conversation.isWaiting {
            world.fail("\(connection.label) gets ok for accepting \(conversation.id), and that isn't durable")
        }
    }

    /// Whether the relay may say of a conversation that it doesn't wait for the user.
    func mayConflict(_ index: Int, _ user: SimulatedUser) -> Bool {
        !ledger.conversations[index].waits(for: user.index)
    }

    /// Whether the user's command may be refused because its message hasn't been accepted since `time`.
    func mayHaveWaited(_ user: SimulatedUser, in index: Int?, since time: Int64) -> Bool {
        guard world.takesRequests else { return false }
        guard let index else {
            return ledger.conversations.contains { $0.mayHaveWaited(from: user.index, since: time) }
        }
        return ledger.conversations[index].mayHaveWaited(from: user.index, since: time)
    }

    /// A client reads what the relay says of a conversation.
    func take(_ object: JSONValue?, of index: Int, askedAt: Int64, on connection: SimulatedConnection) {
        let conversation = ledger.conversations[index]
        let user = connection.device.user
        let told = object?["request"]?.string ?? ""
        let words = conversation.requestWords(
            for: user.index, askedAt: askedAt, isDropSaid: people.acquaintances.dropped.contains(index))
        if !words.contains(told) {
            world.fail("\(connection.label) is told that \(conversation.id) is \(told), not \(words.sorted())")
        }
    }

    /// A client reads a list of its conversations, or of those that wait for its user. It must have the ones that are
    /// for it, and at the end all of those.
    func takeList(_ list: JSONValue?, ofRequests: Bool, askedAt: Int64, on connection: SimulatedConnection) {
        guard world.takesRequests else { return }
        let user = connection.device.user
        var listed: Set<Int> = []
        for object in list?["conversations"]?.elements ?? [] {
            guard let conversation = object["conversation"]?.string.flatMap(ledger.conversation) else { continue }
            listed.insert(conversation.index)
            take(object, of: conversation.index, askedAt: askedAt, on: connection)
            let words = conversation.requestWords(for: user.index, askedAt: askedAt, isDropSaid: false)
            let mayBeListed = ofRequests ? words.contains("received") : !words.isDisjoint(with: ["", "sent"])
            if !mayBeListed {
                world.fail("\(connection.label) is listed \(conversation.id), which is \(words.sorted())")
            }
        }
        guard askedAt >= world.restAt, list?["next"] == nil else { return }
        let wanted = ledger.conversations.filter {
            guard $0.members[user.index] != nil, !$0.isVeiled(from: user.index) else { return false }
            return ofRequests ? $0.waits(for: user.index) && $0.request?.droppedAt == nil : !$0.waits(for: user.index)
        }
        if listed != Set(wanted.map(\.index)) {
            world.fail("\(connection.label) is listed \(listed.sorted()), not \(wanted.map(\.index))")
        }
    }

    // MARK: The end

    /// Counts what came of strangers' first messages.
    func noteTally() {
        for request in ledger.conversations.compactMap(\.request) {
            world.tally.requests += 1
            if request.endedAt != nil { world.tally.requestsAccepted += 1 }
            if request.droppedAt != nil { world.tally.requestsDropped += 1 }
        }
    }
}

extension Ledger.Event {
    /// Whether the conversation that is created by it waits to be accepted.
    fileprivate var isRequest: Bool {
        guard case .create = change else { return false }
        return isRemoval
    }
}
