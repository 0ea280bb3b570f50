import Testing

@testable import RoostTransport

@Suite struct RequestReaderTests {
    static let head = "GET /echo?n=1 HTTP/1.1\r\nHost: h\r\nX: \(String(repeating: "x", count: 2_000))\r\n\r\n"

    /// A byte that is changed after it was looked at isn't noticed before the head is complete. The request line is
    /// read once more at its end.
    @Test func looksAtEachByteOnce() {
        let lineCount = "GET /echo?n=1 HTTP/1.1\r\n".utf8.count
        var reader = RequestReader()
        var bytes: [UInt8] = []
        for byte in Array(Self.head.utf8).dropLast() {
            bytes.append(byte)
            guard case .incomplete = reader.next(&bytes) else {
                Issue.record("byte \(bytes.count) is looked at again")
                return
            }
            if bytes.count > lineCount, byte != 0x0D { bytes[bytes.count - 1] = 0 }
        }
    }

    @Test func readsRequestsInPiecesAsAtOnce() {
        var reader = RequestReader()
        var bytes: [UInt8] = []
        var paths: [String] = []
        let requests = "\r\n\r\n" + Self.head + "\r\nHEAD /a HTTP/1.0\r\n\r\n" + Self.head
        for byte in requests.utf8 {
            bytes.append(byte)
            switch reader.next(&bytes) {
            case .incomplete: break
            case .whole(let head): paths.append(head.path)
            case .refused(let response): Issue.record("refused with \(response.status)")
            }
        }
        #expect(paths == ["/echo", "/a", "/echo"])
        #expect(bytes.isEmpty)
    }

    @Test(arguments: [0, 1, 2, 3, 4])
    func takesTwoEmptyLinesBeforeARequest(_ count: Int) {
        var reader = RequestReader()
        var status = 200
        for _ in 0..<count {
            // A line at a time, so that none is left to count.
            var line: [UInt8] = [0x0D, 0x0A]
            if case .refused(let response) = reader.next(&line) { status = response.status }
        }
        #expect(status == (count > RequestHead.Bounds.emptyLines ? 400 : 200))
    }

    @Test(arguments: [0, 1])
    func boundsTheBytesOfAHead(_ more: Int) {
        let start = "GET / HTTP/1.1\r\nHost: h\r\nX: "
        let filling = RequestHead.Bounds.bytes - start.utf8.count - 4 + more
        var reader = RequestReader()
        var bytes: [UInt8] = []
        var status = 0
        for byte in (start + String(repeating: "x", count: filling) + "\r\n\r\n").utf8 where status == 0 {
            bytes.append(byte)
            switch reader.next(&bytes) {
            case .incomplete: break
            case .whole: status = 200
            case .refused(let response): status = response.status
            }
        }
        #expect(status == (more == 0 ? 200 : 431))
    }
}
