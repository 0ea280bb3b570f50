import Testing

@testable import RoostTransport

/// The clients of a proxy: the addresses that are understood, trusted peers, and the PROXY protocol.
@Suite struct ProxyTests {
    // MARK: Addresses

    @Test(arguments: [
        ("1.2.3.4", "1.2.3.4"), ("255.255.255.255", "255.255.255.255"), ("1.2.3.4:80", "1.2.3.4"),
        ("2001:db8::1", "2001:db8:0:0::/64"), ("2001:DB8:0:1:ffff::", "2001:db8:0:1::/64"),
        ("[2001:db8::1]", "2001:db8:0:0::/64"), ("[2001:db8::1]:443", "2001:db8:0:0::/64"),
        ("::ffff:1.2.3.4", "1.2.3.4"), ("[::ffff:1.2.3.4]:5", "1.2.3.4"), ("::1", "0:0:0:0::/64"),
    ])
    func understands(_ element: String, _ shown: String) {
        #expect(ClientAddress(forwarded: element[...])?.description == shown)
    }

    @Test(arguments: [
        "", " ", "unknown", "_hidden", "1.2.3", "1.2.3.256", "01.2.3.4", "1.2.3.4.5", "1.2.3.4/8", "-1.2.3.4",
        "1.2.3.4 ",
        "1.2.3.4\0", "1.2.3.4\0x", "[1.2.3.4]", "[::1", "::1]", "[::1]x", "[]", ":::", "1:2", ":80", "g::1",
        "fe80::1%lo",
        "1.2.3.4\u{660}", "localhost", "\"1.2.3.4\"", String(repeating: "1", count: 10_000),
    ])
    func doesNotUnderstand(_ element: String) {
        #expect(ClientAddress(forwarded: element[...]) == nil)
    }

    /// A household has a network of 64 bits and could use all of it.
    @Test func countsANetworkOfIPv6AsOne() {
        #expect(ClientAddress("2001:db8::1") == ClientAddress("2001:db8::ffff:2"))
        #expect(ClientAddress("2001:db8::1") != ClientAddress("2001:db8:0:1::1"))
        #expect(ClientAddress("::ffff:9.8.7.6") == ClientAddress("9.8.7.6"))
        #expect(ClientAddress("::9.8.7.6") != ClientAddress("9.8.7.6"))
    }

    // MARK: Networks

    @Test(arguments: [
        "127.0.0.1", "10.0.0.0/8", "192.168.1.128/25", "1.2.3.4/32", "::1", "2001:db8::/48", "2001:db8:0:1::/64",
        "fd00::/16",
    ])
    func takesNetworks(_ entry: String) { #expect(ProxyList([entry]) != nil) }

    @Test(arguments: [
        "", "10.0.0.0/7", "0.0.0.0/0", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/08", "10.0.0.0/+8", "10.0.0.0/", "/8",
        "10.0.0.0/8/8", "::ffff:1.2.3.4", "2001:db8::1", "2001:db8::/65", "2000::/15", "2001:db8::1/48", "::1/64",
        "2001:db8:1::/32", "::ffff:0:0/64", "10.0.0.0/-8", "proxy", "10.0.0.0/99999999999999999999",
    ])
    func refusesNetworks(_ entry: String) { #expect(ProxyList([entry]) == nil) }

    // MARK: X-Forwarded-For

    @Test(arguments: [
        // The peer is no proxy: what it says is ignored.
        ("9.9.9.9", "1.2.3.4", "9.9.9.9"),
        // The last address that isn't a proxy's counts, and not what was claimed before it.
        ("10.0.0.1", "1.2.3.4", "1.2.3.4"), ("10.0.0.1", "6.6.6.6, 1.2.3.4", "1.2.3.4"),
        ("10.0.0.1", "6.6.6.6,1.2.3.4 ,10.0.0.2,  10.1.1.1", "1.2.3.4"),
        ("10.0.0.1", "2001:db9::5", "2001:db9:0:0::/64"), ("10.0.0.1", "1.2.3.4, ::1", "1.2.3.4"),
        ("::1", "1.2.3.4, 2001:db8:1:2::3", "1.2.3.4"), ("::1", "1.2.3.4, 2001:db9::3", "2001:db9:0:0::/64"),
        // Only proxies: the first one.
        ("10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"),
        // Nothing that is an address: the proxy that said so.
        ("10.0.0.1", "", "10.0.0.1"), ("10.0.0.1", "1.2.3.4, unknown", "10.0.0.1"),
        ("10.0.0.1", "1.2.3.4,", "10.0.0.1"),
        ("10.0.0.1", "1.2.3.4, x, 10.0.0.2", "10.0.0.2"),
    ])
    func believesOnlyItsProxies(_ sender: String, _ header: String, _ origin: String) throws {
        let proxies = try #require(ProxyList(["10.0.0.0/8", "::1", "2001:db8::/32"]))
        let peer = try #require(ClientAddress(sender))
        #expect(proxies.origin(of: peer, forwardedFor: header).description == origin)
        #expect(proxies.origin(of: peer, forwardedFor: nil) == peer)
    }

    /// Whatever a client sends, the address that our proxy has added behind it counts.
    @Test func nothingThatAClientClaimsHelpsIt() throws {
        let proxies = try #require(ProxyList(["10.0.0.0/8"]))
        let proxy = ClientAddress(ipv4: 10 << 24 + 1)
        let client = try #require(ClientAddress("203.0.113.7"))
        var random = Lehmer(seed: 7)
        // U+0605 and a comma behind it are one character of Swift's.
        let parts = [
            "1.2.3.4", ",", ", ", "10.0.0.1", "[", "]", ":", "::1", "\t", " ", "unknown", "\"", ";", "é", "/",
            "\u{605}",
        ]
        for _ in 0..<20_000 {
            let claimed = (0..<random.below(12)).map { _ in parts[random.below(parts.count)] }.joined()
            let header = "\(claimed), 203.0.113.7"
            #expect(proxies.origin(of: proxy, forwardedFor: header) == client, "\(header)")
        }
    }

    // MARK: PROXY protocol

    static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]

    static func binary(_ command: UInt8, _ family: UInt8, _ content: [UInt8], length: Int? = nil) -> [UInt8] {
        let length = length ?? content.count
        return signature + [command, family, UInt8(length >> 8), UInt8(length & 255)] + content
    }

    static let four: [UInt8] = [1, 2, 3, 4, 127, 0, 0, 1, 0x30, 0x39, 0, 80]
    static let six: [UInt8] = [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 32)

    static let good: [(bytes: [UInt8], client: String?)] = [
        (Array("PROXY TCP4 1.2.3.4 127.0.0.1 12345 80\r\n".utf8), "1.2.3.4"),
        (Array("PROXY TCP6 2001:db8::1 ::1 1 65535\r\n".utf8), "2001:db8:0:0::/64"),
        (Array("PROXY UNKNOWN\r\n".utf8), nil), (Array("PROXY UNKNOWN ffff:f ::1 65535 65535\r\n".utf8), nil),
        (binary(0x21, 0x11, four), "1.2.3.4"), (binary(0x21, 0x12, four), "1.2.3.4"),
        (binary(0x21, 0x21, six), "2001:db8:0:0::/64"),
        // Fields behind the addresses.
        (binary(0x21, 0x11, four + [UInt8](repeating: 4, count: 500)), "1.2.3.4"),
        (binary(0x20, 0x00, []), nil), (binary(0x20, 0x11, four), nil), (binary(0x21, 0x00, [1, 2, 3]), nil),
        (binary(0x21, 0x31, [UInt8](repeating: 47, count: 216)), nil),
        (binary(0x21, 0x11, four + [UInt8](repeating: 0, count: 4_096 - 28)), "1.2.3.4"),
    ]

    /// Also byte by byte, and with a request behind it.
    @Test(arguments: good.indices)
    func readsHeaders(_ index: Int) {
        let (bytes, client) = Self.good[index]
        for count in 0..<bytes.count { #expect(ProxyHeader.read(Array(bytes[..<count])) == .incomplete) }
        let expected = ProxyHeader.Reading.header(
            count: bytes.count,
            client: client.flatMap { text in
                text.hasSuffix("/64") ? ClientAddress("2001:db8::") : ClientAddress(text)
            })
        #expect(ProxyHeader.read(bytes) == expected)
        #expect(ProxyHeader.read(bytes + Array("GET / HTTP/1.1\r\n".utf8)) == expected)
    }

    static let bad: [[UInt8]] =
        [
            "GET / HTTP/1.1\r\n", "proxy TCP4 1.2.3.4 1.2.3.4 1 1\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 1\n",
            "PROXY TCP4 1.2.3.4 1.2.3.4 1\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 1 1\r\n",
            "PROXY TCP4  1.2.3.4 1.2.3.4 1 1\r\n", "PROXY TCP4 ::1 ::1 1 1\r\n", "PROXY TCP6 1.2.3.4 1.2.3.4 1 1\r\n",
            "PROXY TCP4 1.2.3.4 1.2.3.4 65536 1\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 +1 1\r\n",
            "PROXY TCP4 1.2.3.4 1.2.3.4 01 1\r\n", "PROXY TCP4 1.2.3.4\0 1.2.3.4 1 1\r\n", "PROXY \r\n",
            "PROXY UDP4 1.2.3.4 1.2.3.4 1 1\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 1\u{E9}\r\n",
            "PROXY UNKNOWN " + String(repeating: "x", count: 200),
        ].map { Array($0.utf8) } + [
            binary(0x11, 0x11, four), binary(0x22, 0x11, four), binary(0x21, 0x13, four), binary(0x21, 0x41, four),
            binary(0x21, 0x11, four, length: 11), binary(0x21, 0x21, four), binary(0x21, 0x11, four, length: 4_081),
            binary(0x21, 0x11, four, length: 65_535), [0x0D, 0x0A, 0x0D, 0x0A, 0x01],
        ]

    @Test(arguments: bad.indices)
    func refusesHeaders(_ index: Int) { #expect(ProxyHeader.read(Self.bad[index]) == .invalid) }

    /// Anything near a header never traps, never takes more than there is, and never waits beyond the bound.
    @Test func readsAnything() {
        var random = Lehmer(seed: 11)
        for _ in 0..<50_000 {
            var bytes = Self.good[random.below(Self.good.count)].bytes
            for _ in 0..<random.below(4) where !bytes.isEmpty {
                switch random.below(3) {
                case 0: bytes[random.below(bytes.count)] = UInt8(random.below(256))
                case 1: bytes.remove(at: random.below(bytes.count))
                default: bytes.insert(UInt8(random.below(256)), at: random.below(bytes.count))
                }
            }
            if random.below(3) == 0 { bytes += [UInt8](repeating: 0x20, count: random.below(5_000)) }
            switch ProxyHeader.read(bytes) {
            case .header(let count, _): #expect(count <= bytes.count && count <= ProxyHeader.bytesMax)
            case .incomplete: #expect(bytes.count < ProxyHeader.bytesMax)
            case .invalid: break
            }
        }
    }

    // MARK: On a socket

    private func server(takesHeader: Bool) throws -> TestServer {
        try TestServer {
            $0.proxies = ProxyList(["127.0.0.1"]) ?? ProxyList()
            $0.takesProxyHeader = takesHeader
            $0.connectionsPerAddressMax = 2
            $0.strangersPerAddressMax = 2
        }
    }

    private func ask(_ client: RawClient, _ more: String = "", _ start: [UInt8] = []) throws -> String {
        client.send(start + Array("GET /echo HTTP/1.1\r\nHost: h\r\n\(more)\r\n".utf8))
        return String(try client.readResponse().body.split(separator: " ").last ?? "")
    }

    @Test func limitsApplyToWhomAProxyNames() throws {
        let server = try server(takesHeader: false)
        func upgrade(for client: String, from source: String = "127.0.0.1") throws -> (RawClient, String) {
            let proxied = try RawClient(port: server.port, from: source)
            proxied.send(RawClient.upgrade("GET /v1/socket HTTP/1.1", ["X-Forwarded-For": client]))
            return (proxied, try proxied.readHead().status)
        }
        var open: [RawClient] = []
        // Two of each client, through one proxy.
        for number in 0..<10 {
            let (client, status) = try upgrade(for: "6.6.6.6, 198.51.100.\(number / 2)")
            #expect(status == "HTTP/1.1 101 Switching Protocols")
            open.append(client)
        }
        #expect(try upgrade(for: "198.51.100.3").1 == "HTTP/1.1 429 Too Many Requests")
        // Another peer may claim what it likes.
        for number in 0..<3 {
            let (client, status) = try upgrade(for: "203.0.113.\(number)", from: "127.0.0.2")
            #expect(status == (number < 2 ? "HTTP/1.1 101 Switching Protocols" : "HTTP/1.1 429 Too Many Requests"))
            open.append(client)
        }
        open[0].sendText("served")
        #expect(try open[0].readFrame().text == "served")
    }

    @Test func oneConnectionMayCarryRequestsOfMany() throws {
        let server = try server(takesHeader: false)
        let proxy = try RawClient(port: server.port)
        #expect(try ask(proxy, "X-Forwarded-For: 1.2.3.4\r\n") == "1.2.3.4")
        #expect(try ask(proxy, "X-Forwarded-For: 5.6.7.8\r\nX-Forwarded-For: 127.0.0.1\r\n") == "5.6.7.8")
        #expect(try ask(proxy) == "127.0.0.1")
        #expect(try ask(RawClient(port: server.port, from: "127.0.0.2"), "X-Forwarded-For: 1.2.3.4\r\n") == "127.0.0.2")
    }

    @Test func takesTheHeaderOfAListedProxy() throws {
        let server = try server(takesHeader: true)
        let line = Array("PROXY TCP4 198.51.100.1 127.0.0.1 1 2\r\n".utf8)
        let client = try RawClient(port: server.port)
        #expect(try ask(client, start: line) == "198.51.100.1")
        // It comes once, and what the client itself says of others is ignored.
        #expect(try ask(client, "X-Forwarded-For: 1.2.3.4\r\n") == "198.51.100.1")
        let slow = try RawClient(port: server.port)
        for byte in Self.binary(0x21, 0x11, [198, 51, 100, 2] + Self.four.dropFirst(4)) { slow.send([byte]) }
        #expect(try ask(slow) == "198.51.100.2")
        // The proxy's own checks.
        #expect(try ask(RawClient(port: server.port), start: Self.binary(0x20, 0, [])) == "127.0.0.1")
        let missing = try RawClient(port: server.port)
        missing.send("GET /echo HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(try missing.readResponse().head.status == "HTTP/1.1 400 Bad Request")
        #expect(try missing.isAtEnd())
    }

    @Test func takesNoHeaderOfAnybodyElse() throws {
        let server = try server(takesHeader: true)
        let line = Array("PROXY TCP4 198.51.100.1 127.0.0.1 1 2\r\n".utf8)
        let other = try RawClient(port: server.port, from: "127.0.0.2")
        other.send(line + Array("GET /echo HTTP/1.1\r\nHost: h\r\n\r\n".utf8))
        #expect(try other.readResponse().head.status == "HTTP/1.1 400 Bad Request")
        #expect(try ask(RawClient(port: server.port, from: "127.0.0.2")) == "127.0.0.2")
        let off = try self.server(takesHeader: false)
        let proxy = try RawClient(port: off.port)
        proxy.send(line + Array("GET /echo HTTP/1.1\r\nHost: h\r\n\r\n".utf8))
        #expect(try proxy.readResponse().head.status == "HTTP/1.1 400 Bad Request")
    }

    private func ask(_ client: RawClient, start: [UInt8]) throws -> String { try ask(client, "", start) }
}
