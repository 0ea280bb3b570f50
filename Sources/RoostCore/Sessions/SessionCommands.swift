import RoostFraming
import RoostWire

/// The life of a session: `hello`, `refresh`, `ping`, `bye`, and what follows when it ends. Loop thread only.
final class SessionCommands {
    private let sessions: Sessions
    private let ends: DeviceEnds
    private let prices: Prices
    private let arrivals: Arrivals
    private let directory: Directory
    private let journal: Journal
    private let delivery: Delivery
    private let catchUp: CatchUp
    private let receipts: ReceiptCommands
    private let presence: PresenceCommands
    private let privacy: PrivacyCommands
    private let profiles: ProfileNews
    private let contacts: ContactCommands
    private let operators: OperatorCommands
    private let signIns: SignIns
    private let typing: TypingCommands
    private let replies: Replies
    private let welcome: WelcomeFrame
    private let builder: FrameBuilder
    private let random: RandomSource
    private let counters: Counters
    var comings = Comings()
    private let pingFrame = FrameBuilder.ping()

    init(
        sessions: Sessions, ends: DeviceEnds, prices: Prices, arrivals: Arrivals, directory: Directory,
        journal: Journal, delivery: Delivery, catchUp: CatchUp, receipts: ReceiptCommands,
        presence: PresenceCommands, privacy: PrivacyCommands, profiles: ProfileNews, contacts: ContactCommands,
        operators: OperatorCommands, signIns: SignIns, typing: TypingCommands, replies: Replies,
        welcome: WelcomeFrame, builder: FrameBuilder, random: RandomSource, counters: Counters
    ) {
        self.sessions = sessions
        self.ends = ends
        self.prices = prices
        self.arrivals = arrivals
        self.directory = directory
        self.journal = journal
        self.delivery = delivery
        self.catchUp = catchUp
        self.receipts = receipts
        self.presence = presence
        self.privacy = privacy
        self.profiles = profiles
        self.contacts = contacts
        self.operators = operators
        self.signIns = signIns
        self.typing = typing
        self.replies = replies
        self.welcome = welcome
        self.builder = builder
        self.random = random
        self.counters = counters
    }

    // MARK: Commands

    func hello(_ hello: Command.Hello, _ id: CommandID?, _ session: Session) throws(Refusal) {
        guard journal.isOpen else { throw journal.unavailable() }
        let said = Sessions.Hello(
            id: id, device: hello.device?.string, isBackground: hello.isBackground,
            isOperator: hello.isOperator, resume: hello.resume,
            pingSeconds: hello.pingSeconds, pongSeconds: hello.pongSeconds)
        try sessions.verify(hello.token, said, of: session)
    }

    func refresh(_ token: Text, _ id: CommandID?, _ session: Session) throws(Refusal) {
        try sessions.verify(token, .init(id: id, isRefresh: true), of: session)
    }

    func ping(_ id: CommandID?, _ session: Session, _ now: Moment) {
        builder.begin("pong")
        builder.reply(to: id)
        builder.member("time", now.wall.milliseconds)
        delivery.reply(builder.finish(), to: session)
    }

    func bye(_ id: CommandID?, _ session: Session) {
        replies.accept(id, session)
        delivery.shut(session, .normal)
    }

    /// Lists the user's own devices, and why absent ones are away.
    func devices(_ id: CommandID?, _ session: Session) throws(Refusal) {
        let (user, _) = try session.speaker()
        builder.begin("ok")
        builder.reply(to: id)
        builder.beginArray("devices")
        for device in user.devices {
            builder.beginObject()
            builder.member("device", plain: device.name)
            builder.member("state", word: device.session?.presence.activity.word ?? "offline")
            if device.session != nil { builder.member("since", device.connectedAt.milliseconds) }
            if let ended = device.ends.last { builder.ended(ended) }
            builder.endObject()
        }
        builder.endArray()
        delivery.reply(builder.finish(), to: session)
    }

    /// Refuses a command. A session that sends too many malformed ones, or goes on although it is asked to wait, is
    /// closed.
    func refuse(_ refusal: Refusal, _ id: CommandID?, _ session: Session, _ now: Moment) {
        var refusal = refusal
        if refusal.id == nil { refusal.id = id }
        replies.refuse(refusal, session)
        if sessions.isMalformed(refusal) { prices.charge(1, to: session, at: now) }
        if sessions.isMalformedTooOften(refusal, session) { delivery.shut(session, .malformed) }
        if prices.isRefusedTooOften(session) { delivery.shut(session, .rateLimited) }
    }

    // MARK: Tokens

    /// Handles the result of checking a token.
    func checked(_ id: SessionID, _ result: Result<Grant, Refusal>, at now: Moment) {
        switch sessions.checked(id, result, at: now) {
        case .nobody: return
        case .rejected(let rejected): refuse(rejected, at: now)
        case .verified(let verified):
            do throws(Refusal) {
                if verified.hello.isRefresh { try renew(verified, at: now) } else { try begin(verified, at: now) }
            } catch {
                refuse(sessions.reject(error, verified.hello, of: verified.session), at: now)
            }
        }
    }

    private func refuse(_ rejected: Sessions.Rejected, at now: Moment) {
        replies.refuse(rejected.refusal, rejected.session)
        // Each has cost the check of a token, whatever else was wrong.
        prices.noteRefusal(of: rejected.session, at: now)
        if let code = rejected.code {
            delivery.shut(rejected.session, code)
        } else if prices.isRefusedTooOften(rejected.session) {
            delivery.shut(rejected.session, .rateLimited)
        }
    }

    private func renew(_ verified: Sessions.Verified, at now: Moment) throws(Refusal) {
        let (session, grant) = (verified.session, verified.grant)
        if session.user == nil, let name = session.operatorName {
            guard grant.isOperator || grant.isService, grant.user == name else {
                throw Refusal(.forbidden, "the token isn't this operator's")
            }
        } else {
            let (user, device) = try session.speaker()
            guard grant.user == user.name, grant.device ?? device.name == device.name else {
                throw Refusal(.forbidden, "the token is for another user or device")
            }
        }
        try directory.user(called: grant.user)?.revoked.check(grant, device: session.device?.name)
        try signIns.check(grant, for: session, at: now)
        signIns.move(session, to: grant.signIn)
        session.permit(grant)
        // The stream goes with the right to ask for it.
        if !grant.isOperator { operators.statistics.end(session) }
        sessions.renew(session, until: verified.endsAt)
        builder.begin("ok")
        builder.reply(to: verified.hello.id)
        builder.member("expires", grant.expires.milliseconds)
        delivery.reply(builder.finish(), to: session)
    }

    /// Begins a session that belongs to no user.
    private func beginOperator(_ verified: Sessions.Verified, at now: Moment) throws(Refusal) {
        let (session, hello, grant) = (verified.session, verified.hello, verified.grant)
        guard grant.isOperator || grant.isService else {
            throw Refusal(.forbidden, "operator: only for a token whose scope has the word admin or service")
        }
        try directory.user(called: grant.user)?.revoked.check(grant, device: nil)
        try signIns.check(grant, for: session, at: now)
        try operators.checkRoom()
        signIns.move(session, to: grant.signIn)
        session.begin(asOperator: grant)
        operators.begin(session)
        comings.note(session, at: now)
        sessions.setHeartbeat(of: session, hello)
        sessions.renew(session, until: verified.endsAt)
        let frame = welcome.frame(
            forOperator: session, until: grant.expires, head: journal.head, re: hello.id, at: now)
        delivery.reply(frame, to: session)
    }

    private func begin(_ verified: Sessions.Verified, at now: Moment) throws(Refusal) {
        let (session, hello, grant) = (verified.session, verified.hello, verified.grant)
        guard journal.isOpen else { throw journal.unavailable() }
        if hello.isOperator { return try beginOperator(verified, at: now) }
        guard grant.user.utf8.first != UInt8(ascii: "@") else {
            throw Refusal(.forbidden, "a name that begins with @ is no user's; say operator: true")
        }
        if let fixed = grant.device, let said = hello.device, fixed != said {
            throw Refusal(.forbidden, "the token is for another device")
        }
        guard let deviceName = grant.device ?? hello.device else {
            throw Refusal(.badRequest, "device is missing; neither the token nor hello names one")
        }
        if let resume = hello.resume, resume > journal.head {
            throw Refusal(
                .badPosition, "resume: the server never gave this position; leave it out to start from the last ack")
        }
        if let known = directory.user(called: grant.user) {
            try known.revoked.check(grant, device: deviceName)
            guard !known.isDeleted else { throw Refusal(.unauthorized, "the user has left for good") }
        }
        try signIns.check(grant, for: session, at: now)
        // A newcomer has nothing to catch up with, and no watchers.
        if let known = directory.user(called: grant.user) {
            try arrivals.pay(for: known, told: presence.audience(of: known), at: now)
        }
        try directory.checkNewcomer(grant.user)
        let user = try directory.introduce(grant.user)
        let (device, forgotten) = try directory.device(named: deviceName, of: user, at: now)
        if let forgotten { receipts.forget(forgotten) }
        takeOver(device, at: now)
        let isNew = device.isNew
        count(hello.resume, of: device)
        if let resume = hello.resume { receipts.resume(device, from: resume, at: now) }

        signIns.move(session, to: grant.signIn)
        session.begin(as: user, on: device)
        session.permit(grant)
        device.connect(session, at: now)
        ends.noteBegin(of: device, at: now)
        user.add(session, delivery.settle())
        counters.sessions.opened += 1
        comings.note(session, at: now)
        prices.charge(1, to: session, at: now)
        session.feed.fallBehind()
        counters.behind.sessions += 1
        sessions.setHeartbeat(of: session, hello)
        sessions.renew(session, until: verified.endsAt)
        let frame = welcome.frame(
            for: session, user, device, isNew: isNew, badge: receipts.badges.begin(user, at: now),
            until: grant.expires, head: journal.head, re: hello.id, at: now)
        delivery.reply(frame, to: session)
        presence.begin(session, of: device, as: hello.isBackground ? .background : .active, at: now)
        joinNews.begin(session, of: user)
        catchUp.begin(session, at: now)
    }

    private func count(_ resume: Position?, of device: Device) {
        if device.isNew {
            counters.sessions.new += 1
        } else if let resume {
            if resume < device.cursor { counters.sessions.rewound += 1 } else { counters.sessions.resumed += 1 }
        } else {
            counters.sessions.known += 1
        }
    }

    /// A second connection of a device takes over. No watcher sees the user leave.
    private func takeOver(_ device: Device, at now: Moment) {
        guard let old = device.giveWay() else { return }
        counters.sessions.takeovers += 1
        ends.noteEnd(of: device, .takeover, at: now)
        presence.giveWay(old, of: device.user, at: now)
        delivery.shut(old, .takenOver)
        takeOutEnded(at: now)
    }

    // MARK: Time

    /// Pings silent sessions and closes those whose time is over.
    func tick(at now: Moment) {
        sessions.tick(at: now.monotonic) { session, due in
            switch due {
            case .ping: delivery.reply(pingFrame, to: session)
            case .close(let code): delivery.shut(session, code)
            }
        }
        takeOutEnded(at: now)
        for mutation in ends.takeDue(at: now.monotonic) { journal.store(mutation) }
    }

    /// When to call `tick` next, in monotonic milliseconds.
    var nextDeadline: Int64 { min(sessions.nextDeadline ?? .max, ends.nextDeadline) }

    /// Everything in the outbox has left for the network. The session now gets the states it is owed, then the events
    /// it has missed.
    func drained(_ session: Session, at now: Moment) {
        guard session.phase == .ready else { return }
        tellOwed(to: session, at: now)
        // The owed states may have been too much.
        guard session.phase == .ready, session.feed.state == .behind else { return }
        catchUp.goOn(session, at: now)
    }

    /// Sends the present state of everything that was held back.
    private func tellOwed(to session: Session, at now: Moment) {
        var users: [User] = []
        var counts: [ConversationNumber] = []
        for key in delivery.takeOwed(session) {
            switch key {
            case .typing(let conversation, let number):
                guard typing.isTold(session), let conversation = joined(conversation, session),
                    let user = directory.user(number)
                else { continue }
                delivery.deliver(typing.frame(user, in: conversation, for: session), key, to: session)
            case .severalTyping(let conversation):
                guard typing.isTold(session), let conversation = joined(conversation, session) else { continue }
                delivery.deliver(typing.frameOfSeveral(in: conversation), key, to: session)
            case .receipt(let conversation, let number):
                guard let member = joined(conversation, session)?.member(number) else { continue }
                if let frame = receipts.frame(member, for: session) { delivery.deliver(frame, key, to: session) }
            case .presence(let number):
                if presence.isTold(session, of: number), let user = directory.user(number) { users.append(user) }
            case .profile(let number):
                if let user = directory.user(number), profiles.isTold(session, of: user) {
                    delivery.deliver(profiles.frame(of: user), key, to: session)
                }
            case .count(let conversation): counts.append(conversation)
            case .privacy:
                if let user = session.user { delivery.deliver(privacy.own(user), key, to: session) }
            case .contact(let number):
                guard let user = session.user, let other = directory.user(number) else { continue }
                delivery.deliver(contacts.event(of: other, for: user), key, to: session)
            case .prospects:
                if let user = session.user { delivery.deliver(contacts.prospectsEvent(of: user), key, to: session) }
            case .joins(let number):
                guard let frame = joins(number, session) else { continue }
                delivery.deliver(frame, key, to: session)
            case .badge:
                if let frame = session.user.flatMap(receipts.badges.frame) { delivery.deliver(frame, key, to: session) }
            case .status:
                if let user = session.user { delivery.deliver(presence.status.own(user), key, to: session) }
            }
        }
        if !users.isEmpty { presence.show(users, to: session, at: now) }
        if !counts.isEmpty { presence.showCounts(counts, to: session, at: now) }
    }

    /// The conversation, if the user is still a member. Events held back may be older than the membership.
    private func joined(_ number: ConversationNumber, _ session: Session) -> Conversation? {
        guard let user = session.user, user.conversations[number] != nil else { return nil }
        return directory.conversation(number)
    }

    /// The present number of users who wait for a group, or of the groups that the session's user waits for.
    private func joins(_ number: ConversationNumber, _ session: Session) -> Frame? {
        guard let user = session.user else { return nil }
        guard number != .none else { return joinNews.frame(of: user) }
        guard let group = joined(number, session), group.member(user.number)?.role ?? .member >= .admin
        else { return nil }
        return joinNews.frame(of: group)
    }

    private var joinNews: JoinNews { JoinNews(directory: directory, delivery: delivery, builder: builder) }

    // MARK: The end

    /// Sends every session a time to reconnect, spread over `spread` milliseconds so that they don't all come at once.
    func announceDrain(over spread: Int64) {
        for session in sessions.sorted where session.phase != .ended {
            builder.begin("drain")
            builder.member("after", 500 + Int64(random.number(below: UInt64(max(1, spread)))))
            delivery.reply(builder.finish(), to: session)
        }
    }

    /// Closes all sessions in order.
    func shutAll() {
        for session in sessions.sorted { delivery.shut(session, .drain) }
    }

    /// The relay stops, and all sessions have ended.
    func storeEnds() {
        for mutation in ends.takeAll() { journal.store(mutation) }
    }

    /// The connection is gone.
    func close(_ session: Session, as reason: EndReason, at now: Moment) {
        sessions.remove(session)
        if session.phase != .ended {
            delivery.noteEnd(of: session)
            session.end(reason)
        }
        takeOut(session, at: now)
        session.outbox.removeAll()
        session.heldBytes = 0
        delivery.edge.noteWritten(session)
        session.attachment = nil
    }

    /// Removes ended sessions from everything that delivers to them.
    func takeOutEnded(at now: Moment) {
        while let session = delivery.takeEnded() { takeOut(session, at: now) }
    }

    private func takeOut(_ session: Session, at now: Moment) {
        guard session.takeOut() else { return }
        sessions.forget(session)
        catchUp.forget(session)
        signIns.remove(session)
        presence.forget(session, at: now)
        let reason = session.endReason ?? .cut
        comings.note(session, ended: reason, at: now)
        guard session.userName != nil else {
            counters.sessions.strangersEnds[Int(reason.rawValue)] += 1
            return
        }
        counters.sessions.ended += 1
        counters.sessions.ends[Int(reason.rawValue)] += 1
        operators.forget(session)
        guard let user = session.user, let device = session.device else { return }
        user.remove(session, delivery.settle())
        typing.stop(user)
        // Another session may have taken over the device.
        guard device.session === session else { return }
        device.disconnect(at: now.monotonic)
        ends.noteEnd(of: device, reason, at: now)
        // A device whose tokens were revoked isn't waited for.
        let mayReturn = reason != .bye && session.closing != .revoked
        presence.end(session, of: device, mayReturn: mayReturn, at: now)
        user.forgetDevicesIfGone(journal)
    }
}
