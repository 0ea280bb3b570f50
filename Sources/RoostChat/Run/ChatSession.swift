import Foundation
import RoostClient
import RoostKit
import RoostStore
import RoostWire

/// A user's chat on the kit, without a screen: it opens conversations and carries out what the user asks for. What
/// comes of that it says in words, which a screen and a pipe show each in its own way.
@MainActor
final class ChatSession {
    /// The result of an act, as shown.
    enum Answer: Equatable {
        case nothing
        /// One line.
        case line(String)
        /// More than one.
        case lines(String, [String])
        /// The same, where each line has something to be done with it.
        case choices(String, [Choice])
        case found([TimelineMessage])
        /// A message is on its way.
        case sent(TimelineItem.ID)
        /// A message is on its way elsewhere, and what to tell.
        case forwarded(TimelineItem.ID, to: String, String)
        /// Another conversation is to be opened.
        case open(String)
        /// A thread was opened.
        case thread
        /// The thread was left.
        case conversation
        /// The conversation is no longer there, and why.
        case left(String)
    }

    /// A line that can be chosen, and what that does.
    struct Choice: Equatable {
        var line: String
        var act: Act
    }

    /// Pages of 100 conversations in which a group is looked for by its name.
    private static let pagesMax = 10

    let roost: Roost
    let words: Words
    private(set) var timeline: ConversationTimeline?
    /// The thread of the open conversation that is open.
    private(set) var thread: MessageThread?
    /// Whether the user said `/away`: nothing counts as read.
    private(set) var isAway = false

    /// The address of the chat page, for links to it.
    let page: String

    init(_ settings: RoostSettings, _ words: Words) async throws {
        self.words = words
        page = ChatSession.page(of: settings.relay.absoluteString)
        roost = try await Roost(settings)
    }

    /// The relay serves it beside the socket.
    static func page(of url: String) -> String {
        let isSecure = url.hasPrefix("wss:")
        let host = url.split(separator: "/").dropFirst().first ?? ""
        return (isSecure ? "https://" : "http://") + host
    }

    var user: String { roost.snapshot.user ?? "" }
    var names: Names { Names(profiles: roost.people.profiles) }

    // MARK: Conversations

    /// The conversation that a name means, as far as this device knows: an id, the name of a group, or a user. Nil if
    /// only the relay can tell.
    func known(_ name: String) -> String? {
        if name.hasPrefix("@") { return name }
        let rows = roost.conversations.rows
        let all = rows + roost.requests.rows
        if let row = all.first(where: { $0.id == name }) { return row.id }
        if let row = all.first(where: { $0.peer == name }) { return row.id }
        let named = rows.filter { $0.peer == nil && $0.title == name }
        return named.count == 1 ? named[0].id : nil
    }

    /// The same, after asking the relay: what is neither the id of a conversation nor the name of a group is a user.
    /// - Throws: `RoostFailure` if it can't be asked, `ChatFailure` if there is nothing of this name.
    func resolve(_ name: String) async throws -> String {
        if let known = known(name) { return known }
        do throws(RoostFailure) {
            return try await roost.client.conversation(name).id
        } catch {
            guard case .refused(let refusal) = error, refusal.is(.notFound) || refusal.is(.badRequest) else {
                throw error
            }
        }
        // A new device doesn't have the list yet. Who is in more groups than these names it by its id.
        var before: String?
        for _ in 0..<ChatSession.pagesMax {
            let page = try await roost.client.conversations(before: before, limit: 100)
            let named = page.conversations.filter { $0.kind == .group && $0.name == name }
            if named.count > 1 { throw ChatFailure(words(.severalGroups(name))) }
            if let one = named.first { return one.id }
            guard let next = page.next else { break }
            before = next
        }
        guard !name.contains(where: \.isWhitespace) else { throw ChatFailure(words(ConversationPhrase.noGroup(name))) }
        return "@" + name
    }

    /// Opens a conversation, which is the one that acts are about from now on.
    func open(_ destination: String) async throws -> ConversationTimeline {
        let opened = try await roost.timeline(with: destination)
        (timeline, thread) = (opened, nil)
        return opened
    }

    func close() { (timeline, thread) = (nil, nil) }

    /// Opens the thread of a message of the open conversation.
    func openThread(of id: TimelineItem.ID) async throws { thread = try await timeline?.thread(of: id) }

    func closeThread() { thread = nil }

    /// The messages that are shown: those of the thread, if one is open.
    var shownMessages: [TimelineMessage] {
        guard let thread else { return timeline?.items.compactMap(\.message) ?? [] }
        return (thread.snapshot.root.map { [$0] } ?? []) + thread.items.compactMap(\.message)
    }

    /// Everything up to this message was seen.
    func seen(upTo sequence: SequenceNumber) async {
        guard !isAway else { return }
        try? await timeline?.seen(upTo: sequence)
    }

    // MARK: Writing

    /// Sends a text with the users that it mentions, into the thread if one is open.
    func send(_ text: String, replyTo: TimelineItem.ID? = nil) async throws -> TimelineItem.ID? {
        let mentions = mentions(in: text)
        if let thread { return try await thread.send(text, replyTo: replyTo, mentions: mentions) }
        return try await timeline?.send(text, replyTo: replyTo, mentions: mentions)
    }

    func edit(_ id: TimelineItem.ID, _ text: String) async throws {
        try await timeline?.edit(id, text, mentions: mentions(in: text))
    }

    /// Gives a refused message or edit another text.
    func replace(_ item: Int64, _ text: String) async throws {
        try await timeline?.replace(item, text, mentions: mentions(in: text))
    }

    private func mentions(in text: String) -> [String] {
        MentionReader(timeline?.conversation, names, user: user).users(in: text)
    }

    // MARK: Acts

    /// Does what the user asks for.
    /// - Parameter id: the message that is meant; nil for the last one that fits.
    func perform(_ act: Act, on id: TimelineItem.ID? = nil) async -> Answer {
        do {
            return try await carryOut(act, on: id)
        } catch let failure as RoostFailure {
            return .line(words.failure(failure))
        } catch OutboxFailure.noSuchItem {
            return .line(words(.tooLateToChange))
        } catch OutboxFailure.full {
            return .line(words(.storeFull))
        } catch let failure as ChatFailure {
            return .line(failure.description)
        } catch {
            return .line(words(.failed("\(error)")))
        }
    }

    private func carryOut(_ act: Act, on id: TimelineItem.ID?) async throws -> Answer {
        switch act {
        case .open(let name): return .open(try await resolve(name))
        case .group(let name, let members): return .open(try await roost.createGroup(name, members: members))
        case .list: return list
        case .devices:
            return .lines(words(.devices), try await roost.client.devices().map(line))
        case .connect: await roost.connect()
        case .search(let text): return .found(try await timeline?.search(text) ?? [])
        case .away, .back, .status, .privacy: return try await carryOutOneself(act)
        case .makeLink, .links, .revokeLink, .followLink, .waiting, .approve, .admit, .turnAway:
            return try await InviteLinks(roost: roost, timeline: timeline, page: page, words: words).carryOut(act)
        case .contacts, .invite, .accept, .drop, .requests, .decline, .forget, .block, .unblock, .report, .find, .name,
            .username, .mute:
            return try await Acquaintance(roost: roost, timeline: timeline, words: words).carryOut(act)
        case .ban, .unban, .timeOut, .bans, .announce:
            guard let group = timeline?.conversation else { return .line(words(.noneYet)) }
            return try await GroupModeration(roost: roost, group: group, words).carryOut(act)
        case .add, .remove, .rename, .role, .leave, .members, .expire, .slow:
            return try await carryOutInConversation(act)
        case .reply, .edit, .delete, .react, .info, .pin, .unpin, .forward, .thread, .reportMessage, .retry, .discard:
            return try await OneMessage(chat: self).carryOut(act, on: id)
        case .pins: return pins
        case .close:
            guard thread != nil else { return .line(words(.noThread)) }
            closeThread()
            return .conversation
        case .help, .history, .jump, .end, .quit: break
        }
        return .nothing
    }

    private var list: Answer {
        let rows = roost.conversations.rows.map { row in
            let title = row.peer.map { "@" + names.long($0) } ?? "#" + TerminalText.printable(row.title)
            let mentions = row.conversation?.mentions ?? 0
            let line = words(.row(title: title, unread: row.unread, mentions: mentions, isMuted: row.isMuted))
            return "  \(line)  \(TerminalText.printable(row.id))"
        }
        return rows.isEmpty ? .line(words(ConversationPhrase.none)) : .lines(words(.yourConversations), rows)
    }

    private var pins: Answer {
        let pins = timeline?.snapshot.pins ?? []
        if pins.isEmpty { return .line(words(.noPins)) }
        return .choices(
            words(.pins), pins.map { Choice(line: PinLine.text($0, names, words), act: .jump($0.sequence)) })
    }

    // MARK: The user

    private func line(_ one: OwnDevice) -> String {
        let now = words(.device(one.device, one.state, since: one.since.map(words.time)))
        guard let ended = one.ended, let reason = ended.reason else { return "  " + now }
        return "  \(now); \(words(.endedBefore(reason, at: ended.time.map(words.time))))"
    }

    private func carryOutOneself(_ act: Act) async throws -> Answer {
        let client = await roost.client
        switch act {
        case .away:
            isAway = true
            try await client.setStatus(.away)
            return .line(words(PeoplePhrase.away))
        case .back:
            isAway = false
            try await client.setStatus(.auto)
            return .line(words(.back))
        case .status(let wanted):
            try await client.setStatus(wanted.state, text: wanted.text)
        case .privacy(let change):
            let privacy = try await client.setPrivacy(change)
            return .lines(words(.privacy), PrivacyLine.lines(privacy, words))
        default: break
        }
        return .nothing
    }

    // MARK: The conversation

    private func carryOutInConversation(_ act: Act) async throws -> Answer {
        guard let conversation = timeline?.conversation else { return .line(words(.noneYet)) }
        let id = conversation.id
        switch act {
        case .add(let users):
            try await roost.addMembers(users, to: id)
            return .line(words(GroupPhrase.added(users)))
        case .remove(let users):
            try await roost.removeMembers(users, from: id)
            return .line(words(GroupPhrase.removed(users)))
        case .rename(let name):
            try await roost.renameGroup(id, to: name)
            return .line(words(GroupPhrase.renamed(name)))
        case .role(let user, let role):
            try await roost.setRole(role, of: user, in: id)
            return .line(words(.hasRole(user, role)))
        case .leave:
            try await roost.leave(id)
            close()
            return .left(words(conversation.kind == .group ? .left : .hiddenUntilNews))
        case .expire(let milliseconds):
            guard let milliseconds else { return .line(words(.expiry(milliseconds: conversation.expiry))) }
            try await roost.setExpiry(of: id, after: .milliseconds(milliseconds))
            return .line(words(.fromNowOn(milliseconds: milliseconds)))
        case .slow(let milliseconds):
            guard let milliseconds else { return .line(words(.slow(milliseconds: conversation.slow))) }
            try await roost.setSlow(to: .milliseconds(milliseconds), in: id)
            return .line(words(.slow(milliseconds: milliseconds)))
        default: return .lines(words(.members), try await members(of: id))
        }
    }

    private func members(of conversation: String) async throws -> [String] {
        var lines: [String] = []
        var next: String?
        repeat {
            let list = try await roost.client.members(of: conversation, after: next, presence: true)
            for member in list.members {
                let mark = member.receipt
                let presence = member.presence.map { PresenceLine.presence($0, words) }
                lines.append(
                    "  "
                        + words(
                            .member(
                                names.long(mark.user), member.role, presence: presence, read: mark.read.value,
                                delivered: mark.delivered.value)))
            }
            next = list.next
        } while next != nil
        return lines
    }
}
