import RoostCore
import RoostWire

/// The log in memory, with the semantics of `LogWriter` and `LogReader` and nothing else: the sequencer that tests and
/// the simulation measure the Relay and other stores by. It holds only what was committed, so that a crash is
/// forgetting everything but this object. One thread at a time; it never looks at the clock and keeps no threads.
public final class MemoryLog: LogWriter, LogReader {
    /// Everything durable. A value, so that a copy is a snapshot.
    struct State {
        var head = Position.start
        var aliveAt = Timestamp.never
        var users: [UserNumber: Snapshot.User] = [:]
        var profiles: [UserNumber: StoredProfile] = [:]
        var revocations: [UserNumber: [String: Timestamp]] = [:]
        var endedSignIns: [String: Timestamp] = [:]
        var feedCursors: [String: Position] = [:]
        var exceptions: [UserNumber: [UserNumber: PrivacyException]] = [:]
        var contacts: [UserPair: StoredContact] = [:]
        var prospects: [UserNumber: [String: StoredProspect]] = [:]
        var invites: [UserNumber: [String: StoredInvite]] = [:]
        var reports: [Int64: StoredReport] = [:]
        var devices: [DeviceNumber: Snapshot.Device] = [:]
        var conversations: [ConversationNumber: Record] = [:]
        var keys: [Key: StoredEvent] = [:]
        /// The newest event of each key that a user has set; without a body if it was removed.
        var settings: [UserNumber: [String: StoredEvent]] = [:]
        var receipts: [ConversationNumber: [UserNumber: Marks]] = [:]
        /// Messages that will disappear.
        var expiring: [ExpiredMessage] = []
        /// The highest leased number of each kind.
        var leased: [NumberKind: Int32] = [:]
    }

    /// A conversation with its rows.
    struct Record {
        var entry: Snapshot.Conversation
        /// Members in the order in which they joined, including former ones.
        var members: [Snapshot.Member] = []
        /// Rows in the order of positions. An edit has no body of its own: it shows the message's present one.
        var rows: [StoredEvent] = []
        /// The index in `rows` of the message with sequence `index + 1`.
        var messages: [Int] = []
        /// Reactions by sequence, in the order in which they were given.
        var reactions: [SequenceNumber: [Reaction]] = [:]
        /// Messages of each thread, by the message with which it began, with those that were deleted since.
        var threads: [SequenceNumber: [SequenceNumber]] = [:]
        /// Messages that mention a member, or all (user 0), in order.
        var mentions: [UserNumber: [Mention]] = [:]
    }

    /// The last steps of a member's watermarks.
    struct Marks {
        var delivered = ReceiptSteps()
        var read = ReceiptSteps()
    }

    struct Reaction: Equatable {
        var user: UserNumber
        var text: String
        /// From the other user of the direct conversation.
        var isWithheld: Bool

        init(_ append: Append) {
            (user, text, isWithheld) = (append.sender, append.label, append.withheldFrom != .none)
        }

        /// Whether the event gives it, or takes it back.
        func isOf(_ append: Append) -> Bool { user == append.sender && text == append.label }
    }

    struct Key: Hashable {
        var sender: UserNumber
        var text: String
    }

    var state: State
    let reactionsPerUser: Int
    private let leaseSize: Int32
    /// Positions of another epoch are none of this log's. `copy` keeps it; a test that restores a backup changes it.
    public var epoch = "memory"
    /// Most settings of one user, and most removals kept for devices that missed them.
    public var settingsPerUser = Limits().statesPerUser

    /// An empty log.
    /// - Parameters:
    ///   - reactionsPerUser: different reactions of one user to one message; more are refused.
    ///   - leaseSize: how many numbers of a kind a relay gets at once.
    ///   - numbersUsed: numbers of each kind that are given out already.
    public convenience init(
        reactionsPerUser: Int = Limits().reactionsPerUser, leaseSize: Int32 = 1_024, numbersUsed: Int32 = 0
    ) {
        var state = State()
        for kind in NumberKind.allCases { state.leased[kind] = numbersUsed }
        self.init(state, reactionsPerUser: reactionsPerUser, leaseSize: leaseSize)
    }

    private init(_ state: State, reactionsPerUser: Int, leaseSize: Int32) {
        self.state = state
        self.reactionsPerUser = reactionsPerUser
        self.leaseSize = leaseSize
    }

    /// A second log with the present content. The two are independent.
    public func copy() -> MemoryLog {
        let copy = MemoryLog(state, reactionsPerUser: reactionsPerUser, leaseSize: leaseSize)
        copy.epoch = epoch
        copy.settingsPerUser = settingsPerUser
        return copy
    }

    /// Position of the newest durable event.
    public var head: Position { state.head }

    /// Forgets every key, as a store without a durable index would. Only for planted faults.
    func forgetKeys() { state.keys.removeAll() }

    /// Forgets the keys of erased conversations. Only for planted faults.
    func forgetKeysOfErased() {
        state.keys = state.keys.filter { state.conversations[$0.value.conversation] != nil }
    }

    /// Counts withheld reactions for everybody. Only for planted faults.
    func countWithheldReactions() {
        changeConversations { record in
            for sequence in record.reactions.keys {
                for index in record.reactions[sequence]?.indices ?? 0..<0 {
                    record.reactions[sequence]?[index].isWithheld = false
                }
            }
        }
    }

    /// Pins for both users what is pinned for one of them. Only for planted faults.
    func sharePins() {
        changeConversations { record in
            for index in record.entry.pins.indices { record.entry.pins[index].hiddenFrom = .none }
        }
    }

    private func changeConversations(_ change: (inout Record) -> Void) {
        for number in state.conversations.keys {
            if var record = state.conversations[number] {
                change(&record)
                state.conversations[number] = record
            }
        }
    }

    // MARK: LogWriter

    /// Applies the batch at once. Never throws.
    public func commit(_ batch: [Mutation]) -> [Outcome] {
        var outcomes: [Outcome] = []
        var leased: [Outcome] = []
        for mutation in batch {
            switch mutation {
            case .user(let number, let name):
                state.users[number] = Snapshot.User(number, name: name)
            case .forgetUser(let number):
                state.users[number] = nil
            case .device(let number, let user, let name, let cursor):
                state.devices[number] = Snapshot.Device(number, user: user, name: name, cursor: cursor, isNew: true)
            case .forgetDevice(let number):
                state.devices[number] = nil
            case .cursor(let number, let position):
                state.devices[number]?.cursor = position
                state.devices[number]?.isNew = false
            case .watermark(let conversation, let user, let watermark):
                changeMember(user, of: conversation) { $0.watermark = watermark }
            case .steps(let conversation, let user, let steps):
                add(steps, of: user, in: conversation)
            case .answered(let conversation, let user):
                changeMember(user, of: conversation) { $0.hasAnswered = true }
            case .dropRequest(let conversation):
                state.conversations[conversation]?.entry.request?.isDropped = true
            case .presence(let number, let presence):
                state.users[number]?.presence = presence
            case .end(let number, let end):
                state.devices[number]?.ended = end
            case .status(let number, let status):
                state.users[number]?.status = status
            case .privacy(let number, let settings):
                state.users[number]?.privacy = settings
            case .profile(let number, let profile):
                state.profiles[number] = profile
                if profile.isDeleted {
                    state.settings[number] = nil
                    // A revocation of one device becomes one of all, without its name.
                    if let last = state.revocations[number]?.values.max() { state.revocations[number] = ["": last] }
                }
            case .revoke(let number, let device, let time):
                state.revocations[number, default: [:]][device ?? ""] = time
            case .endSignIn(let name, let until):
                state.endedSignIns[name] = until
            case .forgetSignIns(let time):
                state.endedSignIns = state.endedSignIns.filter { $0.value > time }
            case .feedCursor(let consumer, let position):
                state.feedCursors[consumer] = position
            case .exception(let number, let other, let exception):
                state.exceptions[number, default: [:]][other] = exception
            case .contact(let pair, let contact):
                state.contacts[pair] = contact
            case .prospect(let user, let id, let prospect):
                state.prospects[user, default: [:]][id] = prospect
            case .invite(let user, let id, let invite): state.invites[user, default: [:]][id] = invite
            case .report(let report):
                state.reports[report.number] = report
            case .forgetReport(let number):
                state.reports[number] = nil
            case .alive(let time):
                state.aliveAt = time
            case .lease(let kind):
                leased.append(.leased(kind, lease(kind)))
            case .expire(let time):
                leased.append(expire(upTo: time))
            case .append(let append):
                outcomes.append(self.append(append))
            }
        }
        return outcomes + leased
    }

    // MARK: LogReader

    /// Answers from committed rows. Never throws.
    public func answer(_ read: Read) -> ReadResult {
        var result =
            switch read.question {
            case .page(let request): page(request, read.ticket)
            case .history(let request): history(request, read.ticket)
            case .latest(let request): latest(request, read.ticket)
            case .feed(let request): feed(request, read.ticket)
            case .settings(let request): settings(request, read.ticket)
            case .receipts(let request): receipts(request, read.ticket)
            }
        result.head = state.head
        result.events = result.events.map { $0.shown(at: read.time) }
        if case .page = read.question { result.events.removeAll { $0.kind == .edit && $0.deletedAt != .never } }
        return result
    }

    private func lease(_ kind: NumberKind) -> Range<Int32> {
        let used: Int32? =
            switch kind {
            case .user: state.users.keys.map(\.value).max()
            case .device: state.devices.keys.map(\.value).max()
            case .conversation: state.conversations.keys.map(\.value).max()
            }
        let numbers = NumberLeases.range(above: max(state.leased[kind] ?? 0, used ?? 0), count: leaseSize)
        if let last = numbers.last { state.leased[kind] = last }
        return numbers
    }

    /// The snapshot from which a relay starts. Each relay gets its own numbers.
    public func load() -> Snapshot {
        noteOwnSteps()
        var snapshot = Snapshot()
        snapshot.epoch = epoch
        snapshot.head = state.head
        snapshot.aliveAt = state.aliveAt
        snapshot.nextExpiry = state.expiring.map(\.expires).min() ?? .never
        snapshot.leases = NumberLeases(
            users: lease(.user), devices: lease(.device), conversations: lease(.conversation))
        snapshot.users = state.users.values.sorted { $0.number.value < $1.number.value }
        snapshot.profiles = state.profiles.sorted { $0.key.value < $1.key.value }.map {
            Snapshot.Profile($0.key, $0.value)
        }
        for (user, revocations) in state.revocations.sorted(by: { $0.key.value < $1.key.value }) {
            snapshot.revocations += revocations.sorted { $0.key < $1.key }.map {
                Snapshot.Revocation(user, device: $0.key.isEmpty ? nil : $0.key, $0.value)
            }
        }
        snapshot.endedSignIns = state.endedSignIns.sorted { $0.key < $1.key }.map {
            Snapshot.EndedSignIn($0.key, until: $0.value)
        }
        snapshot.feedCursors = state.feedCursors.sorted { $0.key < $1.key }.map {
            Snapshot.FeedCursor($0.key, $0.value)
        }
        for (user, exceptions) in state.exceptions.sorted(by: { $0.key.value < $1.key.value }) {
            snapshot.exceptions += exceptions.sorted { $0.key.value < $1.key.value }.map {
                Snapshot.Exception(user, of: $0.key, $0.value)
            }
        }
        for (user, settings) in state.settings.sorted(by: { $0.key.value < $1.key.value }) {
            guard let last = settings.values.max(by: { $0.position < $1.position }) else { continue }
            var stored = Snapshot.Settings(user, lastPosition: last.position, lastTime: last.time)
            stored.mutes = settings.values.filter { $0.label.hasPrefix("mute/") && !$0.body.isEmpty }
                .sorted { $0.label < $1.label }.map { Snapshot.Setting(key: $0.label, value: $0.body) }
            snapshot.settings.append(stored)
        }
        snapshot.contacts = state.contacts.map { Snapshot.Contact($0.key, $0.value) }.sorted {
            ($0.pair.low.value, $0.pair.high.value) < ($1.pair.low.value, $1.pair.high.value)
        }
        for (user, prospects) in state.prospects.sorted(by: { $0.key.value < $1.key.value }) {
            snapshot.prospects += prospects.sorted { $0.key < $1.key }.map {
                Snapshot.Prospect(user, id: $0.key, $0.value)
            }
        }
        for (user, invites) in state.invites.sorted(by: { $0.key.value < $1.key.value }) {
            snapshot.invites += invites.sorted { $0.key < $1.key }.map { Snapshot.Invite(user, id: $0.key, $0.value) }
        }
        snapshot.reports = state.reports.values.sorted { $0.number < $1.number }
        snapshot.devices = state.devices.values.sorted { $0.number.value < $1.number.value }
        for record in state.conversations.values.sorted(by: { $0.entry.number.value < $1.entry.number.value }) {
            snapshot.conversations.append(record.entry.with(mentionsOfAll: record.mentions[.none] ?? []))
            snapshot.members += record.members.map { $0.with(mentions: record.mentions[$0.user] ?? []) }
        }
        return snapshot
    }
}
