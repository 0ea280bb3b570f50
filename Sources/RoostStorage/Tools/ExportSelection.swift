import RoostCore
import RoostWire

/// Chooses the rows of the log that become lines, and keeps sequences whole: messages that are left out, because
/// another user wrote them or because they are damaged, become `withheld` lines. A value.
struct ExportSelection {
    private struct Stretch {
        /// The sequence that the next line of the conversation continues.
        var sequence: Int64 = 0
        /// The last message that is withheld so far, where it is, and when it was sent.
        var last: Int64 = 0
        var position: Int64 = 0
        var time: Int64 = 0
    }

    private let names: DirectoryNames
    private let wanted: Set<Int32>
    private let author: Int32?
    /// Positions behind which the author was no longer in a conversation.
    private let left: [Int32: Int64]
    private var stretches: [Int32: Stretch] = [:]
    private(set) var damaged: Int64 = 0
    private(set) var withheld: Int64 = 0

    init(names: DirectoryNames, wanted: Set<Int32>, author: Int32?, left: [Int32: Int64] = [:]) {
        self.left = left
        self.names = names
        self.wanted = wanted
        self.author = author
    }

    /// A row that can't even be read.
    mutating func skipDamaged() { damaged += 1 }

    mutating func take(_ row: LogColumns, _ write: (ExportLine) throws -> Void) throws {
        let number = row.conversation
        guard wanted.contains(number), let conversation = names.conversations[number]?.id,
            row.position <= left[number] ?? .max
        else { return }
        guard let found = row.copy(), let sender = names.users[found.event.sender.value] else {
            damaged += 1
            return
        }
        var stretch = stretches[number] ?? Stretch()
        defer { stretches[number] = stretch }
        let isMessage = found.event.kind == .message
        // Rows between were damaged. A row that goes back can only be damage too.
        let missing = isMessage ? found.sequence - 1 : found.sequence
        guard missing >= max(stretch.sequence, stretch.last) else {
            damaged += 1
            return
        }
        if missing > max(stretch.sequence, stretch.last) {
            stretch.last = missing
            (stretch.position, stretch.time) = (row.position - 1, row.time)
        }
        // A message withheld by an earlier export is withheld again.
        guard sender != ImportPlan.withheldUser, author.map({ $0 == found.event.sender.value }) ?? true else {
            guard isMessage else { return }
            stretch.last = found.sequence
            (stretch.position, stretch.time) = (row.position, row.time)
            return
        }
        try flush(&stretch, conversation, write)
        stretch.sequence = found.sequence
        var event = ExportedEvent(found, in: conversation, by: sender)
        // One user's file doesn't say who has blocked that one.
        if author != nil, found.event.extras.isWithheld {
            event.isWithheld = false
            if isMessage { event.extras = found.event.extras.shownToSender?.json ?? [] }
        }
        try write(.event(event))
    }

    /// Writes what is left.
    mutating func finish(_ write: (ExportLine) throws -> Void) throws {
        for (number, stretch) in stretches.sorted(by: { $0.value.position < $1.value.position }) {
            var stretch = stretch
            guard let conversation = names.conversations[number]?.id else { continue }
            try flush(&stretch, conversation, write)
        }
        stretches = [:]
    }

    private mutating func flush(
        _ stretch: inout Stretch, _ conversation: String, _ write: (ExportLine) throws -> Void
    ) throws {
        while stretch.sequence < stretch.last {
            let first = stretch.sequence + 1
            let last = min(stretch.last, first + ExportLine.withheldMax - 1)
            try write(
                .withheld(
                    WithheldMessages(
                        conversation: conversation, first: first, last: last, position: stretch.position,
                        time: stretch.time)))
            withheld += last - first + 1
            stretch.sequence = last
        }
    }
}

extension ExportedEvent {
    /// A row of the log.
    init(_ row: LogRow, in conversation: String, by sender: String) {
        let event = row.event
        kind =
            switch event.kind {
            case .message: .message
            case .edit: .edit
            case .delete: .delete
            case .react: .react
            case .conversation, .state: .change
            }
        self.conversation = conversation
        position = event.position.value
        sequence = event.kind == .conversation ? 0 : event.sequence.value
        from = sender
        time = event.time.milliseconds
        device = event.device
        key = ErasedKey.isErased(event.key) ? "" : event.key
        label = [.message, .react, .delete].contains(event.kind) ? event.label : ""
        if event.kind == .message { replyTo = event.reference.value }
        isRemoved = event.kind == .react && event.flag
        isUnreading = event.kind == .message && event.flag
        if event.kind == .message || event.kind == .conversation { body = event.body }
        if event.kind == .message {
            editedAt = event.editedAt.milliseconds
            deletedAt = event.deletedAt.milliseconds
            extras = event.extras?.json ?? []
        } else {
            isWithheld = event.extras.isWithheld
        }
    }
}
