import RoostClient
import RoostLock
import RoostStore
import RoostWire

/// Keeps the store and the relay together: events go to the store and are acked then, what the user does goes to the
/// outbox and from there to the relay. It runs on the store's queue, never on the main thread.
actor Engine {
    /// Most events of one transaction: a page of the relay's while it catches a device up.
    static let batch = 256
    /// Interval at which the engine checks whether another program has changed the file, such as a share extension:
    /// people expect their message to go out at once, and a check costs microseconds.
    static let othersWait = Duration.seconds(1)
    /// Pause after a failed write to the store. People make room in seconds, not in less.
    static let storeWait = Duration.seconds(5)

    nonisolated let queue: StoreQueue
    /// The session. A new one takes the place of one that has ended for good.
    private(set) var client: ChatClient
    let desk: Desk
    let sender: Sender
    // Where the store is, for each `hello`.
    private nonisolated let place: Place
    private let makeClient: @Sendable () -> ChatClient
    private var isRunning = false
    // Whether `client` has had its sessions: the next one needs another client.
    private var isUsedUp = false
    // Counts what the app wants: of several that wait, the last one counts.
    private var turn = 0
    private var isLeaving = false
    private var activity = PresenceActivity.active
    private var sleepers: [Sleeper: Task<Void, Never>] = [:]
    private let sleep: @Sendable (Duration) async throws -> Void
    private var isRefreshing = false
    private var hasLostFile = false
    /// The newest message from before the session, until it is known whether the relay still has it.
    var doubted: KnownMessage?
    // Number of rewinds of the relay's files that the app knows about.
    private var rewinds = 0
    // Events of a connection don't count after its relay was found with older files.
    private var isDeaf = false
    private var refreshAgain = false
    let watching = Watching()
    let patience: Patience
    private let deadlines: Deadlines
    /// Why everything is kept in memory although there is a file; nil if the file is in use.
    nonisolated let unusable: LocalFailure?
    private nonisolated let store: StoreQueue.Holder

    /// The engine's timers, at most one of each.
    enum Sleeper: Hashable { case outbox, pace(String), reconnect, refresh, deadline, draft }

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// The streams to the app.
    struct Told: Sendable {
        let session: AsyncStream<RoostSnapshot>.Continuation
        let presence: AsyncStream<[String: UserPresence]>.Continuation
        let others: Acquaintances.Shown
    }

    /// Opens the store, on the thread of the caller.
    init(_ settings: RoostSettings, _ told: Told) throws {
        let (store, unusable) = try settings.openStore()
        if let user = settings.user { try store.signIn(user) }
        let deadlines = Deadlines(store, clock: settings.deviceTime)
        // A message that disappeared while the app wasn't running isn't shown.
        _ = try deadlines.pass()
        let place = Place(store.identity)
        let clock = settings.clock
        let device = store.identity.device
        let make: @Sendable () -> ChatClient = {
            ChatClient(
                url: settings.address, device: device, user: settings.user ?? place.user,
                isBackground: settings.isBackground,
                limits: settings.clientLimits, connector: settings.connector, clock: clock,
                generator: settings.generator, resume: { place.position }, token: settings.token)
        }
        let desk = Desk(
            store, generator: settings.generator, session: told.session, presence: told.presence, others: told.others)
        desk.now = { deadlines.now }
        queue = StoreQueue()
        self.unusable = unusable
        let log = FieldLog(settings.log, path: unusable == nil ? settings.path : nil)
        log.note(unusable.map { .inMemory($0.description) } ?? .opened(saved: store.repair?.itemsSaved))
        desk.log = log
        self.store = StoreQueue.Holder(store)
        self.deadlines = deadlines
        self.place = place
        makeClient = make
        client = make()
        sender = Sender(store, generator: settings.generator)
        self.desk = desk
        sleep = { try await clock.sleep(for: $0) }
        patience = Patience(sleep: sleep)
    }

    // Closing the store writes to the disk. The engine's last owner may be the main thread, so the queue closes it.
    deinit { queue.close(store) }

    // MARK: Session

    /// Keeps a session up from now on. If one has ended for good, this begins another.
    func connect() async {
        turn += 1
        let mine = turn
        // An app that connects while the session before says goodbye wants the next one.
        while isRunning, isLeaving {
            await client.disconnect()
            if isRunning, isLeaving { end(.offline) }
        }
        guard mine == turn else { return }
        guard !isRunning else { return await client.wake() }
        cancel(.reconnect)
        isRunning = true
        isLeaving = false
        desk.note { $0.connection = .connecting }
        // The user may have signed out, or have become known, since the last one was made.
        place.note(desk.store.identity)
        if isUsedUp { client = makeClient() }
        isUsedUp = true
        let client = client
        await PlaceKeeping.begin(client)
        // Said on the session that follows.
        if activity != .active { try? await client.setActivity(activity) }
        await client.connect()
        Task {
            while true {
                let events = await client.nextEvents(atMost: Engine.batch)
                // Another session may have begun, or the store have failed, meanwhile.
                guard isRunning, client === self.client, !events.isEmpty, take(events) else { return }
            }
        }
    }

    /// Ends the session for good.
    func disconnect() async {
        turn += 1
        // Messages disappear without a session, too.
        for name in sleepers.keys where name != .deadline { cancel(name) }
        isLeaving = true
        // A client that has said goodbye is of no more use, also one that never connected.
        isUsedUp = true
        let client = client
        await client.disconnect()
        guard isLeaving, client === self.client else { return }
        end(.offline)
    }

    /// Says how the device is in use, now and on every session that follows.
    func setActivity(_ activity: PresenceActivity) async {
        self.activity = activity
        // Without a session it is said on the next one.
        try? await client.setActivity(activity)
    }

    /// The network is like that now. A way out is a reason to try at once.
    func take(_ network: NetworkStatus) async {
        let before = desk.session.network
        desk.note { $0.network = network }
        if network.isReachable, network != before, isRunning { await client.wake() }
    }

    private func end(_ state: ConnectionState) {
        isRunning = false
        sender.isReady = false
        desk.end(state)
    }

    // Returns false if no more events may be asked for: that would ack what isn't in the store.
    private func take(_ events: [RoostEvent]) -> Bool {
        do {
            // Events before a change of the session belong to the session before.
            try noteRewind()
            var rest = events[...]
            while let index = rest.firstIndex(where: \.isOfSession) {
                if !isDeaf { try desk.take(Array(rest[..<index])) }
                try takeSession(rest[index])
                rest = rest[(index + 1)...]
            }
            let wasUpToDate = desk.session.isUpToDate
            if !isDeaf { try desk.take(Array(rest)) }
            if !wasUpToDate, desk.session.isUpToDate { desk.log?.note(.upToDate) }
            try noteRewind()
            place.note(desk.store.identity)
            if desk.session.connection == .connected {
                refresh()
                if try Probe(events).begin(desk.store) { pump() }
            }
            if desk.drafts.hasSent { shareSoon() }
            return true
        } catch {
            stop(error)
            return false
        }
    }

    private func takeSession(_ event: RoostEvent) throws(LocalFailure) {
        switch event {
        case .connected(let welcome, let isResumed):
            cancel(.reconnect)
            try catchUp()
            let newest = isResumed ? desk.store.identity.newest : nil
            try desk.begin(welcome, isResumed: isResumed)
            isDeaf = false
            doubted = newest
            rewinds = desk.store.rewinds
            try deadlines.correct(welcome.time)
            place.note(desk.store.identity)
            watching.begin()
            sender.begin()
            desk.log?.note(.connected(isResumed: isResumed))
            pump()
        case .disconnected(let lost): try lose(lost)
        default: break
        }
    }

    private func lose(_ lost: Disconnection) throws(LocalFailure) {
        sender.isReady = false
        cancel(.outbox)
        desk.note { $0.lastLoss = lost }
        if !isLeaving {
            desk.log?.note(.disconnected(code: lost.code.map(Int.init), lost.reason, retryIn: lost.willRetryIn))
        }
        guard !lost.isFinal else {
            return end(isLeaving ? .offline : .failed(ConnectionFailure(lost)))
        }
        guard let wait = lost.willRetryIn else { return desk.end(.connecting) }
        desk.end(.waiting(until: .now + wait))
        after(wait, .reconnect) { engine in
            engine.desk.note { if case .waiting = $0.connection { $0.connection = .connecting } }
        }
    }

    /// The store can't be read or written: nothing more is taken from the relay, so that nothing is lost. A full disk
    /// has room again some time, so it is tried again; a damaged file is made anew by the next start.
    func stop(_ error: any Error) {
        let failure = error as? LocalFailure
        desk.log?.note(.storeFailed(failure?.description ?? "\(error)"))
        let wasRunning = isRunning
        end(.failed(.store(failure?.description ?? "\(error)")))
        let client = client
        isUsedUp = true
        Task { await client.disconnect() }
        guard failure?.mayPass ?? false, wasRunning, !isLeaving else { return }
        after(Engine.storeWait, .reconnect) { await $0.connect() }
    }

    // Changes that waited for the queue come first, so that one refresh covers them.
    func flush() {
        do throws(LocalFailure) {
            try noteRewind()
            try desk.flush()
            try keepTime()
        } catch { stop(error) }
    }

    // Erases what has disappeared, and comes back when the next message does.
    private func keepTime() throws(LocalFailure) {
        let (changed, wait) = try deadlines.pass()
        if let changed { desk.tell(changed) }
        guard let wait else { return cancel(.deadline) }
        after(wait, .deadline) { $0.flush() }
    }

    // MARK: Older files of the relay

    /// If the relay's files were found older, everything that came from it is forgotten by now. The next connection
    /// reads it anew.
    func noteRewind() throws(LocalFailure) {
        guard desk.store.rewinds > rewinds else { return }
        rewinds = desk.store.rewinds
        isDeaf = true
        doubted = nil
        desk.log?.note(.rewound)
        place.note(desk.store.identity)
        desk.rewind()
        let client = client
        Task { await PlaceKeeping.restart(client, because: "the relay's files are older than they were") }
    }

    // MARK: Time

    /// Does something after a while, in place of what waited under this name.
    func after(_ wait: Duration, _ name: Sleeper, _ body: @escaping @Sendable (isolated Engine) async -> Void) {
        sleepers.removeValue(forKey: name)?.cancel()
        sleepers[name] = Task { [weak self, sleep] in
            do { try await sleep(wait) } catch { return }
            guard let self, !Task.isCancelled else { return }
            await body(self)
        }
    }

    func cancel(_ name: Sleeper) { sleepers.removeValue(forKey: name)?.cancel() }

    // MARK: Acts

    /// Does something with the desk, and then sends what waits.
    func perform<Result: Sendable>(
        _ body: @Sendable (Desk) throws -> Result
    ) throws -> Result {
        try catchUp()
        let drafts = desk.store.drafts.revision
        let result = try body(desk)
        pump()
        if desk.store.drafts.revision > drafts { shareSoon() }
        return result
    }

    /// Another program may have changed the file. If the file was replaced, nothing more of it is shown or sent.
    func lookForOthers() {
        guard !hasLostFile else { return }
        do throws(LocalFailure) { try catchUp() } catch { if !error.wasReplaced { stop(error) } }
    }

    private func catchUp() throws(LocalFailure) {
        do throws(LocalFailure) {
            guard try desk.store.catchUp() else { return }
            place.note(desk.store.identity)
            desk.tell()
            pump()
        } catch {
            if error.wasReplaced, !hasLostFile {
                hasLostFile = true
                stop(error)
            }
            throw error
        }
    }

    /// Sends what waits, as far as it is its turn.
    func pump() {
        while let item = sender.next() {
            Task {
                let outcome = await carryOut(item)
                answered(item, outcome)
            }
        }
    }

    private func answered(_ item: OutboxItem, _ outcome: Sender.Outcome) {
        if let rest = sender.rest(item, outcome) {
            after(rest, .pace(item.destination)) { engine in
                if engine.desk.store.outbox.wake(item.destination) { engine.pump() }
            }
            return pump()
        }
        do {
            let (conversation, wait) = try sender.answered(item, outcome)
            desk.log?.note(outcome, of: item, in: desk.store)
            if case .done = outcome, case .send(_, let body, _) = item.action, let conversation,
                let text = MessageBody(json: body)?.text
            {
                try desk.drafts.end(text, in: conversation)
                shareSoon()
            }
            desk.tell(Set([item.destination, conversation].compactMap { $0 }))
            if let wait {
                after(wait, .outbox) { engine in
                    engine.sender.isPaused = false
                    engine.pump()
                }
            }
            pump()
        } catch {
            // It is sent again when the store can be written; the relay carries it out once.
            _ = try? desk.store.outbox.refused(item.id, nil)
            stop(error)
        }
    }

    // MARK: Refreshing stale data

    /// Asks for what was left out: conversations, reactions, how far members have got. One run at a time.
    func refresh() {
        guard !isRefreshing else { return refreshAgain = true }
        isRefreshing = true
        Task {
            repeat {
                refreshAgain = false
                do { try await askAnew() } catch let error as LocalFailure { stop(error) } catch {
                    // Without a session there is nothing to ask; the next one begins here again.
                }
            } while refreshAgain
            isRefreshing = false
        }
    }

    // The device's identity and position.
    private final class Place: Sendable {
        private let state: Locked<LocalIdentity>

        init(_ identity: LocalIdentity) { state = Locked(identity) }

        var position: String? { state.withLock { $0.position } }

        var user: String? { state.withLock { $0.user } }

        func note(_ identity: LocalIdentity) { state.withLock { $0 = identity } }
    }
}

extension RoostEvent {
    /// Whether a session begins or ends.
    fileprivate var isOfSession: Bool {
        switch self {
        case .connected, .disconnected: true
        default: false
        }
    }
}
