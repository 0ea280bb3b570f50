import DequeModule
import RoostWire

/// Users whose accounts were deleted, on their way out of everything: of their conversations as by
/// `conversation.leave`, and of everything that others keep about them. A part is submitted, and the next one when it
/// is stored, so that a user in 10,000 groups delays no other. The deletion of the profile is stored first, and a relay
/// that starts finds by it the users who aren't out yet. Loop thread only.
final class Farewells {
    /// The limits of this part.
    struct Bounds {
        /// Conversations left, contacts ended and exceptions removed in one part.
        let steps: Int
        /// Sessions that are sent the events of one part.
        let deliveries: Int
        /// The pause if nothing could be submitted.
        let restMilliseconds: Int64

        init(_ limits: Limits) {
            // As many as messages that a page erases: a conversation costs as much.
            steps = limits.erasedAtOnce
            deliveries = limits.erasedDeliveries
            restMilliseconds = limits.busyRetryMilliseconds
        }
    }

    private struct Farewell {
        let user: User
        /// Users with an exception for the user; nil until they are looked up.
        var namedBy: [UserNumber]?
    }

    private let bounds: Bounds
    private let directory: Directory
    private let journal: Journal
    private let delivery: Delivery
    private let conversations: ConversationCommands
    private let contacts: ContactCommands
    private let presence: PresenceCommands
    private var leaving = Deque<Farewell>()
    /// The batch of the part that was submitted last.
    private var part: UInt64 = 0
    /// When to look again, in monotonic milliseconds.
    private var restsUntil = Int64.max

    /// Finds those who weren't out when the relay before this one ended.
    init(_ bounds: Bounds, _ conversations: ConversationCommands, _ contacts: ContactCommands, at now: Moment) {
        self.bounds = bounds
        self.conversations = conversations
        self.contacts = contacts
        presence = conversations.presence
        directory = conversations.directory
        journal = conversations.journal
        delivery = conversations.delivery
        for user in directory.everybody where user.profile?.stored.isDeleted == true && !isOut(user) { add(user) }
        if !leaving.isEmpty { restsUntil = now.monotonic }
    }

    /// Number of users who aren't out yet. For tests.
    var count: Int { leaving.count }

    /// The account is deleted. The user's connections end at once, and the rest begins when that is stored.
    func begin(_ name: Text, at now: Moment) {
        guard let user = directory.user(named: name), user.isDeleted else { return }
        for session in user.sessions { delivery.shut(session, .revoked) }
        guard !leaving.contains(where: { $0.user === user }) else { return }
        // Messages to the user are judged anew from now on.
        for member in user.memberships where member.conversation.pair != nil { member.conversation.noteDeletion() }
        add(user)
        restsUntil = min(restsUntil, now.monotonic + bounds.restMilliseconds)
    }

    private func add(_ user: User) { leaving.append(Farewell(user: user)) }

    private func isOut(_ user: User) -> Bool {
        user.memberships.isEmpty && user.contacts.isEmpty && user.privacy.exceptions.isEmpty
            && user.presence.status.text.isEmpty && !user.privacy.namedBy.contains { isForgotten($0, about: user) }
    }

    /// Whether another user's exception for this one is forgotten. A block stays: it still hides the other one's
    /// messages from its user.
    private func isForgotten(_ number: UserNumber, about user: User) -> Bool {
        directory.user(number).map { !$0.hasBlocked(user.number) } ?? false
    }

    /// When to call `goOn` next, in monotonic milliseconds.
    var nextDeadline: Int64 { restsUntil }

    /// Submits the next part, unless the one before is on its way to the log.
    func goOn(at now: Moment) {
        guard !leaving.isEmpty, part <= journal.durableBatch || restsUntil <= now.monotonic else { return }
        restsUntil = .max
        var steps = bounds.steps
        let before = journal.awaitedBatch
        // One that has to wait lets the others go on.
        for _ in 0..<leaving.count where steps > 0 {
            guard var farewell = leaving.popFirst() else { break }
            guard farewell.user.isDeleted else { continue }
            if !takeOut(&farewell, &steps, now) { leaving.append(farewell) }
        }
        guard !leaving.isEmpty else { return }
        let hasRested = steps == bounds.steps || journal.awaitedBatch == before
        if hasRested { restsUntil = now.monotonic + bounds.restMilliseconds }
        part = journal.awaitedBatch ?? 0
    }

    /// Returns whether nothing is left to do for the user.
    private func takeOut(_ farewell: inout Farewell, _ steps: inout Int, _ now: Moment) -> Bool {
        let user = farewell.user
        // First it is stored, and those who see the user are sent the profile.
        guard let profile = user.profile, profile.stored.isDeleted, !profile.isListed else { return false }
        // Those whose connections ended before it was stored.
        user.forgetDevicesIfGone(journal)
        guard leaveConversations(user, &steps, now) else { return false }
        guard contacts.end(of: user, &steps, now) else { return false }
        for (number, _) in user.privacy.exceptions.sorted(by: { $0.key.value < $1.key.value }) {
            guard steps > 0 else { return false }
            steps -= 1
            if let other = directory.user(number) { forget(of: user, about: other, now) }
        }
        var named = farewell.namedBy ?? user.privacy.namedBy.sorted { $0.value > $1.value }
        defer { farewell.namedBy = named }
        while let number = named.last {
            guard steps > 0 else { return false }
            steps -= 1
            named.removeLast()
            guard isForgotten(number, about: user), let other = directory.user(number) else { continue }
            forget(of: other, about: user, now)
        }
        presence.leave(user, at: now)
        return true
    }

    private func forget(of user: User, about other: User, _ now: Moment) {
        user.except(other, nil)
        journal.store(.exception(user.number, of: other.number, nil))
        directory.forgetIfNobody(other)
    }

    /// Returns whether the user is in no conversation any more.
    private func leaveConversations(_ user: User, _ steps: inout Int, _ now: Moment) -> Bool {
        var told = 0
        for member in user.memberships {
            let conversation = member.conversation
            guard conversation.standing(of: user.number) != nil else { continue }
            let audience = conversation.audienceCount
            guard steps > 0, told == 0 || told + audience <= bounds.deliveries else { break }
            // Others may be changing who is in it: then it is left the next time.
            guard (try? conversations.leave(conversation, asDeleted: user, now)) != nil else { continue }
            steps -= 1
            told += audience
        }
        return user.memberships.isEmpty
    }
}
