import RoostFraming
import RoostWire

/// `state.set` and `state.get`: settings that follow a user. A setting goes to the user's own devices by a durable
/// event, through a hidden conversation with the user as the only member, so that devices catch up with settings as
/// with everything else. The log decides about versions and keeps the newest value of each key. Loop thread only.
final class SettingCommands {
    /// The limits of these commands.
    struct Bounds {
        /// Settings of a page whose command names no limit.
        let rows: Int
        /// Bytes of values at which a page ends early.
        let bytes: Int

        init(_ limits: Limits) {
            rows = limits.statesPerUser
            bytes = limits.pageBytes
        }
    }

    private let bounds: Bounds
    private let prices: Prices
    private let directory: Directory
    private let journal: Journal
    private let delivery: Delivery
    private let reads: Reads
    private let replies: Replies
    private let builder: FrameBuilder

    init(
        _ bounds: Bounds, _ prices: Prices, _ directory: Directory, _ journal: Journal, _ delivery: Delivery,
        _ reads: Reads, _ replies: Replies
    ) {
        self.bounds = bounds
        self.prices = prices
        self.directory = directory
        self.journal = journal
        self.delivery = delivery
        self.reads = reads
        self.replies = replies
        builder = replies.builder
    }

    func set(
        _ set: Command.SetState, by speaker: Speaker, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        let user = speaker.user
        try journal.reserve(set.value?.count ?? 0)
        try prices.pay(deliveries: user.sessions.count, bytes: set.value?.count ?? 0, by: session, at: now)
        let hidden = user.openSettings(delivery.settle())
        var append = Append(.state, in: hidden.number, by: user.number, device: speaker.device, at: now.wall)
        append.label = set.key.string
        append.body = set.value?.array ?? []
        append.flag = set.ifVersion != nil
        append.reference = SequenceNumber(set.ifVersion ?? 0)
        journal.submit(append, session, id)
    }

    func get(_ get: Command.GetState, _ asker: Asker) throws(Refusal) {
        try reads.check(asker.session)
        let selection: SettingsRequest.Selection =
            switch get.selection {
            case .all: .all
            case .keys(let keys): .keys(keys.map(\.string))
            case .prefix(let prefix): .prefix(prefix.string)
            }
        let request = SettingsRequest(
            of: asker.user.number, selection, after: get.after?.string ?? "", rows: get.limit ?? bounds.rows,
            bytes: bounds.bytes)
        reads.ask(.settings(request), for: .settings(asker))
    }

    /// The log has answered `state.get`.
    func answered(_ result: ReadResult, _ asker: Asker) {
        guard asker.session.phase == .ready else { return }
        guard !result.isFailed else {
            var refusal = Refusal(.unavailable, "the store could not be read")
            refusal.id = asker.id
            return replies.refuse(refusal, asker.session)
        }
        builder.begin("ok")
        builder.reply(to: asker.id)
        builder.beginArray("states")
        for setting in result.events {
            builder.beginObject()
            builder.member("key", plain: setting.label)
            builder.member("value", raw: setting.body)
            builder.member("version", setting.position.value)
            builder.member("time", setting.time.milliseconds)
            builder.endObject()
        }
        builder.endArray()
        if result.hasMore, let last = result.events.last { builder.member("next", plain: last.label) }
        delivery.reply(builder.finish(), to: asker.session)
    }
}
