public import Observation
public import RoostClient
public import RoostStore
public import RoostWire

/// The chat of one user on one device: what an app holds. Everything that it shows is a value that was read elsewhere;
/// the main actor never waits for the disk or the network.
///
/// ```swift
/// let roost = try await Roost(settings)
/// await roost.connect()
/// let timeline = try await roost.timeline(with: "@bob")
/// try await timeline.send("Are you there?")
/// ```
@MainActor
@Observable
public final class Roost {
    /// The session, the badge and how much waits.
    public private(set) var snapshot = RoostSnapshot()
    /// The presence of the users that the app shows.
    public private(set) var presences: [String: UserPresence] = [:]
    /// The user's conversations.
    public let conversations: ConversationList
    /// First messages of strangers that wait for the user, where the relay's operator lets them wait.
    public let requests: ConversationList
    /// Profiles, and the search for users.
    public let people: KnownPeople
    /// The user's contacts.
    public let contacts: ContactBook
    /// The settings that are the same on all devices of the user.
    public let settings: SharedSettings
    /// The result of repairing a damaged file, or of recovering the log beside one that was empty or gone; nil if the
    /// file was whole. An app may show it to its user.
    public let repair: LocalRepair?
    /// Why everything is kept in memory, with `UnusableFile.useMemory`; nil if the file is in use.
    public let unusable: LocalFailure?
    /// The user's activity on this device. "Read" counts only while it is active.
    public private(set) var activity = PresenceActivity.active
    /// Texts for people; the app may replace any of them.
    public var sentences: Sentences
    @ObservationIgnored let engine: Engine
    @ObservationIgnored private let isPreview: Bool
    @ObservationIgnored private var readers: [Task<Void, Never>] = []
    @ObservationIgnored let changes = Changes<RoostSnapshot>()

    /// Opens the device's file and shows what is in it. Nothing is sent before `connect`.
    /// - Throws: `LocalFailure` if the file can't be opened.
    public init(_ settings: RoostSettings) async throws {
        let (session, showSession) = AsyncStream<RoostSnapshot>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let (presence, showPresence) = AsyncStream<[String: UserPresence]>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        let (profiles, showPeople) = AsyncStream<[String: UserProfile]>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let (contacts, showContacts) = AsyncStream<ContactsSnapshot>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let (shared, showSettings) = AsyncStream<[String: LocalSetting]>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        let engine = try await settings.openEngine(
            Engine.Told(
                session: showSession, presence: showPresence,
                others: Acquaintances.Shown(people: showPeople, contacts: showContacts, settings: showSettings)))
        self.engine = engine
        unusable = engine.unusable
        isPreview = false
        sentences = settings.sentences
        repair = try await engine.perform { $0.store.repair }
        people = KnownPeople(engine, profiles)
        self.contacts = ContactBook(engine, contacts)
        self.settings = SharedSettings(engine, shared)
        conversations = try await ConversationList(engine)
        requests = try await ConversationList(engine, areRequests: true)
        readers.append(Task { [weak self] in for await now in session { self?.show(now) } })
        readers.append(Task { [weak self] in for await now in presence { self?.presences = now } })
        readers.append(
            Task.detached {
                while (try? await Task.sleep(for: Engine.othersWait)) != nil { await engine.lookForOthers() }
            })
        if let network = settings.network {
            readers.append(Task { for await now in network.statuses() { await engine.take(now) } })
        }
        try await engine.perform { $0.tell() }
    }

    /// A chat that shows this, and has no relay: for previews and tests of screens. Changes stay in memory.
    public init(
        preview snapshot: RoostSnapshot, conversations: [ConversationRow] = [], requests: [ConversationRow] = [],
        presences: [String: UserPresence] = [:], profiles: [String: UserProfile] = [:],
        contacts: ContactsSnapshot = ContactsSnapshot()
    ) {
        engine = .preview
        isPreview = true
        self.snapshot = snapshot
        self.presences = presences
        sentences = Sentences()
        (repair, unusable) = (nil, nil)
        people = KnownPeople(preview: profiles)
        self.contacts = ContactBook(preview: contacts)
        settings = SharedSettings(engine, AsyncStream { $0.finish() })
        self.conversations = ConversationList(preview: conversations)
        self.requests = ConversationList(preview: requests)
    }

    deinit {
        for reader in readers { reader.cancel() }
        let engine = engine
        if !isPreview { Task { await engine.disconnect() } }
    }

    private func show(_ now: RoostSnapshot) {
        snapshot = now
        changes.send(now)
    }

    // MARK: Session

    /// Whether there is a session.
    public var connection: ConnectionState { snapshot.connection }
    /// Number of messages, edits and deletions that wait for the relay, or were refused.
    public var pendingCount: Int { snapshot.pendingCount }
    /// Unread messages of all conversations that aren't muted, for the app's icon: the relay's number, the same on all
    /// devices, less what was read or has disappeared here and the relay doesn't know yet. Without a session it is the
    /// relay's last number, which is kept; this device's own count, if the relay has sent no number yet.
    public var badge: Int { snapshot.badge }

    /// The session, now and whenever it changes. A slow reader misses what is old.
    public func snapshots() -> AsyncStream<RoostSnapshot> { changes.stream(from: snapshot) }

    /// Keeps a session up from now on. Called again, it tries at once instead of waiting, or anew if the session has
    /// ended for good.
    public func connect() async { await engine.connect() }

    /// The network has changed, or the app is in use again: tries at once what would be tried later.
    public func wake() async {
        await engine.lookForOthers()
        await engine.client.wake()
    }

    /// Ends the session for good, and makes the user offline at once. Waiting items stay in the outbox.
    public func disconnect() async { await engine.disconnect() }

    /// Ends the session and deletes everything that the user has on this device, what waits to be sent included.
    public func signOut() async throws {
        await engine.disconnect()
        try await engine.perform { try $0.signOut() }
    }

    /// Says whether the device is in use: `active` in the foreground, `background` in the background.
    public func setActivity(_ activity: PresenceActivity) async {
        self.activity = activity
        await engine.setActivity(activity)
    }

    // MARK: Conversations

    /// A conversation by its id, or the direct one with a user as `@name`.
    public func timeline(with destination: String) async throws -> ConversationTimeline {
        try await ConversationTimeline(destination, engine, of: self)
    }

    /// Opens a conversation where it was left; at its newest message if that place isn't there any more, or can't be
    /// had now.
    public func timeline(at place: TimelinePlace) async throws -> ConversationTimeline {
        let timeline = try await timeline(with: place.destination)
        if let row = place.row { try? await timeline.jump(to: row) }
        return timeline
    }

    /// Creates a group, and returns its id. Needs a session.
    public func createGroup(_ name: String, members: [String]) async throws -> String {
        let key = try await engine.perform { $0.newKey() }
        return try await GroupChange.create(name, members: members, key: key, engine)
    }

    /// Renames a group. Needs a session.
    public func renameGroup(_ conversation: String, to name: String) async throws {
        let key = try await engine.perform { $0.newKey() }
        try await GroupChange.change(conversation, .renamed(name), engine) { client throws(RoostFailure) in
            try await client.rename(conversation, to: name, key: key)
        }
    }

    /// Sets the photo and the description of a group. Needs a session.
    /// - Parameters:
    ///   - photo: what the apps understand by it, such as an address, of at most 256 bytes; nil to leave it as it is,
    ///     empty to remove it.
    ///   - description: at most 1,024 bytes; likewise.
    public func describeGroup(
        _ conversation: String, photo: String? = nil, description: String? = nil
    ) async throws {
        let key = try await engine.perform { $0.newKey() }
        try await GroupChange.change(conversation, .described, engine) { client throws(RoostFailure) in
            try await client.groups.describe(conversation, photo: photo, description: description, key: key)
        }
    }

    /// Adds users to a group. Needs a session.
    public func addMembers(_ users: [String], to conversation: String) async throws {
        let key = try await engine.perform { $0.newKey() }
        let line = ConversationLine.Event.added(users: users, count: users.count)
        try await GroupChange.change(conversation, line, engine) { client throws(RoostFailure) in
            try await client.add(users, to: conversation, key: key)
        }
    }

    /// Removes users from a group. Needs a session.
    public func removeMembers(_ users: [String], from conversation: String) async throws {
        let key = try await engine.perform { $0.newKey() }
        let line = ConversationLine.Event.removed(users: users, count: users.count)
        try await GroupChange.change(conversation, line, engine) { client throws(RoostFailure) in
            try await client.remove(users, from: conversation, key: key)
        }
    }

    /// Gives a member of a group another role. Needs a session.
    public func setRole(_ role: MemberRole, of user: String, in conversation: String) async throws {
        let key = try await engine.perform { $0.newKey() }
        try await GroupChange.change(conversation, .role(user: user, role), engine) { client throws(RoostFailure) in
            try await client.setRole(role, of: user, in: conversation, key: key)
        }
    }

    /// Says after how long messages disappear that are sent from now on: a day to 90 days, or zero if they stay. In a
    /// group, owner and admins may. Needs a session.
    public func setExpiry(of conversation: String, after time: Duration) async throws {
        let (seconds, attoseconds) = time.components
        let milliseconds = seconds &* 1_000 &+ attoseconds / 1_000_000_000_000_000
        try await GroupChange.change(conversation, .expiry(milliseconds), engine) { client throws(RoostFailure) in
            try await client.ask(
                .setExpiry,
                { command in
                    command.member("conversation", conversation)
                    command.member("after", milliseconds)
                }, { Answer(reading: $0) })
        }
    }

    /// Turns a request into an ordinary conversation, and the relay notifies both users; writing into it does the same.
    /// Needs a session.
    public func acceptRequest(_ conversation: String) async throws {
        try await GroupChange.change(conversation, nil, engine) { client throws(RoostFailure) in
            try await client.messageRequests.accept(conversation)
            return nil
        }
    }

    /// Removes a request from `requests`, on all devices of the user. The stranger isn't notified. Needs a session.
    public func dropRequest(_ conversation: String) async throws {
        try await GroupChange.change(conversation, nil, engine) { client throws(RoostFailure) in
            try await client.messageRequests.drop(conversation)
            return nil
        }
    }

    /// Leaves a group, or hides a direct conversation until its next message. Needs a session.
    public func leave(_ conversation: String) async throws { try await GroupChange.leave(conversation, engine) }

    // MARK: The rest

    /// The session itself, for what this class has no word for.
    public nonisolated var client: ChatClient { get async { await engine.client } }

    /// Asks for the presence of these users, besides those of listed and open conversations: the people of a list of
    /// contacts, say. At most 1,000 are watched; a later call replaces an earlier one. A user that this one may not
    /// watch has no presence.
    public func followPresence(of users: Set<String>) async throws {
        try await engine.perform { $0.follow(users) }
        await engine.refresh()
    }

    /// Counters of this device, which an app attaches to a complaint.
    public func counters() async -> RoostCounters {
        (try? await engine.perform { $0.log?.counters($0.store) }) ?? RoostCounters()
    }

    /// A person: profile and presence as far as they are known.
    public func person(_ user: String) -> KnownPerson {
        KnownPerson(user: user, presence: presences[user], profile: people.profiles[user])
    }
}

/// Values for any number of readers; each gets the newest.
@MainActor
final class Changes<Value: Sendable> {
    private var readers: [Int: AsyncStream<Value>.Continuation] = [:]
    private var count = 0

    nonisolated init() {}

    deinit { for reader in readers.values { reader.finish() } }

    func send(_ value: Value) { for reader in readers.values { reader.yield(value) } }

    func stream(from value: Value) -> AsyncStream<Value> {
        let (stream, reader) = AsyncStream<Value>.makeStream(bufferingPolicy: .bufferingNewest(1))
        count += 1
        let number = count
        readers[number] = reader
        reader.yield(value)
        reader.onTermination = { _ in Task { @MainActor [weak self] in self?.readers[number] = nil } }
        return stream
    }
}
