/// Decides whether "is typing" ends, and times its beginning. It owns who typed when (as the caller reports) and the
/// users that each membership is shown as typing. Loop thread only; times are the caller's, in nanoseconds. Typing that
/// isn't shown is no fault: the relay may leave out beginnings that are close together, and all but the first 20 users.
final class TypingLedger {
    /// A user typing in a conversation.
    private struct Typist {
        var isActive = false
        var beganAt: UInt64 = 0
        var refreshedAt: UInt64 = 0
        /// The user stopped explicitly.
        var hasSaidEnd = false
        /// The relay must report this beginning.
        var isTold = false
    }

    private struct View {
        var typist: UInt64
        var session: UInt32
        var isStuck = false
    }

    /// Shortest time between two beginnings that the relay reports (Docs/Protocol.md, section 8).
    private static let again: UInt64 = 1_000_000_000
    /// The relay shows up to 20 at once (section 8). With at most half as many, it surely shows all.
    private static let crowd = 10

    private(set) var faults = FaultCounts()
    private let life: UInt64
    private let attention: Attention
    /// Typists by conversation and user; not more than there are members.
    private var typists: [UInt64: Typist] = [:]
    /// Number of users typing, by conversation.
    private var active: [Int: Int] = [:]
    /// Views by membership of the watcher and user: who is shown as typing.
    private var views: [UInt64: View] = [:]
    /// Session number by membership of the watcher. Views of an earlier session are void.
    private var sessions: [UInt32] = []
    private var dueViews = DueQueue()
    private var dueTypists = DueQueue()

    /// - Parameters:
    ///   - life: ns for which typing lasts without a refresh, as `welcome` says.
    ///   - attention: when the caller wasn't looking. That time doesn't count as shown wrongly.
    init(life: UInt64, attention: Attention = Attention()) {
        self.life = life
        self.attention = attention
    }

    /// A device of the user sends `typing`, for the first time or again.
    func typed(_ user: Int, in conversation: Int, at now: UInt64) {
        let key = Self.key(conversation, user)
        var typist = typists[key, default: Typist()]
        let endsAt = Slack.sum(typist.refreshedAt, life)
        let isNew = typist.beganAt == 0
        if typist.isActive, now < endsAt {
            // So close to its end, the relay may take this for a new beginning.
            if Slack.sum(now, Slack.typing) >= endsAt { typist.isTold = false }
        } else {
            end(&typist, in: conversation)
            typist.isActive = true
            let isApart = now >= Slack.sum(typist.beganAt, Self.again + Slack.typing)
            let hasEnded = typist.hasSaidEnd || now >= Slack.sum(endsAt, Slack.typing)
            typist.hasSaidEnd = false
            typist.isTold = (isNew || isApart && hasEnded) && active[conversation, default: 0] < Self.crowd
            typist.beganAt = now
            active[conversation, default: 0] += 1
        }
        typist.refreshedAt = now
        typists[key] = typist
        dueTypists.push(key, at: Slack.sum(now, life))
    }

    /// A device of the user sends `typing` with `active: false` or a message to the conversation, or its session ends.
    func ended(_ user: Int, in conversation: Int, at now: UInt64) {
        guard var typist = typists[Self.key(conversation, user)], typist.isActive else { return }
        end(&typist, in: conversation)
        typist.hasSaidEnd = now < Slack.sum(typist.refreshedAt, life)
        typists[Self.key(conversation, user)] = typist
    }

    /// A device read that a user types or has stopped.
    /// - Returns: ns since the beginning, if this reports it and the relay had to; otherwise nil.
    func shown(
        _ conversation: Int, by watcher: Membership, _ user: Int, isActive: Bool, at now: UInt64
    ) -> UInt64? {
        let typist = Self.key(conversation, user)
        let key = Self.key(Int(watcher.index), user)
        let session = session(of: Int(watcher.index))
        let old = views[key].flatMap { $0.session == session ? $0 : nil }
        let deadline = deadline(of: typist, at: now)
        if old?.isStuck == false, now > deadline { countStuck(typist, key) }
        guard isActive else {
            views[key] = nil
            return nil
        }
        guard old == nil else { return nil }
        views[key] = View(typist: typist, session: session)
        if now > deadline {
            countStuck(typist, key)
            return nil
        }
        dueViews.push(key, at: Slack.sum(deadline, 1))
        guard let truth = typists[typist], truth.isTold, now >= truth.beganAt else { return nil }
        return now - truth.beganAt
    }

    /// The watcher's session ended, and with it everything it was shown.
    func left(_ watcher: Membership) {
        let index = Int(watcher.index)
        guard index >= 0 else { return }
        while sessions.count <= index { sessions.append(0) }
        sessions[index] &+= 1
    }

    /// Counts who has been shown as typing for too long. O(1) if nothing is due.
    func sweep(_ now: UInt64) {
        while let next = dueTypists.pop(by: now) {
            guard var typist = typists[next.key], typist.isActive, Slack.sum(typist.refreshedAt, life) <= now
            else { continue }
            end(&typist, in: Int(next.key >> 32))
            typists[next.key] = typist
        }
        while let next = dueViews.pop(by: now) {
            guard let view = views[next.key], !view.isStuck else { continue }
            guard view.session == session(of: Int(next.key >> 32)) else {
                views[next.key] = nil
                continue
            }
            let deadline = deadline(of: view.typist, at: now)
            if now > deadline { countStuck(view.typist, next.key) } else { dueViews.push(next.key, at: deadline + 1) }
        }
    }

    private func session(of watcher: Int) -> UInt32 { sessions.indices.contains(watcher) ? sessions[watcher] : 0 }

    private func end(_ typist: inout Typist, in conversation: Int) {
        guard typist.isActive else { return }
        typist.isActive = false
        active[conversation, default: 1] -= 1
    }

    /// The latest end counts. Several devices of a user may begin and end typing at once, and only the relay knows the
    /// order.
    private func deadline(of typist: UInt64, at now: UInt64) -> UInt64 {
        guard let truth = typists[typist] else { return 0 }
        return Slack.sum(truth.refreshedAt, life + Slack.truth + attention.missed(since: truth.refreshedAt, until: now))
    }

    private func countStuck(_ typist: UInt64, _ view: UInt64) {
        views[view]?.isStuck = true
        faults.count(
            .stuckTyping,
            "conversation \(typist >> 32): user \(UInt32(truncatingIfNeeded: typist)) is still shown as typing to "
                + "membership \(view >> 32)")
    }

    private static func key(_ high: Int, _ low: Int) -> UInt64 {
        UInt64(UInt32(truncatingIfNeeded: high)) << 32 | UInt64(UInt32(truncatingIfNeeded: low))
    }
}
