import RoostWire

/// The members of one command, found by name and read by form. Owns the JSON reader and reuses its memory, so a `Text`
/// from here is valid until the next `read`. Used by one thread. It knows nothing about particular commands.
final class CommandMembers {
    let limits: Limits
    // Nothing calls back during a read, so the run-time exclusivity check would only cost time.
    @exclusivity(unchecked) var reader: JSONReader
    /// The text that positions of this log begin with.
    let positionHead: [UInt8]
    // For each `Member`, its last occurrence in the command.
    private let found: UnsafeMutablePointer<UnsafePointer<JSONMember>?>
    private let vocabulary = Member.vocabulary
    let composed: ComposedName

    init(limits: Limits, epoch: String) {
        self.limits = limits
        composed = ComposedName(atMost: max(limits.profileNameBytes, limits.groupNameBytes, limits.labelBytes))
        positionHead = epoch.isEmpty ? [] : Array("\(epoch)-".utf8)
        reader = JSONReader(
            bytesMax: limits.frameBytes,
            // The limit counts the levels of a body, which is one level inside the command.
            depthMax: min(max(limits.jsonDepth, 0), 65_535) + 1,
            membersMax: min(max(limits.commandMembers, 1), 65_535))
        found = .allocate(capacity: Member.allCases.count)
        found.initialize(repeating: nil, count: Member.allCases.count)
    }

    deinit { found.deallocate() }

    /// Reads a message and records its members.
    func read(_ message: UnsafeRawBufferPointer) throws(Refusal) {
        let outcome = reader.read(message)
        guard outcome == .valid else { throw explain(outcome) }
        found.update(repeating: nil, count: Member.allCases.count)
        let list = reader.members
        guard var member = list.baseAddress else { return }
        for _ in 0..<list.count {
            if let name = reader.name(member.pointee).find(in: vocabulary) { found[name.rawValue] = member }
            member += 1
        }
    }

    /// The value of the member, or nil if it is absent or null.
    @inline(__always)
    func value(_ member: Member) -> JSONItem? {
        guard let value = found[member.rawValue]?.pointee.value, value.kind != .null else { return nil }
        return value
    }

    /// The value of the member, even if it is null.
    func valueOrNull(_ member: Member) -> JSONItem? { found[member.rawValue]?.pointee.value }

    /// The unescaped text of a string.
    @inline(__always)
    func text(_ value: JSONItem) -> Text { reader.text(value) }

    /// `id`, if there is one.
    func id() throws(Refusal) -> CommandID? {
        guard let value = value(.id) else { return nil }
        return try id(value)
    }

    private func id(_ value: JSONItem) throws(Refusal) -> CommandID {
        switch value.kind {
        case .integer where (0...9_007_199_254_740_992).contains(value.integer):
            return .number(UInt64(value.integer))
        case .string where text(value).hasBytes(atMost: limits.nameBytes):
            return .text(text(value).string)
        default:
            throw refusal(.id, "must be a string of 1 to \(limits.nameBytes) bytes or a whole number from 0 to 2^53")
        }
    }

    // MARK: Refusals

    /// Names the wrong member and what is allowed. Never repeats what the client sent: it may be a token or a body, and
    /// reasons are logged.
    @inline(never)
    func refusal(_ member: Member, _ fault: String, _ code: ErrorCode = .badRequest) -> Refusal {
        Refusal(code, "\(member.word) \(fault)")
    }

    /// Why the message can't be read. If it is an object, the refusal has the `id` if that is readable, and names the
    /// wrong member.
    @inline(never)
    private func explain(_ outcome: JSONReader.Outcome) -> Refusal {
        guard outcome != .tooLong else {
            return Refusal(.tooLarge, "the message has more than \(limits.frameBytes) bytes")
        }
        var id: JSONItem?
        var wrong: (member: Member?, fault: JSONReader.Fault)?
        let isObject = reader.readLoosely { name, value, fault in
            let member = name?.find(in: vocabulary)
            if member == .id { id = fault == nil && value.kind != .null ? value : nil }
            if wrong == nil, let fault { wrong = (member, fault) }
        }
        guard isObject else { return Refusal(.badJSON, "the message is not a JSON object") }
        let name = wrong?.member.map { "\($0.word)" } ?? "a member"
        var refusal =
            switch wrong?.fault {
            case .halfPair: Refusal(.badRequest, "\(name) has half of a surrogate pair")
            case .tooDeep: Refusal(.tooLarge, "\(name) is nested deeper than \(limits.jsonDepth) levels")
            case nil: Refusal(.tooLarge, "the message has more than \(limits.commandMembers) members")
            }
        refusal.id = id.flatMap { try? self.id($0) }
        return refusal
    }
}

extension Text {
    /// The word of a vocabulary that equals this text. Only for texts from a `JSONReader`, because more bytes than the
    /// text has may be read.
    @inline(__always)
    func find<Word>(in vocabulary: Vocabulary<Word>) -> Word? {
        guard let start = bytes.baseAddress else { return nil }
        return vocabulary.find(start, count)
    }
}
