/// The header of the PROXY protocol, versions 1 and 2, by which a proxy that passes on bytes says whose they are
/// (haproxy.org, "The PROXY protocol"). It comes before everything else on the connection.
enum ProxyHeader {
    /// Meaning of the first bytes of a connection.
    enum Reading: Equatable {
        /// The header isn't complete.
        case incomplete
        /// A header of so many bytes. Without an address, the proxy speaks for itself, or for a socket that has none.
        case header(count: Int, client: ClientAddress?)
        /// No such header, or a broken one.
        case invalid
    }

    /// Most bytes of a header. Version 2 may have fields behind the addresses; with the name of a TLS client's
    /// certificate they take some hundred bytes.
    static let bytesMax = 4_096

    // Version 1: the longest line, with its end.
    private static let lineBytesMax = 107
    private static let lineStart = Array("PROXY ".utf8)
    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]

    /// Reads the header at the start of `bytes`.
    static func read(_ bytes: [UInt8]) -> Reading {
        if bytes.starts(with: signature) { return readBinary(bytes) }
        if bytes.starts(with: lineStart) { return readLine(bytes) }
        return signature.starts(with: bytes) || lineStart.starts(with: bytes) ? .incomplete : .invalid
    }

    // MARK: Version 1

    private static func readLine(_ bytes: [UInt8]) -> Reading {
        guard let end = bytes.prefix(lineBytesMax).firstIndex(of: 0x0A) else {
            return bytes.count < lineBytesMax ? .incomplete : .invalid
        }
        guard bytes[end - 1] == 0x0D, bytes[..<end].allSatisfy({ $0 < 0x80 }) else { return .invalid }
        let line = String(decoding: bytes[lineStart.count..<(end - 1)], as: UTF8.self)
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        // The rest behind UNKNOWN has no meaning.
        if words.first == "UNKNOWN" { return .header(count: end + 1, client: nil) }
        guard words.count == 5, words[0] == "TCP4" || words[0] == "TCP6",
            words[1].contains(":") == (words[0] == "TCP6"),
            let client = ClientAddress(words[1]), ClientAddress(words[2]) != nil, isPort(words[3]), isPort(words[4])
        else { return .invalid }
        return .header(count: end + 1, client: client)
    }

    private static func isPort(_ text: Substring) -> Bool { UInt16(text).map { String($0) == text } ?? false }

    // MARK: Version 2

    private static func readBinary(_ bytes: [UInt8]) -> Reading {
        guard bytes.count >= 16 else { return .incomplete }
        let (command, family) = (bytes[12], bytes[13])
        let length = Int(bytes[14]) << 8 | Int(bytes[15])
        guard command == 0x20 || command == 0x21, length <= bytesMax - 16 else { return .invalid }
        let addresses: Int
        switch family {
        case 0x00: addresses = 0
        case 0x11, 0x12: addresses = 12
        case 0x21, 0x22: addresses = 36
        case 0x31, 0x32: addresses = 216
        default: return .invalid
        }
        // LOCAL is the proxy's own, such as a health check. Its addresses are to be ignored.
        let isLocal = command == 0x20
        guard isLocal || length >= addresses else { return .invalid }
        guard bytes.count >= 16 + length else { return .incomplete }
        let client: ClientAddress? = bytes.withUnsafeBytes { bytes in
            switch (isLocal, addresses) {
            case (false, 12):
                ClientAddress(ipv4: UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self)))
            case (false, 36): ClientAddress(ipv6: UnsafeRawBufferPointer(rebasing: bytes[16..<32]))
            default: nil
            }
        }
        return .header(count: 16 + length, client: client)
    }
}
