import CIDN2
import Glibc

/// A domain in the one form that is stored, compared and written to: A-labels in lower case (RFC 5890, section
/// 2.3.2.1). libidn2 maps what keyboards make of it, such as full-width letters (UTS 46), and knows which characters a
/// label may have (RFC 5892).
enum MailDomain {
    /// RFC 1035, section 2.3.4.
    private static let labelBytesMax = 63
    private static let bytesMax = 253
    /// More would be work for nothing: a character takes four bytes, and a domain has no more than the above.
    private static let writtenBytesMax = 4 * bytesMax

    /// The form; nil if it is no domain.
    static func ascii(_ text: some StringProtocol) -> String? {
        guard (1...writtenBytesMax).contains(text.utf8.count), text.unicodeScalars.allSatisfy(isWritten) else {
            return nil
        }
        var found: UnsafeMutablePointer<CChar>?
        let flags = Int32(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
        guard idn2_to_ascii_8z(String(text), &found, flags) == IDN2_OK.rawValue, let found else { return nil }
        defer { free(found) }
        let domain = String(cString: found).lowercased()
        let labels = domain.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard domain.utf8.count <= bytesMax, labels.allSatisfy(isLabel) else { return nil }
        // No domain ends so, and an address of IPv4 stands in brackets (RFC 5321, section 4.1.3).
        let isNumber = labels.last?.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? true
        return isNumber ? nil : domain
    }

    // UTS 46 would leave out invisible characters.
    private static func isWritten(_ scalar: Unicode.Scalar) -> Bool {
        MailAddress.isWordScalar(scalar) || "-.\u{3002}\u{FF0E}\u{FF61}".unicodeScalars.contains(scalar)
    }

    // Letters, digits and hyphens, and none of these at the ends (RFC 1123, section 2.1).
    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        guard (1...labelBytesMax).contains(label.count), label.first != UInt8(ascii: "-"),
            label.last != UInt8(ascii: "-")
        else { return false }
        return label.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
            default: false
            }
        }
    }
}
