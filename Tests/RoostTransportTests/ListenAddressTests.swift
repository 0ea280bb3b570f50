import RoostTransport
import Testing

/// Where a server may listen.
@Suite struct ListenAddressTests {
    @Test(
        arguments: [
            ("127.0.0.1", "127.0.0.1:80", true), ("localhost", "localhost:80", true), ("0.0.0.0", "0.0.0.0:80", false),
            ("192.0.2.1", "192.0.2.1:80", false), ("::1", "[::1]:80", true), ("::", "[::]:80", false),
            ("2001:db8::1", "[2001:db8::1]:80", false), ("unix:/run/roost.sock", nil, true),
        ] as [(String, String?, Bool)])
    func readsAddresses(_ host: String, _ authority: String?, _ isLocal: Bool) throws {
        let address = try #require(ListenAddress(host))
        #expect(address.authority(port: 80, as: host) == authority)
        #expect(address.isLocal == isLocal)
    }

    @Test(arguments: [
        "", "somewhere", "127.0.0", "127.0.0.1.", "127.0.0.256", "[::1]", "::1%lo", "unix:", "unix:relative",
        "unix:/" + String(repeating: "x", count: 107), "unix:/a\0b", "127.0.0.1\0",
    ])
    func refusesEverythingElse(_ host: String) { #expect(ListenAddress(host) == nil) }

    @Test func aPathThatJustFitsIsTaken() {
        #expect(ListenAddress("unix:/" + String(repeating: "x", count: 106)) != nil)
    }
}
