import RoostWire

/// A page as frames. Events are framed one behind another in pieces of some size, so that a page costs an outbox a few
/// places and not one for each event.
extension Relay {
    // Several pieces fit into one write.
    private static var partBytes: Int { 32_768 }

    /// The frames of a page for a device of `user`: the same for all who wrote nothing of it.
    func frames(of page: CatchUpPage, for user: UserNumber) -> PageFrames {
        let events = page.result?.events ?? []
        if page.senders.contains(user) { return encode(events, for: user) }
        if let known = page.frames { return known }
        let frames = encode(events, for: nil)
        page.frames = frames
        return frames
    }

    private func encode(_ events: [StoredEvent], for user: UserNumber?) -> PageFrames {
        var frames = PageFrames()
        frames.messages.reserveCapacity(events.count)
        var rest = PartUnderWay()
        var conversation: Conversation?
        for event in events {
            if conversation?.number != event.conversation {
                conversation = directory.conversation(event.conversation)
                if conversation != nil, !frames.conversations.contains(event.conversation) {
                    frames.conversations.append(event.conversation)
                }
            }
            guard let conversation else { continue }
            // By itself: a gap may have to be told before it.
            if event.kind == .conversation { end(&rest, of: &frames) }
            begin(event, in: conversation, isOwn: event.sender == user)
            pageRun.append(builder)
            rest.events += 1
            rest.position = event.position
            if event.kind == .message {
                frames.messages.append(
                    .init(conversation: event.conversation, sequence: event.sequence, position: event.position))
            }
            if event.kind == .conversation { rest.change = (event.conversation, event.sequence) }
            if rest.change != nil || pageRun.count >= Self.partBytes { end(&rest, of: &frames) }
        }
        end(&rest, of: &frames)
        return frames
    }

    private struct PartUnderWay {
        var position = Position.start
        var events = 0
        var firstMessage = 0
        var change: (conversation: ConversationNumber, sequence: SequenceNumber)?
    }

    private func end(_ rest: inout PartUnderWay, of frames: inout PageFrames) {
        guard rest.events > 0 else { return }
        let frame = pageRun.take()
        frames.bytes += frame.count
        frames.parts.append(
            .init(
                frame: frame, position: rest.position, events: rest.events,
                messages: rest.firstMessage..<frames.messages.count, change: rest.change))
        rest = PartUnderWay(firstMessage: frames.messages.count)
    }
}
