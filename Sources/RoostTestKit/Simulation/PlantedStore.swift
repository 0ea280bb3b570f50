import RoostCore
import RoostWire
import SeededRandom

/// A log in memory that breaks a promise of a store if a mistake is planted, and keeps all of them if none is.
final class PlantedStore: SimulatedStore {
    private let world: World
    private let ledger: Ledger
    private var log: MemoryLog
    /// The log as it was before the last batch.
    private var logBefore: MemoryLog?

    init(_ world: World, _ ledger: Ledger) {
        self.world = world
        self.ledger = ledger
        // Few numbers at once, so that more are asked for all the time.
        log = MemoryLog(reactionsPerUser: world.day.limits.reactionsPerUser, leaseSize: 16)
    }

    func load() -> Snapshot {
        var snapshot = log.load()
        if world.mistake == .unreadOwn {
            for index in snapshot.members.indices { snapshot.members[index].watermark = Watermark() }
        }
        if world.mistake == .countedOwn {
            for index in snapshot.members.indices { snapshot.members[index].watermark.own = SequenceRanges() }
        }
        if world.mistake == .forgottenEnds {
            for index in snapshot.devices.indices { snapshot.devices[index].ended = nil }
        }
        if world.mistake == .forgottenBlocks { snapshot.exceptions.removeAll(where: \.kind.isBlock) }
        if world.mistake == .forgottenDeletion {
            for index in snapshot.profiles.indices { snapshot.profiles[index].profile.isDeleted = false }
        }
        if world.mistake == .turnedBlocks {
            for (index, exception) in snapshot.exceptions.enumerated() where exception.kind.isBlock {
                snapshot.exceptions[index].user = exception.other
                snapshot.exceptions[index].other = exception.user
            }
        }
        if world.mistake == .forgottenVeils {
            for index in snapshot.conversations.indices { snapshot.conversations[index].veil = nil }
        }
        if world.mistake == .forgottenPins {
            for index in snapshot.conversations.indices { snapshot.conversations[index].pins = [] }
        }
        if world.mistake == .forgottenRestrictions {
            for index in snapshot.conversations.indices { snapshot.conversations[index].restrictions = [] }
        }
        if world.mistake == .forgottenApproval {
            for index in snapshot.conversations.indices { snapshot.conversations[index].joining = .open }
        }
        if world.mistake == .forgottenSlowMode {
            for index in snapshot.conversations.indices { snapshot.conversations[index].slow = 0 }
        }
        if world.mistake == .forgottenDeletions {
            for index in snapshot.conversations.indices { snapshot.conversations[index].gone = SequenceRanges() }
        }
        if world.mistake == .forgottenMutes {
            for index in snapshot.settings.indices { snapshot.settings[index].mutes = [] }
        }
        for index in snapshot.invites.indices { misjudge(&snapshot.invites[index].stored) }
        if world.mistake == .shownFollower {
            for index in snapshot.contacts.indices where snapshot.contacts[index].stored.isByLink {
                snapshot.contacts[index].stored.inviter = nil
                snapshot.contacts[index].stored.isByLink = false
                snapshot.contacts[index].stored.isWithheld = false
            }
        }
        for index in snapshot.conversations.indices {
            misjudgeRequest(of: &snapshot.conversations[index], with: snapshot.members)
        }
        for index in snapshot.users.indices {
            switch world.mistake {
            case .forgottenPresence: snapshot.users[index].presence.state = .offline
            case .raisedDead: snapshot.users[index].presence.state = .online
            case .forgottenReading: snapshot.users[index].privacy.read = .shared
            default: break
            }
        }
        return snapshot
    }

    private func misjudge(_ invite: inout StoredInvite) {
        switch world.mistake {
        case .forgottenUses: invite.used = 0
        case .doubledUses: invite.used *= 2
        case .endlessInvites: invite.expires = Timestamp(milliseconds: invite.expires.milliseconds + 86_400_000)
        default: return
        }
    }

    private func misjudgeRequest(of conversation: inout Snapshot.Conversation, with members: [Snapshot.Member]) {
        guard conversation.kind == .direct, let opener = conversation.opener else { return }
        switch world.mistake {
        case .forgottenRequests: conversation.request = nil
        case .turnedRequests: if conversation.request != nil { conversation.request = StoredRequest(to: opener) }
        case .forgottenFirstMessage: if conversation.request != nil { conversation.lastSequence = .none }
        case .forgottenDrops: conversation.request?.isDropped = false
        case .forgottenAcceptance where conversation.request == nil:
            let number = conversation.number
            let receiver = members.first { $0.conversation == number && $0.user != opener }
            conversation.request = receiver.map { StoredRequest(to: $0.user) }
        default: return
        }
    }

    func commit(_ batch: [Mutation]) -> [Outcome]? {
        if world.mistake == .lostCommit { logBefore = log.copy() }
        if world.mistake == .forgottenKeysOfErased { log.forgetKeysOfErased() }
        let outcomes = log.commit(batch.map(withoutVersion))
        if world.mistake == .countedWithheld { log.countWithheldReactions() }
        if world.mistake == .sharedPins { log.sharePins() }
        return world.mistake == .forgottenExpiry ? outcomes.map(withoutExpiry) : outcomes
    }

    private func withoutExpiry(_ outcome: Outcome) -> Outcome {
        guard case .duplicate(let position, let sequence, let conversation, let time, _) = outcome else {
            return outcome
        }
        return .duplicate(position, sequence, conversation, time)
    }

    private func withoutVersion(_ mutation: Mutation) -> Mutation {
        guard case .append(var append) = mutation else { return mutation }
        switch (world.mistake, append.kind) {
        case (.ignoredVersion, .state): append.flag = false
        case (.staleEdit, .edit): append.ifVersion = nil
        default: return mutation
        }
        return .append(append)
    }

    func predict(_ batch: [Mutation]) -> [Outcome]? {
        log.copy().commit(batch.map(withoutVersion))
    }

    func makeRoom(isCalm: Bool) -> Bool { true }

    func maintain() {}

    func fail(_ batch: [Mutation], _ random: inout SeededGenerator) -> [Outcome]? {
        random.chance(50) ? log.commit(batch) : nil
    }

    func reopen(after end: ProcessEnd, _ random: inout SeededGenerator) -> [Outcome]? {
        defer {
            logBefore = nil
            if world.mistake == .forgottenKeys { log.forgetKeys() }
        }
        guard case .died(let pending) = end else { return nil }
        if let pending { return random.chance(50) ? log.commit(pending) : nil }
        if let logBefore { log = logBefore }
        return nil
    }

    func takeViolations() -> [String] { [] }

    // MARK: Pages that are wrong

    func answer(_ read: Read) -> ReadResult {
        var result = log.answer(read)
        if case .page = read.question, world.mistake == .lostSetting { result.events.removeAll { $0.kind == .state } }
        if case .page = read.question, world.mistake == .lostOrigin {
            for index in result.events.indices where result.events[index].extras?.origin != nil {
                result.events[index].extras = nil
            }
        }
        if world.mistake == .shownWithheld {
            for index in result.events.indices where result.events[index].extras.isWithheld {
                result.events[index].extras = result.events[index].extras.shownToSender
            }
        }
        misjudgeThreads(&result, read.question)
        guard case .page(let request) = read.question, result.events.count > 1 else { return result }
        switch world.mistake {
        case .skippedRow where world.random.chance(20):
            result.events.remove(at: world.random.below(result.events.count - 1))
        case .swallowedChange:
            let skips = result.spans.compactMap { span in
                span.skip.map { (span.conversation, $0.from, $0.to, $0.place) }
            }
            let told = result.gaps.filter { !$0.isReset }.map { ($0.conversation, $0.from, $0.to, $0.place) }
            for (conversation, from, to, place) in skips + told {
                let isOver = result.events.firstIndex { $0.conversation == conversation && $0.sequence > to }
                result.events.removeAll {
                    $0.conversation == conversation && $0.kind != .message && $0.sequence < from
                        && $0.position > place && isOver != nil
                }
            }
        case .reorderedRows where world.random.chance(20):
            result.events.swapAt(0, 1)
        case .strangersRow:
            guard let row = strangersRow(request, result) else { break }
            result.events.append(row)
        default: break
        }
        return result
    }

    private func misjudgeThreads(_ result: inout ReadResult, _ question: Read.Question) {
        switch (world.mistake, question) {
        case (.lostThread, .page): for index in result.events.indices { result.events[index].extras = nil }
        case (.miscountedThread, .history):
            for index in result.events.indices { result.events[index].replies?.count += 1 }
        case (.shortThread, .history(let request)) where request.thread != .none: _ = result.events.popLast()
        default: break
        }
    }

    private func strangersRow(_ request: PageRequest, _ result: ReadResult) -> StoredEvent? {
        guard !result.hasMore, let last = result.events.last?.position else { return nil }
        let asked = Set(request.spans.map(\.conversation))
        var span: [PageRequest.Span] = []
        for conversation in ledger.conversations where !conversation.isErased {
            let number = ConversationNumber(conversation.number)
            if !asked.contains(number) { span.append(.init(number, after: last, upTo: Position(ledger.head))) }
        }
        let question = PageRequest(spans: span, rows: 1, bytes: 1_000)
        return log.answer(Read(ticket: 0, .page(question))).events.first
    }
}
