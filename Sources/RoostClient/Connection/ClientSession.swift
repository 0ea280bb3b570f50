import RoostWire

/// The session across connections: connect, say hello, lose the connection, wait, reconnect, end. It owns the phase and
/// the connection, and directs the parts that own the rest. Confined to the client; its tasks reach it through
/// `client`.
final class ClientSession {
    enum Phase: Equatable {
        /// Before `connect`.
        case idle
        case fetchingToken
        case connecting
        /// `hello` has been sent.
        case greeting
        case ready
        /// Waiting for the next try.
        case waiting
        /// Waiting until the application has taken the waiting events.
        case behind
        /// `bye` has been sent.
        case leaving
        case ended(Ending)
    }

    /// The settings it was created with.
    struct Settings {
        var url: String
        var device: String
        var user: String?
        var isBackground: Bool
        var heartbeat: (ping: Duration, pong: Duration)?
        var limits: ClientLimits
        var connector: any SocketConnector
        var elapsed: () -> Duration
        var token: @Sendable () async throws -> String
        var resume: @Sendable () async -> String?
    }

    let settings: Settings
    let alarms: Alarms
    let requests: Requests
    let outgoing: Outgoing
    let feed: EventFeed
    let standing: Standing
    /// The client that tasks call back. Set by `connect`.
    weak var client: ChatClient?
    private let random: RandomSource

    private var phase = Phase.idle
    // Each attempt has a number, so that late events of an earlier one are recognized and ignored.
    private var connection = 0
    private var socket: (any ClientSocket)?
    private var inbox: Inbox?
    private var token = ""
    // Where the application is, for `hello`.
    private var resume: String?
    private var isRefreshing = false
    private var backoff: Backoff
    // Why the server refused the token, before it closes.
    private var refusedReason: String?
    // How long the server asked clients to stay away.
    private var askedWait: Duration?
    // The relay refused `hello` for now, and its wait isn't over.
    private var isHeldOff = false
    private var readySince: Duration?
    private var heardAt = Duration.zero
    private(set) var welcome: Welcome?
    private var leavers: [CheckedContinuation<Void, Never>] = []

    init(
        _ settings: Settings, sleep: @escaping @Sendable (Duration) async throws -> Void,
        generator: any RandomNumberGenerator & Sendable
    ) {
        let limits = settings.limits
        self.settings = settings
        random = RandomSource(generator)
        alarms = Alarms(sleep: sleep)
        requests = Requests(limits: limits, alarms: alarms, elapsed: settings.elapsed)
        outgoing = Outgoing(limits: limits, requests: requests, alarms: alarms, random: random)
        feed = EventFeed(limits: limits, requests: requests, alarms: alarms)
        standing = Standing(limits: limits, requests: requests)
        backoff = Backoff(first: limits.backoffFirst, most: limits.backoffMax)
        outgoing.needsToken = { [unowned self] in refreshToken() }
        feed.drained = { [unowned self] in if phase == .behind { begin() } }
    }

    deinit {
        inbox?.finish()
        socket?.close(code: CloseCode.normal.rawValue, reason: "")
    }

    private var limits: ClientLimits { settings.limits }

    /// The reason why the session ended, if it has ended for good.
    var ending: Ending? {
        guard case .ended(let ending) = phase else { return nil }
        return ending
    }

    /// A key that no other message has.
    func newKey() -> String { random.key() }

    // MARK: Beginning

    /// Starts keeping a session up. Calling it again does nothing.
    func connect(for client: ChatClient) {
        guard phase == .idle else { return }
        self.client = client
        alarms.ring = { [weak client] alarm, number in await client?.perform { $0.rang(alarm, number) } }
        begin()
    }

    // Begins a new try. It gets a token first, so that this doesn't use up the server's time for `hello`.
    private func begin() {
        guard ending == nil else { return }
        isHeldOff = false
        connection += 1
        feed.begin(connection: connection)
        phase = .fetchingToken
        let number = connection
        Task { [weak client, fetch = settings.token, place = settings.resume] in
            do {
                let token = try await fetch()
                let resume = await place()
                await client?.perform { $0.dial(with: token, from: resume, number) }
            } catch {
                await client?.perform { $0.noToken(number) }
            }
        }
    }

    private func noToken(_ number: Int) {
        guard number == connection, phase == .fetchingToken else { return }
        lose(code: nil, "no token to connect with")
    }

    private func dial(with token: String, from resume: String?, _ number: Int) {
        guard number == connection, phase == .fetchingToken else { return }
        // An application's backend may give none, after an error of its own: that is tried again, like no answer.
        guard !token.isEmpty else { return noToken(number) }
        let named = TokenUser.of(token)
        guard !isOfAnother(named) else { return endAsAnother(named) }
        self.token = token
        self.resume = resume
        phase = .connecting
        alarms.set(.welcome, after: limits.welcomeTimeout)
        let inbox = Inbox(eventsMax: limits.inboxMax, bytesMax: limits.inboxBytesMax)
        do throws(SocketFailure) {
            let socket = try settings.connector.connect(to: settings.url) { inbox.post($0) }
            self.socket = socket
            requests.open(socket)
        } catch {
            return end(Ending(code: nil, reason: error.reason, isWanted: false))
        }
        self.inbox = inbox
        Task { [weak client] in
            while true {
                let events = await inbox.take()
                guard !events.isEmpty, let client else { return }
                await client.perform { $0.receive(events, number) }
            }
        }
    }

    // MARK: Incoming frames

    private func receive(_ events: [SocketEvent], _ number: Int) {
        for event in events {
            // Handling an event may have given up the connection.
            guard number == connection, socket != nil else { return }
            switch event {
            case .opened:
                guard phase == .connecting else { continue }
                phase = .greeting
                sayHello()
            case .text(let text):
                heardAt = settings.elapsed()
                text.withUnsafeBytes { receive($0) }
            case .closed(let code, let reason): closed(code, reason)
            case .failed(let reason, let isRefused): lose(code: nil, reason, isRefused: isRefused)
            }
        }
    }

    // Handles one message of the server, a reply or an event.
    private func receive(_ text: UnsafeRawBufferPointer) {
        guard let members = JSONMembers(parsing: text), let type = members.type else { return }
        guard !type.isReply else {
            guard let id = members.integer("re"), let complete = requests.take(id) else { return }
            guard type != .error else {
                let refusal = CommandRefusal(reading: members)
                // The clock of this device may have stood still while it slept.
                if refusal.is(.tokenExpired) { refreshToken() }
                return complete(.failure(.refused(refusal)))
            }
            feed.note(Answer(reading: members))
            return complete(.success(members))
        }
        guard let event = Event(reading: members), let reported = RoostEvent(event) else { return }
        if !take(event, reported) { lose(code: nil, "events aren't taken as fast as they come") }
    }

    // Returns false if there is no room for the event.
    private func take(_ event: Event, _ reported: RoostEvent) -> Bool {
        if case .drain(let wait) = event { askedWait = wait }
        if case .live(let position) = event { return feed.addLive(at: position) }
        guard let (position, time) = event.logged else { return feed.add(reported) }
        return feed.add(reported, position: position, time: time) { event in
            guard case .message(let message) = event, message.from == welcome?.user else { return true }
            return message.device != welcome?.device || !outgoing.settle(message)
        }
    }

    // Docs/Protocol.md, section 10. Codes that it doesn't name, except 4500–4999, come from the network or a proxy; and
    // so may 1002, which libwebsockets shows in place of a code that it doesn't know.
    private func closed(_ code: UInt16, _ text: String) {
        // The answer to `hello` says more than the close frame.
        let reason = refusedReason ?? text
        if phase == .leaving { return end(Ending(code: code, reason: "left", isWanted: true)) }
        switch code {
        case CloseCode.unsupportedData.rawValue, CloseCode.invalidText.rawValue, CloseCode.tooBig.rawValue,
            4_500..<5_000:
            end(Ending(code: code, reason: reason, isWanted: false))
        default: lose(code: code, reason.isEmpty ? "connection lost" : reason)
        }
    }

    // MARK: Hello

    private func sayHello() {
        let failure = requests.issue(.hello) { command in
            command.member("token", token)
            command.member("device", settings.device)
            if settings.isBackground { command.member("background", true) }
            if let resume { command.member("resume", resume) }
            if let heartbeat = settings.heartbeat {
                command.member("pingSeconds", max(1, heartbeat.ping.components.seconds))
                command.member("pongSeconds", max(1, heartbeat.pong.components.seconds))
            }
        } then: { [unowned self] in
            greeted($0)
        }
        if failure != nil { lose(code: nil, "hello can't be sent") }
    }

    private func greeted(_ reply: Result<JSONMembers, RoostFailure>) {
        guard phase == .greeting else { return }
        switch reply {
        case .success(let members):
            guard let welcome = Welcome(reading: members) else { return lose(code: nil, "not a welcome") }
            becomeReady(welcome)
        case .failure(.refused(let refusal)) where refusal.is(.badPosition) && resume != nil:
            // The log never gave it (section 6): without it, the relay's own cursor counts.
            resume = nil
            sayHello()
        case .failure(.refused(let refusal)):
            // A close code that says what to do follows at once.
            if refusal.is(.tokenExpired) || refusal.is(.unauthorized) || refusal.is(.forbidden) {
                return refusedReason = refusal.reason
            }
            guard refusal.isTemporary else {
                return end(Ending(code: nil, reason: refusal.reason, isWanted: false))
            }
            askedWait = refusal.retryAfter
            isHeldOff = askedWait != nil
            lose(code: nil, refusal.reason)
        case .failure: lose(code: nil, "no answer to hello")
        }
    }

    // The user of this client: the one set by the application, or the one of the first session. Waiting messages belong
    // to this user.
    private func isOfAnother(_ user: String?) -> Bool {
        guard let user, let mine = settings.user ?? welcome?.user else { return false }
        return user != mine
    }

    private func endAsAnother(_ named: String?) {
        let mine = settings.user ?? welcome?.user
        let reason = "the token is for \(named ?? "another user"), not for \(mine ?? "this one")"
        end(Ending(code: nil, reason: reason, isWanted: false, isOfAnotherUser: true))
    }

    private func becomeReady(_ welcome: Welcome) {
        guard !isOfAnother(welcome.user) else { return endAsAnother(welcome.user) }
        phase = .ready
        token = ""
        requests.becomeReady(bytesMax: welcome.limits.frameBytes)
        alarms.cancel(.welcome)
        readySince = settings.elapsed()
        heardAt = settings.elapsed()
        askedWait = nil
        if let before = self.welcome, before.epoch != welcome.epoch {
            feed.forgetSeen()
            standing.forgetReads()
        }
        self.welcome = welcome
        feed.tell(.connected(welcome, isResumed: resume != nil))
        alarms.set(.quiet, after: limits.quietTime)
        if let expires = welcome.expires { planRefresh(expires, now: welcome.time) }
        standing.tellAgain { [unowned self] in feed.tell($0) }
        outgoing.resume()
    }

    // MARK: Token

    private func planRefresh(_ expires: Timestamp, now: Timestamp) {
        let (left, overflow) = expires.milliseconds.subtractingReportingOverflow(now.milliseconds)
        // Ten years, so that no clock arithmetic overflows.
        let life = Duration.milliseconds(min(max(0, overflow ? .max : left), 315_360_000_000))
        // An application that returns the same token again must not be asked in a loop.
        alarms.set(.refresh, after: max(life - min(limits.refreshMargin, life / 5), limits.backoffFirst))
    }

    // Gets a new token and hands it to the server. If that fails, it tries again. If it keeps failing, the server
    // closes the connection, and the next one begins with a new token.
    private func refreshToken() {
        guard phase == .ready, !isRefreshing else { return }
        isRefreshing = true
        let number = connection
        Task { [weak client, fetch = settings.token] in
            do {
                let token = try await fetch()
                await client?.perform { $0.refresh(with: token, number) }
            } catch {
                await client?.perform { $0.refreshFailed(number) }
            }
        }
    }

    private func refresh(with token: String, _ number: Int) {
        guard number == connection, phase == .ready else { return }
        guard !token.isEmpty else { return refreshFailed(number) }
        let named = TokenUser.of(token)
        guard !isOfAnother(named) else { return endAsAnother(named) }
        let failure = requests.issue(.refresh, { $0.member("token", token) }) { [unowned self] reply in
            refreshed(reply, number)
        }
        if failure != nil { refreshFailed(number) }
    }

    private func refreshed(_ reply: Result<JSONMembers, RoostFailure>, _ number: Int) {
        guard number == connection, phase == .ready else { return }
        guard case .success(let members) = reply else { return refreshFailed(number) }
        isRefreshing = false
        if let expires = Answer(reading: members).expires, let welcome, let readySince {
            let since = (settings.elapsed() - readySince).wholeMilliseconds
            planRefresh(expires, now: Timestamp(milliseconds: welcome.time.milliseconds &+ since))
        }
        outgoing.resume()
    }

    private func refreshFailed(_ number: Int) {
        guard number == connection, phase == .ready else { return }
        isRefreshing = false
        alarms.set(.refresh, after: limits.backoffFirst + outgoing.nextWait())
    }

    // MARK: Time

    private func rang(_ alarm: Alarms.Kind, _ number: Int) {
        guard alarms.take(alarm, number) else { return }
        switch alarm {
        case .reconnect: begin()
        case .welcome: lose(code: nil, "no welcome in time")
        case .refresh: refreshToken()
        case .replies: if requests.giveUp(heardAt: heardAt) { lose(code: nil, "the server doesn't answer") }
        case .acks: feed.sendAck()
        case .outgoing: outgoing.resume()
        case .pace(let destination): outgoing.resume(destination)
        case .quiet: askForLife()
        case .goodbye: end(Ending(code: nil, reason: "left", isWanted: true))
        }
    }

    /// There may be a network again, or the application is in use again: tries at once what it would try later, and
    /// finds out soon whether a connection is still there.
    func wake() {
        switch phase {
        case .waiting:
            guard !isHeldOff else { return }
            backoff.reset()
            alarms.cancel(.reconnect)
            begin()
        case .ready: requests.issue(.ping)
        default: break
        }
    }

    /// Discards what this connection delivered, because another one begins.
    func restart(because reason: String) {
        if phase == .ready { lose(code: nil, reason) }
    }

    // The socket answers the server's pings unseen, so after a long silence the client sends its own.
    private func askForLife() {
        guard phase == .ready else { return }
        let silence = settings.elapsed() - heardAt
        guard silence >= limits.quietTime else { return alarms.set(.quiet, after: limits.quietTime - silence) }
        // If there is no answer in time, the connection is given up.
        requests.issue(.ping)
        alarms.set(.quiet, after: limits.quietTime)
    }

    // MARK: Ending

    /// Says `bye` if there is a session. Returns false if the session has ended; otherwise `leave` waits for the end.
    func disconnect() -> Bool {
        switch phase {
        case .ended: return false
        case .leaving: return true
        case .ready:
            feed.sendAck()
            phase = .leaving
            let failure = requests.transmit(.bye)
            alarms.set(.goodbye, after: limits.goodbyeTimeout)
            if failure == nil { return true }
        default: break
        }
        end(Ending(code: nil, reason: "left", isWanted: true))
        return false
    }

    /// Waits for the end of the session.
    func leave(_ leaver: CheckedContinuation<Void, Never>) { leavers.append(leaver) }

    // Gives up the connection and reconnects after a while.
    private func lose(code: UInt16?, _ reason: String, isRefused: Bool = false) {
        guard ending == nil else { return }
        if phase == .leaving { return end(Ending(code: code, reason: "left", isWanted: true)) }
        if let readySince, settings.elapsed() - readySince >= limits.backoffMax { backoff.reset() }
        letGo()
        guard !feed.isFull else {
            phase = .behind
            return feed.tell(.disconnected(Disconnection(code: code, reason: reason, willRetryIn: nil, isFinal: false)))
        }
        phase = .waiting
        let wait = askedWait.map { min($0, limits.askedWaitMax) } ?? random.wait(&backoff)
        askedWait = nil
        alarms.set(.reconnect, after: wait)
        feed.tell(
            .disconnected(
                Disconnection(code: code, reason: reason, willRetryIn: wait, isFinal: false, isRefused: isRefused)))
    }

    // Ends the session for good.
    private func end(_ ending: Ending) {
        guard self.ending == nil else { return }
        letGo()
        phase = .ended(ending)
        outgoing.end(ending)
        feed.end()
        feed.tell(
            .disconnected(
                Disconnection(
                    code: ending.code, reason: ending.reason, willRetryIn: nil, isFinal: true,
                    isOfAnotherUser: ending.isOfAnotherUser)))
        let leavers = leavers
        self.leavers = []
        for leaver in leavers { leaver.resume() }
    }

    private func letGo() {
        // Comes first, so that callers notified below don't believe there is still a session.
        phase = .waiting
        connection += 1
        alarms.cancelAll()
        inbox?.finish()
        inbox = nil
        socket?.close(code: CloseCode.normal.rawValue, reason: "")
        socket = nil
        readySince = nil
        token = ""
        refusedReason = nil
        isRefreshing = false
        requests.close()
        outgoing.connectionEnded()
        feed.begin(connection: connection)
        requests.failAll()
    }
}
