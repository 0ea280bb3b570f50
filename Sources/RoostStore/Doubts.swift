import RoostWire

/// Messages changed by recent events, such as a reaction, of which an answer on its way may not know: the answer may be
/// older, and must not count as the newest state. It belongs to the thread of its store.
final class Doubts {
    /// More than come while a request is under way. For an older request, every message is in doubt.
    static let most = 1_024

    private struct Doubt {
        // nil for all.
        var conversation: String?
        var sequences: ClosedRange<Int64>
    }

    private var recent: [Doubt] = []
    /// Number of changes so far.
    private(set) var count = 0

    /// Notes a change of these messages; of all conversations, if none is named.
    func note(_ conversation: String?, _ sequences: ClosedRange<Int64>) {
        count += 1
        recent.append(Doubt(conversation: conversation, sequences: sequences))
        if recent.count >= 2 * Doubts.most { recent.removeFirst(Doubts.most) }
    }

    /// Notes a change of a message.
    func note(_ conversation: String, _ sequence: SequenceNumber) {
        note(conversation, sequence.value...sequence.value)
    }

    /// Whether a message has changed since `count` was `mark`.
    func has(_ conversation: String, _ sequence: SequenceNumber, since mark: Int) -> Bool {
        guard count - mark <= recent.count else { return true }
        return recent.suffix(count - mark).contains {
            ($0.conversation ?? conversation) == conversation && $0.sequences.contains(sequence.value)
        }
    }
}
