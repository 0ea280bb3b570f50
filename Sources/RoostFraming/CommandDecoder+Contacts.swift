import RoostNames
import RoostWire

/// Contacts and prospects.
extension CommandDecoder {
    func readContactCommand(_ type: CommandType) throws(Refusal) -> ContactCommand {
        switch type {
        case .invite:
            .invite(
                user: try members.user(.user), kind: try members.optional(.kind, members.kind), label: try label())
        case .acceptContact: .accept(user: try members.user(.user), label: try label())
        case .declineContact: .decline(user: try members.user(.user))
        case .removeContact: .remove(user: try members.user(.user))
        case .contacts:
            .list(
                after: try members.optional(.after, members.user), limit: try contactLimit(),
                state: try members.optional(.state, members.word))
        case .setProspect:
            .setProspect(
                id: try members.optional(.prospect, members.name),
                name: try members.shown.name(.name, atMost: members.limits.labelBytes),
                note: try optionalText(.note, atMost: members.limits.noteBytes, as: .lines))
        case .removeProspect: .removeProspect(id: try members.name(.prospect))
        case .prospects: .prospects(after: try members.optional(.after, members.name), limit: try contactLimit())
        default: throw Refusal(.unknownType, "unknown command type")
        }
    }

    /// An empty one takes the label away.
    private func label() throws(Refusal) -> Text? {
        try optionalText(.label, atMost: members.limits.labelBytes, as: .line)
    }

    private func contactLimit() throws(Refusal) -> Int? { try members.limit(atMost: members.limits.contactsMax) }

    /// Reads a text of at most this number of bytes, which may be empty.
    private func optionalText(_ member: Member, atMost most: Int, as use: NameForm.Use) throws(Refusal) -> Text? {
        guard members.value(member) != nil else { return nil }
        let text = try members.string(member)
        guard text.count <= most else { throw members.refusal(member, "must be at most \(most) bytes", .tooLarge) }
        try members.shown.check(text, of: member, as: use)
        return text
    }
}
