import RoostTLS
import RoostWire
import Testing

/// Two sides of TLS that hand each other their bytes, without any socket.
@Suite struct TLSStreamTests {
    /// One side, its bytes to send, and the bytes it got.
    private final class Side {
        let stream: TLSStream
        var output: [UInt8] = []
        var told: [UInt8] = []
        var hasEnded = false
        var failure: TLSFailure?
        /// Called with each piece that came.
        var onPlain: () -> Bool = { true }

        init(_ stream: TLSStream) { self.stream = stream }

        func say(_ bytes: [UInt8]) {
            bytes.withUnsafeBytes { stream.encrypt($0) { output += Array($0) } }
        }

        func take(_ bytes: [UInt8]) {
            do {
                let goesOn = try bytes.withUnsafeBytes { bytes in
                    try stream.receive(bytes) {
                        output += Array($0)
                    } plain: {
                        told += Array($0)
                        return onPlain()
                    }
                }
                if !goesOn { hasEnded = true }
            } catch {
                failure = error as? TLSFailure
            }
        }

        func takeOutput() -> [UInt8] {
            defer { output = [] }
            return output
        }
    }

    /// - Parameter piece: how many bytes arrive at once.
    private func exchange(_ one: Side, _ other: Side, piece: Int = .max) {
        while !one.output.isEmpty || !other.output.isEmpty {
            for (from, to) in [(one, other), (other, one)] {
                let bytes = from.takeOutput()
                for start in stride(from: 0, to: bytes.count, by: min(piece, max(1, bytes.count))) {
                    to.take(Array(bytes[start..<min(bytes.count, start + min(piece, bytes.count))]))
                }
            }
        }
    }

    private func withPair(
        host: String = "roost.test", piece: Int = .max, clientCA: Bool = false,
        _ body: (_ client: Side, _ server: Side) throws -> Void
    ) throws {
        try TestCertificate.withFiles { certificate, key, _ in
            let context = try TLSContext(
                certificate: certificate, key: key, clientCA: clientCA ? certificate : nil)
            let trust = try TLSContext(trusting: certificate)
            let server = Side(try TLSStream(server: context))
            let client = Side(try TLSStream(client: trust, host: host))
            client.stream.start { client.output += Array($0) }
            exchange(client, server, piece: piece)
            try body(client, server)
        }
    }

    @Test(arguments: [1, 7, 1_000, Int.max])
    func sentBytesArrive(_ piece: Int) throws {
        try withPair(piece: piece) { client, server in
            #expect(client.stream.isOpen && server.stream.isOpen)
            // Some records, and a part of one.
            let long = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            client.say(long)
            server.say(Array("hello".utf8))
            exchange(client, server, piece: piece)
            #expect(server.told == long)
            #expect(client.told == Array("hello".utf8))
        }
    }

    @Test func nothingIsSaidBeforeTheHandshake() throws {
        try TestCertificate.withFiles { certificate, key, _ in
            let server = Side(try TLSStream(server: try TLSContext(certificate: certificate, key: key, clientCA: nil)))
            server.say([1, 2, 3])
            #expect(server.output.isEmpty)
            #expect(!server.stream.isOpen)
        }
    }

    /// All connections of a loop share a buffer: what one says while another is read mustn't touch what is read.
    @Test func streamsMaySpeakWhileAnotherIsRead() throws {
        try TestCertificate.withFiles { certificate, key, _ in
            let context = try TLSContext(certificate: certificate, key: key, clientCA: nil)
            let trust = try TLSContext(trusting: certificate)
            var pairs: [(client: Side, server: Side)] = []
            for _ in 0..<2 {
                let pair = (
                    client: Side(try TLSStream(client: trust, host: "127.0.0.1")),
                    server: Side(try TLSStream(server: context))
                )
                pair.client.stream.start { pair.client.output += Array($0) }
                exchange(pair.client, pair.server)
                pairs.append(pair)
            }
            let (one, other) = (pairs[0], pairs[1])
            for round in 0..<50 { one.client.say([UInt8](repeating: UInt8(round), count: 1_000)) }
            one.server.onPlain = {
                other.server.say([9])
                one.server.say([8])
                return true
            }
            one.server.take(one.client.takeOutput())
            #expect(one.server.told == (0..<50).flatMap { [UInt8](repeating: UInt8($0), count: 1_000) })
            exchange(one.client, one.server)
            exchange(other.client, other.server)
            #expect(one.client.told == [UInt8](repeating: 8, count: 50))
            #expect(other.client.told == [UInt8](repeating: 9, count: 50))
        }
    }

    @Test func aServerOfAnotherNameIsRefused() throws {
        try withPair(host: "elsewhere.test") { client, server in
            #expect(client.failure != nil)
            #expect(!server.stream.isOpen || server.failure != nil)
        }
    }

    @Test func theEndIsSaid() throws {
        try withPair { client, server in
            server.say([1])
            server.stream.close { server.output += Array($0) }
            server.say([2])
            exchange(client, server)
            #expect(client.told == [1])
            #expect(client.hasEnded)
            #expect(!server.stream.isOpen)
            // A second end says nothing more.
            server.stream.close { server.output += Array($0) }
            #expect(server.output.isEmpty)
        }
    }

    @Test func bytesThatAreNotTLSFail() throws {
        try withPair { _, server in
            server.take(Array("GET / HTTP/1.1\r\n\r\n".utf8))
            #expect(server.failure != nil)
            server.take([1, 2, 3])
            #expect(server.hasEnded)
        }
    }

    @Test func aPeerWithoutACertificateIsNotKnown() throws {
        try withPair(clientCA: true) { _, server in
            #expect(server.stream.isOpen)
            #expect(!server.stream.isPeerKnown)
        }
    }

    @Test func filesThatDoNotFitAreNamed() throws {
        try TestCertificate.withFiles { certificate, key, none in
            func fault(_ certificate: String, _ key: String, _ clientCA: String? = nil) -> String {
                do throws(TLSFailure) {
                    _ = try TLSContext(certificate: certificate, key: key, clientCA: clientCA)
                    return ""
                } catch {
                    return error.description
                }
            }
            #expect(fault(certificate, key).isEmpty)
            #expect(fault(none, key).hasPrefix(none))
            #expect(fault(certificate, none).hasPrefix(none))
            #expect(fault(certificate, key, none).hasPrefix(none))
            #expect(fault(certificate + "x", key).contains("No such file"))
            #expect(throws: TLSFailure.self) { _ = try TLSContext(trusting: none) }
            let context = try TLSContext(certificate: certificate, key: key, clientCA: nil)
            #expect(context.expires?.milliseconds == 4_733_510_400_000)
        }
    }
}
