import Testing

@testable import RoostLoad

@Suite struct SocketTargetTests {
    @Test func readsTheParts() throws {
        let target = try SocketTarget(url: "ws://127.0.0.1:8080/v1/socket?a=b")
        #expect(target.host == "127.0.0.1")
        #expect(target.port == 8_080)
        #expect(target.path == "/v1/socket?a=b")
        #expect(target.address == 0x7F00_0001)
        #expect(target.subprotocol == "roost.v1")
    }

    @Test func fillsInWhatIsMissing() throws {
        let target = try SocketTarget(url: "ws://localhost")
        #expect(target.port == 80)
        #expect(target.path == "/")
        #expect(target.address >> 24 == 127)
        #expect(try SocketTarget(url: "ws://localhost?x").path == "/?x")
    }

    @Test(arguments: [
        "", "http://a/", "ws://", "ws:///path", "ws://a:0/", "ws://a:65536/", "ws://a:b/", "ws://a:/",
        "ws://user@127.0.0.1/", "ws://[::1]/", "ws://127.0.0.1/#x", "ws://127.0.0.1/a b", "ws://127.0.0.1/\r\nX: y",
    ])
    func refuses(_ url: String) {
        #expect(throws: SocketFailure.badURL(url)) { try SocketTarget(url: url) }
    }

    @Test func reportsAnUnknownHost() {
        #expect(throws: SocketFailure.unknownHost("nowhere.invalid")) { try SocketTarget(url: "ws://nowhere.invalid/") }
    }

    @Test func spreadsConnectionsOverAddresses() {
        let each = HarnessLimits.connectionsPerAddress
        #expect(SourceAddresses.address(ofConnection: 0) == 0x7F00_0001)
        #expect(SourceAddresses.address(ofConnection: each - 1) == 0x7F00_0001)
        #expect(SourceAddresses.address(ofConnection: each) == 0x7F00_0002)
        #expect(SourceAddresses.address(ofConnection: 300 * each) == 0x7F00_012D)
        #expect(SourceAddresses.address(ofConnection: .max) == 0x7FFF_FFFE)
        #expect(SourceAddresses.address(ofConnection: -1) == 0x7F00_0001)
    }

    @Test func describesErrnoInWords() {
        #expect("\(SocketFailure.system(call: "socket", code: 24))" == "socket: Too many open files")
    }
}

@Suite struct DeadlineQueueTests {
    @Test func returnsTheOldestFirst() {
        var queue = DeadlineQueue(seconds: 1)
        #expect(queue.first == nil)
        queue.removeFirst()
        for number in 1...100 { queue.add(SocketKey(descriptor: 5, generation: UInt32(number)), now: UInt64(number)) }
        for number in 1...100 {
            #expect(queue.first?.key.generation == UInt32(number))
            #expect(queue.first?.at == UInt64(number) + 1_000_000_000)
            queue.removeFirst()
            if number % 3 == 0 { queue.add(SocketKey(descriptor: 6, generation: 0), now: 0) }
        }
        #expect(queue.first?.key.descriptor == 6)
    }

    @Test(arguments: [0, 1, 19_999, .max] as [Int32])
    func keysSurvivePacking(_ descriptor: Int32) {
        let key = SocketKey(descriptor: descriptor, generation: .max - 1)
        #expect(SocketKey(packed: key.packed) == key)
    }
}
