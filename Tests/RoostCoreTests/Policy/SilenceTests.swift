import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// A block looks like silence: the blocked user gets the same answers and events in each world, whatever it tries, and
/// the blocker gets nothing of it, then or later.
@Suite struct SilenceTests {
    /// The receiver's settings for the sender.
    enum World: CaseIterable, CustomTestStringConvertible {
        /// It shows the sender nothing, and hasn't blocked it.
        case hides
        case blocks

        var testDescription: String { "\(self)" }
    }

    /// Answers and events as texts, in which ids, positions and times are replaced by what they are.
    private static func plain(_ frames: [JSONValue]) -> [String] {
        frames.map { frame in
            plain(frame)
                .replacing(/"(position|conversation|next|live)":"[^"]*"/) { "\"\($0.output.1)\":\"…\"" }
                .replacing(/"(time|since|createdAt|deliveredAt|readAt|editedAt|deletedAt|version)":\d+/) {
                    "\"\($0.output.1)\":0"
                }
        }
    }

    private static func plain(_ frame: JSONValue) -> String { String(decoding: frame.raw, as: UTF8.self) }

    /// Everything that a user can try with another one, or with their direct conversation.
    private static let commands: [(type: String, members: Members)] = [
        ("conversation.create", ["kind": "direct", "members": ["vic"]]),
        ("conversation.get", ["conversation": "@vic"]),
        ("send", ["to": "@vic", "key": "k1", "body": "one"]),
        ("send", ["to": "@vic", "key": "k1", "body": "one"]),
        ("send", ["to": "@vic", "key": "k2", "body": "two", "replyTo": 1]),
        ("send", ["to": "@vic", "key": "k3", "body": "three", "thread": 1]),
        ("send", ["to": "@vic", "key": "k4", "forward": Value(json: #"{"conversation":"@vic","sequence":1}"#)]),
        ("edit", ["conversation": "@vic", "sequence": 1, "body": "uno"]),
        ("edit", ["conversation": "@vic", "sequence": 1, "body": "uno"]),
        ("react", ["conversation": "@vic", "sequence": 1, "reaction": "x"]),
        ("react", ["conversation": "@vic", "sequence": 1, "reaction": "x"]),
        ("signal", ["to": "@vic", "body": "x"]),
        ("typing", ["to": "@vic"]),
        ("typing", ["to": "@vic", "replyTo": 1]),
        ("conversation.pin", ["conversation": "@vic", "sequence": 1]),
        ("conversation.pins", ["conversation": "@vic"]),
        ("conversation.unpin", ["conversation": "@vic", "sequence": 1]),
        ("conversation.expiry", ["conversation": "@vic", "after": 86_400_000]),
        ("conversation.expiry", ["conversation": "@vic", "after": 0]),
        ("history", ["conversation": "@vic"]),
        ("history", ["conversation": "@vic", "thread": 1]),
        ("receipts", ["conversation": "@vic", "sequence": 1]),
        ("read", ["conversation": "@vic", "sequence": 1]),
        ("conversation.members", ["conversation": "@vic"]),
        ("conversation.members", ["conversation": "@vic", "sequence": 1, "presence": true]),
        ("conversation.list", [:]),
        ("conversation.list", ["requests": true]),
        ("watch", ["users": ["vic"]]),
        ("watch", ["conversations": ["@vic"]]),
        ("unwatch", ["users": ["vic"]]),
        ("user.get", ["users": ["vic"]]),
        ("user.find", ["prefix": "vic"]),
        ("contact.invite", ["user": "vic", "label": "a"]),
        ("contact.invite", ["user": "vic", "label": "b"]),
        ("contact.accept", ["user": "vic"]),
        ("contact.list", [:]),
        ("contact.decline", ["user": "vic"]),
        ("contact.remove", ["user": "vic"]),
        ("contact.invite", ["user": "vic"]),
        ("contact.report", ["user": "vic", "reason": "spam"]),
        ("contact.report", ["conversation": "@vic", "sequence": 1, "reason": "spam"]),
        ("conversation.create", ["kind": "group", "name": "g", "members": ["vic", "eve"], "key": "g1"]),
        ("request.accept", ["conversation": "@vic"]),
        ("delete", ["conversation": "@vic", "sequence": 2]),
        ("conversation.leave", ["conversation": "@vic"]),
        ("send", ["to": "@vic", "key": "k9", "body": "again"]),
        ("except", ["users": ["vic"], "as": "never"]),
        ("contact.block", ["users": ["vic"]]),
        ("send", ["to": "@vic", "key": "k8", "body": "none"]),
        ("contact.unblock", ["users": ["vic"]]),
    ]

    /// The answers to mal's commands, and the frames sent besides.
    private static func table(_ relay: RelayHarness, _ mal: HarnessClient, tablet: HarnessClient) -> [String] {
        _ = mal.take()
        _ = tablet.take()
        var all: [String] = []
        for (type, members) in commands {
            _ = mal.request(type, members)
            relay.advance(600)
            let told = [mal, tablet].map { plain($0.take()).joined(separator: " ") }
            all.append("\(type): \(told.joined(separator: " | "))")
        }
        return all
    }

    /// - Parameters:
    ///   - isThere: whether vic is connected.
    ///   - hasMet: whether the two have a direct conversation.
    private static func answers(
        _ world: World, _ rules: PolicyRules, isThere: Bool, hasMet: Bool, areContacts: Bool = false
    ) -> [String] {
        let relay = RelayHarness(rules: rules)
        let vic = relay.connect("vic")
        let (mal, tablet) = (relay.connect("mal"), relay.connect("mal", "tablet"))
        _ = relay.connect("eve")
        if areContacts {
            _ = mal.request("contact.invite", ["user": "vic"])
            _ = vic.request("contact.accept", ["user": "mal"])
        }
        if hasMet {
            vic.post("hello", to: "@mal")
            mal.post("there", to: "@vic")
        }
        switch world {
        case .hides: #expect(vic.outcome("except", ["users": ["mal"], "as": "never"]) == "ok")
        case .blocks: #expect(vic.outcome("contact.block", ["users": ["mal"]]) == "ok")
        }
        relay.advance(600)
        if !isThere { vic.drop(.bye) }
        relay.advance(600)
        return table(relay, mal, tablet: tablet)
    }

    private static func rules(_ mode: GateRules.Mode, takesRequests: Bool = false) -> PolicyRules {
        var rules = PolicyRules()
        rules.gate = GateRules(mode)
        rules.gate.takesRequests = takesRequests
        rules.gate.countsSharedGroups = false
        return rules
    }

    @Test(arguments: [true, false], [true, false])
    func aBlockedUserIsAnsweredAsWithoutTheBlock(isThere: Bool, hasMet: Bool) {
        for (mode, takesRequests) in [(GateRules.Mode.off, false), (.on, false), (.on, true)] {
            let rules = Self.rules(mode, takesRequests: takesRequests)
            let worlds = World.allCases.map { Self.answers($0, rules, isThere: isThere, hasMet: hasMet) }
            #expect(worlds[0].count == Self.commands.count)
            for (hides, blocks) in zip(worlds[0], worlds[1]) { #expect(hides == blocks, "\(mode) \(takesRequests)") }
        }
    }

    @Test func aBlockedContactPassesTheGateAsBefore() {
        let worlds = World.allCases.map {
            Self.answers($0, Self.rules(.on), isThere: true, hasMet: false, areContacts: true)
        }
        #expect(worlds[0] == worlds[1])
        #expect(worlds[0].contains { $0.hasPrefix("send") && $0.contains("\"sequence\":1") })
    }

    /// The sender of a request can't tell whether it waits, was dropped, or is blocked, before or afterwards.
    @Test func aRequestIsAnsweredTheSameInFiveWorlds() {
        enum Reaction: CaseIterable { case nothing, drops, blocks, blocksBefore, neverCame }
        let worlds = Reaction.allCases.map { reaction in
            let relay = RelayHarness(rules: Self.rules(.on, takesRequests: true))
            let vic = reaction == .neverCame ? nil : relay.connect("vic")
            let (mal, tablet) = (relay.connect("mal"), relay.connect("mal", "tablet"))
            _ = relay.connect("eve")
            _ = vic?.outcome("except", ["users": ["mal"], "as": "never"])
            if reaction == .blocksBefore { _ = vic?.outcome("contact.block", ["users": ["mal"]]) }
            let sent = mal.post("hello", to: "@vic")
            let conversation = sent?.text("conversation") ?? ""
            if reaction == .drops { _ = vic?.outcome("request.drop", ["conversation": "\(conversation)"]) }
            if reaction == .blocks { _ = vic?.outcome("contact.block", ["users": ["mal"]]) }
            relay.advance(600)
            return Self.plain([sent].compactMap { $0 }) + Self.table(relay, mal, tablet: tablet)
        }
        for (reaction, world) in zip(Reaction.allCases, worlds).dropFirst() {
            for (one, other) in zip(worlds[0], world) { #expect(one == other, "\(reaction)") }
        }
    }

    // MARK: The blocker

    private let relay = RelayHarness(limits: .with { $0.pingMilliseconds = 100_000_000 })
    private let vic: HarnessClient
    private let mal: HarnessClient

    init() {
        vic = relay.connect("vic")
        mal = relay.connect("mal")
    }

    private func block() { #expect(vic.outcome("contact.block", ["users": ["mal"]]) == "ok") }
    private func unblock() { #expect(vic.outcome("contact.unblock", ["users": ["mal"]]) == "ok") }

    private func listed(_ client: HarnessClient) -> [JSONValue] {
        client.request("conversation.list")?.list("conversations") ?? []
    }

    private func bodies(_ client: HarnessClient, in conversation: String = "@mal") -> [String] {
        let page = client.request("history", ["conversation": "\(conversation)"])
        return page?.list("messages").map { $0.flag("hidden") == true ? "-" : $0.text("body") ?? "?" } ?? []
    }

    private func badge(of client: HarnessClient) -> Int64? {
        relay.advance(1_000)
        return relay.connect("vic", "watch").welcome("badge")?.integer
    }

    /// Whatever a blocked user does, the list, the unread messages, the badge and the last message stay as they were.
    @Test(arguments: [false, true])
    func theConversationStaysAsItWas(restarts: Bool) {
        mal.post("before", to: "@vic")
        let direct = listed(mal).first?.text("conversation") ?? ""
        vic.post("hello-eve", to: "@eve")
        block()
        let before = (listed(vic).map(Self.plain), badge(of: vic))
        _ = vic.take()
        mal.post("one", to: "@vic")
        #expect(mal.outcome("react", ["conversation": "\(direct)", "sequence": 1, "reaction": "x"]) == "ok")
        #expect(mal.outcome("conversation.pin", ["conversation": "\(direct)", "sequence": 1]) == "ok")
        #expect(mal.outcome("conversation.pin", ["conversation": "\(direct)", "sequence": 2]) == "ok")
        #expect(mal.outcome("signal", ["to": "\(direct)", "body": 1]) == "ok")
        mal.post("two", to: "@vic")
        relay.advance(1_000)
        let told = vic.take()
        #expect(told.allSatisfy { $0.flag("hidden") == true && $0.text("from") == nil }, "\(told)")
        #expect(told.compactMap { $0.text("type") } == ["message", "react", "message"])
        let client = restarts ? crash() : vic
        #expect(listed(client).map(Self.plain) == before.0)
        #expect(badge(of: client) == before.1)
        #expect(listed(client).first?.text("conversation") != direct)
        #expect(bodies(client) == ["before", "-", "-"])
        #expect(client.request("conversation.pins", ["conversation": "\(direct)"])?.list("pins").isEmpty == true)
        #expect(listed(relay.connect("mal", "new")).first?["message"]?.text("body") == "two")
    }

    private func crash() -> HarnessClient {
        relay.crash()
        return relay.connect("vic", "other")
    }

    /// A message written during the block never comes to the blocker; a later one does.
    @Test(arguments: [false, true])
    func whatWasWrittenDuringABlockIsNeverGiven(restarts: Bool) {
        mal.post("before", to: "@vic")
        block()
        mal.post("one", to: "@vic")
        #expect(mal.outcome("edit", ["conversation": "@vic", "sequence": 1, "body": "worse"]) == "ok")
        unblock()
        _ = vic.take()
        let client = restarts ? crash() : vic
        #expect(bodies(client) == ["-", "-"])
        #expect(
            listed(client).first?["message"]?.flag("hidden") != nil || listed(client).first?.number("sequence") == 1)
        let sender = restarts ? relay.connect("mal") : mal
        sender.post("after", to: "@vic")
        #expect(client.bodies == ["after"])
        #expect(bodies(client) == ["-", "-", "after"])
        let object = listed(client).first
        #expect(object?["message"]?.text("body") == "after" && object?.number("unread") == 2)
        // Nothing can be done with a place.
        for (type, members) in [
            ("react", ["conversation": "@mal", "sequence": 2, "reaction": "x"]),
            ("send", ["to": "@mal", "key": "r", "body": "x", "replyTo": 2]),
            ("send", ["to": "@mal", "key": "t", "body": "x", "thread": 2]),
            ("send", ["to": "@mal", "key": "f", "forward": Value(json: #"{"conversation":"@mal","sequence":2}"#)]),
            ("conversation.pin", ["conversation": "@mal", "sequence": 2]),
            ("contact.report", ["conversation": "@mal", "sequence": 2, "reason": "spam"]),
            ("typing", ["to": "@mal", "replyTo": 2]),
        ] as [(String, Members)] {
            #expect(client.outcome(type, members) == "not_found", "\(type)")
        }
        // A device that was away all the time, and a new one.
        for name in ["phone", "new"] {
            let device = relay.connect("vic", name)
            #expect(device.bodies == ["after"])
        }
    }

    /// A conversation that a blocked user opens isn't there for the blocker.
    @Test(arguments: [false, true])
    func whatABlockedUserOpensIsNotThere(restarts: Bool) {
        block()
        relay.advance(600)
        _ = vic.take()
        let direct = mal.post("one", to: "@vic")?.text("conversation") ?? ""
        mal.post("two", to: "@vic")
        relay.advance(1_000)
        #expect(vic.take().isEmpty)
        let client = restarts ? crash() : vic
        _ = client.take()
        #expect(listed(client).isEmpty && badge(of: client) == 0)
        for name in ["@mal", direct] {
            #expect(client.outcome("history", ["conversation": "\(name)"]) == "not_found")
            #expect(client.outcome("conversation.get", ["conversation": "\(name)"]) == "not_found")
        }
        unblock(client)
        #expect(listed(client).isEmpty && bodies(client).isEmpty)
        #expect(relay.connect("vic", "late").events.isEmpty)
        let sender = restarts ? relay.connect("mal") : mal
        sender.forget()
        sender.post("three", to: "@vic")
        #expect(sender.events.isEmpty)
        #expect(client.bodies == ["three"])
        #expect(bodies(client) == ["three"])
        #expect(listed(client).first?.number("unread") == 1)
        #expect(bodies(sender, in: "@vic") == ["one", "two", "three"])
    }

    /// A blocked user's reactions, pins and answers during the block count for it alone, then and later.
    @Test(arguments: [false, true])
    func whatIsGivenAndPinnedDuringABlockStaysTheSendersOwn(restarts: Bool) {
        let direct = vic.post("before", to: "@mal")?.text("conversation") ?? ""
        func pin(_ client: HarnessClient, _ sequence: Int64) -> String {
            client.outcome(
                "conversation.pin", ["conversation": "\(direct)", "sequence": Value(integerLiteral: sequence)])
        }
        func unpin(_ client: HarnessClient, _ sequence: Int64) -> String {
            client.outcome(
                "conversation.unpin", ["conversation": "\(direct)", "sequence": Value(integerLiteral: sequence)])
        }
        func react(_ client: HarnessClient, _ sequence: Int64, _ text: String, remove: Bool = false) -> String {
            client.outcome(
                "react",
                [
                    "conversation": "\(direct)", "sequence": Value(integerLiteral: sequence), "reaction": "\(text)",
                    "remove": Value(booleanLiteral: remove),
                ])
        }
        func pins(_ client: HarnessClient) -> [Int64] {
            let page = client.request("conversation.pins", ["conversation": "\(direct)"])
            return page?.list("pins").compactMap { $0.number("sequence") }.sorted() ?? []
        }
        func seen(_ client: HarnessClient) -> [String] {
            let first = client.request("history", ["conversation": "\(direct)"])?.list("messages").first
            return (first?.list("reactions").compactMap { $0.text("reaction") }.sorted() ?? [])
                + ["\(first?["replies"]?.number("count") ?? 0)"]
        }
        vic.post("two", to: "@mal")
        #expect(pin(vic, 1) == "ok" && react(mal, 1, "a") == "ok")
        block()
        #expect(react(mal, 1, "b") == "ok" && pin(mal, 2) == "ok" && unpin(mal, 1) == "ok")
        #expect(mal.request("send", ["to": "@vic", "key": "t", "body": "x", "thread": 1])?.text("type") == "ok")
        let client = restarts ? crash() : vic
        let sender = restarts ? relay.connect("mal") : mal
        #expect(seen(client) == ["a", "0"] && seen(sender) == ["a", "b", "1"])
        #expect(pins(client) == [1] && pins(sender) == [2])
        unblock(client)
        _ = (client.take(), sender.take())
        // Each continues with what it sees, and the other one gets nothing, because nothing changes there.
        #expect(pin(client, 2) == "ok" && unpin(client, 1) == "ok")
        #expect(sender.take().isEmpty)
        #expect(pins(client) == [2] && pins(sender) == [2])
        _ = client.take()
        #expect(pin(sender, 3) == "ok" && react(sender, 3, "c") == "ok" && react(sender, 1, "b", remove: true) == "ok")
        #expect(client.take().allSatisfy { $0.flag("hidden") == true })
        #expect(pins(client) == [2] && pins(sender) == [2, 3])
        #expect(seen(client) == ["a", "0"])
    }

    /// A user who leaves a conversation that it opened during the block comes back when the other one opens it, and
    /// gets the event.
    @Test func aUserWhoLeftItsConversationGetsItBack() {
        let worlds = World.allCases.map { world in
            let relay = RelayHarness()
            let (vic, mal) = (relay.connect("vic"), relay.connect("mal"))
            if world == .blocks { #expect(vic.outcome("contact.block", ["users": ["mal"]]) == "ok") }
            mal.post("one", to: "@vic")
            #expect(mal.outcome("conversation.leave", ["conversation": "@vic"]) == "ok")
            if world == .blocks { #expect(vic.outcome("contact.unblock", ["users": ["mal"]]) == "ok") }
            relay.advance(600)
            _ = (vic.take(), mal.take())
            #expect(vic.outcome("conversation.create", ["kind": "direct", "members": ["mal"]]) == "ok")
            relay.advance(600)
            let told = mal.take()
            #expect(told.compactMap { $0.text("event") } == ["added"])
            vic.post("hello", to: "@mal")
            #expect(mal.bodies == ["hello"])
            mal.post("there", to: "@vic")
            #expect(vic.bodies == ["there"])
            return Self.plain(told)
        }
        #expect(worlds[0] == worlds[1])
    }

    /// A user who doesn't know of a conversation gets no event when operators erase it.
    /// An ack covers what was sent, and of this nothing was.
    @Test func conversationsOpenedBehindABlockAreNotDelivered() {
        let relay = RelayHarness()
        let eve = relay.connect("eve")
        let vic = relay.connect("vic", "phone")
        let carol = relay.connect("carol")
        #expect(vic.outcome("contact.block", ["users": ["eve"]]) == "ok")
        eve.post("unseen", to: "@vic")
        #expect(vic.outcome("contact.unblock", ["users": ["eve"]]) == "ok")
        carol.post("seen", to: "@vic")
        let position = vic.frames("message").last?.text("position") ?? ""
        vic.drop()
        let again = relay.open()
        again.tell("hello", ["id": 0, "token": "vic", "device": "phone", "resume": "\(position)"])
        relay.pause()
        let told = again.frames("receipt").compactMap { $0.text("conversation") }
        #expect(Set(told) == [vic.frames("message").last?.text("conversation") ?? ""])
        let members = eve.request("conversation.members", ["conversation": "@vic"])?.list("members") ?? []
        #expect(members.first { $0.text("user") == "vic" }?.number("delivered") ?? 0 == 0)
    }

    @Test func thatAnUnknownConversationIsErasedIsNotTold() {
        block()
        let direct = mal.post("one", to: "@vic")?.text("conversation") ?? ""
        _ = (vic.take(), mal.take())
        let service = relay.open()
        service.send(#"{"type":"hello","id":0,"token":"service:mill","operator":true}"#)
        #expect(service.outcome("admin.erase", ["conversation": "\(direct)"]) == "ok")
        #expect(mal.events == ["removed"])
        #expect(vic.take().isEmpty)
        #expect(relay.connect("vic", "late").events.isEmpty)
    }

    private func unblock(_ client: HarnessClient) {
        #expect(client.outcome("contact.unblock", ["users": ["mal"]]) == "ok")
    }

    /// Nor is it while it is on its way to the log: the blocker is answered as if nothing were opened.
    @Test(arguments: [false, true])
    func aConversationOpenedBehindABlockCannotBeNamedBeforeItIsStored(hasLeft: Bool) {
        let commands: [(String, Members)] = [
            ("conversation.get", ["conversation": "@mal"]), ("history", ["conversation": "@mal"]),
            ("conversation.members", ["conversation": "@mal"]), ("read", ["conversation": "@mal", "sequence": 1]),
            ("typing", ["to": "@mal"]), ("signal", ["to": "@mal", "body": 1]),
            ("react", ["conversation": "@mal", "sequence": 1, "reaction": "x"]),
            ("watch", ["conversations": ["@mal"]]), ("conversation.list", [:]), ("user.get", ["users": ["mal"]]),
            ("send", ["to": "@mal", "key": "k", "body": "x"]),
        ]
        let worlds = [false, true].map { opens in
            let relay = RelayHarness()
            let (vic, mal) = (relay.connect("vic"), relay.connect("mal"))
            if hasLeft {
                mal.post("before", to: "@vic")
                #expect(vic.outcome("conversation.leave", ["conversation": "@mal"]) == "ok")
            }
            #expect(vic.outcome("contact.block", ["users": ["mal"]]) == "ok")
            relay.advance(600)
            _ = vic.take()
            relay.holdsCommits = true
            if opens { mal.start("send", ["to": "@vic", "key": "k", "body": "one"], id: 1) }
            for (id, command) in commands.enumerated() { vic.start(command.0, command.1, id: id + 10) }
            relay.holdsCommits = false
            relay.settle()
            relay.advance(600)
            return Self.plain(vic.take())
        }
        #expect(worlds[0] == worlds[1])
        #expect(worlds[0].contains { $0.contains("\"blocked\"") } && worlds[0].contains { $0.contains("not_found") })
    }

    /// The blocker doesn't hear how the other one is, and doesn't find it, because of a conversation that isn't there.
    @Test(arguments: [false, true])
    func theBlockedOpenerIsAStrangerToTheBlocker(restarts: Bool) {
        block()
        mal.post("one", to: "@vic")
        unblock()
        relay.advance(600)
        _ = vic.take()
        let client = restarts ? crash() : vic
        if restarts { _ = relay.connect("mal") } else { #expect(mal.outcome("presence", ["state": "idle"]) == "ok") }
        relay.advance(600_000)
        #expect(client.frames("presence").isEmpty)
        #expect(client.outcome("watch", ["users": ["mal"]]) == "forbidden")
    }

    @Test func theBlockerCanBeginItAnewAndTheOtherIsToldNothingOfThat() {
        block()
        mal.post("one", to: "@vic")
        unblock()
        relay.advance(1_000)
        #expect(mal.outcome("typing", ["to": "@vic"]) == "ok")
        #expect(vic.take().allSatisfy { $0.text("type") != "typing" })
        _ = mal.take()
        vic.post("hello", to: "@mal")
        let shown = vic.take()
        #expect(shown.compactMap { $0.text("event") } == ["added"])
        #expect(shown.filter { $0.text("type") == "presence" }.flatMap { $0.list("users") }.count == 1)
        #expect(bodies(vic) == ["hello"])
        #expect(mal.take().map { $0.text("type") } == ["message"])
        #expect(bodies(mal, in: "@vic") == ["one", "hello"])
        mal.post("there", to: "@vic")
        #expect(vic.bodies == ["there"])
    }

    /// An invitation waits for the inviter, and isn't there for the blocker; it can be given again after the block.
    @Test(arguments: [false, true])
    func anInvitationOfABlockedUserIsNotThere(restarts: Bool) {
        block()
        _ = vic.take()
        #expect(mal.outcome("contact.invite", ["user": "vic"]) == "ok")
        #expect(mal.request("contact.list")?.list("contacts").map { $0.text("state") } == ["sent"])
        #expect(vic.take().isEmpty)
        let client = restarts ? crash() : vic
        let again = restarts ? relay.connect("mal") : mal
        _ = client.take()
        #expect(client.request("contact.list")?.list("contacts").isEmpty == true)
        #expect(client.outcome("contact.accept", ["user": "mal"]) == "not_found")
        #expect(client.outcome("contact.invite", ["user": "mal"]) == "blocked")
        unblock(client)
        #expect(client.request("contact.list")?.list("contacts").isEmpty == true)
        #expect(again.outcome("contact.invite", ["user": "vic"]) == "ok")
        #expect(client.frames("contact").map { $0.text("state") } == ["received"])
        #expect(client.outcome("contact.accept", ["user": "mal"]) == "ok")
    }

    @Test func twoWhoHaveInvitedEachOtherAroundABlockAreContacts() {
        block()
        #expect(mal.outcome("contact.invite", ["user": "vic"]) == "ok")
        unblock()
        #expect(vic.request("contact.invite", ["user": "mal"])?["contact"]?.text("state") == "accepted")
    }

    // MARK: Existence of accounts

    /// A name that doesn't exist gets the same answer as one that does.
    @Test(arguments: [GateRules.Mode.off, .on])
    func namesThatNobodyHasAreAnsweredAlike(mode: GateRules.Mode) {
        let relay = RelayHarness(rules: Self.rules(mode))
        let open = relay.connect("open")
        _ = open.request("privacy", ["presence": "everyone"])
        _ = relay.connect("known")
        let mal = relay.connect("mal")
        _ = mal.take()
        let names = mode == .on ? ["known", "nobody", "open"] : ["known", "nobody"]
        let answers = names.map { name in
            [
                mal.request("contact.report", ["user": "\(name)", "reason": "spam"]),
                mal.request("watch", ["users": ["\(name)"]]),
                mal.request("user.get", ["users": ["\(name)"]]),
            ].map { ($0.map(Self.plain) ?? "").replacing(name, with: "x").replacing(/"re":[^,}]*/, with: "") }
        }
        for answer in answers.dropFirst() { #expect(answer == answers[0]) }
    }
}
