import Glibc

/// A mail in the form of RFC 5322, with CRLF at the ends of lines. Names and subjects are encoded (RFC 2047) unless
/// they are plain words, so that none of them can begin another header. Pure, but for the random id.
struct MailMessage: Sendable {
    var from: Mailbox
    var replyTo: Mailbox?
    var to: Mailbox
    var subject: String
    var text: String
    /// Seconds since 1970.
    var date: Int
    /// The same for each try, so that a server that got it twice can recognize it.
    var id: String

    /// An id that no other mail has: 128 random bits.
    static func randomID() -> String {
        (0..<2).map { _ in
            let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// The whole of it.
    var bytes: [UInt8] {
        var lines = ["From: \(Self.header(from))"]
        if let replyTo { lines.append("Reply-To: \(Self.header(replyTo))") }
        lines += [
            "To: \(Self.header(to))",
            "Subject: \(Self.encoded(subject))",
            "Date: \(Self.date(date))",
            "Message-ID: <\(id)@\(from.address.domain)>",
            "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: quoted-printable",
            // No answer by a machine is wanted (RFC 3834, section 5).
            "Auto-Submitted: auto-generated",
            "",
            "",
        ]
        return Array(lines.joined(separator: "\r\n").utf8) + Self.quotedPrintable(text)
    }

    private static func header(_ box: Mailbox) -> String {
        // On lines of their own: neither an encoded name nor an address is longer than a line may be.
        box.name.isEmpty ? box.address.text : "\(encoded(box.name))\r\n <\(box.address.text)>"
    }

    /// Text for a header: as it is if it consists of plain words, else in encoded words, each with whole characters, on
    /// lines of at most 76 (RFC 2047, section 2).
    static func encoded(_ text: String) -> String {
        let isPlain = text.utf8.count <= 60 && text.utf8.allSatisfy { isPlainByte($0) } && !text.hasPrefix(" ")
        if isPlain { return text }
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let bytes = Array(Character(scalar).utf8)
            // 39 bytes are 52 characters of base64, 12 are around them, and 10 may be before them.
            if words[words.count - 1].count + bytes.count > 39 { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?utf-8?B?\(base64($0))?=" }.joined(separator: "\r\n ")
    }

    private static func isPlainByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: " "), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let number = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0...group.count { text.append(digits[(number >> (18 - 6 * place)) & 63]) }
            text += String(repeating: "=", count: 3 - group.count)
        }
        return text
    }

    /// RFC 5322, section 3.3; in UTC, so that it doesn't say where we are.
    static func date(_ seconds: Int) -> String {
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
        let clock = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
        let month = months[Int(parts.tm_mon) % 12]
        return "\(days[Int(parts.tm_wday) % 7]), \(parts.tm_mday) \(month) \(parts.tm_year + 1_900) \(clock) +0000"
    }

    /// RFC 2045, section 6.7: lines of at most 76 characters, longer ones broken by `=`.
    static func quotedPrintable(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            var column = 0
            let source = Array(line.utf8)
            for (index, byte) in source.enumerated() {
                let isLast = index == source.count - 1
                let isSpace = byte == 32 || byte == 9
                let isLiteral = (33...126).contains(byte) && byte != UInt8(ascii: "=") || isSpace && !isLast
                let form = isLiteral ? [byte] : escaped(byte)
                // The break itself takes a column.
                if column + form.count > 75 {
                    bytes += [UInt8(ascii: "="), 13, 10]
                    column = 0
                }
                bytes += form
                column += form.count
            }
            bytes += [13, 10]
        }
        return bytes
    }

    private static func escaped(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
