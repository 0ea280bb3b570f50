import RoostFraming
import RoostWire

/// `profile.set`, `user.get`, `user.find`, `admin.profile`: what people are called, and how they are found. Loop thread
/// only.
final class ProfileCommands {
    /// The limits of these commands.
    struct Bounds {
        /// Users of a page of `user.find` whose command names no limit.
        let found: Int
        /// Users and members that are looked at for it.
        let looks: Int

        init(_ limits: Limits) { (found, looks) = (limits.findDefault, limits.findLooks) }
    }

    private let bounds: Bounds
    private let profiles: Profiles
    /// The names by which users are found.
    var index: NameIndex { profiles.index }
    let news: ProfileNews
    private let prices: Prices
    private let chores: Chores
    private let directory: Directory
    private let journal: Journal
    private let delivery: Delivery
    private let replies: Replies
    private let builder: FrameBuilder

    init(
        _ limits: Limits, _ presence: Presence, _ prices: Prices, _ chores: Chores, _ directory: Directory,
        _ delivery: Delivery, _ replies: Replies
    ) {
        bounds = Bounds(limits)
        profiles = Profiles(.init(limits), directory)
        news = ProfileNews(
            presence, delivery, replies.builder, directory.policy, chores,
            gatherMilliseconds: limits.gatherMilliseconds)
        self.prices = prices
        self.chores = chores
        self.directory = directory
        self.delivery = delivery
        self.replies = replies
        journal = directory.journal
        builder = replies.builder
    }

    // MARK: Changing

    /// A user changes its own profile.
    func set(_ change: ProfileChange, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        let (user, _) = try session.speaker()
        try self.change(user, change, isGiven: false, isDeleted: nil, id, session, now)
    }

    /// A service or an operator changes the profile of a user, who needn't have come yet.
    func give(
        _ name: Text, _ change: ProfileChange, isDeleted: Bool?, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        guard isDeleted != true || change.isEmpty else {
            throw Refusal(.badRequest, "deleted: nothing can be given to a user who has left for good")
        }
        guard let user = directory.user(named: name) else {
            guard isDeleted != true else { throw Refusal(.notFound, "user: nobody has this name") }
            try replies.held.reserve()
            let user = try directory.introduce(name.string)
            defer { directory.forgetIfNobody(user) }
            return try self.change(user, change, isGiven: true, isDeleted: isDeleted, id, session, now)
        }
        try self.change(user, change, isGiven: true, isDeleted: isDeleted, id, session, now)
    }

    /// The answer comes when the change is stored, and then everyone concerned gets it.
    private func change(
        _ user: User, _ change: ProfileChange, isGiven: Bool, isDeleted: Bool?, _ id: CommandID?, _ session: Session,
        _ now: Moment
    ) throws(Refusal) {
        try replies.held.reserve()
        let next = try profiles.judge(change, isGiven: isGiven, isDeleted, of: user)
        if let next {
            try prices.pay(deliveries: news.audience(of: user), by: session, at: now)
            profiles.store(next, of: user)
        }
        let version = next?.version ?? user.profile?.latest.version ?? 0
        let announce = next.map { next in { [unowned self] now in apply(next, to: user, at: now) } }
        replies.answerOnceStored(id, session, announce: announce, at: now) { [unowned self] in
            builder.begin("ok")
            builder.reply(to: id)
            builder.member("version", version)
            if next == nil { builder.member("duplicate", true) }
            delivery.reply(builder.finish(), to: session)
        }
    }

    /// The profile is stored.
    private func apply(_ profile: StoredProfile, to user: User, at now: Moment) {
        profiles.isStored(profile, of: user)
        news.note(user, at: now.monotonic)
        // The store has forgotten all that was set.
        if profile.isDeleted {
            user.badge.forgetMutes()
            user.forgetDevicesIfGone(journal)
        }
    }

    // MARK: Looking

    /// The profiles of these users, as far as the asker may see them. Of others there is nothing but the name.
    func get(_ names: [Text], _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        let (asker, _) = try session.speaker()
        try chores.check(session)
        let named = names.map { ProfileRequest.Named($0.string, directory.naming.person(named: $0)) }
        let request = ProfileRequest(named, for: asker, directory) { [self] named in
            guard session.phase == .ready else { return }
            builder.begin("ok")
            builder.reply(to: id)
            builder.beginArray("profiles")
            for one in named {
                builder.beginObject()
                if one.isShown, let user = one.user {
                    builder.profile(of: user)
                } else {
                    builder.member("user", plain: one.name)
                }
                builder.endObject()
            }
            builder.endArray()
            delivery.reply(builder.finish(), to: session)
        }
        chores.begin(request, for: session, at: now)
    }

    /// Finds the next users with this prefix in a word of the name, or in the username.
    func find(_ find: Command.Find, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        let (asker, _) = try session.speaker()
        try chores.check(session)
        var after: (key: FoldedName, number: UserNumber)?
        if let next = find.after { after = try place(next.string) }
        let question = FindRequest.Question(
            prefix: FoldedName(find.prefix.string), after: after,
            limit: find.limit ?? bounds.found, looks: bounds.looks)
        let request = FindRequest(question, for: asker, directory, profiles) { [self] page in
            guard session.phase == .ready else { return }
            builder.begin("ok")
            builder.reply(to: id)
            builder.beginArray("profiles")
            for hit in page.hits {
                builder.beginObject()
                builder.profile(of: hit.user)
                builder.endObject()
            }
            builder.endArray()
            if page.hasMore, let last = page.hits.last { builder.member("next", next(after: last)) }
            if page.isPartial { builder.member("partial", true) }
            delivery.reply(builder.finish(), to: session)
        }
        chores.begin(request, for: session, at: now)
    }

    /// The end of a page in terms of what the asker was shown, so that it betrays no other user.
    private func next(after hit: FindRequest.Hit) -> String {
        hit.user.name + " " + String(decoding: hit.key.bytes, as: UTF8.self)
    }

    /// Reads what `next(after:)` has written. Whether there is such a user makes no difference that the asker sees.
    private func place(_ next: String) throws(Refusal) -> (key: FoldedName, number: UserNumber) {
        let parts = next.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
            throw Refusal(.badRequest, "after: pass the next of the page before")
        }
        return (FoldedName(String(parts[1])), directory.user(called: String(parts[0]))?.number ?? .none)
    }
}
