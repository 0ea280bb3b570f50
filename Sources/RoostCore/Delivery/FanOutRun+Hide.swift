import RoostWire

/// Rules for hiding the entry that was added last.
extension FanOutRun {
    /// The other user of the direct conversation gets the place of a message, so that sequences have no holes, and
    /// nothing else.
    func withhold(_ event: borrowing StoredEvent, in conversation: Conversation, _ events: EventFrames) {
        guard let pair = conversation.pair,
            let other = conversation.member(pair.other(than: event.sender))?.user
        else { return }
        guard event.kind.isAboutMessage, !conversation.isVeiled(from: other.number) else {
            return hide(from: [other], author: event.sender, withheldFrom: other.number, instead: nil)
        }
        events.beginHidden(event.kind, of: event.sequence, at: event.position, event.time, in: conversation)
        hide(from: [other], author: event.sender, withheldFrom: other.number, instead: events.builder)
    }

    /// Hides the erasure of a conversation from a user without access to it.
    func hideAll(of conversation: Conversation) {
        guard let veil = conversation.veiling.veil, conversation.isVeiled(from: veil.user),
            let user = conversation.member(veil.user)?.user
        else { return }
        hide(from: [user], author: .none, withheldFrom: user.number, instead: nil)
    }

    /// Hides a pin or unpin from members who have blocked the author of the message.
    func hidePin(of author: User, in conversation: Conversation) {
        let blockers = conversation.blockers(of: author)
        if !blockers.isEmpty { hide(from: blockers, author: author.number, instead: nil) }
    }

    /// Hides a signal from members who have blocked the sender.
    func hideSignal(of sender: User, in conversation: Conversation) {
        guard let pair = conversation.pair else {
            let blockers = conversation.blockers(of: sender)
            if !blockers.isEmpty { hide(from: blockers, author: sender.number, instead: nil) }
            return
        }
        guard let other = conversation.member(pair.other(than: sender.number))?.user,
            other.hasBlocked(sender.number) || conversation.isVeiled(from: other.number)
        else { return }
        hide(from: [other], author: sender.number, withheldFrom: other.number, instead: nil)
    }
}
