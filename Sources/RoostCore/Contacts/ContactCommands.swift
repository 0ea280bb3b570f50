import RoostFraming
import RoostWire

/// `contact.*` and `prospect.*`: contacts, and a user's entries for people who aren't users yet. A change is seen at
/// once by the devices of both. Loop thread only.
final class ContactCommands {
    /// The limits of these commands.
    struct Bounds {
        /// Contacts of a user that it wants itself, its invitations included.
        let contacts: Int
        /// Invitations of a user that wait for an answer.
        let sent: Int
        /// Invitations that wait for a user, before strangers that it has not written to can't add one.
        let received: Int
        /// Invitations that a user sends.
        let invitations: Spending.Rate
        /// Prospects of a user.
        let prospects: Int
        /// Contacts, or prospects, of a page whose command names no limit.
        let rows: Int
        /// Bytes at which a page ends early.
        let bytes: Int

        init(_ limits: Limits) {
            contacts = limits.contactsPerUser
            sent = limits.invitationsSent
            received = limits.invitationsReceived
            invitations = .init(hourly: limits.invitationsPerHour)
            prospects = limits.prospectsPerUser
            rows = limits.historyDefault
            bytes = limits.pageBytes
        }
    }

    private let bounds: Bounds
    private let prices: Prices
    private let directory: Directory
    private let journal: Journal
    private let delivery: Delivery
    private let replies: Replies
    private let builder: FrameBuilder
    private let presence: PresenceCommands
    private let random: RandomSource
    private let counters: Counters

    init(
        _ limits: Limits, _ prices: Prices, _ directory: Directory, _ journal: Journal, _ delivery: Delivery,
        _ replies: Replies, _ presence: PresenceCommands, _ random: RandomSource, _ counters: Counters
    ) {
        bounds = Bounds(limits)
        self.prices = prices
        self.directory = directory
        self.journal = journal
        self.delivery = delivery
        self.replies = replies
        builder = replies.builder
        self.presence = presence
        self.random = random
        self.counters = counters
    }

    func perform(_ command: ContactCommand, _ asker: Asker, _ now: Moment) throws(Refusal) {
        if !command.isQuestion { try replies.held.reserve() }
        switch command {
        case .invite(let user, let kind, let label): try invite(user, kind?.string, label?.string, asker, now)
        case .accept(let user, let label):
            guard let contact = find(user, asker), contact.state(for: asker.user) != .sent else {
                throw Refusal(.notFound, "user: no invitation of this user waits for you")
            }
            try accept(contact, label?.string, asker, now)
        case .decline(let user): try decline(user, asker, now)
        case .remove(let user):
            try end(find(user, asker), asker, now)
        case .list(let after, let limit, let state): list(after, limit, state, asker)
        case .setProspect(let id, let name, let note):
            try set(id?.string, name.string, note?.string, asker, now)
        case .removeProspect(let id):
            let known = asker.user.contacts.prospects[id.string]
            if known != nil { try note(nil, as: id.string, asker, now) }
            replies.acceptOnceStored(asker.id, asker.session, announce: news(of: asker, known != nil), at: now)
        case .prospects(let after, let limit): listProspects(after?.string, limit, asker)
        }
    }

    private func find(_ name: Text, _ asker: Asker) -> Contact? {
        directory.naming.person(named: name).flatMap { contact(of: $0, for: asker.user) }
    }

    /// The contact that the user knows of.
    private func contact(of other: User, for user: User) -> Contact? {
        user.contacts[other.number].flatMap { $0.isWithheld(from: user) ? nil : $0 }
    }

    // MARK: Inviting

    private func invite(
        _ name: Text, _ kind: String?, _ label: String?, _ asker: Asker, _ now: Moment
    ) throws(Refusal) {
        let user = asker.user
        let named = directory.naming.find(name)
        guard named.known !== user else { throw Refusal(.badRequest, "user: you can't be your own contact") }
        guard let other = named.known, let contact = contact(of: other, for: user) else {
            guard let kinds = directory.policy.rules.kinds(kind) else {
                throw Refusal(.badRequest, kind == nil ? "kind is missing" : "kind: this relay has no such kind")
            }
            if let other = named.known, let unknown = user.contacts[other.number] {
                try directory.policy.checkMeeting(of: user, with: other)
                // Both have invited each other; the kind is the one that this user has chosen knowing of none.
                let before = (own: unknown.kind(of: user), other: unknown.kind(of: other))
                unknown.note(kind: kinds.own, of: user, other: kinds.other)
                do throws(Refusal) {
                    return try accept(unknown, label, asker, now)
                } catch {
                    unknown.note(kind: before.own, of: user, other: before.other)
                    throw error
                }
            }
            let contact = try begin(with: named, own: kinds.own, other: kinds.other, label, user, asker.session, now)
            let told = [contact.low, contact.high].filter { !contact.isWithheld(from: $0) }
            return answer(contact, asker, telling: told, now)
        }
        guard kind == nil || kind == contact.kind(of: other) else {
            throw Refusal(.conflict, "kind: this user is of another kind already; remove that first")
        }
        if contact.isWithheld(from: other), !other.hasBlocked(user.number) {
            contact.show(at: now.wall)
            if let label { contact.note(label, by: user) }
            store(contact)
            return answer(contact, asker, telling: label == nil ? [other] : [user, other], now)
        }
        try accept(contact, label, asker, now)
    }

    private func begin(
        with named: NamedUser, own: String, other word: String, _ label: String?, _ user: User, _ session: Session,
        _ now: Moment
    ) throws(Refusal) -> Contact {
        try directory.naming.checkThere([named])
        try checkRoom(of: user)
        guard user.contacts.sent < bounds.sent else {
            throw Refusal(.tooLarge, "you have sent \(bounds.sent) invitations that nobody has answered")
        }
        if let other = named.known {
            try directory.policy.checkThere([named])
            try directory.policy.checkMeeting(of: user, with: other)
            try checkRoom(for: other, by: user)
        }
        try prices.pay(
            deliveries: user.sessions.count + (named.known?.sessions.count ?? 0), by: session, at: now)
        if let wait = user.contacts.invited.spend(1, of: bounds.invitations, at: now.monotonic) {
            throw Refusal(
                .rateLimited, "you have sent \(bounds.invitations.burst) invitations within an hour",
                retryAfterMilliseconds: wait)
        }
        // The last check, because it may make the user.
        let other = try directory.naming.name(named, by: user, at: now)
        let sides = (StoredContact.Side(kind: own, label: label ?? ""), StoredContact.Side(kind: word))
        let isLow = user.number.value < other.number.value
        let contact = Contact(
            user, other,
            StoredContact(
                inviter: user.number, low: isLow ? sides.0 : sides.1, high: isLow ? sides.1 : sides.0, since: now.wall,
                isWithheld: other.hasBlocked(user.number)))
        contact.begin()
        store(contact)
        return contact
    }

    /// Checks that the user may have one more contact of its own will.
    private func checkRoom(of user: User) throws(Refusal) {
        guard user.contacts.own < bounds.contacts else {
            throw Refusal(.tooLarge, "you have \(bounds.contacts) contacts and invitations sent")
        }
    }

    /// Checks that the two can become contacts, if they aren't.
    func checkRoom(for user: User, and other: User) throws(Refusal) {
        if user.contacts[other.number]?.isAccepted == true { return }
        try checkRoom(of: user)
        guard other.contacts.own < bounds.contacts else {
            throw Refusal(.tooLarge, "the user who invited you has \(bounds.contacts) contacts and invitations sent")
        }
    }

    /// Makes the two contacts at once, because the user came by a link of the inviter's. If the inviter has blocked the
    /// user, only the user sees it. Called after `checkRoom(for:and:)`.
    /// - Parameter kinds: the user's relation to the inviter, and the inviter's to the user. An existing contact stays
    ///   as it is.
    /// - Returns: sends it to the devices of both, once it is stored; nil if they were contacts before.
    func acquaint(
        _ user: User, with inviter: User, as kinds: (own: String, other: String), _ now: Moment
    ) -> ((Moment) -> Void)? {
        let isHidden = inviter.hasBlocked(user.number)
        let contact: Contact
        if let known = user.contacts[inviter.number] {
            guard known.state(for: user) != .accepted || known.stored.isByLink && !isHidden else { return nil }
            if isHidden, known.stored.inviter == user.number {
                known.beTaken(by: user, at: now.wall)
            } else {
                known.beAccepted(at: now.wall)
            }
            contact = known
        } else {
            let isLow = user.number.value < inviter.number.value
            let (own, its) = (StoredContact.Side(kind: kinds.own), StoredContact.Side(kind: kinds.other))
            contact = Contact(
                user, inviter,
                StoredContact(
                    inviter: isHidden ? user.number : nil, low: isLow ? own : its, high: isLow ? its : own,
                    since: now.wall, isWithheld: isHidden, isByLink: isHidden))
            contact.begin()
        }
        store(contact)
        return news(of: contact, for: isHidden ? [user] : [user, inviter])
    }

    /// Checks that one more invitation may wait for a user. Beyond the bound only users that it has written to may add
    /// one: their number is its own doing.
    private func checkRoom(for other: User, by user: User) throws(Refusal) {
        guard other.contacts.received >= bounds.received,
            directory.direct(user, other)?.member(other.number)?.isOwn != true
        else { return }
        throw Refusal(.tooLarge, "user: \(bounds.received) invitations wait for this user already")
    }

    // MARK: Answering

    /// Accepts an invitation if it waits for the user, and notes the label. Nothing changes if it was done before.
    private func accept(
        _ contact: Contact, _ label: String?, _ asker: Asker, _ now: Moment
    ) throws(Refusal) {
        let (user, other) = (asker.user, contact.other(than: asker.user))
        let isAnswer = contact.state(for: user) == .received
        if isAnswer {
            try directory.policy.checkMeeting(of: user, with: other)
            try checkRoom(of: user)
        }
        guard isAnswer || label.map({ $0 != contact.label(by: user) }) ?? false else {
            return answer(contact, asker, telling: [], now)
        }
        let told = isAnswer ? [user, other] : [user]
        try pay(told, asker, now)
        if isAnswer { contact.beAccepted(at: now.wall) }
        if let label { contact.note(label, by: user) }
        store(contact)
        // A user who has blocked this one gets the answer when it asks.
        answer(contact, asker, telling: told.filter { !$0.hasBlocked(user.number) }, now)
    }

    private func decline(_ name: Text, _ asker: Asker, _ now: Moment) throws(Refusal) {
        let contact = find(name, asker)
        if let contact, contact.state(for: asker.user) != .received {
            throw Refusal(.conflict, "user: no invitation of this user waits for you; remove ends a contact")
        }
        try end(contact, asker, now)
    }

    private func end(_ contact: Contact?, _ asker: Asker, _ now: Moment) throws(Refusal) {
        guard let contact else { return replies.acceptOnceStored(asker.id, asker.session, at: now) }
        let users = [contact.low, contact.high]
        try pay(users, asker, now)
        let told = users.filter { !contact.isWithheld(from: $0) }
        contact.end()
        journal.store(.contact(contact.pair, nil))
        presence.endWatches(of: contact.low, at: now)
        for one in users { directory.forgetIfNobody(one) }
        replies.acceptOnceStored(asker.id, asker.session, announce: news(of: contact, for: told), at: now)
    }

    /// The user's account was deleted: ends some of its contacts, and forgets some of its prospects.
    /// - Returns: whether none is left.
    func end(of user: User, _ steps: inout Int, _ now: Moment) -> Bool {
        defer { if user.contacts.all.isEmpty { presence.endWatches(of: user, at: now) } }
        while let contact = user.contacts.all.last {
            guard steps > 0 else { return false }
            steps -= 1
            let other = contact.other(than: user)
            let told = [user, other].filter { !contact.isWithheld(from: $0) }
            contact.end()
            journal.store(.contact(contact.pair, nil))
            if told.contains(where: { $0 === other }) { tell(other, of: user) }
            directory.forgetIfNobody(other)
        }
        directory.invites.endAll(of: user, journal)
        while let prospect = user.contacts.prospects.all.last {
            guard steps > 0 else { return false }
            steps -= 1
            user.contacts.prospects[prospect.id] = nil
            journal.store(.prospect(user.number, id: prospect.id, nil))
        }
        return true
    }

    private func pay(_ told: [User], _ asker: Asker, _ now: Moment) throws(Refusal) {
        try prices.pay(deliveries: told.reduce(0) { $0 + $1.sessions.count }, by: asker.session, at: now)
    }

    private func store(_ contact: Contact) { journal.store(.contact(contact.pair, contact.stored)) }

    // MARK: Telling

    /// Shows the devices of these users what the contact is, once that is durable.
    private func news(of contact: Contact, for users: [User]) -> ((Moment) -> Void)? {
        guard !users.isEmpty else { return nil }
        // Kept, because either may be forgotten before that.
        let (low, high) = (contact.low, contact.high)
        return { [unowned self] _ in for one in users { tell(one, of: one === low ? high : low) } }
    }

    /// Sends the event to the user's other devices, once it is durable, that a prospect has changed.
    private func news(of asker: Asker, _ isChanged: Bool) -> ((Moment) -> Void)? {
        guard isChanged else { return nil }
        return { [unowned self] _ in
            let frame = prospectsEvent(of: asker.user)
            for session in asker.user.sessions where session !== asker.session {
                delivery.deliver(frame, .prospects, to: session)
            }
        }
    }

    private func tell(_ user: User, of other: User) {
        guard !user.sessions.isEmpty else { return }
        let frame = event(of: other, for: user)
        for session in user.sessions { delivery.deliver(frame, .contact(other.number), to: session) }
    }

    /// The event for the user's own devices about another user's new relation to it.
    func event(of other: User, for user: User) -> Frame {
        builder.begin("contact")
        if let contact = contact(of: other, for: user) {
            write(contact.stored, with: other, for: user)
        } else {
            builder.member("user", plain: other.name)
            builder.member("state", word: "none")
        }
        return builder.finish()
    }

    /// The event for the user's own devices that its prospects were changed: devices that show them ask.
    func prospectsEvent(of user: User) -> Frame {
        builder.begin("prospects")
        builder.member("count", Int64(user.contacts.prospects.count))
        return builder.finish()
    }

    /// Answers with the contact as the command left it, once that is durable, and shows it to these users before.
    private func answer(_ contact: Contact, _ asker: Asker, telling users: [User], _ now: Moment) {
        let (stored, other) = (contact.stored, contact.other(than: asker.user))
        replies.answerOnceStored(asker.id, asker.session, announce: news(of: contact, for: users), at: now) {
            [unowned self] in
            builder.begin("ok")
            builder.reply(to: asker.id)
            builder.beginObject("contact")
            write(stored, with: other, for: asker.user)
            builder.endObject()
            delivery.reply(builder.finish(), to: asker.session)
        }
    }

    private func write(_ stored: StoredContact, with other: User, for user: User) {
        let isLow = user.number.value < other.number.value
        let (own, its) = isLow ? (stored.low, stored.high) : (stored.high, stored.low)
        builder.member("user", plain: other.name)
        builder.member("kind", plain: its.kind)
        builder.member("state", word: stored.state(for: user.number).word)
        if !own.label.isEmpty { builder.member("label", own.label) }
        builder.member("since", stored.since.milliseconds)
    }

    // MARK: Lists

    private func list(_ after: Text?, _ limit: Int?, _ state: ContactState?, _ asker: Asker) {
        let (user, rows) = (asker.user, limit ?? bounds.rows)
        // An unknown user has been forgotten; the list then begins anew.
        let place = after.flatMap(directory.user(named:))?.number ?? .none
        builder.begin("ok")
        builder.reply(to: asker.id)
        builder.beginArray("contacts")
        var (written, looked, hasMore) = (0, 0, false)
        var last: User?
        for contact in user.contacts.rest(after: place) {
            looked += 1
            guard !contact.isWithheld(from: user), state.map({ $0 == contact.state(for: user) }) ?? true else {
                continue
            }
            guard written < rows, written == 0 || builder.written.count <= bounds.bytes else {
                hasMore = true
                break
            }
            builder.beginObject()
            write(contact.stored, with: contact.other(than: user), for: user)
            builder.endObject()
            (written, last) = (written + 1, contact.other(than: user))
        }
        counters.steps += looked
        builder.endArray()
        if hasMore, let last { builder.member("next", plain: last.name) }
        delivery.reply(builder.finish(), to: asker.session)
    }

    private func listProspects(_ after: String?, _ limit: Int?, _ asker: Asker) {
        let rest = asker.user.contacts.prospects.rest(after: after)
        builder.begin("ok")
        builder.reply(to: asker.id)
        builder.beginArray("prospects")
        var written = 0
        for one in rest.prefix(limit ?? bounds.rows) {
            guard written == 0 || builder.written.count <= bounds.bytes else { break }
            builder.beginObject()
            write(one.stored, id: one.id)
            builder.endObject()
            written += 1
        }
        counters.steps += written
        builder.endArray()
        if written < rest.count, let last = rest.dropFirst(written - 1).first {
            builder.member("next", plain: last.id)
        }
        delivery.reply(builder.finish(), to: asker.session)
    }

    // MARK: Prospects

    private func set(
        _ id: String?, _ name: String, _ note: String?, _ asker: Asker, _ now: Moment
    ) throws(Refusal) {
        let user = asker.user
        let before = id.flatMap { user.contacts.prospects[$0] }
        if id != nil, before == nil { throw Refusal(.notFound, "prospect: you have none of this name") }
        guard id != nil || user.contacts.prospects.count < bounds.prospects else {
            throw Refusal(.tooLarge, "you have \(bounds.prospects) prospects")
        }
        let id = id ?? newID(for: user)
        let stored = StoredProspect(name: name, note: note ?? before?.note ?? "")
        if stored != before { try self.note(stored, as: id, asker, now) }
        let news = news(of: asker, stored != before)
        replies.answerOnceStored(asker.id, asker.session, announce: news, at: now) { [unowned self] in
            builder.begin("ok")
            builder.reply(to: asker.id)
            builder.beginObject("prospect")
            write(stored, id: id)
            builder.endObject()
            delivery.reply(builder.finish(), to: asker.session)
        }
    }

    private func newID(for user: User) -> String {
        while true {
            let id = random.id("p")
            if user.contacts.prospects[id] == nil { return id }
        }
    }

    private func note(
        _ prospect: StoredProspect?, as id: String, _ asker: Asker, _ now: Moment
    ) throws(Refusal) {
        try pay([asker.user], asker, now)
        asker.user.contacts.prospects[id] = prospect
        journal.store(.prospect(asker.user.number, id: id, prospect))
    }

    private func write(_ prospect: StoredProspect, id: String) {
        builder.member("prospect", plain: id)
        builder.member("name", prospect.name)
        if !prospect.note.isEmpty { builder.member("note", prospect.note) }
    }
}
