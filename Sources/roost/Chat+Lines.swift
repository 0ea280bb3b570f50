import RoostClient
import RoostWire

/// Handles the lines that the user types: messages and commands.
extension Chat {
    static let help = """
        /history        show earlier messages
        /edit TEXT      change your last message
        /delete         delete your last message
        /react 👍       react to the others' last message
        /who            show who is in the conversation and how far they have read
        /list           list your conversations
        /away, /back    show yourself as away, or as back
        /status busy In a meeting
                        show yourself as auto, away, busy or invisible, with a text; - for no text
        /privacy presence nobody
                        what others are told: presence, lastSeen or read; alone, what it is now
        /block NAME, /unblock NAME
                        hide from somebody, both ways, or no longer
        /devices        show your devices, and why those that are away are away
        /quit           leave
        """

    func take(_ line: String) async {
        guard let end = line.lastIndex(where: { !$0.isWhitespace }) else { return }
        let text = line[...end]
        if text == "/quit" { return await quit() }
        guard let conversation, !isOpening else { return keep(String(text)) }
        await take(text, in: conversation)
    }

    func take(_ text: some StringProtocol, in conversation: String) async {
        guard text.hasPrefix("/") else { return say(String(text), in: conversation) }
        // A message that begins with a slash is written with two.
        guard !text.hasPrefix("//") else { return say(String(text.dropFirst()), in: conversation) }
        // In a script, a command refers to the messages before it, so those must have been acked.
        if !screen.isInteractive { await wait { self.pending == 0 } }
        let word = text.prefix { $0 != " " }
        let rest = text.dropFirst(word.count).drop { $0 == " " }
        switch word {
        case "/help": for line in Self.help.split(separator: "\n") { screen.line(String(line), .faint) }
        default:
            do throws(RoostFailure) {
                try await command(String(word), String(rest), in: conversation)
            } catch {
                screen.line("· \(FailureLine.text(error))", .faint)
            }
        }
    }

    private func command(_ word: String, _ rest: String, in conversation: String) async throws(RoostFailure) {
        switch word {
        case "/history": try await showEarlier(conversation)
        case "/edit":
            guard let last = ticks.lastOwn else { return screen.line("· you have not written anything here", .faint) }
            guard !rest.isEmpty else { return screen.line("· /edit TEXT", .faint) }
            try await client.edit(conversation, last, text: rest)
            screen.line("· edited: \(TerminalText.printable(rest))", .faint)
        case "/delete":
            guard let last = ticks.lastOwn else { return screen.line("· you have not written anything here", .faint) }
            try await client.delete(conversation, last)
            ticks.forget(own: last)
            screen.line("· deleted", .faint)
        case "/react":
            guard lastOfOthers > .none else { return screen.line("· nothing to react to", .faint) }
            guard !rest.isEmpty else { return screen.line("· /react 👍", .faint) }
            try await client.react(conversation, lastOfOthers, rest)
            screen.line("· you reacted \(TerminalText.printable(rest))", .faint)
        case "/status":
            let wanted = StatusLine(rest)
            guard wanted.saysSomething else { return screen.line(StatusLine.help, .faint) }
            try await client.setStatus(wanted.state, text: wanted.text)
        case "/devices":
            for one in try await client.devices() { screen.line(DeviceLine.text(one), .faint) }
        case "/privacy":
            guard let wanted = PrivacyLine(rest) else { return screen.line(PrivacyLine.help, .faint) }
            for line in PrivacyLine.lines(try await client.setPrivacy(wanted.change)) { screen.line(line, .faint) }
        case "/block", "/unblock":
            guard !rest.isEmpty else { return screen.line("· \(word) NAME", .faint) }
            try await client.except([rest], word == "/block" ? .blocked : nil)
            screen.line("· \(TerminalText.printable(rest)) is \(word.dropFirst())ed", .faint)
        case "/who": try await showMembers(conversation)
        case "/list": try await showConversations()
        case "/away":
            isAway = true
            try await client.setStatus(.away)
            screen.line("· you are away", .faint)
        case "/back":
            isAway = false
            try await client.setStatus(.auto)
            screen.line("· you are back", .faint)
            await client.read(conversation, upTo: shown)
        default: screen.line("· no such command: \(TerminalText.printable(word)); /help lists them", .faint)
        }
    }

    // MARK: Messages

    /// Keeps lines in order until the conversation is open.
    private func keep(_ line: String) {
        guard waiting.count < Self.waitingMax else {
            return screen.line("✗ too many lines are waiting to be sent", .faint)
        }
        waiting.append(line)
        if screen.isInteractive { screen.line("· waiting: \(TerminalText.printable(line))", .faint) }
    }

    private func say(_ text: String, in conversation: String) {
        send(text, to: conversation)
        if !isConnected { screen.line("· waiting to be sent: \(TerminalText.printable(text))", .faint) }
    }

    private func send(_ text: String, to conversation: String) {
        pending += 1
        typingSince = nil
        // Starts at once, so that the client gets the messages in order.
        Task.immediate {
            do throws(RoostFailure) {
                let receipt = try await client.send(text, to: conversation)
                stored(text, receipt)
            } catch {
                screen.line("✗ \(FailureLine.text(error)): \(TerminalText.printable(String(text.prefix(60))))")
            }
            pending -= 1
            waiters.wake()
        }
    }

    private func stored(_ text: String, _ message: StoredMessage) {
        shown = max(shown, message.sequence)
        if first == .none { first = message.sequence }
        ticks.remember(own: message.sequence)
        let name = screen.styled(TerminalText.printable(user), .name)
        screen.line("[\(ChatScreen.time(message.time))] \(name): \(TerminalText.printable(text)) ✓")
        // Its receipt may have arrived before.
        for member in members { showTicks(of: member) }
    }

    // MARK: Lists

    private func showEarlier(_ conversation: String) async throws(RoostFailure) {
        guard first > SequenceNumber(1) else { return screen.line("· there is nothing earlier", .faint) }
        let page = try await client.history(of: conversation, before: first, limit: 20)
        screen.line("— earlier —", .faint)
        show(page)
        if let earliest = page.first { first = earliest }
        screen.line(page.hasMore ? "— /history shows more —" : "— this is the beginning —", .faint)
    }

    private func showMembers(_ conversation: String) async throws(RoostFailure) {
        var next: String?
        repeat {
            let list = try await client.members(of: conversation, after: next, presence: true)
            for member in list.members {
                let mark = member.receipt
                let state = member.presence.map { " " + $0.state.rawValue } ?? ""
                screen.line(
                    "  \(TerminalText.printable(mark.user)) (\(member.role.word))\(state), "
                        + "read \(mark.read.value), delivered \(mark.delivered.value)", .faint)
            }
            next = list.next
        } while next != nil
    }

    private func showConversations() async throws(RoostFailure) {
        let page = try await client.conversations(limit: 20)
        for one in page.conversations {
            let name = one.name ?? one.members.filter { $0 != user }.joined(separator: ", ")
            screen.line(TerminalText.printable("  \(one.id) \(name), unread \(one.unread)"), .faint)
        }
        if page.conversations.isEmpty { screen.line("· you have no conversations", .faint) }
        if page.next != nil { screen.line("  … and older ones", .faint) }
    }
}
