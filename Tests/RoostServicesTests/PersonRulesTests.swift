import Testing

@testable import RoostServices

/// What people may write into their account.
struct PersonRulesTests {
    private let rules = PersonRules()

    @Test func addressesThatDifferInCaseAndSpacesAreOne() throws {
        #expect(try rules.address("  Ann@Example.ORG\n") == "ann@example.org")
        #expect(try rules.address("ÄNN@exämple.org") == "änn@exämple.org")
    }

    @Test func addressesThatAreComposedOtherwiseAreOne() throws {
        // Swift's `==` would take them for the same anyway; SQLite compares bytes.
        #expect(try Array(rules.address("a\u{308}nn@x.org").utf8) == Array("\u{E4}nn@x.org".utf8))
    }

    @Test(arguments: [
        nil, "", " ", "ann", "@", "a@", "@b", "a@b@c", "a b@c.d", "a\u{0}@b", "a@b\r\nBcc: c@d", "\"a\"@b", "a<b@c>",
        "a@b,c", "a\u{202E}@b", "a\u{2028}@b", String(repeating: "a", count: 250) + "@b.cd",
    ])
    func otherTextsAreNoAddresses(_ text: String?) {
        let fault = #expect(throws: ServiceFault.self) { try rules.address(text) }
        #expect(fault?.code == .invalid)
        #expect(fault?.member == "email")
    }

    @Test func anAddressMayHave254Bytes() throws {
        let longest = String(repeating: "a", count: 252) + "@b"
        #expect(try rules.address(longest) == longest)
        #expect(throws: ServiceFault.self) { try rules.address("a" + longest) }
    }

    @Test func passwordsHaveALeastAndAMost() throws {
        #expect(try rules.newPassword("12345678") == "12345678")
        #expect(throws: ServiceFault.self) { try rules.newPassword("1234567") }
        #expect(throws: ServiceFault.self) { try rules.newPassword(nil) }
        #expect(try rules.newPassword(String(repeating: "x", count: 256)).count == 256)
        #expect(throws: ServiceFault.self) { try rules.newPassword(String(repeating: "x", count: 257)) }
        let shorter = PersonRules(passwordMin: 6)
        #expect(try shorter.newPassword("123456") == "123456")
        #expect(throws: ServiceFault.self) { try shorter.newPassword("12345") }
        // One that was chosen under other rules still opens its account.
        #expect(try rules.password("12345") == "12345")
    }

    @Test func aNameIsRequiredAndPlain() throws {
        #expect(try rules.name(" Ann ") == "Ann")
        #expect(try rules.name("👩‍👧 Анна") == "👩‍👧 Анна")
        for text in [nil, "", "  ", "a\nb", "a\u{202E}b", "\u{0}", String(repeating: "a", count: 65)] {
            let fault = #expect(throws: ServiceFault.self) { try rules.name(text) }
            #expect(fault?.member == "displayName")
        }
        #expect(try rules.name(String(repeating: "a", count: 64)).count == 64)
    }

    @Test func aRoleIsRequiredWhereThereAreRoles() throws {
        let rules = PersonRules(roles: ["trainer", "client"])
        #expect(try rules.role("client") == "client")
        for text in [nil, "", "Client", "admin"] { #expect(throws: ServiceFault.self) { try rules.role(text) } }
        #expect(try self.rules.role(nil) == nil)
        #expect(throws: ServiceFault.self) { try self.rules.role("client") }
    }

    @Test func aDeviceHasTheFormThatTheRelayTakes() throws {
        #expect(try rules.device("phone:1") == "phone:1")
        for text in ["", "a b", "a\"", "\\", "ä", String(repeating: "a", count: 65)] {
            #expect(throws: ServiceFault.self) { try rules.device(text) }
        }
        #expect(try rules.device(nil) != rules.device(nil))
    }
}
