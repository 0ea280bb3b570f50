import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// Operators find users, groups and invitations by what they know of them.
@Suite struct OperatorFindTests {
    let relay = RelayHarness(limits: .with { $0.groupsLookedAt = 3 })
    let alice: HarnessClient

    init() {
        alice = relay.connect("alice")
        for (user, name) in [("bob", "Robert Ford"), ("carol", "Ford Prefect")] {
            _ = relay.connect(user).request("profile.set", ["name": "\(name)", "username": "\(user).x"])
        }
    }

    private func find(_ prefix: String, after: String? = nil, limit: Value = 50) -> JSONValue? {
        let olga = relay.open()
        olga.send(#"{"type":"hello","id":0,"token":"admin:olga","operator":true}"#)
        let members: Members =
            if let after {
                ["prefix": "\(prefix)", "after": "\(after)", "limit": limit]
            } else {
                ["prefix": "\(prefix)", "limit": limit]
            }
        return olga.request("admin.find", members)?["found"]
    }

    private func group(_ name: String) -> String {
        alice.request("conversation.create", ["kind": "group", "name": "\(name)", "members": ["bob"]])?["conversation"]?
            .text("conversation") ?? ""
    }

    @Test func peopleAreFoundByAnyWordOfTheirNameTheirUsernameAndTheirID() {
        #expect(find("ford")?.list("people").map { $0.text("user") } == ["bob", "carol"])
        #expect(find("FÓRD p")?.list("people").map { $0.text("user") } == ["carol"])
        #expect(find("bob.x")?.list("people").map { $0.text("name") } == ["Robert Ford"])
        #expect(find("alice")?.list("people").map { $0.text("user") } == ["alice"])
        #expect(find("ford", limit: 1)?.list("people").count == 1)
        #expect(find("nobody")?.list("people").isEmpty == true)
    }

    @Test func groupsComePageByPageByAWordOfTheirNameAndByTheirID() {
        let groups = ["Harbour crew", "Night watch", "The harbour", "Kitchen", "Harbour walk"].map(group)
        alice.post("x", to: groups[2])
        var (found, after): ([String?], String?) = ([], nil)
        repeat {
            let page = find("harb", after: after)
            found += page?.list("groups").map { $0.text("conversation") } ?? []
            after = page?.text("next")
        } while after != nil
        #expect(found == [groups[0], groups[2], groups[4]])
        let one = find(groups[2])?.list("groups").first
        #expect(one?.text("name") == "The harbour" && one?.number("sequence") == 1 && one?.number("count") == 2)
        #expect(one?.text("position") != nil)
        let names = find(groups[2])?.list("names") ?? []
        #expect(names.map { $0.text("user") } == ["alice", "bob"] && names.last?.text("name") == "Robert Ford")
        let client = relay.open()
        client.send(#"{"type":"hello","id":0,"token":"admin:olga","operator":true}"#)
        #expect(client.outcome("admin.find", ["prefix": "x", "after": "c-none"]) == "bad_request")
        #expect(client.outcome("admin.find", ["prefix": " "]) == "bad_request")
    }

    @Test func aLinkIsFoundByItsCodeAsLongAsItIsGood() {
        let made = alice.request("invite.create")?["invite"]
        let code = made?.text("code") ?? ""
        let link = find(code)?.list("links").first
        #expect(link?.text("user") == "alice" && link?["invite"]?.text("invite") == made?.text("invite"))
        #expect(link?["invite"]?["code"] == nil)
        _ = alice.request("invite.revoke", ["invite": "\(made?.text("invite") ?? "")"])
        #expect(find(code)?.list("links").isEmpty == true)
    }

    @Test func onlyOperatorsFind() {
        #expect(alice.outcome("admin.find", ["prefix": "ford"]) == "forbidden")
        let mill = relay.open()
        mill.send(#"{"type":"hello","id":0,"token":"service:mill","operator":true}"#)
        #expect(mill.outcome("admin.find", ["prefix": "ford"]) == "forbidden")
    }
}
