import RoostWire

/// States on their way to the log of which only the newest counts: the presence, the status, the privacy and the
/// profile of each user, its contacts, prospects and invitations, what was reported, which tokens and sign-ins were
/// revoked, how each device's connection ended, and that the relay was alive. Each waits once, however often it changes
/// while the writer is busy. They go at the end of a batch, so that a new user is stored before its presence. Loop
/// thread only.
struct NewestStates {
    private var states: [Mutation] = []
    /// Where the presence of each user is in `states`.
    private var presences: [UserNumber: Int] = [:]
    /// Where the status of each user is in `states`.
    private var statuses: [UserNumber: Int] = [:]
    /// Where the settings of each user's privacy are in `states`.
    private var privacies: [UserNumber: Int] = [:]
    /// Where the profile of each user is in `states`.
    private var profiles: [UserNumber: Int] = [:]
    /// Where the exceptions are in `states`.
    private var exceptions: [Directed: Int] = [:]
    /// Where what two users are to each other is in `states`.
    private var contacts: [UserPair: Int] = [:]
    /// Where the prospects are in `states`.
    private var prospects: [Owned: Int] = [:]
    /// Where the invitations are in `states`.
    private var invites: [Owned: Int] = [:]
    /// Where the revocations are in `states`.
    private var revocations: [RevokedTokens: Int] = [:]
    /// Where the end of each sign-in is in `states`.
    private var signIns: [String: Int] = [:]
    /// Where it is that old ends may be forgotten.
    private var forgotten: Int?
    /// Where the cursor of each consumer of the feed is in `states`.
    private var feeds: [String: Int] = [:]
    /// Where the end of each device's connection is in `states`.
    private var ends: [DeviceNumber: Int] = [:]
    /// Where what became of each report is in `states`.
    private var reports: [Int64: Int] = [:]
    /// Where the last sign of life is in `states`.
    private var alive: Int?

    /// A user and the other user of its exception.
    private struct Directed: Hashable {
        let user: UserNumber
        let other: UserNumber
    }

    /// A prospect or an invitation by its owner and id.
    private struct Owned: Hashable {
        let user: UserNumber
        let id: String
    }

    /// A user's tokens, or those of one device.
    private struct RevokedTokens: Hashable {
        let user: UserNumber
        let device: String?
    }

    /// Number of states that wait.
    var count: Int { states.count }
    /// Whether none waits.
    var isEmpty: Bool { states.isEmpty }

    /// Takes a mutation if it is such a state, in place of the older one that waits.
    /// - Returns: whether it was taken.
    mutating func take(_ mutation: Mutation) -> Bool {
        switch mutation {
        case .presence(let user, _): presences[user] = put(mutation, at: presences[user])
        case .status(let user, _): statuses[user] = put(mutation, at: statuses[user])
        case .privacy(let user, _): privacies[user] = put(mutation, at: privacies[user])
        case .profile(let user, _): profiles[user] = put(mutation, at: profiles[user])
        case .exception(let user, let other, _):
            let pair = Directed(user: user, other: other)
            exceptions[pair] = put(mutation, at: exceptions[pair])
        case .contact(let pair, _): contacts[pair] = put(mutation, at: contacts[pair])
        case .prospect(let user, let id, _):
            let prospect = Owned(user: user, id: id)
            prospects[prospect] = put(mutation, at: prospects[prospect])
        case .invite(let user, let id, _):
            let invite = Owned(user: user, id: id)
            invites[invite] = put(mutation, at: invites[invite])
        case .revoke(let user, let device, _):
            let tokens = RevokedTokens(user: user, device: device)
            revocations[tokens] = put(mutation, at: revocations[tokens])
        case .endSignIn(let name, _): signIns[name] = put(mutation, at: signIns[name])
        case .forgetSignIns: forgotten = put(mutation, at: forgotten)
        case .feedCursor(let consumer, _): feeds[consumer] = put(mutation, at: feeds[consumer])
        case .end(let device, _): ends[device] = put(mutation, at: ends[device])
        case .report(let report): reports[report.number] = put(mutation, at: reports[report.number])
        case .forgetReport(let number): reports[number] = put(mutation, at: reports[number])
        case .alive: alive = put(mutation, at: alive)
        case .user, .forgetUser, .device, .forgetDevice, .cursor, .watermark, .steps, .answered, .dropRequest, .lease,
            .expire,
            .append:
            return false
        }
        return true
    }

    private mutating func put(_ state: Mutation, at place: Int?) -> Int {
        if let place {
            states[place] = state
            return place
        }
        states.append(state)
        return states.count - 1
    }

    /// Moves everything that waits to the end of the batch.
    mutating func move(to batch: inout [Mutation]) {
        guard !states.isEmpty else { return }
        batch.append(contentsOf: states)
        removeAll()
    }

    /// Forgets everything that waits.
    mutating func removeAll() { self = NewestStates() }
}
