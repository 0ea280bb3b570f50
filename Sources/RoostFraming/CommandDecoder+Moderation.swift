import RoostWire

/// Who may be in a group and write in it.
extension CommandDecoder {
    func readModeration(_ type: CommandType) throws(Refusal) -> Command {
        let conversation = try members.conversation(.conversation)
        let kind: Command.Change.Kind
        switch type {
        case .bans:
            return .bans(
                Command.Bans(
                    conversation: conversation, after: try members.optional(.after, members.user),
                    limit: try members.limit()))
        case .ban: kind = .ban(user: try members.user(.user), try members.optional(.reason, members.word))
        case .unban: kind = .unban(user: try members.user(.user))
        case .setTimeout: kind = try readTimeout()
        default: kind = .posting(try members.word(.posting))
        }
        // They take no key: what they say is a state, and to say it again changes nothing.
        return .change(Command.Change(kind, of: conversation, key: nil))
    }

    private func readTimeout() throws(Refusal) -> Command.Change.Kind {
        let limits = members.limits
        let most = max(limits.timeoutMinMilliseconds, limits.timeoutMaxMilliseconds)
        let time = try members.whole(.after, 0...most)
        guard time == 0 || time >= limits.timeoutMinMilliseconds else {
            throw members.refusal(
                .after, "must be 0 or a whole number from \(limits.timeoutMinMilliseconds) to \(most)")
        }
        return .timeout(
            user: try members.user(.user), after: time, try members.optional(.reason, members.word))
    }
}
