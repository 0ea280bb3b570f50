import RoostCore
import RoostWire

/// A device's copy of its conversations, as an app's own store would keep it: it applies the events that come and asks
/// for nothing. All of it must be true when the run has come to rest. Users are indices of the simulation.
struct DeviceMemory {
    struct Message {
        /// nil: deleted.
        var body: [UInt8]?
        var reactions: [Ledger.Reaction] = []
        /// Something of it was hidden from the device, which doesn't know how it is now.
        var isPartial = false
    }

    struct Conversation {
        /// Position of the event by which the device's user joined, if the device was sent it. An `ok` may come ahead
        /// of events from before the user joined, so the event counts, should it follow.
        var joinedAt: Int64 = 0
        /// By sequence.
        var messages: [Int64: Message] = [:]
        /// nil: unknown.
        var name: String?
        var photo: String?
        var description: String?
        /// Pinned messages, in the order in which they were pinned; nil: unknown.
        var pins: [Int64]?
        /// By user; nil: a member of unknown role.
        var roles: [Int: MemberRole?] = [:]
        /// Whether all members are in `roles`.
        var knowsMembers = false
    }

    private(set) var conversations: [Int: Conversation] = [:]

    // MARK: Messages

    /// A message that the device has already is a repetition; changes of it come separately.
    mutating func take(message sequence: Int64, body: [UInt8]?, in conversation: Int) {
        let known = conversations[conversation]?.messages[sequence]
        if known == nil {
            conversations[conversation, default: Conversation()].messages[sequence] = Message(body: body)
        }
    }

    /// Does nothing to a message that the device doesn't have or that was deleted.
    mutating func edit(_ sequence: Int64, body: [UInt8], in conversation: Int) {
        guard conversations[conversation]?.messages[sequence]?.body != nil else { return }
        conversations[conversation]?.messages[sequence]?.body = body
    }

    mutating func delete(_ sequence: Int64, in conversation: Int) {
        unpin(sequence, in: conversation)
        guard conversations[conversation]?.messages[sequence] != nil else { return }
        conversations[conversation]?.messages[sequence] = Message(body: nil)
    }

    mutating func react(_ reaction: Ledger.Reaction, isRemoval: Bool, to sequence: Int64, in conversation: Int) {
        guard var message = conversations[conversation]?.messages[sequence], message.body != nil else { return }
        message.reactions.removeAll { $0 == reaction }
        if !isRemoval { message.reactions.append(reaction) }
        conversations[conversation]?.messages[sequence] = message
    }

    /// Only the placeholder of an event came. A deletion counts nevertheless.
    mutating func hide(_ kind: EventKind, of sequence: Int64, in conversation: Int) {
        switch kind {
        case .message:
            guard conversations[conversation]?.messages[sequence] == nil else { return }
            let message = Message(isPartial: true)
            conversations[conversation, default: Conversation()].messages[sequence] = message
        case .delete: delete(sequence, in: conversation)
        case .edit, .react: conversations[conversation]?.messages[sequence]?.isPartial = true
        case .conversation, .state: break
        }
    }

    // MARK: Conversations

    /// The device's user joined: the earlier copy of the conversation is of no use, unless it came from the same event.
    mutating func begin(
        _ conversation: Int, at position: Int64, name: String, photo: String, description: String,
        isNew: Bool, roles: [Int: MemberRole?]
    ) {
        guard conversations[conversation]?.joinedAt != position else {
            // A later event may have shown since that the other one of a direct conversation left before.
            if name.isEmpty { conversations[conversation]?.roles.merge(roles) { kept, _ in kept } }
            return
        }
        conversations[conversation] = Conversation(
            joinedAt: position, name: name, photo: photo, description: description, pins: isNew ? [] : nil,
            roles: roles, knowsMembers: true)
    }

    /// The device's user is no longer a member.
    mutating func forget(_ conversation: Int) { conversations[conversation] = nil }

    /// Messages were left out, and so was what became of them.
    mutating func leaveOut(_ sequences: ClosedRange<Int64>, of conversation: Int) {
        guard let kept = conversations[conversation] else { return }
        conversations[conversation]?.messages = kept.messages.filter { !sequences.contains($0.key) }
    }

    /// Changes of the conversation were left out.
    mutating func reset(_ conversation: Int) {
        guard var kept = conversations[conversation] else { return }
        kept.name = nil
        kept.photo = nil
        kept.description = nil
        kept.pins = nil
        kept.roles = [:]
        kept.knowsMembers = false
        conversations[conversation] = kept
    }

    mutating func rename(_ conversation: Int, to name: String) { conversations[conversation]?.name = name }

    mutating func describe(_ conversation: Int, photo: String?, _ description: String?) {
        if let photo { conversations[conversation]?.photo = photo }
        if let description { conversations[conversation]?.description = description }
    }

    mutating func pin(_ sequence: Int64, in conversation: Int) {
        unpin(sequence, in: conversation)
        conversations[conversation]?.pins?.append(sequence)
    }

    mutating func unpin(_ sequence: Int64, in conversation: Int) {
        conversations[conversation]?.pins?.removeAll { $0 == sequence }
    }

    mutating func add(_ users: [Int], to conversation: Int) {
        for user in users { conversations[conversation]?.roles[user] = .some(.member) }
    }

    mutating func remove(_ users: [Int], from conversation: Int) {
        for user in users { conversations[conversation]?.roles[user] = nil }
    }

    /// A new owner makes the old one an admin.
    mutating func setRole(_ role: MemberRole, of user: Int, by other: Int?, in conversation: Int) {
        conversations[conversation]?.roles[user] = .some(role)
        if role == .owner, let other { conversations[conversation]?.roles[other] = .some(.admin) }
    }

    // MARK: Its own commands

    /// An `ok` confirmed the device's own command.
    mutating func take(
        _ event: Ledger.Event, by own: Int, users: ([UserNumber]) -> [Int]
    ) {
        let conversation = event.conversation
        switch event.kind {
        case .message: take(message: event.sequence, body: event.body, in: conversation)
        case .edit: edit(event.sequence, body: event.body, in: conversation)
        case .delete: delete(event.sequence, in: conversation)
        case .react:
            react(.init(user: own, text: event.label), isRemoval: event.isRemoval, to: event.sequence, in: conversation)
        case .conversation: take(event.change, in: conversation, by: own, users: users)
        case .state: break
        }
    }

    private mutating func take(
        _ change: ConversationChange?, in conversation: Int, by own: Int, users: ([UserNumber]) -> [Int]
    ) {
        switch change {
        case .create(_, _, let name, let members):
            var roles: [Int: MemberRole?] = [:]
            for member in members { for user in users([member.user]) { roles[user] = .some(member.role) } }
            conversations[conversation] = Conversation(
                name: name, photo: "", description: "", pins: [], roles: roles, knowsMembers: true)
        case .add(let members):
            let new = users(members.map(\.user))
            // A user who comes back to a direct conversation gets its members with the reply.
            if new.contains(own) {
                conversations[conversation] = Conversation()
            } else {
                add(new, to: conversation)
            }
        case .rename(let name): rename(conversation, to: name)
        case .describe(let photo, let description): describe(conversation, photo: photo, description)
        case .remove(let gone): remove(users(gone), from: conversation)
        case .restrict(let user, let restriction):
            if restriction?.isBan == true { remove(users([user]), from: conversation) }
        case .leave, .erase: forget(conversation)
        case .roles(let changes):
            for change in changes {
                for user in users([change.user]) { setRole(change.role, of: user, by: nil, in: conversation) }
            }
        case .pin(let sequence): pin(sequence.value, in: conversation)
        case .unpin(let sequence): unpin(sequence.value, in: conversation)
        case .expiry, .slow, .joining, .accept, nil: break
        }
    }
}

extension DeviceMemory.Conversation {
    /// The first difference from the truth; nil if there is none.
    func difference(from truth: ConversationTruth, of user: Int, comparesPins: Bool) -> String? {
        for (sequence, message) in messages.sorted(by: { $0.key < $1.key }) where !message.isPartial {
            let now = truth.messages[Int(sequence) - 1]
            if message.body != (now.isDeleted ? nil : now.bodies.last) { return "an old body of \(sequence)" }
            let same = message.reactions.allSatisfy(now.reactions.contains)
            if !same || message.reactions.count != now.reactions.count { return "old reactions to \(sequence)" }
        }
        if let name, truth.kind == .group, name != truth.name { return "the name \(name)" }
        if let photo, photo != truth.photo { return "the photo \(photo)" }
        if let description, description != truth.description { return "the description \(description)" }
        // A device finds out about pinned messages that it doesn't have when it asks for them.
        let own = truth.pins(of: user)
        if comparesPins, let pins, pins.filter({ messages[$0] != nil }) != own.filter({ messages[$0] != nil }) {
            return "the pinned messages \(pins), not \(own)"
        }
        for (user, role) in roles {
            guard let member = truth.members[user] else { return "that u\(user) is in it" }
            if let role, role != member.role { return "that u\(user) is \(role)" }
        }
        if knowsMembers, roles.count != truth.members.count { return "\(roles.count) members" }
        return nil
    }
}
