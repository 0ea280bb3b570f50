import HTTPTypes
import Logging
import RoostStore
import Testing

@testable import RoostServices

/// The origin of a request, and its effect: pages, networks, this machine.
struct DoorTests {
    private func headers(_ fields: [String: String]) -> HTTPFields {
        var headers = HTTPFields()
        for (name, value) in fields { HTTPField.Name(name).map { headers[$0] = value } }
        return headers
    }

    private func isRefused(
        _ method: HTTPRequest.Method, _ rule: PageOrigin.Rule, _ fields: [String: String]
    ) -> Bool {
        let pages = PageOrigin(origins: ["https://chat.example.org"])
        do throws(ServiceFault) { try pages.check(method, headers(fields), rule) } catch {
            return error.code == .forbidden
        }
        return false
    }

    @Test func changesComeFromListedPages() {
        let foreign = ["Origin": "https://evil.example"]
        for method in [HTTPRequest.Method.post, .put, .patch, .delete] {
            #expect(isRefused(method, .listed, foreign))
            #expect(isRefused(method, .listed, ["Origin": "null"]))
            #expect(isRefused(method, .listed, ["Sec-Fetch-Site": "cross-site"]))
            #expect(!isRefused(method, .listed, [:]))
            #expect(!isRefused(method, .listed, ["Sec-Fetch-Site": "same-origin"]))
            #expect(
                !isRefused(method, .listed, ["Origin": "https://chat.example.org", "Sec-Fetch-Site": "cross-site"]))
            #expect(!isRefused(method, .provider, foreign))
        }
        #expect(!isRefused(.get, .listed, foreign))
    }

    @Test func aSignInIsBegunByALinkOfAListedPage() {
        let link = ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"]
        #expect(isRefused(.get, .link, link))
        for place in ["https://evil.example/", "https://chat.example.org.evil.example/", "chat.example.org", "https:"] {
            #expect(isRefused(.get, .link, link.merging(["Referer": place]) { $1 }), "\(place)")
        }
        #expect(!isRefused(.get, .link, link.merging(["Referer": "https://chat.example.org/"]) { $1 }))
        #expect(!isRefused(.get, .link, ["Sec-Fetch-Site": "same-site", "Sec-Fetch-Dest": "document"]))
        #expect(isRefused(.get, .link, ["Sec-Fetch-Site": "same-site", "Sec-Fetch-Dest": "image"]))
        #expect(!isRefused(.get, .link, [:]))
    }

    @Test func aProxyBesideUsIsNotThisMachine() {
        let addresses = ClientAddress(proxies: ["127.0.0.1"])
        for peer in ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"] {
            #expect(addresses.isLocal(peer: peer, HTTPFields()))
            for field in ["X-Forwarded-For", "Forwarded", "X-Real-IP", "X-Forwarded-Host", "Via"] {
                #expect(!addresses.isLocal(peer: peer, headers([field: "127.0.0.1"])), "\(field)")
            }
        }
        for peer in ["192.0.2.1", "::2", "", "localhost"] { #expect(!addresses.isLocal(peer: peer, HTTPFields())) }
    }

    // MARK: Networks

    private func keys(_ address: String) -> [[UInt8]] {
        ClientAddress.networks(of: ClientAddress().key(peer: address, forwarded: nil)).map { Array($0.utf8) }
    }

    @Test func largerNetworksCountToo() {
        #expect(keys("192.0.2.1").count == 1)
        #expect(keys("2001:db8:1:200::1")[1] == keys("2001:db8:1:2ff::1")[1])
        #expect(keys("2001:db8:1:200::1")[1] != keys("2001:db8:1:300::1")[1])
        #expect(keys("2001:db8:1:200::1")[2] == keys("2001:db8:1:ffff::1")[2])
        #expect(keys("2001:db8:1:200::1")[2] != keys("2001:db8:2:200::1")[2])
        var limits = ServicesLimits()
        (limits.addressAttempts, limits.homeAttempts, limits.siteAttempts) = (2, 5, 9)
        var attempts = NetworkAttempts(limits)
        // From ever new networks of one home, and then of one site.
        func admitted(_ networks: some Sequence<Int>) -> Int {
            networks.filter { network in
                let verdict = attempts.admit(keys("2001:db8:1:\(String(network, radix: 16))::1"), now: 1)
                return if case .admitted = verdict { true } else { false }
            }.count
        }
        #expect(admitted(0x200...0x2FF) == 5)
        #expect(admitted(stride(from: 0x1000, to: 0x5000, by: 0x100)) == 4)
        // Refused ones count nowhere, and what is given back is free again.
        attempts.giveBack(keys("2001:db8:1:1000::1"))
        #expect(attempts.admit(keys("2001:db8:1:1100::1"), now: 1) == .admitted(isAlone: false))
        #expect(attempts.admit(keys("2001:db8:2:1::1"), now: 1) == .admitted(isAlone: true))
        #expect(attempts.admit(keys("2001:db8:2:2::1"), now: 1) == .admitted(isAlone: false))
    }

    @Test func aPartOfTheQueueIsKeptForThoseWhoTryOnce() {
        var limits = ServicesLimits()
        (limits.hashQueue, limits.hashReserve) = (5, 2)
        let desk = HashDesk(limits: limits)
        func job() -> HashJob { HashJob { {} } }
        #expect((0..<9).filter { _ in desk.add(job(), mayUseReserve: false) }.count == 3)
        #expect((0..<9).filter { _ in desk.add(job()) }.count == 2)
        desk.stop()
    }

    // MARK: Forgotten passwords

    @Test func aForgottenPasswordWritesAsMuchForAnUnknownAddress() async throws {
        let (folder, clock) = (TestFolder(), TestClock())
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        var limits = ServicesLimits()
        limits.letters = 1_000
        let database = try await ServicesDatabase(path: folder.path + "/services.db", log: log)
        let accounts = Accounts(
            settings: Accounts.Settings(), limits: limits, clock: clock.wall, database: database,
            hashes: try HashPool(limits: limits),
            keys: try KeyRing(data: folder.path, limits: limits, clock: clock.wall),
            mail: HeldMail(limits: limits, clock: clock.wall), log: log)
        _ = try await accounts.signUp(
            Accounts.Application(email: "ann@example.org", password: "correct horse", displayName: "Ann"), client: "c")
        func changes() async throws -> Int64 {
            try await database.read { database throws(LocalFailure) in
                try database.rows("SELECT total_changes()") { $0.integer(0) }.first ?? 0
            }
        }
        func written(_ email: String) async throws -> Int64 {
            let before = try await changes()
            try await accounts.sendReset(to: email)
            return try await changes() - before
        }
        // The first three of each, and then the oldest goes with each.
        for number in 0..<8 {
            let (known, unknown) = (try await written("ann@example.org"), try await written("nobody@example.org"))
            #expect(known == unknown && known > 0, "\(number)")
        }
        // No link of an unknown address is good for anything.
        let decoys = try await database.read { database throws(LocalFailure) in
            try database.rows("SELECT user IS NULL FROM link WHERE purpose = 'decoy'") { $0.integer(0) }
        }
        #expect(decoys == [1, 1, 1])
    }
}
