import RoostCore
import RoostWire

/// Checks replies: every command with an id gets exactly one, and what it says is true. It writes into connections and
/// devices what their clients now know.
final class ReplyCheck {
    private typealias Kind = SimulatedConnection.Pending.Kind

    private let world: World
    private let ledger: Ledger
    private let people: People
    private let clients: SimulatedClients
    private let presence: PresenceCheck
    private let devices: DeviceCheck
    private let settings: SettingCheck
    private let blocks: BlockCheck
    private let profiles: ProfileCheck
    private let requests: RequestCheck
    private let invites: InviteCheck
    private let threads: ThreadCheck
    private let receipts: ReceiptCheck

    init(
        _ world: World, _ ledger: Ledger, _ people: People, _ clients: SimulatedClients,
        _ presence: PresenceCheck, _ devices: DeviceCheck, _ settings: SettingCheck, _ blocks: BlockCheck,
        _ profiles: ProfileCheck, _ requests: RequestCheck, _ invites: InviteCheck
    ) {
        self.world = world
        self.ledger = ledger
        self.people = people
        self.clients = clients
        self.presence = presence
        self.devices = devices
        self.settings = settings
        self.blocks = blocks
        self.profiles = profiles
        self.requests = requests
        self.invites = invites
        threads = ThreadCheck(world, ledger)
        receipts = ReceiptCheck(world, ledger, people)
    }

    /// A client reads the reply to its command `re`.
    func take(_ event: WireEvent, _ re: Int64, on connection: SimulatedConnection) {
        guard let pending = connection.pending.removeValue(forKey: re) else {
            return world.fail("\(connection.label) gets a second reply to \(re)")
        }
        if event.kind == .ok {
            for pledge in pending.pledges { people.promises.confirm(pledge) }
            world.tally.promises += pending.pledges.count
        }
        switch (event.kind, pending.kind) {
        case (.welcome, .hello(let resume)): takeWelcome(event, resume: resume, on: connection)
        case (.error, let kind): takeError(event, kind, saidAt: pending.saidAt, on: connection)
        case (.ok, .history(let conversation, let thread)):
            takeHistory(event, conversation, thread, askedAt: pending.saidAt, on: connection)
        case (.ok, .list):
            takeList(event, askedAt: pending.saidAt, on: connection)
            requests.takeList(event.json, ofRequests: false, askedAt: pending.saidAt, on: connection)
        case (.ok, .listRequests):
            takeList(event, askedAt: pending.saidAt, on: connection)
            requests.takeList(event.json, ofRequests: true, askedAt: pending.saidAt, on: connection)
        case (.ok, .getConversation(let index)):
            profiles.takeAll(event.json?["people"], on: connection)
            requests.take(event.json?["conversation"], of: index, askedAt: pending.saidAt, on: connection)
        case (.ok, .answerRequest(let conversation, let isAccepted)):
            requests.takeAnswered(event, conversation, isAccepted: isAccepted, on: connection)
            if isAccepted, let position = event.position { note(position, toldTo: connection) }
            if let position = event.position { connection.told.positions.insert(position) }
        case (.ok, .receipts(let conversation, let sequence)):
            receipts.take(event, conversation, sequence, askedAt: pending.saidAt, on: connection)
        case (.ok, .makeInvite), (.ok, .revokeInvite), (.ok, .showInvite), (.ok, .openInvite), (.ok, .listInvites),
            (.ok, .listContacts):
            takeInvite(event, pending, on: connection)
        case (.ok, .devices): devices.take(event.json?["devices"], askedAt: pending.saidAt, on: connection)
        case (.ok, .watch(let peer)): takeWatched(event, peer, askedAt: pending.saidAt, on: connection)
        case (.ok, .ack(let position)): noteAcked(position, saidAt: pending.saidAt, by: connection)
        case (.ok, let kind): takeOK(event, kind, on: connection)
        default: world.fail("\(connection.label) gets \(event.kind) as a reply to \(pending.kind)")
        }
    }

    private func takeOK(_ event: WireEvent, _ kind: Kind, on connection: SimulatedConnection) {
        let user = connection.device.user
        switch kind {
        case .send(let intent):
            takeSent(event, intent, by: user, connection.label)
            if let position = event.position { note(position, isNew: !event.isDuplicate, toldTo: connection) }
        case .change(let kind):
            guard !event.isDuplicate else { return }
            guard let position = event.position, ledger.events[position]?.kind == kind else {
                return world.fail("\(connection.label) gets ok for a change that isn't durable")
            }
            note(position, toldTo: connection)
        case .create:
            guard let position = event.position, ledger.events[position] != nil else {
                return world.fail("\(connection.label) gets ok for a conversation that isn't durable")
            }
            if !event.isDuplicate { note(position, toldTo: connection) }
        case .unwatch(let peer):
            connection.belief.watching.remove(peer)
            if !ledger.arePeers(user.index, peer) { connection.belief.presence[peer] = nil }
        case .watchCount(let conversation):
            let generation = ledger.conversations[conversation].generations[user.index] ?? 0
            connection.belief.counts[conversation] = (-1, -1, generation)
            presence.takeCounts(event.json?["conversations"], on: connection)
        case .unwatchCount(let conversation): connection.belief.counts[conversation] = nil
        case .setProfile: profiles.takeStored(event.json?["version"]?.integer, on: connection)
        case .getUsers: profiles.takeAll(event.json?["profiles"], on: connection)
        case .findUsers: profiles.takeFound(event.json?["profiles"], on: connection)
        case .members(let conversation): connection.belief.rosters[conversation] = event.json
        case .hello: world.fail("\(connection.label) gets ok for hello")
        case .mistype: world.fail("\(connection.label) reaches a name that nobody has")
        case .sendToDeleted: world.fail("\(connection.label) reaches somebody whose account was deleted")
        case .leave(let conversation):
            if !event.isDuplicate { connection.belief.forget(conversation) }
            if let position = event.position { note(position, isNew: !event.isDuplicate, toldTo: connection) }
        case .other:
            if let position = event.position {
                guard ledger.events[position] != nil else {
                    return world.fail("\(connection.label) gets ok for what isn't durable")
                }
                note(position, isNew: !event.isDuplicate, toldTo: connection)
            }
        case .setState(let key):
            settings.takeSet(event, key, on: connection)
            if let position = event.position { connection.told.positions.insert(position) }
        case .getState: settings.takeAll(event, on: connection)
        case .activity:
            if connection.activity == .background { connection.belief.goToBackground() }
        case .refresh, .bye, .read, .typing, .status, .privacy, .except, .unblock, .history, .list, .watch, .devices,
            .contact, .setProspect, .report, .listRequests, .getConversation, .answerRequest, .receipts, .ack,
            .makeInvite, .revokeInvite, .showInvite, .openInvite, .listInvites, .listContacts:
            break
        }
    }

    private func takeInvite(
        _ event: WireEvent, _ pending: SimulatedConnection.Pending, on connection: SimulatedConnection
    ) {
        let saidAt = pending.saidAt
        switch pending.kind {
        case .makeInvite(let group, let uses): invites.takeMade(event, group, uses, on: connection)
        case .revokeInvite(let index): invites.takeRevoked(index, saidAt: saidAt)
        case .showInvite(let index): invites.takeShown(event, index, saidAt: saidAt, on: connection)
        case .openInvite(let index):
            invites.takeOpened(event, index, isUse: pending.isUse, saidAt: saidAt, on: connection)
            if !event.isDuplicate, let position = event.position { note(position, toldTo: connection) }
        case .listInvites: invites.takeList(event, askedAt: saidAt, on: connection)
        case .listContacts: invites.takeContacts(event, askedAt: saidAt, on: connection)
        default: break
        }
    }

    private func takeWatched(_ event: WireEvent, _ peer: Int, askedAt: Int64, on connection: SimulatedConnection) {
        if connection.isUpToDate(at: world.time), ledger.share(connection.device.user.index, peer) {
            connection.belief.watching.insert(peer)
        }
        presence.take(event.json?["users"], askedAt: askedAt, on: connection)
    }

    /// A message got its answer, on a connection of its user or of a service.
    func takeSent(_ event: WireEvent, _ intent: SendIntent, by user: SimulatedUser, _ label: String) {
        guard let position = event.position, let sequence = event.sequence else {
            return world.fail("\(label) gets ok for a message without its place")
        }
        guard let stored = ledger.events[position], stored.kind == .message, stored.sender == user.index,
            stored.key == intent.key, stored.sequence == sequence
        else { return world.fail("\(label) gets ok for \(intent.key) at \(position), which isn't durable") }
        blocks.checkStored(stored)
        if ledger.conversations[stored.conversation].messages[Int(sequence) - 1].thread != intent.thread {
            world.fail("\(label) gets ok for \(intent.key), which is in another thread")
        }
        checkOwn(event, ledger.conversations[stored.conversation].messages[Int(sequence) - 1], label)
        world.tally.acked += 1
        if event.isDuplicate {
            world.tally.duplicates += 1
        } else if user.toldAsNew.updateValue(position, forKey: intent.key) != nil {
            world.fail("\(intent.key) is told twice as new")
        }
        var intent = intent
        intent.stored = (sequence, position)
        if let first = user.answered.first(where: { $0.key == intent.key })?.stored {
            if first != (sequence, position) {
                world.fail("\(intent.key) is told at \(first) and at \(sequence), \(position)")
            }
        } else {
            user.answered.append(intent)
        }
        user.unanswered.removeAll { $0.key == intent.key }
    }

    /// The `ok` contains what others get and the sender can't know: when the message disappears, and a forwarded
    /// original.
    private func checkOwn(_ event: WireEvent, _ message: Ledger.Message, _ label: String) {
        let expires = world.mistake == .lostExpiry ? nil : event.json?["expires"]?.integer
        if expires != message.expires {
            let (told, truth) = (expires ?? 0, message.expires ?? 0)
            world.fail("\(label) is told that \(message.key) disappears at \(told), not \(truth)")
        }
        // A duplicate may have been deleted since.
        guard event.isDuplicate || !message.isDeleted else { return }
        let isDeleted = event.json?["deletedAt"] != nil
        if isDeleted, !message.isDeleted { world.fail("\(label) is told that \(message.key) was deleted") }
        let origin = event.json?["origin"]?["from"]?.string
        guard !isDeleted, origin != nil || !event.isDuplicate else { return }
        if origin != message.origin.map({ people.users[$0].name }) {
            world.fail("\(label) is told that \(message.key) is by \(origin ?? "its sender")")
        }
        if origin != nil, event.body.map(message.bodies.contains) != true {
            world.fail("\(label) isn't told what \(message.key) forwards")
        }
    }

    /// Allowed codes for a repeated key: `gone` if the conversation was erased since, and `conflict` if the client used
    /// it for another command.
    private func codes(of key: String, _ user: SimulatedUser, isClash: Bool) -> Set<String> {
        guard let stored = ledger.keys[.init(sender: user.index, key: key)], let event = ledger.events[stored] else {
            return []
        }
        if ledger.conversations[event.conversation].isErased { return ["gone", "conflict"] }
        return isClash ? ["conflict"] : []
    }

    /// With what a message may be refused for good.
    /// - Parameter saidAt: when it was sent.
    func codes(refusing intent: SendIntent, of user: SimulatedUser, saidAt: Int64) -> Set<String> {
        let isInGroup = intent.conversation.map { ledger.conversations[$0].kind == .group } ?? false
        let mayHaveBlocked = !isInGroup && people.mayHaveBlocked(user, from: saidAt)
        let mayBeWaiting = requests.mayHaveWaited(user, in: intent.conversation, since: saidAt)
        return codes(refusing: intent, of: user).union(mayBeWaiting ? ["no_relationship"] : [])
            .union(mayHaveBlocked ? ["blocked"] : [])
            .union(ledger.hasWithheld(from: user.index) ? ["not_found"] : [])
            .union(intent.isToPeer && world.takesRequests ? ["too_large"] : [])
            .union(mayBeRestricted(intent.conversation) ? ["forbidden"] : [])
    }

    /// Whether members of the group may be banned or timed out, or only admins may write in it.
    private func mayBeRestricted(_ index: Int?) -> Bool {
        index.map { ledger.conversations[$0].moderation.wasAskedFor } ?? false
    }

    /// With what the gate refuses.
    private var gateCodes: Set<String> { world.hasGate ? ["no_relationship"] : [] }

    private func codes(refusing intent: SendIntent, of user: SimulatedUser) -> Set<String> {
        // Anybody may write to a person, and a key is known for ever.
        let codes = codes(of: intent.key, user, isClash: intent.isClash)
        let isSure = intent.isToPeer && !intent.isReply || !codes.isEmpty
        // Only some members may mention all.
        return (isSure ? codes : ["not_found"]).union(intent.members.contains("@all") ? ["forbidden"] : [])
            .union(intent.members.contains("\"forward\"") ? ["not_found", "gone"] : [])
            .union(threads.codes(refusing: intent))
            .union(intent.isToPeer ? gateCodes : [])
    }

    /// A reply contained this position, so the event itself needn't come. The device knows its own command.
    /// - Parameter isNew: whether it isn't the answer to a repeated command. The effect of that may have been changed
    ///   since.
    private func note(_ position: Int64, isNew: Bool = true, toldTo connection: SimulatedConnection) {
        connection.told.positions.insert(position)
        let device = connection.device
        device.received.insert(position)
        guard device.current === connection, let event = ledger.events[position] else { return }
        let joinedAt = ledger.conversations[event.conversation].members[device.user.index]?.joinedAt
        if event.kind == .message, let joinedAt, joinedAt <= connection.position {
            connection.told.messages.insert(position)
        }
        // Later changes of a repeated message still come, if its place does: not in a gap, and not if its user has left
        // since, or joined again. A device that went back may go on from where it had got to, so it doesn't rely on
        // that.
        let isLeftOut = connection.gaps[event.conversation]?.messages.contains { $0.range.contains(event.sequence) }
        let begin = max(connection.position, joinedAt ?? .max, connection.gaps[event.conversation]?.floor ?? 0)
        let comesYet = position > begin && isLeftOut != true && !device.isRereading
        guard isNew || event.kind == .message && comesYet else { return }
        let users = { (numbers: [UserNumber]) in numbers.compactMap { self.ledger.users[$0.value] } }
        device.memory.take(event, by: device.user.index, users: users)
    }

    private func takeError(_ event: WireEvent, _ kind: Kind, saidAt: Int64, on connection: SimulatedConnection) {
        let always: Set<String> = ["rate_limited", "unavailable", "token_expired", "busy"]
        guard let code = event.code else { return world.fail("\(connection.label) gets an error without code") }
        if always.contains(code) {
            if let id = event.json?["conversation"]?.string { checkWait(event, of: id, kind, on: connection) }
            let isStopping = world.isStopping
            if code == "token_expired", connection.isReady, world.isCalm || world.random.chance(50) {
                clients.answer(connection, "refresh", "\"token\":\"\(connection.device.user.name)\"", .refresh(0))
            }
            if code == "unavailable", !isStopping, !world.wasFull {
                world.fail("\(connection.label) gets unavailable from a relay that serves")
            }
            return
        }
        var allowed: Set<String>
        switch kind {
        case .hello: allowed = ["unauthorized", "too_large", "not_ready"]
        case .send(let intent):
            allowed = codes(refusing: intent, of: connection.device.user, saidAt: saidAt)
            connection.device.user.unanswered.removeAll { $0.key == intent.key }
        case .change: allowed = ["not_found", "gone", "forbidden", "bad_request", "too_large", "conflict"]
        case .create: allowed = gateCodes.union(["too_large", "gone", "conflict"])
        case .contact: allowed = ["not_found", "conflict", "too_large"]
        case .setProspect: allowed = ["too_large"]
        case .report: allowed = []
        // Checks that don't depend on whether the user exists come first.
        case .mistype: allowed = gateCodes.union(["not_found", "too_large", "forbidden", "conflict"])
        case .sendToDeleted: allowed = ["gone"]
        case .ack: allowed = []
        case .read: allowed = ["not_found"]
        case .typing(let conversation, _, let isActive):
            allowed = isActive && mayBeRestricted(conversation) ? ["not_found", "forbidden"] : ["not_found"]
        case .members, .history, .receipts: allowed = ["not_found"]
        case .leave: allowed = ["not_found", "gone", "conflict"]
        case .watch: allowed = gateCodes.union(["forbidden", "too_large"])
        case .watchCount(let conversation):
            allowed = ["not_found", "too_large"]
            if ledger.conversations[conversation].request != nil { allowed.insert("no_relationship") }
        case .answerRequest(let conversation, _):
            let isVeiled = ledger.conversations[conversation].hasWithheld(from: connection.device.user.index)
            allowed =
                isVeiled || requests.mayConflict(conversation, connection.device.user) ? ["not_found", "conflict"] : []
        case .getConversation: allowed = ["not_found"]
        case .makeInvite(let group, _):
            allowed = group == nil ? ["too_large"] : ["too_large", "not_found", "forbidden"]
        case .openInvite(let index), .showInvite(let index):
            allowed = invites.codes(refusing: index, by: connection.device.user, saidAt: saidAt)
        case .setState: allowed = ["conflict"]
        case .getState: allowed = []
        case .refresh: allowed = ["conflict", "forbidden"]
        case .setProfile: allowed = ["username_taken"]
        case .except(let other, _): allowed = isBlocked(other, by: connection) ? ["conflict"] : []
        case .activity, .status, .privacy, .unblock, .unwatch, .unwatchCount, .bye, .list, .listRequests, .devices,
            .getUsers, .findUsers, .revokeInvite, .listInvites, .listContacts:
            allowed = []
        case .other:
            allowed = gateCodes.union(["not_found", "forbidden", "conflict", "too_large", "bad_request", "gone"])
        }
        let user = connection.device.user
        switch kind {
        case .change where requests.mayHaveWaited(user, in: nil, since: saidAt):
            allowed.formUnion(["no_relationship"] + (people.mayHaveBlocked(user, from: saidAt) ? ["blocked"] : []))
        case .change, .create, .typing, .contact, .other, .answerRequest, .openInvite:
            if people.mayHaveBlocked(user, from: saidAt) { allowed.insert("blocked") }
        default: break
        }
        if !allowed.contains(code) { world.fail("\(connection.label) gets \(code) for \(kind)") }
    }

    /// Only messages wait because of slow mode, and never longer than the longest that was asked for.
    private func checkWait(_ event: WireEvent, of id: String, _ kind: Kind, on connection: SimulatedConnection) {
        let group = ledger.conversation(id)
        let most = group?.moderation.slowAskedFor ?? 0
        guard case .send(let intent) = kind, event.code == "rate_limited", intent.conversation == group?.index,
            let wait = event.json?["retryAfter"]?.integer, (1...max(1, most)).contains(wait), most > 0
        else { return world.fail("\(connection.label) is told to wait in \(id) for \(kind), where it needn't") }
    }

    private func isBlocked(_ other: Int, by connection: SimulatedConnection) -> Bool {
        people.mayHaveBlocked(connection.device.user.index, other, from: connection.belief.begunAt)
    }

    // MARK: welcome

    private func takeWelcome(_ event: WireEvent, resume: Int64?, on connection: SimulatedConnection) {
        let device = connection.device
        guard let position = event.position else {
            return world.fail("\(connection.label) gets welcome without position")
        }
        connection.isWelcome = true
        connection.belief.badge = event.json?["badge"]?.integer
        presence.takeOwn(event.json?["status"], on: connection)
        if world.random.chance(20) { clients.answer(connection, "devices", "", .devices) }
        // Early, when few have met.
        if !world.isCalm { profiles.begin(on: connection, clients) }
        connection.awaited.live = true
        connection.position = position
        let isForgotten = resume == nil && event.json?["new"]?.bool == true
        if isForgotten, device.current === connection {
            // It was forgotten, so it begins anew.
            device.base = nil
            device.memory = DeviceMemory()
            device.settings.reset()
            device.processed = position
        }
        settings.complete(connection)
        if resume ?? position < device.highestAck { device.hasGoneBack = true }
        connection.place = ledger.place(in: device.user.index, above: position)
        if let resume, position != resume {
            world.fail("\(connection.label) resumed at \(resume) and is at \(position)")
        }
        if resume == nil, !device.hasGoneBack, !people.isCrowded(device.user),
            let cursor = ledger.cursor(of: device.user.index, device.name)
        {
            // Events below a stored cursor don't come again.
            if position < cursor { world.fail("\(connection.label) begins at \(position), and \(cursor) is stored") }
        }
        let feed = ledger.feeds[device.user.index]
        // It has given way to another connection, which begins anew.
        if isForgotten, device.current !== connection { return }
        // A device replaced by another connection begins anew.
        if let base = device.base, !people.isCrowded(device.user) {
            for entry in feed[..<connection.place] where entry.position > base {
                guard !device.received.contains(entry.position) else { continue }
                guard !ledger.isExcused(entry, device, gaps: device.gaps, told: []) else { continue }
                world.fail("\(connection.label) begins at \(position) and never got \(entry.position)")
                break
            }
        } else {
            device.base = position
            checkBeginning(position, of: device, connection)
        }
    }

    /// Fails if a new device begins behind an event that no device of its user got.
    private func checkBeginning(_ position: Int64, of device: SimulatedDevice, _ connection: SimulatedConnection) {
        let feed = ledger.feeds[device.user.index]
        let others = device.user.devices
        for entry in feed[..<connection.place] {
            let isKnown = others.contains {
                $0.received.contains(entry.position) || $0.base ?? 0 >= entry.position
                    || ledger.isExcused(entry, $0, gaps: $0.gaps, told: [])
            }
            if !isKnown {
                return world.fail("\(connection.label) is new, begins at \(position), and nobody got \(entry.position)")
            }
        }
    }

    private func noteAcked(_ position: Int64, saidAt: Int64, by connection: SimulatedConnection) {
        guard !connection.told.positions.contains(position), position > connection.acked else { return }
        connection.acked = position
        let user = connection.device.user
        // Acks of an invisible user aren't recorded: the next ack raises the watermark past it.
        let isRecorded = people.visibleSince[user.index] ?? 0 < saidAt - World.lateness
        if !isRecorded { connection.unackedEvents.removeAll { $0 <= position } }
        for entry in connection.unackedEvents where entry <= position {
            guard let event = ledger.events[entry], event.kind == .message,
                event.sequence > ledger.conversations[event.conversation].members[user.index]?.joinedAfter ?? 0
            else { continue }
            user.delivered[event.conversation] = max(user.delivered[event.conversation] ?? 0, event.sequence)
        }
        connection.unackedEvents.removeAll { $0 <= position - 200 }
    }

    // MARK: Answers to queries

    private func takeList(_ event: WireEvent, askedAt: Int64, on connection: SimulatedConnection) {
        profiles.takeAll(event.json?["people"], on: connection)
        for object in event.json?["conversations"]?.elements ?? [] {
            guard let conversation = object["conversation"]?.string.flatMap(ledger.conversation),
                let sequence = object["sequence"]?.integer, let unread = object["unread"]?.integer,
                let read = object["read"]?.integer, let count = object["count"]?.integer
            else {
                world.fail("\(connection.label) gets a conversation that can't be")
                continue
            }
            if let message = object["message"], let sequence = message["sequence"]?.integer {
                blocks.take(message, of: sequence, in: conversation, askedAt: askedAt, on: connection)
            }
            if unread > conversation.written(forUser: connection.device.user.index, above: read) {
                world.fail("\(connection.label) is told of more unread in \(conversation.id) than others wrote")
            }
            let mentions = [object["mentions"]?.integer ?? 0, object["firstMention"]?.integer ?? 0]
            connection.belief.objects[conversation.index] = .init(
                unread: unread, read: read, count: count, sequence: sequence, mentions: mentions,
                pins: object["pins"]?.elements?.compactMap(\.integer) ?? [],
                isForAnnouncements: object["posting"]?.string == "admins", slow: object["slow"]?.integer ?? 0,
                asks: object["joining"]?.string == "ask", waiting: object["waiting"]?.integer ?? 0,
                timeout: object["timeout"]?["until"]?.integer ?? 0)
        }
    }

    /// Once nothing changes any more, history has to show the present state of a message.
    private func checkPresent(
        _ shown: JSONValue, _ truth: Ledger.Message, in conversation: ConversationTruth,
        on connection: SimulatedConnection
    ) {
        guard !BlockCheck.isHidden(shown) else { return }
        let body = truth.isDeleted ? nil : truth.bodies.last
        if shown["body"]?.raw != body || (shown["deletedAt"] != nil) != truth.isDeleted {
            world.fail("\(connection.label) is shown another body of \(truth.key)")
        }
        let origin = truth.isDeleted ? nil : truth.origin.map { people.users[$0].name }
        if shown["origin"]?["from"]?.string != origin {
            world.fail("\(connection.label) is shown that \(truth.key) isn't by \(origin ?? "its sender")")
        }
        if (shown["editedAt"] != nil) != (truth.bodies.count > 1 && !truth.isDeleted) {
            world.fail("\(connection.label) is shown wrongly whether \(truth.key) was edited")
        }
        if !truth.isDeleted, shown["version"]?.integer ?? 1 != truth.bodies.count {
            world.fail("\(connection.label) is shown another version of \(truth.key) than \(truth.bodies.count)")
        }
        let counts = shown["reactions"]?.elements ?? []
        let total = counts.reduce(0) { $0 + ($1["count"]?.integer ?? 0) }
        let own = counts.filter { $0["mine"]?.bool == true }.count
        let user = connection.device.user.index
        // Reactions of users blocked now, or in a direct conversation at that time, don't count.
        let counted = truth.reactions.filter {
            conversation.kind == .direct
                ? $0.user == user || !truth.withheldReactions.contains($0) : !people.hasBlocked(user, $0.user)
        }
        if total != counted.count || own != counted.filter({ $0.user == user }).count {
            world.fail("\(connection.label) is shown \(total) reactions to \(truth.key), \(own) its own")
        }
    }

    private func takeHistory(
        _ event: WireEvent, _ index: Int, _ thread: Int64?, askedAt: Int64, on connection: SimulatedConnection
    ) {
        let conversation = ledger.conversations[index]
        if let thread { threads.take(event.json, of: thread, in: conversation, askedAt: askedAt, on: connection) }
        var last: Int64?
        for message in event.json?["messages"]?.elements ?? [] {
            guard let sequence = message["sequence"]?.integer, sequence >= 1, sequence <= conversation.messages.count,
                message["key"]?.string == key(of: conversation.messages[Int(sequence) - 1], for: connection)
            else { return world.fail("\(connection.label) gets a history that isn't the log's") }
            if thread == nil, let last, sequence != last + 1 {
                world.fail("\(connection.label) gets a history with a hole")
            }
            blocks.take(message, of: sequence, in: conversation, askedAt: askedAt, on: connection)
            if askedAt >= world.restAt {
                checkPresent(
                    message, conversation.messages[Int(sequence) - 1], in: conversation, on: connection)
            }
            threads.take(message, sequence, in: conversation, askedAt: askedAt, on: connection)
            last = sequence
        }
    }

    /// Only the author gets the key.
    private func key(of message: Ledger.Message, for connection: SimulatedConnection) -> String? {
        message.sender == connection.device.user.index ? message.key : nil
    }
}
