import RoostCore
import RoostWire

/// Checks the profiles that clients get: each version has the stored content, hidden users aren't shown, and strangers
/// find no user.
final class ProfileCheck {
    private let world: World
    private let ledger: Ledger
    private let people: People

    init(_ world: World, _ ledger: Ledger, _ people: People) {
        self.world = world
        self.ledger = ledger
        self.people = people
    }

    /// A client that has just come says what its user is called, unless it has one, and looks for the others.
    func begin(on connection: SimulatedConnection, _ clients: SimulatedClients) {
        let index = connection.device.user.index
        if ledger.profiles[index] == nil {
            clients.answer(connection, "profile.set", "\"name\":\"Person of \(index)\"", .setProfile)
        }
        clients.answer(connection, "user.find", "\"prefix\":\"person\",\"limit\":20", .findUsers)
    }

    /// A client reads a profile, in an event or an answer. An older one than it has says nothing.
    func take(_ profile: JSONValue?, on connection: SimulatedConnection) {
        guard let profile, let index = SimulatedUser.index(profile["user"]?.string),
            people.users.indices.contains(index)
        else { return world.fail("\(connection.label) is told of the profile of nobody") }
        // The answer to `user.get` says nothing of those who have none, or don't show it.
        guard let version = profile["version"]?.integer else { return }
        guard let name = ledger.profiles[index]?[version], name == profile["name"]?.string ?? "" else {
            return world.fail("\(connection.label) is told of version \(version) of u\(index), which isn't stored")
        }
        let (user, own) = (people.users[index], connection.device.user)
        if user !== own, connection.isUpToDate(at: world.time), !people.isUnsettled(user, own),
            !people.showsProfile(user, to: own)
        {
            world.fail("\(connection.label) is told of the profile of \(user.name), which is blocked")
        }
        if world.takesRequests, user !== own, !mayKnow(user, own, since: connection.writtenSince(at: world.time)) {
            world.fail("\(connection.label) is told of the profile of \(user.name), whom it doesn't know")
        }
        connection.belief.profiles[index] = max(connection.belief.profiles[index] ?? 0, version)
    }

    /// The same for all of a list.
    func takeAll(_ profiles: JSONValue?, on connection: SimulatedConnection) {
        for profile in profiles?.elements ?? [] { take(profile, on: connection) }
    }

    /// Checks the results of a client's search.
    func takeFound(_ profiles: JSONValue?, on connection: SimulatedConnection) {
        takeAll(profiles, on: connection)
        let own = connection.device.user
        guard connection.isUpToDate(at: world.time) else { return }
        for profile in profiles?.elements ?? [] {
            guard let index = SimulatedUser.index(profile["user"]?.string), people.users.indices.contains(index) else {
                continue
            }
            let isContact = people.acquaintances.knewEachOther(
                own.index, index, at: world.now.wall.milliseconds, within: World.lateness)
            if !isContact, !ledger.share(own.index, index), !ledger.isAsked(own.index, by: index),
                !own.hasLeft(since: world.time - World.lateness),
                !people.users[index].hasLeft(since: world.time - World.lateness)
            {
                world.fail("\(connection.label) finds u\(index), whom it doesn't know")
            }
        }
    }

    /// Whether the viewer may get the user's profile: that of a contact, of a present or former member of a
    /// conversation with it, or of a user who sent it a request, but not of one that it sent a request to.
    /// - Parameter time: the earliest time at which it was sent.
    private func mayKnow(_ user: SimulatedUser, _ viewer: SimulatedUser, since time: Int64) -> Bool {
        let isContact = people.acquaintances.knewEachOther(
            viewer.index, user.index, at: world.now.wall.milliseconds, within: world.time - time)
        return isContact || viewer.hasLeft(since: time)
            || ledger.conversations.contains { conversation in
                conversation.members[viewer.index] != nil && conversation.generations[user.index] != nil
                    && (!conversation.isWaiting || conversation.waits(for: viewer.index))
            }
    }

    /// A client reads that its change is stored, or a later one of the same batch.
    func takeStored(_ version: Int64?, on connection: SimulatedConnection) {
        let user = connection.device.user
        guard let version, let newest = ledger.profiles[user.index]?.keys.max(), version <= newest else {
            return world.fail("\(connection.label) gets ok for a profile that isn't stored")
        }
    }

    /// Fails if a client doesn't have the profile of a user that it sees. All users have changed theirs at the end.
    func checkEnd(_ connection: SimulatedConnection) {
        let own = connection.device.user
        for user in people.users {
            guard user === own || ledger.arePeers(own.index, user.index),
                user === own || people.showsProfile(user, to: own),
                let newest = ledger.profiles[user.index]?.keys.max()
            else { continue }
            let told = connection.belief.profiles[user.index] ?? 0
            if told != newest {
                world.fail("\(connection.label) knows version \(told) of \(user.name)'s profile, not \(newest)")
            }
        }
    }
}
