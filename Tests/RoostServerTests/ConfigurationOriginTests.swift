import Logging
import RoostConfiguration
import Synchronization
import Testing

@testable import RoostServer

/// Web pages that may connect. The attempts are ones that a check by substring or prefix would let through.
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

    @Test func thePortOfThisMachineMayBeAny() {
        let policy = OriginPolicy(origins: ["http://localhost:*", "http://127.0.0.1:*"])
        for origin in [
            "http://localhost:5173", "http://127.0.0.1:1", "http://localhost", "HTTP://LOCALHOST:65535",
        ] {
            #expect(policy.allows(origin: origin, host: "127.0.0.1:8080"), "\(origin)")
        }
        for origin in [
            "https://localhost:5173", "http://localhost:", "http://localhost:*", "http://localhost:0",
            "http://localhost:65536", "http://localhost:80:80", "http://localhost:80/", "http://localhost.evil.example",
            "http://localhost.evil.example:80", "http://localhost:80@evil.example", "http://evil.example",
            "http://evil.example:*", "http://127.0.0.1.evil.example:80", "http://[::1]:80", "null", "",
        ] {
            #expect(!policy.allows(origin: origin, host: "127.0.0.1:8080"), "\(origin)")
        }
    }

    @Test func onlyAPortOfThisMachineMayBeAny() {
        for text in ["http://localhost:*", "https://localhost:*", "http://127.0.0.1:*", "https://chat.example.org"] {
            #expect(ConfigurationRule.origin.allows(text), "\(text)")
        }
        for text in [
            "http://*", "http://*:80", "http://chat.example.org:*", "http://localhost:**", "*", "http://localhost:*/",
            "http://a.localhost:*", "http://:*", "http://localhost:8*",
        ] {
            #expect(!ConfigurationRule.origin.allows(text), "\(text)")
        }
    }

    @Test func aRefusedOriginIsToldOnce() {
        let lines = Mutex<[String]>([])
        let writer = LogWriter { line in lines.withLock { $0.append(line) } }
        let log = ConnectionLog(Logger(label: "t", factory: { _ in LineLogHandler(.text, writer) }))
        for origin in ["http://localhost:5173", "HTTP://localhost:5173", "http://evil\nline", nil, "null"] {
            log.noteRefusedOrigin(origin)
        }
        writer.finish()
        #expect(lines.withLock { $0.count } == 1)
        #expect(lines.withLock { $0[0].contains("notice origin.refused") && $0[0].contains("listen.origins") })
        #expect(lines.withLock { $0[0].hasSuffix("origin=http://localhost:5173") })
        log.forgetOrigins()
        for port in 1...(ConnectionLog.originsMax + 10) { log.noteRefusedOrigin("http://localhost:\(port)") }
        writer.finish()
        #expect(lines.withLock { $0.count } == 1 + ConnectionLog.originsMax)
    }
}
