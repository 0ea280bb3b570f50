import RoostFraming
import RoostWire

/// `join.*`: users who have opened a link of a group that asks its admins, and wait. A request is as good as its link,
/// and isn't a use of it before an admin accepts. Blocks between the user and the admins change nothing.
extension InviteCommands {
    /// The user waits from now on, or goes on waiting.
    func ask(_ group: Conversation, _ found: Found, _ asker: Asker, _ now: Moment) throws(Refusal) {
        let user = asker.user
        dropEnded(in: group, now)
        var expires = directory.invites.request(of: user, for: group.number)?.stored.expires
        let isNew = expires == nil
        if isNew {
            forgetEnded(of: user, now)
            guard directory.invites.waitingCount(group.number) < bounds.waiting else {
                throw Refusal(.tooLarge, "\(bounds.waiting) users wait for this group, which is as many as may")
            }
            guard user.contacts.invites.requests.count < bounds.awaited else {
                throw Refusal(.tooLarge, "you wait for \(bounds.awaited) groups")
            }
            try prices.pay(deliveries: JoinNews(conversations).audience(of: group, user), by: asker.session, at: now)
            if let wait = user.contacts.invites.asked.spend(1, of: bounds.asked, at: now.monotonic) {
                throw Refusal(
                    .rateLimited, "you have asked \(bounds.asked.burst) times within an hour to join a group",
                    retryAfterMilliseconds: wait)
            }
            let last = Timestamp(milliseconds: now.wall.milliseconds + bounds.waitMilliseconds)
            expires = min(found.stored.expires, last)
            let request = StoredInvite(
                hash: found.stored.hash, conversation: group.number, kind: StoredInvite.asking, uses: 1,
                created: now.wall, expires: expires ?? last)
            directory.invites.set(newID(for: user), of: user, to: request, conversations.journal)
        }
        let end = expires
        let announce = isNew ? news(group, [user]) : nil
        replies.answerOnceStored(asker.id, asker.session, announce: announce, at: now) { [unowned self] in
            builder.begin("ok")
            builder.reply(to: asker.id)
            builder.member("waiting", true)
            if let end { builder.member("expires", end.milliseconds) }
            delivery.reply(builder.finish(), to: asker.session)
        }
    }

    /// The link by which a user may still be let in; nil if it is good no more, or the request is over.
    func link(of request: StoredInvite, by user: User, _ now: Moment) -> Found? {
        guard request.expires > now.wall, !user.isDeleted, let found = good(request.hash, now),
            let group = found.group, group.number == request.conversation,
            group.standing(of: user.number) == nil, !group.moderation.bans(user.number, at: now.wall)
        else { return nil }
        return found
    }

    /// Forgets requests that have ended.
    /// - Returns: the users who waited.
    func forgetOver(in group: Conversation, _ now: Moment) -> [User] {
        directory.invites.waiting(for: group.number).compactMap { number, id in
            guard let user = directory.user(number), let stored = user.contacts.invites[id],
                link(of: stored, by: user, now) == nil
            else { return nil }
            directory.invites.set(id, of: user, to: nil, conversations.journal)
            return user
        }
    }

    private func dropEnded(in group: Conversation, _ now: Moment) {
        let ended = forgetOver(in: group, now)
        if !ended.isEmpty { JoinNews(conversations).tell(group, ended) }
    }

    // MARK: Telling

    /// Sends the admins the number of waiting users, and these users the number of their requests.
    func news(_ group: Conversation, _ users: [User]) -> ((Moment) -> Void) {
        { [unowned self] _ in JoinNews(conversations).tell(group, users) }
    }

    /// Without a group, lists the own requests: a stranger gets the name of the group, and nothing else.
    func listWaiting(for name: Text?, _ asker: Asker, _ now: Moment) throws(Refusal) {
        guard let name else { return listOwn(asker, now) }
        let (group, role) = try directory.conversation(name, for: asker.user)
        try directory.policy.checkChange(of: group, by: role, needing: .admin)
        dropEnded(in: group, now)
        builder.begin("ok")
        builder.reply(to: asker.id)
        builder.beginArray("joins")
        for (number, id) in directory.invites.waiting(for: group.number) {
            guard let user = directory.user(number), let stored = user.contacts.invites[id],
                let found = link(of: stored, by: user, now)
            else { continue }
            builder.beginObject()
            builder.member("user", plain: user.name)
            if let called = user.profile?.stored.name, !called.isEmpty { builder.member("name", called) }
            builder.member("inviter", plain: found.maker.name)
            builder.member("time", stored.created.milliseconds)
            builder.member("expires", stored.expires.milliseconds)
            builder.endObject()
        }
        builder.endArray()
        delivery.reply(builder.finish(), to: asker.session)
    }

    private func listOwn(_ asker: Asker, _ now: Moment) {
        forgetEnded(of: asker.user, now)
        builder.begin("ok")
        builder.reply(to: asker.id)
        builder.beginArray("joins")
        for one in asker.user.contacts.invites.requests {
            guard let group = directory.conversation(one.stored.conversation) else { continue }
            builder.beginObject()
            builder.member("group", group.name)
            builder.member("time", one.stored.created.milliseconds)
            builder.member("expires", one.stored.expires.milliseconds)
            builder.endObject()
        }
        builder.endArray()
        delivery.reply(builder.finish(), to: asker.session)
    }

    // MARK: Deciding

    func answer(
        _ user: Text, in name: Text, isAccepted: Bool, by speaker: Speaker, _ asker: Asker, _ now: Moment
    ) throws(Refusal) {
        let (group, role) = try directory.conversation(name, for: asker.user)
        try directory.check(isCertain: group.isCertain)
        try directory.policy.checkChange(of: group, by: role, needing: .admin)
        try directory.rules.checkWriting(by: asker.user, in: group, at: now, isReaction: true)
        dropEnded(in: group, now)
        guard let other = directory.naming.person(named: user),
            let request = directory.invites.request(of: other, for: group.number),
            let found = link(of: request.stored, by: other, now)
        else { throw Refusal(.notFound, "user: no user of this name waits for the group") }
        guard isAccepted else {
            directory.invites.set(request.id, of: other, to: nil, conversations.journal)
            return replies.acceptOnceStored(asker.id, asker.session, announce: news(group, [other]), at: now)
        }
        guard group.standingCount < bounds.members else {
            throw Refusal(.tooLarge, "the group has \(bounds.members) members, which is as many as it can")
        }
        try directory.naming.checkRoom(for: other, putBy: asker.user)
        try prices.pay(deliveries: group.audienceCount, by: asker.session, at: now)
        // The request goes when the event is stored.
        directory.invites.use(found.id, of: found.maker, joining: group, by: other, conversations.journal)
        conversations.submit(.add([NewMember(other.number, .member)]), of: group, by: speaker, asker, now) {
            conversations.writeDetails("added", of: group, naming: [other.number])
            builder.member("inviter", plain: found.maker.name)
        }
    }
}
