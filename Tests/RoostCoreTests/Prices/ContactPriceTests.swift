import RoostTestKit
import RoostWire
import Testing

/// The cost of commands about contacts, prospects and reports. 40 may be spent in each test.
extension PriceTests {
    /// A crowd in which this user has twenty devices.
    private func crowd(of others: Int, on devices: String) -> (RelayHarness, HarnessClient) {
        let (relay, alice, _) = crowd(of: others) { $0.reportsPerHour = 1_000 }
        for number in 1..<20 { _ = relay.connect(devices, "d\(number)") }
        relay.advance(4_000)
        return (relay, alice)
    }

    /// A contact of a page costs a tenth of a command: 90 make it 10, and the default of 50 makes 6.
    @Test(arguments: ["contact.list", "prospect.list"])
    func pagesOfContactsCostByTheirLength(_ type: String) {
        let (relay, alice, _) = crowd(of: 1)
        #expect(passes { _ in alice.outcome(type, ["limit": 90]) } == 4)
        relay.advance(4_000)
        #expect(passes { _ in alice.outcome(type) } == 6)
    }

    /// An invitation costs 1, and 2 for the 21 devices of both. So does taking it back.
    @Test func invitationsCostByTheDevicesThatAreTold() {
        let (relay, alice) = crowd(of: 1, on: "u0")
        #expect(passes { alice.contact($0 % 2 == 0 ? "invite" : "remove", "u0", ("kind", "friend")) } == 13)
        relay.advance(4_000)
        _ = alice.contact("remove", "u0")
        relay.advance(4_000)
        // Nothing is left to remove, and nothing is sent.
        #expect(passes { _ in alice.contact("remove", "u0") } == 40)
    }

    /// An answer costs 1, and 2 for the 21 devices of both; accepting again changes nothing, and costs 1.
    @Test(arguments: ["accept", "invite", "decline", "remove"])
    func answersCostByTheDevicesThatAreTold(_ verb: String) {
        let (relay, alice) = crowd(of: 20, on: "alice")
        for number in 0..<20 { #expect(relay.connect("u\(number)").contact("invite", "alice") == "ok") }
        relay.advance(4_000)
        #expect(passes { alice.contact(verb, "u\($0)") } == 13)
        relay.advance(4_000)
        guard verb == "accept" else { return }
        #expect(passes { _ in alice.contact(verb, "u0") } == 40)
    }

    /// Only the user's own 20 devices get a label, and only a new one.
    @Test func labelsCostByTheUsersOwnDevices() {
        let (relay, alice) = crowd(of: 1, on: "alice")
        #expect(alice.contact("invite", "u0") == "ok")
        relay.advance(4_000)
        #expect(passes { alice.contact("invite", "u0", ("label", "l\($0)")) } == 13)
        relay.advance(4_000)
        #expect(alice.contact("invite", "u0", ("label", "same")) == "ok")
        relay.advance(4_000)
        #expect(passes { _ in alice.contact("invite", "u0", ("label", "same")) } == 40)
    }

    /// A change costs 1, and 2 for the user's own 20 devices; what changes nothing costs 1.
    @Test func prospectsCostByTheUsersOwnDevices() {
        let (relay, alice) = crowd(of: 1, on: "alice")
        let made = alice.request("prospect.set", ["name": "Yann"])?["prospect"]?.text("prospect") ?? "none"
        func set(_ name: String) -> String {
            alice.outcome("prospect.set", ["prospect": "\(made)", "name": "\(name)"])
        }
        relay.advance(4_000)
        #expect(passes { set("Yann \($0)") } == 13)
        relay.advance(4_000)
        #expect(set("Yann") == "ok")
        relay.advance(4_000)
        #expect(passes { _ in set("Yann") } == 40)
        relay.advance(4_000)
        #expect(passes { _ in alice.outcome("prospect.remove", ["prospect": "p0"]) } == 40)
    }

    /// A report costs 1, and an operator's page of them 10.
    @Test func reportsCost() {
        let (relay, alice, _) = crowd(of: 1) { $0.reportsPerHour = 1_000 }
        #expect(passes { _ in alice.outcome("contact.report", ["user": "u0", "reason": "spam"]) } == 40)
        relay.advance(4_000)
        let olga = relay.open()
        olga.send(#"{"type":"hello","id":0,"token":"admin:olga","operator":true}"#)
        relay.advance(4_000)
        #expect(passes { _ in olga.outcome("admin.reports", ["limit": 1]) } == 4)
        relay.advance(4_000)
        #expect(passes { olga.outcome("admin.report.close", ["report": .init(integerLiteral: Int64($0 + 1))]) } == 40)
    }
}
