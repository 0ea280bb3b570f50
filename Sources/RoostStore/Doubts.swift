import RoostWire

/// Of which messages the relay told something lately that an answer on its way may not know, such as a reaction: the
/// answer was made before, and must not count as the newest word. It belongs to the thread of its store.
final class Doubts {
    /// More than come while a question is under way. Of an older question, every message is in doubt.
    static let most = 1_024

    private struct Doubt {
        // nil for all.
        var conversation: String?
        var sequences: ClosedRange<Int64>
    }

    private var recent: [Doubt] = []
    /// How many there were.
    private(set) var count = 0

    /// Something was told of these messages; of all conversations, if none is named.
    func note(_ conversation: String?, _ sequences: ClosedRange<Int64>) {
        count += 1
        recent.append(Doubt(conversation: conversation, sequences: sequences))
        if recent.count >= 2 * Doubts.most { recent.removeFirst(Doubts.most) }
    }

    /// Something was told of a message.
    func note(_ conversation: String, _ sequence: SequenceNumber) {
        note(conversation, sequence.value...sequence.value)
    }

    /// Whether something was told of a message since there were so many.
    func has(_ conversation: String, _ sequence: SequenceNumber, since mark: Int) -> Bool {
        guard count - mark <= recent.count else { return true }
        return recent.suffix(count - mark).contains {
            ($0.conversation ?? conversation) == conversation && $0.sequences.contains(sequence.value)
        }
    }
}
