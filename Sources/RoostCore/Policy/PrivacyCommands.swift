import RoostFraming
import RoostWire

/// `privacy`, `except`, `contact.block` and `contact.unblock`: a user's privacy. A change is seen at once: everyone
/// concerned gets the visible state again. Loop thread only.
final class PrivacyCommands {
    private let prices: Prices
    private let directory: Directory
    private let journal: Journal
    private let delivery: Delivery
    private let replies: Replies
    private let builder: FrameBuilder
    private let presence: PresenceCommands
    private let typing: TypingCommands
    private let exceptionsMax: Int

    init(
        prices: Prices, directory: Directory, journal: Journal, delivery: Delivery, replies: Replies,
        builder: FrameBuilder, presence: PresenceCommands, typing: TypingCommands, exceptionsMax: Int
    ) {
        self.prices = prices
        self.directory = directory
        self.journal = journal
        self.delivery = delivery
        self.replies = replies
        self.builder = builder
        self.presence = presence
        self.typing = typing
        self.exceptionsMax = exceptionsMax
    }

    /// Changes the settings, and answers with them and the exceptions.
    func set(_ change: PrivacyChange, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        let (user, _) = try session.speaker()
        if !change.isQuestion { try replies.held.reserve() }
        let (before, settings) = (user.privacy.settings, change.applied(to: user.privacy.settings))
        let told = settings == before ? 0 : presence.retellings(of: user) + user.sessions.count
        try prices.pay(deliveries: user.privacy.exceptions.count + told, by: session, at: now)
        if settings != before {
            // This comes while others still get the end.
            if settings.presence == .nobody, before.presence != .nobody { typing.stop(user) }
            user.privacy.set(settings, at: now.monotonic)
            journal.store(.privacy(user.number, settings))
            presence.retell(user, wasOpen: before.presence == .everyone, at: now)
        }
        let exceptions = user.privacy.exceptions
        guard !change.isQuestion else { return answer(settings, exceptions, id, session) }
        replies.answerOnceStored(id, session, announce: announcement(of: user, settings != before), at: now) {
            [unowned self] in answer(settings, exceptions, id, session)
        }
    }

    private func answer(
        _ settings: PrivacySettings, _ exceptions: [UserNumber: PrivacyException], _ id: CommandID?,
        _ session: Session
    ) {
        builder.begin("ok")
        builder.reply(to: id)
        builder.beginObject("privacy")
        builder.members(of: settings)
        builder.endObject()
        write(exceptions)
        delivery.reply(builder.finish(), to: session)
    }

    private func write(_ exceptions: [UserNumber: PrivacyException]) {
        builder.beginArray("exceptions")
        for (number, exception) in exceptions.sorted(by: { $0.key.value < $1.key.value }) {
            guard let other = directory.user(number) else { continue }
            builder.beginObject()
            builder.member("user", plain: other.name)
            builder.member("as", word: exception.word)
            builder.endObject()
        }
        builder.endArray()
    }

    /// Makes exceptions from the settings for these users; nil removes them. A block stays as it is.
    func except(
        _ names: [Text], _ exception: PrivacyException?, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        try change(names, to: { _ in exception }, id, session, now) { !($0?.isBlock ?? false) }
    }

    /// Nothing passes between the user and these others any more.
    func block(_ names: [Text], _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        try change(names, to: PrivacyException.block(over:), id, session, now) { _ in true }
    }

    /// Removes these blocks; users without one are unchanged. An exception from before a block applies again. Blocks by
    /// the others stay.
    func unblock(_ names: [Text], _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        let (user, _) = try session.speaker()
        try replies.held.reserve()
        let blocked = names.filter { name in
            directory.naming.person(named: name).map { user.hasBlocked($0.number) } ?? false
        }
        guard !blocked.isEmpty else { return replies.acceptOnceStored(id, session, at: now) }
        try change(blocked, to: { $0?.unblocked }, id, session, now) { _ in true }
    }

    /// - Parameters:
    ///   - next: the new exception for a user, from the present one.
    ///   - mayChange: whether the command may change a present exception.
    private func change(
        _ names: [Text], to next: (PrivacyException?) -> PrivacyException?, _ id: CommandID?, _ session: Session,
        _ now: Moment, _ mayChange: (PrivacyException?) -> Bool
    ) throws(Refusal) {
        let (user, _) = try session.speaker()
        try replies.held.reserve()
        let named = directory.naming.find(names)
        guard !named.contains(where: { $0.known === user }) else {
            throw Refusal(.badRequest, "users: you can't hide from yourself")
        }
        let told = { (one: NamedUser) in one.known.flatMap { user.privacy.exceptions[$0.number] } }
        guard named.allSatisfy({ mayChange(told($0)) }) else {
            throw Refusal(.conflict, "users: you have blocked one of these users; contact.unblock takes that away")
        }
        let new = named.count { told($0) == nil && next(nil) != nil }
        guard new == 0 || user.privacy.exceptions.count + new <= exceptionsMax else {
            throw Refusal(.tooLarge, "users: you may have at most \(exceptionsMax) exceptions and blocks")
        }
        let changed = named.filter { told($0) != next(told($0)) }
        guard !changed.isEmpty else { return replies.acceptOnceStored(id, session, at: now) }
        // Each may get the other's state, on a few devices of each.
        try prices.pay(deliveries: changed.count * 4 + user.sessions.count, by: session, at: now)
        // Users to hide from may never have come.
        let others =
            next(nil) == nil ? changed.compactMap(\.known) : try directory.naming.name(changed, by: user, at: now)
        let before = others.filter { user.hasBlocked($0.number) }
        set(next, of: others, by: user, now)
        let turned = others.filter { other in
            user.hasBlocked(other.number) != before.contains { $0 === other }
        }
        replies.acceptOnceStored(id, session, announce: announcement(of: user, true, turned), at: now)
    }

    private func set(
        _ next: (PrivacyException?) -> PrivacyException?, of others: [User], by user: User, _ now: Moment
    ) {
        // Events stored before are sent by the settings of before.
        delivery.deliverGathered()
        for other in others {
            let exception = next(user.privacy.exceptions[other.number])
            let wasShown = directory.policy.showsPresence(of: user, to: other)
            user.except(other, exception)
            if wasShown, !directory.policy.showsPresence(of: user, to: other) {
                typing.hide(user, from: other)
                typing.hide(other, from: user)
            }
            journal.store(.exception(user.number, of: other.number, exception))
            directory.forgetIfNobody(other)
        }
        presence.retell(user, others, at: now)
    }

    /// Shows the user's own devices the settings, once they are durable, and the presence of those in `turned`: users
    /// who were blocked or unblocked just now.
    private func announcement(
        of user: User, _ isChanged: Bool, _ turned: [User] = []
    ) -> ((Moment) -> Void)? {
        guard isChanged else { return nil }
        return { [unowned self] now in
            let frame = own(user)
            for session in user.sessions { delivery.deliver(frame, .privacy, to: session) }
            presence.show(turned.filter { user.hasBlocked($0.number) || user.peers.sees($0.number) }, to: user, at: now)
        }
    }

    /// The event for the user's own devices with the user's settings. It only says that exceptions may have changed:
    /// devices that show them ask.
    func own(_ user: User) -> Frame {
        builder.begin("privacy")
        builder.members(of: user.privacy.settings)
        return builder.finish()
    }
}

extension FrameBuilder {
    /// Writes a user's privacy settings.
    fileprivate func members(of settings: PrivacySettings) {
        member("presence", word: settings.presence.word)
        member("lastSeen", word: settings.lastSeen.word)
        member("read", word: settings.read.word)
    }
}
