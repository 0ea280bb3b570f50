import RoostCore
import RoostWire

/// Writes lines of an export into one buffer, which its owner empties. Belongs to one thread.
struct ExportLineWriter {
    private(set) var bytes: [UInt8] = []
    private let json = JSONWriter()

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    private mutating func write(_ status: StoredStatus) {
        if status.choice != .auto { json.member("state", word: status.choice.word) }
        if !status.text.isEmpty { json.member("text", status.text) }
        if status.toldText != status.text { json.member("toldText", status.toldText) }
        member("until", unlessZero: status.until.milliseconds)
    }

    private mutating func write(_ privacy: PrivacySettings) {
        if privacy.presence != .shared { json.member("presence", word: privacy.presence.word) }
        if privacy.lastSeen != .exact { json.member("lastSeenAs", word: privacy.lastSeen.word) }
        if privacy.read != .shared { json.member("read", word: privacy.read.word) }
    }

    mutating func write(_ line: ExportLine) {
        switch line {
        case .header(let header): write(header)
        case .user(let user):
            begin("user")
            json.member("user", user.name)
            member("lastSeen", unlessZero: user.lastSeen)
            write(user.status)
            write(user.privacy)
        case .exception(let exception):
            begin("exception")
            json.member("user", exception.user)
            json.member("other", exception.other)
            json.member("as", word: exception.kind.word)
            if exception.kind.isBlock, let over = exception.kind.unblocked { json.member("over", word: over.word) }
        case .profile(let one): write(one)
        case .setting(let setting):
            begin("setting")
            json.member("user", setting.user)
            json.member("key", setting.key)
            json.member("time", setting.time)
            if !setting.device.isEmpty { json.member("device", setting.device) }
            write(setting.value, as: "value", orText: "valueText")
        case .contact(let contact): write(contact)
        case .prospect(let prospect): write(prospect)
        case .invite(let invite): write(invite)
        case .report(let report): write(report)
        case .conversation(let conversation): write(conversation)
        case .member(let one): write(one)
        case .pin(let pin):
            begin("pin")
            json.member("conversation", pin.conversation)
            json.member("sequence", pin.sequence)
            json.member("by", pin.by)
            json.member("time", pin.time)
            json.member("position", pin.position)
            if !pin.hiddenFrom.isEmpty { json.member("hiddenFrom", pin.hiddenFrom) }
        case .restriction(let one):
            begin("restriction")
            json.member("conversation", one.conversation)
            if !one.user.isEmpty { json.member("user", one.user) }
            json.member("by", one.by)
            json.member("time", one.time)
            member("until", unlessZero: one.until)
            if let reason = one.reason { json.member("reason", word: reason.word) }
        case .device(let device):
            begin("device")
            json.member("user", device.user)
            json.member("device", device.name)
            member("acked", unlessZero: device.acked)
        case .event(let event): write(event)
        case .withheld(let messages):
            begin("withheld")
            json.member("conversation", messages.conversation)
            json.member("first", messages.first)
            json.member("last", messages.last)
            json.member("position", messages.position)
            json.member("time", messages.time)
        case .end(let lines):
            begin("end")
            json.member("lines", lines)
        }
        json.endObject()
        bytes.append(contentsOf: json.written)
        bytes.append(UInt8(ascii: "\n"))
    }

    private mutating func write(_ conversation: ExportedConversation) {
        begin("conversation")
        json.member("conversation", conversation.id)
        json.member("kind", word: conversation.kind.word)
        if conversation.kind == .group { json.member("name", conversation.name) }
        if !conversation.photo.isEmpty { json.member("photo", conversation.photo) }
        if !conversation.description.isEmpty { json.member("description", conversation.description) }
        member("createdAt", unlessZero: conversation.createdAt)
        member("expiry", unlessZero: conversation.expiry)
        member("slow", unlessZero: conversation.slow)
        if conversation.joining != .open { json.member("joining", word: conversation.joining.word) }
        if !conversation.opener.isEmpty { json.member("opener", conversation.opener) }
        if !conversation.request.isEmpty { json.member("request", conversation.request) }
        if conversation.isDropped { json.member("dropped", true) }
        guard !conversation.veiled.isEmpty else { return }
        json.member("veiled", conversation.veiled)
        member("shownTo", unlessZero: conversation.shownTo)
        member("shownAt", unlessZero: conversation.shownAt)
        member("shownTime", unlessZero: conversation.shownTime)
    }

    private func write(_ header: ExportHeader) {
        begin("export")
        json.member("format", ExportLine.format)
        switch header.scope {
        case .all: json.member("scope", "all")
        case .user(let name):
            json.member("scope", "user")
            json.member("user", name)
        case .conversation(let id):
            json.member("scope", "conversation")
            json.member("conversation", id)
        }
        json.member("epoch", header.epoch)
        json.member("head", header.head)
        json.member("time", header.time)
    }

    private func write(_ one: ExportedProfile) {
        begin("profile")
        json.member("user", one.user)
        json.member("version", one.profile.version)
        member("name", unlessEmpty: one.profile.name)
        member("username", unlessEmpty: one.profile.username)
        member("photo", unlessEmpty: one.profile.photo)
        member("bio", unlessEmpty: one.profile.bio)
        member("role", unlessEmpty: one.profile.role)
        member("tier", unlessEmpty: one.profile.tier)
        if one.profile.isDeleted { json.member("deleted", true) }
    }

    private func write(_ contact: ExportedContact) {
        begin("contact")
        json.member("user", contact.one.user)
        json.member("kind", contact.one.kind)
        if !contact.one.label.isEmpty { json.member("label", contact.one.label) }
        json.member("other", contact.other.user)
        json.member("otherKind", contact.other.kind)
        if !contact.other.label.isEmpty { json.member("otherLabel", contact.other.label) }
        if !contact.inviter.isEmpty { json.member("inviter", contact.inviter) }
        member("since", unlessZero: contact.since)
        if contact.isWithheld { json.member("withheld", true) }
        if contact.isByLink { json.member("byLink", true) }
    }

    private func write(_ prospect: ExportedProspect) {
        begin("prospect")
        json.member("user", prospect.user)
        json.member("prospect", prospect.id)
        json.member("name", prospect.name)
        if !prospect.note.isEmpty { json.member("note", prospect.note) }
    }

    private func write(_ invite: ExportedInvite) {
        begin("invite")
        json.member("user", invite.user)
        json.member("invite", invite.id)
        json.member("hash", invite.hash)
        if !invite.conversation.isEmpty { json.member("conversation", invite.conversation) }
        if !invite.kind.isEmpty { json.member("kind", invite.kind) }
        json.member("uses", invite.uses)
        json.member("used", invite.used)
        json.member("createdAt", invite.createdAt)
        json.member("expires", invite.expires)
    }

    private func write(_ report: ExportedReport) {
        begin("report")
        json.member("reporter", report.reporter)
        if !report.user.isEmpty { json.member("user", report.user) }
        if !report.conversation.isEmpty {
            json.member("conversation", report.conversation)
            json.member("sequence", report.sequence)
        }
        json.member("reason", word: report.reason.word)
        if !report.text.isEmpty { json.member("text", report.text) }
        json.member("time", report.time)
        guard report.closedAt != 0 else { return }
        json.member("closedBy", report.closedBy)
        json.member("closedAt", report.closedAt)
        if !report.note.isEmpty { json.member("note", report.note) }
    }

    private func write(_ one: ExportedMember) {
        begin("member")
        json.member("conversation", one.conversation)
        json.member("user", one.user)
        if let role = one.role { json.member("role", word: role.word) }
        member("since", unlessZero: one.since)
        member("joinedAfter", unlessZero: one.joinedAfter)
        member("joined", unlessZero: one.joined)
        member("left", unlessZero: one.left)
        member("delivered", unlessZero: one.delivered)
        member("deliveredAt", unlessZero: one.deliveredAt)
        member("read", unlessZero: one.read)
        member("readAt", unlessZero: one.readAt)
        member("own", unlessEmpty: one.own.text)
        member("marked", unlessEmpty: one.marked.text)
    }

    private func write(_ event: ExportedEvent) {
        begin(event.kind.rawValue)
        json.member("conversation", event.conversation)
        member("sequence", unlessZero: event.sequence)
        json.member("position", event.position)
        json.member("from", event.from)
        json.member("time", event.time)
        if !event.device.isEmpty { json.member("device", event.device) }
        if !event.key.isEmpty { json.member("key", event.key) }
        switch event.kind {
        case .message:
            if event.label != "text" { json.member("kind", event.label) }
            member("replyTo", unlessZero: event.replyTo)
            if event.isUnreading { json.member("unreading", true) }
            member("editedAt", unlessZero: event.editedAt)
            member("deletedAt", unlessZero: event.deletedAt)
            if !event.extras.isEmpty { json.member("extras", raw: event.extras) }
            if event.deletedAt == 0 { write(event.body, as: "body", orText: "bodyText") }
        case .react:
            json.member("reaction", event.label)
            if event.isRemoved { json.member("removed", true) }
            if event.isWithheld { json.member("withheld", true) }
        case .change:
            if event.isWithheld { json.member("withheld", true) }
            json.beginObject("change")
            event.body.withUnsafeBytes { json.members(raw: $0) }
            json.endObject()
        case .edit, .delete:
            if !event.label.isEmpty { json.member("reason", event.label) }
            if event.isWithheld { json.member("withheld", true) }
        }
    }

    /// Writes raw JSON. A line break in it would end the line. Inside a text JSON allows none; between values it does.
    private func write(_ value: [UInt8], as member: StaticString, orText text: StaticString) {
        if value.contains(0x0A) || value.contains(0x0D) {
            json.member(text, String(decoding: value, as: UTF8.self))
        } else {
            json.member(member, raw: value)
        }
    }

    private func begin(_ type: String) {
        json.beginBare()
        json.beginObject()
        json.member("type", type)
    }

    private func member(_ name: StaticString, unlessEmpty text: String) {
        if !text.isEmpty { json.member(name, text) }
    }

    private func member(_ name: StaticString, unlessZero number: Int64) {
        if number != 0 { json.member(name, number) }
    }
}
