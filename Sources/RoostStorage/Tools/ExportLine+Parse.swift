import RoostCore
import RoostNames
import RoostWire

/// Why a line of an import isn't taken. Names the member, never what a body holds.
struct ExportLineFailure: Error, Equatable {
    let reason: String
    init(_ reason: String) { self.reason = reason }
}

extension ExportLine {
    /// Reads a line, without its line feed. Takes nothing that the exporter would not have written: an unknown member
    /// may be one that means something.
    init(parsing bytes: UnsafeRawBufferPointer) throws(ExportLineFailure) {
        guard bytes.count <= ExportLine.bytesMax else {
            throw ExportLineFailure("longer than \(ExportLine.bytesMax) bytes")
        }
        var members = try LineMembers(bytes)
        let type = try members.text("type")
        switch type {
        case "export": self = .header(try ExportHeader(&members))
        case "user": self = .user(try ExportedUser(&members))
        case "conversation": self = .conversation(try ExportedConversation(&members))
        case "member": self = .member(try ExportedMember(&members))
        case "pin": self = .pin(try ExportedPin(&members))
        case "restriction": self = .restriction(try ExportedRestriction(&members))
        case "device": self = .device(try ExportedDevice(&members))
        case "profile": self = .profile(try ExportedProfile(&members))
        case "exception": self = .exception(try ExportedException(&members))
        case "setting": self = .setting(try ExportedSetting(&members))
        case "contact": self = .contact(try ExportedContact(&members))
        case "prospect": self = .prospect(try ExportedProspect(&members))
        case "invite": self = .invite(try ExportedInvite(&members))
        case "report": self = .report(try ExportedReport(&members))
        case "withheld": self = .withheld(try WithheldMessages(&members))
        case "end": self = .end(lines: try members.number("lines"))
        default:
            guard let kind = ExportedEvent.Kind(rawValue: type) else { throw ExportLineFailure("type: unknown") }
            self = .event(try ExportedEvent(kind, &members))
        }
        try members.end()
    }
}

extension ExportHeader {
    fileprivate init(_ members: inout LineMembers) throws(ExportLineFailure) {
        let format = try members.number("format")
        guard format == ExportLine.format else {
            throw ExportLineFailure(
                "format: \(format) is written by another version; this one reads \(ExportLine.format)")
        }
        epoch = try members.text("epoch")
        head = try members.number("head")
        time = try members.number("time")
        switch try members.text("scope") {
        case "all": scope = .all
        case "user": scope = .user(try members.user("user"))
        case "conversation": scope = .conversation(try members.name("conversation"))
        default: throw ExportLineFailure("scope: neither all, user nor conversation")
        }
    }
}

extension ExportedUser {
    fileprivate init(_ members: inout LineMembers) throws(ExportLineFailure) {
        name = try members.user("user")
        lastSeen = try members.number("lastSeen", or: 0)
        status.choice = try members.word("state", or: .auto)
        status.text = try members.statusText("text", or: "")
        status.toldText = try members.statusText("toldText", or: status.text)
        status.until = Timestamp(milliseconds: try members.number("until", or: 0))
        privacy = PrivacySettings(
            try members.word("presence", or: .shared), try members.word("lastSeenAs", or: .exact),
            try members.word("read", or: .shared))
    }
}

extension ExportedException {
    fileprivate init(_ members: inout LineMembers) throws(ExportLineFailure) {
        user = try members.user("user")
        other = try members.user("other")
        kind = try members.word("as")
        let over = try members.word("over", or: PrivacyException.blocked)
        if over != .blocked {
            guard kind == .blocked else { throw ExportLineFailure("over: only of a block") }
            kind = .block(over: over)
        }
        guard user != other else { throw ExportLineFailure("other: the same as user") }
    }
}

extension ExportedProfile {
    fileprivate init(_ members: inout LineMembers) throws(ExportLineFailure) {
        let limits = Limits()
        user = try members.user("user")
        profile = StoredProfile(version: try members.number("version", atLeast: 1))
        profile.name = try members.shown("name", or: "", atMost: limits.profileNameBytes, as: .name)
        profile.username = try members.name("username", or: "", atMost: limits.usernameBytes)
        profile.photo = try members.shown("photo", or: "", atMost: limits.photoBytes, as: .line)
        profile.bio = try members.shown("bio", or: "", atMost: limits.bioBytes, as: .lines)
        profile.role = try members.name("role", or: "", atMost: limits.kindBytes)
        profile.tier = try members.name("tier", or: "", atMost: limits.kindBytes)
        profile.isDeleted = try members.flag("deleted")
        guard !profile.isDeleted || profile == .tombstone(version: profile.version) else {
            throw ExportLineFailure("deleted: nothing but the version is left of such a profile")
        }
        guard profile.username == profile.username.lowercased() else {
            throw ExportLineFailure("username: not in lower case")
        }
    }
}

extension ExportedSetting {
    fileprivate init(_ members: inout LineMembers) throws(ExportLineFailure) {
        user = try members.user("user")
        key = try members.name("key", atMost: Limits().stateKeyBytes)
        time = try members.number("time", atLeast: 1)
        device = try members.name("device", or: "")
        value = try members.raw("value")
        guard !value.isEmpty, value.count <= Limits().stateBytes else {
            throw ExportLineFailure("value: missing, or longer than \(Limits().stateBytes) bytes")
        }
    }
}

extension ExportedContact {
    fileprivate init(_ members: inout LineMembers) throws(ExportLineFailure) {
        one = Side(
            user: try members.user("user"), kind: try members.name("kind"),
            label: try members.shown("label", or: "", atMost: Limits().labelBytes, as: .line))
        other = Side(
            user: try members.user("other"), kind: try members.name("otherKind"),
            label: try members.shown("otherLabel", or: "", atMost: Limits().labelBytes, as: .line))
        inviter = try members.name("inviter", or: "")
        since = try members.number("since", or: 0)
        isWithheld = try members.flag("withheld")
        isByLink = try members.flag("byLink")
        guard one.user != other.user else { throw ExportLineFailure("other: the same as user") }
        guard ["", one.user, other.user].contains(inviter) else {
            throw ExportLineFailure("inviter: neither user nor other")
        }
    }
}

extension ExportedReport {
    fileprivate init(_ members: inout LineMembers) throws(ExportLineFailure) {
        reporter = try members.user("reporter")
        user = try members.name("user", or: "")
        guard user.utf8.first != UInt8(ascii: "@") else { throw ExportLineFailure("user: begins with @") }
        conversation = try members.name("conversation", or: "")
        sequence = try members.number("sequence", or: 0)
        guard conversation.isEmpty == (sequence == 0) else {
            throw ExportLineFailure("sequence: only with a conversation")
        }
        reason = try members.word("reason")
        text = try members.shown("text", or: "", atMost: Limits().reportTextBytes, as: .lines)
        time = try members.number("time", atLeast: 1)
        closedAt = try members.number("closedAt", or: 0)
        closedBy = try members.name("closedBy", or: "")
        note = try members.shown("note", or: "", atMost: Limits().reportTextBytes, as: .lines)
        guard closedBy.isEmpty == (closedAt == 0), closedAt != 0 || note.isEmpty else {
            throw ExportLineFailure("closedAt: only with closedBy")
        }
    }
}

extension ExportedProspect {
    fileprivate init(_ members: inout LineMembers) throws(ExportLineFailure) {
        user = try members.user("user")
        id = try members.name("prospect")
        name = try members.shown("name", atMost: Limits().labelBytes, as: .name)
        note = try members.shown("note", or: "", atMost: Limits().noteBytes, as: .lines)
    }
}

extension ExportedInvite {
    fileprivate init(_ members: inout LineMembers) throws(ExportLineFailure) {
        user = try members.user("user")
        id = try members.name("invite")
        hash = try members.text("hash")
        conversation = try members.name("conversation", or: "")
        kind = try members.name("kind", or: "")
        uses = try members.number("uses", atLeast: 1)
        used = try members.number("used")
        createdAt = try members.number("createdAt", atLeast: 1)
        expires = try members.number("expires", atLeast: 1)
        guard bytes?.count == SHA256Hash.byteCount else { throw ExportLineFailure("hash: no SHA-256 in hexadecimal") }
        guard conversation.isEmpty != kind.isEmpty || !conversation.isEmpty && kind == StoredInvite.asking else {
            throw ExportLineFailure("kind: either this or a conversation")
        }
    }

    /// The hash; nil if it isn't hexadecimal.
    var bytes: [UInt8]? {
        let digits = hash.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2), digits.allSatisfy({ $0 != nil }) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { place in
            UInt8(truncatingIfNeeded: (digits[place] ?? 0) << 4 | (digits[place + 1] ?? 0))
        }
    }

    /// Bytes in hexadecimal.
    static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

extension ExportedConversation {
    fileprivate init(_ members: inout LineMembers) throws(ExportLineFailure) {
        id = try members.name("conversation")
        guard let kind = ConversationKind(word: try members.text("kind")) else {
            throw ExportLineFailure("kind: neither direct nor group")
        }
        self.kind = kind
        name = kind == .group ? try members.shown("name", atMost: Limits().groupNameBytes, as: .name) : ""
        photo = try members.shown("photo", or: "", atMost: Limits().photoBytes, as: .line)
        description = try members.shown("description", or: "", atMost: Limits().descriptionBytes, as: .lines)
        createdAt = try members.number("createdAt", or: 0)
        expiry = try members.number("expiry", or: 0)
        slow = try members.number("slow", or: 0)
        joining = try members.word("joining", or: .open)
        opener = try members.user("opener", or: "")
        request = try members.user("request", or: "")
        isDropped = try members.flag("dropped")
        veiled = try members.user("veiled", or: "")
        shownTo = try members.number("shownTo", or: 0)
        shownAt = try members.number("shownAt", or: 0)
        shownTime = try members.number("shownTime", or: 0)
        guard slow == 0 && joining == .open || kind == .group else {
            throw ExportLineFailure("slow, joining: only of a group")
        }
        guard veiled.isEmpty || kind == .direct else {
            throw ExportLineFailure("veiled: only in a direct conversation")
        }
        guard request.isEmpty || kind == .direct else {
            throw ExportLineFailure("request: only in a direct conversation")
        }
        guard !request.isEmpty || !isDropped else { throw ExportLineFailure("dropped: only with request") }
    }
}

extension ExportedMember {
    fileprivate init(_ members: inout LineMembers) throws(ExportLineFailure) {
        conversation = try members.name("conversation")
        user = try members.user("user")
        let word = try members.text("role", or: "")
        role = MemberRole(word: word)
        guard word.isEmpty || role != nil else { throw ExportLineFailure("role: neither member, admin nor owner") }
        since = try members.number("since", or: 0)
        joinedAfter = try members.number("joinedAfter", or: 0)
        joined = try members.number("joined", or: 0)
        left = try members.number("left", or: 0)
        delivered = try members.number("delivered", or: 0)
        deliveredAt = try members.number("deliveredAt", or: 0)
        read = try members.number("read", or: 0)
        readAt = try members.number("readAt", or: 0)
        own = try members.sequences("own")
        marked = try members.sequences("marked")
    }
}

extension ExportedPin {
    fileprivate init(_ members: inout LineMembers) throws(ExportLineFailure) {
        conversation = try members.name("conversation")
        sequence = try members.number("sequence", atLeast: 1)
        by = try members.user("by")
        time = try members.number("time", atLeast: 1)
        position = try members.number("position", atLeast: 1)
        hiddenFrom = try members.name("hiddenFrom", or: "")
    }
}

extension ExportedRestriction {
    fileprivate init(_ members: inout LineMembers) throws(ExportLineFailure) {
        conversation = try members.name("conversation")
        user = try members.user("user", or: "")
        by = try members.user("by")
        time = try members.number("time", atLeast: 1)
        until = try members.number("until", or: 0)
        guard until == 0 || !user.isEmpty else { throw ExportLineFailure("until: only with user") }
        let word = try members.text("reason", or: "")
        reason = ReportReason(word: word)
        guard word.isEmpty || reason != nil else { throw ExportLineFailure("reason: not one that there is") }
    }
}

extension ExportedDevice {
    fileprivate init(_ members: inout LineMembers) throws(ExportLineFailure) {
        user = try members.user("user")
        name = try members.name("device")
        acked = try members.number("acked", or: 0)
    }
}

extension WithheldMessages {
    fileprivate init(_ members: inout LineMembers) throws(ExportLineFailure) {
        conversation = try members.name("conversation")
        first = try members.number("first", atLeast: 1)
        last = try members.number("last", atLeast: 1)
        position = try members.number("position", atLeast: 1)
        time = try members.number("time", atLeast: 1)
        guard first <= last, last - first < ExportLine.withheldMax else {
            throw ExportLineFailure("last: not from first to \(ExportLine.withheldMax - 1) above it")
        }
    }
}

extension ExportedEvent {
    fileprivate init(_ kind: Kind, _ members: inout LineMembers) throws(ExportLineFailure) {
        self.kind = kind
        conversation = try members.name("conversation")
        position = try members.number("position", atLeast: 1)
        from = try members.user("from")
        time = try members.number("time", atLeast: 1)
        device = try members.name("device", or: "")
        key = try members.name("key", or: "")
        if kind != .change { sequence = try members.number("sequence", atLeast: 1) }
        switch kind {
        case .message: try readMessage(&members)
        case .react:
            label = ReactionForm.kept(try members.shown("reaction", atMost: Limits().reactionBytes, as: .line))
            guard !label.isEmpty else { throw ExportLineFailure("reaction: empty") }
            isRemoved = try members.flag("removed")
            isWithheld = try members.flag("withheld")
        case .change:
            isWithheld = try members.flag("withheld")
            body = try members.change("change")
        case .edit: isWithheld = try members.flag("withheld")
        case .delete:
            label = try members.text("reason", or: "")
            guard label.isEmpty || ReportReason(word: label) != nil else {
                throw ExportLineFailure("reason: not one that there is")
            }
            isWithheld = try members.flag("withheld")
        }
    }

    private mutating func readMessage(_ members: inout LineMembers) throws(ExportLineFailure) {
        label = try members.name("kind", or: "text", atMost: Limits().kindBytes)
        replyTo = try members.number("replyTo", or: 0)
        guard replyTo < sequence else { throw ExportLineFailure("replyTo: not an earlier message") }
        isUnreading = try members.flag("unreading")
        editedAt = try members.number("editedAt", or: 0)
        deletedAt = try members.number("deletedAt", or: 0)
        extras = try members.extras(of: sequence)
        body = try members.raw("body")
        guard body.isEmpty == (deletedAt != 0) else {
            throw ExportLineFailure("body: a message has a body unless it was deleted")
        }
    }
}
