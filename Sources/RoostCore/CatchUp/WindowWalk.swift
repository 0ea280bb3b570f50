import DequeModule
import HeapModule
import RoostWire

/// The events of the window that a session has missed, in the order of positions. It is made and used up in one turn,
/// because the window changes.
protocol WindowWalk {
    /// The next event, and the part that it belongs to: nil if it is of no conversation that the session misses.
    mutating func next() -> (ordinal: EventWindow.Ordinal, part: Int?)?
    /// Whether there is no further event.
    var isEmpty: Bool { get }
    /// The conversations of which something was missed, as far as they are known.
    var parts: [WindowPart] { get set }
}

/// The missed events of one conversation.
struct WindowPart {
    /// The missed span of it.
    var span: PageRequest.Span
    /// Its events in the window.
    let chain: Deque<EventWindow.Ordinal>
    /// The index of the first one that was missed.
    var next: Int
}

/// Goes through the parts of a session that misses something in few conversations. The others cost nothing.
struct WindowMerge: WindowWalk {
    private struct Head: Comparable {
        let ordinal: EventWindow.Ordinal
        let part: Int

        static func < (one: Head, other: Head) -> Bool { one.ordinal < other.ordinal }
    }

    var parts: [WindowPart] = []
    private var heads = Heap<Head>()

    /// Adds the part of one conversation, which may have no event left.
    mutating func add(_ part: WindowPart) {
        parts.append(part)
        guard part.next < part.chain.count else { return }
        heads.insert(Head(ordinal: part.chain[part.next], part: parts.count - 1))
    }

    mutating func next() -> (ordinal: EventWindow.Ordinal, part: Int?)? {
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

    var isEmpty: Bool { heads.isEmpty }
}

/// Goes through all events, for a session whose user is in so many conversations that it would cost more to look at
/// each of them.
struct WindowScan: WindowWalk {
    var parts: [WindowPart] = []
    private let window: EventWindow
    private var ordinal: EventWindow.Ordinal?
    /// Where the part of a conversation is; nil if nothing of it was missed.
    private var places: [ConversationNumber: Int?] = [:]
    private let part: (ConversationNumber) -> WindowPart?

    /// Begins above a position.
    /// - Parameter part: what was missed of a conversation, if anything. It is asked once for each.
    init(_ window: EventWindow, after sent: Position, part: @escaping (ConversationNumber) -> WindowPart?) {
        self.window = window
        self.part = part
        ordinal = window.first(above: sent)
    }

    mutating func next() -> (ordinal: EventWindow.Ordinal, part: Int?)? {
        guard let current = ordinal else { return nil }
        ordinal = window.next(after: current)
        return (current, place(of: window[current].conversation))
    }

    var isEmpty: Bool { ordinal == nil }

    private mutating func place(of conversation: ConversationNumber) -> Int? {
        if let known = places[conversation] { return known }
        let found = part(conversation)
        if let found { parts.append(found) }
        let place = found == nil ? nil : parts.count - 1
        places[conversation] = .some(place)
        return place
    }
}
