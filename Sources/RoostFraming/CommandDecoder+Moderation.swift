import RoostWire

/// Commands about membership and writing rights in a group.
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
        case .setTimeout:
            let limits = members.limits
            let time = try readTime(limits.timeoutMinMilliseconds, limits.timeoutMaxMilliseconds)
            kind = .timeout(
                user: try members.user(.user), after: time, try members.optional(.reason, members.word))
        case .setSlow:
            let limits = members.limits
            kind = .slow(try readTime(limits.slowMinMilliseconds, limits.slowMaxMilliseconds))
        case .setJoining: kind = .joining(try members.word(.joining))
        default: kind = .posting(try members.word(.posting))
        }
        // They take no key: what they say is a state, and to say it again changes nothing.
        return .change(Command.Change(kind, of: conversation, key: nil))
    }

    /// Reads milliseconds, of which 0 ends what they are for.
    private func readTime(_ least: Int64, _ most: Int64) throws(Refusal) -> Int64 {
        let most = max(least, most)
        let time = try members.whole(.after, 0...most)
        guard time == 0 || time >= least else {
            throw members.refusal(.after, "must be 0 or a whole number from \(least) to \(most)")
        }
        return time
    }
}
