import DequeModule
import RoostWire

/// `hello`, `refresh`, `ping`, `bye`: who is there, for how long, and how it goes.
extension Relay {
    func greet(_ hello: Command.Hello, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        guard journal.isOpen else { throw journal.unavailable() }
        session.phase = .verifying
        session.hello = PendingHello(
            id: id, device: hello.device?.string, isBackground: hello.isBackground, resume: hello.resume,
            isRefresh: false)
        verifications.append(Verification(session: session.id, token: hello.token.string))
    }

    func refresh(_ token: Text, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        guard session.hello == nil else { throw Refusal(.conflict, "a refresh is under way") }
        session.hello = PendingHello(id: id, device: nil, isBackground: false, resume: nil, isRefresh: true)
        verifications.append(Verification(session: session.id, token: token.string))
    }

    func pong(_ id: CommandID?, _ session: Session, _ now: Moment) {
        builder.begin("pong")
        builder.reply(to: id)
        builder.member("time", now.wall.milliseconds)
        reply(builder.finish(), to: session, at: now)
    }

    func bye(_ id: CommandID?, _ session: Session, _ now: Moment) {
        accept(id, session, now)
        shut(session, .normal, isClean: true, at: now)
    }

    /// Tokens to be checked elsewhere, a few at a time; each is answered by `verified`.
    public func takeVerifications() -> [Verification] {
        var taken: [Verification] = []
        while verificationsUnderWay < limits.verificationsAtOnce, let next = verifications.popFirst() {
            verificationsUnderWay += 1
            taken.append(next)
        }
        return taken
    }

    /// A token was checked.
    public func verified(_ id: SessionID, _ result: Result<Grant, Refusal>, at now: Moment) {
        deliverRun()
        arrivals += 1
        verificationsUnderWay = max(0, verificationsUnderWay - 1)
        guard let session = sessions[id], session.phase != .ended, let hello = session.hello else { return }
        session.hello = nil
        do throws(Refusal) {
            let grant = try result.get()
            let remaining = grant.expires.milliseconds.subtractingReportingOverflow(now.wall.milliseconds)
            guard !remaining.overflow, remaining.partialValue > 0 else {
                throw Refusal(.tokenExpired, "the token has expired")
            }
            let ends = now.monotonic.addingReportingOverflow(remaining.partialValue)
            if hello.isRefresh {
                try renew(session, grant, endsAt: ends.overflow ? Int64.max : ends.partialValue, hello, now)
            } else {
                try welcome(session, grant, endsAt: ends.overflow ? Int64.max : ends.partialValue, hello, now)
            }
        } catch {
            var refusal = error
            refusal.id = hello.id
            refuse(refusal, to: session, at: now)
            guard !hello.isRefresh else { return }
            switch refusal.code {
            case .unauthorized, .forbidden: shut(session, .unauthorized, at: now)
            case .tokenExpired: shut(session, .tokenExpired, at: now)
            default: session.phase = .awaitingHello
            }
        }
    }

    private func renew(
        _ session: Session, _ grant: Grant, endsAt: Int64, _ hello: PendingHello, _ now: Moment
    ) throws(Refusal) {
        let (user, device) = try speaker(session)
        guard grant.user == user.name, grant.device ?? device.name == device.name else {
            throw Refusal(.forbidden, "the token is for another user or device")
        }
        session.tokenEndsAt = endsAt
        schedule(session, at: now)
        builder.begin("ok")
        builder.reply(to: hello.id)
        builder.member("expires", grant.expires.milliseconds)
        reply(builder.finish(), to: session, at: now)
    }

    private func welcome(
        _ session: Session, _ grant: Grant, endsAt: Int64, _ hello: PendingHello, _ now: Moment
    ) throws(Refusal) {
        guard journal.isOpen else { throw journal.unavailable() }
        if let fixed = grant.device, let said = hello.device, fixed != said {
            throw Refusal(.forbidden, "the token is for another device")
        }
        guard let deviceName = grant.device ?? hello.device else {
            throw Refusal(.badRequest, "device is missing: neither the token nor hello names one")
        }
        if let resume = hello.resume, resume > head {
            throw Refusal(.badPosition, "resume is a position that was never given; leave it out to begin anew")
        }
        let user = try directory.introduce(grant.user)
        let (device, forgotten) = try directory.device(named: deviceName, of: user, at: now)
        if let forgotten { receipts.forget(forgotten) }
        takeOver(device, at: now)
        if let resume = hello.resume, resume != device.cursor {
            if resume > device.cursor { takeAck(of: user, to: resume, at: now) }
            receipts.move(device, to: resume, at: now)
        }

        session.user = user
        session.device = device
        session.phase = .ready
        session.helloDeadline = nil
        session.tokenEndsAt = endsAt
        session.sentPosition = device.cursor
        device.connect(session)
        user.add(session)
        counters.sessionsOpened += 1
        schedule(session, at: now)
        reply(welcomeFrame(user, device, grant, hello, now), to: session, at: now)
        tellPeers(of: user, to: session, at: now)
        presence.come(session, of: device, as: hello.isBackground ? .background : .active, at: now)
        beginCatchUp(session, at: now)
    }

    private func welcomeFrame(
        _ user: User, _ device: Device, _ grant: Grant, _ hello: PendingHello, _ now: Moment
    ) -> Frame {
        builder.begin("welcome")
        builder.reply(to: hello.id)
        builder.member("user", plain: user.name)
        builder.member("device", plain: device.name)
        builder.member("position", device.cursor)
        builder.member("head", head)
        builder.member("durability", identity.durability.rawValue)
        builder.member("expires", grant.expires.milliseconds)
        builder.member("time", now.wall.milliseconds)
        builder.member("server", identity.server)
        builder.beginObject("limits")
        builder.member("frameBytes", Int64(limits.frameBytes))
        builder.member("bodyBytes", Int64(limits.bodyBytes))
        builder.member("textScalars", Int64(limits.textScalars))
        builder.member("historyDefault", Int64(limits.historyDefault))
        builder.member("historyMax", Int64(limits.historyMax))
        builder.member("backlogMax", Int64(limits.backlogMax))
        builder.member("pageMessages", Int64(limits.pageMessages))
        builder.member("membersMax", Int64(limits.membersMax))
        builder.member("typingSeconds", limits.typingMilliseconds / 1_000)
        builder.member("graceSeconds", limits.graceMilliseconds / 1_000)
        builder.member("refreshGraceSeconds", limits.refreshGraceMilliseconds / 1_000)
        builder.member("pingSeconds", limits.pingMilliseconds / 1_000)
        builder.member("commandsPerSecond", Int64(limits.commandsPerSecond))
        builder.endObject()
        return builder.finish()
    }

    /// A second connection of a device takes its place; nobody sees the user leave.
    private func takeOver(_ device: Device, at now: Moment) {
        guard let old = device.giveWay() else { return }
        counters.takeovers += 1
        presence.giveWay(old, of: device.user, at: now)
        shut(old, .takenOver, at: now)
    }
}
