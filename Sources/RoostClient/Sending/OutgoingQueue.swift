import RoostWire

/// A message under way, with everything needed to send it again.
struct OutgoingMessage: Sendable, Equatable {
    var to: String
    var key: String
    var kind: String?
    /// The body as JSON.
    var body: [UInt8]
    var replyTo: SequenceNumber?
    var mentions: [String] = []
    /// Whether its sender has read what came before it.
    var isReading = true
}

/// The messages that aren't acked yet, oldest first. At most one for each destination is under way. So the order within
/// a conversation is the order of the calls, whatever must be sent again. Confined to the client.
struct OutgoingQueue {
    struct Entry {
        var message: OutgoingMessage
        var isUnderWay = false
        var finish: (Result<StoredMessage, RoostFailure>) -> Void
    }

    private let most: Int
    private let bytesMost: Int
    private let atOnce: Int
    private(set) var entries: [Entry] = []
    private var bytes = 0
    private var busy: Set<String> = []
    /// Destinations that take no message for a time. At most as many as entries.
    private var resting: Set<String> = []

    init(most: Int, bytesMost: Int, atOnce: Int) {
        self.most = most
        self.bytesMost = bytesMost
        self.atOnce = atOnce
    }

    /// Returns why the message can't be added; nil if it was added.
    mutating func add(
        _ message: OutgoingMessage, finish: @escaping (Result<StoredMessage, RoostFailure>) -> Void
    ) -> RoostFailure? {
        guard !entries.contains(where: { $0.message.key == message.key }) else {
            return .invalid("a message with this key waits to be sent")
        }
        guard entries.count < most, bytes + message.body.count <= bytesMost else { return .queueFull }
        entries.append(Entry(message: message, finish: finish))
        bytes += message.body.count
        return nil
    }

    /// Returns the next message that may be sent, which then counts as under way.
    mutating func takeNext() -> OutgoingMessage? {
        guard busy.count < atOnce, busy.count < entries.count else { return nil }
        // A message behind one that must wait, waits too.
        var held = busy.union(resting)
        for index in entries.indices where !entries[index].isUnderWay {
            let to = entries[index].message.to
            guard held.insert(to).inserted else { continue }
            entries[index].isUnderWay = true
            busy.insert(to)
            return entries[index].message
        }
        return nil
    }

    /// The message must be sent again.
    mutating func putBack(_ key: String) {
        guard let index = entries.firstIndex(where: { $0.message.key == key }) else { return }
        entries[index].isUnderWay = false
        busy.remove(entries[index].message.to)
    }

    /// Its messages wait, and no others.
    mutating func rest(_ destination: String) { resting.insert(destination) }

    /// They may go.
    mutating func wake(_ destination: String) { resting.remove(destination) }

    /// All may go.
    mutating func wakeAll() { resting = [] }

    /// The message is done. Returns the caller's continuation.
    mutating func remove(_ key: String) -> ((Result<StoredMessage, RoostFailure>) -> Void)? {
        guard let index = entries.firstIndex(where: { $0.message.key == key }) else { return nil }
        let entry = entries.remove(at: index)
        bytes -= entry.message.body.count
        if entry.isUnderWay { busy.remove(entry.message.to) }
        return entry.finish
    }

    func contains(_ key: String) -> Bool { entries.contains { $0.message.key == key } }
}
