public import Observation
import RoostClient
import RoostStore
public import RoostWire

/// Profiles of the users that the app shows, kept on the device, and the search for others. Messages carry no names:
/// show the present `name(of:)` of their author.
@MainActor
@Observable
public final class KnownPeople {
    /// Profiles of the users in lists and open timelines, as far as the relay shows them.
    public private(set) var profiles: [String: UserProfile] = [:]
    @ObservationIgnored private let engine: Engine
    @ObservationIgnored private var reader: Task<Void, Never>?
    @ObservationIgnored private let changes = Changes<[String: UserProfile]>()

    init(_ engine: Engine, _ told: AsyncStream<[String: UserProfile]>) {
        self.engine = engine
        reader = Task { [weak self] in for await now in told { self?.show(now) } }
    }

    init(preview profiles: [String: UserProfile]) {
        engine = .preview
        self.profiles = profiles
    }

    deinit { reader?.cancel() }

    private func show(_ now: [String: UserProfile]) {
        profiles = now
        changes.send(now)
    }

    /// The profiles, now and whenever one changes. A slow reader misses what is old.
    public func snapshots() -> AsyncStream<[String: UserProfile]> { changes.stream(from: profiles) }

    /// The name to show for a user: the display name, or the user's id if there is none.
    public func name(of user: String) -> String { profiles[user]?.name ?? user }

    /// The whole profile of a user as it is now; from this device if there is no session. Nil if none is shown.
    public func profile(of user: String) async throws -> UserProfile? {
        if let told = try? await engine.client.people.get([user]) {
            try await engine.perform { desk in
                try desk.store.people.take(told)
                desk.tell([])
            }
        }
        return try await engine.perform { try $0.store.people.profile(of: user) }
    }

    /// Users whose username begins so, or whose name does from some word on. Needs a session.
    public func find(_ prefix: String, after: String? = nil, limit: Int? = nil) async throws -> ProfilePage {
        try await engine.patience { [engine] () throws(RoostFailure) in
            try await engine.client.people.find(prefix, after: after, limit: limit)
        }
    }

    /// Changes the user's own profile. Nil leaves a member unchanged; an empty text removes it, but for the name. Needs
    /// a session.
    /// - Parameter version: the version that the profile has to have, 0 for none; nil for any.
    /// - Throws: `RoostFailure.refused` with `username_taken`, or with `conflict` if it has another version.
    public func setProfile(
        name: String? = nil, username: String? = nil, photo: String? = nil, bio: String? = nil,
        ifVersion version: Int64? = nil
    ) async throws {
        _ = try await engine.patience { [engine] () throws(RoostFailure) in
            try await engine.client.people.setProfile(
                name: name, username: username, photo: photo, bio: bio, ifVersion: version)
        }
        guard let user = try await engine.perform({ $0.store.identity.user }) else { return }
        _ = try await profile(of: user)
    }
}
