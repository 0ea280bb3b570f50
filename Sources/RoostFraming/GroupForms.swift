import RoostNames
import RoostWire

/// Readers for what a group shows of itself (Docs/Protocol.md, section 4). It keeps nothing.
struct GroupForms {
    let members: CommandMembers

    /// Reads the identifier of a photo. An empty text removes it.
    func photo(_ member: Member) throws(Refusal) -> Text {
        try text(member, atMost: members.limits.photoBytes, as: .line)
    }

    /// Reads a description. An empty one removes it.
    func description(_ member: Member) throws(Refusal) -> Text {
        try text(member, atMost: members.limits.descriptionBytes, as: .lines)
    }

    private func text(_ member: Member, atMost most: Int, as use: NameForm.Use) throws(Refusal) -> Text {
        let text = try members.string(member)
        guard text.count <= most else { throw members.refusal(member, "must be at most \(most) bytes", .tooLarge) }
        try members.shown.check(text, of: member, as: use)
        return text
    }
}
