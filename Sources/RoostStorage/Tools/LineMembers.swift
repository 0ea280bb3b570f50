import RoostCore
import RoostNames
import RoostWire

/// The members of a line that have not been read yet. Every reading removes one; a member left at the end is a mistake.
struct LineMembers {
    private var rest: [String: JSONValue] = [:]

    /// Throws unless the bytes are one JSON object that gives each member once.
    init(_ bytes: UnsafeRawBufferPointer) throws(ExportLineFailure) {
        guard let members = JSONValue(parsing: bytes)?.members else { throw ExportLineFailure("not a JSON object") }
        for member in members {
            guard rest.updateValue(member.value, forKey: member.name) == nil else {
                throw ExportLineFailure("a member is given twice")
            }
        }
    }

    /// Throws if a member is left.
    func end() throws(ExportLineFailure) {
        guard rest.isEmpty else { throw ExportLineFailure("\(rest.count) unknown members") }
    }

    /// Reads a text of at most this number of bytes; without `fallback` it must be there.
    mutating func text(
        _ name: String, or fallback: String? = nil, atMost bytes: Int = 256
    ) throws(ExportLineFailure) -> String {
        guard let value = rest.removeValue(forKey: name) else {
            guard let fallback else { throw ExportLineFailure("\(name): missing") }
            return fallback
        }
        guard let text = value.string else { throw ExportLineFailure("\(name): not a text") }
        guard text.utf8.count <= bytes else { throw ExportLineFailure("\(name): longer than \(bytes) bytes") }
        return text
    }

    /// A text that people see, by the rules by which a relay takes it (Docs/Protocol.md, section 2); empty for none.
    mutating func shown(
        _ name: String, or fallback: String? = nil, atMost bytes: Int, as use: NameForm.Use
    ) throws(ExportLineFailure) -> String {
        var text = try text(name, or: fallback, atMost: bytes)
        if use == .name { text = NameForm.kept(text) }
        guard !text.isEmpty, let fault = NameForm.fault(in: text.unicodeScalars, as: use) else { return text }
        throw ExportLineFailure("\(name): \(fault.rule)")
    }

    /// A name (Docs/Protocol.md, section 2).
    mutating func name(
        _ name: String, or fallback: String? = nil, atMost bytes: Int = Limits().nameBytes
    ) throws(ExportLineFailure) -> String {
        let isThere = rest[name] != nil
        let text = try text(name, or: fallback, atMost: bytes)
        let isName = !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
        guard isName || !isThere else { throw ExportLineFailure("\(name): not a name") }
        return text
    }

    /// The name of a user; without `fallback` it must be there.
    mutating func user(_ name: String, or fallback: String? = nil) throws(ExportLineFailure) -> String {
        let user = try self.name(name, or: fallback)
        guard user.utf8.first != UInt8(ascii: "@") else { throw ExportLineFailure("\(name): begins with @") }
        return user
    }

    /// A whole number; without `fallback` it must be there.
    mutating func number(
        _ name: String, atLeast least: Int64 = 0, or fallback: Int64? = nil
    ) throws(ExportLineFailure) -> Int64 {
        guard let value = rest.removeValue(forKey: name) else {
            guard let fallback else { throw ExportLineFailure("\(name): missing") }
            return fallback
        }
        guard let number = value.integer, number >= least, number <= ExportLine.numberMax else {
            throw ExportLineFailure("\(name): not a whole number from \(least) to 2^53")
        }
        return number
    }

    /// One of a fixed set of words; without `fallback` it must be there.
    mutating func word<Word: WireWord>(_ name: String, or fallback: Word? = nil) throws(ExportLineFailure) -> Word {
        if let fallback, rest[name] == nil { return fallback }
        guard let word = Word(word: try text(name)) else { throw ExportLineFailure("\(name): unknown") }
        return word
    }

    /// A status text, as a relay takes it.
    mutating func statusText(_ name: String, or fallback: String) throws(ExportLineFailure) -> String {
        let most = Limits().statusScalars
        let text = try shown(name, or: fallback, atMost: most * 4, as: .line)
        guard text.unicodeScalars.count <= most else {
            throw ExportLineFailure("\(name): longer than \(most) Unicode scalars")
        }
        return text
    }

    /// `true` or `false`; `false` if it isn't there.
    mutating func flag(_ name: String) throws(ExportLineFailure) -> Bool {
        guard let value = rest.removeValue(forKey: name) else { return false }
        guard let flag = value.bool else { throw ExportLineFailure("\(name): neither true nor false") }
        return flag
    }

    /// A set of messages, such as `4-6,9`; empty if it isn't there.
    mutating func sequences(_ name: String) throws(ExportLineFailure) -> SequenceRanges {
        let text = try text(name, or: "", atMost: 2_048)
        guard let ranges = SequenceRanges(text: text), ranges.ranges.count <= SequenceRanges.most,
            ranges.ranges.last?.upperBound ?? 0 <= ExportLine.numberMax
        else { throw ExportLineFailure("\(name): not a list of messages") }
        return ranges
    }

    /// Raw JSON as it was sent, such as a message's `body`, or `bodyText` where that had line breaks. Empty if neither
    /// is there.
    mutating func raw(_ name: String) throws(ExportLineFailure) -> [UInt8] {
        if let value = rest.removeValue(forKey: name) { return value.raw }
        guard let escaped = rest.removeValue(forKey: "\(name)Text") else { return [] }
        guard let text = escaped.string.map({ Array($0.utf8) }), JSONValue.isValid(text) else {
            throw ExportLineFailure("\(name)Text: not a text that is JSON")
        }
        return text
    }

    /// The data of a message beside its body; empty for nothing.
    mutating func extras(of sequence: Int64) throws(ExportLineFailure) -> [UInt8] {
        guard let value = rest.removeValue(forKey: "extras") else { return [] }
        guard let extras = value.raw.withUnsafeBytes({ Extras(parsing: $0) }) else {
            throw ExportLineFailure("extras: not what a message has beside its body")
        }
        guard (0..<sequence).contains(extras.thread.value) else {
            throw ExportLineFailure("extras: the thread isn't that of an earlier message")
        }
        return value.raw
    }

    /// The possible members of a change beside its `event`. Others are left out.
    private static let ofChanges: Set<String> = [
        "users", "kind", "count", "members", "unread", "read", "createdAt", "request", "user", "role", "owner", "after",
        "pin", "banned", "reason", "until", "posting", "joining",
    ]

    /// The members of a change, raw and without the braces, as the log has them: its `event` first, and nothing of how
    /// a group shows itself, which the line of the conversation says.
    mutating func change(_ name: String) throws(ExportLineFailure) -> [UInt8] {
        guard let value = rest.removeValue(forKey: name) else { throw ExportLineFailure("\(name): missing") }
        guard let members = value.members else { throw ExportLineFailure("\(name): not an object") }
        let event = members.filter { $0.name == "event" }
        let others = members.filter { LineMembers.ofChanges.contains($0.name) }
        return Array((event + others).map { Array("\"\($0.name)\":".utf8) + $0.value.raw }.joined(separator: [0x2C]))
    }
}
