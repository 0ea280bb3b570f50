import RoostWire

/// The pinned messages of a conversation, in the order in which they were pinned. The log decides which ones there are
/// and how many there may be. In a direct conversation with a block in its past, a message may be pinned for one of the
/// two alone (`StoredPin.hiddenFrom`).
public struct PinList {
    /// All of them.
    public private(set) var pins: [StoredPin] = []

    /// None.
    init() {}

    /// Those that were stored, in order.
    public init(_ pins: [StoredPin]) { self.pins = pins }

    /// A message was pinned: if it was for the other user alone, it is for both from now on.
    public mutating func pin(_ pin: StoredPin) {
        if let index = pins.firstIndex(where: { $0.sequence == pin.sequence }), pins[index].hiddenFrom == pin.user {
            pins[index].hiddenFrom = .none
            return
        }
        remove(pin.sequence)
        pins.append(pin)
    }

    /// Removes a pin. If the unpin is withheld from the other user, and the message was pinned for that user, it still
    /// is.
    public mutating func unpin(_ sequence: SequenceNumber, by user: UserNumber, isWithheld: Bool) {
        guard isWithheld, let index = pins.firstIndex(where: { $0.sequence == sequence && $0.hiddenFrom == .none }),
            pins.count(where: { $0.hiddenFrom == user }) < Limits().pinsPerConversation
        else { return remove(sequence) }
        pins[index].hiddenFrom = user
    }

    /// The user who doesn't see the pin; `.none` if all see it, nil if the message isn't pinned.
    public func hiddenFrom(_ sequence: SequenceNumber) -> UserNumber? {
        pins.first { $0.sequence == sequence }?.hiddenFrom
    }

    /// A message is no longer pinned, or no longer there.
    public mutating func remove(_ sequence: SequenceNumber) {
        guard !pins.isEmpty else { return }
        pins.removeAll { $0.sequence == sequence }
    }

    /// Whether it is still there.
    func has(_ pin: StoredPin) -> Bool { pins.contains(pin) }

    /// The author of a pinned message; nil if it isn't pinned.
    func author(of sequence: SequenceNumber) -> UserNumber? { pins.first { $0.sequence == sequence }?.author }

    /// Whether the reader may not see that this message is pinned.
    func hides(_ sequence: SequenceNumber, from reader: User, in conversation: Conversation) -> Bool {
        pins.first { $0.sequence == sequence }?.isHidden(from: reader, in: conversation) ?? false
    }

    /// Those that a member may see who sees no messages up to `floor`, the newest pin first.
    func shown(in conversation: Conversation, above floor: SequenceNumber, to reader: User) -> [StoredPin] {
        guard !pins.isEmpty else { return [] }
        return pins.reversed().filter {
            $0.sequence > floor && !$0.isHidden(from: reader, in: conversation)
        }
    }
}

extension StoredPin {
    /// Whether the reader may see only the place of the message, or wasn't to get the pin.
    func isHidden(from reader: User, in conversation: Conversation) -> Bool {
        guard conversation.kind == .group else { return hiddenFrom == reader.number }
        return reader.hasBlocked(author)
    }
}

/// Messages that a conversation points out to all of its members.
struct Highlights {
    /// The newest ones that mention all members.
    var mentionsOfAll = MentionList()
    /// The pinned ones.
    var pins = PinList()

    init() {}

    init(_ stored: Snapshot.Conversation) {
        mentionsOfAll = MentionList(stored.mentionsOfAll)
        pins = PinList(stored.pins)
    }
}
