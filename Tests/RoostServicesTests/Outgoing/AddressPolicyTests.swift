import RoostConfiguration
import Testing

@testable import RoostServices

struct AddressPolicyTests {
    @Test(
        "What isn't of the internet is refused, in every way to write it",
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
            "127.255.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.170", "192.0.2.1",
            "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
            "239.255.255.255", "240.0.0.1", "255.255.255.255",
            "::", "::1", "::7f00:1", "::127.0.0.1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "::ffff:8.8.8.8",
            "::ffff:0:127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b::8.8.8.8", "64:ff9b:1::1", "100::1", "2001::1",
            "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:10::1", "2001:db8::1", "2002:7f00:1::1", "3fff::1",
            "3fff:fff::1", "5f00::1", "fc00::1", "fd00::1", "fd12:3456:789a::1", "fe80::1", "febf::1", "fec0::1",
            "ff02::1", "ff0e::1",
        ])
    func refuses(_ text: String) throws {
        #expect(!AddressPolicy().permits(try #require(NetworkAddress(text))))
    }

    @Test(
        "Addresses of the internet are permitted, up to the borders of what isn't",
        arguments: [
            "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
            "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0",
            "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
            "2000::1", "2001:200::1", "2001:4860:4860::8888", "2003::1", "2606:4700:4700::1111", "3ffe::1",
        ])
    func permits(_ text: String) throws {
        #expect(AddressPolicy().permits(try #require(NetworkAddress(text))))
    }

    @Test("What the configuration names is permitted, and no neighbour of it")
    func permitsWhatIsNamed() throws {
        let ranges = try ["10.1.0.0/16", "127.0.0.1", "fd00:1::/32", "64:ff9b::/96"].map {
            try #require(AddressRange($0))
        }
        let policy = AddressPolicy(allowed: ranges)
        for text in ["10.1.2.3", "127.0.0.1", "fd00:1::5", "64:ff9b::8.8.8.8", "8.8.8.8"] {
            #expect(policy.permits(try #require(NetworkAddress(text))), "\(text)")
        }
        for text in ["10.2.0.1", "127.0.0.2", "fd00:2::5", "::ffff:10.1.2.3", "::ffff:127.0.0.1", "::1"] {
            #expect(!policy.permits(try #require(NetworkAddress(text))), "\(text)")
        }
    }

    @Test(
        "A range with a typing error is refused",
        arguments: [
            "", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/-1", "10.0.0.0/08", "10.0.0.0/8/8", "10.0.0",
            "::1/129", "fd00::1/8", "example.org", "10.0.0.0\0/8", " 10.0.0.0/8",
        ])
    func refusesRange(_ text: String) { #expect(AddressRange(text) == nil) }

    @Test("A range may be everything, of its family")
    func everything() throws {
        let all = try #require(AddressRange("0.0.0.0/0"))
        #expect(all.contains(.four(1)))
        #expect(!all.contains(.six(1)))
    }

    @Test(
        "URLs that could mean another host, or another protocol, are refused",
        arguments: [
            "", "example.org", "ftp://example.org/", "file:///etc/passwd", "gopher://example.org/", "https://",
            "https://user@example.org/", "https://user:pass@example.org/", "https://example.org\r\n/",
            "https://exa mple.org/", "https://example.org:99999/", "smtp://example.org",
        ])
    func refusesURL(_ text: String) {
        #expect(OutgoingURL(text, schemes: ["https", "http"], bytes: 100) == nil)
    }

    @Test("A URL is counted under its host, however it is written")
    func sites() {
        func site(_ text: String) -> String? { OutgoingURL(text, schemes: ["https", "http"], bytes: 100)?.site }
        #expect(site("HTTPS://Example.org/a?b#c") == "https://example.org:443")
        #expect(site("http://example.org:8080") == "http://example.org:8080")
        #expect(site("http://[::1]/") == "http://[::1]:80")
        #expect(OutgoingURL("https://a/" + String(repeating: "b", count: 100), schemes: ["https"], bytes: 100) == nil)
    }
}
