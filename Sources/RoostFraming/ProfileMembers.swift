import RoostNames
import RoostWire

/// Reads what stands in a profile, from the members of one command. An empty text takes a member away.
struct ProfileMembers {
    let members: CommandMembers

    /// Reads a change of a profile.
    /// - Parameter mayGrant: whether it may give a role and a tier.
    func change(mayGrant: Bool) throws(Refusal) -> ProfileChange {
        var change = ProfileChange()
        change.name = try members.optional(.name, displayName)
        change.username = try members.optional(.username, username)
        if !mayGrant, let username = change.username, ReservedNames.contains(username.string) {
            throw members.refusal(.username, "is reserved", .usernameTaken)
        }
        change.photo = try members.optional(.photo, photo)
        change.bio = try members.optional(.bio, bio)
        change.ifVersion = try members.optional(.ifVersion, members.sequenceOrNone)?.value
        if mayGrant {
            change.role = try members.optional(.role, granted)
            change.tier = try members.optional(.tier, granted)
        } else if let member = [Member.role, .tier].first(where: { members.value($0) != nil }) {
            throw members.refusal(member, "is given by services and operators", .forbidden)
        }
        return change
    }

    /// Reads the users of `user.get`.
    func users() throws(Refusal) -> [Text] {
        try members.names(.users, atLeast: 1, atMost: members.limits.usersNamed)
    }

    private func displayName(_ member: Member) throws(Refusal) -> Text {
        try members.shown.name(member, atMost: members.limits.profileNameBytes)
    }

    private func username(_ member: Member) throws(Refusal) -> Text {
        let text = try members.string(member)
        guard text.isEmpty || text.isUsername(members.limits.usernameBytesMin...members.limits.usernameBytes) else {
            throw members.refusal(
                member,
                "must be \(members.limits.usernameBytesMin) to \(members.limits.usernameBytes) characters of a-z 0-9 . "
                    + "_ that begin with a letter, end with a letter or digit, and have no two of . _ in a row")
        }
        return text
    }

    private func photo(_ member: Member) throws(Refusal) -> Text {
        let text = try members.string(member)
        try check(text, of: member, atMost: members.limits.photoBytes)
        try members.shown.check(text, of: member, as: .line)
        return text
    }

    private func bio(_ member: Member) throws(Refusal) -> Text {
        let text = try members.string(member)
        try check(text, of: member, atMost: members.limits.bioBytes)
        try members.shown.check(text, of: member, as: .lines)
        return text
    }

    private func granted(_ member: Member) throws(Refusal) -> Text {
        try members.string(member).isEmpty ? try members.string(member) : try members.kind(member)
    }

    /// Reads how the username, or a word of the name, begins.
    func prefix() throws(Refusal) -> Text {
        let text = try members.string(.prefix)
        try check(text, of: .prefix, atMost: members.limits.profileNameBytes)
        guard !text.isBlank else { throw members.refusal(.prefix, "must not be empty or all white space") }
        return text
    }

    /// Reads the end of the page of `user.find` before: a user, and a name as it is compared, which may be longer than
    /// it was given.
    func next(_ member: Member) throws(Refusal) -> Text {
        let text = try members.string(member)
        try check(text, of: member, atMost: 3 * members.limits.profileNameBytes + members.limits.nameBytes + 1)
        return text
    }

    private func check(_ text: Text, of member: Member, atMost most: Int) throws(Refusal) {
        guard text.count <= most else { throw members.refusal(member, "must be at most \(most) bytes", .tooLarge) }
    }
}

extension Text {
    /// Whether it is a username, in whatever case.
    fileprivate func isUsername(_ bytesAllowed: ClosedRange<Int>) -> Bool {
        guard bytesAllowed.contains(count), let first = bytes.first, Text.isLetter(first) else { return false }
        var wasMark = false
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): wasMark = false
            case UInt8(ascii: "."), UInt8(ascii: "_"):
                guard !wasMark else { return false }
                wasMark = true
            default:
                guard Text.isLetter(byte) else { return false }
                wasMark = false
            }
        }
        return !wasMark
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
