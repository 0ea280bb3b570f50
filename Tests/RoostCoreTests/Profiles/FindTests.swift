import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// The search for users, page by page, without users hidden by the operator's choice or their own.
@Suite struct FindTests {
    private func relay(_ rule: PolicyRules.Directory, _ limits: Limits = Limits()) -> RelayHarness {
        var rules = PolicyRules()
        rules.directory = rule
        return RelayHarness(limits: limits, rules: rules)
    }

    private func call(_ relay: RelayHarness, _ names: KeyValuePairs<String, String>) -> [String: HarnessClient] {
        var clients: [String: HarnessClient] = [:]
        for (user, name) in names {
            let client = relay.connect(user)
            _ = client.request("profile.set", ["name": "\(name)", "username": "\(user).x"])
            clients[user] = client
        }
        return clients
    }

    private func found(_ client: HarnessClient, _ prefix: String) -> [String] {
        client.request("user.find", ["prefix": "\(prefix)"])?.list("profiles").compactMap { $0.text("user") } ?? []
    }

    /// All pages.
    private func pages(_ client: HarnessClient, _ prefix: String, of limit: Int64) -> [[String]] {
        var pages: [[String]] = []
        var answer = client.request("user.find", ["prefix": "\(prefix)", "limit": .init(integerLiteral: limit)])
        while let page = answer, pages.count < 50 {
            pages.append(page.list("profiles").compactMap { $0.text("user") })
            guard let next = page.text("next") else { break }
            answer = client.request(
                "user.find", ["prefix": "\(prefix)", "limit": .init(integerLiteral: limit), "after": "\(next)"])
        }
        return pages
    }

    @Test func everyWordAndTheUsernameAreFound() {
        let relay = relay(.everyone)
        let clients = call(relay, ["u1": "Anna  Maria SCHMIDT", "u2": "Émile Zola", "u3": "Anneliese"])
        let asker = relay.connect("asker")
        #expect(found(asker, "ann") == ["u1", "u3"])
        #expect(found(asker, "MARIA s") == ["u1"])
        #expect(found(asker, "schm") == ["u1"])
        #expect(found(asker, "maria  schmidt") == ["u1"])
        #expect(found(asker, "émi") == ["u2"])
        #expect(found(asker, "u2.") == ["u2"])
        #expect(found(asker, "chmidt").isEmpty)
        _ = clients["u1"]?.request("profile.set", ["name": "Berta", "username": "anna"])
        #expect(found(asker, "schm").isEmpty)
        #expect(found(asker, "ann") == ["u1", "u3"])
        #expect(found(asker, "b") == ["u1"])
    }

    @Test func aLongNameIsFoundByItsFirstWords() {
        let relay = relay(.everyone, .with { $0.nameWords = 2 })
        _ = call(relay, ["u1": "one two three"])
        let asker = relay.connect("asker")
        #expect(found(asker, "two th") == ["u1"])
        #expect(found(asker, "thr").isEmpty)
    }

    @Test(arguments: [PolicyRules.Directory.everyone, .contacts], [1, 2, 3, 7])
    func pagesHaveEachOnce(rule: PolicyRules.Directory, limit: Int64) {
        let relay = relay(rule)
        let names = (0..<12).map { number in ("u\(number)", number % 3 == 0 ? "Ann Annable" : "Annika \(number) anna") }
        for (user, name) in names {
            _ = relay.connect(user).request("profile.set", ["name": "\(name)", "username": "\(user).x"])
        }
        let asker = relay.connect("asker")
        _ = asker.makeGroup(names.map(\.0))
        _ = asker.makeGroup(names.prefix(5).map(\.0))
        let pages = pages(asker, "ann", of: limit)
        #expect(pages.flatMap { $0 }.count == 12)
        #expect(Set(pages.flatMap { $0 }).count == 12)
        #expect(pages.dropLast().allSatisfy { $0.count == limit })
    }

    @Test func onlyThoseWithASharedConversationAreFoundUnlessSaidOtherwise() {
        let relay = relay(.contacts)
        let clients = call(relay, ["u1": "Anna", "u2": "Annika", "u3": "Anton"])
        let asker = relay.connect("asker")
        #expect(found(asker, "an").isEmpty)
        let crew = asker.makeGroup("u1", "u2")
        #expect(found(asker, "an") == ["u1", "u2"])
        _ = clients["u3"]?.makeDirect("asker")
        #expect(found(asker, "an") == ["u1", "u2", "u3"])
        _ = clients["u2"]?.request("conversation.leave", ["conversation": "\(crew)"])
        #expect(found(asker, "an") == ["u1", "u3"])
        // People in their entries need names.
        let shown = asker.request("user.get", ["users": ["u2", "u1"]])?.list("profiles").compactMap { $0.text("name") }
        #expect(shown == ["Annika", "Anna"])
        let stranger = relay.connect("stranger")
        #expect(stranger.request("user.get", ["users": ["u1"]])?.list("profiles").first?.text("name") == nil)
    }

    @Test func onlyWholeNamesAreFoundIfTheOperatorWantsIt() {
        let relay = relay(.exact)
        _ = call(relay, ["u1": "Anna Maria", "u2": "Anna", "u3": "Anna"])
        let asker = relay.connect("asker")
        #expect(found(asker, "anna") == ["u2", "u3"])
        #expect(found(asker, "anna m").isEmpty)
        #expect(found(asker, "maria").isEmpty)
        #expect(found(asker, "ANNA MARIA") == ["u1"])
        #expect(found(asker, "u1.x") == ["u1"])
        #expect(pages(asker, "anna", of: 1) == [["u2"], ["u3"]])
    }

    @Test(arguments: PolicyRules.Directory.allCases)
    func whoIsBlockedIsNotFound(rule: PolicyRules.Directory) {
        let relay = relay(rule)
        let clients = call(relay, ["u1": "Anna", "u2": "Anna", "u3": "Anna"])
        let asker = relay.connect("asker")
        _ = asker.makeGroup("u1", "u2", "u3")
        _ = clients["u1"]?.request("contact.block", ["users": ["asker"]])
        _ = asker.request("contact.block", ["users": ["u3"]])
        #expect(found(asker, "anna") == ["u1", "u2"])
        #expect(pages(asker, "anna", of: 1) == [["u1"], ["u2"]])
    }

    @Test(arguments: PolicyRules.Directory.allCases)
    func soManyAreLookedAtAndNoMore(rule: PolicyRules.Directory) {
        let relay = relay(rule, .with { $0.findLooks = 4 })
        let clients = call(relay, ["u1": "Anna", "u2": "Anna", "u3": "Anna", "u4": "Anna", "u5": "Anna"])
        let asker = relay.connect("asker")
        _ = asker.makeGroup("u1", "u2", "u3", "u4", "u5")
        _ = asker.request("contact.block", ["users": .list(clients.keys.sorted())])
        let answer = asker.request("user.find", ["prefix": "anna"])
        #expect(answer?.list("profiles").isEmpty == true)
        #expect(answer?.flag("partial") == true)
        #expect(answer?.text("next") == nil)
    }

    @Test func aUserWhoHasLeftForGoodIsNotFound() {
        let relay = relay(.everyone)
        _ = call(relay, ["u1": "Anna"])
        let mill = relay.open()
        mill.send(#"{"type":"hello","id":0,"token":"service:mill","operator":true}"#)
        _ = mill.request("admin.profile", ["user": "u1", "deleted": true])
        #expect(found(relay.connect("asker"), "an").isEmpty)
    }

    @Test func namesAreFoundAfterARestart() {
        let relay = relay(.everyone)
        _ = call(relay, ["u1": "Anna", "u2": "Annika"])
        relay.crash()
        #expect(found(relay.connect("asker"), "ann") == ["u1", "u2"])
    }

    @Test func aStrangeEndOfAPageIsNoTrap() {
        let relay = relay(.everyone)
        _ = call(relay, ["u1": "Anna"])
        let asker = relay.connect("asker")
        for next in ["u1 anna", "u1 zzz", "x  y"] {
            #expect(asker.outcome("user.find", ["prefix": "a", "after": "\(next)"]) == "ok")
        }
        for next in ["", " ", "nobody"] {
            #expect(asker.outcome("user.find", ["prefix": "a", "after": "\(next)"]) == "bad_request")
        }
    }
}
