import RoostStore
import RoostWire

/// The part of a conversation that a timeline shows: from one sequence to another, or to the end. It grows by pages and
/// is bounded: what is scrolled away from far enough is let go at the other side. Pure but for reading the store.
struct TimelineWindow {
    /// Messages of the first window, and of one that jumps.
    static let first = 50
    /// Most messages that one scroll adds: the relay's page, too.
    static let page = 100
    /// Most messages of a window. Some screens to either side; a phone's memory doesn't notice them.
    static let most = 500

    /// The first message that is shown; nil if there is none here yet.
    private(set) var low: SequenceNumber?
    /// The last one; nil while the window follows the newest.
    private(set) var high: SequenceNumber?

    var isAtEnd: Bool { high == nil }

    /// The messages, oldest first. A window that follows the newest moves with them.
    mutating func messages(
        of conversation: String, in store: LocalStore
    ) throws(LocalFailure) -> [LocalMessage] {
        guard let low else {
            let newest = try store.messages(of: conversation, limit: TimelineWindow.first)
            self.low = newest.first?.sequence
            return newest
        }
        guard let high else {
            let rows = try store.messages(of: conversation, from: low, limit: TimelineWindow.most + 1)
            guard rows.count > TimelineWindow.most else {
                // The messages there have gone, as into a gap: scrolling goes on from the shown ones.
                self.low = rows.first?.sequence
                return rows
            }
            let newest = try store.messages(of: conversation, limit: TimelineWindow.most)
            self.low = newest.first?.sequence
            return newest
        }
        return try store.messages(of: conversation, from: low, limit: TimelineWindow.most)
            .filter { $0.sequence <= high }
    }

    /// Shows the newest messages.
    mutating func toEnd() {
        low = nil
        high = nil
    }

    /// Shows what is around a message.
    mutating func jump(to sequence: SequenceNumber, newest: SequenceNumber) {
        let half = Int64(TimelineWindow.first / 2)
        low = SequenceNumber(max(1, sequence.value - half))
        high = sequence.value + half < newest.value ? SequenceNumber(sequence.value + half) : nil
    }

    /// Begins at this message, and ends at the other one, if there are too many.
    mutating func extend(down to: SequenceNumber, end: SequenceNumber?) {
        low = to
        if let end { high = min(high ?? end, end) }
    }

    /// Ends at this message, or follows the newest, and begins at `start` or after it, so that there are not too many.
    mutating func extend(up to: SequenceNumber, newest: SequenceNumber, start: SequenceNumber) {
        guard high != nil else { return }
        high = to < newest ? to : nil
        low = max(low ?? start, start)
    }
}
