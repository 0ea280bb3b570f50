import RoostWire

/// The parts that few messages have beside their body: mentions, the thread, the author of a forwarded original, the
/// time of disappearing, and the version once they were edited. All copies of an event share it; most have none.
public final class Extras: Sendable, Equatable {
    /// The word that stands for all members among the names of users.
    public static let everybody = "@all"
    /// The version of a message that was never edited.
    public static let unedited: Int64 = 1

    /// When the message disappears; `.never` if it stays.
    public let expires: Timestamp
    /// The message with which the thread began that the message belongs to; `.none` if it is in none.
    public let thread: SequenceNumber
    /// Names of the mentioned users, each once, in the order of the command.
    public let mentions: [String]
    /// Name of the user who wrote what the message forwards; nil if it is its own.
    public let origin: String?
    /// Number of edits, and one: each edit gives the message a version of its own.
    public let version: Int64
    /// Whether the event, or the present body of the message, was written while the other user of the direct
    /// conversation had blocked its sender. It is never shown to that one. Not on the wire.
    public let isWithheld: Bool
    /// Members of the message as on the wire: raw JSON without braces. They follow the body, because an edit replaces
    /// both and a deletion erases both.
    public let members: [UInt8]

    /// Creates extras; nil if there is nothing to say.
    public init?(
        mentions: [String] = [], thread: SequenceNumber = .none, origin: String? = nil, expires: Timestamp = .never,
        version: Int64 = Extras.unedited, isWithheld: Bool = false
    ) {
        guard
            !mentions.isEmpty || thread != .none || origin != nil || expires != .never || version > Extras.unedited
                || isWithheld
        else { return nil }
        self.isWithheld = isWithheld
        self.mentions = mentions
        self.thread = thread
        self.origin = origin
        self.expires = expires
        self.version = max(Extras.unedited, version)
        let writer = JSONWriter()
        writer.beginBare()
        if !mentions.isEmpty {
            writer.beginArray("mentions")
            for name in mentions { writer.element(name) }
            writer.endArray()
        }
        if let origin {
            writer.beginObject("origin")
            writer.member("from", plain: origin)
            writer.endObject()
        }
        if version > Extras.unedited { writer.member("version", version) }
        members = [UInt8](writer.written)
    }

    /// Reads them as they are stored; nil if that is nothing, or not what `json` returns.
    public convenience init?(parsing json: UnsafeRawBufferPointer) {
        guard !json.isEmpty, let value = JSONValue(parsing: json) else { return nil }
        self.init(
            mentions: value["mentions"]?.elements?.compactMap(\.string) ?? [],
            thread: SequenceNumber(value["thread"]?.integer ?? 0),
            origin: value["origin"]?["from"]?.string,
            expires: Timestamp(milliseconds: value["expires"]?.integer ?? 0),
            version: value["version"]?.integer ?? Extras.unedited, isWithheld: value["withheld"]?.bool ?? false)
        guard self.json.elementsEqual(json) else { return nil }
    }

    /// The stored form: a JSON object, so that SQL can look into it.
    public var json: [UInt8] {
        let writer = JSONWriter()
        writer.beginBare()
        writer.beginObject()
        if expires != .never { writer.member("expires", expires.milliseconds) }
        if thread != .none { writer.member("thread", thread.value) }
        if isWithheld { writer.member("withheld", true) }
        members.withUnsafeBytes { writer.members(raw: $0) }
        writer.endObject()
        return [UInt8](writer.written)
    }

    /// Whether both say the same.
    public static func == (one: Extras, other: Extras) -> Bool {
        one.members == other.members && one.thread == other.thread && one.expires == other.expires
            && one.isWithheld == other.isWithheld
    }
}

extension Extras? {
    /// The message with which the thread began that the message belongs to; `.none` if it is in none.
    public var thread: SequenceNumber { self?.thread ?? SequenceNumber.none }

    /// Whether a command says the same as a stored one beside the body, which an edit replaces with it.
    public func says(theSameAs other: Extras?) -> Bool { self?.members ?? [] == other?.members ?? [] }

    /// Whether the event is withheld from the other user of its direct conversation.
    public var isWithheld: Bool { self?.isWithheld ?? false }

    /// With a time at which the message disappears.
    public func expiring(at time: Timestamp) -> Extras? {
        time == .never
            ? self
            : Extras(
                mentions: self?.mentions ?? [], thread: thread, origin: self?.origin, expires: time, version: version,
                isWithheld: isWithheld)
    }

    /// Withheld from the other user of the direct conversation.
    public var withheld: Extras? {
        Extras(
            mentions: self?.mentions ?? [], thread: thread, origin: self?.origin, expires: self?.expires ?? .never,
            version: version, isWithheld: true)
    }

    /// The form for the sender, who doesn't know of the block.
    public var shownToSender: Extras? {
        Extras(
            mentions: self?.mentions ?? [], thread: thread, origin: self?.origin, expires: self?.expires ?? .never,
            version: version)
    }

    /// The version of the message.
    public var version: Int64 { self?.version ?? Extras.unedited }

    /// The form after an edit: the message stays in its thread. A forwarded message can't be edited.
    public func edited(to new: Extras?) -> Extras? {
        let (next, isTooMuch) = version.addingReportingOverflow(1)
        return Extras(
            mentions: new?.mentions ?? [], thread: thread, expires: self?.expires ?? .never,
            version: isTooMuch ? version : next, isWithheld: new.isWithheld)
    }

    /// Whether an edit to these leaves them as they are.
    public func isUnchanged(by new: Extras?) -> Bool { self?.mentions ?? [] == new?.mentions ?? [] }

    /// The rest of them when the body is erased.
    public var ofTombstone: Extras? {
        Extras(thread: thread, expires: self?.expires ?? .never, isWithheld: isWithheld)
    }
}

extension StoredEvent {
    /// Whether the event is withheld from this user: it was written in a direct conversation whose other user had
    /// blocked the sender.
    @inline(__always)
    public func isWithheld(from reader: UserNumber?) -> Bool { extras.isWithheld && sender != reader }

    /// The other user of a direct conversation if the event is withheld from that one; `.none` if it isn't withheld.
    @inline(__always)
    func withheldFrom(in pair: UserPair?) -> UserNumber {
        guard extras.isWithheld, let pair else { return .none }
        return pair.other(than: sender)
    }

    /// The event as it may be shown at a time: of a message that has disappeared by then, or an edit of one, nothing
    /// but a tombstone, even if the store hasn't erased it yet.
    public func shown(at time: Timestamp) -> StoredEvent {
        guard kind == .message || kind == .edit, deletedAt == .never, let expires = extras?.expires,
            expires != .never, expires <= time
        else { return self }
        var event = self
        event.body = []
        event.reactions = []
        event.extras = extras.ofTombstone
        event.deletedAt = expires
        return event
    }
}
