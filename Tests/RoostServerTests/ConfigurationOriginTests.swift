import Testing

@testable import RoostServer

/// Which web pages may connect. The attempts are ones that a check by substring or prefix would let through.
@Suite struct ConfigurationOriginTests {
    @Test func clientsWithoutOriginMayConnect() {
        #expect(OriginPolicy(origins: []).allows(origin: nil, host: "chat.example.org"))
        #expect(OriginPolicy(origins: ["https://chat.example.org"]).allows(origin: nil, host: nil))
    }

    @Test(arguments: [
        ("http://localhost:8080", "localhost:8080"), ("https://chat.example.org", "chat.example.org"),
        ("https://Chat.Example.org", "chat.example.ORG"), ("http://[::1]:8080", "[::1]:8080"),
    ])
    func withoutAListOnlyTheSameHostMayConnect(_ origin: String, _ host: String) {
        #expect(OriginPolicy(origins: []).allows(origin: origin, host: host))
    }

    @Test(
        arguments: [
            ("https://evil.example", "chat.example.org"), ("https://chat.example.org.evil.example", "chat.example.org"),
            ("https://evilchat.example.org", "chat.example.org"), ("http://localhost:8081", "localhost:8080"),
            ("http://localhost", "localhost:8080"), ("null", "null"), ("", ""), ("https://", ""), ("http://", nil),
            ("file://", ""), ("chat.example.org", "chat.example.org"),
            ("https://chat.example.org/", "chat.example.org"),
            ("https://a@chat.example.org", "chat.example.org"), ("ftp://chat.example.org", "chat.example.org"),
            ("https://chat.example.org https://evil.example", "chat.example.org"),
        ] as [(String, String?)]
    )
    func withoutAListOtherHostsAreRefused(_ origin: String, _ host: String?) {
        #expect(!OriginPolicy(origins: []).allows(origin: origin, host: host))
    }

    @Test func withAListOnlyListedOriginsMayConnect() {
        let policy = OriginPolicy(origins: ["https://chat.example.org", "http://localhost:3000"])
        #expect(policy.allows(origin: "https://chat.example.org", host: "relay.example.org"))
        #expect(policy.allows(origin: "HTTPS://CHAT.example.org", host: nil))
        #expect(policy.allows(origin: "http://localhost:3000", host: "127.0.0.1:8080"))
        for origin in [
            "http://chat.example.org", "https://chat.example.org:443", "https://chat.example.org.evil.example",
            "https://a.chat.example.org", "http://localhost:30000", "http://localhost", "null", "",
            "https://relay.example.org",
        ] {
            #expect(!policy.allows(origin: origin, host: "relay.example.org"), "\(origin)")
        }
    }
}
