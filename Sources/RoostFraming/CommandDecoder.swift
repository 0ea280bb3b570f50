import RoostNames
import RoostWire

/// A command with its `id`. Every `Text` in it is valid until the decoder decodes again or is destroyed.
public struct DecodedCommand {
    /// The id that the reply repeats as `re`, if the client sent one.
    public var id: CommandID?
    /// The command.
    public var command: Command
    /// The user that a service acts as (`as`).
    public var principal: Text?
    /// Whether the command names such a user, even if it can't be sent as one.
    public var namesPrincipal = false
}

/// Decodes a client's text message into a `Command`, as Docs/Protocol.md defines it. The whole message must be valid
/// JSON, and every member must have the right form and be within the limits. Whether the command is allowed is not
/// checked here. Reuses its memory; used by one thread.
public final class CommandDecoder {
    /// The epoch of the log whose positions it accepts.
    public let epoch: String
    let members: CommandMembers
    private var profile: ProfileMembers { ProfileMembers(members: members) }
    private let feedMax: Int
    private let commandTypes = CommandType.vocabulary

    /// Creates a decoder for messages of at most `limits.frameBytes` bytes; it takes about twice that in memory. It
    /// accepts only positions of the log with this epoch.
    public init(limits: Limits, epoch: String) {
        self.epoch = epoch
        feedMax = limits.feedMax
        members = CommandMembers(limits: limits, epoch: epoch)
    }

    /// Decodes one message. Throws the refusal to send back, with the `id` if that could be read.
    public func decode(_ message: UnsafeRawBufferPointer) throws(Refusal) -> DecodedCommand {
        try members.read(message)
        let id = try members.id()
        do throws(Refusal) {
            let type = try readType()
            if id == nil, type.needsID { throw members.refusal(.id, "is missing") }
            let principal = type.takesPrincipal ? try members.optional(.as, members.user) : nil
            // `as` of `except` is something else.
            let namesPrincipal = type != .except && members.value(.as) != nil
            return DecodedCommand(
                id: id, command: try readCommand(type), principal: principal, namesPrincipal: namesPrincipal)
        } catch {
            var refusal = error
            refusal.id = id
            throw refusal
        }
    }

    private func readType() throws(Refusal) -> CommandType {
        let text = try members.string(.type)
        guard let type = text.find(in: commandTypes) else {
            throw Refusal(.unknownType, "unknown command type")
        }
        return type
    }

    private func readCommand(_ type: CommandType) throws(Refusal) -> Command {
        switch type {
        case .send: try readSend()
        case .signal: try readSignal()
        case .ack: .ack(try members.position(.position))
        case .typing: try readTyping()
        case .read, .unread: type == .read ? .read(try readTarget()) : .unread(try readTarget())
        case .hello: try readHello()
        case .refresh: .refresh(token: try members.token())
        case .ping: .ping
        case .bye: .bye
        case .devices: .devices
        case .create: try readCreate()
        case .get: .get(conversation: try members.conversation(.conversation))
        case .list: try readList()
        case .acceptRequest, .dropRequest:
            .answer(request: try members.conversation(.conversation), isAccepted: type == .acceptRequest)
        case .rename: try readChange(.rename(try members.groupName()))
        case .describe: try readDescribe()
        case .add: try readChange(.add(try members.users()))
        case .remove: try readChange(.remove(try members.users()))
        case .setRole: try readChange(.role(try members.word(.role), user: try members.user(.user)))
        case .setExpiry: try readExpiry()
        case .members: try readMembers()
        case .ban, .unban, .setTimeout, .setPosting, .setSlow, .setJoining, .bans: try readModeration(type)
        case .leave: try readChange(.leave(keeps: try members.flag(.keep) ?? false))
        case .pin: try readPin(Command.Change.Kind.pin)
        case .unpin: try readPin(Command.Change.Kind.unpin)
        case .pins: .pins(try readPinList())
        case .edit: try readEdit()
        case .delete: .delete(try readTarget(), try members.optional(.reason, members.word))
        case .react: try readReact()
        case .history: try readHistory()
        case .setState: try readSetState()
        case .getState: try readGetState()
        case .receipts:
            .receipts(
                Command.Receipts(
                    target: try readTarget(), after: try members.optional(.after, members.user),
                    limit: try members.limit()))
        case .presence: .presence(try members.word(.state))
        case .status: try readStatus()
        case .privacy: try readPrivacy()
        case .except: .except(users: try members.excepted(), try members.exception())
        case .setProfile: try readProfile()
        case .getUsers: .getUsers(try profile.users())
        case .findUsers:
            .findUsers(
                Command.Find(
                    prefix: try profile.prefix(), after: try members.optional(.after, profile.next),
                    limit: try members.limit(atMost: members.limits.findMax)))
        case .block: .block(users: try members.excepted())
        case .unblock: .unblock(users: try members.excepted())
        case .report: try readReport()
        case .watch:
            .watch(users: try members.watched(), conversations: try members.counted())
        case .unwatch:
            .unwatch(users: try members.watched(), conversations: try members.counted())
        case .invite, .acceptContact, .declineContact, .removeContact, .contacts, .setProspect, .removeProspect,
            .prospects:
            .contact(try readContactCommand(type))
        case .createInvite, .invites, .revokeInvite, .showInvite, .openInvite, .joins, .acceptJoin, .refuseJoin:
            .invite(try readInviteCommand(type))
        case .people, .person, .findAnything, .whereabouts, .disconnect, .revoke, .drain, .statistics, .states,
            .erase, .profile, .introduce, .showInvitation, .feed, .ackFeed, .forgetFeed, .reports, .showReport,
            .removeReported, .closeReport:
            .operator(try readOperatorCommand(type))
        }
    }

    private func readOperatorCommand(_ type: CommandType) throws(Refusal) -> OperatorCommand {
        switch type {
        case .people:
            .people(after: try members.optional(.after, members.user), limit: try members.limit())
        case .person: .person(try members.user(.user))
        case .findAnything:
            .find(
                prefix: try profile.prefix(), after: try members.optional(.after, members.conversation),
                limit: try members.limit())
        case .whereabouts: .whereabouts(try readWhereabouts())
        case .disconnect:
            .disconnect(user: try members.user(.user), device: try members.optional(.device, members.name))
        case .revoke: try readRevoke()
        case .drain: .drain
        case .states: .states(try members.users())
        case .erase: try readErase()
        case .profile:
            .profile(
                user: try members.user(.user), try profile.change(mayGrant: true),
                isDeleted: try members.flag(.deleted))
        case .showInvitation: .showInvitation(code: try members.name(.code))
        case .introduce: .introduce(user: try members.user(.user), inviter: try members.user(.inviter))
        case .reports:
            .reports(
                after: try members.optional(.after, members.sequence)?.value, limit: try members.limit(),
                try members.optional(.state, members.word))
        case .closeReport:
            .closeReport(
                try members.sequence(.report).value, note: try members.optional(.note, readReportText),
                by: try members.optional(.by, members.name))
        case .showReport: .showReport(try members.sequence(.report).value)
        case .removeReported: .removeReported(try members.sequence(.report).value)
        case .statistics: .statistics(isActive: try members.flag(.active) ?? true, limit: try members.limit())
        case .feed:
            .feed(
                OperatorCommand.Feed(
                    consumer: try members.name(.consumer), after: try members.optional(.after, members.position),
                    limit: try members.limit(atMost: feedMax), waits: try members.flag(.wait) ?? false))
        case .ackFeed: .ackFeed(consumer: try members.name(.consumer), try members.position(.position))
        case .forgetFeed: .forgetFeed(consumer: try members.name(.consumer))
        default: throw Refusal(.unknownType, "unknown command type")
        }
    }

    private func readRevoke() throws(Refusal) -> OperatorCommand {
        guard members.value(.sid) != nil else {
            guard members.value(.until) == nil else { throw members.refusal(.until, "is only allowed with sid") }
            return .revoke(
                user: try members.user(.user), device: try members.optional(.device, members.name),
                isUnknown: try members.flag(.unknown) ?? false)
        }
        for member in [Member.user, .device] where members.value(member) != nil {
            throw members.refusal(.sid, "and \(member.word) must not be used together")
        }
        return .endSignIn(try members.name(.sid), until: try members.optional(.until, members.time))
    }

    private func readErase() throws(Refusal) -> OperatorCommand {
        guard members.value(.conversation) != nil else {
            return .eraseMessages(
                user: try members.user(.user), after: try members.optional(.after, members.position),
                until: try members.optional(.until, members.time))
        }
        for member in [Member.user, .after, .until] where members.value(member) != nil {
            throw members.refusal(.conversation, "and \(member.word) must not be used together")
        }
        let name = try members.conversation(.conversation)
        // The sender is in no conversation, so `@` and a user names none.
        guard name.bytes.first != UInt8(ascii: "@") else {
            throw members.refusal(.conversation, "must be the name of one, not @ and a user")
        }
        return .eraseConversation(name)
    }

    private func readWhereabouts() throws(Refusal) -> OperatorCommand.Whereabouts {
        let event: OperatorCommand.Whereabouts.Event
        if members.value(.position) != nil {
            guard members.value(.conversation) == nil else {
                throw members.refusal(.position, "and conversation must not be used together")
            }
            event = .position(try members.position(.position))
        } else {
            event = .message(
                conversation: try members.conversation(.conversation), try members.sequence(.sequence))
        }
        return OperatorCommand.Whereabouts(
            event, after: try members.optional(.after, members.user), limit: try members.limit())
    }

    // MARK: Commands with more than one or two members

    private func readHello() throws(Refusal) -> Command {
        .hello(
            Command.Hello(
                token: try members.token(),
                device: try members.optional(.device, members.name),
                isBackground: try members.flag(.background) ?? false,
                isOperator: try members.flag(.operator) ?? false,
                resume: try members.optional(.resume, members.position),
                pingSeconds: try members.optional(.pingSeconds, members.seconds),
                pongSeconds: try members.optional(.pongSeconds, members.seconds)
            )
        )
    }

    private func readSend() throws(Refusal) -> Command {
        let to = try members.conversation(.to)
        let key = try members.name(.key)
        if let forward = try ForwardForm(members: members).target() {
            return .send(
                Command.Send(
                    to: to, key: key, kind: nil, body: Text(UnsafeRawBufferPointer(start: nil, count: 0)),
                    replyTo: try members.optional(.replyTo, members.sequence),
                    thread: try members.optional(.thread, members.sequence), forward: forward,
                    isReading: try members.flag(.read) ?? true))
        }
        let kind = try members.optional(.kind, members.kind)
        let isText = kind.map { $0 == "text" } ?? true
        let body = isText ? try members.textBody() : try members.anyBody()
        return .send(
            Command.Send(
                to: to, key: key, kind: kind, body: body, replyTo: try members.optional(.replyTo, members.sequence),
                thread: try members.optional(.thread, members.sequence), mentions: try readMentions(),
                isReading: try members.flag(.read) ?? true)
        )
    }

    /// The mentions of a message: users, or `@all`. Without the member there are none.
    private func readMentions() throws(Refusal) -> [Text] {
        if members.value(.mentions) == nil { return [] }
        let limits = members.limits
        let names = try members.texts(
            .mentions, "user names or @all", "; each \(members.nameRule)", atMost: limits.mentionsPerMessage,
            where: { $0 == "@all" || $0.isUserName(atMost: limits.nameBytes) })
        guard !names.isEmpty else { throw members.refusal(.mentions, "must name at least one user") }
        return names
    }

    private func readSignal() throws(Refusal) -> Command {
        let to = try members.conversation(.to)
        let kind = try members.optional(.kind, members.kind)
        let isText = kind.map { $0 == "text" } ?? false
        return .signal(
            Command.Signal(to: to, kind: kind, body: isText ? try members.textBody() : try members.anyBody()))
    }

    private func readTyping() throws(Refusal) -> Command {
        .typing(
            to: try members.conversation(.to), replyTo: try members.optional(.replyTo, members.sequence),
            isActive: try members.flag(.active) ?? true)
    }

    private func readTarget() throws(Refusal) -> Command.Target {
        Command.Target(conversation: try members.conversation(.conversation), sequence: try members.sequence(.sequence))
    }

    private func readEdit() throws(Refusal) -> Command {
        let target = try readTarget()
        let (body, fault) = try members.editedBody()
        return .edit(
            Command.Edit(
                target: target, body: body, textFault: fault, mentions: try readMentions(),
                ifVersion: try members.optional(.ifVersion, members.sequence)?.value))
    }

    private func readReact() throws(Refusal) -> Command {
        let target = try readTarget()
        let reaction = try members.reaction()
        return .react(Command.React(target: target, reaction: reaction, isRemoval: try members.flag(.remove) ?? false))
    }

    private func readHistory() throws(Refusal) -> Command {
        let conversation = try members.conversation(.conversation)
        let before = try members.optional(.before, members.sequence)
        let after = try members.optional(.after, members.sequenceOrNone)
        guard before == nil || after == nil else {
            throw members.refusal(.before, "and after must not be used together")
        }
        return .history(
            Command.History(
                conversation: conversation, thread: try members.optional(.thread, members.sequence), before: before,
                after: after, limit: try members.limit(), hasEvents: try members.flag(.events) ?? false)
        )
    }

    private func readMembers() throws(Refusal) -> Command {
        .members(
            Command.Members(
                conversation: try members.conversation(.conversation),
                sequence: try members.optional(.sequence, members.sequence),
                after: try members.optional(.after, members.user), limit: try members.limit(),
                hasPresence: try members.flag(.presence) ?? false))
    }

    /// It takes no key: what it says is a state, and to say it again changes nothing.
    private func readExpiry() throws(Refusal) -> Command {
        let limits = members.limits
        let most = max(limits.expiryMinMilliseconds, limits.expiryMaxMilliseconds)
        let time = try members.whole(.after, 0...most)
        guard time == 0 || time >= limits.expiryMinMilliseconds else {
            throw members.refusal(.after, "must be 0 or a whole number from \(limits.expiryMinMilliseconds) to \(most)")
        }
        return .change(Command.Change(.expiry(time), of: try members.conversation(.conversation), key: nil))
    }

    /// It takes no key for the same reason.
    private func readPin(_ kind: (SequenceNumber) -> Command.Change.Kind) throws(Refusal) -> Command {
        let target = try readTarget()
        return .change(Command.Change(kind(target.sequence), of: target.conversation, key: nil))
    }

    private func readPinList() throws(Refusal) -> Command.Pins {
        Command.Pins(
            conversation: try members.conversation(.conversation), before: try members.optional(.before, members.name),
            limit: try members.limit())
    }

    private func readChange(_ kind: Command.Change.Kind) throws(Refusal) -> Command {
        .change(
            Command.Change(
                kind, of: try members.conversation(.conversation), key: try members.optional(.key, members.name)))
    }

    private func readSetState() throws(Refusal) -> Command {
        let forms = SettingForms(members: members)
        return .setState(
            Command.SetState(
                key: try forms.ownKey(), value: try forms.value(),
                ifVersion: try members.optional(.ifVersion, members.sequenceOrNone)?.value))
    }

    private func readGetState() throws(Refusal) -> Command {
        let forms = SettingForms(members: members)
        return .getState(
            Command.GetState(
                try forms.selection(), after: try members.optional(.after, forms.key),
                limit: try members.limit(atMost: members.limits.statesPerUser)))
    }

    private func readDescribe() throws(Refusal) -> Command {
        let forms = GroupForms(members: members)
        let photo = try members.optional(.photo, forms.photo)
        let description = try members.optional(.description, forms.description)
        guard photo != nil || description != nil else { throw members.refusal(.photo, "or description is missing") }
        return try readChange(.describe(photo: photo, description: description))
    }

    private func readStatus() throws(Refusal) -> Command {
        let choice: StatusChoice? = try members.optional(.state, members.word)
        let text = members.value(.text) == nil ? nil : try members.statusText()
        guard choice != nil || text != nil else { throw members.refusal(.state, "or text is missing") }
        return .status(choice, text: text, after: try members.optional(.after, members.time)?.milliseconds)
    }

    private func readProfile() throws(Refusal) -> Command {
        let change = try profile.change(mayGrant: false)
        guard !change.isEmpty else { throw members.refusal(.name, "or another member that is to change is missing") }
        return .setProfile(change)
    }

    private func readReport() throws(Refusal) -> Command {
        let subject: Command.Report.Subject
        if members.value(.conversation) != nil {
            guard members.value(.user) == nil else {
                throw members.refusal(.user, "and conversation must not be used together")
            }
            subject = .message(try readTarget())
        } else {
            subject = .user(try members.user(.user))
        }
        return .report(
            Command.Report(
                subject, try members.word(.reason), text: try members.optional(.text, readReportText)))
    }

    /// Reads the text of a report.
    private func readReportText(_ member: Member) throws(Refusal) -> Text {
        let text = try members.string(member)
        guard text.count <= members.limits.reportTextBytes else {
            throw members.refusal(member, "must be at most \(members.limits.reportTextBytes) bytes", .tooLarge)
        }
        guard !text.isEmpty else { throw members.refusal(member, "must not be empty") }
        try members.shown.check(text, of: member, as: .lines)
        return text
    }

    private func readPrivacy() throws(Refusal) -> Command {
        .privacy(
            PrivacyChange(
                presence: try members.optional(.presence, members.word),
                lastSeen: try members.optional(.lastSeen, members.word),
                read: try members.optional(.read, members.word)))
    }

    private func readList() throws(Refusal) -> Command {
        .list(
            before: try members.optional(.before, members.name), limit: try members.limit(),
            requests: try members.flag(.requests) ?? false)
    }

    private func readCreate() throws(Refusal) -> Command {
        let kind: ConversationKind = try members.word(.kind)
        let key = try members.optional(.key, members.name)
        switch kind {
        case .group:
            let name = try members.groupName()
            let users = members.value(.members) == nil ? [] : try members.others()
            return .create(Command.Create(kind: kind, name: name, members: users, key: key))
        case .direct:
            guard members.value(.name) == nil else { throw members.refusal(.name, "is only allowed for a group") }
            let users = try members.others()
            guard users.count == 1 else { throw members.refusal(.members, "must name exactly one user") }
            return .create(Command.Create(kind: kind, name: nil, members: users, key: key))
        }
    }
}
