public import RoostWire

/// Notices that the relay's files are older than they were, under the same epoch, as after an operator's mistake: then
/// a sequence is given a second time (Docs/Decisions/0073-older-files-under-one-epoch.md). It belongs to the thread of
/// its store.
final class OlderFiles {
    /// Whether some of what is kept is from an earlier session: within one, no files are put back, and a relay that
    /// contradicts itself isn't asked in a loop.
    var hasOld = false
    /// Whether a message came under the sequence of another one.
    private(set) var isFound = false

    /// Compares a message from the relay with the kept copy.
    func compare(_ kept: LocalMessage, _ told: LocalMessage) {
        if hasOld, KnownMessage(kept).isAnother(than: told) { isFound = true }
    }

    /// Whether it was found since the last call.
    func take() -> Bool {
        defer { isFound = false }
        return isFound
    }
}

/// Where a message is, and what can't change of it.
public struct KnownMessage: Sendable, Equatable {
    /// The conversation's id.
    public var conversation: String
    /// Its place there.
    public var sequence: SequenceNumber
    /// The author.
    public var from: String
    /// When the relay stored it.
    public var time: Timestamp
    /// The key of a message of the user's own.
    public var key: String?

    init(_ message: LocalMessage) {
        (conversation, sequence, from) = (message.conversation, message.sequence, message.isHidden ? "" : message.from)
        (time, key) = (message.time, message.key)
    }

    /// Reads a row of `columns`; nil if there is none.
    static func read(_ row: LocalStatement, at first: Int32) -> KnownMessage? {
        guard !row.isNull(first) else { return nil }
        var message = LocalMessage(lost: SequenceNumber(row.integer(first + 1)), in: row.text(first))
        (message.from, message.time) = (row.text(first + 2), Timestamp(milliseconds: row.integer(first + 3)))
        message.key = row.isNull(first + 4) ? nil : row.text(first + 4)
        return KnownMessage(message)
    }

    /// Keeps it as the newest one.
    func keep(in database: LocalDatabase) throws(LocalFailure) -> KnownMessage {
        let columns = KnownMessage.columns.split(separator: ",").map { "\($0) = ?" }.joined(separator: ",")
        try database.run("UPDATE identity SET \(columns)", values)
        return self
    }

    static let columns = "newest_conversation, newest_sequence, newest_from, newest_time, newest_key"

    private var values: [LocalValue] {
        [
            .text(conversation), .integer(sequence.value), .text(from), .integer(time.milliseconds),
            key.map { .text($0) } ?? .null,
        ]
    }

    /// Whether the relay's message with its sequence is another one. For a hidden or lost message this can't be known.
    func isAnother(than told: LocalMessage) -> Bool {
        guard !from.isEmpty, !told.from.isEmpty, !told.isHidden else { return false }
        if let key, let other = told.key, key != other { return true }
        return from != told.from || time != told.time
    }

    /// Whether a page of history that was asked for it has it; nil if the page says nothing of it.
    public func isThere(in page: HistoryPage) -> Bool? {
        if let found = page.messages.first(where: { $0.sequence == sequence }) {
            return !isAnother(than: LocalMessage(found))
        }
        return page.gaps.contains { $0.from <= sequence && sequence <= $0.to } ? true : nil
    }
}
