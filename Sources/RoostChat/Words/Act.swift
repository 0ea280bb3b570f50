import RoostWire

/// What the user asks for by a command or a key.
enum Act: Equatable, Sendable {
    case help, devices, connect, quit
    // Conversations.
    case list, open(String), leave, members
    case group(name: String, members: [String])
    case add([String]), remove([String]), rename(String), role(String, MemberRole)
    // Who may be in the group and write in it: members by what one knows of them, and milliseconds.
    case ban(String, ReportReason?), unban(String), timeOut(String, Int64, ReportReason?), bans, announce(Bool)
    /// Milliseconds after which messages disappear; nil asks.
    case expire(Int64?)
    /// Milliseconds between two messages of a member; nil asks.
    case slow(Int64?)
    // Messages: of the selected one, or of the last that fits.
    case reply(String), edit(String), delete, react(String, isOn: Bool), info
    case pin, unpin, forward(String), reportMessage(ReportReason, String?)
    case retry, discard
    // The thread of a message, and back to the conversation.
    case thread, close
    // Looking.
    case history, search(String), jump(SequenceNumber), end, pins
    // The user.
    case away, back, status(StatusLine), privacy(PrivacyChange), block(String), unblock(String)
    case name(String), username(String), mute(Bool)
    // Others.
    case contacts, invite(String), decline(String), forget(String), find(String)
    case report(String, ReportReason, String?)
    // Links by which others become contacts, or join the open group.
    case makeLink(uses: Int), links, revokeLink(String), followLink(String)
    // Strangers who ask to write; nil for the one of the open conversation.
    case requests, accept(String?), drop(String?)
}

/// A line as the user meant it.
enum TypedLine: Equatable, Sendable {
    case nothing
    case message(String)
    /// A command, and the number of the message that it names.
    case act(Act, on: SequenceNumber? = nil)
    /// Not a command, or one that lacks something: what to tell.
    case mistake(String)

    /// Reads what was typed. A message that begins with a slash is written with two.
    init(_ typed: String) {
        guard let end = typed.lastIndex(where: { !$0.isWhitespace }) else {
            self = .nothing
            return
        }
        let text = String(typed[...end])
        guard text.hasPrefix("/") else {
            self = .message(text)
            return
        }
        guard !text.hasPrefix("//") else {
            self = .message(String(text.dropFirst()))
            return
        }
        let word = String(text.prefix { !$0.isWhitespace })
        var rest = String(text.dropFirst(word.count).drop(while: \.isWhitespace))
        guard let command = ChatCommandWord.all.first(where: { $0.words.contains(word) }) else {
            self = .mistake("no such command: \(TerminalText.printable(word)); /help lists them")
            return
        }
        let number = command.isOnMessage ? TypedLine.takeNumber(from: &rest) : nil
        self = command.make(rest).map { .act($0, on: number) } ?? .mistake(command.usage)
    }

    // `#12` before anything else names a message.
    private static func takeNumber(from rest: inout String) -> SequenceNumber? {
        let word = rest.prefix { !$0.isWhitespace }
        guard word.hasPrefix("#"), let number = Int64(word.dropFirst()), number > 0 else { return nil }
        rest = String(rest.dropFirst(word.count).drop(while: \.isWhitespace))
        return SequenceNumber(number)
    }
}

/// A command of the chat: how it is written, what it does.
struct ChatCommandWord: Sendable {
    var words: [String]
    var form: String
    var what: String
    /// Reads what follows the word; nil if something is missing or wrong.
    var make: @Sendable (String) -> Act?
    /// Whether it is about a message, which `#NUMBER` may name.
    var isOnMessage = false

    private init(_ words: String, _ form: String, _ what: String, _ make: @escaping @Sendable (String) -> Act?) {
        self.words = words.split(separator: " ").map(String.init)
        self.form = form
        self.what = what
        self.make = make
    }

    /// How it is written.
    var usage: String { words[0] + (form.isEmpty ? "" : " \(form)") }

    /// All of them, in the order in which people look for them.
    static let all = conversations + moderation + messages + looking + people + requests + oneself

    private static let conversations = [
        ChatCommandWord("/open /with", "NAME", "talk to somebody, or in a group: @bob, bob, Crew", text { .open($0) }),
        ChatCommandWord("/list", "", "your conversations", alone(.list)),
        ChatCommandWord("/group", "NAME: USERS", "make a group: /group Crew: bob carol") { rest in
            let parts = rest.split(separator: ":", maxSplits: 1).map { String($0) }
            let name = trimmed(parts.first ?? "")
            guard !name.isEmpty else { return nil }
            return .group(name: name, members: parts.count > 1 ? names(parts[1]) : [])
        },
        ChatCommandWord("/add", "USERS", "add them to this group", users { .add($0) }),
        ChatCommandWord("/remove", "USERS", "remove them from it", users { .remove($0) }),
        ChatCommandWord("/rename", "NAME", "rename it", text { .rename($0) }),
        ChatCommandWord("/role", "USER ROLE", "make somebody member, admin or owner") { rest in
            let parts = names(rest)
            guard parts.count == 2, let role = MemberRole(word: parts[1]) else { return nil }
            return .role(parts[0], role)
        },
        ChatCommandWord("/who /members", "", "who is in it, and how far they have read", alone(.members)),
        ChatCommandWord(
            "/expire", "off, 24h, 7d or 90d", "after how long messages disappear from now on; alone, how it is"
        ) { rest in
            let word = trimmed(rest)
            return word.isEmpty ? .expire(nil) : ExpiryLine.milliseconds(word).map { .expire($0) }
        },
        ChatCommandWord(
            "/slow", "off, 30s, 5m or 1h", "how often a member may write in the group; alone, how it is"
        ) { rest in
            let word = trimmed(rest)
            return word.isEmpty ? .slow(nil) : SlowLine.milliseconds(word).map { .slow($0) }
        },
        ChatCommandWord("/mute", "", "no sound from it, on any of your devices", alone(.mute(true))),
        ChatCommandWord("/unmute", "", "sound again", alone(.mute(false))),
        ChatCommandWord("/leave", "", "leave it, or hide a conversation of two", alone(.leave)),
    ]

    private static let moderation = [
        ChatCommandWord(
            "/ban", "NAME REASON",
            "remove somebody for good. A reason may follow: spam, harassment, impersonation, illegal or other"
        ) { ModerationLine(name: $0)?.ban },
        ChatCommandWord("/unban", "NAME", "let them be added again", text { .unban($0) }),
        ChatCommandWord(
            "/timeout", "NAME 10m REASON", "keep somebody from writing: for 30s, 10m, 2h or 7d; off ends it"
        ) { ModerationLine(name: $0)?.timeOut },
        ChatCommandWord("/bans", "", "who is banned", alone(.bans)),
        ChatCommandWord("/announce", "on or off", "let only the owner and admins write, or everybody again") { rest in
            ["on": Act.announce(true), "off": .announce(false)][trimmed(rest)]
        },
    ]

    private static let messages = onMessages([
        ChatCommandWord(
            "/reply", "TEXT", "answer the selected message, or with #12 before the text the one of that number",
            text { .reply($0) }),
        ChatCommandWord("/edit", "TEXT", "change your selected or last message", text { .edit($0) }),
        ChatCommandWord("/delete", "", "delete it", alone(.delete)),
        ChatCommandWord(
            "/react", "👍", "react to the selected message, or the others' last", text { .react($0, isOn: true) }),
        ChatCommandWord("/unreact", "👍", "take that back", text { .react($0, isOn: false) }),
        ChatCommandWord("/info /who-read", "", "its number, who has read it, and when", alone(.info)),
        ChatCommandWord("/thread", "", "the messages that belong to it, and write there", alone(.thread)),
        ChatCommandWord("/forward", "NAME", "send it on: to a conversation, or to @bob", text { .forward($0) }),
        ChatCommandWord("/pin", "", "point it out to all members", alone(.pin)),
        ChatCommandWord("/unpin", "", "no longer", alone(.unpin)),
        ChatCommandWord("/retry", "", "try a refused message again", alone(.retry)),
        ChatCommandWord("/discard", "", "take back what waits or was refused", alone(.discard)),
    ])

    private static let looking = [
        ChatCommandWord("/close", "", "leave the thread, back to the conversation", alone(.close)),
        ChatCommandWord("/pins", "", "the pinned messages", alone(.pins)),
        ChatCommandWord("/history", "", "show earlier messages", alone(.history)),
        ChatCommandWord("/search", "TEXT", "find it in what is on this device", text { .search($0) }),
        ChatCommandWord("/jump", "NUMBER", "show a message by its number") { rest in
            Int64(rest).flatMap { $0 > 0 ? .jump(SequenceNumber($0)) : nil }
        },
        ChatCommandWord("/end", "", "show the newest messages", alone(.end)),
    ]

    private static let people =
        [
            ChatCommandWord("/find", "NAME", "people, by the beginning of a name", text { .find($0) }),
            ChatCommandWord("/contacts", "", "your contacts and invitations", alone(.contacts)),
            ChatCommandWord("/invite", "USER", "ask somebody to be a contact", user { .invite($0) }),
            ChatCommandWord(
                "/link", "USES", "make a link: to chat with you, or to join the open group; for one, or so many people"
            ) { rest in
                if rest.isEmpty { return .makeLink(uses: 1) }
                return Int(rest).flatMap { $0 > 0 ? .makeLink(uses: $0) : nil }
            },
            ChatCommandWord("/links", "", "your links", alone(.links)),
            ChatCommandWord("/revoke-link", "LINK", "end one, as /links names it", text { .revokeLink($0) }),
            ChatCommandWord("/follow", "LINK", "open a link that somebody has sent you", text { .followLink($0) }),
            ChatCommandWord("/decline", "USER", "decline it", user { .decline($0) }),
            ChatCommandWord("/forget", "USER", "end a contact, or take an invitation back", user { .forget($0) }),
            ChatCommandWord("/block", "USER", "hide from somebody, both ways", user { .block($0) }),
            ChatCommandWord("/unblock", "USER", "no longer", user { .unblock($0) }),
        ]
        + onMessages([
            ChatCommandWord(
                "/report", "USER REASON TEXT",
                "tell the operators: spam, harassment, impersonation, illegal or other; a text may follow. Without "
                    + "USER it is about the selected message, or the others' last", report)
        ])

    private static let requests = [
        ChatCommandWord("/requests", "", "strangers who ask to write to you", alone(.requests)),
        ChatCommandWord("/accept", "USER", "accept an invitation or a request; alone, the open request") {
            names($0).count > 1 ? nil : .accept(names($0).first)
        },
        ChatCommandWord("/drop", "USER", "drop a request; alone, the open one. Who asked isn't told") {
            names($0).count > 1 ? nil : .drop(names($0).first)
        },
    ]

    private static let oneself = [
        ChatCommandWord("/away", "", "show yourself as away; nothing counts as read", alone(.away)),
        ChatCommandWord("/back", "", "be back", alone(.back)),
        ChatCommandWord("/status", "STATE TEXT", "auto, away, busy or invisible, a text, or both; - for no text") {
            rest in
            let line = StatusLine(rest)
            return line.saysSomething ? .status(line) : nil
        },
        ChatCommandWord(
            "/privacy",
            "presence everyone, shared or nobody; or lastSeen exact, coarse or nobody; or read shared or nobody",
            "what others are told of you; alone, what it is now"
        ) { rest in
            PrivacyLine(rest).map { .privacy($0.change) }
        },
        ChatCommandWord("/name", "NAME", "what others see you as", text { .name($0) }),
        ChatCommandWord(
            "/username", "NAME", "what others find you by; - for none", text { .username($0 == "-" ? "" : $0) }),
        ChatCommandWord("/devices", "", "your devices, and why those that are away are", alone(.devices)),
        ChatCommandWord("/connect", "", "try to connect now", alone(.connect)),
        ChatCommandWord("/help", "", "this", alone(.help)),
        ChatCommandWord("/quit", "", "leave; also Ctrl-D", alone(.quit)),
    ]

    // MARK: Reading

    private static func alone(_ act: Act) -> @Sendable (String) -> Act? { { _ in act } }

    private static func onMessages(_ commands: [ChatCommandWord]) -> [ChatCommandWord] {
        commands.map { command in
            var command = command
            command.isOnMessage = true
            return command
        }
    }

    // `bob spam Every night`, or `spam Every night` for a message. Somebody called like a reason is written with an @.
    private static func report(_ rest: String) -> Act? {
        let words = rest.split(maxSplits: 2, omittingEmptySubsequences: true, whereSeparator: \.isWhitespace)
        guard let first = words.first.map(String.init) else { return nil }
        if let reason = ReportReason(word: first) {
            let text = trimmed(String(rest.dropFirst(first.count)))
            return .reportMessage(reason, text.isEmpty ? nil : text)
        }
        guard words.count >= 2, let user = names(first).first, let reason = ReportReason(word: String(words[1])) else {
            return nil
        }
        let text = words.count > 2 ? trimmed(String(words[2])) : ""
        return .report(user, reason, text.isEmpty ? nil : text)
    }

    private static func text(_ make: @escaping @Sendable (String) -> Act) -> @Sendable (String) -> Act? {
        { rest in trimmed(rest).isEmpty ? nil : make(trimmed(rest)) }
    }

    private static func user(_ make: @escaping @Sendable (String) -> Act) -> @Sendable (String) -> Act? {
        { rest in names(rest).count == 1 ? make(names(rest)[0]) : nil }
    }

    private static func users(_ make: @escaping @Sendable ([String]) -> Act) -> @Sendable (String) -> Act? {
        { rest in names(rest).isEmpty ? nil : make(names(rest)) }
    }

    private static func trimmed(_ text: String) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }

    // Users as people write them: with spaces or commas, and with or without the @.
    private static func names(_ text: String) -> [String] {
        text.split { $0.isWhitespace || $0 == "," }.map { String($0.first == "@" ? $0.dropFirst() : $0) }
    }
}
