import RoostCore
import RoostWire

/// One line of an export, as Docs/Export.md describes it: what stands in it, free of SQLite, so that any bytes can be
/// tried on it. Numbers that count users and conversations inside one store never appear: lines name things.
enum ExportLine: Equatable, Sendable {
    /// The first line.
    case header(ExportHeader)
    case user(ExportedUser)
    case conversation(ExportedConversation)
    case member(ExportedMember)
    case pin(ExportedPin)
    case restriction(ExportedRestriction)
    case device(ExportedDevice)
    case exception(ExportedException)
    case profile(ExportedProfile)
    case setting(ExportedSetting)
    case contact(ExportedContact)
    case prospect(ExportedProspect)
    case invite(ExportedInvite)
    case report(ExportedReport)
    case event(ExportedEvent)
    case withheld(WithheldMessages)
    /// The last line: how many stand before it. A file without it was cut short.
    case end(lines: Int64)

    /// The format that this version writes and reads.
    static let format: Int64 = 1
    /// Bytes of a line: a body of a megabyte, the most that a relay can be configured to accept, with every byte
    /// escaped.
    static let bytesMax = 8 << 20
    /// Messages that one `withheld` line stands for. The exporter divides longer stretches, so that a line of a hostile
    /// file can't ask for more.
    static let withheldMax: Int64 = 1_000
    /// The largest position, sequence or time: 2^53, so that any JSON reader keeps it exactly.
    static let numberMax: Int64 = 1 << 53
}

/// The file's contents and its source.
struct ExportHeader: Equatable, Sendable {
    /// The requested part.
    enum Scope: Equatable, Sendable {
        case all
        /// One user's content, and its places.
        case user(String)
        case conversation(String)
    }

    var scope: Scope
    /// The epoch of the store that was exported.
    var epoch: String
    /// The newest position in the file, or 0.
    var head: Int64
    /// When it was made.
    var time: Int64
}

/// A user.
struct ExportedUser: Equatable, Sendable {
    var name: String
    /// 0: never.
    var lastSeen: Int64 = 0
    var status = StoredStatus()
    var privacy = PrivacySettings()
}

/// A user's exception from its settings for one other user.
struct ExportedException: Equatable, Sendable {
    var user: String
    var other: String
    var kind: PrivacyException
}

/// A user's profile.
struct ExportedProfile: Equatable, Sendable {
    var user: String
    var profile: StoredProfile
}

/// A setting that follows its user.
struct ExportedSetting: Equatable, Sendable {
    var user: String
    var key: String
    /// When it was set.
    var time: Int64
    var device: String = ""
    /// Raw JSON.
    var value: [UInt8]
}

/// A contact, or an invitation, of two users.
struct ExportedContact: Equatable, Sendable {
    /// One of the two, and what is stored of its side.
    struct Side: Equatable, Sendable {
        var user: String
        var kind: String
        /// Empty for none.
        var label: String = ""
    }

    var one, other: Side
    /// The user who waits for the other's answer; empty if both have accepted.
    var inviter: String = ""
    var since: Int64 = 0
    /// Whether the invitation is hidden from the other one.
    var isWithheld = false
    /// Whether the inviter sees an accepted contact, because it has opened a link of the other one.
    var isByLink = false
}

/// A person who isn't a user yet, as a user has written them down.
struct ExportedProspect: Equatable, Sendable {
    var user: String
    var id: String
    var name: String
    /// Empty for none.
    var note: String = ""
}

/// A link by which others become a user's contacts, or join a group.
struct ExportedInvite: Equatable, Sendable {
    var user: String
    var id: String
    /// SHA-256 of the code, in lower-case hexadecimal.
    var hash: String
    /// The id of the group; empty if it makes contacts.
    var conversation: String = ""
    /// Kind of contact that it makes; empty if it invites to a group, `ask` if the user waits to join that by it.
    var kind: String = ""
    var uses, used: Int64
    var createdAt, expires: Int64
}

/// A user's report. Numbers are given anew by an import.
struct ExportedReport: Equatable, Sendable {
    var reporter: String
    /// Empty if that isn't known.
    var user: String = ""
    /// The id of the conversation of a reported message, and the message; empty and 0 if none is.
    var conversation: String = ""
    var sequence: Int64 = 0
    var reason: ReportReason
    /// Empty for none.
    var text: String = ""
    var time: Int64
    /// The operator who closed it, the time and the note; empty and 0 while it is open.
    var closedBy: String = ""
    var closedAt: Int64 = 0
    var note: String = ""
}

/// A conversation. Its members have lines of their own.
struct ExportedConversation: Equatable, Sendable {
    var id: String
    var kind: ConversationKind
    /// The name of a group; empty for a direct conversation.
    var name: String = ""
    /// The identifier of a group's photo, and its description; empty for none.
    var photo: String = ""
    var description: String = ""
    /// When it was created; 0 if that isn't known.
    var createdAt: Int64 = 0
    /// Milliseconds after which messages disappear; 0 if they stay.
    var expiry: Int64 = 0
    /// Milliseconds between two messages of a member; 0 for none.
    var slow: Int64 = 0
    /// Rule for users who follow links to a group.
    var joining = JoiningRule.open
    /// The user who opened it; empty if unknown.
    var opener: String = ""
    /// The receiver of a request, and whether it was dropped; empty if it is none.
    var request: String = ""
    var isDropped = false
    /// The user who doesn't get anything behind this message and position; empty if there is none.
    var veiled: String = ""
    var shownTo: Int64 = 0, shownAt: Int64 = 0, shownTime: Int64 = 0
}

/// A member, or one that was.
struct ExportedMember: Equatable, Sendable {
    var conversation: String
    var user: String
    /// nil: was a member.
    var role: MemberRole?
    /// Messages up to this one aren't shown to it.
    var since: Int64 = 0
    /// The last message when it joined.
    var joinedAfter: Int64 = 0
    /// Positions of the events by which it joined and left; 0 for none.
    var joined: Int64 = 0
    var left: Int64 = 0
    /// Watermarks and when they were noted; 0 for none.
    var delivered: Int64 = 0
    var deliveredAt: Int64 = 0
    var read: Int64 = 0
    var readAt: Int64 = 0
    /// Messages above `read` that it wrote without reading what came before.
    var own = SequenceRanges()
    /// Messages up to `read` that it has marked as unread.
    var marked = SequenceRanges()
}

/// A pinned message.
struct ExportedPin: Equatable, Sendable {
    var conversation: String
    var sequence: Int64
    /// The user who pinned it, and the time.
    var by: String
    var time: Int64
    /// Position of the event, in the exported store.
    var position: Int64
    /// The user of the direct conversation who doesn't see the pin; empty if both do.
    var hiddenFrom = ""
}

/// A user who is banned from a group or timed out in it, or a group in which only admins write.
struct ExportedRestriction: Equatable, Sendable {
    var conversation: String
    /// Empty for all members.
    var user: String = ""
    /// The user who set it, and the time.
    var by: String
    var time: Int64
    /// When a time-out ends; 0 for a ban.
    var until: Int64 = 0
    var reason: ReportReason?
}

/// A device and its acked position.
struct ExportedDevice: Equatable, Sendable {
    var user: String
    var name: String
    /// A position; 0 for nothing.
    var acked: Int64 = 0
}

/// A durable event: a row of the log.
struct ExportedEvent: Equatable, Sendable {
    /// The kind of line. The raw value is the word in it.
    enum Kind: String, Sendable {
        case message, edit, delete, react
        /// A change of the conversation or of its members.
        case change
    }

    var kind: Kind
    var conversation: String
    /// In the store that was exported.
    var position: Int64
    /// A message's own, or that of the message meant. 0 for a change.
    var sequence: Int64 = 0
    var from: String
    var time: Int64
    var device: String = ""
    /// Empty for none.
    var key: String = ""
    /// A message's kind, or the reaction.
    var label: String = ""
    /// The message replied to; 0 for none.
    var replyTo: Int64 = 0
    /// React: it was taken back.
    var isRemoved = false
    /// Message: its sender hadn't read what came before it.
    var isUnreading = false
    /// Message: the body as it is now, raw JSON; empty if deleted. Change: its members, raw JSON without braces.
    var body: [UInt8] = []
    /// Message: what it has beside its body, as a JSON object; empty for nothing.
    var extras: [UInt8] = []
    /// Whether the other user of the direct conversation doesn't get it. A message says so in its extras.
    var isWithheld = false
    /// 0: never.
    var editedAt: Int64 = 0
    var deletedAt: Int64 = 0
}

/// Messages that stand in the conversation but not in the file: those of others in an export of one user, and damaged
/// ones. They are imported as deleted messages, so that sequences stay what they were.
struct WithheldMessages: Equatable, Sendable {
    var conversation: String
    /// The first and the last sequence.
    var first: Int64
    var last: Int64
    /// Position and time of the last.
    var position: Int64
    var time: Int64
}
