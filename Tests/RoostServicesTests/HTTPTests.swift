import HTTPTypes
import RoostConfiguration
import RoostWire
import Testing

@testable import RoostServices

/// Routes, origins and addresses.
struct HTTPTests {
    @Test func aRouteIsFoundByPathAndMethod() throws {
        var table = RouteTable()
        for path in ["/v1/sessions/current", "/v1/sessions/{sid}", "/v1/sessions"] {
            table.add(.delete, path) { call throws(ServiceFault) in
                .json { $0.member("path", path + (call.parameter ?? "")) }
            }
        }
        #expect(try table.route(.delete, "/v1/sessions/current").parameter == nil)
        #expect(try table.route(.delete, "/v1/sessions/abc").parameter == "abc")
        for path in ["", "/", "/v1", "/v1/sessions/", "/v1/sessions/a/b", "v1/sessions", "/v1//sessions"] {
            let fault = #expect(throws: ServiceFault.self) { try table.route(.delete, path) }
            #expect(fault?.code == .notFound)
        }
        let fault = #expect(throws: ServiceFault.self) { try table.route(.get, "/v1/sessions") }
        #expect(fault?.code == .methodNotAllowed && fault?.allow == "DELETE")
    }

    @Test func onlyNamedOriginsMayRead() {
        let written: Set = ["https://chat.example.org", "http://localhost:*"]
        for origin in ["https://chat.example.org", "http://localhost", "http://localhost:5173"] {
            #expect(WebOrigin.isOne(origin, of: written))
        }
        for origin in [
            "http://chat.example.org", "https://chat.example.org.evil", "null", "", "http://localhost:*",
            "http://localhost:0x1", "http://localhost.evil:80", "https://localhost:5173", "http://127.0.0.1:80",
        ] { #expect(!WebOrigin.isOne(origin, of: written)) }
        #expect(!WebOrigin.isOne("https://chat.example.org", of: []))
        for origin in ["https://a", "http://127.0.0.1:*", "https://a:8443"] { #expect(WebOrigin.isWritten(origin)) }
        for origin in ["a", "https://", "https://A", "https://a/", "https://a:*", "https://a:0", "https://a:1:2"] {
            #expect(!WebOrigin.isWritten(origin))
        }
    }

    /// Origins of web views of apps, extensions of browsers and pages at an address of IPv6.
    @Test(arguments: [
        "capacitor://localhost", "ionic://localhost", "tauri://localhost", "https://tauri.localhost", "app://-",
        "chrome-extension://aapbdbdomjkkjkaonfhkkikfgjllcleb", "https://[2001:db8::1]:8443", "http://[::1]",
        "moz-extension://4f6e0a4b-63d6-4b77-a55a-1a2b3c4d5e6f",
    ])
    func originsThatAreNotOfAServer(_ origin: String) {
        #expect(WebOrigin.isWritten(origin))
        #expect(WebOrigin.isOne(origin, of: [origin]))
        #expect(WebOrigin.isOne(origin.uppercased(), of: [origin]))
        #expect(!WebOrigin.isOne(origin + "x", of: [origin]))
        #expect(!WebOrigin.isOne(origin, of: ["https://chat.example.org"]))
    }

    @Test(arguments: [
        "file://a", "file://", "null", "data://a", "1a://b", "capacitor:/localhost", "capacitor://", "app://a/b",
        "http://[::1", "http://::1", "http://[0:0::1]", "http://[::1]x", "http://[::ffff:127.0.0.1]", "app://a:*",
        "capacitor://localhost:*", "App://a",
    ])
    func originsThatWouldNeverMatch(_ origin: String) {
        #expect(!WebOrigin.isWritten(origin))
    }

    @Test func aUsualPortThatIsWrittenIsLeftOut() {
        let written: Set = ["https://a.example:443", "http://b.example:80", "app://c:443", "http://[::1]:*"]
        for origin in ["https://a.example", "http://b.example", "http://[::1]", "http://[::1]:3000"] {
            #expect(WebOrigin.isOne(origin, of: written))
        }
        for origin in ["http://a.example", "https://b.example", "app://c", "https://[::1]:3000"] {
            #expect(!WebOrigin.isOne(origin, of: written))
        }
    }

    @Test func aProxyOfOursNamesTheClient() {
        let plain = ClientAddress()
        #expect(plain.key(peer: "192.0.2.1", forwarded: "198.51.100.7") == plain.key(peer: "192.0.2.1", forwarded: nil))
        let behind = ClientAddress(proxies: ["127.0.0.1", "10.0.0.0/8"])
        let client = plain.key(peer: "198.51.100.7", forwarded: nil)
        #expect(behind.key(peer: "127.0.0.1", forwarded: "198.51.100.7") == client)
        #expect(behind.key(peer: "127.0.0.1", forwarded: "6.6.6.6, 198.51.100.7, 10.1.2.3") == client)
        // U+0605 and the comma behind it are one character of Swift's.
        #expect(behind.key(peer: "127.0.0.1", forwarded: "\u{605}, 198.51.100.7") == client)
        // The field of a peer that isn't our proxy is ignored.
        #expect(behind.key(peer: "198.51.100.7", forwarded: "6.6.6.6") == client)
        #expect(behind.key(peer: "127.0.0.1", forwarded: "nonsense") == plain.key(peer: "127.0.0.1", forwarded: nil))
        #expect(plain.key(peer: "::ffff:198.51.100.7", forwarded: nil) == client)
    }

    @Test func aProxyMayWriteThePort() {
        let plain = ClientAddress()
        let behind = ClientAddress(proxies: ["127.0.0.1"])
        let four = plain.key(peer: "198.51.100.7", forwarded: nil)
        let six = plain.key(peer: "2001:db8::1", forwarded: nil)
        for text in ["198.51.100.7:443", " 198.51.100.7:65535 ", "::ffff:198.51.100.7"] {
            #expect(behind.key(peer: "127.0.0.1", forwarded: text) == four, "\(text)")
        }
        for text in ["[2001:db8::1]:443", "[2001:db8::1]", "2001:db8::1", "\t[2001:db8::1]:1"] {
            #expect(behind.key(peer: "127.0.0.1", forwarded: text) == six, "\(text)")
        }
        for text in [
            "198.51.100.7:", "198.51.100.7:http", "198.51.100.7:123456", "[2001:db8::1", "[2001:db8::1]443",
            "[198.51.100.7]",
            "unknown", "", ":443",
        ] {
            let itself = plain.key(peer: "127.0.0.1", forwarded: nil)
            #expect(behind.key(peer: "127.0.0.1", forwarded: text) == itself, "\(text)")
        }
    }

    @Test func faultsOfAProxyAreReported() {
        let behind = ClientAddress(proxies: ["127.0.0.1"])
        #expect(behind.complaint(peer: "127.0.0.1", forwarded: nil) == nil)
        #expect(behind.complaint(peer: "198.51.100.7", forwarded: nil) == nil)
        for good in ["198.51.100.7", "nonsense, 198.51.100.7:443", "[2001:db8::1]:443"] {
            #expect(behind.complaint(peer: "127.0.0.1", forwarded: good) == nil)
        }
        #expect(behind.complaint(peer: "198.51.100.7", forwarded: "6.6.6.6") == .unlisted)
        #expect(ClientAddress().complaint(peer: "127.0.0.1", forwarded: "6.6.6.6") == .unlisted)
        for bad in ["unknown", "", "6.6.6.6, "] {
            #expect(behind.complaint(peer: "127.0.0.1", forwarded: bad) == .unreadable)
        }
    }

    @Test(arguments: [
        #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#, #"{"b":{"a":1,"a":1}}"#, #"{"b":[0,{"a":[{"c":1,"c":1}]}]}"#,
    ])
    func aMemberThatIsThereTwiceIsRefused(_ body: String) {
        let call = Call(body: Array(body.utf8), headers: [:], client: "c")
        let fault = #expect(throws: ServiceFault.self) { try call.members() }
        #expect(fault?.code == .badJSON)
    }

    @Test func theSameNameInOtherObjectsIsNoRepetition() throws {
        let call = Call(body: Array(#"{"a":{"a":1},"b":[{"a":1},{"a":2}],"A":0}"#.utf8), headers: [:], client: "c")
        #expect(try call.members().number("A") == 0)
    }

    @Test func aNetworkOf64BitsIsOneClient() {
        let addresses = ClientAddress()
        let one = addresses.key(peer: "2001:db8:1:2::1", forwarded: nil)
        #expect(addresses.key(peer: "2001:db8:1:2:ffff::1", forwarded: nil) == one)
        #expect(addresses.key(peer: "2001:db8:1:3::1", forwarded: nil) != one)
    }
}
