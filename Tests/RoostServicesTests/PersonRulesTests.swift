import Testing

@testable import RoostServices

/// The rules for people's fields in their accounts.
struct PersonRulesTests {
    private let rules = PersonRules()

    @Test func addressesThatDifferInCaseAndSpacesAreOne() throws {
        #expect(try rules.address("  Ann@Example.ORG\n") == "ann@example.org")
        #expect(try rules.address("ANN@EXÄMPLE.org") == "ann@xn--exmple-cua.org")
    }

    @Test(arguments: [
        "ann@b\u{FC}cher.example", "ann@bu\u{308}cher.example", "ann@B\u{DC}CHER.example", "ann@xn--bcher-kva.example",
        "ann@XN--BCHER-KVA.example", "ann@\u{FF42}\u{FC}cher.\u{FF45}xample", "ann@b\u{FC}cher\u{3002}example",
    ])
    func aDomainThatIsWrittenOtherwiseIsTheSame(_ text: String) throws {
        #expect(try Array(rules.address(text).utf8) == Array("ann@xn--bcher-kva.example".utf8))
    }

    @Test func fullWidthLettersAreThoseOfADomain() throws {
        #expect(try rules.address("ann@\u{FF45}xample.org") == "ann@example.org")
        // Another letter that only looks alike is another domain.
        #expect(try rules.address("ann@ex\u{430}mple.org") != "ann@example.org")
    }

    @Test(arguments: [
        nil, "", " ", "ann", "@", "a@", "@b", "a@b@c", "a b@c.d", "a\u{0}@b", "a@b\r\nBcc: c@d", "\"a\"@b", "a<b@c>",
        "a@b,c", "a\u{202E}@b", "a\u{2028}@b", String(repeating: "a", count: 250) + "@b.cd",
        "x@localhost", "x@example", "x@example.", "x@.example", "x@a..b", "x@-a.example", "x@a-.example",
        "x@a_b.example",
        String(repeating: "a", count: 65) + "@example.org", "x@" + String(repeating: "a", count: 64) + ".org",
        "x@" + String(repeating: "\u{FC}", count: 60) + ".org", "x@xn--a.example", "x@b\u{200B}c.org", "x@192.0.2.1",
        "j\u{FC}rgen@example.org", "\u{FF41}nn@example.org", "a\u{301}@example.org",
        // The first becomes a `k` in lower case; the others are letters of ASCII in other foldings.
        "\u{212A}im@example.org", "\u{17F}am@example.org", "\u{130}da@example.org", "\u{131}da@example.org",
        "x@\u{2665}.example",
        "x@" + Array(repeating: String(repeating: "a", count: 60), count: 5).joined(separator: ".") + ".org",
    ])
    func otherTextsAreNoAddresses(_ text: String?) {
        let fault = #expect(throws: ServiceFault.self) { try rules.address(text) }
        #expect(fault?.code == .invalid)
        #expect(fault?.member == "email")
    }

    @Test func anAddressMayHave254Bytes() throws {
        // As much before the `@` and in each label as RFC 5321 and RFC 1035 allow.
        let labels = [63, 63, 58].map { String(repeating: "b", count: $0) }.joined(separator: ".")
        let longest = String(repeating: "a", count: 64) + "@" + labels + ".c"
        #expect(longest.utf8.count == 254 - 1)
        #expect(try rules.address(longest) == longest)
        #expect(try rules.address(longest + "d") == longest + "d")
        #expect(throws: ServiceFault.self) { try rules.address(longest + "de") }
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
