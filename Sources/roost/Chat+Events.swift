import RoostClient
import RoostWire

/// Shows events from the relay: the session, messages, ticks, presence.
extension Chat {
    func show(_ event: RoostEvent) async {
        if let time = Self.time(ofChange: event), time <= openedAt { return }
        switch event {
        case .connected(let welcome, _): await connected(welcome)
        case .disconnected(let disconnection): await disconnected(disconnection)
        case .message(let message): await received(message)
        case .edited(let edit) where edit.target.conversation == conversation:
            screen.line("· \(printable(edit.target.from)) edited: \(Self.text(edit.body))", .faint)
        case .deleted(let deletion) where deletion.target.conversation == conversation:
            screen.line("· \(printable(deletion.target.from)) deleted a message", .faint)
        case .reacted(let reaction) where reaction.target.conversation == conversation:
            let what = printable(reaction.reaction)
            let from = printable(reaction.target.from)
            screen.line(reaction.isRemoved ? "· \(from) took \(what) back" : "· \(from) reacted \(what)", .faint)
        case .conversation(let change) where change.conversation == conversation: show(change)
        case .gap(let gap) where gap.conversation == conversation: show(gap)
        case .receipt(let mark) where mark.conversation == conversation && mark.user != user: note(mark)
        case .typing(let change) where change.conversation == conversation:
            typing.note(change)
            if change.isActive, let text = typing.text { screen.status("typing", "  \(text)", isPassing: true) }
        case .presence(let presences, let late):
            for one in presences { show(one) }
            if let late, late >= .seconds(1) { screen.status("late", "· presence is \(late) late", isPassing: true) }
        case .onlineCounts(let counts): for one in counts { show(one) }
        case .status(let status): screen.line(StatusLine.news(status), .faint)
        case .privacy(let settings): screen.line(PrivacyLine.news(settings), .faint)
        case .drain: screen.line("· the relay is about to stop", .faint)
        default: break
        }
    }

    // Changes from before the conversation was opened are part of its history already.
    private static func time(ofChange event: RoostEvent) -> Timestamp? {
        switch event {
        case .edited(let edit): edit.target.time
        case .deleted(let deletion): deletion.target.time
        case .reacted(let reaction): reaction.target.time
        case .conversation(let change): change.time
        default: nil
        }
    }

    func printable(_ text: String) -> String { TerminalText.printable(text) }

    // MARK: Sessions

    private func connected(_ welcome: Welcome) async {
        if !user.isEmpty, user != welcome.user {
            return await fail("the token is for \(welcome.user), not for \(user)")
        }
        user = welcome.user
        isConnected = true
        screen.line("· connected as \(printable(user))", .faint)
        if conversation == nil { openedAt = welcome.time }
        await enter()
    }

    /// Opens the conversation; after a reconnect, fetches the current ticks.
    private func enter() async {
        do throws(RoostFailure) {
            if let conversation {
                for member in try await client.members(of: conversation).members { note(member.receipt) }
            } else {
                try await open()
            }
        } catch {
            switch error {
            case .refused(let refusal) where !refusal.isTemporary:
                await fail("\(peer): \(refusal.code): \(refusal.reason)")
            default:
                screen.line("· \(FailureLine.text(error))", .faint)
                Task {
                    try await Task.sleep(for: .seconds(1))
                    await self.enterAgain()
                }
            }
        }
    }

    // If there is no session now, the next one enters.
    private func enterAgain() async {
        if isConnected, conversation == nil { await enter() }
    }

    private func disconnected(_ disconnection: Disconnection) async {
        isConnected = false
        typingSince = nil
        typing.forget()
        if disconnection.isFinal {
            guard !isQuitting, failure == nil else { return }
            let code = disconnection.code.map { " (\($0))" } ?? ""
            let isTaken = disconnection.code == CloseCode.takenOver.rawValue
            let advice = isTaken ? "; to have several connections, name each with --device" : ""
            return await fail("refused: \(disconnection.reason)\(code)\(advice)")
        }
        if isTokenFixed, disconnection.code == CloseCode.tokenExpired.rawValue {
            return await fail("the token has expired")
        }
        let wait = disconnection.willRetryIn.map { "; trying again in \(Self.seconds($0)) s" } ?? ""
        screen.status("connection", "· not connected: \(printable(disconnection.reason))\(wait)")
    }

    private static func seconds(_ duration: Duration) -> String {
        let tenths = (duration.components.seconds * 10) + duration.components.attoseconds / 100_000_000_000_000_000
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// Finds the conversation. The name is the id of one of our conversations if there is one; otherwise it is a user.
    private func open() async throws(RoostFailure) {
        let name: String
        if !peer.hasPrefix("@"), try await isMember(of: peer) {
            name = peer
        } else {
            name = try await client.openDirect(with: peer.hasPrefix("@") ? String(peer.dropFirst()) : peer).conversation
                .id
        }
        let list = try await client.members(of: name)
        members = list.members.map(\.receipt.user).filter { $0 != user }
        let page = try await client.history(of: name, limit: 20)
        conversation = name
        show(page)
        first = page.first ?? .none
        shown = max(shown, page.last ?? .none)
        markRead()
        for member in list.members where member.receipt.user != user { note(member.receipt) }
        // In a larger group, presence of all members would be too much to show.
        let watched = Array(members.prefix(50))
        if !watched.isEmpty { for one in try await client.watch(watched) { show(one) } }
        if members.count > 1 { for one in try await client.watch(conversations: [name]) { show(one) } }
        isOpening = true
        while !waiting.isEmpty { await take(waiting.removeFirst(), in: name) }
        isOpening = false
        waiters.wake()
    }

    private func show(_ count: OnlineCount) {
        guard count.conversation == conversation else { return }
        screen.status("online", "· \(count.online) of \(count.of) online")
    }

    private func isMember(of conversation: String) async throws(RoostFailure) -> Bool {
        do throws(RoostFailure) {
            _ = try await client.members(of: conversation)
            return true
        } catch {
            if case .refused(let refusal) = error, refusal.is(.notFound) || refusal.is(.badRequest) { return false }
            throw error
        }
    }

    // MARK: Messages

    private func received(_ message: Message) async {
        guard message.conversation == conversation else {
            if conversation != nil {
                screen.line("· \(printable(message.from)) wrote in \(printable(message.conversation))", .faint)
            }
            return
        }
        // History has shown it already.
        guard message.sequence > shown else { return }
        shown = message.sequence
        if first == .none { first = message.sequence }
        show(message)
        markRead()
    }

    /// Shows a page of history. A line stands for messages that the server can't read any more.
    func show(_ page: HistoryPage) {
        var gaps = page.gaps[...]
        func showGaps(before sequence: SequenceNumber) {
            while let gap = gaps.first, gap.from < sequence {
                gaps.removeFirst()
                let count = gap.to.value &- gap.from.value &+ 1
                let what = count == 1 ? "a message is" : "\(count) messages are"
                screen.line("— \(what) damaged on the server —", .faint)
            }
        }
        for message in page.messages {
            showGaps(before: message.sequence)
            show(message)
        }
        showGaps(before: SequenceNumber(.max))
    }

    private func show(_ gap: MessageGap) {
        // History may have shown some of these messages already.
        guard gap.to > shown, gap.to.value < .max else { return }
        let count = gap.to.value &- max(gap.from.value &- 1, shown.value)
        screen.line("— you missed \(count) messages here; /history shows them —", .faint)
        first = SequenceNumber(gap.to.value + 1)
    }

    private func markRead() {
        guard let conversation, !isAway, shown > .none else { return }
        let shown = shown
        Task { await client.read(conversation, upTo: shown) }
    }

    func show(_ message: Message) {
        let isOwn = message.from == user
        if !isOwn { lastOfOthers = max(lastOfOthers, message.sequence) }
        if isOwn, message.deletedAt == nil { ticks.remember(own: message.sequence) }
        let name = screen.styled(printable(message.from), .name)
        let reply = message.replyTo.map { "↪\($0.value) " } ?? ""
        let kind = message.kind == "text" ? "" : "[\(printable(message.kind))] "
        let body = message.body.map(Self.text) ?? "(deleted)"
        let edited = message.editedAt == nil ? "" : " (edited)"
        let reactions = message.reactions.map { " \(printable($0.reaction))×\($0.count)" }.joined()
        screen.line("[\(ChatScreen.time(message.time))] \(name): \(reply)\(kind)\(body)\(edited)\(reactions)")
    }

    private static func text(_ body: Body) -> String {
        TerminalText.printable(body.text ?? String(decoding: body.json, as: UTF8.self))
    }

    private func show(_ change: ConversationEvent) {
        let by = printable(change.by)
        let text =
            switch change.change {
            case .created: "\(by) started the conversation"
            case .renamed(let name): "\(by) renamed it to \(printable(name))"
            case .added(let users, _): "\(by) added \(printable(users.joined(separator: ", ")))"
            case .removed(let users): "\(by) removed \(printable(users.joined(separator: ", ")))"
            case .left: "\(by) left"
            case .role(let user, let role): "\(by) made \(printable(user)) \(role.word)"
            }
        screen.line("· \(text)", .faint)
    }

    // MARK: Ticks and presence

    private func note(_ mark: Receipt) {
        guard mark.user != user else { return }
        if !members.contains(mark.user) { members.append(mark.user) }
        ticks.note(mark)
        showTicks(of: mark.user)
    }

    /// Shows how far a member has got with our own messages, if that is new.
    func showTicks(of member: String) {
        let name = printable(member)
        switch ticks.news(of: member) {
        case .read(let time):
            screen.status("ticks \(member)", "  ✓✓ read by \(name)\(Self.clock(time))", .read)
        case .delivered(let time):
            screen.status("ticks \(member)", "  ✓✓ delivered to \(name)\(Self.clock(time))")
        case nil: break
        }
    }

    private static func clock(_ time: Timestamp?) -> String { time.map { " (\(ChatScreen.time($0)))" } ?? "" }

    private func show(_ one: UserPresence) {
        guard members.contains(one.user), presence[one.user] != one else { return }
        presence[one.user] = one
        screen.status("presence \(one.user)", PresenceLine.text(one))
    }
}
