import RoostWire

/// An act that the user asks for by a command or a key.
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
    /// Users who wait to join the open group.
    case waiting, approve(Bool), admit(String), turnAway(String)
    // Strangers who ask to write; nil for the one of the open conversation.
    case requests, accept(String?), drop(String?)
}

/// A line as the user meant it.
enum TypedLine: Equatable, Sendable {
    case nothing
    case message(String)
    /// A command, and the number of the message that it names.
    case act(Act, on: SequenceNumber? = nil)
    /// Not a command, or one that lacks something.
    case mistake(Mistake)

    enum Mistake: Equatable, Sendable {
        case noSuchCommand(String)
        /// The form that the command needs, by its first word.
        case usage(String)

        func text(_ words: Words) -> String {
            switch self {
            case .noSuchCommand(let word): words(HelpPhrase.noSuchCommand(word))
            case .usage(let word):
                words(HelpPhrase.usage(ChatCommandWord.all.first { $0.words[0] == word }?.usage(words) ?? word))
            }
        }
    }

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
            self = .mistake(.noSuchCommand(word))
            return
        }
        let number = command.isOnMessage ? TypedLine.takeNumber(from: &rest) : nil
        self = command.make(rest).map { .act($0, on: number) } ?? .mistake(.usage(command.words[0]))
    }

    // `#12` before anything else names a message.
    private static func takeNumber(from rest: inout String) -> SequenceNumber? {
        let word = rest.prefix { !$0.isWhitespace }
        guard word.hasPrefix("#"), let number = Int64(word.dropFirst()), number > 0 else { return nil }
        rest = String(rest.dropFirst(word.count).drop(while: \.isWhitespace))
        return SequenceNumber(number)
    }
}

/// A command of the chat: its words, which are the same in every language, and what it does.
struct ChatCommandWord: Sendable {
    var words: [String]
    /// The form of what follows the word.
    var form: CommandForm
    var what: any Phrase
    /// Reads what follows the word; nil if something is missing or wrong.
    var make: @Sendable (String) -> Act?
    /// Whether it is about a message, which `#NUMBER` may name.
    var isOnMessage = false

    private init(
        _ words: String, _ form: CommandForm, _ what: some Phrase, _ make: @escaping @Sendable (String) -> Act?
    ) {
        self.words = words.split(separator: " ").map(String.init)
        (self.form, self.what, self.make) = (form, what, make)
    }

    /// The command as it is written.
    func usage(_ say: Words) -> String { words[0] + (form == .nothing ? "" : " \(say.say(form))") }

    /// All of them, in the order in which people look for them.
    static let all = conversations + moderation + messages + looking + people + requests + oneself

    private static let conversations: [ChatCommandWord] = [
        ChatCommandWord("/open /with", .name, TalkHelp.open, text { .open($0) }),
        ChatCommandWord("/list", .nothing, TalkHelp.list, alone(.list)),
        ChatCommandWord("/group", .groupMembers, TalkHelp.group) { rest in
            let parts = rest.split(separator: ":", maxSplits: 1).map { String($0) }
            let name = trimmed(parts.first ?? "")
            guard !name.isEmpty else { return nil }
            return .group(name: name, members: parts.count > 1 ? names(parts[1]) : [])
        },
        ChatCommandWord("/add", .names, TalkHelp.add, users { .add($0) }),
        ChatCommandWord("/remove", .names, TalkHelp.remove, users { .remove($0) }),
        ChatCommandWord("/rename", .newName, TalkHelp.rename, text { .rename($0) }),
        ChatCommandWord("/role", .userRole, TalkHelp.role) { rest in
            let parts = names(rest)
            guard parts.count == 2, let role = MemberRole(word: parts[1]) else { return nil }
            return .role(parts[0], role)
        },
        ChatCommandWord("/who /members", .nothing, TalkHelp.members, alone(.members)),
        ChatCommandWord("/expire", .expiry, TalkHelp.expire) { rest in
            let word = trimmed(rest)
            return word.isEmpty ? .expire(nil) : ExpiryLine.milliseconds(word).map { .expire($0) }
        },
        ChatCommandWord("/slow", .slow, TalkHelp.slow) { rest in
            let word = trimmed(rest)
            return word.isEmpty ? .slow(nil) : SlowLine.milliseconds(word).map { .slow($0) }
        },
        ChatCommandWord("/mute", .nothing, TalkHelp.mute, alone(.mute(true))),
        ChatCommandWord("/unmute", .nothing, TalkHelp.unmute, alone(.mute(false))),
        ChatCommandWord("/leave", .nothing, TalkHelp.leave, alone(.leave)),
    ]

    private static let moderation: [ChatCommandWord] = [
        ChatCommandWord("/ban", .ban, TalkHelp.ban) { ModerationLine(name: $0)?.ban },
        ChatCommandWord("/unban", .name, TalkHelp.unban, text { .unban($0) }),
        ChatCommandWord("/timeout", .timeout, TalkHelp.timeout) { ModerationLine(name: $0)?.timeOut },
        ChatCommandWord("/bans", .nothing, TalkHelp.bans, alone(.bans)),
        ChatCommandWord("/announce", .onOff, TalkHelp.announce) { rest in
            ["on": Act.announce(true), "off": .announce(false)][trimmed(rest)]
        },
        ChatCommandWord("/approval", .onOff, TalkHelp.approval) { rest in
            ["on": Act.approve(true), "off": .approve(false)][trimmed(rest)]
        },
    ]

    private static let messages = onMessages([
        ChatCommandWord("/reply", .text, TalkHelp.reply, text { .reply($0) }),
        ChatCommandWord("/edit", .text, TalkHelp.edit, text { .edit($0) }),
        ChatCommandWord("/delete", .nothing, TalkHelp.delete, alone(.delete)),
        ChatCommandWord("/react", .emoji, TalkHelp.react, text { .react($0, isOn: true) }),
        ChatCommandWord("/unreact", .emoji, TalkHelp.unreact, text { .react($0, isOn: false) }),
        ChatCommandWord("/info /who-read", .nothing, TalkHelp.info, alone(.info)),
        ChatCommandWord("/thread", .nothing, TalkHelp.thread, alone(.thread)),
        ChatCommandWord("/forward", .name, TalkHelp.forward, text { .forward($0) }),
        ChatCommandWord("/pin", .nothing, TalkHelp.pin, alone(.pin)),
        ChatCommandWord("/unpin", .nothing, TalkHelp.unpin, alone(.unpin)),
        ChatCommandWord("/retry", .nothing, TalkHelp.retry, alone(.retry)),
        ChatCommandWord("/discard", .nothing, TalkHelp.discard, alone(.discard)),
    ])

    private static let looking: [ChatCommandWord] = [
        ChatCommandWord("/close", .nothing, TalkHelp.close, alone(.close)),
        ChatCommandWord("/pins", .nothing, TalkHelp.pins, alone(.pins)),
        ChatCommandWord("/history", .nothing, TalkHelp.history, alone(.history)),
        ChatCommandWord("/search", .text, TalkHelp.search, text { .search($0) }),
        ChatCommandWord("/jump", .number, TalkHelp.jump) { rest in
            Int64(rest).flatMap { $0 > 0 ? .jump(SequenceNumber($0)) : nil }
        },
        ChatCommandWord("/end", .nothing, TalkHelp.end, alone(.end)),
    ]

    private static let people: [ChatCommandWord] =
        [
            ChatCommandWord("/find", .name, PeopleHelp.find, text { .find($0) }),
            ChatCommandWord("/contacts", .nothing, PeopleHelp.contacts, alone(.contacts)),
            ChatCommandWord("/invite", .user, PeopleHelp.invite, user { .invite($0) }),
            ChatCommandWord("/link", .uses, PeopleHelp.link) { rest in
                if rest.isEmpty { return .makeLink(uses: 1) }
                return Int(rest).flatMap { $0 > 0 ? .makeLink(uses: $0) : nil }
            },
            ChatCommandWord("/links", .nothing, PeopleHelp.links, alone(.links)),
            ChatCommandWord("/revoke-link", .linkID, PeopleHelp.revokeLink, text { .revokeLink($0) }),
            ChatCommandWord("/follow", .link, PeopleHelp.follow, text { .followLink($0) }),
            ChatCommandWord("/waiting", .nothing, PeopleHelp.waiting, alone(.waiting)),
            ChatCommandWord("/admit", .name, PeopleHelp.admit, text { .admit($0) }),
            ChatCommandWord("/turn-away", .name, PeopleHelp.turnAway, text { .turnAway($0) }),
            ChatCommandWord("/decline", .user, PeopleHelp.decline, user { .decline($0) }),
            ChatCommandWord("/forget", .user, PeopleHelp.forget, user { .forget($0) }),
            ChatCommandWord("/block", .user, PeopleHelp.block, user { .block($0) }),
            ChatCommandWord("/unblock", .user, PeopleHelp.unblock, user { .unblock($0) }),
        ] + onMessages([ChatCommandWord("/report", .report, PeopleHelp.report, report)])

    private static let requests: [ChatCommandWord] = [
        ChatCommandWord("/requests", .nothing, PeopleHelp.requests, alone(.requests)),
        ChatCommandWord("/accept", .user, PeopleHelp.accept) {
            names($0).count > 1 ? nil : .accept(names($0).first)
        },
        ChatCommandWord("/drop", .user, PeopleHelp.drop) {
            names($0).count > 1 ? nil : .drop(names($0).first)
        },
    ]

    private static let oneself: [ChatCommandWord] = [
        ChatCommandWord("/away", .nothing, PeopleHelp.away, alone(.away)),
        ChatCommandWord("/back", .nothing, PeopleHelp.back, alone(.back)),
        ChatCommandWord("/status", .status, PeopleHelp.status) { rest in
            let line = StatusLine(rest)
            return line.saysSomething ? .status(line) : nil
        },
        ChatCommandWord("/privacy", .privacy, PeopleHelp.privacy) { rest in
            PrivacyLine(rest).map { .privacy($0.change) }
        },
        ChatCommandWord("/name", .newName, PeopleHelp.name, text { .name($0) }),
        ChatCommandWord("/username", .newName, PeopleHelp.username, text { .username($0 == "-" ? "" : $0) }),
        ChatCommandWord("/devices", .nothing, PeopleHelp.devices, alone(.devices)),
        ChatCommandWord("/connect", .nothing, PeopleHelp.connect, alone(.connect)),
        ChatCommandWord("/help", .nothing, PeopleHelp.help, alone(.help)),
        ChatCommandWord("/quit", .nothing, PeopleHelp.quit, alone(.quit)),
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

    // `bob spam Every night`, or `spam Every night` for a message. A user named like a reason is written with an @.
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
