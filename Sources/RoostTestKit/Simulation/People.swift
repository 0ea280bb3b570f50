import RoostCore
import RoostWire

/// The users of a simulation, and what is true of who is there. It knows when connections begin and end, and asks
/// neither the relay nor the ledger.
final class People {
    /// By index.
    let users: [SimulatedUser]
    let world: World
    /// By the two users, the lower index first.
    var blocks: [Ledger.Pair: BlockTruth] = [:]
    /// The user whose account is or will be deleted; nil if there is none.
    var deleted: Int?
    /// The promises to clients.
    var promises = Promises()
    /// The contacts.
    var acquaintances = Acquaintances()
    /// Links that they have made.
    var invitations = InviteTruth()
    /// By the user's index: since when it isn't invisible; `.max` while it is.
    var visibleSince: [Int: Int64] = [:]
    /// By conversation and user: when the user read what.
    var readTimes: [Ledger.Pair: ReadTimes] = [:]

    init(_ world: World) {
        self.world = world
        var users: [SimulatedUser] = []
        for index in 0..<world.day.users {
            let user = SimulatedUser(index)
            for number in 0..<world.random.within(1...world.day.devicesPerUser) {
                user.devices.append(SimulatedDevice(user, number))
            }
            users.append(user)
        }
        self.users = users
    }

    /// The relay accepted the connection, which may replace an earlier one of the device.
    func noteReady(_ connection: SimulatedConnection) {
        let device = connection.device
        guard connection.isReady, device.connection !== connection else { return }
        device.changedAt = world.time
        if let old = device.connection {
            world.tally.takeovers += 1
            note(.takeover, of: device)
            if old.activity != .background { noteSeen(device.user) }
        }
        if let linger = device.linger, linger.until > world.time, linger.activity == .idle {
            connection.use.wasAwayAt = linger.awayAt
        }
        if let ghost = device.user.ghost, ghost.until > world.time, ghost.activity == .idle {
            connection.use.wasAwayAt = Int64.min
        }
        device.linger = nil
        device.connection = connection
        // Its own welcome and snapshot may still wait in the outbox.
        noteTruth(of: device.user)
    }

    /// The connection is gone, for both sides or for the relay alone. Unless the client said goodbye, the device counts
    /// as it was until its grace ends.
    func noteEnd(_ connection: SimulatedConnection, isGoodbye: Bool = false) {
        let device = connection.device
        guard device.connection === connection else { return }
        device.connection = nil
        device.changedAt = world.time
        note(connection.session.closing.map(EndReason.init) ?? .cut, of: device)
        world.tally.closes += 1
        if connection.activity != .background {
            if isGoodbye {
                device.user.ghost = nil
            } else {
                device.linger = (
                    connection.activity, connection.use.awayAt, world.time + world.day.limits.graceMilliseconds
                )
            }
            noteSeen(device.user)
        }
        noteTruth(of: device.user)
    }

    private func note(_ reason: EndReason, of device: SimulatedDevice) {
        device.end = StoredEnd(reason, at: world.now.wall)
        device.isEndKnown = true
        device.endedAt = world.time
    }

    /// Another relay has started, and the user has a grace to come back as it was stored.
    func haunt(_ user: SimulatedUser, as state: PresenceState) {
        let until = world.time + world.day.limits.graceMilliseconds
        switch state {
        case .online: user.ghost = (.active, until)
        case .away: user.ghost = (.idle, until)
        case .offline, .busy: user.ghost = nil
        }
        noteTruth(of: user)
    }

    /// The user is here at this moment.
    func noteSeen(_ user: SimulatedUser) {
        guard user.choice != .invisible else { return }
        user.lastSeen = world.now.wall.milliseconds...world.now.wall.milliseconds
    }

    /// The user wants to be shown in another way.
    func note(_ choice: StatusChoice, _ text: String, of user: SimulatedUser) {
        guard choice != user.choice || text != user.text else { return }
        if user.isHere { noteSeen(user) }
        noteVisible(user, choice)
        user.choice = choice
        user.text = text
        user.statusSince = world.time
        if choice != .invisible { noteTold(text, of: user) }
        noteTruth(of: user)
    }

    /// The user is about to be shown in this way.
    func noteVisible(_ user: SimulatedUser, _ choice: StatusChoice) {
        if choice == .invisible {
            visibleSince[user.index] = .max
        } else if user.choice == .invisible {
            visibleSince[user.index] = world.time
        }
    }

    /// Notes the text that others should see.
    func noteTold(_ text: String, of user: SimulatedUser) {
        guard text != user.toldText else { return }
        user.oldText = user.toldText
        user.toldText = text
        user.textSince = world.time
    }

    /// Brings what is true of the user up to this moment.
    func noteTruth(of user: SimulatedUser) {
        if user.isHere != user.wasHere {
            user.wasHere.toggle()
            user.hereSince = world.time
        }
        let state = user.state(at: world.time)
        guard state != user.truth else { return }
        user.wasTrue[user.truth] = world.time
        user.truth = state
        user.truthSince = world.time
    }

    /// Whether the user has more devices than the relay keeps: then one that dropped may be forgotten before its grace
    /// ends.
    func isCrowded(_ user: SimulatedUser) -> Bool { user.devices.count > world.day.limits.devicesPerUser }

    /// Whether it depends on how far the relay is what it knows of the user's devices: they are too many, or the
    /// account is being deleted.
    func isForgetting(_ user: SimulatedUser) -> Bool { isCrowded(user) || user.index == deleted }

    // MARK: Choosing

    /// Another user, at random.
    func other(than user: SimulatedUser) -> SimulatedUser {
        let index = world.random.below(users.count - 1)
        return users[index < user.index ? index : index + 1]
    }
}
