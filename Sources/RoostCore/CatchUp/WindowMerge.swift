import DequeModule
import HeapModule
import RoostWire

/// What a session has missed in several conversations, as events of the window in the order of positions. It is made
/// and used up in one turn, because the window changes.
struct WindowMerge {
    /// The wanted events of one conversation.
    struct Part {
        /// The conversation.
        let conversation: ConversationNumber
        /// Its events in the window.
        let chain: Deque<EventWindow.Ordinal>
        /// The index of the next one.
        var next: Int
        /// The last wanted position.
        let upTo: Position
        /// Messages up to this one are not shown to the device's user.
        let since: SequenceNumber
        /// Messages left out of a backlog that is too long.
        var skip: WindowSkip?

        /// Whether the device is not sent this message, nor changes of it.
        func leavesOut(_ sequence: SequenceNumber) -> Bool {
            sequence <= since || skip.map { $0.from <= sequence && sequence <= $0.to } ?? false
        }
    }

    private struct Head: Comparable {
        let ordinal: EventWindow.Ordinal
        let part: Int

        static func < (one: Head, other: Head) -> Bool { one.ordinal < other.ordinal }
    }

    private(set) var parts: [Part] = []
    private var heads = Heap<Head>()

    /// Adds the part of one conversation, which may have no event left.
    mutating func add(_ part: Part) {
        parts.append(part)
        guard part.next < part.chain.count else { return }
        heads.insert(Head(ordinal: part.chain[part.next], part: parts.count - 1))
    }

    /// The next event, and the index of its part.
    mutating func next() -> (ordinal: EventWindow.Ordinal, part: Int)? {
        guard let head = heads.min else { return nil }
        parts[head.part].next += 1
        let next = parts[head.part].next
        if next < parts[head.part].chain.count {
            heads.replaceMin(with: Head(ordinal: parts[head.part].chain[next], part: head.part))
        } else {
            heads.removeMin()
        }
        return (head.ordinal, head.part)
    }

    /// Whether there is no further event.
    var isEmpty: Bool { heads.isEmpty }

    /// The gaps of the parts.
    var skips: [ConversationNumber: WindowSkip] {
        var skips: [ConversationNumber: WindowSkip] = [:]
        for part in parts { skips[part.conversation] = part.skip }
        return skips
    }

    /// Notes that the gap of a part was told.
    mutating func noteTold(_ part: Int) { parts[part].skip?.isTold = true }
}

/// Messages of a conversation that a session isn't sent, because it missed too many.
struct WindowSkip {
    let from: SequenceNumber
    let to: SequenceNumber
    /// Whether the gap was told.
    var isTold = false
    /// Whether changes of the conversation are left out as well.
    var isReset = false
}
