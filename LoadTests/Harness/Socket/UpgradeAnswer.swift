/// Reads the answer to an upgrade (RFC 6455, section 4.1). Pure. `Sec-WebSocket-Accept` has to be there, but its value
/// isn't checked: that takes SHA-1, which neither Swift nor libc has, and shows only that no cache or plain HTTP server
/// answered. On the way to a relay under test there is none.
enum UpgradeAnswer {
    enum Reading: Equatable {
        case incomplete
        /// `count`: bytes of the answer; frames follow.
        case accepted(count: Int)
        case refused(status: Int)
        case bad(String)
    }

    /// Looks for a whole answer at the start of `bytes`.
    static func read(_ bytes: UnsafeRawBufferPointer, subprotocol: String?) -> Reading {
        guard let end = headEnd(bytes) else {
            let isTooLong = bytes.count >= HarnessLimits.handshakeBytesMax
            return isTooLong ? .bad("the answer to the upgrade is too long") : .incomplete
        }
        guard end <= HarnessLimits.handshakeBytesMax else { return .bad("the answer to the upgrade is too long") }
        let lines = bytes[..<(end - 4)].split(separator: 10, omittingEmptySubsequences: false)
        guard let first = lines.first, let status = status(first) else { return .bad("the answer is not HTTP") }
        guard status == 101 else { return .refused(status: status) }
        var agreed: String?
        var (isWebSocket, isUpgrade, hasAccept) = (false, false, false)
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: 58) else { return .bad("a header without a colon") }
            let value = trimmed(line[(colon + 1)...])
            switch String(decoding: line[..<colon], as: UTF8.self).lowercased() {
            case "upgrade": isWebSocket = value.lowercased() == "websocket"
            case "connection":
                isUpgrade = value.lowercased().split(separator: ",").contains {
                    $0.split(separator: " ") == ["upgrade"]
                }
            case "sec-websocket-accept": hasAccept = !value.isEmpty
            case "sec-websocket-protocol": agreed = value
            case "sec-websocket-extensions": return .bad("an extension that nobody offered")
            default: continue
            }
        }
        guard isWebSocket, isUpgrade, hasAccept else { return .bad("101, but not an upgrade to a WebSocket") }
        guard agreed == subprotocol else { return .bad("the subprotocol is \(agreed ?? "missing")") }
        return .accepted(count: end)
    }

    private static func headEnd(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= 4 else { return nil }
        // Frames may follow, so the first empty line counts.
        for end in 4...min(bytes.count, HarnessLimits.handshakeBytesMax + 4)
        where bytes[end - 1] == 10 && bytes[end - 2] == 13 && bytes[end - 3] == 10 && bytes[end - 4] == 13 {
            return end
        }
        return nil
    }

    private static func status(_ line: Slice<UnsafeRawBufferPointer>) -> Int? {
        let parts = trimmed(line).split(separator: " ", maxSplits: 2)
        guard parts.count >= 2, parts[0] == "HTTP/1.1", parts[1].utf8.count == 3 else { return nil }
        return Int(parts[1]).flatMap { (100...599).contains($0) ? $0 : nil }
    }

    private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let isSpace = { (byte: UInt8) in byte == 32 || byte == 9 || byte == 13 }
        let start = bytes.drop(while: isSpace)
        let count = start.reversed().drop(while: isSpace).count
        return String(decoding: start.prefix(count), as: UTF8.self)
    }
}
