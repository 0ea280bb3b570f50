import RoostClient
import RoostKit
import RoostStore
import RoostWire

/// A user's chat on the kit, without a screen: it opens conversations and carries out what the user asks for. What
/// comes of that it says in words, which a screen and a pipe show each in its own way.
@MainActor
final class ChatSession {
    /// What an act has to say.
    enum Answer: Equatable {
        case nothing
        /// One line.
        case line(String)
        /// More than one.
        case lines(String, [String])
        case found([LocalMessage])
        /// A message is on its way.
        case sent(TimelineItem.ID)
        /// Another conversation is to be opened.
        case open(String)
        /// The conversation is no longer there.
        case left
    }

    /// Pages of 100 conversations in which a group is looked for by its name.
    private static let pagesMax = 10

    let roost: Roost
    private(set) var timeline: Timeline?
    /// Whether the user said `/away`: nothing counts as read.
    private(set) var isAway = false

    init(_ settings: RoostSettings) async throws { roost = try await Roost(settings) }

    var user: String { roost.snapshot.user ?? "" }
    var names: Names { Names(profiles: roost.people.profiles) }

    // MARK: Conversations

    /// The conversation that a name means, as far as this device knows: an id, the name of a group, or a user. Nil if
    /// only the relay can tell.
    func known(_ name: String) -> String? {
        if name.hasPrefix("@") { return name }
        let rows = roost.conversations.rows
        if let row = rows.first(where: { $0.id == name }) { return row.id }
        if let row = rows.first(where: { $0.peer == name }) { return row.id }
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
            if named.count > 1 { throw ChatFailure("several groups are called \(name); name one by its id, see /list") }
            if let one = named.first { return one.id }
            guard let next = page.next else { break }
            before = next
        }
        guard !name.contains(where: \.isWhitespace) else { throw ChatFailure("you are in no group called \(name)") }
        return "@" + name
    }

    /// Opens a conversation, which is the one that acts are about from now on.
    func open(_ destination: String) async throws -> Timeline {
        let opened = try await roost.timeline(with: destination)
        timeline = opened
        return opened
    }

    func close() { timeline = nil }

    /// Everything up to this message was seen.
    func seen(upTo sequence: SequenceNumber) async {
        guard !isAway else { return }
        try? await timeline?.seen(upTo: sequence)
    }

    // MARK: Acts

    /// Does what the user asks for.
    /// - Parameter id: the message that is meant; nil for the last one that fits.
    func perform(_ act: Act, on id: TimelineItem.ID? = nil) async -> Answer {
        do {
            return try await carryOut(act, on: id)
        } catch let failure as RoostFailure {
            return .line(FailureLine.text(failure))
        } catch OutboxFailure.noSuchItem {
            return .line("that can't be changed any more")
        } catch OutboxFailure.full {
            return .line("too much waits to be sent")
        } catch {
            return .line(TerminalText.printable("\(error)"))
        }
    }

    private func carryOut(_ act: Act, on id: TimelineItem.ID?) async throws -> Answer {
        switch act {
        case .open(let name): return .open(try await resolve(name))
        case .group(let name, let members): return .open(try await roost.createGroup(name, members: members))
        case .list: return list
        case .devices:
            return .lines("Your devices", try await roost.client.devices().map(DeviceLine.text))
        case .connect: await roost.connect()
        case .search(let text): return .found(try await timeline?.search(text) ?? [])
        case .away, .back, .status, .privacy: return try await carryOutOneself(act)
        case .contacts, .invite, .accept, .decline, .forget, .block, .unblock, .report, .find, .name, .username, .mute:
            return try await Acquaintance(roost: roost, timeline: timeline).carryOut(act)
        case .add, .remove, .rename, .role, .leave, .members: return try await carryOutInGroup(act)
        case .reply, .edit, .delete, .react, .info, .retry, .discard: return try await carryOut(act, onMessage: id)
        case .help, .history, .jump, .end, .quit: break
        }
        return .nothing
    }

    private var list: Answer {
        let rows = roost.conversations.rows.map { row in
            let title = row.peer.map { "@" + names.long($0) } ?? "#" + TerminalText.printable(row.title)
            let mentions = row.conversation.map { $0.mentions > 0 ? ", \($0.mentions) for you" : "" } ?? ""
            let muted = row.isMuted ? ", muted" : ""
            return "  \(title), unread \(row.unread)\(mentions)\(muted)  \(TerminalText.printable(row.id))"
        }
        return rows.isEmpty ? .line("you have no conversations") : .lines("Your conversations", rows)
    }

    // MARK: The user

    private func carryOutOneself(_ act: Act) async throws -> Answer {
        let client = await roost.client
        switch act {
        case .away:
            isAway = true
            try await client.setStatus(.away)
            return .line("you are away; nothing counts as read until /back")
        case .back:
            isAway = false
            try await client.setStatus(.auto)
            return .line("you are back")
        case .status(let wanted):
            try await client.setStatus(wanted.state, text: wanted.text)
        case .privacy(let change):
            let privacy = try await client.setPrivacy(change)
            return .lines("Privacy", PrivacyLine.lines(privacy))
        default: break
        }
        return .nothing
    }

    // MARK: Groups

    private func carryOutInGroup(_ act: Act) async throws -> Answer {
        guard let conversation = timeline?.conversation else { return .line("there is no conversation yet") }
        let id = conversation.id
        switch act {
        case .add(let users):
            try await roost.add(users, to: id)
            return .line("added \(TerminalText.printable(users.joined(separator: ", ")))")
        case .remove(let users):
            try await roost.remove(users, from: id)
            return .line("removed \(TerminalText.printable(users.joined(separator: ", ")))")
        case .rename(let name):
            try await roost.rename(id, to: name)
            return .line("renamed to \(TerminalText.printable(name))")
        case .role(let user, let role):
            try await roost.setRole(role, of: user, in: id)
            return .line("\(TerminalText.printable(user)) is \(role.word) now")
        case .leave:
            try await roost.leave(id)
            timeline = nil
            return .left
        default: return .lines("Members", try await members(of: id))
        }
    }

    private func members(of conversation: String) async throws -> [String] {
        var lines: [String] = []
        var next: String?
        repeat {
            let list = try await roost.client.members(of: conversation, after: next, presence: true)
            for member in list.members {
                let mark = member.receipt
                let state = member.presence.map { " " + PresenceLine.words($0) } ?? ""
                lines.append(
                    "  \(names.long(mark.user)) (\(member.role.word))\(state), "
                        + "read \(mark.read.value), delivered \(mark.delivered.value)")
            }
            next = list.next
        } while next != nil
        return lines
    }

    // MARK: Messages

    /// The message that an act is about: the chosen one, or the last that fits.
    func target(of act: Act, _ id: TimelineItem.ID? = nil) -> TimelineMessage? {
        let items = timeline?.items.compactMap(\.message) ?? []
        if let id { return items.first { $0.id == id } }
        return switch act {
        case .edit, .delete, .info: items.last { $0.isOwn && !$0.isDeleted }
        case .reply, .react: items.last { !$0.isOwn && !$0.isDeleted } ?? items.last
        default: items.first { refused($0) != nil }
        }
    }

    private func carryOut(_ act: Act, onMessage id: TimelineItem.ID?) async throws -> Answer {
        guard let timeline else { return .line("no conversation is open") }
        if act == .retry, id == nil, timeline.snapshot.failure != nil {
            try await timeline.resume()
            return .line("trying again")
        }
        guard let message = target(of: act, id) else { return .line(ChatSession.nothing(for: act)) }
        switch act {
        case .reply(let text): return .sent(try await timeline.send(text, replyTo: message.id))
        case .react(let reaction, let isOn):
            try await timeline.react(message.id, reaction, isOn: isOn)
            let what = TerminalText.printable(reaction)
            return .line(isOn ? "you reacted \(what)" : "you took \(what) back")
        case .edit(let text):
            if let item = refused(message) {
                try await timeline.replace(item, text)
            } else {
                try await timeline.edit(message.id, text)
            }
            return .line("edited: \(TerminalText.printable(text))")
        case .delete:
            try await timeline.delete(message.id)
            return .line("deleted")
        case .retry, .discard:
            guard let item = refused(message) ?? (act == .discard ? message.outboxItem : nil) else {
                return .line("that one was not refused")
            }
            if act == .retry { try await timeline.retry(item) } else { try await timeline.discard(item) }
            return .line(act == .retry ? "trying again" : "taken back")
        default: return try await info(message)
        }
    }

    private static func nothing(for act: Act) -> String {
        switch act {
        case .edit, .delete, .info: "you have not written anything here"
        case .reply, .react: "there is no message here"
        default: "nothing was refused here"
        }
    }

    // What the relay refused of a message, by its number in the outbox.
    private func refused(_ message: TimelineMessage) -> Int64? {
        if let failed = message.failedChange { return failed.outboxItem }
        if case .failed = message.state { return message.outboxItem }
        return nil
    }

    private func info(_ message: TimelineMessage) async throws -> Answer {
        guard let timeline, let sequence = message.sequence else {
            return .line("the relay doesn't have it yet")
        }
        let readers = try await timeline.readers(of: sequence)
        let lines = readers.map { reader in
            let time = reader.time.map { " \(WallClock().time($0))" } ?? ""
            return "  \(names.long(reader.person.user))\(time)"
        }
        return .lines("Message \(sequence.value), read by", lines.isEmpty ? ["  nobody yet"] : lines)
    }
}
