import RoostCore
import RoostWire

/// Where a direct conversation ended for a user when the other one, whom it had blocked, began to write.
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
}

extension Ledger {
    /// What is withheld begins a veil, and what isn't ends that of a user who may see it. For one who saw nothing of
    /// the conversation it begins then.
    func veil(_ event: Event, at position: Int64, in conversation: ConversationTruth) {
        guard conversation.kind == .direct else { return }
        let last = Int64(conversation.messages.count)
        if let veil = conversation.veil, veil.user != event.withheldFrom {
            if conversation.isVeiled(from: veil.user) {
                conversation.members[veil.user]?.joinedAt = position
                conversation.members[veil.user]?.since = last
                conversation.members[veil.user]?.joinedAfter = last
                conversation.generations[veil.user, default: 0] += 1
                // Now the two begin to be told of each other.
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

    /// Notes which message, or pin, a user isn't shown.
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
        default:
            guard case .pin(let sequence) = event.change, let user = event.withheldFrom else { return }
            conversation.withheldPins[user, default: []].insert(sequence.value)
        }
    }
}
