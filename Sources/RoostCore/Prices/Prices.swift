import RoostFraming
import RoostWire

/// The costs of commands, and the users' allowances. A command costs 1, and more if it makes more work than a small
/// message: by its length, by the names in it, and by the sessions that get its event. All sessions of a user pay from
/// one allowance. A session that goes on sending although it is refused is closed. Loop thread only.
final class Prices {
    /// The limits of this part.
    struct Bounds {
        /// The allowance of a user for commands.
        let commands: Spending.Rate
        /// Refusals that a session may get.
        let refusals: Spending.Rate
        /// The highest cost of a command, and of its deliveries: together no more than the allowance's maximum, or it
        /// could never be paid.
        let highest: Int64
        /// Deliveries for the price of one command.
        let deliveriesPerCommand: Int64
        /// Bytes of a command, and of a delivery, that cost no more.
        let smallBytes: Int
        /// Bytes of a body that is stored for the price of one command.
        let storedBytesPerCommand: Int
        /// Steps of a job for the cost of one command.
        let stepsPerCommand: Int
        /// Bytes of bodies in an answer for the price of one command.
        let answerBytesPerCommand: Int
        /// Messages or conversations of a page whose command names no limit, and the most there can be.
        let rows: Int
        let rowsMax: Int
        let eventsMax: Int64
        /// Most bytes of a message.
        let longest: Int
        /// Events of a page of the feed whose command names no limit.
        let feedRows: Int

        init(_ limits: Limits) {
            let rate = Int64(limits.commandsPerSecond)
            commands = .init(amount: rate, milliseconds: 1_000, burst: 2 * rate)
            highest = max(1, rate)
            refusals = .init(
                amount: Int64(limits.refusalsPerSecond), milliseconds: 1_000, burst: Int64(limits.refusalsMax))
            deliveriesPerCommand = Int64(limits.deliveriesPerCommand)
            smallBytes = limits.smallBytes
            storedBytesPerCommand = limits.storedBytesPerCommand
            stepsPerCommand = limits.stepsPerCommand
            answerBytesPerCommand = limits.answerBytesPerCommand
            rows = limits.historyDefault
            rowsMax = limits.historyMax
            eventsMax = Int64(limits.historyEventsMax)
            longest = limits.frameBytes
            feedRows = limits.feedDefault
        }
    }

    /// The state that a session keeps for this part.
    struct Slot {
        /// Cost spent before its user is known.
        fileprivate var spent = Spending()
        fileprivate var refusals = Spending()
        /// Cost paid so far by the command that is being carried out.
        fileprivate var paid: Int64 = 0
        /// It has had more refusals than it may.
        fileprivate var isExcessive = false
    }

    private let bounds: Bounds

    init(_ bounds: Bounds) { self.bounds = bounds }

    /// Takes the price of a command of this length.
    /// - Throws: `rate_limited`.
    @inline(__always)
    func pay(_ command: Command, bytes: Int, by session: Session, at now: Moment) throws(Refusal) {
        session.prices.paid = 0
        try pay(min(price(of: command) + Int64(bytes / bounds.smallBytes), bounds.highest), by: session, at: now)
    }

    /// Takes the cost of sending something of this length to as many sessions.
    /// - Throws: `rate_limited`.
    @inline(__always)
    func pay(deliveries: Int, bytes: Int = 0, by session: Session, at now: Moment) throws(Refusal) {
        let price = price(deliveries: deliveries, bytes: bytes)
        if price > 0 { try pay(min(price, bounds.highest), by: session, at: now) }
    }

    /// Takes the price of a message whose length isn't known yet, as if it were the longest.
    /// - Throws: `rate_limited`.
    func advance(deliveries: Int, by session: Session, at now: Moment) throws(Refusal) -> Int64 {
        let price = min(price(ofMessage: bounds.longest, deliveries: deliveries), bounds.highest)
        if price > 0 { try pay(price, by: session, at: now) }
        return price
    }

    /// Gives back by how much such a message was shorter.
    func settle(advance: Int64, deliveries: Int, bytes: Int, to session: Session) {
        let excess = advance - price(ofMessage: bytes, deliveries: deliveries)
        if excess > 0 { refund(excess, to: session) }
    }

    private func refund(_ price: Int64, to session: Session) {
        if let user = session.user {
            user.spent.commands.refund(price, of: bounds.commands)
        } else {
            session.prices.spent.refund(price, of: bounds.commands)
        }
    }

    /// The cost of sending something of this length to as many sessions.
    @inline(__always)
    private func price(deliveries: Int, bytes: Int) -> Int64 {
        Int64(deliveries * (1 + bytes / bounds.smallBytes)) / bounds.deliveriesPerCommand
    }

    /// The cost of writing a body to the store.
    @inline(__always)
    private func price(ofStoring bytes: Int) -> Int64 { Int64(bytes / bounds.storedBytesPerCommand) }

    /// The cost of a message that wasn't in its command, and of sending it.
    private func price(ofMessage bytes: Int, deliveries: Int) -> Int64 {
        Int64(bytes / bounds.smallBytes) + price(ofStoring: bytes) + price(deliveries: deliveries, bytes: bytes)
    }

    /// A command pays all of its prices or none: otherwise one with a high second price would spend, with each try,
    /// what it had waited for. The time to wait is that for all of them.
    private func pay(_ price: Int64, by session: Session, at now: Moment) throws(Refusal) {
        let wait =
            if let user = session.user {
                user.spent.commands.spend(price, of: bounds.commands, at: now.monotonic)
            } else {
                session.prices.spent.spend(price, of: bounds.commands, at: now.monotonic)
            }
        guard let wait else {
            session.prices.paid += price
            return
        }
        refund(session.prices.paid, to: session)
        session.prices.paid = 0
        noteRefusal(of: session, at: now)
        throw Refusal(
            .rateLimited, "you have sent more than \(bounds.commands.amount) commands per second, or larger ones",
            retryAfterMilliseconds: wait)
    }

    /// The session was asked to wait.
    func noteRefusal(of session: Session, at now: Moment) {
        if session.prices.refusals.spend(1, of: bounds.refusals, at: now.monotonic) != nil {
            session.prices.isExcessive = true
        }
    }

    /// Takes the cost of a command, and of its deliveries, that is known only afterwards.
    func charge(deliveries: Int, to session: Session, at now: Moment) {
        charge(1 + Int64(deliveries) / bounds.deliveriesPerCommand, to: session, at: now)
    }

    /// Takes the cost of looking at this number of things one by one.
    func charge(steps: Int, to session: Session, at now: Moment) {
        charge(Int64(steps / bounds.stepsPerCommand), to: session, at: now)
    }

    /// Takes the price of answering with as many bytes of bodies. How many there are is known when they have been read.
    func charge(bytes: Int, to session: Session, at now: Moment) {
        charge(Int64(bytes / bounds.answerBytesPerCommand), to: session, at: now)
    }

    /// Takes a cost afterwards, for work that couldn't have been refused.
    func charge(_ price: Int64, to session: Session, at now: Moment) {
        if let user = session.user {
            user.spent.commands.charge(price, of: bounds.commands, at: now.monotonic)
        } else {
            session.prices.spent.charge(price, of: bounds.commands, at: now.monotonic)
        }
    }

    /// Whether the session goes on sending although it is asked to wait.
    func isRefusedTooOften(_ session: Session) -> Bool { session.prices.isExcessive }

    /// The cost of the command, apart from deliveries: 1, and more for commands that make more work than a small
    /// message.
    private func price(of command: Command) -> Int64 {
        switch command {
        // A watch takes 0.5 µs to find, to check and to write down.
        case .watch(let names, let counted), .unwatch(let names, let counted):
            1 + Int64(names.count + counted.count) / 5
        case .getUsers(let names): 1 + Int64(names.count) / 5
        // Up to 100 users, each of 2 kB. The users looked at come on top.
        case .findUsers: 10
        // Each name is looked up, and noted for its member.
        case .send(let send): 1 + Int64(send.mentions.count) / 5 + price(ofStoring: send.body.count)
        case .edit(let edit): 1 + Int64(edit.mentions.count) / 5 + price(ofStoring: edit.body.count)
        case .create(let create): 1 + Int64(create.members.count) / 10
        case .change(let change):
            switch change.kind {
            case .add(let names), .remove(let names): 1 + Int64(names.count) / 10
            case .rename, .describe, .role, .expiry, .pin, .unpin, .leave, .unban, .posting, .slow, .joining: 1
            // Looks at all that the group has of them.
            case .ban, .timeout: 2
            }
        // Each event is a look-up, as a message is, and is smaller.
        case .history(let history): 1 + rows(history.limit) / 2 + (history.hasEvents ? bounds.eventsMax / 4 : 0)
        // Reads as many messages as the largest page, if they are as long as that.
        case .unread: 1 + rows(bounds.rowsMax) / 2
        case .list(_, let limit, _): 1 + 2 * rows(limit)
        case .pins(let list): 1 + 2 * rows(list.limit)
        // Sorts up to a thousand, and writes a page of them.
        case .bans: 5
        // A contact takes 0.5 µs to write down. Deliveries come on top.
        case .contact(.list(_, let limit, _)), .contact(.prospects(_, let limit)):
            1 + Int64(limit ?? bounds.rows) / 10
        // Up to a hundred requests, each of which is judged by its link.
        case .invite(.joins), .invite(.answerJoin): 10
        // A hash takes some microseconds, and up to 20 invitations are looked at. Deliveries come on top.
        case .invite: 5
        // Up to 64 devices, of which most have few.
        case .devices: 5
        // Up to a thousand rows that are next to each other. Their contents are paid afterwards.
        case .getState: 10
        // Up to a hundred members, each with a row of its own.
        case .receipts: 15
        case .members(let list): list.hasPresence ? 15 : 10
        case .operator(let command):
            switch command {
            // Looks at thousands of users, or writes a hundred with their devices.
            case .people, .find, .whereabouts: 10
            // Looks at up to 10,000 reports, and writes a hundred.
            case .reports: 10
            // Reads eleven messages, each in a place of its own. Their contents are paid afterwards.
            case .showReport: 10
            case .person, .disconnect, .revoke, .endSignIn, .forgetFeed, .profile, .introduce, .showInvitation: 5
            case .states(let names): 1 + Int64(names.count) / 5
            // A page of 4,096 rows is looked at, and up to 256 events are stored and sent. The deliveries come on top.
            case .eraseMessages: 50
            // Up to 500 members are removed.
            case .eraseConversation: 50
            // Half a millisecond for 256 events. A session may have 200 such pages a second, a tenth of the loop.
            case .feed(let asked): 2 + Int64(asked.limit ?? bounds.feedRows) / 32
            // Up to 60 kB of samples.
            case .statistics: 10
            case .drain, .ackFeed, .removeReported, .closeReport: 1
            }
        default: 1
        }
    }

    /// Most messages or conversations in the answer. A message of a page takes 1 to 2 µs to read and to write down, a
    /// conversation 4 µs, because its last message has a place of its own in the store.
    private func rows(_ limit: Int?) -> Int64 { Int64(min(max(1, limit ?? bounds.rows), bounds.rowsMax)) }
}
