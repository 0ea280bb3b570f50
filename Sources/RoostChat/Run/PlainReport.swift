import RoostClient
import RoostKit
import RoostStore
import RoostWire

/// The output on a pipe: each thing once, as a line, when it is new. Pure: it compares what the kit shows with what it
/// has printed already.
struct PlainReport {
    /// Messages of the first page. More are shown by `/history`.
    static let firstPage = 20
    /// Messages that are looked at for changes: what a timeline holds.
    private static let knownMax = 500

    private struct Known {
        var text: String
        var isEdited: Bool
        var isDeleted: Bool
        var reactions: [ReactionCount]
    }

    let words: Words
    private var isConnected = false
    private var lossTold: String?
    private var status: OwnStatus?
    private var last = SequenceNumber.none
    /// The first message that was printed.
    private(set) var first: SequenceNumber?
    private var known: [TimelineItem.ID: Known] = [:]
    private var refusedTold: Set<Int64> = []
    private var conversation: LocalConversation?
    private var presences: [String: UserPresence] = [:]
    private var online: OnlineCount?
    /// Users who wait to join.
    private var waiting = 0
    private var tickTold: (SequenceNumber, Int, Int) = (.none, 0, 0)
    private var othersTold: [String: SequenceNumber] = [:]
    private var hasList = false
    private var requestsTold: Set<String> = []

    /// Names of users, as shown.
    var names = Names()

    init(_ words: Words) { self.words = words }

    // MARK: Session

    mutating func lines(_ session: RoostSnapshot) -> [String] {
        var lines: [String] = []
        if session.connection == .connected {
            if !isConnected {
                lines.append("· " + words(.connectedAs(session.user ?? "", device: session.device)))
            }
            (isConnected, lossTold) = (true, nil)
            if let before = status, before != session.status { lines.append(news(session.status)) }
            status = session.status
        } else if session.lastLoss?.isFinal == false, ConnectionLine.end(session, words) == nil {
            let reason = ConnectionLine.reason(session, words)
            // A try that fails like the one before is no news.
            if isConnected || reason != lossTold { lines.append("· " + words(.lost(reason: reason))) }
            (isConnected, lossTold) = (false, reason)
        }
        return lines
    }

    private func news(_ status: OwnStatus) -> String { "· " + words(.shown(status.state, text: status.text)) }

    // MARK: Timeline

    mutating func lines(_ timeline: TimelineSnapshot, user: String) -> [String] {
        var lines = change(to: timeline.conversation, user: user)
        var items = timeline.items
        if first == nil { items = Array(items.suffix(PlainReport.firstPage)) }
        for item in items {
            switch item {
            case .gap(let from, let to):
                guard first != nil, from > last else { continue }
                lines.append("— \(words(.missed(to.value - from.value + 1))) —")
            case .message(let message): lines += take(message, user: user)
            }
        }
        lines += ticks(timeline)
        if let count = timeline.online, count != online {
            online = count
            lines.append("· " + words(.online(Int(clamping: count.online), of: Int(clamping: count.of))))
        }
        if let count = timeline.conversation?.waiting, count != waiting {
            waiting = count
            if count > 0 { lines.append("· " + words(LinkPhrase.wantToJoinHint(count))) }
        }
        return lines
    }

    private mutating func take(_ message: TimelineMessage, user: String) -> [String] {
        if case .failed(let failure) = message.state, let item = message.outboxItem {
            guard refusedTold.insert(item).inserted else { return [] }
            let text = TextWidth.clip(TimelineLines.preview(message, words), 60)
            return ["✗ " + words(.notSent(why: words.why(failure), text: text))]
        }
        guard let sequence = message.sequence else { return [] }
        let now = Known(
            text: TimelineLines.preview(message, words), isEdited: message.editedAt != nil,
            isDeleted: message.isDeleted,
            reactions: message.reactions)
        let before = known[message.id]
        if known.count >= PlainReport.knownMax, before == nil { known = [:] }
        known[message.id] = now
        if let before { return changes(message, from: before) }
        guard sequence > last else { return [] }
        last = sequence
        if first == nil { first = sequence }
        return [PlainLine(message).text(for: user, names, words)]
    }

    /// A page of earlier messages. It becomes the first one that was printed.
    mutating func earlier(_ page: HistoryPage, user: String) -> [String] {
        if let earliest = page.first { first = earliest }
        return page.messages.map { PlainLine($0, user: user).text(for: user, names, words) }
    }

    /// A thread: the message with which it began, and those that belong to it.
    func lines(_ thread: ThreadSnapshot, user: String) -> [String] {
        let root =
            thread.root.map { PlainLine($0).text(for: user, names, words) } ?? "(\(words(MessagePhrase.notHere)))"
        return ["— \(words(.thread(root))) —"] + (thread.hasOlder ? ["— \(words(.threadHasMore)) —"] : [])
            + thread.items.compactMap(\.message).map { PlainLine($0).text(for: user, names, words) }
    }

    private func changes(_ message: TimelineMessage, from before: Known) -> [String] {
        let from = names.short(message.from)
        let short = TextWidth.clip(before.text, 30)
        if message.isDeleted {
            return before.isDeleted ? [] : ["· " + words(.wasDeleted(from: from, text: short))]
        }
        var lines: [String] = []
        let text = TimelineLines.preview(message, words)
        if text != before.text, !message.isChanging { lines.append("· " + words(.wasEdited(from: from, text: text))) }
        for one in message.reactions where !before.reactions.contains(one) {
            lines.append("· " + words(.reaction(one.reaction, count: one.count, from: from, text: short)))
        }
        for one in before.reactions where !message.reactions.contains(where: { $0.reaction == one.reaction }) {
            lines.append("· " + words(.noReaction(one.reaction, from: from, text: short)))
        }
        return lines
    }

    // How far the newest own message has got.
    private mutating func ticks(_ timeline: TimelineSnapshot) -> [String] {
        guard
            let message = timeline.items.last(where: { $0.message?.isOwn == true && $0.message?.sequence != nil })?
                .message, let sequence = message.sequence, let state = message.state, sequence <= last
        else { return [] }
        var (rank, count) = (state.rank, 0)
        if case .delivered(let some, _) = state { count = some }
        if case .read(let some, _) = state { count = some }
        if rank < 2 { (rank, count) = (0, 0) }
        guard (sequence, rank, count) > tickTold, rank > 0 else { return [] }
        tickTold = (sequence, rank, count)
        let peer = timeline.conversation?.kind == .group ? nil : timeline.conversation?.peer(of: message.from)
        switch state {
        case .read(let count, let others):
            return ["  ✓✓ " + words(.readBy(peer.map(names.short) ?? words(.some(count, of: others))))]
        case .delivered(let count, let others):
            return ["  ✓✓ " + words(.deliveredTo(peer.map(names.short) ?? words(.some(count, of: others))))]
        default: return []
        }
    }

    private mutating func change(to now: LocalConversation?, user: String) -> [String] {
        defer { conversation = now }
        var lines = expiry(of: now)
        guard let before = conversation, let now, before.id == now.id, now.kind == .group, !before.isStale else {
            return lines
        }
        if let name = now.name, name != before.name { lines.append("· " + words(GroupPhrase.renamed(name))) }
        let new = now.members.filter { !before.members.contains($0) }
        let gone = before.members.filter { !now.members.contains($0) }
        if !new.isEmpty { lines.append("· " + words(.joined(new.map(names.long)))) }
        if !gone.isEmpty, now.members.count < 50 {
            lines.append("· " + words(.gone(gone.map(names.long))))
        }
        return lines
    }

    // Where messages stay when the conversation is opened, there is nothing to tell.
    private func expiry(of now: LocalConversation?) -> [String] {
        let before = conversation.map { $0.id == now?.id ? $0.expiry : 0 } ?? 0
        guard let now, now.expiry != before else { return [] }
        return ["· " + words(.fromNowOn(milliseconds: now.expiry))]
    }

    // MARK: Others

    /// Presence of those who are in the conversation.
    mutating func lines(_ now: [String: UserPresence], of timeline: TimelineSnapshot, user: String) -> [String] {
        var lines: [String] = []
        for member in timeline.conversation?.members ?? [] where member != user {
            guard let one = now[member], presences[member] != one else { continue }
            presences[member] = one
            lines.append(PresenceLine.text(one, names, words))
        }
        return lines
    }

    /// Messages of others in other conversations: what there was before is no news.
    mutating func lines(
        _ list: ConversationListSnapshot, open: String?, user: String, isUpToDate: Bool
    ) -> [String] {
        var lines: [String] = []
        for row in list.rows {
            guard let message = row.last, let sequence = message.sequence else { continue }
            let before = othersTold[row.id]
            othersTold[row.id] = max(sequence, before ?? .none)
            guard hasList, row.id != open, !message.isOwn, sequence > before ?? .none else { continue }
            let text =
                TextWidth.clip(TimelineLines.preview(message, words), 100)
                + (MentionWords.isFor(user, message) ? " (\(words(.forYou)))" : "")
            let place = row.peer == nil ? row.title : nil
            lines.append("· " + words(.wrote(names.short(message.from), place: place, text: text)))
        }
        if isUpToDate { hasList = true }
        return lines
    }

    /// Strangers who ask to write: each once. What they wrote is no news when they are accepted.
    mutating func lines(requests: ConversationListSnapshot, open: String?) -> [String] {
        var lines: [String] = []
        for row in requests.rows {
            guard let sequence = row.last?.sequence, requestsTold.insert(row.id).inserted else { continue }
            othersTold[row.id] = max(sequence, othersTold[row.id] ?? .none)
            guard row.id != open else { continue }
            let text = String(RequestLine.text(row, names, words).drop { $0 == " " })
            lines.append("· " + words(.asksToWrite(text, answer: RequestLine.answer(row.peer))))
        }
        return lines
    }
}
