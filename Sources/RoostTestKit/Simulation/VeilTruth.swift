import RoostCore
import RoostWire

/// The point where a direct conversation ended for a user when the other one, blocked before, began to write.
struct VeilTruth {
    let user: Int
    let sequence: Int64
    let position: Int64
}

/// Since when the present text of a message is withheld from a user.
struct WithheldSince {
    let position: Int64
    /// The monotonic time; the least if no frame has ever shown the message.
    let time: Int64

    /// Whether a frame that was written after `time`, for the event at this position, can't show the text.
    func isSure(at position: Int64, writtenAfter time: Int64) -> Bool {
        self.position <= position || self.time + World.lateness < time
    }
}

extension ConversationTruth {
    /// Whether the conversation isn't there for the user, because a blocked user has opened it.
    func isVeiled(from user: Int) -> Bool {
        guard let veil, veil.user == user, let member = members[user] else { return false }
        return veil.position < member.joinedAt
    }

    /// Whether something was ever withheld from the user here.
    func hasWithheld(from user: Int) -> Bool { withheld[user] != nil }

    /// Whether an event is withheld from the other user, because that one can't see what it is about.
    func withholds(_ event: Append, by sender: Int, from other: Int?) -> Bool {
        guard kind == .direct, let other else { return false }
        let hidden = withheld[other] ?? [:]
        switch (event.kind, event.change) {
        case (.delete, _): return hidden[event.reference.value] != nil
        case (.react, _):
            let number = event.reference.value
            guard number >= 1, number <= messages.count, hidden[number] == nil else { return hidden[number] != nil }
            let reaction = Ledger.Reaction(user: sender, text: event.label)
            return event.flag && messages[Int(number) - 1].withheldReactions.contains(reaction)
        case (_, .pin(let sequence)):
            return hidden[sequence.value] != nil || hiddenPins[sender]?.contains(sequence.value) == true
        case (_, .unpin(let sequence)): return hiddenPins[other]?.contains(sequence.value) == true
        default: return false
        }
    }

    /// An event about a withheld one is withheld as well, and no other without a block is.
    /// - Returns: the fault; nil if there is none.
    func withhold(_ event: inout Append, _ outcome: Outcome, by sender: Int, from other: Int?) -> String? {
        let isWithheld = withholds(event, by: sender, from: other)
        if isWithheld { event.withheldFrom = event.peer }
        guard isWithheld != outcome.isWithheld else { return nil }
        return "the \(event.kind) of u\(sender) in \(id) is withheld: \(outcome.isWithheld)"
    }

    /// The pins of a user.
    func pins(of user: Int) -> [Int64] { pins.filter { hiddenPins[user]?.contains($0) != true } }

    func pin(_ number: Int64, by user: Int, withheldFrom other: Int?) {
        guard hiddenPins[user]?.remove(number) == nil else { return }
        pins.append(number)
        if let other { hiddenPins[other, default: []].insert(number) }
    }

    /// Unpins a message. For the other user it stays pinned if the event is withheld, up to a bound.
    func unpin(_ number: Int64, by user: Int, withheldFrom other: Int?) {
        if let other, hiddenPins[other]?.contains(number) != true,
            hiddenPins[user]?.count ?? 0 < Limits().pinsPerConversation
        {
            hiddenPins[user, default: []].insert(number)
        } else {
            takePin(number)
        }
    }

    /// Removes the pin for both users.
    func takePin(_ number: Int64) {
        pins.removeAll { $0 == number }
        for user in hiddenPins.keys { hiddenPins[user]?.remove(number) }
    }
}

extension Ledger {
    /// A withheld event begins a veil, and another one ends that of a user who may see it. For a user who saw nothing
    /// of the conversation, it begins then.
    func veil(_ event: Event, at position: Int64, in conversation: ConversationTruth) {
        guard conversation.kind == .direct else { return }
        let last = Int64(conversation.messages.count)
        if let veil = conversation.veil, veil.user != event.withheldFrom {
            if conversation.isVeiled(from: veil.user) {
                conversation.members[veil.user]?.joinedAt = position
                conversation.members[veil.user]?.since = last
                conversation.members[veil.user]?.joinedAfter = last
                conversation.generations[veil.user, default: 0] += 1
                // From now on the two get each other's presence.
                conversation.changedAt = event.time.milliseconds
            }
            conversation.veil = nil
        }
        guard let user = event.withheldFrom else { return }
        if conversation.withheld[user] == nil { conversation.withheld[user] = [:] }
        if conversation.veil == nil {
            conversation.veil = VeilTruth(user: user, sequence: last, position: conversation.lastPosition)
        }
    }

    /// Notes which message a user isn't shown.
    func noteWithheld(_ event: Event, at position: Int64, in conversation: ConversationTruth) {
        guard conversation.kind == .direct else { return }
        let others = conversation.generations.keys.filter { $0 != event.sender }
        switch event.kind {
        case .message, .edit:
            for user in others {
                if user == event.withheldFrom {
                    let since = WithheldSince(position: position, time: event.kind == .message ? .min : appliedAt)
                    conversation.everWithheld[user, default: []].insert(event.sequence)
                    if conversation.withheld[user]?[event.sequence] == nil {
                        conversation.withheld[user, default: [:]][event.sequence] = since
                    }
                } else {
                    conversation.withheld[user]?[event.sequence] = nil
                }
            }
            if event.kind == .message, event.withheldFrom != nil, let last = conversation.messages.indices.last {
                conversation.messages[last].wasWithheld = true
            }
        default: return
        }
    }
}
