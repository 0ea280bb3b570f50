import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// The models of RoostWire read what the relay writes: every event and every member. A member counts as read if some
/// model changes when its value does.
@Suite struct WireModelTests {
    /// Everything that can be read from one frame.
    private struct Models: Equatable {
        var event: Event?
        var stored: StoredMessage?
        var history: HistoryPage?
        var list: ConversationPage?
        var created: CreatedConversation?
        var members: MemberList?
        var pins: PinPage?
        var bans: BanPage?
        var users: [UserPresence]
        var devices: [OwnDevice]
        var counts: [OnlineCount]
        var privacy: OwnPrivacy?
        var profiles: ProfilePage?
        var named: [UserProfile]
        var contact: Contact?
        var contacts: ContactPage?
        var prospect: Prospect?
        var prospects: ProspectPage?
        var invite: Invite?
        var invites: [Invite]
        var invitation: Invitation?
        var opened: OpenedInvitation?
        var joins: [JoinRequest]
        var awaited: [AwaitedGroup]
        var people: PeoplePage?
        var person: PersonDetail?
        var whereabouts: Whereabouts?
        var statistics: KeptStatistics?
        var feed: FeedPage?
        var erasure: ErasurePage?
        var state: StoredState?
        var states: StatePage?
        var receipts: ReceiptPage?
        var reports: ReportPage?
        var reported: ShownReport?
        var found: FoundPage?

        init(_ members: JSONMembers) {
            event = Event(reading: members)
            guard case .ok = event else {
                users = []
                invites = []
                joins = []
                awaited = []
                named = []
                devices = []
                counts = []
                return
            }
            stored = StoredMessage(reading: members)
            history = HistoryPage(reading: members)
            list = ConversationPage(reading: members)
            created = CreatedConversation(reading: members)
            self.members = MemberList(reading: members)
            pins = PinPage(reading: members)
            bans = BanPage(reading: members)
            users = UserPresence.list(reading: members)
            devices = OwnDevice.list(reading: members)
            counts = OnlineCount.list(reading: members)
            privacy = OwnPrivacy(reading: members)
            profiles = ProfilePage(reading: members)
            named = UserProfile.people(reading: members)
            contact = members.object("contact").flatMap(Contact.init(reading:))
            contacts = ContactPage(reading: members)
            prospect = members.object("prospect").flatMap(Prospect.init(reading:))
            prospects = ProspectPage(reading: members)
            invite = members.object("invite").flatMap(Invite.init(reading:))
            invites = members.objects("invites")?.compactMap(Invite.init(reading:)) ?? []
            invitation = Invitation(reading: members)
            opened = OpenedInvitation(reading: members)
            joins = members.objects("joins")?.compactMap(JoinRequest.init(reading:)) ?? []
            awaited = members.objects("joins")?.compactMap(AwaitedGroup.init(reading:)) ?? []
            people = PeoplePage(reading: members)
            person = PersonDetail(reading: members)
            whereabouts = Whereabouts(reading: members)
            statistics = KeptStatistics(reading: members)
            feed = FeedPage(reading: members)
            erasure = ErasurePage(reading: members)
            state = StoredState(reading: members)
            states = StatePage(reading: members)
            receipts = ReceiptPage(reading: members)
            reports = ReportPage(reading: members)
            reported = ShownReport(reading: members)
            found = FoundPage(reading: members)
        }

        init?(_ text: String) {
            guard let value = JSONValue(parsing: text) else { return nil }
            self.init(JSONMembers(value))
        }
    }

    @Test func theModelsReadEveryMemberThatTheRelayWrites() {
        for frame in WireScenario().frames {
            let text = String(decoding: frame.raw, as: UTF8.self)
            guard let models = Models(text), models.event != nil else {
                Issue.record("not read: \(text)")
                continue
            }
            for (path, changed) in frame.changes() {
                let read = Models(changed)
                #expect(read != nil && read != models, "\(path) is not read: \(text)")
            }
        }
    }

    @Test func theRelayWritesEveryDocumentedMemberAndNoOther() {
        var written: [String: Set<String>] = [:]
        for frame in WireScenario().frames { frame.collectMembers(of: frame.text("type") ?? "", into: &written) }
        for (object, members) in wireMembers {
            let documented = Set(members.split(separator: " ").map(String.init))
            let seen = written[object] ?? []
            #expect(seen == documented, "\(object): \(seen.symmetricDifference(documented).sorted())")
        }
        #expect(Set(written.keys) == Set(wireMembers.keys))
    }

    @Test func everyEventTypeHasItsMembersInTheList() {
        for type in EventType.allCases { #expect(wireMembers[type.rawValue] != nil, "\(type)") }
    }

    @Test func readsTheLimitsThatTheRelayHas() throws {
        let limits = Limits.with {
            $0.frameBytes = 1_001
            $0.historyDefault = 7
            $0.typingMilliseconds = 5_000
            $0.graceMilliseconds = 6_000
            $0.commandsPerSecond = 90
        }
        let alice = RelayHarness(limits: limits).connect("alice")
        let welcome = try #require(alice.frames("welcome").first.flatMap { Welcome(reading: JSONMembers($0)) })
        #expect(welcome.limits == ServerLimits(limits))
        #expect(welcome.limits.grace == .seconds(6))
        #expect(welcome.isUpToDate)
    }
}

/// A relay that says everything it can say.
private struct WireScenario {
    var frames: [JSONValue] { relay.clients.flatMap(\.frames) }

    private let relay = RelayHarness(
        limits: .with {
            $0.backlogMax = 6
            $0.typersPerConversation = 1
            $0.pageMessages = 3
            $0.presencePerSecond = 10
            $0.presenceAtOnce = 0
            $0.findLooks = 6
            $0.windowBytes = 0
        })

    init() {
        let alice = relay.connect("alice")
        let tablet = relay.connect("alice", "tablet")
        let carol = relay.connect("carol")
        let group = alice.makeGroup("bob", "carol")
        sayEverything(from: alice, in: group)
        _ = tablet.request("watch", ["users": ["carol", "bob"], "conversations": .list([group])])
        carol.post("own-news", to: group)
        changeMembers(alice, carol, in: group)
        refuse(alice, in: group)
        // Bob has missed all of it, more than is sent by itself. Dave got what was before he joined.
        let bob = relay.connect("bob")
        bob.ackAll()
        bob.tell("read", ["conversation": "\(group)", "sequence": 3])
        _ = bob.request("unread", ["conversation": "\(group)", "sequence": 2])
        _ = bob.request("conversation.get", ["conversation": "\(group)"])
        relay.pause()
        askForEverything(alice, in: group)
        askForDamaged(alice, in: group)
        eraseWhileAway(alice)
        hide(alice)
        typeInAThread(alice)
        changeSettings(alice)
        makeContacts(alice)
        askStrangers(alice)
        changeQuickly()
        callThem(alice, carol)
        _ = carol.request("status", ["state": "busy", "text": "In a meeting", "after": 3_600_000])
        let fetch = relay.connect("carol", "tablet", background: true)
        relay.pause()
        fetch.drop()
        _ = carol.request("devices")
        carol.tell("bye")
        relay.pause()
        let operators = WireOperators(relay)
        operators.lookAround(alice, at: group)
        _ = tablet.request("watch", ["users": ["carol"]])
        relay.relay.beginDrain(spreadMilliseconds: 1_000, at: relay.now)
        relay.settle()
    }

    private func sayEverything(from alice: HarnessClient, in group: String) {
        alice.post("one", to: group)
        _ = alice.request(
            "send",
            [
                "to": "\(group)", "key": "k2", "kind": "image", "body": Value(json: #"{"a":[1]}"#), "replyTo": 1,
                "mentions": ["bob"],
            ])
        alice.post("three", to: group)
        _ = alice.request("edit", ["conversation": "\(group)", "sequence": 2, "body": ["new"], "mentions": ["bob"]])
        _ = alice.request("react", ["conversation": "\(group)", "sequence": 1, "reaction": "+"])
        _ = alice.request("react", ["conversation": "\(group)", "sequence": 3, "reaction": "+"])
        _ = alice.request("react", ["conversation": "\(group)", "sequence": 3, "reaction": "+", "remove": true])
        _ = alice.request("delete", ["conversation": "\(group)", "sequence": 3, "reason": "spam"])
        alice.post("one", to: group)
        alice.tell("signal", ["to": "\(group)", "kind": "cursor", "body": 1])
        alice.tell("read", ["conversation": "\(group)", "sequence": 1])
        relay.pause()
        for text in 4...8 { alice.post("\(text)", to: group) }
        _ = alice.request("conversation.expiry", ["conversation": "\(group)", "after": 86_400_000])
        for sequence: Int64 in 1...2 {
            _ = alice.request(
                "conversation.pin", ["conversation": "\(group)", "sequence": .init(integerLiteral: sequence)])
        }
        _ = alice.request("conversation.pins", ["conversation": "\(group)", "limit": 1])
        _ = alice.request("conversation.unpin", ["conversation": "\(group)", "sequence": 2])
        let source = Value(json: #"{"conversation":"\#(group)","sequence":1}"#)
        _ = alice.request("send", ["to": "\(group)", "key": "k8", "forward": source])
        _ = alice.request("send", ["to": "\(group)", "key": "k10", "body": "10", "thread": 1, "read": false])
        _ = alice.request("history", ["conversation": "\(group)", "before": 2, "limit": 1, "events": true])
        _ = alice.request("send", ["to": "\(group)", "key": "k9", "body": "9", "mentions": ["bob"]])
        let image = alice.request("send", ["to": "\(group)", "key": "k11", "kind": "image", "body": 1])
        let sequence = Value(integerLiteral: image?.number("sequence") ?? 0)
        let other = Value(json: #"{"conversation":"\#(group)","sequence":\#(sequence.json)}"#)
        let sent = alice.request("send", ["to": "\(group)", "key": "k12", "forward": other])
        _ = alice.request(
            "delete", ["conversation": "\(group)", "sequence": .init(integerLiteral: sent?.number("sequence") ?? 0)])
        _ = alice.request("send", ["to": "\(group)", "key": "k12", "forward": other])
    }

    private func changeMembers(_ alice: HarnessClient, _ carol: HarnessClient, in group: String) {
        _ = alice.request("conversation.rename", ["conversation": "\(group)", "name": "The Crew"])
        _ = alice.request(
            "conversation.describe", ["conversation": "\(group)", "photo": "p/1", "description": "Who sails"])
        _ = relay.connect("dave")
        _ = alice.request("conversation.add", ["conversation": "\(group)", "users": ["dave"]])
        _ = alice.request("conversation.remove", ["conversation": "\(group)", "users": ["dave"]])
        moderate(alice, in: alice.makeGroup("carol", "dave", "bob"))
        let other = alice.makeGroup("carol")
        _ = alice.request("conversation.role", ["conversation": "\(other)", "user": "carol", "role": "admin"])
        _ = alice.request("conversation.leave", ["conversation": "\(other)"])
        _ = alice.makeDirect("bob")
    }

    private func moderate(_ alice: HarnessClient, in group: String) {
        _ = alice.request("conversation.role", ["conversation": "\(group)", "user": "bob", "role": "owner"])
        let owner = relay.connect("bob")
        let of: [(String, Members)] = [
            ("timeout", ["conversation": "\(group)", "user": "alice", "after": 60_000, "reason": "spam"]),
            ("posting", ["conversation": "\(group)", "posting": "admins"]),
            ("slow", ["conversation": "\(group)", "after": 30_000]),
            ("joining", ["conversation": "\(group)", "joining": "ask"]),
            ("ban", ["conversation": "\(group)", "user": "dave", "reason": "spam"]),
            ("unban", ["conversation": "\(group)", "user": "dave"]),
            ("ban", ["conversation": "\(group)", "user": "dave", "reason": "spam"]),
            ("ban", ["conversation": "\(group)", "user": "carol", "reason": "other"]),
        ]
        for (verb, members) in of { _ = owner.request("conversation.\(verb)", members) }
        _ = alice.request("conversation.get", ["conversation": "\(group)"])
        _ = alice.request("conversation.members", ["conversation": "\(group)"])
        _ = owner.request("conversation.timeout", ["conversation": "\(group)", "user": "alice", "after": 0])
        _ = alice.request("conversation.bans", ["conversation": "\(group)", "limit": 1])
        // A member who has to wait.
        _ = owner.request("conversation.posting", ["conversation": "\(group)", "posting": "all"])
        _ = owner.request("conversation.role", ["conversation": "\(group)", "user": "alice", "role": "member"])
        for key in ["slow-1", "slow-2"] { alice.post(key, to: group) }
    }

    private func refuse(_ alice: HarnessClient, in group: String) {
        _ = alice.request("send", ["to": "\(group)", "body": "no key"])
        relay.holdsReads = true
        for id in 1...6 { alice.start("history", ["conversation": "\(group)"], id: id) }
        relay.settle()
        relay.holdsReads = false
        relay.settle()
    }

    private func askForEverything(_ alice: HarnessClient, in group: String) {
        _ = alice.request("ping")
        _ = alice.request("refresh", ["token": "alice+60000"])
        _ = alice.request("conversation.list", ["limit": 1])
        _ = alice.request("conversation.list")
        _ = alice.request("conversation.members", ["conversation": "\(group)", "sequence": 2])
        _ = alice.request("receipts", ["conversation": "\(group)", "sequence": 2, "limit": 2])
        _ = alice.request("receipts", ["conversation": "\(group)", "sequence": 2])
        _ = alice.request("history", ["conversation": "\(group)", "limit": 3, "after": 0])
        _ = alice.request("history", ["conversation": "\(group)"])
    }

    /// The store can't read the first message of a page.
    private func askForDamaged(_ alice: HarnessClient, in group: String) {
        relay.holdsReads = true
        alice.start("history", ["conversation": "\(group)"])
        relay.settle()
        for read in relay.heldReads {
            var result = relay.log.answer(read)
            let lost = result.events.removeFirst()
            result.gaps.append(Gap(lost.conversation, from: lost.sequence, to: lost.sequence))
            relay.relay.answered(result, at: relay.now)
        }
        relay.holdsReads = false
        relay.settle()
    }

    /// The second change is sent later than usual.
    private func changeQuickly() {
        let (henry, irene) = (relay.connect("henry"), relay.connect("irene"))
        _ = henry.makeDirect("irene")
        for state in ["away", "busy", "auto"] {
            _ = irene.request("status", ["state": "\(state)"])
            relay.advance(60)
        }
        relay.advance(3_000)
        _ = irene.request("except", ["users": ["frank"], "as": "never"])
        _ = irene.request("privacy", ["lastSeen": "coarse"])
        _ = irene.request("status", ["text": "x"])
        irene.tell("bye")
        relay.pause()
        relay.connect("jack").tell("bye")
        relay.advance(200)
        let group = henry.makeGroup("irene", "jack")
        _ = henry.request("conversation.members", ["conversation": "\(group)", "presence": true])
    }

    private func callThem(_ alice: HarnessClient, _ carol: HarnessClient) {
        let service = relay.open()
        service.send(#"{"type":"hello","id":0,"token":"service:mill","operator":true}"#)
        _ = carol.request(
            "profile.set", ["name": "Carol C", "username": "carol", "photo": "photos/1", "bio": "Hello."])
        _ = service.request("admin.profile", ["user": "carol", "role": "trainer", "tier": "gold"])
        _ = service.request("admin.profile", ["user": "bob", "name": "Carl"])
        _ = service.request("admin.profile", ["user": "frank", "deleted": true, "ifVersion": 0])
        _ = alice.makeDirect("carol")
        _ = service.request("admin.profile", ["user": "bob", "deleted": true])
        relay.pause()
        _ = alice.request("user.get", ["users": ["carol", "bob", "nobody"]])
        _ = alice.request("user.find", ["prefix": "ca", "limit": 1])
        _ = service.request("admin.profile", ["user": "eve", "name": "Caesar"])
        _ = alice.request("user.find", ["prefix": "ca", "limit": 1])
        _ = alice.request("conversation.list")
    }

    private func makeContacts(_ alice: HarnessClient) {
        _ = relay.connect("alice", "watch")
        for user in ["kim", "lea"] { _ = alice.request("contact.invite", ["user": "\(user)", "label": "from work"]) }
        _ = alice.request("contact.list", ["limit": 1])
        _ = alice.request("contact.remove", ["user": "kim"])
        for name in ["Mo", "Nia"] { _ = alice.request("prospect.set", ["name": "\(name)", "note": "called"]) }
        _ = alice.request("prospect.list", ["limit": 1])
        _ = alice.request("profile.set", ["name": "Alice"])
        let group = alice.makeGroup("kim", name: "Link")
        let code = alice.request("invite.create", ["conversation": "\(group)"])?["invite"]?.text("code") ?? ""
        _ = alice.request("invite.create", ["uses": 2])
        _ = alice.request("invite.list")
        let watch = relay.connect("alice", "watch")
        _ = watch.request("invite.show", ["code": "\(code)"])
        _ = watch.request("conversation.joining", ["conversation": "\(group)", "joining": "ask"])
        let joiner = relay.connect("joiner")
        _ = joiner.request("profile.set", ["name": "Joiner"])
        _ = joiner.request("invite.open", ["code": "\(code)"])
        _ = joiner.request("join.list")
        _ = watch.request("join.list", ["conversation": "\(group)"])
        _ = watch.request("conversation.get", ["conversation": "\(group)"])
    }

    /// A stranger's message waits.
    private func askStrangers(_ alice: HarnessClient) {
        let gate = relay.relay.rules.gate
        relay.relay.rules.gate = GateRules(.on)
        relay.relay.rules.gate.takesRequests = true
        let sent = relay.connect("stranger").post("hello", to: "@alice")?.text("conversation") ?? ""
        _ = alice.request("conversation.list", ["requests": true])
        _ = alice.request("request.drop", ["conversation": "\(sent)"])
        _ = alice.request("request.accept", ["conversation": "\(sent)"])
        relay.relay.rules.gate = gate
    }

    private func typeInAThread(_ alice: HarnessClient) {
        // Alice has blocked a user, so she gets none of the names.
        let others = ["frank", "grace", "heidi"].map { relay.connect($0) }
        let group = alice.makeGroup("frank", "grace", "heidi")
        alice.post("thread", to: group)
        alice.tell("typing", ["to": "\(group)", "replyTo": 1])
        for other in others { other.tell("typing", ["to": "\(group)"]) }
        relay.advance(200)
    }

    /// Alice's other device gets them, and one that was away gets the forgotten removals.
    private func changeSettings(_ alice: HarnessClient) {
        relay.log.settingsPerUser = 1
        let desk = relay.connect("alice", "desk")
        desk.ackAll()
        desk.drop()
        _ = alice.request("state.set", ["key": "a", "value": ["x"]])
        _ = alice.request("state.set", ["key": "a", "value": ["x"]])
        _ = alice.request("state.get")
        for key in ["a", "b"] {
            _ = alice.request("state.set", ["key": "\(key)", "value": 1])
            _ = alice.request("state.set", ["key": "\(key)"])
        }
        _ = relay.connect("alice", "desk")
        relay.log.settingsPerUser = 1_000
        for key in ["a", "b"] { _ = alice.request("state.set", ["key": "\(key)", "value": 1]) }
        _ = alice.request("state.get", ["limit": 1])
    }

    /// Acts of a user with a block only come as placeholders.
    private func hide(_ alice: HarnessClient) {
        let mallory = relay.connect("mallory")
        let group = alice.makeGroup("mallory")
        _ = alice.request("contact.block", ["users": ["mallory"]])
        mallory.post("unseen", to: group)
        _ = mallory.request("edit", ["conversation": "\(group)", "sequence": 1, "body": "edited"])
        _ = mallory.request("react", ["conversation": "\(group)", "sequence": 1, "reaction": "+"])
        _ = mallory.request("delete", ["conversation": "\(group)", "sequence": 1])
    }

    /// A device that was away gets the edit of a message that has been deleted since.
    private func eraseWhileAway(_ alice: HarnessClient) {
        let eve = relay.connect("eve")
        let group = alice.makeGroup("eve")
        alice.post("soon-gone", to: group)
        eve.ackAll()
        relay.pause()
        eve.drop()
        _ = alice.request("edit", ["conversation": "\(group)", "sequence": 1, "body": "edited"])
        _ = alice.request("delete", ["conversation": "\(group)", "sequence": 1])
        _ = relay.connect("eve")
    }
}

extension JSONValue {
    /// The value with one change each: every number, text, flag and array in it, with its path.
    fileprivate func changes() -> [(path: String, json: String)] {
        let raw = String(decoding: self.raw, as: UTF8.self)
        switch kind {
        case .null: return []
        case .bool: return [("", raw == "true" ? "false" : "true")]
        case .number: return [("", "\((integer ?? 0) + 1)")]
        case .string: return [("", raw.dropLast() + "x\"")]
        case .array:
            let elements = elements ?? []
            return elements.indices.flatMap { index in
                elements[index].changes().map { change in
                    var parts = elements.map { String(decoding: $0.raw, as: UTF8.self) }
                    parts[index] = change.json
                    return ("[\(index)]" + change.path, "[" + parts.joined(separator: ",") + "]")
                }
            }
        case .object:
            let members = members ?? []
            return members.indices.flatMap { index in
                members[index].value.changes().map { change in
                    var parts = members.map { "\"\($0.name)\":" + String(decoding: $0.value.raw, as: UTF8.self) }
                    parts[index] = "\"\(members[index].name)\":" + change.json
                    return (".\(members[index].name)" + change.path, "{" + parts.joined(separator: ",") + "}")
                }
            }
        }
    }

    /// Adds the names of its members to those of its kind of object, and so on for the objects in it.
    fileprivate func collectMembers(of object: String, into written: inout [String: Set<String>]) {
        for (name, value) in members ?? [] where name != "type" {
            written[object, default: []].insert(name)
            let inner: String? =
                switch name {
                case "people" where ["reports", "reported", "found"].contains(object): "personNamed"
                case "people" where value.kind == .array: "personShown"
                case "profile", "profiles": "userProfile"
                case "people", "person", "whereabouts", "feed", "erasure", "reports", "reported", "found": name
                case "names": "personNamed"
                case "groups": "groupFound"
                case "links": "linkFound"
                case "list": "report"
                case "report" where value.kind == .object: "report"
                case "pins": "pin"
                case "bans": "ban"
                case "timeout": "timeout"
                case "origin": name
                case "events": "feedEvent"
                case "statistics": "keptStatistics"
                case "history": "statistics"
                case "users" where object == "people": "herePerson"
                case "devices" where object == "person": "personDevice"
                case "members" where object == "whereabouts": "recipient"
                case "devices" where object == "recipient": "recipientDevice"
                case "stored", "acked", "presence", "commit", "turn": "timing"
                case "conversations" where value.elements?.first?["online"] != nil: "onlineCount"
                case "conversation", "conversations": "conversationObject"
                case "message", "messages": "message"
                case "members": "member"
                case "gaps": "sequenceRange"
                case "reactions": "reactionCount"
                case "replies": "threadSummary"
                case "users": "userPresence"
                case "states": "setting"
                case "receipts": "messageReceipt"
                case "limits": "limits"
                case "status": "ownStatus"
                case "devices": "ownDevice"
                case "privacy": "ownPrivacy"
                case "exceptions": "exception"
                case "contact", "contacts": "ownContact"
                case "prospect", "prospects": "prospect"
                case "invite", "invites": "invite"
                case "invitation": "invitation"
                case "joins": "joinRequest"
                case "ended": "ended"
                default: nil
                }
            guard let inner else { continue }
            for one in [value] + (value.elements ?? []) where one.kind == .object {
                one.collectMembers(of: inner, into: &written)
            }
        }
    }
}
