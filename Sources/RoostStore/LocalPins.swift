public import RoostWire

/// The pinned messages of conversations, as far as this device knows them (Docs/Protocol.md, section 5). It belongs to
/// the thread of its store.
public struct LocalPins {
    let database: LocalDatabase
    let messages: MessageTable

    // MARK: Reading

    /// The pinned messages of a conversation, the one that was pinned last first.
    public func pins(of conversation: String) throws(LocalFailure) -> [LocalPin] {
        var pins = try database.rows(
            "SELECT sequence, user, time FROM pin WHERE conversation = ? ORDER BY place DESC", [.text(conversation)]
        ) { row in
            LocalPin(
                sequence: SequenceNumber(row.integer(0)), by: row.isNull(1) ? nil : row.text(1),
                time: row.isNull(2) ? nil : Timestamp(milliseconds: row.integer(2)))
        }
        for index in pins.indices { pins[index].message = try messages.message(conversation, pins[index].sequence) }
        return pins
    }

    // MARK: Writing

    /// A message was pinned, and is the first of the list if it wasn't there.
    public func pin(
        _ sequence: SequenceNumber, in conversation: String, by user: String, at time: Timestamp
    ) throws(LocalFailure) {
        try put(sequence, in: conversation, by: user, at: time)
    }

    /// A message is pinned no longer, or has gone.
    public func unpin(_ sequence: SequenceNumber, in conversation: String) throws(LocalFailure) {
        try database.run(
            "DELETE FROM pin WHERE conversation = ? AND sequence = ?", [.text(conversation), .integer(sequence.value)])
    }

    /// Takes the list of a conversation object: who pinned what stays as it is known.
    func take(_ sequences: [SequenceNumber], of conversation: String) throws(LocalFailure) {
        let known = try pins(of: conversation)
        guard known.map(\.sequence) != sequences else { return }
        try database.run("DELETE FROM pin WHERE conversation = ?", [.text(conversation)])
        for sequence in sequences.reversed() {
            let one = known.first { $0.sequence == sequence }
            try put(sequence, in: conversation, by: one?.by, at: one?.time)
        }
    }

    /// Stores the whole list of a `conversation.pins` answer, with those messages that aren't here.
    public func take(_ pins: [Pin], of conversation: String) throws(LocalFailure) {
        try database.transaction { () throws(LocalFailure) in
            try database.run("DELETE FROM pin WHERE conversation = ?", [.text(conversation)])
            for pin in pins.reversed() {
                try put(pin.sequence, in: conversation, by: pin.by, at: pin.time)
                guard let message = pin.message else { continue }
                var kept = LocalMessage(message)
                // Only `history` contains the reactions.
                kept.isStale = true
                _ = try messages.insert(kept)
            }
        }
    }

    private func put(
        _ sequence: SequenceNumber, in conversation: String, by user: String?, at time: Timestamp?
    ) throws(LocalFailure) {
        try database.run(
            """
            INSERT OR REPLACE INTO pin(conversation, sequence, place, user, time)
            VALUES (?1, ?2, 1 + coalesce((SELECT max(place) FROM pin WHERE conversation = ?1), 0), ?3, ?4)
            """,
            [
                .text(conversation), .integer(sequence.value), user.map { .text($0) } ?? .null,
                time.map { .integer($0.milliseconds) } ?? .null,
            ])
    }
}

/// A pinned message, as far as this device knows it.
public struct LocalPin: Sendable, Equatable {
    /// Its sequence.
    public var sequence: SequenceNumber
    /// The user who pinned it; nil until that is asked for.
    public var by: String?
    /// When it was pinned; nil until that is asked for.
    public var time: Timestamp?
    /// The message; nil if it isn't here.
    public var message: LocalMessage?
}
