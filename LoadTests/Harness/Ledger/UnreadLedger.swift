/// Decides whether unread counts are right. It owns how far each user has read in each conversation. That is as far as
/// the user said, and at least up to the user's own last message, because sending marks everything before as read. Loop
/// thread only; no clock.
final class UnreadLedger {
    private struct Reader {
        var user: Int32
        var conversation: Int32
        /// The relay has certainly recorded at least this.
        var sure: Int32 = 0
        /// Sent on connections that are still open, so the relay will record it.
        var pending: Int32 = 0
        /// The relay can't have recorded more.
        var most: Int32 = 0
    }

    private(set) var faults = FaultCounts()
    private var readers: [Reader] = []

    init() {}

    /// Adds a user in a conversation who has read nothing.
    /// - Returns: the index of this reader, the next from 0.
    func add(_ user: Int, in conversation: Int) -> Int {
        readers.append(Reader(user: Int32(user), conversation: Int32(conversation)))
        return readers.count - 1
    }

    /// A device of the user sent `read`.
    func said(_ reader: Int, upTo sequence: Int) {
        readers[reader].pending = max(readers[reader].pending, Int32(clamping: sequence))
        readers[reader].most = max(readers[reader].most, readers[reader].pending)
    }

    /// A message of the user was stored with this sequence.
    func wrote(_ reader: Int, _ sequence: Int) {
        readers[reader].sure = max(readers[reader].sure, Int32(clamping: sequence))
        readers[reader].most = max(readers[reader].most, readers[reader].sure)
    }

    /// A message of the user was given up without an answer. It may be stored all the same.
    func mayHaveWritten(_ reader: Int) { readers[reader].most = .max }

    /// A session of the user ended. Its last `read` may be lost with it.
    func dropped(_ reader: Int) { readers[reader].pending = 0 }

    /// The relay's word while messages are on their way, in `receipt`. It has to fit some moment between two.
    /// - Parameters:
    ///   - read: the watermark in the same event.
    ///   - seen: the highest sequence that this connection had read before.
    ///   - possible: the most that can be stored by now: what was sent, retries included.
    ///   - isOpen: a message of the user's isn't answered yet, and may be stored as the last. Asked only if it matters.
    func shown(
        _ reader: Int, unread: Int, read: Int, seen: Int, possible: Int, isOpen: @autoclosure () -> Bool = false
    ) {
        let (last, hasOverflowed) = unread.addingReportingOverflow(read)
        guard read <= Int(readers[reader].most) || isOpen() else {
            count(reader, "\(unread) with \(read) read, which was never said; \(readers[reader].most) was")
            return
        }
        guard unread >= 0, read >= 0, !hasOverflowed, last >= seen, last <= possible else {
            count(reader, "\(unread) with \(read) read, of at least \(seen) and at most \(possible) messages")
            return
        }
        wrote(reader, read)
    }

    /// Checks the relay's count when nothing is in flight any more, neither messages nor reads: the last sequence less
    /// what was read.
    /// - Parameters:
    ///   - last: the last sequence of the conversation.
    ///   - isOpen: a message of the user's was never answered, and may be stored where no device saw it.
    func settled(_ reader: Int, unread: Int, last: Int, isOpen: Bool = false) {
        let least = isOpen ? 0 : max(0, last - Int(readers[reader].most))
        let most = max(0, last - Int(max(readers[reader].sure, readers[reader].pending)))
        guard unread < least || unread > most else { return }
        let expected = least == most ? "\(least)" : "\(least) to \(most)"
        count(reader, "\(unread) instead of \(expected), with \(last) messages")
    }

    private func count(_ reader: Int, _ what: String) {
        let about = readers[reader]
        faults.count(.wrongUnread, "conversation \(about.conversation): user \(about.user) has unread \(what)")
    }
}
