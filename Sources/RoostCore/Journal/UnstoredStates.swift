/// Mutations that a log without room returns: everything of a batch but its events, which are refused. Only the newest
/// of several changes of a state waits, so that the number is bounded by that of the states' owners.
enum UnstoredStates {
    private enum State: Hashable {
        case cursor(DeviceNumber)
        case watermark(ConversationNumber, UserNumber)
        case answered(ConversationNumber, UserNumber)
        case droppedRequest(ConversationNumber)
        case presence(UserNumber)
        case status(UserNumber)
        case privacy(UserNumber)
        case profile(UserNumber)
        case exception(UserNumber, of: UserNumber)
        case contact(UserPair)
        case prospect(UserNumber, id: String)
        case invite(UserNumber, id: String)
        case revocation(UserNumber, device: String?)
        case signIn(String)
        case forgottenSignIns
        case feed(String)
        case end(DeviceNumber)
        case report(Int64)
        case alive
        case expiry
        case lease(NumberKind)

        /// nil if a mutation isn't the state of something.
        init?(_ mutation: Mutation) {
            switch mutation {
            case .cursor(let device, _): self = .cursor(device)
            case .watermark(let conversation, let user, _): self = .watermark(conversation, user)
            case .answered(let conversation, let user): self = .answered(conversation, user)
            case .dropRequest(let conversation): self = .droppedRequest(conversation)
            case .presence(let user, _): self = .presence(user)
            case .status(let user, _): self = .status(user)
            case .privacy(let user, _): self = .privacy(user)
            case .profile(let user, _): self = .profile(user)
            case .exception(let user, let other, _): self = .exception(user, of: other)
            case .contact(let pair, _): self = .contact(pair)
            case .prospect(let user, let id, _): self = .prospect(user, id: id)
            case .invite(let user, let id, _): self = .invite(user, id: id)
            case .revoke(let user, let device, _): self = .revocation(user, device: device)
            case .endSignIn(let name, _): self = .signIn(name)
            case .forgetSignIns: self = .forgottenSignIns
            case .feedCursor(let consumer, _): self = .feed(consumer)
            case .end(let device, _): self = .end(device)
            case .report(let report): self = .report(report.number)
            case .forgetReport(let number): self = .report(number)
            case .alive: self = .alive
            case .expire: self = .expiry
            case .lease(let kind): self = .lease(kind)
            case .append, .user, .forgetUser, .device, .forgetDevice, .steps: return nil
            }
        }
    }

    /// The mutations without events, each state once, where it stood last.
    static func newest(of mutations: [Mutation]) -> [Mutation] {
        var known: Set<State> = []
        var kept: [Mutation] = []
        for mutation in mutations.reversed() {
            if case .append = mutation { continue }
            if let state = State(mutation), !known.insert(state).inserted { continue }
            kept.append(mutation)
        }
        return kept.reversed()
    }
}
