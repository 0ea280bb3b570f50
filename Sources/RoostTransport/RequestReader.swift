/// Finds the heads of requests in what arrives on one connection. It remembers how far it has looked, so that a head
/// that comes in small pieces costs no more than one that comes at once.
struct RequestReader {
    /// State of the bytes received so far.
    enum Reading {
        /// The head isn't complete.
        case incomplete
        /// A complete head.
        case whole(RequestHead)
        /// The request is invalid: the answer.
        case refused(HTTPResponse)
    }

    /// The lines of the head that have ended, without their line ends.
    private var lines: [Range<Int>] = []
    private var lineStart = 0
    /// The number of bytes that have been looked at.
    private var looked = 0
    /// Empty lines that came before this request.
    private var emptyLines = 0

    /// Looks at the bytes behind those it has seen. Takes a head that is complete off the front, and empty lines before
    /// one as soon as they are there.
    mutating func next(_ bytes: inout [UInt8]) -> Reading {
        // Empty lines before a request are ignored (RFC 9112, section 2.2).
        while looked < 2, bytes.count >= 2, bytes[0] == 0x0D, bytes[1] == 0x0A {
            bytes.removeFirst(2)
            looked = 0
            emptyLines += 1
            guard emptyLines <= RequestHead.Bounds.emptyLines else {
                return .refused(.badRequest("too many empty lines before a request"))
            }
        }
        let end = min(bytes.count, RequestHead.Bounds.bytes)
        while looked < end {
            let at = looked
            looked += 1
            if at >= RequestHead.Bounds.lineBytes, lines.isEmpty { return .refused(.targetTooLong) }
            let isAfterReturn = at > lineStart && bytes[at - 1] == 0x0D
            switch bytes[at] {
            case 0x0A:
                guard isAfterReturn else { return .refused(.badRequest("a bare line feed")) }
                if at - 1 == lineStart { return take(at + 1, of: &bytes) }
                if let refusal = endLine(at - 1, of: bytes) { return .refused(refusal) }
            case _ where isAfterReturn: return .refused(.badRequest("a bare return"))
            case 0x09, 0x0D, 0x20...0x7E, 0x80...0xFF: continue
            default: return .refused(.badRequest("a control character"))
            }
        }
        return bytes.count >= RequestHead.Bounds.bytes ? .refused(.headTooLarge) : .incomplete
    }

    private mutating func endLine(_ end: Int, of bytes: [UInt8]) -> HTTPResponse? {
        lines.append(lineStart..<end)
        lineStart = end + 2
        // An early check of the first line, so that a client with a wrong one doesn't wait for the rest in vain.
        if lines.count == 1, let refusal = RequestHead.fault(inLine: bytes[..<end]) { return refusal }
        return lines.count <= RequestHead.Bounds.fields + 1 ? nil : .headTooLarge
    }

    private mutating func take(_ count: Int, of bytes: inout [UInt8]) -> Reading {
        switch RequestHead.parse(lines.map { bytes[$0] }) {
        case .success(let head):
            self = RequestReader()
            bytes.removeFirst(count)
            return .whole(head)
        case .failure(let refusal): return .refused(refusal.response)
        }
    }
}
