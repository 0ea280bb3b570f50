import DequeModule
import RoostFraming
import RoostWire

/// The newest durable events, as they were sent, in a bounded amount of memory. A client that is a little behind gets
/// them from here, in large pieces and without a read: being behind then costs less than being live, however many are.
/// As in pages of the log, a message has the body of its last edit, and a deleted one has no body. It doesn't know the
/// rules of visibility. Loop thread only.
final class EventWindow {
    /// The place of an event: the chunk's number, then the index among its entries. Later events have higher ones.
    typealias Ordinal = Int

    /// One event. It consists of plain numbers, so that no loop counts references.
    struct Entry {
        let position: Position
        let conversation: ConversationNumber
        /// Only members whose `since` is below may see it.
        let sequence: SequenceNumber
        /// The conversation's last message when this was stored.
        let last: SequenceNumber
        let sender: UserNumber
        let kind: EventKind
        let time: Timestamp
        /// The author of the message that it pins or unpins; `.none` if it does something else.
        let pinned: UserNumber
        /// Number of earlier events of the conversation that aren't messages, counted since the conversation is in the
        /// window.
        let changes: Int
        /// It is withheld from the other user of its direct conversation.
        fileprivate(set) var isWithheld: Bool
        /// A message: the last event that edited or deleted it; `.start` if none has.
        fileprivate(set) var changedAt = Position.start
        /// Whether it is an edit that was replaced, or whose message was deleted. It isn't sent any more.
        fileprivate(set) var isVoid = false
        fileprivate var text: Text
    }

    /// Where the JSON of an event is: in a chunk, which may be newer than the event's own.
    struct Text {
        var chunk: Int
        var start: Int
        var count: Int
        /// Bytes behind it: the members that only the sender's own devices get.
        var ownCount: Int
    }

    /// A block of memory for texts, and the events that came while it was the newest one.
    private final class Chunk {
        let memory: UnsafeMutableRawBufferPointer
        var used = 0
        var entries: [Entry] = []
        /// When its first event was stored.
        var begunAt = Timestamp.never

        init(bytes: Int) { memory = .allocate(byteCount: bytes, alignment: 1) }

        deinit { memory.deallocate() }

        /// Bytes taken by what is in it.
        var weight: Int { used + entries.count * EventWindow.entryBytes }

        func append(_ bytes: UnsafeRawBufferPointer) {
            UnsafeMutableRawBufferPointer(rebasing: memory[used...]).copyMemory(from: bytes)
            used += bytes.count
        }

        func append(_ text: StaticString) {
            append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        }

        func append(_ text: String) {
            var text = text
            text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
        }
    }

    fileprivate struct MessageID: Hashable {
        let conversation: ConversationNumber
        let sequence: SequenceNumber
    }

    // The window moves on by this part of its memory. Pages of what is older end where the window begins, so a part
    // that is too small makes sessions ask for different pages.
    private static let chunks = 32
    private static let indexBits = 24
    /// Bytes that an event takes beside its text.
    static let entryBytes = 128

    // As `EventFrames` writes them between the sender's name and the time.
    private static let deviceBegins: StaticString = ",\"device\":\""
    private static let keyBegins: StaticString = "\",\"key\":\""

    private let chunkBytes: Int
    private let milliseconds: Int64
    private var kept = Deque<Chunk>()
    /// The number of the oldest chunk.
    private var firstChunk = 0
    /// The events of each conversation, oldest first.
    private var chains: [ConversationNumber: Deque<Ordinal>] = [:]
    /// The last edit of each message that was edited in the window.
    private var edits: [MessageID: Ordinal] = [:]
    /// Every event above this position is in the window.
    private(set) var floor: Position

    /// - Parameters:
    ///   - bytes: how much memory it may take; 0 for none.
    ///   - milliseconds: how long an event stays at most.
    ///   - head: position of the newest event.
    init(bytes: Int, milliseconds: Int64 = .max, head: Position) {
        chunkBytes = bytes / Self.chunks
        self.milliseconds = milliseconds
        floor = head
    }

    /// Creates a window with these limits.
    convenience init(_ limits: Limits, head: Position) {
        self.init(bytes: limits.windowBytes, milliseconds: limits.windowMilliseconds, head: head)
    }

    private var newestChunk: Int { firstChunk + kept.count - 1 }

    /// Bytes of memory taken by texts and events.
    var bytes: Int { kept.reduce(0) { $0 + $1.weight } }

    // MARK: In

    /// Adds an event, which must be newer than all others.
    /// - Parameters:
    ///   - json: its text without the closing brace, as it is for others than its sender.
    ///   - pinned: who wrote the message that it pins or unpins.
    func add(
        _ json: UnsafeRawBufferPointer, of event: borrowing StoredEvent, in conversation: Conversation,
        pinning pinned: UserNumber = .none
    ) {
        guard chunkBytes > 0 else {
            floor = event.position
            return
        }
        let ownCount = event.kind == .message ? Self.ownCount(of: event) : 0
        let chunk = chunkWithRoom(for: json.count + 1 + ownCount, at: event.time)
        if chunk.entries.isEmpty { chunk.begunAt = event.time }
        let text = Text(chunk: newestChunk, start: chunk.used, count: json.count + 1, ownCount: ownCount)
        chunk.append(json)
        chunk.append("}")
        if ownCount > 0 {
            chunk.append(Self.deviceBegins)
            chunk.append(event.device)
            chunk.append(Self.keyBegins)
            chunk.append(event.key)
            chunk.append("\"")
        }
        assert(chunk.used == text.start + text.count + ownCount, "a text is as long as the room that it got")
        let ordinal = newestChunk << Self.indexBits | chunk.entries.count
        let before = chains[conversation.number]?.last.map { self[$0] }
        let changes = before.map { $0.changes + ($0.kind == .message ? 0 : 1) } ?? 0
        chunk.entries.append(
            Entry(
                position: event.position, conversation: conversation.number,
                sequence: event.subject,
                last: conversation.lastSequence, sender: event.sender, kind: event.kind, time: event.time,
                pinned: pinned, changes: changes, isWithheld: event.extras.isWithheld, text: text))
        chains[conversation.number, default: Deque()].append(ordinal)
        switch event.kind {
        case .edit: edit(event, in: conversation.number, at: ordinal)
        case .delete:
            erase(event.sequence, of: conversation.number, at: event.time)
            noteChange(of: event.sequence, in: conversation.number, at: event.position)
        case .message, .react, .conversation, .state: break
        }
    }

    /// Forgets what is too old.
    func forget(at now: Timestamp) {
        while let oldest = kept.first, isTooOld(oldest, at: now) { _ = takeOldest() }
    }

    /// A chunk without events has only later texts of those that are gone, unless it is the newest.
    private func isTooOld(_ chunk: Chunk, at now: Timestamp) -> Bool {
        guard !chunk.entries.isEmpty else { return kept.count > 1 }
        return now.milliseconds - chunk.begunAt.milliseconds >= milliseconds
    }

    /// Forgets a conversation that was erased.
    func forget(_ conversation: ConversationNumber) { chains[conversation] = nil }

    private static func ownCount(of event: borrowing StoredEvent) -> Int {
        let quotes = deviceBegins.utf8CodeUnitCount + keyBegins.utf8CodeUnitCount + 1
        return quotes + event.device.utf8.count + event.key.utf8.count
    }

    // MARK: Memory

    /// The newest chunk, if that many bytes fit, or another one. The oldest chunks make room for it.
    /// - Parameter time: of an event that is to come into it. A chunk goes as a whole when it is too old, so it has
    ///   events of a short time.
    private func chunkWithRoom(for bytes: Int, at time: Timestamp? = nil) -> Chunk {
        if let newest = kept.last, newest.weight + bytes + Self.entryBytes <= chunkBytes,
            newest.entries.isEmpty || !isTooLong(newest, at: time)
        {
            return newest
        }
        var chunk: Chunk?
        while kept.count >= Self.chunks || self.bytes + bytes > chunkBytes * Self.chunks, let oldest = takeOldest() {
            chunk = oldest
        }
        let size = max(chunkBytes, bytes)
        let newest = chunk.flatMap { $0.memory.count == size ? $0 : nil } ?? Chunk(bytes: size)
        kept.append(newest)
        return newest
    }

    private func isTooLong(_ chunk: Chunk, at time: Timestamp?) -> Bool {
        guard let time else { return false }
        return time.milliseconds - chunk.begunAt.milliseconds >= milliseconds / Int64(Self.chunks)
    }

    /// Takes the oldest chunk out, empty.
    private func takeOldest() -> Chunk? {
        guard let oldest = kept.popFirst() else { return nil }
        let first = firstChunk << Self.indexBits
        firstChunk += 1
        for (index, entry) in oldest.entries.enumerated() {
            floor = entry.position
            if entry.kind == .edit, edits[entry.message] == first | index { edits[entry.message] = nil }
            guard chains[entry.conversation]?.popFirst() != nil else { continue }
            if chains[entry.conversation]?.isEmpty == true { chains[entry.conversation] = nil }
        }
        oldest.entries.removeAll(keepingCapacity: true)
        oldest.used = 0
        return oldest
    }

    // MARK: Changes of messages

    private func edit(_ event: borrowing StoredEvent, in conversation: ConversationNumber, at ordinal: Ordinal) {
        let message = MessageID(conversation: conversation, sequence: event.sequence)
        if let former = edits.updateValue(ordinal, forKey: message) { update(former) { $0.isVoid = true } }
        replaceBody(of: message, by: ",\"editedAt\":\(event.time.milliseconds),\"body\":", event.body, event.extras)
        let isWithheld = event.extras.isWithheld
        if let written = self.ordinal(of: message) { update(written) { $0.isWithheld = isWithheld } }
        noteChange(of: event.sequence, in: conversation, at: event.position)
    }

    private func noteChange(of sequence: SequenceNumber, in conversation: ConversationNumber, at position: Position) {
        guard let written = ordinal(of: MessageID(conversation: conversation, sequence: sequence)) else { return }
        update(written) { $0.changedAt = position }
    }

    /// A message was deleted, or has disappeared.
    func erase(_ sequence: SequenceNumber, of conversation: ConversationNumber, at time: Timestamp) {
        let message = MessageID(conversation: conversation, sequence: sequence)
        if let former = edits.removeValue(forKey: message) { update(former) { $0.isVoid = true } }
        replaceBody(of: message, by: ",\"deletedAt\":\(time.milliseconds)", [])
    }

    /// Gives a message another end of its text, if the message is in the window.
    private func replaceBody(
        of message: MessageID, by members: String, _ body: [UInt8], _ extras: Extras? = nil
    ) {
        guard let text = ordinal(of: message).map({ self[$0].text }) else { return }
        let others = extras.flatMap { $0.members.isEmpty ? nil : [UInt8(ascii: ",")] + $0.members } ?? []
        let chunk = chunkWithRoom(
            for: text.count + members.utf8.count + body.count + others.count + 1 + text.ownCount)
        // Making room may have dropped the message.
        guard let ordinal = ordinal(of: message) else { return }
        let start = chunk.used
        let old = json(text)
        chunk.append(UnsafeRawBufferPointer(rebasing: old[..<Self.bodyStart(in: old)]))
        chunk.append(members)
        body.withUnsafeBytes { chunk.append($0) }
        others.withUnsafeBytes { chunk.append($0) }
        chunk.append("}")
        let count = chunk.used - start
        chunk.append(ownMembers(text))
        let changed = Text(chunk: newestChunk, start: start, count: count, ownCount: text.ownCount)
        update(ordinal) { $0.text = changed }
    }

    /// Where the members begin that change when a message is edited or deleted. No name before them has a quotation
    /// mark.
    private static func bodyStart(in json: UnsafeRawBufferPointer) -> Int {
        let ends: [StaticString] = [",\"editedAt\":", ",\"deletedAt\":", ",\"body\":"]
        return ends.compactMap { json.firstPlace(of: $0) }.min() ?? json.count
    }

    private func ordinal(of message: MessageID) -> Ordinal? {
        guard let chain = chains[message.conversation] else { return nil }
        let index = firstIndex(in: chain) { $0.last >= message.sequence }
        guard index < chain.count else { return nil }
        let entry = self[chain[index]]
        return entry.kind == .message && entry.sequence == message.sequence ? chain[index] : nil
    }

    /// The author of a message, and whether it is withheld from the other user of its direct conversation; nil if it
    /// isn't in the window.
    func author(
        of sequence: SequenceNumber, in conversation: ConversationNumber
    ) -> (user: UserNumber, isWithheld: Bool)? {
        ordinal(of: MessageID(conversation: conversation, sequence: sequence)).map {
            (self[$0].sender, self[$0].isWithheld)
        }
    }

    private func update(_ ordinal: Ordinal, _ change: (inout Entry) -> Void) {
        let chunk = (ordinal >> Self.indexBits) - firstChunk
        guard kept.indices.contains(chunk) else { return }
        change(&kept[chunk].entries[ordinal & (1 << Self.indexBits - 1)])
    }

    // MARK: Out

    /// Whether it has everything above a position.
    func covers(_ position: Position) -> Bool { position >= floor }

    /// The events of a conversation, oldest first; none if none is in the window.
    func chain(of conversation: ConversationNumber) -> Deque<Ordinal> { chains[conversation] ?? Deque() }

    /// The index of the first event above a position in a chain.
    func firstIndex(in chain: Deque<Ordinal>, above position: Position) -> Int {
        firstIndex(in: chain) { $0.position > position }
    }

    /// The index of the first event in a chain at which the conversation had reached a message.
    func firstIndex(in chain: Deque<Ordinal>, reaching sequence: SequenceNumber) -> Int {
        firstIndex(in: chain) { $0.last >= sequence }
    }

    // All chains are in order of both.
    private func firstIndex(in chain: Deque<Ordinal>, where isReached: (Entry) -> Bool) -> Int {
        firstIndex(below: chain.count) { isReached(self[chain[$0]]) }
    }

    private func firstIndex(below count: Int, where isReached: (Int) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isReached(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The first event above a position, of any conversation; nil if there is none.
    func first(above position: Position) -> Ordinal? {
        let isAbove = { (chunk: Chunk) in (chunk.entries.last?.position ?? .start) > position }
        guard let place = kept.firstIndex(where: isAbove) else { return nil }
        let entries = kept[place].entries
        let index = firstIndex(below: entries.count) { entries[$0].position > position }
        return (firstChunk + place) << Self.indexBits | index
    }

    /// The event that came after another one; nil if there is none.
    func next(after ordinal: Ordinal) -> Ordinal? {
        let index = ordinal & (1 << Self.indexBits - 1)
        var place = ordinal >> Self.indexBits - firstChunk
        if index + 1 < kept[place].entries.count { return ordinal + 1 }
        repeat { place += 1 } while place < kept.count && kept[place].entries.isEmpty
        return place < kept.count ? (firstChunk + place) << Self.indexBits : nil
    }

    /// An event that is in the window.
    subscript(ordinal: Ordinal) -> Entry {
        kept[(ordinal >> Self.indexBits) - firstChunk].entries[ordinal & (1 << Self.indexBits - 1)]
    }

    /// Adds the frame of an event.
    /// - Parameter isOwn: whether it is for a device of the sender.
    func write(_ entry: borrowing Entry, isOwn: Bool, to frames: inout JoinedFrames) {
        let json = json(entry.text)
        guard isOwn, entry.text.ownCount > 0, let place = json.firstPlace(of: ",\"time\":") else {
            return frames.append(payload: json)
        }
        let (head, rest) = (json[..<place], json[place...])
        frames.append(
            payload: UnsafeRawBufferPointer(rebasing: head), ownMembers(entry.text),
            UnsafeRawBufferPointer(rebasing: rest))
    }

    private func json(_ text: Text) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: kept[text.chunk - firstChunk].memory[text.start..<text.start + text.count])
    }

    private func ownMembers(_ text: Text) -> UnsafeRawBufferPointer {
        let start = text.start + text.count
        return UnsafeRawBufferPointer(rebasing: kept[text.chunk - firstChunk].memory[start..<start + text.ownCount])
    }
}

extension EventWindow.Entry {
    fileprivate var message: EventWindow.MessageID { .init(conversation: conversation, sequence: sequence) }
}

extension UnsafeRawBufferPointer {
    /// Where a text occurs first.
    fileprivate func firstPlace(of text: StaticString) -> Int? {
        let text = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard count >= text.count, let first = text.first else { return nil }
        for place in 0...(count - text.count) where self[place] == first {
            if self[place..<place + text.count].elementsEqual(text) { return place }
        }
        return nil
    }
}
