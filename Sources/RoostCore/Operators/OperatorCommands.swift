import RoostFraming
import RoostWire

/// `admin.*`: what operators ask and have done. Loop thread only.
final class OperatorCommands {
    /// The limits of these commands.
    struct Bounds {
        /// Sessions of operators at once.
        let sessions: Int
        /// Rows of a page whose command names no limit.
        let rows: Int
        /// Bytes at which a page ends early.
        let bytes: Int
        /// Users looked at for one page of those who are here.
        let usersLookedAt: Int
        /// Devices of a user that may be revoked one by one.
        let revokedDevices: Int
        /// The wait that a refused operator is asked for.
        let retryMilliseconds: Int64

        init(_ limits: Limits) {
            sessions = limits.operatorsMax
            rows = limits.historyDefault
            bytes = limits.pageBytes
            usersLookedAt = limits.peopleLookedAt
            revokedDevices = limits.devicesPerUser
            retryMilliseconds = limits.busyRetryMilliseconds
        }
    }

    private let bounds: Bounds
    private let directory: Directory
    private let journal: Journal
    private let delivery: Delivery
    private let reads: Reads
    private let replies: Replies
    private let builder: FrameBuilder
    private let counters: Counters
    private let signIns: SignIns
    let feeds: FeedCommands
    let erasures: ErasureCommands
    private let profiles: ProfileCommands
    let farewells: Farewells
    let reports: ReportCommands
    let invites: InviteCommands
    private let person: PersonReport
    private let whereabouts: WhereaboutsReport
    private let finding: FindReport
    let statistics: Statistics
    private var deeds: [OperatorDeed] = []
    /// Sessions that belong to no user.
    private var operators = OrderedTable<SessionID, Session>()

    init(
        _ bounds: Bounds, _ directory: Directory, _ journal: Journal, _ delivery: Delivery, _ reads: Reads,
        _ replies: Replies, _ counters: Counters, _ signIns: SignIns, _ feeds: FeedCommands,
        _ erasures: ErasureCommands, _ profiles: ProfileCommands, _ farewells: Farewells,
        _ reports: ReportCommands, _ invites: InviteCommands, _ finding: FindReport.Bounds, _ statistics: Statistics
    ) {
        self.bounds = bounds
        self.directory = directory
        self.journal = journal
        self.delivery = delivery
        self.reads = reads
        self.replies = replies
        self.counters = counters
        self.statistics = statistics
        self.signIns = signIns
        self.feeds = feeds
        self.erasures = erasures
        self.profiles = profiles
        self.farewells = farewells
        self.reports = reports
        self.invites = invites
        builder = replies.builder
        person = PersonReport(builder)
        self.finding = FindReport(finding, directory, profiles, invites, builder)
        whereabouts = WhereaboutsReport(directory, builder, bytes: bounds.bytes)
    }

    /// The process around the relay, once there is one.
    weak var host: (any Surroundings)? {
        didSet { statistics.host = host }
    }

    /// Returns what operators had done since the last call.
    func takeDeeds() -> [OperatorDeed] {
        guard !deeds.isEmpty else { return [] }
        defer { deeds.removeAll() }
        return deeds
    }

    // MARK: Sessions

    /// Checks that there may be one more session of an operator.
    /// - Throws: `busy`.
    func checkRoom() throws(Refusal) {
        guard operators.count < bounds.sessions else {
            throw Refusal(
                .busy, "there are already \(bounds.sessions) operators",
                retryAfterMilliseconds: bounds.retryMilliseconds)
        }
    }

    /// The session has begun, and belongs to no user.
    func begin(_ session: Session) {
        operators[session.id] = session
        counters.sessions.opened += 1
        counters.sessions.openedByOperators += 1
        counters.sessions.operators = operators.count
    }

    /// The session has ended.
    func forget(_ session: Session) {
        statistics.end(session)
        feeds.forget(session)
        erasures.forget(session)
        operators[session.id] = nil
        counters.sessions.operators = operators.count
    }

    // MARK: Commands

    func perform(
        _ command: OperatorCommand, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        let name = try session.check(command)
        try checkNotOwn(command, name, session)
        switch command {
        case .people(let after, let limit): people(after, limit ?? bounds.rows, id, session)
        case .person(let user): try show(user, id, session, now)
        case .whereabouts(let asked): try ask(asked, id, session)
        case .find(let prefix, let after, let limit): try find(prefix, after, limit, id, session, now)
        case .disconnect(let user, let device):
            let target = try target(user, device)
            let sessions = target.sessions
            let kind = OperatorDeed.Kind.disconnect(
                user: target.user.name, device: target.device, sessions: sessions.count)
            deeds.append(OperatorDeed(name: name, kind: kind))
            close(sessions, .disconnected, id, session)
        case .revoke(let user, let device, let isUnknown):
            try revoke(user, device, isUnknown: isUnknown, by: name, id, session, now)
        case .endSignIn(let signIn, let until): try end(signIn, until, by: name, id, session, now)
        case .feed(let asked): try feeds.feed(asked, id, session, now)
        case .ackFeed(let consumer, let position): try feeds.ack(consumer, position, id, session, now)
        case .forgetFeed(let consumer): try feeds.forget(consumer, id, session, now)
        case .states(let users): states(of: users, id, session)
        case .eraseMessages(let user, let after, let until):
            let user = try erasures.erase(messagesOf: user, after: after, until: until, id, session)
            // One line for all of its pages.
            if after == nil { deeds.append(OperatorDeed(name: name, kind: .eraseMessages(user: user.name))) }
        case .eraseConversation(let conversation):
            let erased = try erasures.erase(conversation: conversation, by: name, id, session, now)
            deeds.append(OperatorDeed(name: name, kind: .eraseConversation(erased.id)))
        case .profile(let user, let change, let isDeleted):
            try profiles.give(user, change, isDeleted: isDeleted, id, session, now)
            if isDeleted == true { farewells.begin(user, at: now) }
        case .introduce(let user, let inviter):
            try invites.introductions.introduce(user, to: inviter, id, session, now)
        case .showInvitation(let code): try invites.show(code, id, session, now)
        case .reports(let after, let limit, let state): reports.list(after: after, limit: limit, state, id, session)
        case .showReport(let number):
            try reports.show(number, id, session)
            deeds.append(OperatorDeed(name: name, kind: .readReport(number)))
        case .removeReported(let number):
            try reports.remove(number, id, session, now)
            deeds.append(OperatorDeed(name: name, kind: .removeReported(number)))
        case .closeReport(let number, let note, let by):
            guard by == nil || session.handsOn else { throw Refusal(.forbidden, "by: only for services") }
            try replies.held.reserve()
            try reports.close(number, note: note, by: by?.string ?? name, now)
            deeds.append(OperatorDeed(name: name, kind: .closeReport(number)))
            replies.acceptOnceStored(id, session, at: now)
        case .drain:
            deeds.append(OperatorDeed(name: name, kind: .drain))
            replies.accept(id, session)
        case .statistics(let isActive, let limit):
            guard isActive else {
                statistics.end(session)
                return replies.accept(id, session)
            }
            try statistics.begin(for: session, atMost: bounds.sessions)
            builder.begin("ok")
            builder.reply(to: id)
            builder.beginObject("statistics")
            statistics.writeKept(atMost: limit ?? .max, to: builder)
            builder.endObject()
            delivery.reply(builder.finish(), to: session)
        }
    }

    // MARK: Looking

    private func find(
        _ prefix: Text, _ after: Text?, _ limit: Int?, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        let last = try finding.place(after: after)
        builder.begin("ok")
        builder.reply(to: id)
        builder.beginObject("found")
        finding.write(prefix, behind: last, limit: limit, at: now)
        builder.endObject()
        delivery.reply(builder.finish(), to: session)
    }

    private func people(_ after: Text?, _ rows: Int, _ id: CommandID?, _ session: Session) {
        builder.begin("ok")
        builder.reply(to: id)
        builder.beginObject("people")
        let here = counters.presence
        builder.member("online", Int64(here.online))
        builder.member("away", Int64(here.away))
        builder.member("busy", Int64(here.busy))
        builder.member("offline", Int64(counters.users - here.online - here.away - here.busy))
        builder.beginArray("users")
        // An unknown user has been forgotten; the list then begins anew.
        var place = after.flatMap(directory.user(named:))?.number ?? .none
        var (written, looked) = (0, 0)
        var last: User?
        while let user = directory.nextUser(after: place) {
            guard written < rows, looked < bounds.usersLookedAt else { break }
            (place, last, looked) = (user.number, user, looked + 1)
            guard user.presence.announced.state != .offline || !user.sessions.isEmpty else { continue }
            written += 1
            person.write(user)
        }
        builder.endArray()
        if let last, directory.nextUser(after: place) != nil { builder.member("next", plain: last.name) }
        builder.endObject()
        delivery.reply(builder.finish(), to: session)
    }

    private func states(of names: [Text], _ id: CommandID?, _ session: Session) {
        builder.begin("ok")
        builder.reply(to: id)
        builder.beginArray("users")
        for name in names { person.write(stateOf: directory.naming.person(named: name), named: name) }
        builder.endArray()
        delivery.reply(builder.finish(), to: session)
    }

    private func show(_ name: Text, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        guard let user = directory.naming.person(named: name) else {
            throw Refusal(.notFound, "user: nobody has this name")
        }
        builder.begin("ok")
        builder.reply(to: id)
        builder.beginObject("person")
        person.write(user, in: host, at: now)
        builder.member("head", journal.head)
        builder.endObject()
        delivery.reply(builder.finish(), to: session)
    }

    private func ask(
        _ asked: OperatorCommand.Whereabouts, _ id: CommandID?, _ session: Session
    ) throws(Refusal) {
        try reads.check(session)
        let page = WhereaboutsReport.Page(
            position: asked.position, after: asked.after?.string, rows: asked.limit ?? bounds.rows)
        let question: Read.Question
        switch asked.event {
        case .position(let position):
            guard position > .start, position <= journal.head else { throw WhereaboutsReport.notFound }
            question = .feed(FeedRequest(after: Position(position.value - 1), rows: 1))
        case .message(let name, let sequence):
            guard let conversation = directory.conversation(named: name), sequence <= conversation.lastSequence
            else { throw WhereaboutsReport.notFound }
            question = .latest(LatestRequest(messages: [(conversation.number, sequence)]))
        }
        reads.ask(question, for: .whereabouts(session, id, page))
    }

    /// The log has answered where an event is.
    func answered(
        _ result: ReadResult, _ page: WhereaboutsReport.Page, _ id: CommandID?, _ session: Session
    ) {
        guard session.phase == .ready else { return }
        do throws(Refusal) {
            guard !result.isFailed else { throw Refusal(.unavailable, "the store could not be read") }
            let place = try whereabouts.find(page, in: result)
            builder.begin("ok")
            builder.reply(to: id)
            builder.beginObject("whereabouts")
            whereabouts.write(place, page)
            builder.endObject()
            delivery.reply(builder.finish(), to: session)
        } catch {
            replies.refuse(Refusal(error.code, error.reason, id: id), session)
        }
    }

    // MARK: Doing

    /// Checks that a service doesn't end its own sessions at a user's request: it would hand on nothing meanwhile,
    /// neither the end of a sign-in nor a message.
    /// - Throws: `forbidden`.
    private func checkNotOwn(_ command: OperatorCommand, _ name: String, _ session: Session) throws(Refusal) {
        guard session.handsOn else { return }
        switch command {
        case .disconnect(let user, _), .revoke(let user, _, _):
            guard user.string != name else { throw Refusal(.forbidden, "user: this is the service's own name") }
        default: return
        }
    }

    private func target(
        _ name: Text, _ device: Text?
    ) throws(Refusal) -> (user: User, device: String?, sessions: [Session]) {
        guard let user = directory.user(named: name) else { throw Refusal(.notFound, "user: nobody has this name") }
        guard let device = device?.string else { return (user, nil, user.sessions) }
        guard let found = user.device(named: device) else {
            throw Refusal(.notFound, "device: the user has no such device")
        }
        return (user, device, [found.session].compactMap { $0 })
    }

    /// Refuses tokens from now on, also those of a device that never came, or of a user if that is said or if unknown
    /// names aren't refused.
    private func revoke(
        _ name: Text, _ device: Text?, isUnknown: Bool, by operatorName: String, _ id: CommandID?, _ session: Session,
        _ now: Moment
    ) throws(Refusal) {
        try replies.held.checkRoom()
        guard
            isUnknown || directory.policy.rules.unknown == .allow || directory.user(named: name) != nil
                || operators.values.contains(where: { $0.operatorName == name.string })
        else { throw Refusal(.notFound, "user: nobody has this name") }
        let user = try directory.introduce(name.string)
        let device = device?.string
        if let device, !user.revoked.hasRoom(for: device, atMost: bounds.revokedDevices) {
            throw Refusal(
                .tooLarge, "device: \(bounds.revokedDevices) devices of this user are revoked; revoke the user")
        }
        let sessions =
            if let device {
                [user.device(named: device)?.session].compactMap { $0 }
            } else {
                user.sessions + operators.values.filter { $0.operatorName == user.name }
            }
        user.revoked.revoke(device, at: now.wall)
        journal.store(.revoke(user.number, device: device, now.wall))
        // Also those that an intruder may have made.
        if device == nil { directory.invites.endAll(of: user, journal) }
        deeds.append(
            OperatorDeed(
                name: operatorName, kind: .revoke(user: user.name, device: device, sessions: sessions.count)))
        revoke(sessions, id, session, isStoring: true, now)
    }

    /// Refuses the tokens of a sign-in from now on.
    private func end(
        _ name: Text, _ wanted: Timestamp?, by operatorName: String, _ id: CommandID?, _ session: Session,
        _ now: Moment
    ) throws(Refusal) {
        try replies.held.checkRoom()
        let name = name.string
        let until = try signIns.end(of: name, wanted: wanted, at: now)
        let sessions = signIns.sessions(of: name)
        // One that has passed already only closes connections.
        let isStoring = until > now.wall
        if isStoring {
            signIns.end(name, until: until, at: now.monotonic)
            journal.store(.endSignIn(name, until: until))
        }
        deeds.append(OperatorDeed(name: operatorName, kind: .endSignIn(name, sessions: sessions.count)))
        revoke(sessions, id, session, isStoring: isStoring, now)
    }

    /// Closes the sessions, and answers when the revocation is stored: until then the session that asked stays, even if
    /// it is one of them.
    private func revoke(
        _ sessions: [Session], _ id: CommandID?, _ session: Session, isStoring: Bool, _ now: Moment
    ) {
        for other in sessions where other !== session { delivery.shut(other, .revoked) }
        let (closed, endsItself) = (sessions.count, sessions.contains { $0 === session })
        let answer = { [unowned self] (isStored: Bool) in
            builder.begin("ok")
            builder.reply(to: id)
            builder.member("closed", Int64(closed))
            if !isStored { builder.member("unstored", true) }
            delivery.reply(builder.finish(), to: session)
            if endsItself { delivery.shut(session, .revoked) }
        }
        guard isStoring else { return answer(true) }
        replies.held.hold(session, .init(answer: answer, isUrgent: true), at: now)
    }

    /// When to call `tick` next, in monotonic milliseconds.
    var nextDeadline: Int64 {
        min(statistics.nextDeadline, signIns.nextDeadline, feeds.nextDeadline, farewells.nextDeadline)
    }

    /// Takes samples, and forgets sign-ins whose tokens have expired.
    func tick(at now: Moment) {
        statistics.tick(at: now)
        feeds.tick(at: now.monotonic)
        if farewells.nextDeadline <= now.monotonic { farewells.goOn(at: now) }
        if let forgotten = signIns.tick(at: now) { journal.store(.forgetSignIns(upTo: forgotten)) }
    }

    /// Answers, and then closes the sessions, of which the operator's own may be one.
    private func close(
        _ sessions: [Session], _ code: CloseCode, _ id: CommandID?, _ session: Session
    ) {
        builder.begin("ok")
        builder.reply(to: id)
        builder.member("closed", Int64(sessions.count))
        delivery.reply(builder.finish(), to: session)
        for session in sessions { delivery.shut(session, code) }
    }
}

extension OperatorCommand.Whereabouts {
    /// The position by which the event is named, if it is.
    fileprivate var position: Position? {
        if case .position(let position) = event { position } else { nil }
    }
}
