import RoostNames
import RoostWire

/// Readers for members by form (Docs/Protocol.md, section 2). Each takes the member's name. It refuses a wrong form
/// with `bad_request`, and a text, body, list or group name above its limit with `too_large`.
extension CommandMembers {
    /// Reads an optional member. null counts as absent.
    @inline(__always)
    func optional<Value>(_ member: Member, _ read: (Member) throws(Refusal) -> Value) throws(Refusal) -> Value? {
        value(member) == nil ? nil : try read(member)
    }

    func required(_ member: Member) throws(Refusal) -> JSONItem {
        guard let value = value(member) else { throw refusal(member, "is missing") }
        return value
    }

    func string(_ member: Member) throws(Refusal) -> Text {
        let value = try required(member)
        guard value.kind == .string else { throw refusal(member, "must be a string") }
        return text(value)
    }

    // MARK: Names

    var nameRule: String {
        "must be 1 to \(limits.nameBytes) printable ASCII characters without space, quotation mark and backslash"
    }

    func name(_ member: Member) throws(Refusal) -> Text {
        let text = try string(member)
        guard text.isName(atMost: limits.nameBytes) else {
            throw refusal(member, nameRule)
        }
        return text
    }

    func user(_ member: Member) throws(Refusal) -> Text {
        let text = try name(member)
        guard text.bytes.first != UInt8(ascii: "@") else { throw refusal(member, "must not begin with @") }
        return text
    }

    /// Reads the id of a conversation, or `@user`.
    func conversation(_ member: Member) throws(Refusal) -> Text {
        let text = try string(member)
        guard text.isConversation(nameBytes: limits.nameBytes) else {
            throw refusal(member, "must be a conversation or @ and a user")
        }
        return text
    }

    func reaction() throws(Refusal) -> Text {
        let text = try string(.reaction)
        guard text.hasBytes(atMost: limits.reactionBytes) else { throw badReaction }
        // It is kept in a form that may be longer, and that its user must be able to take back.
        let kept = ReactionForm.kept(text.string).utf8.count
        guard kept > 0, kept <= limits.reactionBytes else { throw badReaction }
        try shown.check(text, of: .reaction, as: .line)
        return text
    }

    private var badReaction: Refusal {
        refusal(.reaction, "must be a string of 1 to \(limits.reactionBytes) bytes")
    }

    func kind(_ member: Member) throws(Refusal) -> Text {
        let text = try string(member)
        guard text.isKind(atMost: limits.kindBytes) else {
            throw refusal(member, "must be 1 to \(limits.kindBytes) characters of a-z 0-9 . _ -")
        }
        return text
    }

    func groupName() throws(Refusal) -> Text { try shown.name(.name, atMost: limits.groupNameBytes) }

    /// Reads the text of a status. An empty one takes the text away.
    func statusText() throws(Refusal) -> Text {
        let text = try string(.text)
        guard !text.hasScalars(moreThan: limits.statusScalars) else {
            throw refusal(.text, "must be at most \(limits.statusScalars) Unicode scalars", .tooLarge)
        }
        try shown.check(text, of: .text, as: .line)
        return text
    }

    func token() throws(Refusal) -> Text {
        let text = try string(.token)
        guard !text.isEmpty else { throw refusal(.token, "must not be empty") }
        return text
    }

    func users() throws(Refusal) -> [Text] { try names(.users, atLeast: 1, atMost: limits.listNames) }

    /// Reads the members of a conversation that is to be created, besides its opener.
    func others() throws(Refusal) -> [Text] { try names(.members, atLeast: 0, atMost: limits.listNames) }

    func excepted() throws(Refusal) -> [Text] { try names(.users, atLeast: 1, atMost: limits.exceptNames) }

    /// Reads the users of `watch` and `unwatch`. There may be none if there are conversations.
    func watched() throws(Refusal) -> [Text] {
        if value(.users) == nil, value(.conversations) != nil { return [] }
        return try names(.users, atLeast: 1, atMost: min(limits.watchedPerSession, limits.watchNames))
    }

    /// Reads the conversations of `watch` and `unwatch`.
    func counted() throws(Refusal) -> [Text] {
        if value(.conversations) == nil { return [] }
        let ids = try texts(
            .conversations, "conversations", ", each as in to", atMost: limits.countsPerSession,
            where: { $0.isConversation(nameBytes: limits.nameBytes) })
        guard !ids.isEmpty else { throw refusal(.conversations, "must name at least one conversation") }
        return ids
    }

    func names(_ member: Member, atLeast least: Int, atMost most: Int) throws(Refusal) -> [Text] {
        let names = try texts(
            member, "user names", "; each \(nameRule), not beginning with @", atMost: most,
            where: { $0.isUserName(atMost: limits.nameBytes) })
        guard names.count >= least else { throw refusal(member, "must name at least one user") }
        return names
    }

    /// Reads a list of texts.
    /// - Parameters:
    ///   - what: what they are, in the plural.
    ///   - rule: what follows `what` in the refusal of one that isn't such a text.
    func texts(
        _ member: Member, _ what: String, _ rule: @autoclosure () -> String, atMost most: Int,
        where isValid: (Text) -> Bool
    ) throws(Refusal) -> [Text] {
        let list = try required(member)
        guard list.kind == .array else { throw refusal(member, "must be a list of \(what)") }
        var texts: [Text] = []
        var children = reader.children(of: list)
        while let element = reader.next(&children)?.value {
            guard texts.count < most else {
                throw refusal(member, "must be a list of at most \(most) \(what)", .tooLarge)
            }
            guard element.kind == .string, isValid(text(element)) else {
                throw refusal(member, "must be a list of \(what)\(rule())")
            }
            texts.append(text(element))
        }
        return texts
    }

    // MARK: Numbers and flags

    func flag(_ member: Member) throws(Refusal) -> Bool? {
        guard let value = value(member) else { return nil }
        switch value.kind {
        case .true: return true
        case .false: return false
        default: throw refusal(member, "must be true or false")
        }
    }

    func sequence(_ member: Member) throws(Refusal) -> SequenceNumber {
        SequenceNumber(try whole(member, 1...Int64.max))
    }

    /// Zero is allowed: it means before the first message.
    func sequenceOrNone(_ member: Member) throws(Refusal) -> SequenceNumber {
        SequenceNumber(try whole(member, 0...Int64.max))
    }

    func seconds(_ member: Member) throws(Refusal) -> Int64 { try whole(member, 1...Int64.max) }

    func time(_ member: Member) throws(Refusal) -> Timestamp {
        Timestamp(milliseconds: try whole(member, 1...Int64.max))
    }

    /// - Parameter most: instead of the usual bound.
    func limit(atMost most: Int? = nil) throws(Refusal) -> Int? {
        guard value(.limit) != nil else { return nil }
        return Int(try whole(.limit, 1...Int64(max(most ?? limits.historyMax, 1))))
    }

    func position(_ member: Member) throws(Refusal) -> Position {
        let text = try string(member)
        guard text.bytes.starts(with: positionHead),
            let value = Text(UnsafeRawBufferPointer(rebasing: text.bytes.dropFirst(positionHead.count))).positionValue
        else { throw refusal(member, "is not a position of this log", .badPosition) }
        return Position(value)
    }

    func whole(_ member: Member, _ range: ClosedRange<Int64>) throws(Refusal) -> Int64 {
        let value = try required(member)
        guard value.kind == .integer, range.contains(value.integer) else {
            let most = range.upperBound == .max ? "2^63-1" : "\(range.upperBound)"
            throw refusal(member, "must be a whole number from \(range.lowerBound) to \(most)")
        }
        return value.integer
    }

    // MARK: Words

    /// Reads one of a fixed set of words.
    func word<Word: WireWord>(_ member: Member) throws(Refusal) -> Word {
        let text = try string(member)
        if let word = Word.allCases.first(where: { text == $0.word }) { return word }
        let words = Word.allCases.map { "\($0.word)" }
        throw refusal(member, "must be \(words.dropLast().joined(separator: ", ")) or \(words.last ?? "")")
    }

    /// Reads an exception from the settings; nil to remove it.
    func exception() throws(Refusal) -> PrivacyException? {
        if try string(.as) == "none" { return nil }
        let exception: PrivacyException = try word(.as)
        guard exception != .blocked else {
            throw refusal(.as, "must be always, never or none; contact.block blocks")
        }
        return exception
    }
}
