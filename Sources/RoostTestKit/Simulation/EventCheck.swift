import RoostCore
import RoostFraming
import RoostWire

/// Checks what clients read, event by event: each was promised to the client, comes once and in its place, and says
/// what is stored. It keeps what was parsed in this turn, and writes into connections what their clients now believe.
final class EventCheck {
    private let world: World
    private let ledger: Ledger
    private let people: People
    private let host: SimulatedHost
    private let clients: SimulatedClients
    private let replies: ReplyCheck
    private let presence: PresenceCheck
    private let settings: SettingCheck
    private let blocks: BlockCheck
    private let profiles: ProfileCheck
    private let requests: RequestCheck
    private let invites: InviteCheck
    private let threads: ThreadCheck
    private let appearances: AppearanceCheck
    /// Frames that were read in this turn, so that each is parsed once.
    private var parsed: [ObjectIdentifier: (frame: Frame, event: WireEvent?)] = [:]

    init(
        _ world: World, _ ledger: Ledger, _ people: People, _ host: SimulatedHost, _ clients: SimulatedClients,
        _ replies: ReplyCheck, _ presence: PresenceCheck, _ settings: SettingCheck, _ blocks: BlockCheck,
        _ profiles: ProfileCheck, _ requests: RequestCheck, _ invites: InviteCheck
    ) {
        self.world = world
        self.ledger = ledger
        self.people = people
        self.host = host
        self.clients = clients
        self.replies = replies
        self.presence = presence
        self.settings = settings
        self.blocks = blocks
        self.profiles = profiles
        self.requests = requests
        self.invites = invites
        threads = ThreadCheck(world, ledger)
        appearances = AppearanceCheck(world, ledger)
    }

    /// Forgets the frames of a turn that ended: later ones may lie at the same addresses.
    func forgetFrames() { parsed.removeAll(keepingCapacity: true) }

    func receive(_ frame: Frame, on connection: SimulatedConnection) {
        world.tally.frames += 1
        if connection.isClosed { return world.fail("\(connection.label) gets a frame after its end") }
        // RFC 6455, section 5.2: the opcode of a text frame is 1.
        guard frame.bytes.first.map({ $0 & 0x0F }) == 1 else {
            connection.heardAt = world.time
            host.relay.hear(from: connection.session, at: world.now)
            return
        }
        world.trace.note(world.time, connection.label, "reads", frame.payload)
        guard let event = event(of: frame) else { return world.fail("\(connection.label) gets what isn't an event") }
        if isLost(event, on: connection) { return }
        if let re = event.re { return replies.take(event, re, on: connection) }
        guard connection.isWelcome || event.kind == .error || event.kind == .drain else {
            return world.fail("\(connection.label) gets \(event.kind) before welcome")
        }
        if let joining = connection.awaited.joining, event.kind != .gap {
            connection.awaited.joining = nil
            if joining.isRequired { world.fail("\(connection.label) isn't told at once what was before it joined") }
        }
        if event.kind == .state { return takeSetting(event, on: connection) }
        if event.isDurable { return takeEvent(event, on: connection) }
        switch event.kind {
        case .gap: takeGap(event, on: connection)
        case .live: takeLive(event, on: connection)
        case .presence:
            presence.take(event.json?["users"], on: connection)
            presence.takeCounts(event.json?["conversations"], on: connection)
        case .status: presence.takeOwn(event.json, on: connection)
        case .privacy: presence.takeOwnPrivacy(event.json, on: connection)
        case .profile: profiles.take(event.json, on: connection)
        case .typing: takeTyping(event, on: connection)
        case .receipt: takeReceipt(event, on: connection)
        case .badge: takeBadge(event, on: connection)
        case .signal: takeSignal(event, on: connection)
        case .contact: takeContact(event, on: connection)
        case .drain: connection.wasWarned = true
        case .error, .pong, .ok, .prospects: break
        case .joins: takeJoins(event, on: connection)
        default: world.fail("\(connection.label) gets \(event.kind) out of place")
        }
    }

    private func event(of frame: Frame) -> WireEvent? {
        let identity = ObjectIdentifier(frame)
        if let known = parsed[identity] { return known.event }
        let event = WireEvent(frame.payload, epoch: world.epoch)
        // Keeps the frame as well, so that no other frame gets its address meanwhile.
        parsed[identity] = (frame, event)
        return event
    }

    // MARK: Durable events

    private func takeEvent(_ event: WireEvent, on connection: SimulatedConnection) {
        world.tally.events += 1
        let device = connection.device
        let user = device.user
        guard let position = event.position else {
            return world.fail("\(connection.label) gets an event without position")
        }
        guard let stored = ledger.events[position] else {
            return world.fail("\(connection.label) gets \(position), which isn't durable")
        }
        checkContent(event, stored, on: connection)
        appearances.take(event, stored, at: position, on: connection)
        blocks.take(event, stored, on: connection)
        requests.take(event, stored, on: connection)
        if position <= connection.position {
            world.fail("\(connection.label) gets \(position) after \(connection.position)")
        }
        if connection.told.messages.contains(position) {
            world.fail("\(connection.label) is sent its own message at \(position), which was answered")
        }
        let feed = ledger.feeds[user.index]
        pass(feed, upTo: position - 1, on: connection)
        if connection.place < feed.count, feed[connection.place].position == position {
            connection.place += 1
        } else {
            world.fail("\(connection.label) gets \(position) of a conversation that isn't its user's")
        }
        connection.position = position
        noteJoining(by: stored, at: position, on: connection)
        // A client takes nothing more from a connection once it has opened another one.
        guard device.current === connection else { return }
        noteProcessed(position, on: connection)
        if stored.kind == .conversation { noteDeparture(event, on: connection) }
        keep(event, stored, of: device)
        ackNow(position, on: connection)
    }

    private func noteProcessed(_ position: Int64, on connection: SimulatedConnection) {
        connection.device.received.insert(position)
        connection.device.processed = position
        connection.unackedEvents.append(position)
    }

    private func ackNow(_ position: Int64, on connection: SimulatedConnection) {
        guard connection.acking == .prompt || connection.acking == .late && world.random.chance(10) else { return }
        connection.device.highestAck = max(connection.device.highestAck, position)
        clients.answer(connection, "ack", "\"position\":\"\(world.epoch)-\(position)\"", .ack(position))
    }

    /// Nothing below a position comes any more.
    private func pass(_ feed: [Ledger.Entry], upTo position: Int64, on connection: SimulatedConnection) {
        while connection.place < feed.count, feed[connection.place].position <= position {
            checkSkipped(feed[connection.place], on: connection)
            connection.place += 1
        }
    }

    /// Checks a setting, which comes in the same order as everything else. Settings that were changed again since don't
    /// come.
    private func takeSetting(_ event: WireEvent, on connection: SimulatedConnection) {
        guard let position = event.position, position > connection.position else {
            return world.fail("\(connection.label) gets a setting out of order")
        }
        pass(ledger.feeds[connection.device.user.index], upTo: position, on: connection)
        connection.position = position
        settings.take(event, at: position, on: connection)
        guard connection.device.current === connection else { return }
        noteProcessed(position, on: connection)
        ackNow(position, on: connection)
    }

    private func checkContent(_ event: WireEvent, _ stored: Ledger.Event, on connection: SimulatedConnection) {
        let kind: EventType =
            switch stored.kind {
            case .message: .message
            case .edit: .edit
            case .delete: .delete
            case .react: .react
            case .conversation: .conversation
            case .state: .state
            }
        let isHidden = BlockCheck.isHidden(event.json)
        let by = event.kind == .conversation ? event.json?["by"]?.string : event.from
        guard event.kind == kind, event.conversation == ledger.conversations[stored.conversation].id,
            by == people.users[stored.sender].name || isHidden,
            event.kind == .conversation || event.sequence == stored.sequence,
            event.kind != .message || event.key == (stored.sender == connection.device.user.index ? stored.key : nil),
            event.kind != .message || threads.isRight(event.json, stored.sequence, in: stored.conversation)
        else { return world.fail("\(connection.label) gets something else than is stored at \(event.position ?? 0)") }
        guard stored.kind == .message || stored.kind == .edit, !isHidden else { return }
        let message = ledger.conversations[stored.conversation].messages[Int(stored.sequence) - 1]
        let isKnown = event.body.map(message.bodies.contains) ?? (message.isDeleted && stored.kind == .message)
        if !isKnown { world.fail("\(connection.label) gets a body that was never sent at \(event.position ?? 0)") }
        checkPast(event, message, stored, on: connection)
        if stored.kind == .message, event.json?["read"]?.bool ?? true != message.isReading {
            world.fail("\(connection.label) is told something else than whether the sender of \(message.key) has read")
        }
        if stored.kind == .message, event.json?["expires"]?.integer != message.expires {
            world.fail("\(connection.label) is told something else than when \(message.key) disappears")
        }
        let origin = event.json?["origin"]?["from"]?.string
        if event.body != nil, origin != message.origin.map({ people.users[$0].name }) {
            world.fail("\(connection.label) is told that \(message.key) is by \(origin ?? "its sender")")
        }
    }

    /// Former members get no later changes of messages.
    private func checkPast(
        _ event: WireEvent, _ message: Ledger.Message, _ stored: Ledger.Event, on connection: SimulatedConnection
    ) {
        let user = connection.device.user.index
        guard ledger.conversations[stored.conversation].members[user] == nil, message.sender != user else { return }
        let left = ledger.feeds[user].last { $0.conversation == stored.conversation }?.position ?? 0
        let isEdited = message.editedAt > left && event.body != nil && event.body == message.bodies.last
        let isDeleted = message.deletedAt > left && message.expires == nil && event.json?["deletedAt"] != nil
        if isEdited || isDeleted {
            world.fail("\(connection.label) is told what became of \(message.key) after its user had left")
        }
    }

    /// Earlier messages of a conversation are announced at once.
    private func noteJoining(by event: Ledger.Event, at position: Int64, on connection: SimulatedConnection) {
        let own = connection.device.user.index
        guard case .add(let members) = event.change,
            let new = members.first(where: { ledger.users[$0.user.value] == own }),
            event.sequence > new.since(after: SequenceNumber(event.sequence)).value
        else { return }
        let isMember = ledger.conversations[event.conversation].members[own]?.joinedAt == position
        connection.awaited.joining = .init(
            conversation: event.conversation, from: new.since(after: SequenceNumber(event.sequence)).value + 1,
            to: event.sequence, isRequired: isMember)
    }

    /// Fails unless there is an excuse for an event that should have come earlier.
    private func checkSkipped(_ entry: Ledger.Entry, on connection: SimulatedConnection) {
        let told = connection.told.positions
        guard !ledger.isExcused(entry, connection.device, gaps: connection.gaps, told: told) else { return }
        let what = ledger.events[entry.position].map { "\($0.kind) of \($0.sequence)" } ?? "event"
        world.fail(
            "\(connection.label) was not given \(what) at \(entry.position) of conversation \(entry.conversation)")
    }

    // MARK: Gaps

    private func takeGap(_ event: WireEvent, on connection: SimulatedConnection) {
        world.tally.gaps += 1
        guard let id = event.conversation, let conversation = ledger.conversation(id),
            let from = event.json?["from"]?.integer, let to = event.json?["to"]?.integer, from >= 1, from <= to,
            to <= conversation.messages.count
        else { return world.fail("\(connection.label) gets a gap that can't be") }
        let isReset = event.json?["reset"]?.bool ?? false
        if let joining = connection.awaited.joining {
            connection.awaited.joining = nil
            if joining.conversation == conversation.index, isReset, joining.from == from, joining.to == to { return }
            if joining.isRequired { return world.fail("\(connection.label) gets a wrong gap after it joined") }
        }
        // The missed messages may have been left out as well, if its user was there already.
        if !isReset || !isJoining(conversation, by: connection) {
            checkBacklog(of: conversation, from...to, isReset, on: connection)
        }
        var leftOut = connection.gaps[conversation.index] ?? Ledger.LeftOut()
        if isReset {
            leftOut.floor = max(leftOut.floor, conversation.messages[Int(to) - 1].position)
            if connection.device.current === connection { connection.device.memory.reset(conversation.index) }
        } else {
            leftOut.messages.append((from...to, ledger.head))
        }
        guard connection.device.current === connection else { return connection.gaps[conversation.index] = leftOut }
        connection.device.memory.leaveOut((isReset ? 1 : from)...to, of: conversation.index)
        connection.gaps[conversation.index] = leftOut
        connection.device.gaps[conversation.index, default: Ledger.LeftOut()].messages += leftOut.messages
        let floor = connection.device.gaps[conversation.index]?.floor ?? 0
        connection.device.gaps[conversation.index]?.floor = max(floor, leftOut.floor)
    }

    /// Whether its client is joining by a link: the answer stands for the event, and the gap comes before it.
    private func isJoining(_ conversation: ConversationTruth, by connection: SimulatedConnection) -> Bool {
        connection.pending.values.contains { pending in
            guard case .openInvite(let index) = pending.kind else { return false }
            return people.invitations.links[index].group == conversation.index
        }
    }

    /// Fails if what the gap leaves out is no more than a device is sent.
    private func checkBacklog(
        of conversation: ConversationTruth, _ range: ClosedRange<Int64>, _ isReset: Bool,
        on connection: SimulatedConnection
    ) {
        let feed = ledger.feeds[connection.device.user.index]
        let missed = feed[connection.place...].filter { $0.conversation == conversation.index }
        let messages = missed.count { $0.isMessage }
        let limits = world.day.limits
        if messages <= limits.backlogMax {
            world.fail("\(connection.label) gets a gap for a backlog of \(messages)")
        }
        let since = conversation.members[connection.device.user.index]?.since
        if isReset {
            if missed.count <= limits.backlogChangesMax {
                world.fail("\(connection.label) gets a reset for \(missed.count) events")
            }
            // The user may have left and come back since it was written.
            if let since, range.lowerBound > since + 1 {
                world.fail("\(connection.label) gets a reset from \(range.lowerBound)")
            }
        } else if range.count > messages {
            world.fail("\(connection.label) gets a gap of \(range.count) for a backlog of \(messages)")
        }
    }

    /// The client has got everything that it missed.
    private func takeLive(_ event: WireEvent, on connection: SimulatedConnection) {
        // It may be below positions that came with replies.
        guard let position = event.position, position <= ledger.head else {
            return world.fail("\(connection.label) is live at a position that can't be")
        }
        connection.awaited.live = false
        pass(ledger.feeds[connection.device.user.index], upTo: position, on: connection)
        connection.position = max(connection.position, position)
        guard connection.device.current === connection else { return }
        connection.device.processed = position
        connection.device.isRereading = false
        if connection.acking == .prompt {
            connection.device.highestAck = max(connection.device.highestAck, position)
            clients.answer(connection, "ack", "\"position\":\"\(world.epoch)-\(position)\"", .ack(position))
        }
    }

    // MARK: The device's copy

    private func keep(_ event: WireEvent, _ stored: Ledger.Event, of device: SimulatedDevice) {
        let conversation = stored.conversation
        if BlockCheck.isHidden(event.json) {
            return device.memory.hide(stored.kind, of: stored.sequence, in: conversation)
        }
        switch stored.kind {
        case .message: device.memory.take(message: stored.sequence, body: event.body, in: conversation)
        case .edit: device.memory.edit(stored.sequence, body: event.body ?? [], in: conversation)
        case .delete: device.memory.delete(stored.sequence, in: conversation)
        case .react:
            let text = event.json?["reaction"]?.string ?? ""
            device.memory.react(
                .init(user: stored.sender, text: text), isRemoval: event.json?["removed"]?.bool ?? false,
                to: stored.sequence, in: conversation)
        case .conversation: keepChange(event, at: event.position ?? 0, in: conversation, of: device)
        case .state: break
        }
    }

    /// Only members hear of waiting users, and a user of its own requests.
    private func takeJoins(_ event: WireEvent, on connection: SimulatedConnection) {
        // Without a conversation it is about the user's own requests.
        guard let id = event.json?["conversation"]?.string else { return }
        guard let conversation = ledger.conversation(id) else {
            return world.fail("\(connection.label) hears of users who wait for nothing")
        }
        let role = conversation.members[connection.device.user.index]?.role
        // A role may have ended while this was on its way.
        if role == nil, !conversation.generations.keys.contains(connection.device.user.index) {
            world.fail("\(connection.label) hears of users who wait for \(id), and was never in it")
        }
    }

    private func keepChange(_ event: WireEvent, at position: Int64, in conversation: Int, of device: SimulatedDevice) {
        let own = device.user.index
        let by = SimulatedUser.index(event.json?["by"]?.string)
        let users = (event.json?["users"]?.elements ?? []).compactMap { SimulatedUser.index($0.string) }
        switch event.json?["event"]?.string {
        case "created": begin(event, at: position, in: conversation, owner: by, of: device)
        case "added" where users.contains(own): begin(event, at: position, in: conversation, owner: nil, of: device)
        case "added": device.memory.add(users, to: conversation)
        case "expiry", "accepted", "banned", "unbanned", "timeout", "posting", "slow", "joining": break
        case "pinned": device.memory.pin(event.json?["pin"]?.integer ?? 0, in: conversation)
        case "unpinned": device.memory.unpin(event.json?["pin"]?.integer ?? 0, in: conversation)
        case "renamed": device.memory.rename(conversation, to: event.json?["name"]?.string ?? "")
        case "described":
            device.memory.describe(
                conversation, photo: event.json?["photo"]?.string, event.json?["description"]?.string)
        case "removed" where users.contains(own): device.memory.forget(conversation)
        case "removed": device.memory.remove(users, from: conversation)
        case "left" where by == own: device.memory.forget(conversation)
        case "left":
            if let by { device.memory.remove([by], from: conversation) }
            let heir = SimulatedUser.index(event.json?["owner"]?.string)
            if let heir { device.memory.setRole(.owner, of: heir, by: nil, in: conversation) }
        case "role":
            let role = event.json?["role"]?.string.flatMap { MemberRole(word: $0) }
            guard let role, let user = SimulatedUser.index(event.user) else { return }
            device.memory.setRole(role, of: user, by: by, in: conversation)
        default: world.fail("\(device.label) gets an unknown change")
        }
    }

    /// Applies the event by which the device's user joined. A creation contains the roles as well.
    private func begin(
        _ event: WireEvent, at position: Int64, in conversation: Int, owner: Int?, of device: SimulatedDevice
    ) {
        let isGroup = event.json?["kind"]?.string == "group"
        var roles: [Int: MemberRole?] = [:]
        for name in event.json?["members"]?.elements ?? [] {
            guard let user = SimulatedUser.index(name.string) else { continue }
            let isOwner = isGroup && user == owner
            roles[user] = owner == nil ? .some(nil) : .some(isOwner ? .owner : .member)
        }
        device.memory.begin(
            conversation, at: position, name: event.json?["name"]?.string ?? "",
            photo: event.json?["photo"]?.string ?? "", description: event.json?["description"]?.string ?? "",
            isNew: event.json?["event"]?.string == "created", roles: roles)
        guard event.json?["sequence"]?.integer != nil, event.json?["unread"]?.integer == 0,
            event.json?["read"]?.integer == 0
        else { return world.fail("\(device.label) isn't told where it begins") }
    }

    /// A client whose user left a conversation, or comes into it, forgets typing there. A new member has read nothing,
    /// which a receipt needn't say.
    private func noteDeparture(_ event: WireEvent, on connection: SimulatedConnection) {
        guard let word = event.json?["event"]?.string,
            let conversation = event.conversation.flatMap(ledger.conversation)
        else { return }
        let name = connection.device.user.name
        let users = event.json?["users"]?.elements?.compactMap(\.string) ?? []
        let isNamed = users.contains(name)
        if word == "added" {
            for user in users.compactMap(SimulatedUser.index) {
                connection.belief.receipts[Ledger.Pair(conversation.index, user)] = nil
            }
        }
        if word == "left" && event.json?["by"]?.string == name || word == "removed" && isNamed {
            connection.belief.forget(conversation.index)
        } else if word == "added", isNamed {
            connection.belief.forgetTyping(in: conversation.index)
        }
    }

    // MARK: Ephemeral events

    private func takeTyping(_ event: WireEvent, on connection: SimulatedConnection) {
        guard let conversation = event.conversation.flatMap(ledger.conversation) else {
            return world.fail("\(connection.label) gets typing of nowhere")
        }
        requests.takeSign("who types", by: nil, in: conversation, on: connection)
        let isUpToDate = connection.isUpToDate(at: world.time)
        if event.isActive, isUpToDate, isStranger(connection.device.user, to: conversation) {
            world.fail("\(connection.label) hears of typing where its user isn't a member")
        }
        if isUpToDate, connection.belief.isInBackground {
            world.fail("\(connection.label) hears of typing in the background")
        }
        if event.json?["several"]?.bool == true {
            if event.isActive {
                connection.belief.several.insert(conversation.index)
            } else {
                connection.belief.several.remove(conversation.index)
            }
            return
        }
        guard let user = SimulatedUser.index(event.user) else {
            return world.fail("\(connection.label) gets typing of nobody")
        }
        let pair = Ledger.Pair(conversation.index, user)
        let thread = event.json?["replyTo"]?.integer ?? 0
        let typist = people.users.indices.contains(user) ? people.users[user] : nil
        if event.isActive {
            connection.belief.typing[pair] = thread
        } else if let believed = connection.belief.typing.removeValue(forKey: pair), isUpToDate, believed != thread,
            // A client that doesn't see the typist any more gets no move to another thread, only the end.
            let typist, !people.isHidden(typist, from: connection.device.user)
        {
            world.fail("\(connection.label) hears that u\(user) stops in thread \(thread), and not \(believed)")
        }
        if let typist, event.isActive, typist.choice == .invisible, connection.isUpToDate(at: world.time),
            world.time - typist.statusSince > World.lateness
        {
            world.fail("\(connection.label) hears of typing by \(typist.name), who is invisible")
        }
        let own = connection.device.user
        if let typist, event.isActive, isUpToDate, !people.isUnsettled(typist, own),
            people.isHidden(typist, from: own)
        {
            world.fail("\(connection.label) hears of typing by \(typist.name), who hides from it")
        }
    }

    /// Whether the client believes already that this user types there.
    private func isKnownToType(_ event: WireEvent, on connection: SimulatedConnection) -> Bool {
        guard let conversation = event.conversation.flatMap(ledger.conversation),
            let user = SimulatedUser.index(event.user)
        else { return false }
        return connection.belief.typing[Ledger.Pair(conversation.index, user)] != nil
    }

    private func takeReceipt(_ event: WireEvent, on connection: SimulatedConnection) {
        guard let conversation = event.conversation.flatMap(ledger.conversation),
            let user = SimulatedUser.index(event.user),
            people.users.indices.contains(user), let json = event.json,
            let told = json["delivered"]?.integer ?? json["read"]?.integer
        else { return world.fail("\(connection.label) gets a receipt of nobody") }
        requests.takeSign("of a receipt", by: user, in: conversation, on: connection)
        let pair = Ledger.Pair(conversation.index, user)
        checkTold(people.users[user], json, on: connection)
        // A client that doesn't get one of the two keeps the value from before; a read message was delivered.
        let read = json["read"]?.integer ?? connection.belief.receipts[pair]?.read ?? 0
        let delivered = json["delivered"]?.integer ?? max(told, connection.belief.receipts[pair]?.delivered ?? 0)
        if let last = connection.belief.receipts[pair], delivered < last.delivered || read < last.read,
            conversation.generations[user] == 1
        {
            world.fail("\(connection.label) gets a receipt that goes back")
        }
        if read > conversation.messages.count || delivered > conversation.messages.count || read > delivered {
            world.fail("\(connection.label) gets a receipt that can't be")
        }
        if user == connection.device.user.index,
            event.json?["unread"]?.integer ?? 0 > conversation.written(forUser: user, above: read)
        {
            world.fail("\(connection.label) is told of more unread in \(conversation.id) than others wrote")
        }
        connection.belief.receipts[pair] = Ledger.Mark(delivered: delivered, read: read)
    }

    /// Checks that the client may know what it reads of a user's receipts.
    private func checkTold(_ user: SimulatedUser, _ receipt: JSONValue, on connection: SimulatedConnection) {
        let own = connection.device.user
        guard connection.isUpToDate(at: world.time), !people.isUnsettled(user, own),
            world.time - own.statusSince > World.lateness
        else { return }
        let delivered = world.mistake == .toldDelivery ? receipt["read"] : receipt["delivered"]
        if (receipt["read"] != nil) != people.tellsRead(user, to: own)
            || (delivered != nil) != people.tellsDelivery(user, to: own)
        {
            world.fail("\(connection.label) is told of another receipt of \(user.name) than it may know")
        }
        if user !== own,
            people.betrays(
                user, delivered: receipt["delivered"]?.integer ?? 0, at: receipt["deliveredAt"]?.integer,
                read: receipt["read"]?.integer ?? 0)
        {
            world.fail("\(connection.label) is told of a delivery to \(user.name), who is invisible")
        }
    }

    private func takeBadge(_ event: WireEvent, on connection: SimulatedConnection) {
        guard let unread = event.json?["unread"]?.integer, unread >= 0 else {
            return world.fail("\(connection.label) gets a badge that can't be")
        }
        connection.belief.badge = unread
    }

    /// Most who are invited accept.
    private func takeContact(_ event: WireEvent, on connection: SimulatedConnection) {
        guard let user = SimulatedUser.index(event.user), user != connection.device.user.index else {
            return world.fail("\(connection.label) gets a contact that can't be")
        }
        invites.checkHidden(user, on: connection)
        guard event.json?["state"]?.string == "received", world.random.chance(60) else { return }
        clients.answer(connection, "contact.accept", "\"user\":\"u\(user)\"", .contact(.accept, user))
    }

    private func takeSignal(_ event: WireEvent, on connection: SimulatedConnection) {
        guard let conversation = event.conversation.flatMap(ledger.conversation) else { return }
        requests.takeSign("a signal", by: SimulatedUser.index(event.from), in: conversation, on: connection)
        guard connection.isUpToDate(at: world.time) else { return }
        if isStranger(connection.device.user, to: conversation) {
            world.fail("\(connection.label) gets a signal where its user isn't a member")
        }
        if let sender = SimulatedUser.index(event.from), people.users.indices.contains(sender) {
            blocks.takeSignal(by: people.users[sender], on: connection)
        }
    }

    /// Whether the user isn't a member now and wasn't a moment ago, when the relay may have written what is read now.
    private func isStranger(_ user: SimulatedUser, to conversation: ConversationTruth) -> Bool {
        conversation.members[user.index] == nil && user.left[conversation.index] ?? 0 < world.time
    }

    /// Whether a frame gets lost between the relay and its client.
    func isLost(_ event: WireEvent, on connection: SimulatedConnection) -> Bool {
        switch (world.mistake, event.kind) {
        case (.stuckTyping, .typing): !event.isActive && event.user != nil
        case (.stuckSeveral, .typing): !event.isActive && event.user == nil
        case (.lostMove, .typing): event.isActive && isKnownToType(event, on: connection)
        case (.lostReply, .ok): world.random.chance(1)
        case (.lostReceipt, .receipt): world.isCalm
        case (.lostPlace, .message): BlockCheck.isHidden(event.json)
        case (.lostProfile, .profile): world.isCalm
        case (.staleBadge, .badge): world.isCalm
        case (.lostGap, .gap): true
        case (.lostCount, .presence): event.json?["conversations"] != nil && world.random.chance(50)
        default: false
        }
    }
}
