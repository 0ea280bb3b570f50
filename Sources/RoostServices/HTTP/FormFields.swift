/// The fields of a query or a form (application/x-www-form-urlencoded, section 5 of the URL standard). A value.
struct FormFields: Sendable {
    private var fields: [String: String] = [:]

    /// Nil if a field is there twice, which RFC 6749, section 3.1, forbids, or isn't UTF-8.
    init?(_ text: some Collection<UInt8>) {
        for field in text.split(separator: UInt8(ascii: "&")) {
            let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = parts.first, let name = FormFields.decoded(first),
                let value = parts.count == 2 ? FormFields.decoded(parts[1]) : "", fields[name] == nil
            else { return nil }
            fields[name] = value
        }
    }

    /// A field's value; nil if it isn't there.
    subscript(name: String) -> String? { fields[name] }

    private static func decoded(_ bytes: some Collection<UInt8>) -> String? {
        var found: [UInt8] = []
        var rest = Array(bytes)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): found.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst(), let low = rest.popFirst(),
                    high != UInt8(ascii: "+"),
                    let value = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
                else { return nil }
                found.append(value)
            default: found.append(byte)
            }
        }
        return String(validating: found, as: UTF8.self)
    }

    /// Fields as a form or a query has them.
    static func encoded(_ fields: [(String, String)]) -> String {
        fields.map { encoded($0.0) + "=" + encoded($0.1) }.joined(separator: "&")
    }

    /// A name or a value. Everything but RFC 3986's unreserved characters is escaped, the space, too: so a query reads
    /// the same by both rules.
    static func encoded(_ text: String) -> String {
        var found = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                found.unicodeScalars.append(Unicode.Scalar(byte))
            default: found += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return found
    }
}
